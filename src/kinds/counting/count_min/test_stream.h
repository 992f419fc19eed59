/* test_stream.h - weighted keys and Zipf streams for tests of kinds that count. */
#ifndef BLM_TESTS_STREAM_H
#define BLM_TESTS_STREAM_H
#include "kinds/counters.h"

static inline blm_err add_weight(blm_filter *f, uint64_t key, uint64_t weight)
{
    const blm_item it = blm_item_u64(f, key, weight);
    return blm_add_item(f, &it, NULL);
}

/* Zipf with exponent 1: key i of n has the chance 1 / (i + 1) / H(n). `sum` has n numbers. */
static inline void zipf_sums(double *sum, uint64_t n)
{
    double all = 0;
    for (uint64_t i = 0; i < n; i++) sum[i] = all += 1 / (double)(i + 1);
    for (uint64_t i = 0; i < n; i++) sum[i] /= all;
}

static inline uint64_t zipf_draw(const double *sum, uint64_t n, uint64_t *random)
{
    const double u = (double)(draw(random) >> 11) * 0x1p-53;
    uint64_t low = 0, high = n - 1; /* the first key with sum > u */
    while (low < high) {
        const uint64_t mid = low + (high - low) / 2;
        if (sum[mid] > u)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

/* The same draws for the same seed; truth[i]: how often key i came. */
static inline void zipf_stream(blm_filter *f, uint64_t keys, uint64_t draws, uint64_t seed,
                               uint64_t *truth)
{
    double *sum = calloc(keys, sizeof *sum);
    assert_non_null(sum);
    zipf_sums(sum, keys);
    memset(truth, 0, keys * sizeof *truth);
    for (uint64_t i = 0; i < draws; i++) {
        const uint64_t key = zipf_draw(sum, keys, &seed);
        assert_int_equal(add_weight(f, key, 1), BLM_OK);
        truth[key]++;
    }
    free(sum);
}
#endif
