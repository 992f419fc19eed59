/* form.h - ribbon: slots of r bits on average for all keys of the largest shard, and what each form takes beyond them. */
#ifndef BLM_FORM_RIBBON_H
#define BLM_FORM_RIBBON_H
#include "theory/forms/forms.h"

/* Slots per key that a form needs at least and at most; blocks of 64 are rounded up, in two layers. */
static inline void ribbon_slots(const char *with, double n, double bits, double *least,
                                double *most)
{
    const double w = strstr(with, "width=128") ? 128 : 64, tens = log10(fmax(n, 10));
    const double standard =
        w > 64 ? 0.015 * tens : 0.028 * tens; /* above the simulations of the paper */
    *least = 1;
    *most = 1 + standard;
    if (strstr(with, "homogeneous")) {
        *least += (4 + bits / 4) / w;
        *most = fmax(*most, 1 + (4 + (floor(bits) + 2) / 4) / w); /* planned for whole bits */
    } else if (!strstr(with, "standard"))
        *most = fmin(*most, 1.006 + (w > 64 ? 140 : 40) / n + 0.24 / sqrt(n));
}

/* A rate 2^-c (1 - q/2) takes c + q bits per slot. */
static inline double ribbon_columns(double rate)
{
    const double c = floor(-log2(rate) + 1e-9);
    return c + 2 * (1 - ldexp(rate, (int)c));
}

static inline void check_ribbon(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, shards = fmax(1, ceil(n / 1e5)), mean = n / shards;
    const double keys = shards > 1 ? mean + sqrt(2 * log(4 * shards) * mean) : n;
    const double columns = ribbon_columns(o->rate), bits = (double)o->bytes * 8 / shards - 64;
    double least, most;
    ribbon_slots(o->with, keys, columns, &least, &most);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr * (1 + 1e-12));
    if (c->fpr > 0 && !c->bits) /* some block is the last one that has a column less */
        assert_true(o->rate >= c->fpr * (1 - 130 / fmax(keys, 260)));
    assert_true(o->rate >= 0x1p-32);
    if (c->bits) {
        const double spare =
            64 * (columns + 4) / 2 + 64; /* per shard: the columns of two layers are rounded */
        assert_true((double)o->bytes * 8 <= (double)c->bits);
        assert_true(columns > 31.99 || !c->keys ||
                    (double)o->bytes * 8 >= (double)c->bits - spare * shards);
    }
    assert_true(bits >= keys * least * columns * (1 - 130 / fmax(keys, 260)) - 1);
    assert_true(bits <= (keys * most + 3 * 64) * (columns + 0.02) + 64 * 3);
}

/* 200 wishes yield at least this many offers: others name hashes, or more than 32 bits. */
#define FORM_RIBBON "ribbon", check_ribbon, 60
#endif
