/* growing.c - laws of filters that have taken more room: memory, answers, looks at the fill, merges. */
#include <inttypes.h>

#include "core/core_internal.h"
#include "laws/laws.h"

static bool adds(const blm_kind_info *k) { return (k->can & BLM_ADD) != 0; }
static bool grows(const blm_kind_info *k) { return adds(k) && k->can & BLM_GROW; }
static bool merges(const blm_kind_info *k) { return grows(k) && k->can & BLM_MERGE; }

enum { FIRST = 400, TIMES = 50 };

static blm_filter *begun(const char *kind, const blm_alloc *alloc)
{
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    const blm_config c = {.size = sizeof c,
                          .kind = kind,
                          .keys = FIRST,
                          .fpr = 0.01,
                          .with = law_with(kind),
                          .alloc = alloc};
    law_need(blm_new(&f, &c, &why) == BLM_OK, kind, &why);
    return f;
}

/* Members 0 .. n - 1, with more room whenever it is full, unless it takes it by itself; how many went in. */
static uint64_t fill(blm_filter *f, uint64_t n)
{
    enum { RUN = 100 };
    uint64_t at = 0;
    for (; at < n; at += RUN) {
        const bool full = at >= blm_capacity_now(f);
        if (full && blm_can(f, BLM_GROW) && blm_grow(f, NULL)) break;
        if (law_add(f, at, RUN)) break;
    }
    return at < n ? at : n;
}

/* ---- grown_bytes ------------------------------------------------------------------------------------- */

static int law_grown_bytes(const char *kind)
{
    law_purse purse = LAW_PURSE;
    const blm_alloc a = law_alloc(&purse);
    blm_filter *f = begun(kind, &a);
    blm_info info;
    uint64_t cells = 0;
    fill(f, (uint64_t)FIRST * TIMES);
    blm_info_of(f, &info);
    const uint64_t held = law_handles(f, &cells);
    DEMAND(info.bytes == cells && purse.out == cells + held,
           "grown: info says %" PRIu64 " bytes, there are %" PRIu64 " and %" PRIu64
           " of handles, %" PRIu64 " are taken",
           info.bytes, cells, held, purse.out);
    /* Cells that move, and a list of children, are there twice for a moment. */
    DEMAND(purse.peak <= purse.out + cells + held, "%" PRIu64 " bytes at the most for %" PRIu64,
           purse.peak, purse.out);
    blm_free(f);
    DEMAND(!purse.out, "%" PRIu64 " bytes are not given back", purse.out);
    return 0;
}

/* ---- grown_looks ------------------------------------------------------------------------------------- */

static uint64_t looks;
static const blm_kind *watched;

static blm_rate watched_fpr(const blm_filter *f, const blm_case *c)
{
    looks += !c;
    return watched->fpr(f, c);
}

/* The fill of a filter that grows is looked at some times for each doubling, however often it has grown: by the
 * first capacity it would be 64 times for each of 50, and all cells are read each time. */
static int law_grown_looks(const char *kind)
{
    enum { DOUBLINGS = 6, LOOKS = 12 };
    blm_filter *f = begun(kind, NULL);
    blm_kind own = *f->kind;
    blm_info before, after;
    watched = f->kind;
    blm_info_of(f, &before);
    looks = 0;
    own.fpr = watched_fpr;
    f->kind = &own;
    const uint64_t n = fill(f, (uint64_t)FIRST * TIMES);
    f->kind = watched;
    blm_info_of(f, &after);
    blm_free(f);
    DEMAND(after.bytes <= before.bytes || looks <= DOUBLINGS * LOOKS,
           "%" PRIu64 " keys: its fill was looked at %" PRIu64 " times, %d are enough", n, looks,
           DOUBLINGS * LOOKS);
    return 0;
}

/* ---- grown_batch ------------------------------------------------------------------------------------- */

static int same_answers(const blm_filter *f, const blm_hash *h, size_t n, uint8_t *yes)
{
    blm_has_many(f, h, NULL, n, yes);
    for (size_t i = 0; i < n; i++) {
        const blm_item it = {h[i], NULL, 8, BLM_NO_ARG};
        DEMAND(yes[i] == blm_has_item(f, &it), "%zu keys, key %zu: many %u, one %u", n, i, yes[i],
               !yes[i]);
    }
    return 0;
}

/* Members of all ages and non-members, in batches that end anywhere. */
static int law_grown_batch(const char *kind)
{
    enum { N = 3000 };
    static const size_t sizes[] = {N, 1, 63, 64, 65, 255, 256, 257, 319, 320, 321, 577, 1000};
    static blm_hash h[N];
    static uint8_t yes[N];
    blm_filter *f = begun(kind, NULL);
    law_key room;
    uint64_t state = 1;
    const uint64_t inside = fill(f, (uint64_t)FIRST * TIMES);
    for (size_t i = 0; i < N; i++) {
        const law_side side = law_random(&state) % 4 ? LAW_MEMBER : LAW_STRANGER;
        h[i] = law_item(f, side, law_random(&state) % inside, &room).h;
    }
    int broken = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !broken; i++)
        broken = same_answers(f, h + (N - sizes[i]) / 2, sizes[i], yes);
    blm_free(f);
    return broken;
}

/* ---- grown_merge ------------------------------------------------------------------------------------- */

static int all_there(const blm_filter *f, uint64_t n, const char *when)
{
    law_key room;
    for (uint64_t i = 0; i < n; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i, &room);
        DEMAND(blm_has_item(f, &it), "%s: key %" PRIu64 " of %" PRIu64 " is gone", when, i, n);
    }
    return 0;
}

/* One that has grown and one that has not, both ways: the members of both, or a refusal that changes nothing. */
static int law_grown_merge(const char *kind)
{
    for (unsigned way = 0; way < 2; way++) {
        blm_filter *small = begun(kind, NULL), *large = begun(kind, NULL);
        blm_filter *into = way ? small : large, *from = way ? large : small;
        blm_report why = {BLM_OK, ""};
        const uint64_t few = fill(small, FIRST / 2), many = fill(large, FIRST * 8);
        const uint64_t all = few > many ? few : many; /* the few are among the many */
        law_image before = law_save(into), other = law_save(from);
        const blm_err err = blm_merge(into, from, &why);
        law_image after = law_save(into), same = law_save(from);
        DEMAND(law_same_image(&other, &same), "merge changes what it merges from");
        DEMAND(!err || (why.text[0] && law_same_image(&before, &after)),
               "a refused merge (%s) changes the filter, or has no sentence", blm_strerror(err));
        law_drop(&before);
        law_drop(&after);
        law_drop(&other);
        law_drop(&same);
        if (!err && all_there(into, all, way ? "grown into small" : "small into grown")) return 1;
        blm_free(small);
        blm_free(large);
    }
    return 0;
}

const law laws_of_growth[] = {
    {"grown_bytes", "grown to 50 times its capacity: the memory that info says, and no more", grows,
     law_grown_bytes},
    {"grown_looks", "grown to 50 times its capacity: its fill is judged by the room it has now",
     adds, law_grown_looks},
    {"grown_batch", "grown to 50 times its capacity: many at once = one by one", grows,
     law_grown_batch},
    {"grown_merge", "merged after growths of one: the members of both, or refused", merges,
     law_grown_merge},
    {NULL, NULL, adds, NULL},
};
