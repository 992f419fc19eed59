/* wishes.c - laws of what can be asked for: abilities, settings, capacity. */
#include <inttypes.h>
#include <math.h>

#include "core/core_internal.h"
#include "laws/laws.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }
static bool adds(const blm_kind_info *k) { return (k->can & BLM_ADD) != 0; }
static bool grows(const blm_kind_info *k) { return adds(k) && k->can & BLM_GROW; }

/* ---- cannot -------------------------------------------------------------------------------------- */

static blm_err try_key(blm_filter *f, blm_ability what, const blm_item *it)
{
    blm_estimate times;
    uint64_t number = 0, offsets[4];
    size_t n = 4;
    switch (what) {
    case BLM_ADD:
        return blm_add_item(f, it, NULL);
    case BLM_DEL:
        return blm_del_item(f, it);
    case BLM_COUNT:
        return blm_count_item(f, it, &times);
    case BLM_COUNT_ALL:
        return blm_count_all(f, it, 1, &times);
    case BLM_GET:
        return blm_get_item(f, it, &number);
    case BLM_PUT:
        return blm_put_item(f, it);
    case BLM_INDEX:
        return blm_index(f, it, &number);
    case BLM_PART:
        return blm_part(f, it, offsets, &n);
    case BLM_SHARED:
        return blm_add_shared(f, &it->h, 1, NULL);
    default:
        return BLM_E_CANNOT;
    }
}

static blm_err try_whole(blm_filter *f, blm_filter *g, blm_ability what)
{
    blm_filter *out = NULL;
    blm_overlap both;
    blm_estimate keys;
    size_t n = 0;
    switch (what) {
    case BLM_TICK:
        return blm_tick(f, 1);
    case BLM_MERGE:
        return blm_merge(f, g, NULL);
    case BLM_INTERSECT:
        return blm_intersect(f, g, NULL);
    case BLM_SUBTRACT:
        return blm_subtract(f, g, NULL);
    case BLM_FOLD:
        return blm_fold(&out, f, 1, NULL);
    case BLM_GROW:
        return blm_grow(f, NULL);
    case BLM_LIST:
        return blm_list(f, NULL, &n, NULL);
    case BLM_CARDINALITY:
        return blm_cardinality(f, &keys);
    case BLM_OVERLAP:
        return blm_overlap_of(f, g, &both, NULL);
    default:
        return BLM_E_CANNOT;
    }
}

static int law_cannot(const char *kind)
{
    blm_kind_info info;
    law_key room;
    blm_filter *f = law_filled(kind, 50, 20), *g = law_filled(kind, 50, 10);
    const blm_item it = law_item(f, LAW_MEMBER, 0, &room);
    law_need(blm_kind_named(kind, &info), kind, NULL);
    law_image before = law_save(f);
    for (unsigned bit = 0; blm_ability_name((blm_ability)(1u << bit)); bit++) {
        const blm_ability what = (blm_ability)(1u << bit);
        DEMAND(!blm_can(f, what) || info.can & (uint32_t)what,
               "it says that it can %s; its kind cannot", blm_ability_name(what));
        if (blm_can(f, what)) continue;
        blm_err err = try_key(f, what, &it);
        DEMAND(err == BLM_E_CANNOT, "%s, which it cannot: %s", blm_ability_name(what),
               blm_strerror(err));
        err = try_whole(f, g, what);
        DEMAND(err == BLM_E_CANNOT, "%s, which it cannot: %s", blm_ability_name(what),
               blm_strerror(err));
    }
    if (!blm_can(f, BLM_RANGE)) DEMAND(blm_range(f, 5, 4), "a kind without ranges must say: maybe");
    law_image after = law_save(f);
    DEMAND(law_same_image(&before, &after), "what it cannot do has changed it");
    law_drop(&before);
    law_drop(&after);
    blm_free(f);
    blm_free(g);
    return 0;
}

/* ---- bad_wishes ------------------------------------------------------------------------------------- */

static int refused(blm_err err, const blm_filter *out, const blm_report *why, const char *wish,
                   const char *word)
{
    DEMAND(err == BLM_E_ARG, "%s: %s", wish, blm_strerror(err));
    DEMAND(!out, "%s: *out is written", wish);
    DEMAND(why->code == BLM_E_ARG && strstr(why->text, word),
           "%s: the sentence \"%s\" has no \"%s\"", wish, why->text, word);
    return 0;
}

static int refused_text(const char *kind, const char *settings, const char *word)
{
    char text[200];
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    snprintf(text, sizeof text, "%s %s %s", kind, settings, law_with(kind));
    return refused(blm_make(&f, text, &why), f, &why, text, word);
}

static int refused_config(const blm_config *c, const char *wish, const char *word)
{
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    return refused(blm_new(&f, c, &why), f, &why, wish, word);
}

/* So many keys that no machine has the memory: refused, or a filter that keeps what it promises. */
static int too_large(const char *kind)
{
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    const uint64_t keys = UINT64_C(70000000000000000); /* 7e16; x 28.8 bits is more than 2^60 */
    law_purse purse = LAW_PURSE;
    const blm_alloc a = law_alloc(&purse);
    const blm_err err = blm_new(
        &f,
        BLM_CONFIG(.kind = kind, .keys = keys, .fpr = 1e-6, .with = law_with(kind), .alloc = &a),
        &why);
    DEMAND(err == BLM_E_ARG || err == BLM_E_NOMEM || !err, "7e16 keys: %s", blm_strerror(err));
    DEMAND(!err || (!f && why.text[0]), "7e16 keys: no sentence, or *out is written");
    if (err) return 0;
    const blm_case c = {.keys = keys, .arg = BLM_NO_ARG};
    DEMAND(blm_fpr(f, &c).high <= 1e-6 * 1.01, "7e16 keys: the rate will be %g",
           blm_fpr(f, &c).high);
    blm_free(f);
    return 0;
}

static int bad_configs(const char *kind)
{
    const blm_config good = {
        .size = sizeof good, .kind = kind, .keys = 100, .with = law_with(kind)};
    blm_config c = good;
    c.fpr = (double)NAN;
    if (refused_config(&c, "fpr NaN", "nan")) return 1;
    c.fpr = -1;
    if (refused_config(&c, "fpr -1", "-1")) return 1;
    c = good;
    c.hashes = 65;
    if (refused_config(&c, "hashes 65", "65")) return 1;
    c = good;
    c.keys = 0;
    if (refused_config(&c, "keys 0", "0")) return 1;
    c = good;
    c.size = 3;
    if (refused_config(&c, "size 3", "3")) return 1;
    return 0;
}

static int law_bad_wishes(const char *kind)
{
    static const char *const texts[][2] = {
        {"keys=0", "0"},
        {"keys=-5", "-5"},
        {"keys=many", "many"},
        {"keys=1e17", "1e17"},
        {"keys=100 fpr=0", "0"},
        {"keys=100 fpr=1", "1"},
        {"keys=100 fpr=5", "5%"},
        {"keys=100 fpr=-1", "-1"},
        {"keys=100 fpr=nan", "nan"},
        {"keys=100 bits=0", "0"},
        {"keys=100 bits=2305843009213693952", "2305843009213693952"},
        {"keys=100 hashes=65", "65"},
        {"keys=100 hashes=0", "0"},
        {"keys=100 max-count=0", "0"},
        {"keys=100 max-count=often", "often"},
        {"keys=100 max-count=1e17", "1e17"},
        {"keys=100 no-such-knob=3", "no-such-knob"},
        {"keys=100 overfill=perhaps", "perhaps"},
        {"keys=100 plum", "plum"},
        {"", "keys"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (refused_text(kind, texts[i][0], texts[i][1])) return 1;
    char stranger[64];
    snprintf(stranger, sizeof stranger, "%sx", kind);
    if (refused_text(stranger, "keys=100", kind)) return 1; /* did you mean ...? */
    return bad_configs(kind) || too_large(kind);
}

/* ---- capacity ----------------------------------------------------------------------------------------- */

/* Measures the rate with 20,000 non-members; the sd of a rate of 2.6 % is then 0.11 %. */
static double measured(const blm_filter *f)
{
    enum { PROBES = 20000, RUN = 1000 };
    blm_hash h[RUN];
    uint8_t yes[RUN];
    uint64_t hits = 0, asked = 0;
    law_key room;
    for (uint64_t at = 0; at < PROBES && at + RUN <= law_keys_max(f); at += RUN) {
        for (size_t i = 0; i < RUN; i++) h[i] = law_item(f, LAW_STRANGER, at + i, &room).h;
        blm_has_many(f, h, NULL, RUN, yes);
        for (size_t i = 0; i < RUN; i++) hits += yes[i];
        asked += RUN;
    }
    return asked ? (double)hits / (double)asked : 0;
}

static int too_many(const char *kind, uint64_t keys)
{
    const double promise = 0.01;
    blm_filter *f = law_filled(kind, keys, 0);
    blm_err err = BLM_OK;
    law_key room;
    for (uint64_t i = 0; i < keys * 5 / 2 && !err; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        law_image before = {NULL, 0};
        if (i >= keys) before = law_save(f);
        err = blm_add_item(f, &it, NULL);
        DEMAND(err == BLM_OK || err == BLM_E_FULL, "key %" PRIu64 ": %s", i, blm_strerror(err));
        DEMAND(!err || i >= keys, "full at %" PRIu64 " keys, planned for %" PRIu64, i, keys);
        if (err) {
            blm_report why = {BLM_OK, ""};
            DEMAND(blm_why_full(f, &it, &why) == BLM_E_FULL && why.text[0], "FULL, and not why");
            law_image after = law_save(f);
            DEMAND(law_same_image(&before, &after), "a key that is refused changes the filter");
            law_drop(&after);
        }
        law_drop(&before);
    }
    /* Looks are a 64th of the capacity apart, so the rate may pass 2 by a little before it is seen. */
    const double rate = measured(f);
    DEMAND(rate <= 2.6 * promise + 4 * sqrt(2.6 * promise / 20000),
           "%s with a rate of %g, promised was %g", err ? "full" : "still open", rate, promise);
    blm_free(f);
    return 0;
}

/* Keys that come again take no place: the filter never fills, and its rate stays, within 4 sigma of what is measured. */
static int same_keys(const char *kind, uint64_t keys)
{
    blm_filter *f = law_filled(kind, keys, keys);
    const double before = measured(f);
    for (int round = 0; round < 50; round++) {
        const blm_err err = law_add(f, 0, keys);
        DEMAND(err == BLM_OK, "the same keys, round %d: %s", round, blm_strerror(err));
    }
    const double after = measured(f);
    DEMAND(after <= before + 4 * sqrt(2 * fmax(before, 1e-4) / 20000),
           "the same keys 50 times: the rate was %g, and is %g", before, after);
    blm_free(f);
    return 0;
}

/* How often a key can be in the set, each time in a place of its own, or as often as it has places; 1: a key that comes again
 * takes none. Where copies have no end, a tenth of the places. */
static uint64_t copies_most(const char *kind, uint64_t keys)
{
    blm_filter *f = law_filled(kind, 1, 0);
    const blm_kind *k = f->kind;
    const uint64_t most = !k->copies          ? 1
                          : k->counts_by.knob ? keys / 10
                          : k->max_count      ? k->max_count(f)
                                              : 0;
    blm_free(f);
    return most < keys ? most : keys;
}

/* A kind with `copies` takes a key as often as it says; all of them are places, so the others have fewer. */
static int copies_of(const char *kind, uint64_t keys, uint64_t most)
{
    blm_filter *f = law_filled(kind, keys, 0);
    law_key room;
    const blm_item it = law_item(f, LAW_MEMBER, 0, &room);
    DEMAND(most > 0, "copies: a key can be in the set %" PRIu64 " times?", most);
    for (uint64_t i = 1; i <= most; i++)
        DEMAND(blm_add_item(f, &it, NULL) == BLM_OK,
               "no room for copy %" PRIu64 " of a key of which it takes %" PRIu64, i, most);
    DEMAND(blm_has_item(f, &it), "of %" PRIu64 " copies none is there", most);
    for (uint64_t i = 1; blm_can(f, BLM_DEL) && i <= most; i++) {
        const blm_err err = blm_del_item(f, &it);
        DEMAND(blm_has_item(f, &it) || (i == most && !err), "copy %" PRIu64 " of %" PRIu64 ": gone",
               i, most);
        if (err) break; /* stuck, or unsure */
    }
    blm_free(f);
    return 0;
}

/* A kind whose places end may say so; one whose rate has passed the promise may not. */
static int overfilled(const char *kind)
{
    blm_filter *f = law_make(kind, "keys=1000 fpr=1% overfill=yes");
    const blm_err err = law_add(f, 0, 5000);
    const double rate = blm_fpr(f, NULL).high;
    DEMAND(err == BLM_OK || (err == BLM_E_FULL && rate <= 0.02), "overfill=yes: %s at a rate of %g",
           blm_strerror(err), rate);
    blm_free(f);
    return 0;
}

static int law_capacity(const char *kind)
{
    const uint64_t most = copies_most(kind, 1000);
    return too_many(kind, 1000) ||
           (most == 1 ? same_keys(kind, 1000) : copies_of(kind, 1000, most)) || overfilled(kind);
}

/* ---- grow ---------------------------------------------------------------------------------------------------- */

static int all_there(const blm_filter *f, uint64_t n, uint64_t capacity)
{
    law_key room;
    for (uint64_t i = 0; i < n; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        DEMAND(blm_has_item(f, &it), "key %" PRIu64 " of %" PRIu64 " is gone, capacity %" PRIu64, i,
               n, capacity);
    }
    return 0;
}

/* One growth of a filter that holds as many keys as it had capacity for; *refused: it is as it was. */
static int grow_once(blm_filter *f, uint64_t *held, bool *refused)
{
    blm_info before, after;
    blm_report why = {BLM_OK, ""};
    blm_info_of(f, &before);
    blm_err added = *held < before.capacity ? law_add(f, *held, before.capacity - *held) : BLM_OK;
    DEMAND(!added, "room for %" PRIu64 " keys: %s", before.capacity, blm_strerror(added));
    if (*held < before.capacity) *held = before.capacity;
    law_image old = law_save(f);
    blm_info_of(f, &before); /* it may have grown by itself */
    const uint64_t n = before.capacity, more = 2 * n - *held;
    const blm_err err = blm_grow(f, &why);
    law_image now = law_save(f);
    *refused = err == BLM_E_FULL;
    DEMAND(!err || *refused, "grow: %s", blm_strerror(err));
    DEMAND(!*refused || (law_same_image(&old, &now) && why.text[0]),
           "a growth that is refused changes the filter, or has no sentence");
    law_drop(&old);
    law_drop(&now);
    if (*refused) return 0;
    blm_info_of(f, &after);
    DEMAND(after.capacity >= 2 * n, "grown from %" PRIu64 " keys to %" PRIu64, n, after.capacity);
    const blm_case then = {.keys = after.capacity, .arg = BLM_NO_ARG};
    const double rate = fmax(f->target, blm_fpr(f, &then).high);
    DEMAND(fabs(after.fpr_target - rate) <= 1e-6 * rate,
           "grown: the promise is %g, the rate at %" PRIu64 " keys %g", after.fpr_target,
           after.capacity, rate);
    if (all_there(f, *held, after.capacity)) return 1;
    added = law_add(f, *held, more);
    DEMAND(!added, "grown to %" PRIu64 " keys: as many again as before: %s", 2 * n,
           blm_strerror(added));
    *held += more;
    return all_there(f, *held, after.capacity);
}

/* Of keys 0 to 399, each fourth one three times: what the filter says. */
enum { TOLD = 400 };
static void tell(const blm_filter *f, blm_estimate told[TOLD])
{
    law_key room;
    for (uint64_t i = 0; i < TOLD; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        law_need(blm_count_item(f, &it, &told[i]) == BLM_OK, "count", NULL);
    }
}

/* Half of the keys leave, as often as they came; the others are there, and counted no lower than they came. */
static int leave_after(blm_filter *f)
{
    law_key room;
    blm_info info;
    blm_estimate told = {0, 0, 0, false};
    blm_info_of(f, &info);
    for (uint64_t i = 1; i < TOLD; i += 2) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        const blm_err err = blm_del_item(f, &it);
        DEMAND(!err || (f->kind->deletes && err == BLM_E_UNSURE),
               "key %" PRIu64 " cannot leave: %s", i, blm_strerror(err));
    }
    for (uint64_t i = 0; i < TOLD; i += 2) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        const double truth = i % 4 ? 1 : 3;
        DEMAND(blm_has_item(f, &it), "grown, others deleted: key %" PRIu64 " is gone", i);
        if (!blm_can(f, BLM_COUNT)) continue;
        DEMAND(!blm_count_item(f, &it, &told), "count");
        DEMAND(!(info.promises & BLM_NEVER_LOW) || told.bound || told.value >= truth,
               "grown, others deleted: count %g, key %" PRIu64 " came %g times", told.value, i,
               truth);
    }
    return 0;
}

static int counts_stay(const char *kind)
{
    blm_filter *f = law_filled(kind, law_places(kind, 2 * TOLD, 3), TOLD);
    blm_estimate before[TOLD], after[TOLD];
    law_key room;
    for (uint64_t i = 0; i < 2 * TOLD; i += 4) {
        const blm_item it = law_item(f, LAW_MEMBER, i % TOLD, &room);
        DEMAND(!blm_add_item(f, &it, NULL), "add within capacity");
    }
    for (unsigned times = 0; times < 2; times++) {
        if (blm_can(f, BLM_COUNT)) tell(f, before);
        const blm_err err = blm_grow(f, NULL);
        DEMAND(!err || err == BLM_E_FULL, "grow: %s", blm_strerror(err));
        if (!blm_can(f, BLM_COUNT)) continue;
        tell(f, after);
        for (size_t i = 0; i < TOLD; i++)
            DEMAND(before[i].value == after[i].value && before[i].bound == after[i].bound,
                   "grown: key %zu was counted %g times, and is %g times", i, before[i].value,
                   after[i].value);
    }
    const int broken = blm_can(f, BLM_DEL) ? leave_after(f) : 0;
    blm_free(f);
    return broken;
}

static int law_grow(const char *kind)
{
    static const uint64_t sizes[] = {1, 20, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        blm_filter *f = law_filled(kind, sizes[i], sizes[i]);
        uint64_t held = sizes[i];
        bool refused = false;
        for (unsigned times = 0; times < 7 && !refused; times++) {
            if (grow_once(f, &held, &refused)) return 1;
            DEMAND(times || !refused, "a filter of 1 %% does not grow at all");
        }
        blm_free(f);
    }
    return counts_stay(kind);
}

/* ---- plans_agree ---------------------------------------------------------------------------------------- */

/* What becomes of a wish: no cells are made. */
typedef struct outcome {
    uint64_t keys, bits;
    double fpr;
} outcome;

static blm_err planned(const char *kind, uint64_t keys, double fpr, uint64_t bits, outcome *out,
                       blm_report *why)
{
    const blm_config c = {.size = sizeof c,
                          .kind = kind,
                          .keys = keys,
                          .fpr = fpr,
                          .bits = bits,
                          .with = law_with(kind)};
    blm_filter *f = blm_blank(blm_kind_find(kind, strlen(kind)), NULL);
    uint64_t bytes = 0;
    law_need(f != NULL, "no memory", NULL);
    blm_err err = blm_plan_fields(f, &c, why);
    if (!err) err = blm_shape(f, &bytes, why);
    if (!err) *out = (outcome){f->capacity, bytes * 8, f->target};
    blm_free(f);
    return err;
}

/* A promise has 24 bits. */
static bool at_most(double rate, double limit) { return rate <= limit * (1 + 1e-6); }

static int plans_of(const char *kind, uint64_t n, double p)
{
    outcome first = {0, 0, 0}, again = {0, 0, 0};
    blm_report why = {BLM_OK, ""};
    /* It does not take this wish, or has its cells in children: bits then say nothing of its size. */
    if (planned(kind, n, p, 0, &first, NULL) || !first.bits) return 0;
    blm_err err = planned(kind, n, 0, first.bits, &again, &why);
    DEMAND(!err, "%" PRIu64 " keys at %g take %" PRIu64 " bits, but so many are refused: %s", n, p,
           first.bits, why.text);
    DEMAND(again.bits <= first.bits, "%" PRIu64 " bits are given, %" PRIu64 " are taken",
           first.bits, again.bits);
    DEMAND(at_most(again.fpr, p),
           "%" PRIu64 " keys at %g take %" PRIu64 " bits; keys and bits give a rate of %g", n, p,
           first.bits, again.fpr);
    err = planned(kind, n, p, first.bits, &again, &why);
    DEMAND(!err, "%" PRIu64 " keys at %g take %" PRIu64 " bits; all three together are refused: %s",
           n, p, first.bits, why.text);
    err = planned(kind, 0, p, first.bits, &again, &why);
    DEMAND(!err, "%" PRIu64 " bits at %g: %s", first.bits, p, why.text);
    DEMAND(again.keys >= n,
           "%" PRIu64 " keys at %g take %" PRIu64 " bits, which hold %" PRIu64 " keys at that rate",
           n, p, first.bits, again.keys);
    return 0;
}

/* Every third pair of these by default, every sixth with other words: each number and each rate comes. */
static int law_plans_agree(const char *kind)
{
    const size_t step = law_with(kind)[0] || law_small || TEST_SLOW ? 6 : 3;
    static const uint64_t keys[] = {1, 2, 10, 100, 1000, 100000, 10000000};
    static const double rates[] = {0.3, 0.1, 0.03, 0.01, 0.001, 1e-6};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (size_t j = 0; j < sizeof rates / sizeof *rates; j++)
            if ((i + j) % step == 0 && plans_of(kind, keys[i], rates[j])) return 1;
    return 0;
}

const law laws_of_wishes[] = {
    {"cannot", "each ability that is absent answers CANNOT, and blm_can says so", always,
     law_cannot},
    {"bad_wishes", "a wish that makes no sense: ARG, a sentence with the value, nothing made",
     always, law_bad_wishes},
    {"capacity", "too many keys end in FULL in time; the same keys, copies and overfill never do",
     adds, law_capacity},
    {"grow", "grown: all keys are there, counts are the same, room for as many again; or FULL",
     grows, law_grow},
    {"plans_agree", "the bits for keys and a rate hold these keys, and keep that rate", always,
     law_plans_agree},
    {NULL, NULL, always, NULL},
};
