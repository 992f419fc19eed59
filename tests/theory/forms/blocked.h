/* blocked.h - all of a key in one block: the mean over the loads of a block (binomial), each by the occupancy of its
 * cells, throw by throw. */
#ifndef BLM_FORM_BLOCKED_H
#define BLM_FORM_BLOCKED_H
#include "theory/forms/cells.h"

/* Rates of a block of so many cells with 0, 1, 2, ... keys, weighted by how often a block has so many. */
static inline double blocked_rate(unsigned size, uint64_t blocks, unsigned k, uint64_t keys)
{
    double ones[BLOCK + 1] = {1}, sum = 0, power[BLOCK + 1];
    const double b = (double)blocks, n = (double)keys, spread = 40 * sqrt(n / b) + 40;
    double weight = exp(n * log1p(-1 / b));
    for (unsigned i = 0; i <= size; i++) power[i] = pow(i / (double)size, k);
    for (double load = 1; load <= n && load < n / b + spread; load++) {
        for (unsigned t = 0; t < k; t++)
            for (unsigned i = size + 1; i-- > 0;)
                ones[i] = (ones[i] * i + (i ? ones[i - 1] * (size - i + 1) : 0)) / size;
        weight *= (n - load + 1) / load / (b - 1);
        double rate = 0;
        for (unsigned i = 0; i <= size; i++) rate += ones[i] * power[i];
        sum += weight * rate;
    }
    return sum;
}

/* A block is a cache line, of bits or of counters; slack: what folding may add. */
static inline void check_blocked(const blm_offer *o, const blm_config *c, unsigned width,
                                 double slack)
{
    const uint64_t blocks = o->bytes / (BLOCK / 8), n = o->capacity;
    const unsigned size = BLOCK / width, k = o->hashes;
    assert_int_equal(o->bytes % (BLOCK / 8), 0);
    assert_true(o->lines == 1);
    if (blocks > 1) NEAR(o->rate, blocked_rate(size, blocks, k, n), 1e-6);
    if (c->bits) assert_int_equal(blocks, c->bits / BLOCK);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    const uint64_t fewer = (uint64_t)((double)blocks * (1 - slack));
    if (!c->bits && fewer > 3) /* no larger than the rate wants and folding */
        assert_true(blocked_rate(size, fewer - 1, k, n) > c->fpr);
    if (!c->keys &&
        blocks > 1) /* and as many keys as go in: one in 1000 more, and the promise breaks */
        assert_true(blocked_rate(size, blocks, k, n + n / 1000 + 1) > c->fpr);
}

static inline void check_bits_in_lines(const blm_offer *o, const blm_config *c)
{
    check_blocked(o, c, 1, 1 / 256.0);
}

/* Counters of 4 bits, anywhere or in lines. */
static inline void check_counting(const blm_offer *o, const blm_config *c)
{
    if (strstr(o->with, "layout=line"))
        check_blocked(o, c, 4, 0);
    else
        check_cells(o, c, 4, 0);
}

#endif
