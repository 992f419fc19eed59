/* lens_ask.h - the inline queries of a lens, compiled three times: for a plain machine (lens.c), and where that is a PC
 * with -mavx2 (lens_avx2.c) and for AVX-512 (lens_avx512.c). */
#ifndef BLM_LAWS_LENS_ASK_H
#define BLM_LAWS_LENS_ASK_H
#include <bloomery/inline.h>

typedef struct lens_ask {
    const char *name;
    bool (*here)(void); /* can this machine run it? */
    bool (*has_u64)(const blm_lens *lens, uint64_t key);
    bool (*has)(const blm_lens *lens, const void *key, size_t len);
} lens_ask;
extern const lens_ask lens_ask_avx2, lens_ask_avx512;

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
