/* bloomery/build.h - keys in, filter out, for any kind.
 *
 *     blm_builder *b;
 *     if (blm_builder_new(&b, BLM_CONFIG(.kind = "blocked", .fpr = 0.001), NULL)) return 1;
 *     while (next_line(&line, &len))
 *         if (blm_builder_add(b, 0, line, len, BLM_NO_ARG)) return 1;
 *     if (blm_build(&f, b, NULL)) return 1;        // sized for exactly the keys that came
 *
 * If the number of keys is not known (keys is 0), the builder collects their distinct hashes
 * until the end (11 bytes per key, some 16 for kinds that count), or spools them to a file
 * (blm_builder_ram), and then makes a filter for exactly that many keys. Kinds that are built whole
 * keep every key that comes: 8 bytes for a 64-bit hash, 8 more for a second one or a number, and
 * as much again while they are sorted; so do kinds that take a weight with each key, and
 * generalized. If the number is known and the kind can add, keys go straight into the filter.
 *
 * The filter answers and counts as if all keys had been added one by one: a key that comes again
 * counts again. Weights of one key add up, a key that comes with two sets is in both, and a key
 * that comes with two values is an error (BLM_E_CONFLICT). Where the kind promises BLM_ANY_ORDER,
 * the order of the keys changes no byte.
 */
#ifndef BLOOMERY_BUILD_H
#define BLOOMERY_BUILD_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A filter that is being built. */
typedef struct blm_builder blm_builder;

/* Makes a builder. c->keys may be 0: unknown. Fails as blm_new does. End it with blm_build() or
 * blm_builder_free(). */
BLM_API BLM_MUST_USE blm_err blm_builder_new(blm_builder **out, const blm_config *c,
                                             blm_report *why);

/* Adds a key to a list: 0 is the list of members; blm_list_at() names the others of the kind. Fails
 * as blm_add does, and with BLM_E_NOMEM or BLM_E_IO when the key could not be kept. */
BLM_API BLM_MUST_USE blm_err blm_builder_add(blm_builder *b, unsigned list, const void *key,
                                             size_t len, uint64_t arg);

/* Returns a filter that turns keys into the hashes that blm_builder_add_many takes (blm_hash_many),
 * from any number of threads. It belongs to b. */
BLM_API const blm_filter *blm_builder_hasher(const blm_builder *b);

/* Adds n members by their hashes: some 50 ns each while 10^7 hashes are collected. fresh may be
 * NULL; otherwise fresh[i] is 1 if the key was not seen before, judged by its 64-bit hash while
 * hashes are collected, and as by blm_add_many otherwise. Fails with BLM_E_CANNOT if fresh is
 * given and that is not known (the builder may spool, or keeps every key), or if the kind looks
 * inside keys. After another failure the first keys have been added, and further calls may
 * follow. */
BLM_API BLM_MUST_USE blm_err blm_builder_add_many(blm_builder *b, const blm_hash *h, size_t n,
                                                  uint8_t *fresh);

/* Like blm_builder_add_many, from several threads. All hashes are divided into 2, 4, 8 or 16
 * shares by the upper bits of h.lo (4 shares: two bits), and these n belong to one of them. Calls
 * for different shares may run at the same time; no other call on b may. The result is the same
 * if each share sees its keys in order. An allocator of the caller must be thread-safe. Fails
 * with BLM_E_ARG if a hash is of another share, and with BLM_E_CANNOT if hashes are not
 * collected, or are spooled: ask blm_builder_shares() first. */
BLM_API BLM_MUST_USE blm_err blm_builder_add_share(blm_builder *b, const blm_hash *h, size_t n,
                                                   uint8_t *fresh, unsigned share, unsigned shares);

/* Returns into how many shares the next `more` hashes may be divided: 16, or 1 if hashes are not
 * collected or might exceed the memory of blm_builder_ram (25 bytes each while they grow, 38 for
 * kinds that count). */
BLM_API unsigned blm_builder_shares(const blm_builder *b, uint64_t more);

/* Limits the memory for hashes to this many bytes (1 MiB or more); call it before the first key.
 * Beyond the limit they go to a file without a name in this folder, 8 bytes each (12 for kinds
 * that count), which blm_build reads twice. The bytes of the filter are the same. It has no effect
 * where more than the hash of a key is kept, or where keys go straight into the filter. Fails with
 * BLM_E_ARG, BLM_E_IO. */
BLM_API BLM_MUST_USE blm_err blm_builder_ram(blm_builder *b, uint64_t bytes, const char *folder,
                                             blm_report *why);

/* Lets blm_build and blm_builder_distinct use this many threads, 64 at most; 0: as many as there
 * are processors. It is one without this call. The bytes of the filter are the same. Only kinds
 * that are built whole gain from more than one. An allocator of the caller must be thread-safe. */
BLM_API void blm_builder_threads(blm_builder *b, unsigned threads);

/* Sets *n to the exact number of distinct keys so far. Fails with BLM_E_CANNOT if keys go
 * straight into the filter. Cost: it reads the spool if there is one, and sorts the keys if all are
 * kept. */
BLM_API BLM_MUST_USE blm_err blm_builder_distinct(blm_builder *b, uint64_t *n, blm_report *why);

/* Returns the sentence for an add that failed with BLM_E_IO. It lives as long as b. */
BLM_API const char *blm_builder_trouble(const blm_builder *b);

/* Returns how many bytes of memory b holds besides the filter. */
BLM_API uint64_t blm_builder_memory(const blm_builder *b);

/* Returns the number of distinct keys so far if it is known; otherwise the number of adds. */
BLM_API uint64_t blm_builder_keys(const blm_builder *b);

/* Returns the filter so far if keys go straight into it, and NULL while hashes are collected. It
 * belongs to b. */
BLM_API const blm_filter *blm_builder_peek(const blm_builder *b);

/* Makes the filter, and frees b whether that succeeds or not. Fails as blm_new does, with
 * BLM_E_CONFLICT if a key is on two lists that exclude each other or came with two values, with
 * BLM_E_IO if the spool cannot be read, with BLM_E_FULL if more keys came than c->keys and the kind
 * is a fixed set, with BLM_E_BUILD if no try of building it worked. */
BLM_API BLM_MUST_USE blm_err blm_build(blm_filter **out, blm_builder *b, blm_report *why);

/* Frees b without making a filter; NULL is fine. */
BLM_API void blm_builder_free(blm_builder *b);

/* A list of keys besides the members, such as the keys that must not be false positives. */
typedef struct blm_list_info {
    const char *name;
    const char *doc;
    bool keyed; /* each key comes with an argument */
} blm_list_info;

/* Describes the i-th list of a kind; i = 1 is the first one after the members. Returns false
 * after the last one, or if there is no such kind. */
BLM_API bool blm_list_at(const char *kind, size_t i, blm_list_info *out);

#ifdef __cplusplus
}
#endif
#endif
