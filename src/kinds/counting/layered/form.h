/* form.h - layered: eight arrays of bits of one size, or one more than counts need, each in whole words; the rate is that of the first. */
#ifndef BLM_FORM_LAYERED_H
#define BLM_FORM_LAYERED_H
#include "theory/forms/cells.h"

static inline void check_layered(const blm_offer *o, const blm_config *c)
{
    const unsigned layers = c->max_count ? (unsigned)c->max_count + 1 : 8;
    blm_offer first = *o;
    blm_config wish = *c;
    assert_int_equal(o->bytes % (8 * layers), 0);
    assert_int_equal(o->max_count, layers - 1);
    first.bytes /= layers;
    wish.bits = (c->bits + WORD - 1) / WORD / layers * WORD;
    /* By the exact rate the best k of few bits lies below the formula's: 5, not 6, at (64, 8). */
    if (first.bytes < 512) wish.hashes = o->hashes;
    if (o->hashes * (double)o->capacity >
        30.0 * 8 * (double)first.bytes) { /* an eighth of few bits: all ones */
        assert_true(o->rate > 1 - 1e-9 && o->lines > o->hashes - 1e-6);
        return;
    }
    check_cells(&first, &wish, 1, 0);
}

/* 200 wishes yield at least this many offers. */
#define FORM_LAYERED "layered", check_layered, 150
#endif
