/* bloomery/theory/adaptive.h - words that change their hashes after a false positive.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     blm_adaptive q = {.words = 1000, .keys = 8000, .non_members = 10000, .width = 64,
 *                       .groups = 4, .hashes = 4, .every = 1, .times = 100};
 *     blm_rate_adaptive(q)                              0.00527; 0.0335 with one group
 *
 * The filter is one of words, as in bloomery/theory/words.h, in which each word uses one of several
 * groups of hashes and moves to its next group after a false positive (Reviriego, Sanchez-Macian,
 * Rottenstreich, Larrabeiti). Illegal input (a zero, of keys excepted; more groups, hashes or load
 * than the limits below) gives NaN.
 *
 * The rate counts all queries alike: the first ones, which find the groups as they were at the
 * start, and the later ones, which find words that have adapted. So it falls as the non-members are
 * asked for more often, except in words that have no group without a false positive.
 *
 * In blm_keys_sd_groups the filter has count words of width bits, a key reads `reads` words, sets k
 * bits in all in each group, and there are n distinct keys.
 */
#ifndef BLOOMERY_THEORY_ADAPTIVE_H
#define BLOOMERY_THEORY_ADAPTIVE_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

#define BLM_THEORY_GROUPS    8   /* max groups                                           */
#define BLM_THEORY_WORD_LOAD 256 /* keys per word, and non-members per word, stay below  */

/* What blm_rate_adaptive is asked about: the filter, the keys in it, the non-members that are asked
 * for and how often. Only keys may be 0. */
typedef struct blm_adaptive {
    uint64_t words;       /* number of words                                         */
    uint64_t keys;        /* distinct keys that were added                           */
    uint64_t non_members; /* distinct non-members that are asked for               */
    unsigned width;       /* bits of a word, at most 64                              */
    unsigned groups;      /* groups of hashes per word                               */
    unsigned hashes;      /* hashes per group                                        */
    unsigned every;       /* a word moves on at each every-th false positive         */
    double times;         /* how often each non-member is asked for, in any order    */
} blm_adaptive;

/* The share of false positives among all queries for the non-members, with one read per key. For
 * 8000 keys in 1000 words of 64 bits, 4 hashes and 10000 non-members that are asked for 100 times
 * each: 0.0143 with 2 groups, 0.00527 with 4, and 0.00198 with 8. With one group it is
 * blm_rate_word, 0.0335. Cost: 2 to 100 ms. */
BLM_API double blm_rate_adaptive(blm_adaptive q);

/* Standard deviation of the number of keys, estimated from the mean of the ones over `groups`
 * versions of a filter of words: each group has its own bits for a key, in the same words. 1000
 * keys in 192 words of 62 bits, one read, 6 hashes: 8.49 keys with one group, 5.92 with four. One
 * group: blm_keys_sd_word. NaN: reads outside 1 to k, groups 0. */
BLM_API double blm_keys_sd_groups(uint64_t width, uint64_t count, unsigned reads, unsigned k,
                                  unsigned groups, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
