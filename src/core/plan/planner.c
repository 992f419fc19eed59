/* planner.c - blm_plan: every kind's own plan and shape on a handle without cells, ranked. */
#include <bloomery/theory.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/needs.h"

enum { KEYS = 8 };
static const double same_size = 1.15; /* more bits than that are not worth fewer cache lines */
static const uint64_t text_max = UINT64_C(1) << 53; /* texts carry whole numbers below it */

typedef struct ranked {
    blm_offer offer;
    double key[KEYS]; /* compared in this order, smaller first    */
    bool copies;      /* keys that come again take places as well */
} ranked;

typedef struct search {
    blm_config wish;
    uint32_t needs;
    bool sizes;                   /* a number is given                      */
    uint64_t counts;              /* counts up to here are needed; 0: none  */
    bool asked;                   /* and the wish says so: less is no offer */
    char rate[32], miss_rate[32]; /* of the wish, as the text has it */
    ranked *row;
    size_t n, room;
    size_t fit;         /* offers that lack nothing                                */
    blm_report refused; /* the first kind that has all, but cannot do the numbers  */
    uint64_t low;       /* the last kind counts this high, and more was asked for  */
    uint64_t far;       /* the highest of these, and its kind                      */
    const char *far_kind;
} search;

const char *blm_default_kind(uint64_t keys, double fpr, uint64_t bits, unsigned hashes)
{
    if (!(fpr > 0) && bits && keys)
        fpr = blm_rate_approx(bits, hashes ? hashes : blm_best_hashes(bits, keys), keys);
    return fpr > 0 && fpr < 1e-4 ? "standard" : BLM_KIND_DEFAULT;
}

/* ---- the wish, as a text can carry it ------------------------------------------------------------ */

/* The fewest digits that read back as the same rate, else the 17 of a double. The point is a point,
 * although the locale of the program may want a comma. */
static void rate_text(char out[32], double p)
{
    for (int digits = 1; digits <= 17; digits++) {
        double back = 0;
        char *to = out;
        snprintf(out, 32, "%.*g", digits, p);
        for (const char *from = out; *from; from++) {
            const bool ours = strchr("0123456789e-+", *from) != NULL;
            if (ours || to == out || to[-1] != '.') *to++ = ours ? *from : '.';
        }
        *to = 0;
        if (!blm_parse_rate(out, &back, NULL) && back == p) return;
    }
}

/* A rate outside of its range stays: the plan has the sentence for it. */
static void round_rate(double *p, char text[32])
{
    if (!(*p > 0 && *p < 1)) return;
    rate_text(text, *p);
    double back = *p;
    if (!blm_parse_rate(text, &back, NULL)) *p = back;
}

/* What the spec says is planned, to the last bit: numbers that a text cannot carry are rounded first. */
static blm_err settle(search *s, blm_report *why)
{
    blm_config *c = &s->wish;
    if (c->keys >= text_max)
        return blm_fail(why, BLM_E_ARG, "keys %" PRIu64 ": the planner needs fewer than 2^53",
                        c->keys);
    if (c->bits >= text_max) c->bits &= ~UINT64_C(0xff);
    round_rate(&c->fpr, s->rate);
    round_rate(&c->fnr, s->miss_rate);
    s->sizes = c->keys || c->bits || c->fpr != 0 || c->hashes;
    s->asked = c->max_count > 0;
    if (s->asked) s->needs |= BLM_NEED_COUNT;
    if (s->needs & BLM_NEED_COUNT) s->counts = s->asked ? c->max_count : BLM_MAX_COUNT_DEFAULT;
    c->max_count = 0; /* the settings say it from here on */
    return BLM_OK;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static bool
word(char *out, size_t room, const char *format, ...)
{
    const size_t used = strlen(out);
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(out + used, room - used, format, args);
    va_end(args);
    return n >= 0 && (size_t)n < room - used;
}

/* The other numbers determine the rate. */
static bool rate_follows(const blm_config *c)
{
    return !(c->fpr > 0) && c->bits && (c->keys || c->hashes);
}

/* Writes the numbers as they were given, so that blm_make() solves the same wish; the default rate is spelled
 * out where it is the promise. */
static bool spec_text(const search *s, blm_offer *o)
{
    char rate[32];
    const blm_config *c = &s->wish;
    const size_t room = sizeof o->spec;
    bool fits = word(o->spec, room, "%s", o->kind);
    if (c->keys) fits &= word(o->spec, room, " keys=%" PRIu64, c->keys);
    if (c->fpr > 0) fits &= word(o->spec, room, " fpr=%s", s->rate);
    if (!(c->fpr > 0) && !rate_follows(c) && o->fpr == BLM_RATE_DEFAULT) {
        rate_text(rate, BLM_RATE_DEFAULT);
        fits &= word(o->spec, room, " fpr=%s", rate);
    }
    if (c->fnr > 0) fits &= word(o->spec, room, " fnr=%s", s->miss_rate);
    if (c->bits) fits &= word(o->spec, room, " bits=%" PRIu64 "b", c->bits);
    if (c->hashes) fits &= word(o->spec, room, " hashes=%u", c->hashes);
    if (o->with[0]) fits &= word(o->spec, room, " %s", o->with);
    return fits;
}

/* ---- one offer ------------------------------------------------------------------------------------ */

static void describe(blm_offer *o, const blm_kind *k)
{
    blm_kind_info info;
    blm_kind_named(k->name, &info);
    o->kind = k->name;
    o->can = info.can;
    o->promises = info.promises;
    o->misses = info.misses;
    o->is_static = info.is_static;
    o->integers = info.integers;
}

static void price(blm_offer *o, blm_filter *f, uint64_t bytes)
{
    const blm_case full = {.keys = f->capacity, .arg = BLM_NO_ARG};
    uint64_t hashes = 0;
    blm_field_named(f, "hashes", &hashes);
    o->capacity = f->capacity;
    o->bytes = bytes;
    o->bits_per_key = (double)bytes * 8 / (double)f->capacity;
    o->fpr = f->target;
    o->rate = f->kind->fpr(f, &full).high;
    o->hashes = (unsigned)hashes;
    o->lines = f->kind->lines ? f->kind->lines(f, &full) : 1;
    o->can = f->can;
    o->promises &= ~f->lost;
    o->max_count = blm_max_count(f);
    o->deletes = !(f->can & BLM_DEL) ? 0 : f->kind->deletes ? f->kind->deletes(f, &full) : 1;
}

static blm_err too_long(blm_report *why)
{
    return blm_fail(why, BLM_E_ARG, "the settings are longer than %zu bytes",
                    sizeof((blm_offer *)0)->with - 1);
}

/* The smallest setting that counts as high as needed becomes part of the offer. A kind that counts less keeps
 * its default, or makes no offer if the wish says how high. One that does not count lacks it, no more. */
static blm_err count_high(search *s, blm_offer *o, blm_filter *f, blm_report *why)
{
    blm_knob_values v;
    uint64_t best = 0;
    const size_t i = blm_count_knob(f->kind);
    blm_err err = blm_knobs_parse(f->kind, o->with, &v, why);
    if (err) return err;
    err = blm_count_to(f, s->counts, &v, &o->max_count, &best, why);
    if (err == BLM_E_CANNOT) o->can &= ~(uint32_t)BLM_COUNT; /* with these settings */
    if (err == BLM_E_CANNOT || (err && best && !s->asked)) return BLM_OK;
    if (err) return s->low = best, err;
    if (i == f->kind->nknobs || v.text[i] || v.num[i] == f->kind->knobs[i].def) return BLM_OK;
    return word(o->with, sizeof o->with, "%s%s=%.0f", o->with[0] ? " " : "", f->kind->knobs[i].name,
                v.num[i])
               ? BLM_OK
               : too_long(why);
}

/* What the offer takes at its capacity if it was begun small. A setting that does not keep its promise so far, because it
 * has no more room to take, has no such price. */
static blm_err grown(blm_offer *o, const blm_kind *k, const blm_config *wish, blm_report *why)
{
    blm_config c = *wish;
    const blm_case full = {.keys = o->capacity, .arg = BLM_NO_ARG};
    uint64_t bytes = 0;
    if (!k->bytes_at || o->capacity <= BLM_PLAN_BEGUN) return BLM_OK;
    blm_filter *f = blm_blank(k, c.alloc);
    if (!f) return blm_fail(why, BLM_E_NOMEM, "no memory for the handle");
    c.keys = BLM_PLAN_BEGUN;
    c.bits = 0;
    c.fpr = o->fpr;
    blm_err err = blm_plan_fields(f, &c, why);
    if (!err) err = blm_shape(f, &bytes, why);
    if (!err && k->fpr(f, &full).high <= o->fpr) o->grown_bytes = k->bytes_at(f, o->capacity);
    blm_free(f);
    return err == BLM_E_NOMEM ? err : BLM_OK;
}

static blm_err size_up(search *s, blm_offer *o, const blm_kind *k, blm_report *why)
{
    blm_config c = s->wish;
    uint64_t bytes = 0;
    blm_err err = BLM_OK;
    blm_filter *f = blm_blank(k, c.alloc);
    if (!f) return blm_fail(why, BLM_E_NOMEM, "no memory for the handle");
    if (s->counts && o->can & BLM_COUNT) err = count_high(s, o, f, why);
    c.with = o->with;
    if (!err && s->sizes) err = blm_plan_fields(f, &c, why);
    if (!err && s->sizes) err = blm_shape(f, &bytes, why);
    if (!err && s->sizes && k->bytes_at) bytes = k->bytes_at(f, f->capacity);
    if (!err && s->sizes) price(o, f, bytes), err = grown(o, k, &c, why);
    blm_free(f);
    return err;
}

static blm_err offer_one(search *s, const blm_kind *k, const char *with)
{
    ranked *r = &s->row[s->n];
    blm_report why = {BLM_OK, ""};
    memset(r, 0, sizeof *r);
    describe(&r->offer, k);
    if (with && !word(r->offer.with, sizeof r->offer.with, "%s", with))
        return too_long(&s->refused);
    s->low = 0;
    const blm_err err = size_up(s, &r->offer, k, &why);
    r->offer.lacks = blm_needs_lacking(k, r->offer.can, s->needs);
    if (err == BLM_E_NOMEM) return s->refused = why, err;
    if (err && s->low && !s->wish.kind) { /* another kind may count higher */
        if (!r->offer.lacks && s->low > s->far) s->far = s->low, s->far_kind = k->name;
        return BLM_OK;
    }
    if (err) {
        if (!r->offer.lacks && !s->refused.code) s->refused = why;
        return BLM_OK;
    }
    if (s->sizes && !spec_text(s, &r->offer))
        return blm_fail(&s->refused, BLM_E_ARG, "the settings as text are longer than %zu bytes",
                        sizeof r->offer.spec - 1);
    s->fit += !r->offer.lacks;
    s->n++;
    return BLM_OK;
}

/* ---- a kind: one offer, or one for each word of its first knob that is a word, and of offers_too ------ */

static bool is_given(const blm_knobdef *d, const char *with)
{
    const size_t n = strlen(d->name);
    for (const char *p = with; p && (p = strstr(p, d->name)); p += n)
        if (p[n] == '=' && (p == with || p[-1] == ' ' || p[-1] == ',')) return true;
    return false;
}

/* The knobs whose words are offered, one at a time: at most two. None where a word of one of them is given. */
static size_t word_knobs(const blm_kind *k, const char *with, const blm_knobdef *out[2])
{
    size_t words = 0, n = 0;
    for (size_t i = 0; i < k->nknobs; i++) {
        const blm_knobdef *d = &k->knobs[i];
        if (d->type != BLM_K_WORD) continue;
        const bool offered = !words++ || (k->offers_too && strcmp(d->name, k->offers_too) == 0);
        if (offered && is_given(d, with)) return 0;
        if (offered && n < 2) out[n++] = d;
    }
    return n;
}

static size_t words_of(const blm_knobdef *d)
{
    size_t n = 1;
    for (const char *p = d->words; *p; p++) n += *p == '|';
    return n;
}

static blm_err offer_words(search *s, const blm_kind *k, const blm_knobdef *d, const char *given)
{
    const char *p = d->words;
    blm_err err = BLM_OK;
    for (size_t i = 0; !err && i < words_of(d); i++) {
        char with[512] = "";
        const size_t n = strcspn(p, "|");
        if (given) snprintf(with, sizeof with, "%.400s ", given);
        word(with, sizeof with, "%s=%.*s", d->name, (int)n, p);
        if (i != (size_t)d->def) err = offer_one(s, k, with);
        p += n + (p[n] == '|');
    }
    return err;
}

static blm_err offer_kind(search *s, const blm_kind *k)
{
    const char *given = s->wish.with && s->wish.with[0] ? s->wish.with : NULL;
    const blm_knobdef *d[2];
    const size_t n = word_knobs(k, given, d);
    blm_err err = offer_one(s, k, given); /* as it usually is: the first of equals */
    for (size_t i = 0; i < n && !err; i++) err = offer_words(s, k, d[i], given);
    return err;
}

/* ---- best first ----------------------------------------------------------------------------------------- */

/* Bits per key for each halving of the rate: log2(e) = 1.44 for standard. A rate below the requested one is
 * no gain, so among equal rates this is the order of bits per key. */
static double price_of(const search *s, const blm_offer *o)
{
    const blm_config *c = &s->wish;
    const double floor_rate = c->fpr > 0 ? c->fpr : rate_follows(c) ? 0x1p-64 : BLM_RATE_DEFAULT;
    return o->bits_per_key / -log2(fmax(o->rate, floor_rate));
}

static int by_key(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    for (size_t i = 0; i < KEYS; i++)
        if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

static bool same_class(const ranked *a, const ranked *b)
{
    return a->key[0] == b->key[0] && a->key[1] == b->key[1] && a->key[2] == b->key[2];
}

static double eighth_lines(const blm_offer *o) { return round(o->lines * 8); }

/* Sizes are rounded to be foldable: of offers that cost the same to 1 in 100 the kind that is listed first is
 * first. */
static double even_price(const search *s, size_t i)
{
    const double price = price_of(s, &s->row[i].offer);
    for (size_t j = 0; j < i; j++) {
        const double other = price_of(s, &s->row[j].offer);
        if (same_class(&s->row[i], &s->row[j]) && fabs(other - price) < 0.01 * price &&
            eighth_lines(&s->row[i].offer) == eighth_lines(&s->row[j].offer))
            return other;
    }
    return price;
}

/* What a filter costs that has to see all keys first, or that keys fill which come again, is no measure for one that takes them
 * as they come. */
static bool asks_more(const ranked *a, const ranked *b)
{
    return (a->offer.can & BLM_BUILD && !(b->offer.can & BLM_BUILD)) || (a->copies && !b->copies);
}

static void rank(search *s)
{
    const blm_config *c = &s->wish;
    const char *usual_kind = blm_default_kind(c->keys, c->fpr, c->bits, c->hashes);
    for (size_t i = 0; i < s->n; i++) {
        const blm_offer *o = &s->row[i].offer;
        double *key = s->row[i].key;
        key[0] = blm_needs_count(o->lacks);
        key[1] = o->integers || (o->misses && !(s->needs & BLM_NEED_FORGET));
        const blm_kind *k = blm_kind_find(o->kind, strlen(o->kind));
        if (s->counts && !blm_counts_to(k, o->max_count, s->counts)) key[1] += 2;
        if (k->superseded) key[1] += 0.5;
        s->row[i].copies = k->copies;
        const bool some = k->deletes && !(s->sizes && o->deletes >= 1);
        if (some && s->needs & BLM_NEED_DELETE) key[1] += 0.25;
        if (s->sizes && !o->grown_bytes && s->needs & BLM_NEED_GROW) key[1] += 0.25;
        key[2] = s->sizes && !o->bytes;
        key[6] = s->needs ? __builtin_popcount(o->can) : 0; /* what it cannot do buys something */
        key[7] = (double)i;
    }
    for (size_t i = 0; s->sizes && i < s->n; i++) {
        const blm_offer *o = &s->row[i].offer;
        const double price = price_of(s, o);
        double *key = s->row[i].key, min = price;
        for (size_t j = 0; j < s->n; j++)
            if (same_class(&s->row[i], &s->row[j]) && !asks_more(&s->row[j], &s->row[i]))
                min = fmin(min, price_of(s, &s->row[j].offer));
        key[3] = price > min * same_size;
        const bool def = strcmp(o->kind, usual_kind) == 0 && !o->with[0];
        const double lines = def ? 0 : eighth_lines(o), even = even_price(s, i);
        key[4] = key[3] > 0 ? even : lines;
        key[5] = key[3] > 0 ? lines : even;
    }
    qsort(s->row, s->n, sizeof *s->row, by_key);
}

/* ---- the call -------------------------------------------------------------------------------------------- */

static blm_err collect(search *s, const blm_kind *only, blm_report *why)
{
    blm_kind_info info;
    blm_err err = BLM_OK;
    for (size_t i = 0; !err && blm_kind_at(i, &info); i++) {
        const blm_kind *k = blm_kind_find(info.name, strlen(info.name));
        if (!only || k == only) err = offer_kind(s, k);
    }
    if (!err && s->fit) return BLM_OK;
    if (s->refused.code) {
        if (why) *why = s->refused;
        return s->refused.code;
    }
    if (s->far)
        return blm_fail(why, BLM_E_ARG,
                        "max-count %" PRIu64 ": no kind with these needs counts that "
                        "high; %s counts up to %" PRIu64,
                        s->counts, s->far_kind, s->far);
    return blm_needs_unmet(only, s->needs, why);
}

static blm_err make_room(search *s, const blm_alloc *a, blm_report *why)
{
    blm_kind_info info;
    s->room = 0;
    for (size_t i = 0; blm_kind_at(i, &info); i++) {
        const blm_knobdef *d[2];
        const blm_kind *k = blm_kind_find(info.name, strlen(info.name));
        const size_t n = word_knobs(k, s->wish.with, d);
        s->room++;
        for (size_t j = 0; j < n; j++) s->room += words_of(d[j]) - 1;
    }
    s->row =
        blm_take(a, (s->room + 1) * sizeof *s->row); /* a refused one is tried in the next row */
    return s->row ? BLM_OK : blm_fail(why, BLM_E_NOMEM, "no memory for %zu offers", s->room);
}

blm_err blm_plan(const blm_config *wish, uint32_t needs, blm_offer *out, size_t *n, blm_report *why)
{
    search s = {.needs = needs, .refused = {BLM_OK, ""}, .far_kind = ""};
    const blm_kind *only = NULL;
    blm_err err = blm_config_take(&s.wish, wish, why);
    if (!err) err = settle(&s, why);
    if (!err && s.wish.kind && !(only = blm_kind_wanted(s.wish.kind, why))) err = BLM_E_ARG;
    const blm_alloc a = !err && s.wish.alloc ? *s.wish.alloc : blm_alloc_default;
    if (!err) err = make_room(&s, &a, why);
    if (err) return err;
    err = collect(&s, only, why);
    if (!err) {
        rank(&s);
        for (size_t i = 0; i < s.n && i < *n; i++) out[i] = s.row[i].offer;
        *n = s.n;
    }
    blm_put_back(&a, s.row, (s.room + 1) * sizeof *s.row);
    return err;
}
