/* form.h - multilayer: m counters and k n ones take m + k n bits; pages add their lengths, and room for chance. */
#ifndef BLM_FORM_MULTILAYER_H
#define BLM_FORM_MULTILAYER_H
#include "theory/forms/cells.h"

/* Bits of the pages of m counters with k n ones: groups of 256, at most 16 per page, whole words, and no page full but once
 * in 10^6 filters, by Bernstein's inequality. `more` words per page: where the plan may round otherwise. */
static inline double multilayer_pool(double m, double k, double n, double more)
{
    const double groups = ceil(m / 256), pages = ceil(groups / 16), own = ceil(groups / pages);
    const double mean = k * n * own / groups, chance = log(pages * 1e6), third = chance / 3;
    const double top = mean + third + sqrt(third * third + 2 * mean * chance);
    return pages * WORD * (ceil(own / 4) + ceil(fmin(k * n, top) / WORD) + more);
}

/* Counters that fit into these bits next to the pages, or fewer; 0: none do. */
static inline double multilayer_counters(double bits, double k, double n)
{
    const double most = bits - k * n;
    if (most < 1) return 0;
    const double groups = ceil(most / 256), pages = ceil(groups / 16);
    const double slack = multilayer_pool(most, k, n, 2) - k * n; /* of more pages than there are */
    return fmax(0, (most - slack) * (1 - 1 / (1 + groups / pages)) - WORD);
}

/* The lowest rate of that many bits, or of one number of hashes; by what surely fits, or by what at most does. */
static inline double multilayer_rate(const blm_config *c, double bits, double n, bool surely)
{
    double least = 1;
    for (unsigned k = c->hashes ? c->hashes : 1; k <= (c->hashes ? c->hashes : 64); k++) {
        const double m = surely ? multilayer_counters(bits, k, n) : bits - k * n;
        const double closer = m > 0 ? (k + 2) / (m * -expm1(-k * n / m)) : 0;
        if (m > 0) least = fmin(least, closed_rate(m, k, n) * (surely ? 1 + k * closer : 1 - 1e-9));
    }
    return least;
}

static inline void check_multilayer(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, k = o->hashes, bits = (double)o->bytes * 8;
    assert_int_equal(o->max_count, 63);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-9));
    if (c->bits) {
        assert_true(o->bytes * 8 <= (c->bits + 63) / 64 * 64);
        assert_true(o->rate >= multilayer_rate(c, (double)c->bits + WORD, n, false));
        assert_true(o->rate <= multilayer_rate(c, (double)c->bits, n, true));
        if (!c->keys)
            assert_true(multilayer_rate(c, (double)c->bits, floor(n * 1.4) + 2, false) > c->fpr);
        return;
    }
    const double m = n / closed_load(o->hashes, c->fpr),
                 closer = (k + 2) / (m * pow(c->fpr, 1 / k)), most = (m + 1) * (1 + closer);
    assert_true(bits >= m + k * n);
    assert_true(bits <= most + WORD + multilayer_pool(most, k, n, 1));
    for (unsigned i = 1; i <= 64 && !c->hashes; i++) /* by 1.0625 bits per counter, 1.1 per one */
        assert_true(1.0625 * m + 1.1 * k * n <=
                    (1.0625 * n / closed_load(i, c->fpr) + 1.1 * i * n) * (1 + 1e-9));
    assert_true(o->lines >= 1 && o->lines <= k);
}

/* 200 wishes yield at least this many offers. */
#define FORM_MULTILAYER "multilayer", check_multilayer, 150
#endif
