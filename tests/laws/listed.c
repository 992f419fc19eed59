/* listed.c - the laws of lists: of counts that are asked together, and of the keys that a filter lists.
 *
 * count_all. Of a full list the counts are right: each interval holds the truth, and as long as there are no more keys than planned,
 * 95 of 100 are a single number. A kind that cannot tell says UNSURE. A list that lacks a key that was added makes no other
 * count wrong: it is UNSURE, or the intervals hold the truth. Keys that come twice in a list, or were never added, are
 * no trouble.
 *
 * list. A filter lists what it keeps of its keys, hashes or fingerprints, each once. Each item is a member, and added to an
 * empty filter as often as the filter counts it, they are the set again.
 */
#include <inttypes.h>

#include "core/core_internal.h"
#include "laws/laws.h"

static bool counts_all(const blm_kind_info *k) { return (k->can & BLM_COUNT_ALL) != 0; }

enum { HEAVY = 300 };

/* Some keys come far more often, where counters reach that far. */
static uint64_t times_of(const blm_filter *f, uint64_t i)
{
    const bool heavy = i % 50 == 7 && (!f->kind->max_count || f->kind->max_count(f) > 2 * HEAVY);
    return 1 + i % 4 + (heavy ? HEAVY : 0);
}

/* Members 0 .. n - 1, key i as often as times_of says. */
static void add_members(blm_filter *f, uint64_t n)
{
    law_key room;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t t = 0; t < times_of(f, i); t++) {
            const blm_item it = law_item(f, LAW_MEMBER, i, &room);
            law_need(blm_add_item(f, &it, NULL) == BLM_OK, "add within capacity", NULL);
        }
}

/* A list of items, the truth of each, and what the filter says. */
typedef struct roll {
    const blm_filter *f;
    law_key *room;
    blm_item *it;
    double *truth;
    blm_estimate *times;
    size_t n;
} roll;

static roll roll_new(const blm_filter *f, size_t max)
{
    const roll r = {f,
                    calloc(max, sizeof *r.room),
                    calloc(max, sizeof *r.it),
                    calloc(max, sizeof *r.truth),
                    calloc(max, sizeof *r.times),
                    0};
    law_need(r.room && r.it && r.truth && r.times, "no memory", NULL);
    return r;
}

static void roll_free(roll *r)
{
    free(r->room);
    free(r->it);
    free(r->truth);
    free(r->times);
}

static void enlist(roll *r, law_side side, uint64_t i, uint64_t times)
{
    r->it[r->n] = law_item(r->f, side, i, &r->room[r->n]);
    r->truth[r->n] = (double)(times * law_weight(&r->it[r->n]));
    r->n++;
}

static void enlist_members(roll *r, uint64_t n, uint64_t but)
{
    for (uint64_t i = 0; i < n; i++)
        if (i != but) enlist(r, LAW_MEMBER, i, times_of(r->f, i));
}

/* OK, and every interval holds the truth; or UNSURE, and nothing is written. *exact: how many are one number. */
static int ask(const roll *r, const char *what, blm_err *err, uint64_t *exact)
{
    const blm_estimate blank = {-7, -7, -7, true};
    *exact = 0;
    for (size_t i = 0; i < r->n; i++) r->times[i] = blank;
    *err = blm_count_all(r->f, r->it, r->n, r->times);
    DEMAND(*err == BLM_OK || *err == BLM_E_UNSURE, "%s: %s", what, blm_strerror(*err));
    for (size_t i = 0; i < r->n; i++) {
        const blm_estimate t = r->times[i];
        DEMAND(!*err || t.low == blank.low, "%s: UNSURE, and count %zu is written", what, i);
        if (*err) continue;
        DEMAND(t.low <= t.value && t.value <= t.high, "%s: an estimate outside itself", what);
        DEMAND(t.low <= r->truth[i] && r->truth[i] <= t.high,
               "%s: count %zu lies between %g and %g, the truth is %g", what, i, t.low, t.high,
               r->truth[i]);
        *exact += t.low == t.high;
    }
    return 0;
}

enum { KEYS = 500, TWICE = 10, STRANGERS = 20, MOST = 3000 };

/* Twice and strangers: some members come a second time, and keys that never came are asked, too. */
static int full(const char *kind, uint64_t seed, bool twice, bool strangers)
{
    char what[80];
    uint64_t exact;
    blm_err err;
    blm_filter *f = law_filled(kind, KEYS, 0);
    f->seed = seed;
    add_members(f, KEYS);
    roll r = roll_new(f, KEYS + TWICE + STRANGERS);
    enlist_members(&r, KEYS, UINT64_MAX);
    for (uint64_t i = 0; i < TWICE && twice; i++) enlist(&r, LAW_MEMBER, 7 * i, times_of(f, 7 * i));
    for (uint64_t i = 0; i < STRANGERS && strangers; i++) enlist(&r, LAW_STRANGER, i, 0);
    snprintf(what, sizeof what, "seed %" PRIu64 ", all members%s%s", seed,
             twice ? ", some twice" : "", strangers ? " and others" : "");
    if (ask(&r, what, &err, &exact)) return 1;
    DEMAND(!err, "%s, as many as planned: %s", what, blm_strerror(err));
    DEMAND(exact * 100 >= r.n * 95, "%s: %" PRIu64 " of %zu counts are exact", what, exact, r.n);
    for (size_t i = KEYS; i < r.n && twice; i++)
        DEMAND(i >= KEYS + TWICE || r.times[i].high == r.times[7 * (i - KEYS)].high,
               "%s: one key, two counts", what);
    roll_free(&r);
    blm_free(f);
    return 0;
}

static int lacking(const char *kind)
{
    uint64_t exact;
    blm_err err;
    char what[40];
    blm_filter *f = law_filled(kind, KEYS, 0);
    add_members(f, KEYS);
    for (uint64_t but = 0; but < KEYS; but += law_small ? 100 : 17) {
        roll r = roll_new(f, KEYS);
        enlist_members(&r, KEYS, but);
        snprintf(what, sizeof what, "all but member %" PRIu64, but);
        if (ask(&r, what, &err, &exact)) return 1;
        roll_free(&r);
    }
    blm_free(f);
    return 0;
}

/* Planned for a sixtieth, a tenth, a third, half, ... of the keys that come. */
static int overfull(const char *kind)
{
    static const uint64_t planned[] = {50, 300, 1000, 1500, 2000, 2700};
    for (size_t i = 0; i < sizeof planned / sizeof *planned; i++) {
        char settings[60];
        uint64_t exact;
        blm_err err;
        snprintf(settings, sizeof settings, "keys=%" PRIu64 " overfill=yes", planned[i]);
        blm_filter *f = law_make(kind, settings);
        add_members(f, MOST);
        roll r = roll_new(f, MOST);
        enlist_members(&r, MOST, UINT64_MAX);
        if (ask(&r, settings, &err, &exact)) return 1;
        roll_free(&r);
        blm_free(f);
    }
    return 0;
}

static int of_nothing(const char *kind)
{
    uint64_t exact;
    blm_err err;
    blm_filter *f = law_filled(kind, KEYS, 0);
    roll r = roll_new(f, KEYS);
    if (ask(&r, "no key of none", &err, &exact)) return 1;
    DEMAND(!err, "no key of none: %s", blm_strerror(err));
    for (uint64_t i = 0; i < KEYS; i++) enlist(&r, i % 2 ? LAW_STRANGER : LAW_MEMBER, i, 0);
    if (ask(&r, "an empty filter", &err, &exact)) return 1;
    DEMAND(!err && exact == KEYS, "an empty filter: %s, %" PRIu64 " of %d counts are exact",
           blm_strerror(err), exact, KEYS);
    roll_free(&r);
    blm_free(f);
    return 0;
}

static int law_count_all(const char *kind)
{
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (unsigned more = 0; more < 4; more++)
            if (full(kind, seed, more & 1, more & 2)) return 1;
    return lacking(kind) || overfull(kind) || of_nothing(kind);
}

/* ---- list ------------------------------------------------------------------------------------ */

static bool lists(const blm_kind_info *k) { return k->can & BLM_LIST && k->can & BLM_ADD; }

static int by_hash(const void *a, const void *b)
{
    const blm_hash x = ((const blm_item *)a)->h, y = ((const blm_item *)b)->h;
    if (x.lo != y.lo) return x.lo < y.lo ? -1 : 1;
    return x.hi < y.hi ? -1 : x.hi > y.hi;
}

/* The list of f, sorted; where there is room for half of it, half of it is written. */
static int take_list(const blm_filter *f, blm_item **out, size_t *n)
{
    enum { SPARE = 8 };
    size_t all = 0, half;
    DEMAND(blm_list(f, NULL, &all, NULL) == BLM_OK, "the number of keys in the list");
    blm_item *it = calloc(all + SPARE, sizeof *it);
    law_need(it != NULL, "no memory", NULL);
    *n = half = all / 2;
    DEMAND(blm_list(f, it, n, NULL) == BLM_OK && *n == all, "%zu keys, or %zu", all, *n);
    for (size_t i = half; i < all + SPARE; i++)
        DEMAND(!it[i].h.lo && !it[i].h.hi, "room for %zu items, and number %zu is written", half,
               i);
    *n = all + SPARE;
    DEMAND(blm_list(f, it, n, NULL) == BLM_OK && *n == all, "%zu keys, or %zu", all, *n);
    qsort(it, all, sizeof *it, by_hash);
    *out = it;
    return 0;
}

/* Some maps list what has been put. */
static blm_err enter(blm_filter *f, const blm_item *it)
{
    const blm_err err = blm_add_item(f, it, NULL);
    return err || !blm_can(f, BLM_PUT) ? err : blm_put_item(f, it);
}

/* Added again, as often as f counts each. */
static int made_again(const blm_filter *f, blm_filter *g, const blm_item *it, size_t n)
{
    const bool counts = blm_can(f, BLM_COUNT);
    for (size_t i = 0; i < n; i++) {
        blm_estimate times = {1, 1, 1, false};
        DEMAND(!i || by_hash(&it[i - 1], &it[i]), "item %zu is listed twice", i);
        DEMAND(blm_has_item(f, &it[i]), "item %zu of the list is not in the set", i);
        if (counts) DEMAND(blm_count_item(f, &it[i], &times) == BLM_OK, "count");
        DEMAND(times.value >= 1, "item %zu of the list is there %g times", i, times.value);
        for (double t = 0; t < times.value; t++)
            DEMAND(enter(g, &it[i]) == BLM_OK, "add within capacity");
    }
    if (counts && f->kind->promises & BLM_ANY_ORDER)
        DEMAND(blm_equal(f, g), "the items of the list, added again, are another set");
    return 0;
}

static int law_list(const char *kind)
{
    law_key room;
    blm_item *it = NULL;
    size_t n = 0;
    const uint64_t places = law_places(kind, KEYS, 3);
    blm_filter *f = law_filled(kind, places, 0), *g = law_filled(kind, places, 0);
    for (uint64_t i = 0; i < KEYS && blm_can(f, BLM_LIST); i++)
        for (uint64_t t = 0; t <= i % 3; t++) {
            const blm_item one = law_item(f, LAW_MEMBER, i, &room);
            DEMAND(enter(f, &one) == BLM_OK, "add within capacity");
        }
    if (blm_can(f, BLM_LIST)) {
        if (take_list(f, &it, &n)) return 1;
        /* At fpr 1 %, and a load of a third of it or more, fewer than 1 % share a fingerprint: 5 expected. */
        DEMAND(n <= KEYS && n >= KEYS - 15, "%zu items, of %d keys", n, KEYS);
        if (made_again(f, g, it, n)) return 1;
        free(it);
        for (uint64_t i = 0; i < KEYS; i++) {
            const blm_item one = law_item(f, LAW_MEMBER, i, &room);
            DEMAND(blm_has_item(g, &one), "key %" PRIu64 " is not among what is listed", i);
        }
    }
    blm_free(f);
    blm_free(g);
    return 0;
}

const law laws_of_lists[] = {
    {"list", "what is listed is in the set, each once; added again, it is the set", lists,
     law_list},
    {"count_all", "counts of a whole list hold the truth; one that lacks a key is UNSURE",
     counts_all, law_count_all},
    {NULL, NULL, NULL, NULL},
};
