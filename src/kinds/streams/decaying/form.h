/* form.h - decaying: an array of cells of ceil(log2(1.5 W)) bits, or of V turns, for the keys that are alive at the same time. */
#ifndef BLM_FORM_DECAYING_H
#define BLM_FORM_DECAYING_H
#include "theory/forms/cells.h"

static inline unsigned decaying_bits(double most) { return (unsigned)floor(log2(most)) + 1; }

typedef struct decaying_form {
    unsigned width;
    double keys; /* that the cells are for */
} decaying_form;

/* Blocks of half a window: ceil((W - 1) / T) + 1 turns; the last one takes T arrivals to come round. */
static inline decaying_form decaying_of(double w, bool blocks)
{
    const double t = fmax(floor(w / 2), 1), v = ceil((w - 1) / t) + 1;
    if (!blocks) return (decaying_form){decaying_bits(w + fmax(floor(w / 2), 1)), w};
    return (decaying_form){decaying_bits(v), ceil((v - 1) * t + 1 + (t - 1) / 2)};
}

/* Bits for w keys. */
static inline double decaying_size(double w, bool blocks, unsigned hashes, double p)
{
    const decaying_form d = decaying_of(w, blocks);
    return d.width * d.keys / best_load(hashes, p);
}

static inline void check_decaying(const blm_offer *o, const blm_config *c)
{
    const bool blocks = strstr(o->with, "form=blocks") != NULL;
    const double n = (double)o->capacity, bits = (double)o->bytes * 8,
                 p = c->fpr > 0 ? c->fpr : o->fpr;
    const decaying_form d = decaying_of(n, blocks);
    const double m = floor((c->bits ? (double)c->bits : bits) / d.width), k = o->hashes;
    const double fill = -expm1(-k * d.keys / m), closer = (k + 2) / (m * fill) + 2 / n;
    if (!c->bits) {
        const double min = decaying_size(n, blocks, c->hashes, p);
        assert_true(bits >= min && bits <= min * (1 + closer) + WORD + d.width);
    }
    if (!c->keys) {
        assert_true(decaying_size(n, blocks, c->hashes, p) <= (double)c->bits);
        assert_true(decaying_size(ceil(n * (1 + 2 * closer)) + 1, blocks, c->hashes, p) >
                    (double)c->bits - d.width);
    }
    if (c->keys && c->bits && !c->hashes)
        assert_true(decaying_size(n, blocks, 0, p * (1 - 1e-6) / (1 + k * closer)) >
                    (double)c->bits - d.width);
    assert_true(o->fpr >= closed_rate(m, k, n) * (1 - 1e-6));
    NEAR(o->rate, closed_rate(m, k, n),
         1e-6 + k * (k + 2) / (m * -expm1(-k * n / m)) + k * WORD / (d.width * m));
}

/* At least this many offers for 200 wishes: stamps do not fit into few bits per key. */
#define FORM_DECAYING "decaying", check_decaying, 250
#endif
