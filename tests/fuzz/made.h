/* made.h - keys, and the filters that sequences of calls begin with: by a wish, empty or built of keys. */
#ifndef BLM_TESTS_MADE_H
#define BLM_TESTS_MADE_H
#include "fuzz/wish.h"

enum { KEYS = 64, MEMORY = 1 << 20, LARGE = 8 << 10 }; /* LARGE: an image that is not used */

/* ---- keys ---------------------------------------------------------------------------------------- */

typedef struct key {
    uint8_t bytes[8];
    size_t len;
} key;

/* Integers are small, so that some are in the world of their filter; others have 0 to 8 bytes. */
static inline key key_of(const blm_filter *f, unsigned i)
{
    key k = {{(uint8_t)i}, 8};
    if (f->kind->needs & BLM_NEEDS_U64) return k;
    memset(k.bytes + 1, 'x', sizeof k.bytes - 1);
    k.len = i ? 1 + i % 8 : 0;
    return k;
}

/* The number of a key is always the same; weights are mostly small. */
static inline uint64_t arg_of(const blm_filter *f, unsigned i)
{
    uint64_t min, max;
    if (!blm_arg_range(f, &min, &max)) return BLM_NO_ARG;
    if (!min && f->kind->arg.again == BLM_AGAIN_SUM) min = 1; /* 0 would add nothing */
    if (i % 16 == 15) return max;
    return max - min < i % 8 ? min : min + i % 8;
}

static inline blm_item item_of(const blm_filter *f, const key *k, unsigned i)
{
    return blm_item_of(f, k->bytes, k->len, arg_of(f, i));
}

typedef struct range { /* of keys */
    unsigned first, n;
} range;

static inline range next_range(input *in)
{
    const unsigned first = next(in) % KEYS;
    return (range){first, next(in) % (KEYS + 1)};
}

/* ---- filters --------------------------------------------------------------------------------------- */

/* How a filter is made: by its wish, empty or of these keys. Few choices, since each is planned. */
typedef struct recipe {
    const wish *w;
    range r;
    unsigned listed; /* keys of each list but the members */
    uint8_t how, fails_at;
} recipe;

enum { LISTED = 1, OTHERS = 2, KEYS_UNKNOWN = 4, BUILT = 8 }; /* bits of how */

static inline recipe next_recipe(input *in, const wish *by, unsigned fails_at)
{
    recipe c = {by, {0, 0}, 0, next(in) & 15, fails_at & 3};
    if (by->kind.is_static) c.how |= BUILT;
    if (!(c.how & BUILT)) c.how = 0;
    if (c.how & BUILT) c.r = c.how & OTHERS ? (range){KEYS / 2, 5} : (range){0, 40};
    if (c.how & LISTED) c.listed = 12;
    return c;
}

/* Lists other than the members get keys that are not members. */
static inline blm_err fill_builder(blm_builder *b, const recipe *c)
{
    blm_err err = BLM_OK;
    const blm_filter *hasher = blm_builder_hasher(b);
    for (unsigned list = 0; list <= c->w->kind.nlists; list++)
        for (unsigned j = 0; j < (list ? c->listed : c->r.n) && !err; j++) {
            const unsigned at = list ? c->r.n + j : j, i = (c->r.first + at) % KEYS;
            const key k = key_of(hasher, i);
            if (at < KEYS) err = blm_builder_add(b, list, k.bytes, k.len, arg_of(hasher, i));
        }
    return err;
}

static inline blm_err build(blm_filter **out, const recipe *c, const blm_config *by,
                            blm_report *why)
{
    blm_builder *b = NULL;
    uint64_t distinct = 0;
    blm_err err = blm_builder_new(&b, by, why);
    if (err) return err;
    err = fill_builder(b, c);
    if (err) {
        *why = (blm_report){err, "none: builders tell later"};
        blm_builder_free(b);
        return err;
    }
    if (blm_builder_distinct(b, &distinct, NULL) == BLM_OK) MUST(distinct == c->r.n);
    return blm_build(out, b, why);
}

/* Makes it as wished; else without hashes, which some kinds choose themselves; else with the default rate. */
static inline blm_err cook(blm_filter **out, const recipe *c, const blm_alloc *alloc,
                           blm_report *why)
{
    blm_err err = BLM_E_ARG;
    blm_config by = c->w->c;
    by.with = c->w->with;
    by.alloc = alloc;
    if (c->how & KEYS_UNKNOWN) by.keys = by.bits = 0; /* else they are searched for */
    for (int turn = 0; turn < 3 && err == BLM_E_ARG; turn++) {
        *why = (blm_report){BLM_OK, ""};
        err = c->how & BUILT ? build(out, c, &by, why) : blm_new(out, &by, why);
        MUST(!err == (*out != NULL));
        by.hashes = 0;
        if (turn) by.bits = 0;
    }
    if (err || blm_saved_size(*out) <= LARGE) return err;
    blm_free(*out);
    *out = NULL;
    *why = (blm_report){BLM_E_ARG, "too large for what is done to it here"};
    return BLM_E_ARG;
}

static inline void in_order(blm_rate r) { MUST(r.low >= 0 && r.low <= r.high && r.high <= 1); }

/* The rates of the same wish for 10^6 keys, by its fields: no cells are made. */
static inline void check_planned(const wish *w)
{
    static bool asked[256][WISHES];
    const uint64_t keys[] = {1000, 500000, 1000000, 3000000};
    bool *once = &asked[w->kind_number][w->number];
    uint64_t bytes = 0;
    blm_config c = w->c;
    if (*once) return;
    *once = true;
    c.with = w->with;
    c.bits = c.bits / c.keys * 1000000;
    c.keys = 1000000;
    blm_filter *f = blm_blank(blm_kind_find(c.kind, strlen(c.kind)), NULL);
    const bool planned = f && !blm_plan_fields(f, &c, NULL) && !blm_shape(f, &bytes, NULL);
    for (size_t i = 0; planned && i < sizeof keys / sizeof *keys; i++) {
        const blm_case at = {.keys = keys[i], .gap = keys[i], .arg = BLM_NO_ARG};
        in_order(blm_fpr(f, &at));
        in_order(blm_fnr(f, &at));
    }
    blm_free(f);
}

/* Planning can take a hundred times as long as all other calls: what was made before is loaded from its image. So
 * are those that are made for the first time, lest an input give something else when it comes again. */
typedef struct made {
    uint16_t by[4];
    bool known;
    saved image;
    blm_report why;
} made;

static inline const made *made_by(const recipe *c)
{
    static made shelf[32768];
    meter m = {.limit = MEMORY, .fails_at = c->fails_at};
    const blm_alloc alloc = {meter_get, meter_put, &m};
    blm_filter *f = NULL;
    const uint16_t by[4] = {c->how, c->fails_at, c->w->kind_number, c->w->number};
    made *e = &shelf[blm_checksum(by, sizeof by, 0) % (sizeof shelf / sizeof *shelf)];
    if (e->known && !memcmp(e->by, by, sizeof by)) return e;
    free(e->image.at);
    *e = (made){.known = true};
    memcpy(e->by, by, sizeof by);
    check_planned(c->w);
    const blm_err err = cook(&f, c, &alloc, &e->why);
    MUST(err == e->why.code && (err != BLM_E_NOMEM || m.refused));
    if (!err) e->image = image_of(f);
    blm_free(f);
    MUST(m.now == 0);
    return e;
}
#endif
