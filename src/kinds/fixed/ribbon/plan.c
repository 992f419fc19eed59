/* plan.c - how many blocks and columns keys need, and the rate that these have. */
#include <inttypes.h>
#include <math.h>

#include "ribbon.h"
#include "parts/wish.h"

/* Slots more than keys with which most seeds work, by the decimal logarithm of the keys. Simulated: 92 to 100 % of the
 * seeds at 10^3 .. 10^6. */
static double ribbon_overhead(unsigned width, double keys)
{
    static const double at[2][9] = {{0.03, 0.035, 0.04, 0.048, 0.062, 0.088, 0.128, 0.175, 0.225},
                                    {0.02, 0.02, 0.02, 0.02, 0.025, 0.034, 0.049, 0.065, 0.085}};
    const double *of = at[width != 64], x = fmin(fmax(log10(keys), 0), 9);
    const int i = x < 7 ? (int)x : 7;
    return of[i] + (x - i) * (of[i + 1] - of[i]);
}

static uint64_t ribbon_blocks_for(double slots, unsigned width)
{
    const uint64_t least = width / BLM_BAND_BLOCK;
    return (uint64_t)fmax(ceil(slots / BLM_BAND_BLOCK), (double)least);
}

/* The keys for which a shard has room: shards are binomial, and the largest of them is sqrt(2 ln(4 shards)) standard
 * deviations above the mean, or less, in 97 of 100 filters. 10^7 keys in 100: 100,000 + 3.46 * 316 = 101,095. */
static double ribbon_largest(double keys, double shards)
{
    const double mean = keys / shards;
    return shards > 1 ? fmin(keys, ceil(mean + sqrt(2 * log(4 * shards) * mean))) : keys;
}

/* The first layer has fewer slots than keys: nearly all of them are used then. The keys that do not fit, and the
 * starts of bumped keys that would have, go to the second. 100,000 keys, width 64: 1,516 blocks and 55, 0.5 % more slots
 * than keys. */
static void ribbon_size_bumped(blm_ribbon *r, double keys)
{
    const bool wide = r->width != 64;
    r->blocks = ribbon_blocks_for(keys * (wide ? 0.973 : 0.97), r->width);
    const double left = fmax(keys - (double)r->blocks * BLM_BAND_BLOCK, 0),
                 lost = wide ? 0.0005 * keys + 90 : 0.002 * keys + 26 + 0.22 * sqrt(keys);
    r->spill = ribbon_blocks_for((left + fmin(lost, keys)) * (wide ? 1.025 : 1.055) + 10, r->width);
}

static void ribbon_size_form(blm_ribbon *r, double keys, double bits)
{
    const double seeds =
                     ribbon_overhead(r->width, keys), /* with which rows are not redundant either */
        more = r->form == RIBBON_STANDARD ? seeds : fmax((4 + bits / 4) / r->width, seeds);
    r->spill = 0;
    if (r->form == RIBBON_BUMPED)
        ribbon_size_bumped(r, keys);
    else
        r->blocks = ribbon_blocks_for(keys * (1 + more), r->width);
}

/* Unless a form is asked for: bumped, or standard where that is not larger, as it is below about 1,000 keys. */
static void ribbon_size_shard(blm_ribbon *r, const blm_knobs *knobs, double keys, double bits)
{
    r->form = (uint8_t)knobs->num[RIBBON_FORM];
    ribbon_size_form(r, keys, bits);
    if (knobs->text[RIBBON_FORM]) return;
    const blm_ribbon bumped = *r;
    r->form = RIBBON_STANDARD;
    ribbon_size_form(r, keys, bits);
    if (r->blocks > bumped.blocks + bumped.spill) *r = bumped;
}

static uint64_t ribbon_words_of(blm_ribbon *r)
{
    blm_ribbon_layers(r);
    return blm_band_words(&r->layer[0], r->blocks) + blm_band_words(&r->layer[1], r->spill);
}

/* The share of the first blocks, at which a band may start, that do with fewer columns. */
static double ribbon_narrow_share(const blm_band_shape *s)
{
    const double starts = (double)blm_band_starts(s);
    return fmin((double)s->narrow * BLM_BAND_BLOCK, starts) / starts;
}

static double ribbon_layer_rate(const blm_band_shape *s)
{
    return ldexp((1 + ribbon_narrow_share(s)) / 2, -(int)s->columns);
}

/* 1 %: 6 columns, and a seventh in the last 72 % of the blocks: 0.28 / 64 + 0.72 / 128. */
static void ribbon_columns_for_rate(blm_ribbon *r, double fpr)
{
    const double bits = fmax(-log2(fpr), 1), starts = (double)blm_band_starts(&r->layer[0]);
    r->columns = (uint8_t)floor(bits);
    const double share = 2 * ldexp(fmin(fpr, 0.5), r->columns) - 1;
    r->narrow = share < 1 ? (uint64_t)floor(share * starts / BLM_BAND_BLOCK) : r->blocks;
}

/* As many columns as fit into the words of a shard; false: not even one. */
static bool ribbon_columns_for_words(blm_ribbon *r, uint64_t words)
{
    const uint64_t all = r->blocks + r->spill, each = words / all;
    if (!each) return false;
    r->columns = (uint8_t)(each < BLM_BAND_COLUMNS_MAX ? each : BLM_BAND_COLUMNS_MAX);
    r->narrow = r->blocks;
    if (r->columns == BLM_BAND_COLUMNS_MAX) return true;
    const double part = (double)(words - each * all) / (double)all;
    r->narrow = (uint64_t)fmax(floor((1 - part) * (double)r->blocks) - 2, 0);
    while (r->narrow < r->blocks && ribbon_words_of(r) > words) r->narrow++;
    return true;
}

/* Homogeneous needs more slots for more columns: the first number of slots that are planned for as many as fit. */
static blm_err ribbon_plan_bits(blm_ribbon *r, const blm_config *wish, const blm_knobs *k,
                                double keys, blm_report *why)
{
    unsigned bits = 0, fit;
    do {
        ribbon_size_shard(r, k, keys, ++bits);
        r->columns = 1;
        r->narrow = r->blocks;
        blm_ribbon_layers(r);
        const uint64_t head = blm_ribbon_head_bytes(r) / 8, words = wish->bits / 64 / r->shards;
        if (words <= head || !ribbon_columns_for_words(r, words - head))
            return blm_fail(why, BLM_E_ARG,
                            "bits %" PRIu64 ": too few for %" PRIu64 " keys; ribbon needs %" PRIu64,
                            wish->bits, wish->keys, (r->blocks + r->spill + head) * 64 * r->shards);
        fit = r->columns + (unsigned)(r->narrow < r->blocks);
    } while (r->form == RIBBON_HOMOGENEOUS && fit > bits);
    return BLM_OK;
}

blm_err blm_ribbon_plan(blm_filter *f, const blm_config *wish, const blm_knobs *k, blm_report *why)
{
    blm_ribbon *r = (blm_ribbon *)f;
    const double n = (double)wish->keys, asked = floor(k->num[RIBBON_SHARDS]);
    const double shards = fmax(fmin(asked > 0 ? asked : ceil(n / 1e5), n), 1);
    if (wish->hashes)
        return blm_fail(why, BLM_E_ARG,
                        "hashes %u: ribbon has no hashes to choose; set fpr or bits instead",
                        wish->hashes);
    const double keys = ribbon_largest(fmax(n, 1), shards);
    r->width = k->num[RIBBON_WIDTH] > 0 ? 128 : 64;
    r->shards = (uint64_t)fmin(shards, 0x1p60);
    if (shards > RIBBON_SHARDS_MAX || keys > 0x1p31)
        return blm_fail(why, BLM_E_ARG,
                        "%.4g keys in %.0f shards: at most 2^31 keys per shard and 2^24 shards", n,
                        shards);
    if (wish->bits) return ribbon_plan_bits(r, wish, k, keys, why);
    if (wish->fpr < 0x1p-32) return blm_wish_beyond(wish, "32 bits per key", why);
    ribbon_size_shard(r, k, keys, ceil(-log2(wish->fpr)));
    blm_ribbon_layers(r);
    ribbon_columns_for_rate(r, wish->fpr);
    return BLM_OK;
}

/* Keys that do not fit into the first layer are bumped, and as large a share of the non-members. */
blm_rate blm_ribbon_fpr(const blm_filter *f, const blm_case *c)
{
    const blm_ribbon *r = (const blm_ribbon *)f;
    const double keys = (double)(c ? c->keys : r->members), first = ribbon_layer_rate(&r->layer[0]),
                 room = (double)r->blocks * BLM_BAND_BLOCK * (double)r->shards;
    if (keys < 1) return (blm_rate){0, 0, 0};
    const double bumped = r->spill && keys > room ? 1 - room / keys : 0,
                 p = r->spill ? first + bumped * (ribbon_layer_rate(&r->layer[1]) - first) : first;
    return (blm_rate){p, p, 0};
}
