/* bloomery/theory.h - what a filter will do, from numbers alone.
 *
 *     uint64_t m;
 *     unsigned k;
 *     if (blm_size_for(1000000, 0.01, 0, true, &m, &k)) ...      9592957 bits, 7 hashes
 *     blm_rate_exact(m, k, 1000000)                              0.0099999977
 *
 * The letters: m bits (or counters), k hashes per key, n distinct keys. A rate is a chance between
 * 0 and 1; without another word it is the chance that a non-member answers yes. p is the rate that
 * is wanted. The fill is ones / m. A relative standard deviation is a part of the mean: 0.04 is
 * 4 %.
 *
 * The forms of a filter:
 *     standard       all k bits of a key anywhere in one array of m bits
 *     partitioned    k slices of `slice` bits, one bit of a key in each
 *     blocked        `blocks` blocks of block_bits bits, all k bits of a key in one block
 *     split          `blocks` blocks of 256 bits in 8 lanes of 32, one bit of a key in each lane of
 *                    one block; 32 bits of the key's hash choose the block (of 1 to 2^31), 32 bits
 *                    choose the bits of the lanes, and the rates allow for these widths
 *
 * These are functions of numbers: no filter, no allocation, no global state, any thread. Hashes are
 * taken to be independent and uniform, and may repeat a position. n = 0 gives rate 0 and fill 0.
 * Illegal input (m, k or blocks 0; k above BLM_THEORY_HASHES or block_bits above BLM_THEORY_BLOCK
 * where a sum over states is needed; NaN; a rate outside its range) gives NaN from a double, 0 from
 * a number of hashes or bits, and false from a bool, which then has written nothing. A call takes
 * less than a microsecond unless its comment states another cost.
 *
 * The functions here are kept from release to release. The headers in bloomery/theory/ have further
 * ones, family by family, which may change or move in any release; bloomery.h does not include
 * them.
 */
#ifndef BLOOMERY_THEORY_H
#define BLOOMERY_THEORY_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

#define BLM_THEORY_HASHES 64                  /* max k of exact rates and of sizing        */
#define BLM_THEORY_BLOCK  65536               /* max bits of a block                       */
#define BLM_THEORY_SPLIT  (UINT64_C(1) << 31) /* max number of split blocks                */
#define BLM_THEORY_BITS   60                  /* sizing rejects filters above 2^60 bits    */

/* ---- rates of a standard filter --------------------------------------------------------------
 * approx < classic <= exact <= bound; classic = exact for k = 1. */

/* The textbook approximation, (1 - e^(-kn/m))^k. It is below the truth: 0.0081937 for 10000 bits, 7
 * hashes, 1000 keys. */
BLM_API double blm_rate_approx(uint64_t m, unsigned k, uint64_t n);

/* Bloom's own formula, (1 - (1 - 1/m)^(kn))^k: 0.0081957 for 10000 bits, 7 hashes, 1000 keys. */
BLM_API double blm_rate_classic(uint64_t m, unsigned k, uint64_t n);

/* The expectation E[(X/m)^k] over the number of ones X, to 1e-14: 0.0082010 for 10000 bits, 7
 * hashes, 1000 keys. Past kn = 2^53 it is blm_rate_approx, which is then as close. NaN for k > 64.
 * Cost: k^3/6 log2(kn) multiplies, 8 us at k = 10, 1.5 ms at k = 64. */
BLM_API double blm_rate_exact(uint64_t m, unsigned k, uint64_t n);

/* An upper bound of blm_rate_exact (Goel, Gupta), (1 - e^(-k(n + 1/2)/(m - 1)))^k: 0.0082175 for
 * 10000 bits, 7 hashes, 1000 keys. */
BLM_API double blm_rate_bound(uint64_t m, unsigned k, uint64_t n);

/* The rate of one given array, (ones / m)^k. With the true number of ones this is no estimate:
 * 0.0081920 for 5034 ones of 10000 bits, 7 hashes. NaN when ones > m. */
BLM_API double blm_rate_from_fill(uint64_t ones, uint64_t m, unsigned k);

/* Relative standard deviation of the rate between filters of one shape with different seeds: 3.9 %
 * for 10000 bits, 7 hashes, 1000 keys. A test of one filter that ignores it fails by chance. */
BLM_API double blm_rate_sd(uint64_t m, unsigned k, uint64_t n);

/* ---- rates of the other forms ---------------------------------------------------------------- */

/* The expected rate of a partitioned filter, (1 - (1 - 1/slice)^n)^k, which is exact: 0.0082235 for
 * 7 slices of 1428 bits, 1000 keys. */
BLM_API double blm_rate_partitioned(uint64_t slice, unsigned k, uint64_t n);

/* Relative standard deviation of a partitioned filter's rate between seeds, exact: 3.9 % for 7
 * slices of 1428 bits, 1000 keys. */
BLM_API double blm_rate_partitioned_sd(uint64_t slice, unsigned k, uint64_t n);

/* The expected rate of a blocked filter: the exact binomial load of a block, the exact rate at each
 * load. 0.0086324 for 20 blocks of 512 bits, 7 hashes, 1000 keys. NaN for k > 64. Cost: 5 us at 512
 * bits, k = 8; at most 45 block_bits k multiplies. */
BLM_API double blm_rate_blocked(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n);

/* Relative standard deviation of a blocked filter's rate between seeds: 6.3 % for 20 blocks of 512
 * bits, 7 hashes, 1000 keys. It allows for the fixed sum of the loads and is right to about a part
 * of 1 / blocks. INFINITY where the square of the rate is below the smallest double. NaN for
 * k > 64. Cost: twice that of blm_rate_blocked. */
BLM_API double blm_rate_blocked_sd(uint64_t block_bits, uint64_t blocks, unsigned k, uint64_t n);

/* The expected rate of a split filter: the mean over the loads i of a block of (1 - (31/32)^i)^8,
 * and the keys whose 32 bits for the lanes are equal. 0.0099441 for 100 blocks, 2430 keys.
 * Cost: 5 us. */
BLM_API double blm_rate_split(uint64_t blocks, uint64_t n);

/* Relative standard deviation of a split filter's rate between seeds: 5.7 % for 100 blocks, 2430
 * keys. Cost: 6 us. */
BLM_API double blm_rate_split_sd(uint64_t blocks, uint64_t n);

/* ---- sizing: which m and k ------------------------------------------------------------------- */

/* The k <= 64 with the lowest blm_rate_exact, the smaller one of equals; 0 when m or n is 0. At few
 * bits it is below (m/n) ln 2: 5, not 6, for 64 bits and 8 keys. Cost: a few exact rates. */
BLM_API unsigned blm_best_hashes(uint64_t m, uint64_t n);

/* The k <= 64 with the lowest rate of slices of bits / k, rounded down; 0 when bits or n is 0. 7
 * for 10000 bits and 1000 keys. Cost: 4 us. */
BLM_API unsigned blm_best_hashes_partitioned(uint64_t bits, uint64_t n);

/* The k <= 64 with the lowest blm_rate_blocked, the smaller one of equals; 0 when n is 0 or there
 * is no such filter. 7 for 20 blocks of 512 bits and 1000 keys. Cost: k + 1 blocked rates, 50 us
 * here. */
BLM_API unsigned blm_best_hashes_blocked(uint64_t block_bits, uint64_t blocks, uint64_t n);

/* Smallest m whose rate at n keys is at most p, by blm_rate_exact (exact) or by blm_rate_approx.
 * hashes 0: with the k that needs the fewest bits. 9592957 bits and 7 hashes for 10^6 keys at 1 %,
 * 9592955 by the approximation. False, and nothing written: n = 0, p not in (0, 1), hashes > 64,
 * more than 2^60 bits. Cost: some exact rates, 50 us at 1 %. */
BLM_API bool blm_size_for(uint64_t n, double p, unsigned hashes, bool exact, uint64_t *m,
                          unsigned *k);

/* Smallest slice, in bits, whose blm_rate_partitioned is at most p. hashes 0: with the k for which
 * k slices are the fewest bits. 7 slices of 1370423 bits for 10^6 keys at 1 %. False, and nothing
 * written: as blm_size_for. Cost: 16 us. */
BLM_API bool blm_size_partitioned(uint64_t n, double p, unsigned hashes, uint64_t *slice,
                                  unsigned *k);

/* Smallest number of blocks whose blm_rate_blocked is at most p. hashes 0: with the smallest k that
 * reaches this number. 19372 blocks of 512 bits and 6 hashes for 10^6 keys at 1 %, 9.92 bits per
 * key. False, and nothing written: as blm_size_for, or block_bits outside 1 to 65536. Cost: 0.2 ms
 * for blocks of 512 bits at p = 1e-2 to 1e-6, 1 ms at 1e-15; 10 ms for blocks of 65536. */
BLM_API bool blm_size_blocked(uint64_t n, double p, uint64_t block_bits, unsigned hashes,
                              uint64_t *blocks, unsigned *k);

/* Smallest number of split blocks whose blm_rate_split is at most p: 41130 for 10^6 keys at 1 %,
 * 10.53 bits per key. Below p = 1e-8 keys with equal bits for the lanes make it large: 179 bits per
 * key there, 887 at 1e-10. False, and nothing written: n = 0, p not in (0, 1), or 2^31 blocks are
 * too few. Cost: 0.1 ms. */
BLM_API bool blm_size_split(uint64_t n, double p, uint64_t *blocks);

/* ---- probes: how many of its k cells a query for a non-member reads before it has an answer -- */

/* The mean over all non-members, 1 + fill + ... + fill^(k-1): 1.984 at half full, 7 hashes. NaN:
 * fill outside 0 to 1. Cost: k multiplies. */
BLM_API double blm_probes_to_reject(double fill, unsigned k);

/* The mean over the non-members that answer no: 1.945 at half full, 7 hashes. NaN: fill outside 0
 * to 1. Cost: 2 k multiplies. */
BLM_API double blm_probes_given_rejected(double fill, unsigned k);

/* ---- fill, and the number of keys from it ---------------------------------------------------- */

/* Expected number of ones after n keys, m (1 - (1 - 1/m)^(kn)): 5034.3 for 10000 bits, 7 hashes,
 * 1000 keys. */
BLM_API double blm_fill_mean(uint64_t m, unsigned k, uint64_t n);

/* Standard deviation of the number of ones between seeds, exact and numerically stable for any m:
 * 27.8 for 10000 bits, 7 hashes, 1000 keys. */
BLM_API double blm_fill_sd(uint64_t m, unsigned k, uint64_t n);

/* The number of keys that `ones` ones speak for, ln(1 - ones/m) / (k ln(1 - 1/m)): 999.9 for 5034
 * ones of 10000 bits, 7 hashes. INFINITY when ones = m, NaN when ones > m. */
BLM_API double blm_keys_from_fill(uint64_t ones, uint64_t m, unsigned k);

/* Standard deviation of blm_keys_from_fill when there are n keys (delta method): 8.0 keys for 10000
 * bits, 7 hashes, 1000 keys. INFINITY when all bits are ones. */
BLM_API double blm_keys_sd(uint64_t m, unsigned k, uint64_t n);

/* ---- intervals: a chance, from hits in independent trials (Clopper, Pearson) ----------------- */

/* Lower end of the two-sided interval at this confidence. With 0.99 the truth lies outside both
 * ends with a chance of at most 1 %, half of it below this one. 0.00762 for 100 hits in 10000
 * trials at 0.99; 0 without hits or trials. Good to a part of 1e-8. NaN: hits > trials, confidence
 * not in (0, 1). Cost: grows as sqrt(trials), 10 us at 10^6. */
BLM_API double blm_binomial_low(uint64_t hits, uint64_t trials, double confidence);

/* Upper end of the interval that begins at blm_binomial_low: 0.01286 for 100 hits in 10000 trials
 * at 0.99; 1 when every trial hits, or without trials. NaN and cost: as blm_binomial_low. */
BLM_API double blm_binomial_high(uint64_t hits, uint64_t trials, double confidence);

/* Standard deviation of the number of hits, sqrt(trials rate (1 - rate)): 9.95 for 10000 trials at
 * 1 %. NaN: rate outside 0 to 1. */
BLM_API double blm_binomial_sd(uint64_t trials, double rate);

/* ---- counters -------------------------------------------------------------------------------- */

/* Smallest width in bits for which the chance that any of m counters passes 2^width - 1 is at most
 * miss (1e-6 is common); lambda = kn/m is the mean number of throws per counter. 4 at lambda = ln 2
 * up to m = 1e10. For sets; a multiset needs room for its largest count. 0: m = 0, lambda negative
 * or infinite, miss not above 0, or 32 bits are too few. */
BLM_API unsigned blm_counter_width(uint64_t m, double lambda, double miss);

/* ---- thresholds: the question "at least theta times?", asked of k counters ------------------- */

/* The chance of a false yes for a key with count 0 after n insertions of other keys: 2.23e-6 for
 * 10000 counters, 7 hashes, 1000 insertions, theta 2. For a key that came t times pass theta - t. 1
 * when theta is 0. */
BLM_API double blm_threshold_rate(uint64_t m, unsigned k, uint64_t n, unsigned theta);

/* The load kn/m with the lowest rate: 0.693 for theta 1, 1.164 for theta 3. NaN for theta 0.
 * Cost: 12 us. */
BLM_API double blm_threshold_lambda(unsigned theta);

/* The base of the lowest rate, which is base^(m/n): 0.6185 for theta 1, 0.0789 for theta 3. NaN for
 * theta 0. Cost: 12 us. */
BLM_API double blm_threshold_base(unsigned theta);

/* The k <= 64 with the lowest blm_threshold_rate, the smaller one of equals: 12 for 10000 counters,
 * 1000 insertions, theta 3. 0 when m, n or theta is 0. Cost: 13 us. */
BLM_API unsigned blm_threshold_best_hashes(uint64_t m, uint64_t n, unsigned theta);

#ifdef __cplusplus
}
#endif
#endif
