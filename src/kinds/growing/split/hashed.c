/* hashed.c - one row, and rows that the hash chooses: a row's number of keys is binomial, and the rate is the mean over it.
 *
 * Sizes are here, too: in order they are those of one row, by hash the fewest bits whose rate is low enough.
 */
#include <bloomery/theory/fill.h>

#include "cells.h"
#include "theory/theory_internal.h"

/* ---- one row ------------------------------------------------------------------------------------ */

/* Exact at whole numbers of keys, and on the line between two of them. */
double blm_split_row_rate(const blm_split *s, double keys)
{
    const double low = floor(keys);
    if (!(low < 0x1p62)) return 1;
    const double rate = blm_rate_exact(s->cells, s->hashes, (uint64_t)low);
    if (!(keys > low)) return rate;
    return rate + (keys - low) * (blm_rate_exact(s->cells, s->hashes, (uint64_t)low + 1) - rate);
}

/* The textbook formula: of a number that need not be whole. Its error of k^2 / 2m is no matter in a correction. */
double blm_split_row_near(const blm_split *s, double keys)
{
    return pow(-expm1(-keys * s->hashes / (double)s->cells), s->hashes);
}

/* ---- all rows, by hash -------------------------------------------------------------------------- */

enum { SPLIT_LOADS_MAX = 500 }; /* keys of a row, up to which the sum over loads is cheap */

static bool summed(const blm_split *s, uint64_t n)
{
    return s->cells <= BLM_THEORY_BLOCK && n / s->parts <= SPLIT_LOADS_MAX;
}

/* Past 500 keys a row the load is nearly normal and its deviation at most 4.5 %: nine points (Gauss, Hermite), on the
 * textbook formula times its error at the mean. */
static blm_theory_mix mixed(const blm_split *s, uint64_t n, double *square)
{
    static const double node[] = {0, 0.7235510187528376, 1.468553289216668, 2.266580584531843,
                                  3.190993201781528},
                        weight[] = {0.7202352156060510, 0.4326515590025558, 0.0884745273943766,
                                    0.00494362427553695, 0.0000396069772632644};
    const double parts = s->parts, mean = (double)n / parts, near = blm_split_row_near(s, mean);
    const double exact = near > 0 ? blm_split_row_rate(s, mean) / near : 1;
    const double sd = blm_rate_sd(s->cells, s->hashes, (uint64_t)mean);
    const double wide = sqrt(2 * mean * (1 - 1 / parts));
    blm_theory_mix mix = {0, 0};
    *square = 0;
    for (int i = -4; i <= 4; i++) {
        const double off = (i < 0 ? -wide : wide) * node[i < 0 ? -i : i];
        const double f = exact * blm_split_row_near(s, fmax(0, mean + off)),
                     part = weight[i < 0 ? -i : i] / sqrt(3.14159265358979324) * f;
        mix.mean += part;
        mix.covariance += part * off;
        *square += part * f * (1 + sd * sd);
    }
    mix.mean = fmin(mix.mean, 1);
    return mix;
}

double blm_split_hashed_rate(const blm_split *s, uint64_t n)
{
    double square;
    if (s->parts == 1) return blm_rate_exact(s->cells, s->hashes, n);
    if (summed(s, n)) return blm_rate_blocked(s->cells, s->parts, s->hashes, n);
    return mixed(s, n, &square).mean;
}

double blm_split_hashed_spread(const blm_split *s, uint64_t n)
{
    double square;
    if (s->parts == 1) return blm_rate_sd(s->cells, s->hashes, n);
    if (summed(s, n)) return blm_rate_blocked_sd(s->cells, s->parts, s->hashes, n);
    const blm_theory_mix mix = mixed(s, n, &square);
    return blm_theory_mix_sd(&mix, square, s->parts, n);
}

blm_estimate blm_split_hashed_keys(const blm_split *s)
{
    const uint64_t all = s->cells * s->parts;
    const bool full = s->ones >= all; /* more: unchecked bytes may have bits past the last one */
    const uint64_t ones = full ? all - 1 : s->ones;
    const bool blocks = s->cells <= BLM_THEORY_BLOCK; /* else a row is as good as endless */
    const double n = blocks ? blm_keys_from_fill_blocked(ones, s->cells, s->parts, s->hashes)
                            : blm_keys_from_fill(ones, all, s->hashes);
    const double sd = blocks ? blm_keys_sd_blocked(s->cells, s->parts, s->hashes, (uint64_t)n)
                             : blm_keys_sd(all, s->hashes, (uint64_t)n);
    return (blm_estimate){n, fmax(0, n - sd), n + sd, full};
}

/* ---- sizes -------------------------------------------------------------------------------------- */

typedef struct hashed_size {
    blm_split *s;
    uint64_t n;
} hashed_size;

static double rate_of_cells(void *self, uint64_t cells)
{
    const hashed_size *z = self;
    z->s->cells = cells;
    return blm_split_hashed_rate(z->s, z->n);
}

/* The fewest cells with k hashes; 0: none will do. */
static uint64_t cells_for(blm_split *s, const blm_config *wish, unsigned k, uint64_t guess)
{
    hashed_size z = {s, wish->keys};
    s->hashes = (uint8_t)k;
    return blm_theory_fewest(rate_of_cells, &z, wish->fpr, guess,
                             ((uint64_t)1 << BLM_THEORY_BITS) / blm_columns_width(s->parts));
}

/* From k on, downward and upward while fewer cells will do. */
static void better_hashes(blm_split *s, const blm_config *wish, uint64_t *m, unsigned *k)
{
    for (int step = -1; step <= 1; step += 2)
        for (unsigned next = *k + (unsigned)step; next >= 1 && next <= BLM_THEORY_HASHES;
             next += (unsigned)step) {
            const uint64_t cells = cells_for(s, wish, next, *m);
            if (!cells || cells >= *m) break;
            *m = cells;
            *k = next;
        }
}

unsigned blm_split_best_hashes(blm_split *s, uint64_t keys)
{
    unsigned k = blm_best_hashes(s->cells, (keys - 1) / s->parts + 1);
    if (s->rows != SPLIT_HASH || s->parts == 1) return k;
    s->hashes = (uint8_t)k;
    double rate = blm_split_hashed_rate(s, keys);
    for (int step = -1; step <= 1; step += 2)
        for (unsigned next = k + (unsigned)step; next >= 1 && next <= BLM_THEORY_HASHES;
             next += (unsigned)step) {
            s->hashes = (uint8_t)next;
            const double now = blm_split_hashed_rate(s, keys);
            if (now >= rate) break;
            rate = now;
            k = next;
        }
    return k;
}

/* The rate of each of so many rows that make this rate together. */
static double rate_of_each(double rate, uint64_t rows)
{
    return rows == 1 ? rate : -expm1(log1p(-rate) / (double)rows);
}

uint64_t blm_split_row_keys(const blm_split *s, double rate)
{
    const double each = rate_of_each(rate, s->parts);
    uint64_t low = 1, high = (uint64_t)1 << 56;
    while (high - low > 1) {
        const uint64_t keys = low + (high - low) / 2;
        *(blm_rate_exact(s->cells, s->hashes, keys) <= each ? &low : &high) = keys;
    }
    return low;
}

/* In order: the rate of a row is that of the whole over as many rows as the keys fill, and a row's is standard's. By hash the
 * size for the mean load is where the search begins. */
bool blm_split_size(blm_split *s, const blm_config *wish)
{
    const bool hash = s->rows == SPLIT_HASH && s->parts > 1;
    const uint64_t keys = (wish->keys - 1) / s->parts + 1, used = (wish->keys - 1) / keys + 1;
    const double p = hash ? wish->fpr : rate_of_each(wish->fpr, used);
    unsigned k = wish->hashes;
    uint64_t m;
    if (!blm_size_for(keys, p, k, true, &m, &k)) return false;
    if (hash) {
        m = cells_for(s, wish, k, m);
        if (m && !wish->hashes) better_hashes(s, wish, &m, &k);
    }
    s->cells = blm_foldable(m, UINT64_C(1) << 20); /* as standard, whose equal one row is */
    s->hashes = (uint8_t)k;
    return m > 0;
}
