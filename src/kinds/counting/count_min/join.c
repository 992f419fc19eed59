/* join.c - what two sketches have in common: as sets, by the counters in use, and as streams, by the inner product.
 *
 * The size of a join is the sum over all keys of count in A times count in B. Keys that share a counter add products
 * of their own, so a row of plain counters is never below it, and the smallest of all rows is the answer (Cormode,
 * Muthukrishnan 2005, section 4.2).
 *
 *              A, row 0   |   7 |   0 |  12 |   3 |
 *              B, row 0   |   1 |   5 |   2 |   0 |      7 * 1 + 12 * 2 = 31: the join has at most 31 pairs
 *
 * Conservative counters are at least as high as each of their keys, but not as all of them together: two keys that came
 * once each and share a counter can leave a 1 there, so a row may fall below the truth. What is certain then: no key of
 * a row came more often than its largest counter says, so the join is at most that times the weight of the other
 * filter. One row is plain under either rule.
 */
#include <math.h>

#include "cells.h"
#include "core/mul128.h"
#include "parts/flat.h"
#include "parts/sketch.h"

typedef struct wide { /* 192 bits: 2^58 products of 128 bits fit */
    uint64_t lo, mid, hi;
} wide;

static void add_product(wide *sum, uint64_t a, uint64_t b)
{
    const blm_wide p = blm_mul(a, b);
    const uint64_t lo = sum->lo + p.lo, carry = lo < p.lo, mid = sum->mid + p.hi;
    sum->hi += mid < p.hi;
    sum->lo = lo;
    sum->mid = mid + carry;
    sum->hi += sum->mid < carry;
}

static double number_of(wide v)
{
    return ((double)v.hi * 0x1p64 + (double)v.mid) * 0x1p64 + (double)v.lo;
}

/* A double that is certainly not below: numbers from 2^53 on were rounded, at most four times. */
static double not_below(double v) { return v < 0x1p53 ? v : v * (1 + 0x1p-50); }

typedef struct row {
    wide sum;
    uint64_t max_a, max_b; /* among counters that both use                       */
    bool lost;             /* a counter that takes part in it is at its ceiling  */
} row;

typedef struct pair {
    const blm_count_min *a, *b;
    blm_counters in_a, in_b;
} pair;

static row look(const pair *p, uint64_t first, blm_bits_pair *used)
{
    const uint64_t top = blm_packed_top(p->a->width);
    row r = {{0, 0, 0}, 0, 0, false};
    for (uint64_t i = first; i < first + p->a->columns; i++) {
        const uint64_t a = blm_counters_get(&p->in_a, i), b = blm_counters_get(&p->in_b, i);
        used->either += (a | b) != 0;
        used->a_in_b &= !a || b;
        used->b_in_a &= !b || a;
        if (!a || !b) continue;
        used->both++;
        add_product(&r.sum, a, b);
        r.max_a = a > r.max_a ? a : r.max_a;
        r.max_b = b > r.max_b ? b : r.max_b;
        r.lost |= a == top || b == top;
    }
    return r;
}

/* A weight that has come to its end is not known. */
static double at_most(uint64_t max, uint64_t weight)
{
    return weight == UINT64_MAX && max
               ? (double)INFINITY
               : not_below(not_below((double)max) * not_below((double)weight));
}

static double row_limit(const pair *p, const row *r, double value)
{
    if (p->a->update == BLM_COUNT_MIN_PLAIN || p->a->hashes == 1) return not_below(value);
    const double by_a = at_most(r->max_a, p->b->weight), by_b = at_most(r->max_b, p->a->weight);
    return fmax(value, fmin(by_a, by_b)); /* unchecked fields may say less */
}

/* Rows that have lost count tell nothing as long as there is another one. */
static blm_estimate join_of(const pair *p, blm_bits_pair *used)
{
    double least = INFINITY, least_lost = INFINITY, high = INFINITY;
    for (uint64_t first = 0; first < p->in_a.count; first += p->a->columns) {
        const row r = look(p, first, used);
        const double value = number_of(r.sum);
        if (r.lost) {
            least_lost = fmin(least_lost, value);
            continue;
        }
        least = fmin(least, value);
        high = fmin(high, row_limit(p, &r, value));
    }
    if (isinf(least)) return (blm_estimate){least_lost, 0, (double)INFINITY, true};
    return (blm_estimate){least, 0, high, false};
}

/* Which counters are in use does not depend on the rule of raising them: they are the bits of a filter with an array
 * for each row. */
blm_err blm_count_min_overlap(const blm_filter *f, const blm_filter *g, blm_overlap *out)
{
    const blm_count_min *a = (const blm_count_min *)f, *b = (const blm_count_min *)g;
    const pair p = {a, b, blm_count_min_all(a), blm_count_min_all(b)};
    blm_bits_pair used = {0, 0, true, true};
    const blm_estimate join = join_of(&p, &used);
    *out = blm_flat_overlap_sizes((blm_flat_throws){a->columns, 1, a->hashes},
                                  blm_sketch_keys(a->used, a->columns, a->hashes),
                                  blm_sketch_keys(b->used, a->columns, a->hashes),
                                  blm_sketch_keys(used.either, a->columns, a->hashes), &used);
    out->join = join;
    return BLM_OK;
}
