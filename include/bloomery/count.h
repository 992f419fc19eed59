/* bloomery/count.h - kinds that delete and count.
 *
 *     blm_estimate n;
 *     if (blm_make(&f, "counting keys=1e6 fpr=1%", NULL)) return 1;
 *     if (blm_add(f, "plum", 4) || blm_count(f, "plum", 4, &n)) return 1;
 *     printf("%.0f%s\n", n.value, n.bound ? " or more" : "");
 *     if (blm_del(f, "plum", 4)) return 1;
 *
 * Many keys at once, several times as fast as one by one in a filter that is larger than the cache:
 *
 *     uint8_t absent[4096];
 *     if (blm_del_many_u64(f, id, 4096, absent, NULL)) return 1;
 *
 * Calls fail with BLM_E_CANNOT if the filter does not delete or count (blm_can), with
 * BLM_E_READONLY if they would change a mapped filter, and with BLM_E_KEY if it was opened
 * without its secret.
 */
#ifndef BLOOMERY_COUNT_H
#define BLOOMERY_COUNT_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Deletes a key that was added. Fails with BLM_E_ABSENT, and changes nothing, if the key is
 * certainly not in the set. Fails with BLM_E_UNSURE, and changes nothing, if the filter cannot tell
 * the key's cells from those of other keys: the key, if it was a member, is still one. Most kinds
 * never do; `deletes` of blm_info and of blm_offer says how many members can be deleted. A
 * non-member that is a false positive cannot be noticed, and deleting it may delete members: delete
 * only what was added. */
BLM_API blm_err blm_del(blm_filter *f, const void *key, size_t len);

/* Like blm_del, for an item; its argument, if the kind has one, is the weight to take away. */
BLM_API blm_err blm_del_item(blm_filter *f, const blm_item *it);

/* What blm_del_many tells of a key; 0 is the only one that has changed anything. */
typedef enum blm_was {
    BLM_WAS_DELETED = 0, /* BLM_OK of blm_del                                          */
    BLM_WAS_ABSENT = 1,  /* BLM_E_ABSENT: certainly not in the set                     */
    BLM_WAS_UNSURE = 2   /* BLM_E_UNSURE: still there, if it was                       */
} blm_was;

/* Deletes n keys by their hashes, in order. A key that blm_del would not delete changes nothing and
 * does not end the call. absent[i] is 0 for a key that was deleted, 1 for a key that is certainly
 * not in the set, 2 where the filter is unsure (blm_was). A key that is in the batch twice is
 * deleted twice. args[i] is the weight to take away, if the kind has weights. BLM_OK means that all
 * n keys were worked on, whether or not some were absent or unsure. When it fails, the first *done
 * keys have been worked on; an argument out of range is found before the first. Kinds that need the
 * bytes of a key fail with BLM_E_CANNOT. args, absent and done may be NULL. */
BLM_API BLM_MUST_USE blm_err blm_del_many(blm_filter *f, const blm_hash *h, const uint64_t *args,
                                          size_t n, uint8_t *absent, size_t *done);

/* Like blm_del_many, for keys; it hashes them, too. */
BLM_API BLM_MUST_USE blm_err blm_del_many_keys(blm_filter *f, const blm_key *k, size_t n,
                                               uint8_t *absent, size_t *done);

/* Like blm_del_many, for integers. */
BLM_API BLM_MUST_USE blm_err blm_del_many_u64(blm_filter *f, const uint64_t *k, size_t n,
                                              uint8_t *absent, size_t *done);

/* Estimates how often a key was added and not deleted. times->bound: a counter is at its ceiling,
 * and the count may be higher. Kinds that only estimate do not promise BLM_NEVER_LOW: the
 * truth lies within three standard errors (the longer side of low .. high) for 99 % of the keys. */
BLM_API blm_err blm_count(const blm_filter *f, const void *key, size_t len, blm_estimate *times);

/* Like blm_count, for an item. */
BLM_API blm_err blm_count_item(const blm_filter *f, const blm_item *it, blm_estimate *times);

/* Sets times[i] to what blm_count estimates for key i of n, by their hashes. If it fails, the
 * contents of times are unspecified. Kinds that need the bytes of a key fail with BLM_E_CANNOT. */
BLM_API BLM_MUST_USE blm_err blm_count_many(const blm_filter *f, const blm_hash *h, size_t n,
                                            blm_estimate *times);

/* Like blm_count_many, for keys; it hashes them, too. */
BLM_API BLM_MUST_USE blm_err blm_count_many_keys(const blm_filter *f, const blm_key *k, size_t n,
                                                 blm_estimate *times);

/* Like blm_count_many, for integers. */
BLM_API BLM_MUST_USE blm_err blm_count_many_u64(const blm_filter *f, const uint64_t *k, size_t n,
                                                blm_estimate *times);

/* Counts n items together, out of all counters at once. The list must have every key that was
 * added. It may have a key twice, and keys that were never added, which count 0. times[i] is exact
 * if low == high; otherwise the count lies between low and high, and value is high (low, with
 * bound, where no upper bound is known). Fails with BLM_E_UNSURE if no counts of these keys fit the
 * counters: most likely the list lacks a key. Only where some counts are not exact can that go
 * unnoticed. Fails with BLM_E_CANNOT for kinds without BLM_COUNT_ALL, BLM_E_ARG if an item is not a
 * key of this kind, BLM_E_NOMEM. times is written on success only. Cost, with counter-braids:
 * 1 us and 170 bytes of memory per item, from the allocator of f. */
BLM_API blm_err blm_count_all(const blm_filter *f, const blm_item *it, size_t n,
                              blm_estimate *times);

/* Sets *yes to whether the key was added at least `times` times. "No" is certain where the kind
 * promises BLM_NEVER_LOW. Fails with BLM_E_UNSURE if the counters end below `times`. theory.h has
 * the rate and the best number of hashes (blm_threshold_rate). */
BLM_API blm_err blm_at_least(const blm_filter *f, const void *key, size_t len, uint64_t times,
                             bool *yes);

#ifdef __cplusplus
}
#endif
#endif
