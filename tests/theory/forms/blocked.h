/* blocked.h - all of a key in one block: the mean over the loads of a block (binomial), each by the occupancy of its
 * cells, throw by throw. */
#ifndef BLM_FORMS_BLOCKED_H
#define BLM_FORMS_BLOCKED_H
#include "theory/forms/cells.h"

/* The rate of one block of `size` cells by the number of its keys: it depends on nothing but size and k, so
 * that all wishes share what was thrown before. */
typedef struct block_rates {
    double ones[BLOCK + 1]; /* chances of 0, 1, 2, ... ones after `known` keys */
    double *rate;           /* with 0, 1, ..., known keys                      */
    unsigned known;
} block_rates;

static inline void block_one_more(block_rates *b, unsigned size, unsigned k)
{
    double rate = 0;
    b->rate = realloc(b->rate, (b->known + 2) * sizeof *b->rate);
    assert_non_null(b->rate);
    if (!b->known) b->rate[0] = 0, b->ones[0] = 1;
    for (unsigned t = 0; t < k; t++)
        for (unsigned i = size + 1; i-- > 0;)
            b->ones[i] = (b->ones[i] * i + (i ? b->ones[i - 1] * (size - i + 1) : 0)) / size;
    for (unsigned i = 0; i <= size; i++) rate += b->ones[i] * pow(i / (double)size, k);
    b->rate[++b->known] = rate;
}

/* Blocks of 512 bits and of 128, 64 or 32 counters, with up to 64 hashes. */
static inline double block_rate(unsigned size, unsigned k, unsigned load)
{
    static block_rates all[17][65];
    const unsigned width = BLOCK / size;
    assert_true((width == 1 || width == 4 || width == 8 || width == 16) && k < 65);
    block_rates *b = &all[width][k];
    while (b->known < load) block_one_more(b, size, k);
    return b->rate[load];
}

/* Rates of a block with 0, 1, 2, ... keys, weighted by how often a block has that many. Weights below 1e-30
 * change no rate that anyone wishes for. */
static inline double blocked_rate(unsigned size, uint64_t blocks, unsigned k, uint64_t keys)
{
    const double b = (double)blocks, n = (double)keys;
    double weight = exp(n * log1p(-1 / b)), sum = 0;
    for (unsigned load = 1; load <= n && (load < n / b || weight > 1e-30); load++) {
        weight *= (n - load + 1) / load / (b - 1);
        sum += weight * block_rate(size, k, load);
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

#endif
