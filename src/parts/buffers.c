/* buffers.c - what two buffers have in common, whatever the rule. */
#include <inttypes.h>
#include <math.h>

#include "parts/buffers.h"

void blm_buffers_swap(blm_buffers *s, bool empties_active)
{
    const blm_columns c = blm_buffers_columns(s);
    const uint64_t keys = s->active_keys, ones = s->active_ones;
    s->active ^= 1;
    s->active_keys = s->other_keys, s->active_ones = s->other_ones;
    s->other_keys = keys, s->other_ones = ones;
    blm_columns_clear(&c, empties_active ? s->active : s->active ^ 1u);
    if (empties_active)
        s->active_keys = s->active_ones = 0;
    else
        s->other_keys = s->other_ones = 0;
}

/* Keys that were counted have a one, and at most k each. */
static bool possible(const blm_buffers *s, uint64_t keys, uint64_t ones, bool each)
{
    const uint64_t least = ones / s->hashes + (ones % s->hashes > 0);
    return ones <= s->cells && keys >= least && !keys == !ones && (!each || keys <= ones);
}

blm_err blm_buffers_shape(blm_filter *f, bool each, uint64_t *bytes, blm_report *why)
{
    const blm_buffers *s = (const blm_buffers *)f;
    if (!possible(s, s->active_keys, s->active_ones, each) ||
        !possible(s, s->other_keys, s->other_ones, each))
        return blm_fail(why, BLM_E_ARG,
                        "%" PRIu64 " and %" PRIu64 " keys with %" PRIu64 " and %" PRIu64
                        " ones: not what two buffers of %" PRIu64 " bits can have",
                        s->active_keys, s->other_keys, s->active_ones, s->other_ones, s->cells);
    *bytes = blm_packed_bytes(s->cells, 2);
    return BLM_OK;
}

blm_err blm_buffers_check(const blm_filter *f, blm_report *why)
{
    const blm_buffers *s = (const blm_buffers *)f;
    const blm_columns c = blm_buffers_columns(s);
    uint64_t ones[BLM_COLUMNS];
    const blm_err err = blm_bits_check(f, s->cells * 2, s->active_ones + s->other_ones, why);
    if (err) return err;
    blm_columns_ones(&c, ones);
    if (ones[s->active] == s->active_ones) return BLM_OK;
    return blm_fail(why, BLM_E_IMAGE,
                    "damaged: the active buffer has %" PRIu64 " ones, not %" PRIu64,
                    ones[s->active], s->active_ones);
}

double blm_buffers_fill(const blm_filter *f)
{
    const blm_buffers *s = (const blm_buffers *)f;
    return fmin(1, (double)(s->active_ones + s->other_ones) / (2 * (double)s->cells));
}

uint64_t blm_buffers_window(const blm_filter *f) { return ((const blm_buffers *)f)->keep; }

void blm_buffers_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n)
{
    const blm_columns c = blm_buffers_columns((const blm_buffers *)f);
    blm_columns_prefetch_many(&c, h, n);
}

size_t blm_buffers_touch(const blm_filter *f, uint64_t asked, blm_hash h, blm_touch *out,
                         size_t cap)
{
    const blm_columns c = blm_buffers_columns((const blm_buffers *)f);
    for (unsigned j = 0; j < c.hashes && j < cap; j++) {
        const uint64_t at = blm_columns_find(&c, h, j);
        out[j] = (blm_touch){at / 2, blm_columns_byte(&c, at), blm_columns_load(&c, at) & asked};
    }
    return c.hashes;
}
