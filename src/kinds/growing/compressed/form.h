/* form.h - compressed: by a rate alone, the k of the smallest m H(e^(-kn/m)) in four times the bits of standard; as standard
 * where bits or hashes are given. */
#ifndef BLM_FORM_COMPRESSED_H
#define BLM_FORM_COMPRESSED_H
#include "theory/forms/cells.h"

/* Bits per key when coded: k hashes that keep the rate p. */
static inline double coded_at(double p, unsigned k)
{
    const double one = pow(p, 1.0 / k), zero = 1 - one; /* the fraction of ones */
    return -(zero * log2(zero) + one * log2(one)) / closed_load(k, p);
}

static inline void check_compressed(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, p = c->fpr > 0 ? c->fpr : 1e-3, m = (double)o->bytes * 8;
    const double most = 4 / best_load(0, p);
    unsigned best = 1;
    if (c->bits || c->hashes) {
        check_standard(o, c);
        return;
    }
    while (1 / closed_load(best, p) > most) best++;
    for (unsigned k = best + 1; k <= -log2(p); k++) assert_true(coded_at(p, k) > coded_at(p, best));
    /* A few keys take more bits than the formula: then one hash more, or fewer, may be the best. */
    const double closer = (best + 3) / (m * pow(p, 1.0 / best)), edge = 1 / closed_load(best, p);
    if (edge * (1 + closer) < most &&
        (best == 1 || 1 / closed_load(best - 1, p) > most * (1 + closer)))
        assert_int_equal(o->hashes, best);
    WITHIN(o->hashes, best, 1);
    const double min = n / closed_load(o->hashes, p);
    assert_true(m >= min && m <= (min + 1) * (1 + 2 * closer) * (1 + 1 / 256.0) + WORD);
    assert_true(o->rate <= p && o->lines <= o->hashes);
}

/* 200 wishes yield at least this many offers. */
#define FORM_COMPRESSED "compressed", check_compressed, WISHES
#endif
