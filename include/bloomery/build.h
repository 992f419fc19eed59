/* bloomery/build.h - keys in, filter out, for any kind.
 *
 *     blm_builder *b;
 *     blm_builder_new(&b, BLM_CONFIG(.kind = "blocked", .fpr = 0.001), NULL);   keys 0 = unknown
 *     while (...) blm_builder_add(b, 0, line, len, BLM_NO_ARG);
 *     blm_build(&f, b, NULL);                                                   sized for what came
 *
 * With keys unknown the distinct hashes are kept until the end (at most 16 bytes each), so that
 * the filter is sized for exactly the distinct keys. With keys given and an adding kind, keys go
 * straight in. The same keys in any order, any number of times, give the same bytes where the
 * kind promises ANY_ORDER.
 */
#ifndef BLOOMERY_BUILD_H
#define BLOOMERY_BUILD_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct blm_builder blm_builder;
BLM_API BLM_MUST_USE blm_err blm_builder_new(blm_builder **out, const blm_config *c,
                                             blm_report *why);
/* list 0 = members; others as the kind names them (blm_list_at). FULL as blm_add. */
BLM_API blm_err blm_builder_add(blm_builder *b, unsigned list, const void *key, size_t len,
                                uint64_t arg);
BLM_API uint64_t
blm_builder_memory(const blm_builder *b); /* bytes held beside the filter           */
BLM_API uint64_t
blm_builder_keys(const blm_builder *b); /* distinct so far, where it knows; else adds */
/* The filter so far, when keys go straight in; NULL while hashes are collected. Borrowed. */
BLM_API const blm_filter *blm_builder_peek(const blm_builder *b);
BLM_API BLM_MUST_USE blm_err blm_build(blm_filter **out, blm_builder *b,
                                       blm_report *why); /* b is spent either way */
BLM_API void blm_builder_free(blm_builder *b);           /* without building; NULL is fine */
typedef struct blm_list_info {
    const char *name, *doc;
    bool keyed; /* rows carry an arg */
} blm_list_info;
BLM_API bool blm_list_at(const char *kind, size_t i,
                         blm_list_info *out); /* i = 1: the first beside the members */
#ifdef __cplusplus
}
#endif
#endif
