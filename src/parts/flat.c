/* flat.c - whole arrays of bits, and the sizes of sets by them. */
#include <bloomery/theory.h>
#include <bloomery/theory/overlap.h>
#include <math.h>

#include "parts/flat.h"
#include "parts/overlap.h"
#include "parts/probe.h"
#include "parts/wish.h"

blm_err blm_flat_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    const blm_flat *s = (const blm_flat *)f;
    if (s->ones > s->cells)
        return blm_fail(why, BLM_E_ARG, "more bits are one than the filter has");
    *bytes = blm_bits_bytes(s->cells);
    return BLM_OK;
}

blm_err blm_flat_check(const blm_filter *f, blm_report *why)
{
    const blm_flat *s = (const blm_flat *)f;
    return blm_bits_check(f, s->cells, s->ones, why);
}

blm_err blm_flat_merge(blm_filter *f, const blm_filter *g, blm_report *why)
{
    (void)why;
    ((blm_flat *)f)->ones = blm_bits_or(f->cells, g->cells, f->bytes);
    return BLM_OK;
}

blm_err blm_flat_intersect(blm_filter *f, const blm_filter *g)
{
    ((blm_flat *)f)->ones = blm_bits_and(f->cells, g->cells, f->bytes);
    return BLM_OK;
}

blm_err blm_flat_half(blm_filter *half, blm_report *why)
{
    blm_flat *s = (blm_flat *)half;
    if (s->cells % 2)
        return blm_fail(why, BLM_E_ARG, "%llu bits cannot be folded: the number is odd",
                        (unsigned long long)s->cells);
    s->cells /= 2;
    s->ones = 0;
    return BLM_OK;
}

void blm_flat_fold(blm_filter *half, const blm_filter *f)
{
    ((blm_flat *)half)->ones = blm_bits_fold(half->cells, half->bytes, f->cells, f->bytes);
}

blm_err blm_flat_adopt(blm_filter *f, const uint8_t *cells, blm_report *why)
{
    blm_flat *s = (blm_flat *)f;
    return blm_bits_adopt(f, cells, s->cells, &s->ones, why);
}

double blm_flat_fill(const blm_filter *f)
{
    const blm_flat *s = (const blm_flat *)f;
    return (double)s->ones / (double)s->cells;
}

blm_err blm_flat_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                      blm_report *why)
{
    blm_flat *s = (blm_flat *)f;
    unsigned k = 0;
    (void)knobs;
    const blm_err err = blm_wish_cells(wish, 1, "2^60 bits or 64 hashes", &s->cells, &k, why);
    if (!err && !wish->bits) s->cells = blm_foldable(s->cells, UINT64_C(1) << 20);
    s->hashes = (uint8_t)k;
    return err;
}

blm_rate blm_flat_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_flat *s = (const blm_flat *)f;
    const double p = c ? blm_rate_exact(s->cells, s->hashes, c->keys)
                       : blm_rate_from_fill(s->ones, s->cells, s->hashes);
    return (blm_rate){p, p, c ? blm_rate_sd(s->cells, s->hashes, c->keys) : 0};
}

double blm_flat_lines(const blm_filter *f, const blm_case *c)
{
    const blm_flat *s = (const blm_flat *)f;
    const double ones = c ? blm_fill_mean(s->cells, s->hashes, c->keys) : (double)s->ones;
    return blm_probes_to_reject(ones / (double)s->cells, s->hashes);
}

size_t blm_flat_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                      size_t cap)
{
    const blm_flat *s = (const blm_flat *)f;
    (void)it;
    for (unsigned i = 0; i < s->hashes && i < cap; i++)
        out[i] = blm_flat_look(f, blm_place(h, i, s->cells));
    return s->hashes;
}

/* ---- sizes -------------------------------------------------------------------------------------- */

/* A key leaves a bit of its array alone with a chance of (1 - 1/cells)^hashes. With one array these are the
 * numbers of blm_keys_from_fill; more arrays are as many looks at one set, so the error falls by their root. */
blm_estimate blm_flat_keys(blm_flat_throws t, uint64_t ones)
{
    const uint64_t all = t.cells * t.arrays;
    if (ones > all) ones = all;
    const bool full = ones == all; /* then only a lower bound is known: one bit fewer */
    double n = blm_keys_from_fill(ones - full, all, t.hashes);
    if (t.arrays > 1) n *= log1p(-1 / (double)all) / log1p(-1 / (double)t.cells);
    const double sd = blm_keys_sd(t.cells, t.hashes, (uint64_t)n) / sqrt(t.arrays);
    return (blm_estimate){n, fmax(0, n - sd), n + sd, full};
}

blm_overlap blm_flat_overlap_sizes(blm_flat_throws t, blm_estimate of_f, blm_estimate of_g,
                                   blm_estimate both, const blm_bits_pair *p)
{
    blm_overlap o = blm_overlap_sizes(of_f, of_g, both, p);
    const uint64_t a = (uint64_t)o.a.value, b = (uint64_t)o.b.value, c = (uint64_t)o.common.value;
    const double looks = sqrt(t.arrays);
    blm_overlap_spread(
        &o, (blm_overlap_sd){.common = blm_keys_common_sd(t.cells, t.hashes, a, b, c) / looks,
                             .jaccard = blm_jaccard_sd(t.cells, t.hashes, a, b, c) / looks,
                             .a_in_b = blm_contained_sd(t.cells, t.hashes, a, b, c) / looks,
                             .b_in_a = blm_contained_sd(t.cells, t.hashes, b, a, c) / looks});
    return o;
}

blm_overlap blm_flat_overlap(blm_flat_throws t, const blm_filter *f, const blm_filter *g)
{
    const blm_bits_pair p = blm_bits_compare(f->cells, g->cells, f->bytes);
    return blm_flat_overlap_sizes(t, blm_flat_keys(t, ((const blm_flat *)f)->ones),
                                  blm_flat_keys(t, ((const blm_flat *)g)->ones),
                                  blm_flat_keys(t, p.either), &p);
}

blm_err blm_flat_size(const blm_filter *f, blm_estimate *n)
{
    const blm_flat *s = (const blm_flat *)f;
    *n = blm_flat_keys((blm_flat_throws){s->cells, s->hashes, 1}, s->ones);
    return BLM_OK;
}

blm_err blm_flat_overlap_one(const blm_filter *f, const blm_filter *g, blm_overlap *out)
{
    const blm_flat *s = (const blm_flat *)f;
    *out = blm_flat_overlap((blm_flat_throws){s->cells, s->hashes, 1}, f, g);
    return BLM_OK;
}
