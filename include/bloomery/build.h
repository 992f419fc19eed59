/* bloomery/build.h - keys in, filter out, for any kind.
 *
 *     blm_builder *b;
 *     blm_builder_new(&b, BLM_CONFIG(.kind = "blocked", .fpr = 0.001), NULL);   keys 0 = unknown
 *     while (...) blm_builder_add(b, 0, line, len, BLM_NO_ARG);
 *     blm_build(&f, b, NULL);                                                   sized for what came
 *
 * With keys unknown the distinct hashes are kept until the end (11 bytes each, some 16 for kinds that
 * count), or spooled to a file (blm_builder_ram), so that the filter is sized for exactly the distinct
 * keys. Kinds that take a weight with each key, and generalized, keep every key that comes (24 bytes each) in its
 * order. With keys given and an adding kind, keys go straight in. The filter answers and counts as if all keys had
 * been added one by one: a key that comes again counts again. The same keys in any order give the same bytes where
 * the kind promises ANY_ORDER.
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
/* Turns bytes into the hashes that add_many takes, from many threads if need be. Borrowed. */
BLM_API const blm_filter *blm_builder_hasher(const blm_builder *b);
/* add_many - members by their hashes, in batches: some 50 ns each where 10^7 are collected. fresh[i] (fresh may be NULL):
 * not seen before, by its 64-bit hash while hashes are collected, else as blm_add_many says; CANNOT where
 * that is not known: a kind whose rows are collected, a builder that may spool. CANNOT too for kinds that
 * look inside a key. After a failure the keys of a prefix are in; another call may go on. */
BLM_API blm_err blm_builder_add_many(blm_builder *b, const blm_hash *h, size_t n, uint8_t *fresh);
/* add_share - add_many by several threads. The hashes of all keys are cut into shares (2, 4, 8 or 16) by the
 * upper bits of h.lo, with 4 shares by two bits; these n are of one of them. Calls for different shares may run
 * at the same time, but no other call on b. The result is that of add_many if each share sees its keys in
 * order. Only while blm_builder_shares allows it; an allocator of the caller's must allow threads. ARG: a
 * hash of another share. CANNOT: hashes are not collected, or were spooled. */
BLM_API blm_err blm_builder_add_share(blm_builder *b, const blm_hash *h, size_t n, uint8_t *fresh,
                                      unsigned share, unsigned shares);
/* The most shares that the next `more` hashes may be cut into: 16; 1 where hashes are not collected, or might
 * pass the memory of blm_builder_ram (25 bytes each while they grow, 38 for kinds that count). */
BLM_API unsigned blm_builder_shares(const blm_builder *b, uint64_t more);
/* ram - before the first key: past so many bytes (1 MiB or more) the distinct hashes go to a file without
 * a name in this folder, 8 bytes each (12 for kinds that count), and are read twice by blm_build. The
 * filter has the same bytes as without. Where hashes are not collected nothing is spooled. */
BLM_API BLM_MUST_USE blm_err blm_builder_ram(blm_builder *b, uint64_t bytes, const char *folder,
                                             blm_report *why);
/* The exact number of distinct keys so far; reads the spool if there is one, and sorts a copy of collected rows.
 * CANNOT: keys go straight in. */
BLM_API BLM_MUST_USE blm_err blm_builder_distinct(blm_builder *b, uint64_t *n, blm_report *why);
/* The sentence of an add that failed with BLM_E_IO; lives as long as b. */
BLM_API const char *blm_builder_trouble(const blm_builder *b);
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
