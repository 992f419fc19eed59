/* rates.c - rates and numbers of keys; and rows that are filled in order.
 *
 * In order: a key that some row seems to have is not taken, so a row gets fewer keys than come while it is filled. With
 * f(u) the exact rate of one row that has seen u keys, seen and taken are
 *
 *     taken(u) = u - int_0^u f        c are taken when u = c + int_0^u f
 *     come     = u / ((1 - f_0) (1 - f_1) ... of the full rows before)
 *
 * and when all rows are full each sees one key of s: int s / (1 - f)^(s - 1) of them come while it sees u more. These
 * are means; the noise of the number of keys taken is in the spread. The rate is 1 - product of (1 - f of each row).
 */
#include <bloomery/theory/fill.h>

#include "cells.h"
#include "theory/theory_internal.h"

/* ---- one row ------------------------------------------------------------------------------------ */

/* int_low^high of (1 - f)^-power by Gauss and Legendre; power 0: of f. */
static double integral(const blm_split *s, double low, double high, unsigned power)
{
    static const double node[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                  0.9602898564975363},
                        weight[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                    0.1012285362903763};
    const double middle = (low + high) / 2, half = (high - low) / 2;
    double sum = 0;
    for (int i = 0; i < 8; i++) {
        const double f = blm_split_row_near(s, middle + (i < 4 ? -half : half) * node[i % 4]);
        sum += weight[i % 4] * (power ? pow(1 - f, -(double)power) : f);
    }
    return half * sum;
}

/* Keys that a row has seen when it has taken this many; INFINITY: it takes no more. */
static double seen_of(const blm_split *s, double taken)
{
    double seen = taken;
    for (int i = 0; i < 40; i++) {
        const double next = taken + integral(s, 0, seen, 0);
        if (next > 64 * taken) return INFINITY;
        if (fabs(next - seen) <= 1e-12 * next) break;
        seen = next;
    }
    return seen;
}

/* ---- all rows, in order ------------------------------------------------------------------------- */

typedef struct filling {
    unsigned full;  /* rows that are full     */
    double of_full; /* keys that each has seen */
    double last;    /* keys that the row after them has seen */
    double full_f, last_f;
} filling;

static double rate_of(const blm_split *s, const filling *r)
{
    double none = 0; /* the log of the chance that no row says yes; -INFINITY: a row is all ones */
    if (r->full) none += r->full * log1p(-r->full_f);
    if (r->full < s->parts) none += log1p(-r->last_f);
    return -expm1(none);
}

/* Keys that each row has seen when that many have come since all were full. */
static double seen_since(const blm_split *s, double full, double keys)
{
    double low = full, high = full + keys / s->parts;
    if (s->parts == 1) return high;
    for (int i = 0; i < 60 && high - low > 1e-9 * high; i++) {
        const double middle = (low + high) / 2;
        *(s->parts * integral(s, full, middle, s->parts - 1u) <= keys ? &low : &high) = middle;
    }
    return low;
}

static filling filled_by(const blm_split *s, uint64_t n)
{
    filling r = {.of_full = seen_of(s, (double)s->per_row)};
    double left = (double)n, scale = 1;
    r.full_f = blm_split_row_rate(s, r.of_full);
    for (; r.full < s->parts; r.full++) {
        if (left <= r.of_full * scale || r.full_f >= 1) {
            r.last = left / scale;
            r.last_f = blm_split_row_rate(s, r.last);
            return r;
        }
        left -= r.of_full * scale;
        scale /= 1 - r.full_f;
    }
    r.of_full = seen_since(s, r.of_full, left);
    r.full_f = blm_split_row_rate(s, r.of_full);
    return r;
}

/* Keys that have come when that many were taken. */
static double come_by(const blm_split *s, uint64_t taken)
{
    const double c = (double)s->per_row, full = seen_of(s, c), f = blm_split_row_near(s, full);
    const uint64_t rows = taken / s->per_row;
    double scale = 1, come = 0;
    for (unsigned i = 0; i < rows && i < s->parts; i++) {
        come += full * scale;
        scale /= 1 - f;
    }
    if (rows < s->parts) return come + scale * seen_of(s, (double)taken - (double)rows * c);
    const double now = seen_of(s, (double)taken / s->parts);
    return come + (s->parts == 1 ? now - full : s->parts * integral(s, full, now, s->parts - 1u));
}

/* Each row's share of the rate by its own spread, and the last row's by the number of keys that came to it. */
static double spread_of(const blm_split *s, const filling *r, uint64_t n)
{
    const double rate = rate_of(s, r), none = 1 - rate;
    if (!(rate > 0) || !(none > 0)) return 0;
    const double full = r->full_f * none / (1 - r->full_f),
                 last = r->last_f * none / (1 - r->last_f);
    double variance = 0;
    if (r->full)
        variance += r->full * pow(full * blm_rate_sd(s->cells, s->hashes, (uint64_t)r->of_full), 2);
    if (r->full < s->parts && r->last_f > 0) {
        const double taken = r->full * (double)s->per_row + r->last - integral(s, 0, r->last, 0);
        const double step = r->last > 1 ? r->last_f - blm_split_row_near(s, r->last - 1) : 0;
        variance += pow(last * blm_rate_sd(s->cells, s->hashes, (uint64_t)ceil(r->last)), 2);
        variance += pow(step * none, 2) * fmax(0, (double)n - taken);
    }
    return sqrt(variance) / rate;
}

/* ---- calls of the kind -------------------------------------------------------------------------- */

/* By the ones of each row. In order, one row's yes is enough; by hash there is one row to ask. */
static double rate_now(const blm_split *s)
{
    uint64_t ones[BLM_COLUMNS];
    const blm_columns c = blm_split_columns(s);
    double no = 0, sum = 0;
    blm_columns_ones(&c, ones);
    for (unsigned i = 0; i < s->parts; i++) {
        const double f =
            blm_rate_from_fill(ones[i] < s->cells ? ones[i] : s->cells, s->cells, s->hashes);
        no += log1p(-f);
        sum += f;
    }
    return s->rows == SPLIT_HASH || s->parts == 1 ? sum / s->parts : -expm1(no);
}

blm_rate blm_split_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_split *s = (const blm_split *)f;
    if (!c) {
        const double now = rate_now(s);
        return (blm_rate){now, now, 0};
    }
    if (s->rows == SPLIT_HASH || s->parts == 1) {
        const double p = blm_split_hashed_rate(s, c->keys);
        return (blm_rate){p, p, blm_split_hashed_spread(s, c->keys)};
    }
    const filling r = filled_by(s, c->keys);
    const double p = rate_of(s, &r);
    return (blm_rate){p, p, spread_of(s, &r, c->keys)};
}

/* A question reads on while a row that it asks has had ones only. */
double blm_split_lines(const blm_filter *f, const blm_case *c)
{
    const blm_split *s = (const blm_split *)f;
    const double cells = (double)s->cells * s->parts;
    if (s->rows == SPLIT_HASH) {
        const double ones =
            c ? blm_fill_mean(s->cells * s->parts, s->hashes, c->keys) : (double)s->ones;
        return blm_probes_to_reject(ones / cells, s->hashes);
    }
    uint64_t ones[BLM_COLUMNS] = {0};
    double fill[BLM_COLUMNS], lines = 0;
    const blm_columns view = blm_split_columns(s);
    if (!c) blm_columns_ones(&view, ones);
    const filling r = c ? filled_by(s, c->keys) : (filling){0};
    for (unsigned i = 0; i < s->parts; i++) {
        const double keys = i < r.full ? r.of_full : i == r.full ? r.last : 0;
        fill[i] = c ? -expm1(-keys * s->hashes / (double)s->cells)
                    : fmin(1, (double)ones[i] / (double)s->cells);
    }
    for (unsigned j = 0; j < s->hashes; j++) {
        double none = 1; /* chance that no row is left after j reads */
        for (unsigned i = 0; i < s->parts; i++) none *= 1 - (j ? pow(fill[i], j) : 1);
        lines += 1 - none;
    }
    return lines;
}

/* In order keys are counted, but for those that were taken for members. */
blm_err blm_split_keys(const blm_filter *f, blm_estimate *n)
{
    const blm_split *s = (const blm_split *)f;
    if (s->rows == SPLIT_HASH) return *n = blm_split_hashed_keys(s), BLM_OK;
    const double taken = (double)s->taken, come = fmin(come_by(s, s->taken), 0x1p56);
    const double sd = sqrt(fmax(0, come - taken));
    *n = (blm_estimate){come, fmax(taken, come - sd), come + sd, !(come < 2 * taken) && taken > 0};
    return BLM_OK;
}
