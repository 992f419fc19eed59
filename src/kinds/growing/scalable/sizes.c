/* sizes.c - which layer has what size, in integers; and the rate of all of them.
 *
 * Layer i has n_i = n0 g^i keys, k_i = ceil(log2 1/P_i) slices of s_i = ceil(n_i / ln 2) bits. With n0 = 1000, g = 2, P0 = 0.0015
 * and r = 0.85:
 *
 *      i      n_i       P_i     k_i     s_i       bits
 *      0     1000   0.00150      10    1443      14430
 *      1     2000   0.00128      10    2886      28860
 *      2     4000   0.00108      10    5771      57710
 *      3     8000   0.00092      11   11542     126962
 *
 * Slices are half full when their layer is, so its rate is 2^-k_i, at most P_i.
 */
#include <bloomery/theory.h>
#include <math.h>

#include "core/mul128.h"
#include "scalable.h"

/* floor(2^63 / ln 2) */
#define LAYER_LOG2_E UINT64_C(0xb8aa3b295c17f0bb)

enum { LAYER_BLOCK = 512, LAYER_HASHES = 64 };

/* ---- blocks ---------------------------------------------------------------------------- */

enum { LAYER_WHOLE = 6 };

/* Row k - 1: bits per key, in 2^-16, and hashes, with which blocks keep 2^-k for any number of keys. Poisson loads need
 * most of all; so these are the fewest for them, and up to 0.4 % more, with which a line from row to row keeps the rates
 * between two rows as well, from 2^-LAYER_WHOLE on. test.c compares them with blm_rate_blocked. */
static const struct {
    uint32_t bits;
    uint8_t hashes;
} blocks_at[LAYER_HASHES] = {
    {94549, 1},     {189365, 2},    {285004, 3},    {382026, 4},    {480989, 5},    {584689, 6},
    {689623, 6},    {796250, 7},    {907540, 8},    {1024720, 9},   {1146707, 10},  {1274085, 10},
    {1405526, 11},  {1545695, 12},  {1692525, 13},  {1847964, 13},  {2010877, 14},  {2183268, 15},
    {2366456, 15},  {2559983, 16},  {2764622, 17},  {2980929, 17},  {3211561, 18},  {3457125, 18},
    {3718144, 19},  {3995298, 19},  {4289442, 20},  {4603145, 21},  {4937623, 21},  {5293828, 22},
    {5675201, 22},  {6080912, 23},  {6516516, 23},  {6979966, 24},  {7478446, 24},  {8009337, 25},
    {8580904, 25},  {9190710, 26},  {9847451, 26},  {10549767, 27}, {11305907, 27}, {12116885, 27},
    {12985710, 28}, {13924327, 28}, {14928740, 29}, {16017882, 29}, {17183376, 30}, {18450560, 30},
    {19808809, 31}, {21285498, 31}, {22872706, 32}, {24591546, 32}, {26450924, 32}, {28453221, 33},
    {30636658, 33}, {32988675, 34}, {35559944, 34}, {38334516, 35}, {41365967, 35}, {44648354, 36},
    {48207473, 36}, {52099816, 36}, {56314890, 37}, {60939162, 37},
};

/* ceil(keys * bits / 512); keys in 2^-8. k: log2_rate rounded up. */
static bool size_blocks(uint64_t log2_rate, unsigned k, blm_layer *l, uint64_t keys)
{
    uint64_t bits = blocks_at[k - 1].bits;
    if (k > LAYER_WHOLE)
        bits -= (bits - blocks_at[k - 2].bits) * (((uint64_t)k << 32) - log2_rate) >> 32;
    const blm_wide p = blm_mul(keys, bits); /* in 2^-24 bits, 2^-33 blocks */
    l->cells = (p.hi << 31 | p.lo >> 33) + ((p.lo & ((UINT64_C(1) << 33) - 1)) != 0);
    l->hashes = blocks_at[k - 1].hashes;
    l->bits = l->cells * LAYER_BLOCK;
    return l->cells <= (UINT64_C(1) << 60) / LAYER_BLOCK;
}

/* ---- layers ---------------------------------------------------------------------------- */

blm_layer_walk blm_layer_begin(const blm_scalable *s)
{
    return (blm_layer_walk){.next = 0,
                            .keys = s->first < UINT64_C(1) << 56 ? s->first << 8 : UINT64_MAX};
}

uint64_t blm_layer_bytes(const blm_layer *l) { return (l->bits + 63) / 64 * 8; }

/* ceil(keys / ln 2); keys in 2^-8. The quotient is never whole. */
static uint64_t slice_of(uint64_t keys)
{
    const blm_wide p = blm_mul(keys, LAYER_LOG2_E); /* in 2^-71 */
    return (p.hi >> 7) + 1;
}

static bool size_layer(const blm_scalable *s, uint64_t log2_rate, blm_layer *l, uint64_t keys)
{
    const uint64_t k = (log2_rate + UINT32_MAX) >> 32;
    l->hashes = (unsigned)(k ? k : 1);
    l->keys = keys >> 8;
    if (k > LAYER_HASHES) return false;
    if (s->inner == BLM_SCALABLE_BLOCKED) return size_blocks(log2_rate, l->hashes, l, keys);
    l->cells = slice_of(keys);
    l->bits = l->cells * l->hashes;
    return l->cells <= (UINT64_C(1) << 60) / l->hashes;
}

bool blm_layer_next(const blm_scalable *s, blm_layer_walk *w, blm_layer *out)
{
    blm_layer l;
    if (w->next >= s->layers || w->keys == UINT64_MAX) return false;
    if (!size_layer(s, s->halvings + w->next * s->step, &l, w->keys)) return false;
    const uint64_t bytes = blm_layer_bytes(&l);
    if (s->max_bytes && (bytes > s->max_bytes || w->bytes > s->max_bytes - bytes)) return false;
    const blm_wide more = blm_mul(w->keys, s->factor);
    w->bytes += bytes;
    w->keys = more.hi >> 16 ? UINT64_MAX : more.hi << 48 | more.lo >> 16;
    w->next++;
    *out = l;
    return true;
}

bool blm_layer_at(const blm_scalable *s, unsigned i, blm_layer *out)
{
    blm_layer_walk w = blm_layer_begin(s);
    while (w.next <= i)
        if (!blm_layer_next(s, &w, out)) return false;
    return true;
}

/* ---- theory ---------------------------------------------------------------------------- */

static double rate_of(const blm_scalable *s, const blm_layer *l, uint64_t keys)
{
    return s->inner == BLM_SCALABLE_BLOCKED
               ? blm_rate_blocked(LAYER_BLOCK, l->cells, l->hashes, keys)
               : blm_rate_partitioned(l->cells, l->hashes, keys);
}

/* Numbers of keys are expectations: between two whole ones the rate is, too. */
double blm_layer_rate(const blm_scalable *s, const blm_layer *l, double keys)
{
    const double below = floor(fmax(0, fmin(keys, 0x1p56)));
    const double rate = rate_of(s, l, (uint64_t)below), part = keys - below;
    return part > 0 ? rate + part * (rate_of(s, l, (uint64_t)below + 1) - rate) : rate;
}

static double spread_of(const blm_scalable *s, const blm_layer *l, double keys)
{
    const uint64_t n = (uint64_t)ceil(fmax(0, keys));
    return s->inner == BLM_SCALABLE_BLOCKED
               ? blm_rate_blocked_sd(LAYER_BLOCK, l->cells, l->hashes, n)
               : blm_rate_partitioned_sd(l->cells, l->hashes, n);
}

/* The mean rate while it was filled: three points of Gauss. Those keys are made up for at the rate that it has then. */
double blm_layer_full(const blm_scalable *s, const blm_layer *l)
{
    const double keys = (double)l->keys;
    const double mean =
        (5 * blm_layer_rate(s, l, 0.1127 * keys) + 8 * blm_layer_rate(s, l, 0.5 * keys) +
         5 * blm_layer_rate(s, l, 0.8873 * keys)) /
        18;
    const double taken = 1 - blm_layer_rate(s, l, keys);
    return taken > 0 ? keys + keys * mean / taken : INFINITY;
}

/* A filter after that many keys: calls `each` with every layer, and the keys that no other layer took for members. */
typedef void (*visit)(const blm_scalable *s, const blm_layer *l, double keys, void *ctx);
static double fill_layers(const blm_scalable *s, uint64_t keys, visit each, void *ctx)
{
    blm_layer_walk w = blm_layer_begin(s);
    blm_layer l, next;
    double left = (double)keys, no = 0, before = 0; /* no: the logarithm of the chance of a no */
    bool more = blm_layer_next(s, &w, &l);
    while (more) {
        const double full = blm_layer_full(s, &l), asked = left * (1 - before);
        more = asked > full && blm_layer_next(s, &w, &next);
        const double in = more ? full : asked;
        each(s, &l, in, ctx);
        left -= in / (1 - before);
        no += log1p(-blm_layer_rate(s, &l, in));
        before = -expm1(no);
        if (more) l = next;
    }
    return before;
}

typedef struct scatter {
    double variance, slope;  /* slope: what a key more in the last layer adds */
    double before, room, in; /* keys taken before it, its own room, and keys in it */
} scatter;

static void add_variance(const blm_scalable *s, const blm_layer *l, double keys, void *ctx)
{
    scatter *all = ctx;
    const double p = blm_layer_rate(s, l, keys), sd = p * spread_of(s, l, keys);
    all->variance += sd * sd;
    all->before += all->room;
    all->room = (double)l->keys;
    all->in = keys;
    all->slope = blm_layer_rate(s, l, keys + 1) - p;
}

/* Layers differ by chance, and so does the number of keys that went nowhere, which the last layer lacks. */
blm_rate blm_scalable_rate(const blm_scalable *s, const blm_case *c)
{
    scatter all = {0};
    const double p = fill_layers(s, c->keys, add_variance, &all);
    const double lost = fmax(0, (double)c->keys - all.before - all.in);
    const double sd = sqrt(all.variance + all.slope * all.slope * lost);
    return (blm_rate){p, p, p > 0 ? sd / p : 0};
}

static void add_lines(const blm_scalable *s, const blm_layer *l, double keys, void *ctx)
{
    blm_layer slice = *l;
    slice.hashes = 1; /* its rate is its fill */
    *(double *)ctx += s->inner == BLM_SCALABLE_BLOCKED
                          ? 1
                          : blm_probes_to_reject(blm_layer_rate(s, &slice, keys), l->hashes);
}

double blm_scalable_lines(const blm_scalable *s, const blm_case *c)
{
    double lines = 0;
    fill_layers(s, c->keys, add_lines, &lines);
    return lines;
}

static void add_bytes(const blm_scalable *s, const blm_layer *l, double keys, void *ctx)
{
    (void)s, (void)keys;
    *(uint64_t *)ctx += blm_layer_bytes(l);
}

uint64_t blm_scalable_bytes(const blm_filter *f, uint64_t keys)
{
    uint64_t bytes = 0;
    fill_layers((const blm_scalable *)f, keys, add_bytes, &bytes);
    return bytes;
}
