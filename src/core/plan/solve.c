/* solve.c - from a wish to a kind's fields.
 *
 * A kind answers two questions: "fields for these keys at this rate?" and "fields for these bits
 * (and hashes)?". All other wishes are inverted here by bisection, on a struct without cells.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/core_internal.h"

void blm_config_init(blm_config *c)
{
    memset(c, 0, sizeof *c);
    c->size = sizeof *c;
}

/* The caller's struct may be older and shorter than ours: what it has not got is zero. */
blm_err blm_config_take(blm_config *own, const blm_config *given, blm_report *why)
{
    if (given->size < offsetof(blm_config, keys) || given->size > 4096)
        return blm_fail(why, BLM_E_ARG,
                        "config of %zu bytes: set its size with BLM_CONFIG() or blm_config_init()",
                        given->size);
    blm_config_init(own);
    memcpy(own, given, given->size < sizeof *own ? given->size : sizeof *own);
    return BLM_OK;
}

double blm_rate_rounded(double p)
{
    int e;
    const double half = frexp(p, &e); /* [1/2, 1) * 2^e; 24 bits are kept */
    return p > 0 && p < 1 ? ldexp(floor(half * 16777216.0 + 0.5), e - 24) : fmin(p, 1);
}

static blm_err check_wish(const blm_config *c, blm_report *why)
{
    if (c->fpr != 0 && !(c->fpr > 0 && c->fpr < 1)) {
        if (c->fpr >= 1 && c->fpr < 100)
            return blm_fail(why, BLM_E_ARG,
                            "fpr %g: a rate lies between 0 and 1; did you mean %g%% = %g?", c->fpr,
                            c->fpr, c->fpr / 100);
        return blm_fail(why, BLM_E_ARG, "fpr %g: a rate lies between 0 and 1, such as 0.001",
                        c->fpr);
    }
    if (c->fnr != 0 && !(c->fnr > 0 && c->fnr < 1))
        return blm_fail(why, BLM_E_ARG, "fnr %g: a rate lies between 0 and 1, such as 0.001",
                        c->fnr);
    if (c->keys > BLM_KEYS_MAX)
        return blm_fail(why, BLM_E_ARG, "keys %" PRIu64 ": at most 2^56 (7.2e16)", c->keys);
    if (c->bits > BLM_BITS_MAX)
        return blm_fail(why, BLM_E_ARG, "bits %" PRIu64 ": at most 2^60 (128 PiB)", c->bits);
    if (c->hashes > BLM_HASHES_MAX)
        return blm_fail(why, BLM_E_ARG, "hashes %u: must be from 1 to %u", c->hashes,
                        BLM_HASHES_MAX);
    if (!c->keys && !c->bits)
        return blm_fail(
            why, BLM_E_ARG,
            "keys 0, bits 0: set the number of keys (keys=1e6) or the memory (bits=1MiB)");
    return BLM_OK;
}

static blm_err plan_once(blm_filter *f, const blm_config *wish, const blm_knobs *k, uint64_t *bytes,
                         blm_report *why)
{
    blm_err err = f->kind->plan(f, wish, k, why);
    if (!err) err = blm_fields_check(f, why);
    if (!err) err = blm_shape(f, bytes, why);
    return err;
}

/* The rate promised for that many keys: the rate at that number, or the bound that is never exceeded, or the highest one
 * of a kind whose keys leave: then f is planned for that many keys. */
static double rate_at(const blm_filter *f, uint64_t keys)
{
    if (blm_is_bounded(f)) return f->kind->fpr_ceiling(f);
    if (f->kind->fpr_worst) return f->kind->fpr_worst(f);
    const blm_case c = {.keys = keys, .arg = BLM_NO_ARG};
    return f->kind->fpr(f, &c).high;
}

/* Memory and rate are given: finds the largest number of keys, each tried with the hashes that suit it best. Where the
 * rate has a bound, the plan itself says how many keys are too many: so many keys that too many are missed. */
static uint64_t max_keys(blm_filter *f, blm_config wish, const blm_knobs *k, bool asked)
{
    uint64_t low = 0, high = wish.bits < BLM_KEYS_MAX ? wish.bits + 1 : BLM_KEYS_MAX, bytes = 0;
    if (f->kind->fpr_ceiling && !(wish.fnr > 0)) wish.fnr = BLM_MISSES_DEFAULT;
    while (high - low > 1) { /* low fits (or is 0), high does not */
        wish.keys = low + (high - low) / 2;
        const bool fits = !plan_once(f, &wish, k, &bytes, NULL) &&
                          (rate_at(f, wish.keys) <= wish.fpr || (!asked && blm_is_bounded(f)));
        *(fits ? &low : &high) = wish.keys;
    }
    return low;
}

/* Keys and memory are given, of a kind that chooses its hashes by the rate and has a bound of it: the lowest rate whose
 * hashes fit. Where none fits, the plan of the highest one says why. 40 halvings of 2^-1022 to 1/2 leave an interval of
 * 2^-30 between two exponents, and a plan takes about 1 ms. */
static double lowest_rate(blm_filter *f, blm_config wish, const blm_knobs *k)
{
    double low = -1022, high = -1;
    uint64_t bytes = 0;
    for (int i = 0; i < 40; i++) {
        const double middle = (low + high) / 2;
        wish.fpr = exp2(middle);
        *(plan_once(f, &wish, k, &bytes, NULL) ? &low : &high) = middle;
    }
    return exp2(high);
}

/* Does the shape follow from the keys, also where bits and hashes are given? */
static bool shaped_by_keys(const blm_kind *k) { return k->fpr_ceiling || k->fpr_worst; }

/* The shape is given: the most keys at which its theory keeps the rate. */
static uint64_t keys_at(const blm_filter *f, double rate)
{
    uint64_t low = 0, high = BLM_KEYS_MAX;
    while (high - low > 1) {
        const uint64_t keys = low + (high - low) / 2;
        *(rate_at(f, keys) <= rate ? &low : &high) = keys;
    }
    return low;
}

static blm_err too_little(const blm_config *wish, double rate, uint64_t fits, blm_report *why)
{
    if (!fits)
        return blm_fail(why, BLM_E_ARG, "bits %" PRIu64 ": too few for one key at fpr %g",
                        wish->bits, wish->fpr);
    return blm_fail(why, BLM_E_ARG,
                    "%" PRIu64 " keys at fpr %g do not fit into %" PRIu64
                    " bits: the rate would be %.3g; they hold %" PRIu64
                    " keys at the requested rate; omit keys, fpr or bits",
                    wish->keys, wish->fpr, wish->bits, rate, fits);
}

/* Memory is given. The keys are given too, or they are what the memory holds at the rate. */
static blm_err plan_bits(blm_filter *f, blm_config *wish, const blm_knobs *k, bool asked,
                         blm_report *why)
{
    uint64_t bytes = 0;
    const bool solve = !wish->keys;
    if (solve && (!wish->hashes || shaped_by_keys(f->kind))) {
        wish->keys = max_keys(f, *wish, k, asked);
        if (!wish->keys) wish->keys = 1; /* the plan of one key says what is wrong */
    }
    if (!solve && !asked && f->kind->fpr_ceiling) wish->fpr = lowest_rate(f, *wish, k);
    const blm_err err = plan_once(f, wish, k, &bytes, why);
    if (err) return err;
    if (bytes > (wish->bits + 63) / 64 * 8)
        return blm_fail(why, BLM_E_ARG,
                        "bits %" PRIu64 ": the smallest %s with these settings has %" PRIu64
                        " bits",
                        wish->bits, f->kind->name, bytes * 8);
    if (!wish->keys) wish->keys = keys_at(f, wish->fpr);
    if (!wish->keys) wish->keys = 1;
    const bool raw = !asked && (!solve || wish->hashes || blm_is_bounded(f)); /* the rate follows */
    const double rate = rate_at(f, wish->keys);
    if (!raw && rate > wish->fpr * (1 + 1e-9) && blm_is_bounded(f))
        return blm_fail(why, BLM_E_ARG,
                        "fpr %g: with these settings the rate is up to %.3g, whatever the bits and "
                        "keys; use more hashes, or omit fpr",
                        wish->fpr, rate);
    if (!raw && rate > wish->fpr * (1 + 1e-9))
        return too_little(wish, rate,
                          solve                                      ? 0
                          : wish->hashes && !shaped_by_keys(f->kind) ? keys_at(f, wish->fpr)
                                                                     : max_keys(f, *wish, k, asked),
                          why);
    return BLM_OK;
}

/* Some knobs say how large a kind is, whatever the rate (count-min: eps): then the rate follows. */
static bool knobs_size(const blm_filter *f, const blm_config *c, double rate)
{
    return !c->bits && c->with && c->with[0] && rate_at(f, f->capacity) > rate * (1 + 1e-9);
}

static blm_err keeps(const blm_filter *f, double rate, blm_report *why)
{
    return f->target <= rate
               ? BLM_OK
               : blm_fail(why, BLM_E_ARG,
                          "fpr %g: the settings fix the size, and the rate at %" PRIu64
                          " keys will be %.3g; omit fpr",
                          rate, f->capacity, f->target);
}

/* ---- how high counts go --------------------------------------------------------------------------- */

uint64_t blm_max_count(const blm_filter *f)
{
    return !(f->can & BLM_COUNT) ? 0 : f->kind->max_count ? f->kind->max_count(f) : UINT64_MAX;
}

size_t blm_count_knob(const blm_kind *k)
{
    size_t i = 0;
    while (i < k->nknobs &&
           (!k->counts_by.knob || strcmp(k->knobs[i].name, k->counts_by.knob) != 0))
        i++;
    return i;
}

/* Knobs alone decide how high a kind counts, so a filter of one key tells it at once. */
static blm_err max_with(blm_filter *f, const blm_knob_values *v, uint64_t *max, blm_report *why)
{
    const blm_knobs k = {v->num, v->text, v->timed};
    const blm_config one = {.size = sizeof one, .keys = 1, .fpr = BLM_RATE_DEFAULT};
    uint64_t bytes = 0;
    const blm_err err = plan_once(f, &one, &k, &bytes, why);
    if (!err) *max = blm_max_count(f);
    f->lost = 0;
    return err;
}

static blm_err counts_less(const blm_filter *f, uint64_t n, uint64_t best, const char *fixed,
                           blm_report *why)
{
    const blm_kind *k = f->kind;
    if (!(f->can & BLM_COUNT))
        return blm_fail(why, BLM_E_CANNOT, "max-count %" PRIu64 ": %s does not count", n, k->name);
    if (k->copies && !k->counts_by.knob)
        return blm_fail(why, BLM_E_ARG,
                        "max-count %" PRIu64 ": must be 1 for %s, because a repeated key needs "
                        "as much room as a new one",
                        n, k->name);
    if (fixed)
        return blm_fail(why, BLM_E_ARG,
                        "max-count %" PRIu64 ": with %s=%.20s %s counts up to %" PRIu64
                        "; omit it, and the smallest sufficient %s is chosen",
                        n, k->counts_by.knob, fixed, k->name, best, k->counts_by.knob);
    return blm_fail(why, BLM_E_ARG, "max-count %" PRIu64 ": %s counts up to %" PRIu64, n, k->name,
                    best);
}

bool blm_counts_to(const blm_kind *k, uint64_t max, uint64_t n)
{
    return max >= n && !(k->copies && !k->counts_by.knob && n > 1);
}

blm_err blm_count_to(blm_filter *f, uint64_t n, blm_knob_values *v, uint64_t *max, uint64_t *best,
                     blm_report *why)
{
    const blm_kind *k = f->kind;
    const size_t i = blm_count_knob(k);
    const blm_knobdef *d = i < k->nknobs ? &k->knobs[i] : NULL;
    const char *fixed = d ? v->text[i] : NULL;
    *max = *best = 0;
    for (double at = k->counts_by.min; d && !fixed && at <= d->max; at++) {
        v->num[i] = at;
        if (max_with(f, v, max, NULL)) continue; /* the kind does not take this value */
        if (*max > *best) *best = *max;
        if (blm_counts_to(k, *max, n)) return BLM_OK;
    }
    if (d && !fixed) v->num[i] = d->def;
    *max = 0;
    const blm_err err = max_with(f, v, max, why);
    if (*max > *best) *best = *max;
    if (k->copies && !k->counts_by.knob && *best > 1) *best = 1;
    return err || blm_counts_to(k, *max, n) ? err : counts_less(f, n, *best, fixed, why);
}

/* ---- all of it ------------------------------------------------------------------------------------ */

blm_err blm_plan_fields(blm_filter *f, const blm_config *c, blm_report *why)
{
    blm_knob_values values;
    uint64_t max, best;
    blm_err err = check_wish(c, why);
    if (!err) err = blm_knobs_parse(f->kind, c->with, &values, why);
    if (!err && c->max_count) err = blm_count_to(f, c->max_count, &values, &max, &best, why);
    if (err) return err;

    const blm_knobs k = {values.num, values.text, values.timed};
    blm_config wish = *c;
    uint64_t bytes = 0;
    const bool asked = c->fpr > 0;
    if (!asked) wish.fpr = f->kind->rate > 0 ? f->kind->rate : BLM_RATE_DEFAULT;
    err = c->bits ? plan_bits(f, &wish, &k, asked, why) : plan_once(f, &wish, &k, &bytes, why);
    if (err) return err;
    f->capacity = wish.keys;
    f->target = wish.fpr;
    const bool raw = c->bits && !asked && (c->keys || c->hashes);
    const bool above = !asked && blm_is_bounded(f) && f->kind->fpr_ceiling(f) > wish.fpr;
    if (raw || above || knobs_size(f, c, wish.fpr))
        f->target = blm_rate_rounded(rate_at(f, wish.keys));
    return asked && !c->bits ? keeps(f, wish.fpr, why) : BLM_OK;
}
