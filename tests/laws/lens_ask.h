/* lens_ask.h - the inline queries of a lens, compiled twice: for a plain machine (lens.c), and with -mavx2 where that
 * is a PC (lens_avx2.c). */
#ifndef BLM_LAWS_LENS_ASK_H
#define BLM_LAWS_LENS_ASK_H
#include <bloomery/inline.h>

typedef struct lens_ask {
    const char *name;
    bool (*here)(void); /* can this machine run it? */
    bool (*has_u64)(const blm_lens *lens, uint64_t key);
    bool (*has)(const blm_lens *lens, const void *key, size_t len);
} lens_ask;
extern const lens_ask lens_ask_avx2;

/* Stamps one out of the header as it is compiled here. */
#define LENS_ASK(name)                                                                             \
    static bool name##_has_u64(const blm_lens *lens, uint64_t key)                                 \
    {                                                                                              \
        return blm_lens_has_u64(lens, key);                                                        \
    }                                                                                              \
    static bool name##_has(const blm_lens *lens, const void *key, size_t len)                      \
    {                                                                                              \
        return blm_lens_has(lens, key, len);                                                       \
    }                                                                                              \
    const lens_ask lens_ask_##name = {#name, name##_here, name##_has_u64, name##_has};
#endif
