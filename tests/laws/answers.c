/* answers.c - laws of what a filter answers and how its cells come to be. */
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "core/kind.h"
#include "core/core_internal.h"
#include "laws/laws.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }
static bool adds(const blm_kind_info *k) { return (k->can & BLM_ADD) != 0; }
static bool any_order(const blm_kind_info *k) { return (k->promises & BLM_ANY_ORDER) != 0; }
static bool idempotent(const blm_kind_info *k) { return adds(k) && k->promises & BLM_IDEMPOTENT; }
static bool del_exact(const blm_kind_info *k) { return adds(k) && k->promises & BLM_DEL_EXACT; }
static bool counts(const blm_kind_info *k) { return adds(k) && k->can & BLM_COUNT; }
static bool gets_puts(const blm_kind_info *k) { return k->can & BLM_GET && k->can & BLM_PUT; }
static bool ticks(const blm_kind_info *k) { return adds(k) && k->can & BLM_TICK; }
static bool no_misses(const blm_kind_info *k) { return k->promises & BLM_NO_MISS || k->misses; }

/* ---- no_miss --------------------------------------------------------------------------------- */

/* Where the kind itself says that a key of that age is never missed. */
static bool promised(const blm_filter *f, uint64_t n, uint64_t gap)
{
    const blm_case c = {.keys = n, .gap = gap, .arg = BLM_NO_ARG};
    return blm_fnr(f, &c).high <= 0;
}

static int ask_all(const blm_filter *f, uint64_t n, const char *where)
{
    law_key room;
    if (!promised(f, n, 0)) return 0;
    for (uint64_t i = 0; i < n; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        DEMAND(blm_has_item(f, &it), "key %" PRIu64 " of %" PRIu64 " is missed %s", i, n, where);
        if (!blm_can(f, BLM_RANGE)) continue;
        DEMAND(blm_range(f, it.h.lo, it.h.lo) && blm_range(f, it.h.lo - (i > 0), it.h.lo) &&
                   blm_range(f, 0, UINT64_MAX),
               "key %" PRIu64 " is missed by a range around it", i);
    }
    return 0;
}

static int ask_images(const blm_filter *f, uint64_t n)
{
    blm_filter *g = NULL;
    blm_report why = {BLM_OK, ""};
    law_image im = law_save(f);
    const char *path = law_path();
    DEMAND(blm_load(&g, im.p, im.n, NULL, &why) == BLM_OK, "load: %s", why.text);
    if (ask_all(g, n, "after load")) return 1;
    blm_free(g);
    unlink(path);
    DEMAND(blm_write(f, path, BLM_WRITE_NEW, &why) == BLM_OK, "write: %s", why.text);
    DEMAND(blm_map(&g, path, BLM_OPEN(.check = BLM_CHECK_TOUCHED), &why) == BLM_OK, "map: %s",
           why.text);
    if (ask_all(g, n, "in a mapped file")) return 1;
    blm_free(g);
    unlink(path);
    DEMAND(blm_copy(&g, f, &why) == BLM_OK, "copy: %s", why.text);
    if (ask_all(g, n, "after copy")) return 1;
    blm_free(g);
    law_drop(&im);
    return 0;
}

static int ask_merged(const char *kind, uint64_t n)
{
    blm_filter *a = law_filled(kind, n, n / 2), *b = law_filled(kind, n, 0);
    blm_report why = {BLM_OK, ""};
    if (blm_can(a, BLM_MERGE) && law_may_add(b)) {
        DEMAND(law_add(b, n / 2, n - n / 2) == BLM_OK, "add within capacity");
        DEMAND(blm_merge(a, b, &why) == BLM_OK, "merge: %s", why.text);
        if (ask_all(a, n, "after merge")) return 1;
    }
    blm_free(a);
    blm_free(b);
    return 0;
}

static int ask_folded(const blm_filter *f, uint64_t n)
{
    blm_filter *g = NULL;
    if (!blm_can(f, BLM_FOLD) || blm_fold(&g, f, 1, NULL)) return 0;
    const int broken = ask_all(g, n, "after fold");
    blm_free(g);
    return broken;
}

static int law_no_miss(const char *kind)
{
    const uint64_t sizes[] = {1, 2, 100, TEST_SLOW && !law_catches ? 600 : 3000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        blm_filter *f = law_filled(kind, sizes[i], sizes[i]);
        if (ask_all(f, sizes[i], "after adding") || ask_images(f, sizes[i]) ||
            ask_folded(f, sizes[i]) || ask_merged(kind, sizes[i]))
            return 1;
        blm_free(f);
    }
    return 0;
}

/* ---- any_order, idempotent, clear --------------------------------------------------------------- */

static void shuffle(uint64_t *order, uint64_t n, uint64_t *state) /* Fisher, Yates */
{
    for (uint64_t i = n - 1; i > 0; i--) {
        const uint64_t j = law_random(state) % (i + 1), was = order[i];
        order[i] = order[j];
        order[j] = was;
    }
}

static int added_in(const blm_filter *straight, const char *kind, const uint64_t *order, uint64_t n)
{
    law_key room;
    blm_filter *f = law_filled(kind, n, 0);
    for (uint64_t i = 0; law_may_add(f) && i < n; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, order[i], &room);
        DEMAND(blm_add_item(f, &it, NULL) == BLM_OK, "add within capacity");
    }
    DEMAND(!law_may_add(f) || blm_equal(straight, f), "shuffled keys give other bytes");
    blm_free(f);
    return 0;
}

/* keys unknown: the builder finds out how many there are. */
static int law_any_order(const char *kind)
{
    enum { KEYS = TEST_SLOW ? 200 : 1000 };
    uint64_t order[KEYS], state = 1;
    const blm_config unknown = {
        .size = sizeof unknown, .kind = kind, .fpr = 0.01, .with = law_with(kind)};
    blm_filter *added = law_filled(kind, KEYS, KEYS), *built = law_build(&unknown, NULL, KEYS);
    for (uint64_t i = 0; i < KEYS; i++) order[i] = i;
    for (int round = 0; round < 3; round++) {
        shuffle(order, KEYS, &state);
        if (added_in(added, kind, order, KEYS)) return 1;
        blm_filter *f = law_build(&unknown, order, KEYS);
        DEMAND(blm_equal(built, f), "shuffled keys in the builder give other bytes");
        blm_free(f);
    }
    blm_free(added);
    blm_free(built);
    return 0;
}

static int law_idempotent(const char *kind)
{
    enum { KEYS = 500 };
    law_key room;
    bool fresh = true;
    blm_filter *once = law_filled(kind, KEYS, KEYS), *twice = law_filled(kind, KEYS, 0);
    for (uint64_t i = 0; i < KEYS; i++) {
        const blm_item it = law_item(twice, LAW_MEMBER, i, &room);
        DEMAND(blm_add_item(twice, &it, NULL) == BLM_OK, "add within capacity");
        DEMAND(blm_add_item(twice, &it, &fresh) == BLM_OK, "the same key again");
        DEMAND(!fresh, "the same key again is said to be new");
    }
    DEMAND(law_same_cells(once, twice), "a key twice in a row: other cells");
    DEMAND(law_add(twice, 0, KEYS) == BLM_OK, "all keys again");
    DEMAND(law_same_cells(once, twice), "all keys again: other cells");
    blm_free(once);
    blm_free(twice);
    return 0;
}

static int law_clear(const char *kind)
{
    blm_filter *fresh = law_filled(kind, 200, 0), *f = law_filled(kind, 200, 150);
    if (blm_can(f, BLM_TICK)) DEMAND(blm_tick(f, f->now + 77) == BLM_OK, "tick");
    if (blm_can(f, BLM_GROW)) DEMAND(blm_grow(f, NULL) == BLM_OK, "grow");
    DEMAND(blm_clear(f) == BLM_OK, "clear");
    DEMAND(blm_equal(fresh, f), "a cleared filter is not as a new one");
    DEMAND(law_add(fresh, 0, 100) == BLM_OK && law_add(f, 0, 100) == BLM_OK, "add after clear");
    DEMAND(blm_equal(fresh, f), "a cleared filter does not go on as a new one");
    blm_free(fresh);
    blm_free(f);
    return 0;
}

/* ---- batch --------------------------------------------------------------------------------------- */

enum { BATCH = 1000 };
typedef struct batch {
    blm_hash h[BATCH];
    uint64_t arg[BATCH];
    uint8_t one[BATCH], many[BATCH];
} batch;

static int batch_of(const char *kind, batch *b, size_t n)
{
    blm_filter *one = law_filled(kind, BATCH, 0), *many = law_filled(kind, BATCH, 0);
    law_key room;
    size_t done = 77;
    for (size_t i = 0; i < n; i++) {
        const blm_item it = law_item(one, LAW_MEMBER, i, &room);
        bool fresh = false;
        b->h[i] = it.h;
        b->arg[i] = it.arg;
        DEMAND(blm_add_item(one, &it, &fresh) == BLM_OK, "add within capacity");
        b->one[i] = fresh;
    }
    memset(b->many, 7, sizeof b->many);
    DEMAND(blm_add_many(many, b->h, b->arg, n, b->many, &done) == BLM_OK, "add_many");
    DEMAND(done == n, "add_many of %zu: %zu done", n, done);
    DEMAND(memcmp(b->one, b->many, n) == 0, "add_many of %zu finds other keys fresh", n);
    DEMAND(blm_equal(one, many), "add_many of %zu gives other bytes than one by one", n);
    for (size_t i = 0; i < n; i++) {
        const blm_item it = law_item(one, i % 2 ? LAW_STRANGER : LAW_MEMBER, i, &room);
        b->h[i] = it.h;
        b->arg[i] = it.arg;
        b->one[i] = blm_has_item(one, &it);
    }
    memset(b->many, 7, sizeof b->many);
    blm_has_many(one, b->h, b->arg, n, b->many);
    DEMAND(memcmp(b->one, b->many, n) == 0, "has_many of %zu answers unlike one by one", n);
    for (size_t i = n; i < BATCH; i++)
        DEMAND(b->many[i] == 7, "has_many of %zu writes past its end", n);
    blm_free(one);
    blm_free(many);
    return 0;
}

static int law_batch(const char *kind)
{
    static const size_t lengths[] = {0, 1, 31, 32, 33, 100, 289, 1000};
    batch *b = calloc(1, sizeof *b);
    law_need(b != NULL, "no memory", NULL);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (batch_of(kind, b, lengths[i])) return 1;
    free(b);
    return 0;
}

/* ---- delete and count ----------------------------------------------------------------------------- */

static int law_del_exact(const char *kind)
{
    enum { STAY = 300, GO = 200 };
    law_key room;
    blm_filter *f = law_filled(kind, STAY + GO, STAY), *before = NULL;
    DEMAND(blm_copy(&before, f, NULL) == BLM_OK, "copy");
    DEMAND(law_add(f, STAY, GO) == BLM_OK, "add within capacity");
    for (uint64_t i = STAY; i < STAY + GO; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        DEMAND(blm_del_item(f, &it) == BLM_OK, "a member cannot be deleted");
    }
    DEMAND(law_same_cells(before, f), "added and deleted: other cells than before");
    uint64_t absent = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        const blm_item it = law_item(f, LAW_STRANGER, i, &room);
        if (blm_has_item(f, &it)) continue;
        DEMAND(blm_del_item(f, &it) == BLM_E_ABSENT, "a stranger's delete is not refused");
        absent++;
    }
    DEMAND(absent > 900, "only %" PRIu64 " of 1000 strangers are told from members", absent);
    DEMAND(law_same_cells(before, f), "refused deletes leave a trace");
    blm_free(before);
    blm_free(f);
    return 0;
}

enum { TIMES = 6, COUNTED = 200, ESTIMATED = 2000 };

/* Where a key has few places of its own, six copies crowd them. */
static double came(const blm_filter *f, uint64_t i, const blm_item *it)
{
    const bool few = f->kind->copies && blm_max_count(f) < 100;
    return (double)((i % (few ? TIMES / 2 : TIMES) + 1) * law_weight(it));
}

/* Keys 0 .. n - 1, each 1 to TIMES times, in a filter that has room for twice as many: keys, or adds where each takes a
 * place. */
static int counted(const char *kind, uint64_t n, blm_filter **out)
{
    law_key room;
    blm_filter *f = law_filled(kind, n * 2, 0);
    if (f->kind->copies) {
        blm_free(f);
        f = law_filled(kind, n * (TIMES + 1), 0);
    }
    *out = f;
    for (uint64_t i = 0; i < n; i++)
        for (double t = 0; t < came(f, i, &(blm_item){.arg = 1}); t++) {
            const blm_item it = law_item(f, LAW_MEMBER, i, &room);
            DEMAND(blm_add_item(f, &it, NULL) == BLM_OK, "add within capacity");
        }
    return 0;
}

/* Of a kind that can only estimate, three standard errors have the truth for 99 % of the keys: 20 of 2000 are outside, 38
 * are 4 sigma more. The mean error is 0 within 4 sigma of what the errors are. They are not stated ten times too large. */
static int estimated(const char *kind)
{
    blm_filter *f = NULL;
    law_key room;
    double sum = 0, squares = 0, stated = 0;
    uint64_t outside = 0;
    if (counted(kind, ESTIMATED, &f)) return 1;
    for (uint64_t i = 0; i < ESTIMATED; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        blm_estimate times = {-1, -1, -1, false};
        DEMAND(blm_count_item(f, &it, &times) == BLM_OK, "count");
        const double off = times.value - came(f, i, &it), sd = law_standard_error(&times);
        outside += times.bound ? off > 0 : fabs(off) > 3 * sd;
        if (times.bound) continue;
        sum += off;
        squares += off * off;
        stated += sd * sd;
    }
    blm_free(f);
    DEMAND(outside <= 38, "%" PRIu64 " of %d counts are off by more than 3 standard errors",
           outside, ESTIMATED);
    DEMAND(fabs(sum) <= 4 * sqrt(squares), "the mean error is %g, 4 sigma are %g", sum / ESTIMATED,
           4 * sqrt(squares) / ESTIMATED);
    DEMAND(stated <= 100 * squares, "the errors are %g, %g are stated", sqrt(squares / ESTIMATED),
           sqrt(stated / ESTIMATED));
    return 0;
}

static int law_count(const char *kind)
{
    law_key room;
    blm_filter *f = NULL;
    law_still(kind);
    if (counted(kind, COUNTED, &f)) return 1;
    const bool never_low = f->kind->promises & ~f->lost & BLM_NEVER_LOW;
    uint64_t exact = 0, estimates = 0, above = 0;
    for (uint64_t i = 0; i < COUNTED; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        const double truth = came(f, i, &it);
        blm_estimate times = {-1, -1, -1, false};
        DEMAND(blm_count_item(f, &it, &times) == BLM_OK, "count");
        DEMAND(times.low <= times.value && times.value <= times.high, "an estimate outside itself");
        DEMAND(!never_low || times.bound || times.value >= truth, "count %g, the key came %g times",
               times.value, truth);
        exact += times.value == truth || (times.bound && times.value < truth);
        estimates += law_estimates(f, &times);
        above += times.low > truth;
    }
    blm_free(f);
    if (estimates > COUNTED / 2) return estimated(kind); /* what most of them say */
    DEMAND(!above, "%" PRIu64 " of %d keys came less often than the low end", above, COUNTED);
    /* Half loaded at fpr 1 %: fewer than 1 % of the counts are disturbed (2 expected); a tenth is
     * more than 8 sigma. */
    DEMAND(exact >= COUNTED - COUNTED / 10, "only %" PRIu64 " of %d counts are right", exact,
           COUNTED);
    return 0;
}

/* ---- values and time ------------------------------------------------------------------------------- */

static int list_has(const blm_filter *f, uint64_t n)
{
    law_key room;
    size_t found = 0;
    if (!blm_can(f, BLM_LIST)) return 0;
    DEMAND(blm_list(f, NULL, &found, NULL) == BLM_OK && found >= n, "%zu listed", found);
    blm_item *all = calloc(found, sizeof *all);
    law_need(all != NULL, "no memory", NULL);
    DEMAND(blm_list(f, all, &found, NULL) == BLM_OK, "list");
    for (uint64_t i = 0; i < n; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        size_t j = 0;
        while (j < found && (all[j].h.lo != it.h.lo || all[j].h.hi != it.h.hi)) j++;
        DEMAND(j < found, "key %" PRIu64 " is not listed", i);
        DEMAND(all[j].arg == it.arg, "key %" PRIu64 " is listed with another value", i);
    }
    free(all);
    return 0;
}

enum { PUT_KEYS = 400 };

/* Where put changes only what is in the set, an empty filter says ABSENT, and so do all that have no such key: then the keys
 * are added. */
static int ready_for_puts(blm_filter *f, bool *adds_first)
{
    law_key room;
    blm_item it = law_item(f, LAW_MEMBER, 0, &room);
    law_image before = law_save(f);
    *adds_first = law_may_add(f) && blm_put_item(f, &it) == BLM_E_ABSENT;
    for (uint64_t i = 0; *adds_first && i < PUT_KEYS; i++) {
        it = law_item(f, LAW_STRANGER, i, &room);
        DEMAND(blm_put_item(f, &it) == BLM_E_ABSENT, "a put into an empty filter is not ABSENT");
    }
    law_image after = law_save(f);
    DEMAND(!*adds_first || law_same_image(&before, &after), "a put that is ABSENT is written");
    law_drop(&before);
    law_drop(&after);
    if (*adds_first) DEMAND(law_add(f, 0, PUT_KEYS) == BLM_OK, "add within capacity");
    return 0;
}

/* The value of key i in this round: first other values than its own, then the right ones. */
static uint64_t value_of(const blm_filter *f, uint64_t i, int round)
{
    law_key room;
    return law_item(f, round ? LAW_MEMBER : LAW_STRANGER, i, &room).arg;
}

static int put_round(blm_filter *f, int round, uint64_t *unsure)
{
    const bool strengths = f->kind->arg.again == BLM_AGAIN_MAX;
    law_key room;
    *unsure = 0;
    for (uint64_t i = 0; i < PUT_KEYS; i++) {
        blm_item it = law_item(f, LAW_MEMBER, i, &room);
        it.arg = value_of(f, i, round);
        DEMAND(blm_put_item(f, &it) == BLM_OK, "put %" PRIu64 " within capacity", i);
    }
    for (uint64_t i = 0; i < PUT_KEYS; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        const uint64_t put = value_of(f, i, round);
        uint64_t value = ~put;
        const blm_err err = blm_get_item(f, &it, &value);
        *unsure += err == BLM_E_UNSURE;
        DEMAND(err == BLM_OK || err == BLM_E_UNSURE, "get of what was put: %s", blm_strerror(err));
        const bool right = strengths ? value >= put : value == put;
        DEMAND(err ? value == ~put : right, "put %" PRIu64 ", got %" PRIu64, put, value);
    }
    return 0;
}

/* A filter is unsure of keys that it cannot tell from others, at most at its rate. They come in pairs, so that their number
 * has twice the variance of a binomial one: 4 sigma. */
static int law_get_put(const char *kind)
{
    law_key room;
    blm_filter *f = law_filled(kind, PUT_KEYS, 0);
    const blm_case c = {.keys = PUT_KEYS, .arg = BLM_NO_ARG};
    const double rate = fmax(blm_fpr(f, &c).high, blm_fnr(f, &c).high), most = PUT_KEYS * rate;
    bool adds_first;
    if (ready_for_puts(f, &adds_first)) return 1;
    for (int round = 0; round < 2; round++) {
        uint64_t unsure;
        if (put_round(f, round, &unsure)) return 1;
        DEMAND((double)unsure <= most + 4 * sqrt(2 * most),
               "it is unsure of %" PRIu64 " of %d keys, at a rate of %g", unsure, PUT_KEYS, rate);
    }
    uint64_t absent = 0;
    law_image before = law_save(f);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t value = 0;
        const blm_item it = law_item(f, LAW_STRANGER, i, &room);
        if (blm_get_item(f, &it, &value) != BLM_E_ABSENT) continue;
        absent++;
        DEMAND(!adds_first || blm_put_item(f, &it) == BLM_E_ABSENT, "a stranger's put: not ABSENT");
    }
    DEMAND(absent > 900, "only %" PRIu64 " of 1000 strangers have no value", absent);
    law_image after = law_save(f);
    DEMAND(law_same_image(&before, &after), "strangers without a value leave a trace");
    law_drop(&before);
    law_drop(&after);
    const int broken = list_has(f, PUT_KEYS);
    blm_free(f);
    return broken;
}

/* The longest age, up to 2^40, within which the kind promises to keep a key. */
static uint64_t promised_gap(const blm_filter *f, uint64_t n)
{
    uint64_t low = 0, high = UINT64_C(1) << 40;
    if (promised(f, n, high)) return high;
    while (high - low > 1) {
        const uint64_t mid = low + (high - low) / 2;
        *(promised(f, n, mid) ? &low : &high) = mid;
    }
    return low;
}

enum { TICK_KEYS = 200 };

/* The time after each of them: the same for all, but where each is a step. */
static int add_at(blm_filter *f, uint64_t start, uint64_t came[TICK_KEYS])
{
    blm_info info;
    DEMAND(blm_tick(f, start) == BLM_OK, "tick");
    for (uint64_t i = 0; i < TICK_KEYS; i++) {
        const bool steps = f->clock == BLM_CLOCK_ARRIVALS;
        DEMAND(law_add(f, i, 1) == BLM_OK, "add after a tick");
        blm_info_of(f, &info);
        came[i] = info.now;
        DEMAND(came[i] == start + (steps ? i + 1 : 0), "an add moves time to %" PRIu64, came[i]);
    }
    return 0;
}

static int law_ticks(const char *kind)
{
    enum { KEYS = TICK_KEYS };
    law_key room;
    blm_info info;
    for (uint64_t start = 1000; start < 100000; start = start * 3 + 7) {
        blm_filter *f = law_filled(kind, KEYS, 0), *g = NULL;
        bool found[KEYS];
        uint64_t came[KEYS];
        if (add_at(f, start, came)) return 1;
        for (uint64_t i = 0; i < KEYS; i++) {
            const blm_item it = law_item(f, LAW_MEMBER, i, &room);
            found[i] = blm_has_item(f, &it);
        }
        const uint64_t now = came[KEYS - 1];
        DEMAND(blm_copy(&g, f, NULL) == BLM_OK, "copy");
        DEMAND(blm_tick(f, now - 1) == BLM_E_CLOCK, "time goes backwards");
        DEMAND(blm_tick(f, now) == BLM_OK, "the same time again");
        DEMAND(blm_equal(f, g), "a tick to the same time, or a refused one, changes the filter");
        /* As long as the first key is promised; where adds took all that time, as long as the last one is. */
        const uint64_t gap = promised_gap(f, KEYS);
        const uint64_t then = came[0] + gap > now ? came[0] + gap : now + gap;
        DEMAND(blm_tick(f, then) == BLM_OK, "tick");
        DEMAND(blm_tick(g, now + (then - now) / 3) == BLM_OK && blm_tick(g, then) == BLM_OK,
               "tick");
        DEMAND(blm_equal(f, g), "one long tick is not as two short ones");
        blm_info_of(f, &info);
        DEMAND(info.now == then, "the filter does not know what time it is");
        for (uint64_t i = 0; i < KEYS; i++) {
            const blm_item it = law_item(f, LAW_MEMBER, i, &room);
            DEMAND(!found[i] || then - came[i] > gap || blm_has_item(f, &it),
                   "a key of age %" PRIu64 " is forgotten", then - came[i]);
        }
        blm_free(f);
        blm_free(g);
    }
    return 0;
}

const law laws_of_answers[] = {
    {"no_miss", "where fnr is 0, every member answers yes: added, loaded, mapped, copied, merged",
     no_misses, law_no_miss},
    {"any_order", "the same keys in any order give the same bytes", any_order, law_any_order},
    {"idempotent", "a key added twice: the same cells", idempotent, law_idempotent},
    {"clear", "a cleared filter is as a new one", adds, law_clear},
    {"batch", "many at once = one by one", adds, law_batch},
    {"del_exact", "add, then delete a member: the cells of before; a stranger: nothing changes",
     del_exact, law_del_exact},
    {"count",
     "9 of 10 are right, low <= truth, NEVER_LOW: value >= truth; estimates: 99 % within 3 errors",
     counts, law_count},
    {"get_put", "get gives what put was given, or is unsure at most at its rate; list has it",
     gets_puts, law_get_put},
    {"ticks", "time goes forward; what is younger than the promised gap is kept", ticks, law_ticks},
    {NULL, NULL, always, NULL},
};
