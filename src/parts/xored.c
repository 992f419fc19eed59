/* xored.c - sizes, rates and checks of sets whose fingerprints are xored cells. */
#include "parts/xored.h"

#include <math.h>

#define XORED_SHARD 0x1p21 /* keys */

/* Largest of the shards: their mean, and three standard deviations. The geometries have 3 % to spare for what exceeds it. */
static double xored_largest(double keys, double shards)
{
    const double mean = keys / shards;
    return shards > 1 ? fmin(keys, ceil(mean + 3 * sqrt(mean))) : keys;
}

static blm_err xored_no_whole(const char *knob, double value, blm_report *why)
{
    return blm_fail(why, BLM_E_ARG, "%s=%g: must be a whole number", knob, value);
}

static blm_err xored_settings(blm_xored *s, const blm_config *wish, const blm_knobs *knobs,
                              blm_report *why)
{
    const double width = knobs->num[BLM_XORED_KNOB_WIDTH],
                 shards = knobs->num[BLM_XORED_KNOB_SHARDS], keys = (double)wish->keys;
    if (wish->hashes)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u: %s stores one fingerprint per key; set width=8 instead",
                        wish->hashes, s->base.kind->name);
    if (width != floor(width)) return xored_no_whole("width", width, why);
    if (shards != floor(shards)) return xored_no_whole("shards", shards, why);
    s->shards = (uint64_t)fmax(1, shards > 0 ? fmin(shards, keys) : ceil(keys / XORED_SHARD));
    s->width = (uint8_t)width;
    s->widened = 0;
    return BLM_OK;
}

/* The smallest width with 2^-w <= p. */
static blm_err xored_by_rate(blm_xored *s, const blm_config *wish, blm_report *why)
{
    int e;
    (void)frexp(wish->fpr, &e); /* fpr is from 2^(e - 1) on, and below 2^e */
    const int width = 1 - e;
    if (width > BLM_XORED_WIDTH)
        return blm_fail(why, BLM_E_ARG,
                        "fpr %.3g: the lowest rate of %s is 2.33e-10, by fingerprints of %d bits",
                        wish->fpr, s->base.kind->name, BLM_XORED_WIDTH);
    s->width = (uint8_t)(width < 1 ? 1 : width);
    return BLM_OK;
}

/* The largest width that the memory allows. */
static blm_err xored_by_bits(blm_xored *s, const blm_config *wish, uint64_t cells, blm_report *why)
{
    const uint64_t shard = wish->bits / 64 / s->shards; /* words, one of them the seed */
    const uint64_t width = shard > 1 ? (shard - 1) * 64 / cells : 0;
    if (width < (s->width ? s->width : 1u))
        return blm_fail(why, BLM_E_ARG,
                        "bits %llu: too few for %.4g keys, which need %.4g cells of %u bits",
                        (unsigned long long)wish->bits, (double)wish->keys,
                        (double)cells * (double)s->shards, s->width ? s->width : 1u);
    if (!s->width) s->width = (uint8_t)(width < BLM_XORED_WIDTH ? width : BLM_XORED_WIDTH);
    return BLM_OK;
}

blm_err blm_xored_plan(blm_xored *s, const blm_config *wish, const blm_knobs *knobs,
                       blm_xored_fit fit, blm_report *why)
{
    const blm_err err = xored_settings(s, wish, knobs, why);
    if (err) return err;
    const double keys = xored_largest((double)wish->keys, (double)s->shards);
    const uint64_t cells = keys < 0x1p31 ? fit(s, keys) : UINT64_MAX;
    if (cells > BLM_PEEL_CELLS)
        return blm_fail(why, BLM_E_ARG,
                        "shards %llu: more than 2^32 cells in each for %.4g keys; use more shards",
                        (unsigned long long)s->shards, (double)wish->keys);
    if (wish->bits) return xored_by_bits(s, wish, cells, why);
    return s->width ? BLM_OK : xored_by_rate(s, wish, why);
}

blm_err blm_xored_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    blm_xored *s = (blm_xored *)f;
    if (s->cells > BLM_PEEL_CELLS)
        return blm_fail(why, BLM_E_ARG, "%.4g cells in a shard: at most 2^32", (double)s->cells);
    if (s->members && (s->members - 1) / s->shards >= s->cells)
        return blm_fail(why, BLM_E_ARG, "%llu members: more than there are cells",
                        (unsigned long long)s->members);
    uint64_t end = 0;
    blm_section(&end, s->shards, 64, 8);
    s->start = end;
    s->bytes = blm_packed_bytes(s->cells, s->width);
    *bytes = s->shards > (UINT64_MAX - end) / s->bytes ? UINT64_MAX : end + s->shards * s->bytes;
    return BLM_OK;
}

blm_err blm_xored_check(const blm_filter *f, blm_report *why)
{
    const blm_xored *s = (const blm_xored *)f;
    for (uint64_t i = 0; i < s->shards; i++)
        if (!blm_packed_tail_zero(f->cells + s->start + i * s->bytes, s->bytes, s->width, s->cells))
            return blm_fail(why, BLM_E_IMAGE, "damaged: a bit past the last cell is set");
    return BLM_OK;
}

/* A fingerprint is as likely to be any one of 2^width, whatever the cells give. */
blm_rate blm_xored_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_xored *s = (const blm_xored *)f;
    const double p = (c ? c->keys : s->members) ? ldexp(1, -s->width) : 0;
    return (blm_rate){p, p, 0};
}

/* Each cell begins anywhere in a line; the seeds stay in the cache. */
double blm_xored_lines(const blm_filter *f, const blm_case *c)
{
    const blm_xored *s = (const blm_xored *)f;
    (void)c;
    return fmin(s->arity * (1 + (s->width - 1) / 512.0), ceil((double)s->bytes / 64));
}

double blm_xored_fill(const blm_filter *f)
{
    const blm_xored *s = (const blm_xored *)f;
    return (double)s->members / ((double)s->shards * (double)s->cells);
}

blm_err blm_xored_keys(const blm_filter *f, blm_estimate *n)
{
    const double members = (double)((const blm_xored *)f)->members;
    *n = (blm_estimate){members, members, members, false};
    return BLM_OK;
}

uint64_t blm_xored_parts(const blm_filter *f) { return ((const blm_xored *)f)->shards; }

blm_err blm_xored_built(blm_filter *f, uint64_t n, blm_report *why)
{
    (void)why;
    ((blm_xored *)f)->members = n;
    return BLM_OK;
}

blm_err blm_xored_widen(blm_xored *s, blm_report *why)
{
    if (s->widened == BLM_XORED_WIDENED)
        return blm_fail(why, BLM_E_BUILD,
                        "no seed separates the keys of a shard, with %d times more cells tried",
                        BLM_XORED_WIDENED);
    s->widened++;
    return BLM_OK;
}

/* ---- many keys ----------------------------------------------------------------------------- */

/* Filters up to this size lie in the second cache: there the processor itself overlaps the reads of several keys, and
 * what a fetch costs is lost (3.0 against 3.9 ns for 10^5 keys). */
#define XORED_NEAR (UINT64_C(1) << 24)

enum { XORED_STAGES = 1 + BLM_AHEAD / BLM_XORED_STAGE };
_Static_assert(BLM_AHEAD % BLM_XORED_STAGE == 0, "stages are fetched whole");

static void xored_fetch_stage(const blm_xored *s, const blm_xored_stage *k, size_t n)
{
    for (unsigned j = 0; j < s->arity; j++)
        for (size_t i = 0; i < n; i++) blm_fetch(s->base.cells + k->at[j][i]);
}

BLM_PEEL_INLINE uint64_t xored_read(const uint8_t *cells, const blm_xored_stage *k, unsigned width,
                                    unsigned j, size_t i)
{
    const uint8_t *at = cells + k->at[j][i];
    return width == 8 ? *at : width == 16 ? blm_le16(at) : blm_le64(at) >> k->shift[j][i];
}

BLM_PEEL_INLINE void xored_answer(const uint8_t *cells, const blm_xored_stage *k, size_t n,
                                  uint8_t *yes, unsigned width, unsigned arity)
{
    const uint64_t top = blm_packed_top(width);
    for (size_t i = 0; i < n; i++) {
        uint64_t v = k->print[i];
        for (unsigned j = 0; j < arity; j++) v ^= xored_read(cells, k, width, j, i);
        yes[i] = (v & top) == 0;
    }
}

static void xored_answer_stage(const blm_xored *s, const blm_xored_stage *k, size_t n, uint8_t *yes)
{
    const uint8_t *cells = s->base.cells;
    const bool three = s->arity == 3;
    if (s->width == 8)
        three ? xored_answer(cells, k, n, yes, 8, 3) : xored_answer(cells, k, n, yes, 8, 4);
    else if (s->width == 16)
        three ? xored_answer(cells, k, n, yes, 16, 3) : xored_answer(cells, k, n, yes, 16, 4);
    else
        three ? xored_answer(cells, k, n, yes, s->width, 3)
              : xored_answer(cells, k, n, yes, s->width, 4);
}

static size_t xored_stage_size(size_t left)
{
    return left < BLM_XORED_STAGE ? left : BLM_XORED_STAGE;
}

/* Stage `at` is found, and fetched if it is not one of the first. */
static void xored_find_ahead(const blm_xored *s, const blm_hash *h, size_t at, size_t all,
                             blm_xored_finder *find, blm_xored_stage *out)
{
    if (at >= all) return;
    find(s, h + at, xored_stage_size(all - at), out);
    if (at >= BLM_AHEAD) xored_fetch_stage(s, out, xored_stage_size(all - at));
}

void blm_xored_has_many(const blm_xored *s, const blm_hash *h, size_t n, size_t more, uint8_t *yes,
                        blm_xored_finder *find)
{
    blm_xored_stage ring[XORED_STAGES];
    const bool near = s->base.bytes <= XORED_NEAR;
    const size_t all = near ? n : n + more, ahead = near ? 0 : BLM_AHEAD;
    if (!s->members) {
        memset(yes, 0, n);
        return;
    }
    for (size_t at = 0; at < ahead; at += BLM_XORED_STAGE)
        xored_find_ahead(s, h, at, all, find, &ring[at / BLM_XORED_STAGE % XORED_STAGES]);
    for (size_t at = 0; at < n; at += BLM_XORED_STAGE) {
        const size_t to = at + ahead;
        blm_xored_stage *next = &ring[to / BLM_XORED_STAGE % XORED_STAGES];
        if (near)
            find(s, h + at, xored_stage_size(n - at), next);
        else
            xored_find_ahead(s, h, to, all, find, next);
        xored_answer_stage(s, &ring[at / BLM_XORED_STAGE % XORED_STAGES], xored_stage_size(n - at),
                           yes + at);
    }
}

void blm_xored_fetch_many(const blm_xored *s, const blm_hash *h, size_t n, blm_xored_finder *find)
{
    blm_xored_stage k;
    if (s->base.bytes <= XORED_NEAR || !s->members) return;
    for (size_t at = 0; at < n; at += BLM_XORED_STAGE) {
        find(s, h + at, xored_stage_size(n - at), &k);
        xored_fetch_stage(s, &k, xored_stage_size(n - at));
    }
}
