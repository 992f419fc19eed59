/* form.h - eight lanes of 32 bits: (1 - (31/32)^i)^8 over the loads i of a block, and 2^-32 - 2^-40 for each of the
 * i keys (twins). */
#ifndef BLM_FORM_SPLIT_BLOCK_H
#define BLM_FORM_SPLIT_BLOCK_H
#include "theory/forms/forms.h"

static inline double split_rate(uint64_t blocks, uint64_t keys)
{
    const double b = (double)blocks, n = (double)keys, spread = 40 * sqrt(n / b) + 40;
    double weight = exp(n * log1p(-1 / b)), sum = 0;
    for (double load = 1; load <= n && load < n / b + spread; load++) {
        weight *= (n - load + 1) / load / (b - 1);
        sum += weight * (pow(1 - pow(31 / 32.0, load), 8) + load * (0x1p-32 - 0x1p-40));
    }
    return sum;
}

static inline void check_split(const blm_offer *o, const blm_config *c)
{
    const uint64_t blocks = o->bytes / (SPLIT / 8), n = o->capacity;
    const double even = blocks > 1 ? split_rate(blocks, n) : o->rate;
    assert_int_equal(o->bytes % (SPLIT / 8), 0);
    assert_true(o->lines == 1 && o->hashes == 8 && blocks < UINT64_C(1) << 31);
    if (blocks < 150000000) assert_true(o->rate > even * (1 - 1e-6) && o->rate < even * 1.01);
    if (c->bits) assert_int_equal(blocks, c->bits / SPLIT);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    const uint64_t fewer = blocks * 255 / 256;
    if (!c->bits && fewer > 3 && blocks < 150000000)
        assert_true(split_rate(fewer - 1, n) * 1.01 > c->fpr);
    if (!c->keys && blocks > 1 && blocks < 150000000)
        assert_true(split_rate(blocks, n + n / 1000 + 1) * 1.01 > c->fpr);
}

/* 200 wishes yield at least this many offers: half of the wishes have a number of hashes other than 8. */
#define FORM_SPLIT_BLOCK "split-block", check_split, 60
#endif
