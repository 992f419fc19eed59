/* model.c - the law of long use: 10^6 random legal operations on 2000 keys against an exact multiset, and 10^7 on 200,000
 * keys for `laws --long`, in arrays that do not fit into the caches.
 *
 * As many keys as were planned come, leave and are asked for, in any order; key i is held at most 1
 * + i % 12 times at once, so that narrow counters meet their ceilings. Only members are deleted. A delete may be
 * UNSURE, of kinds that have `deletes`: then the image is the same, and the key is still there; and of a filter that is
 * full, as many can be deleted as that says. An add may be FULL, of kinds with `copies`, while keys are in the set more
 * than once: their copies crowd the places of few keys. Then the image is the same, and it does not happen often.
 */
#include <inttypes.h>
#include <math.h>

#include "core/core_internal.h"
#include "laws/laws.h"

static bool in_use(const blm_kind_info *k)
{
    return k->can & BLM_ADD && k->can & (BLM_DEL | BLM_COUNT);
}

enum { KEYS = 2000, ROUNDS = 10, LONG = 100, MAX = 12 };

typedef struct model {
    blm_filter *f;
    uint64_t keys, turns; /* of a round */
    uint64_t *times;      /* how often each key is in the set */
    uint64_t inside;      /* sum of times */
    uint64_t distinct;    /* keys in the set */
    uint64_t added, crowded;
    uint64_t pace, looks; /* one of so many: adds of what only grows, deletes with images */
    uint64_t most;        /* of one key: as often as it takes a place, where each time takes one */
    uint64_t random;
    uint32_t promises;
    bool unsure; /* a delete may say so */
} model;

static int compare(const model *m, uint64_t i)
{
    law_key room;
    const blm_item it = law_item(m->f, LAW_MEMBER, i, &room);
    const double truth = (double)(m->times[i] * law_weight(&it));
    blm_estimate n = {0, 0, 0, false};
    if (m->promises & BLM_NO_MISS)
        DEMAND(!m->times[i] || blm_has_item(m->f, &it),
               "key %" PRIu64 " is inside %" PRIu64 " times, and missed", i, m->times[i]);
    if (!blm_can(m->f, BLM_COUNT)) return 0;
    DEMAND(blm_count_item(m->f, &it, &n) == BLM_OK, "count");
    DEMAND(n.low <= n.value && n.value <= n.high, "an estimate outside itself");
    if (m->promises & BLM_NEVER_LOW)
        DEMAND(n.bound || n.value >= truth, "count %g, it is inside %g times", n.value, truth);
    return 0;
}

static int compare_all(const model *m)
{
    for (uint64_t i = 0; i < m->keys; i++)
        if (compare(m, i)) return 1;
    return 0;
}

static int add(model *m, uint64_t i)
{
    law_key room;
    const blm_item it = law_item(m->f, LAW_MEMBER, i, &room);
    const bool crowds = m->most != UINT64_MAX && m->inside > m->distinct;
    law_image before = {NULL, 0}, after = {NULL, 0};
    if (crowds && law_random(&m->random) % m->looks == 0) before = law_save(m->f);
    const blm_err err = blm_add_item(m->f, &it, NULL);
    if (before.p) after = law_save(m->f);
    DEMAND(err == BLM_OK || (crowds && err == BLM_E_FULL),
           "no room for %" PRIu64 " keys, as planned: %s", m->keys, blm_strerror(err));
    DEMAND(!err || !before.p || law_same_image(&before, &after),
           "a refused key changes the filter");
    law_drop(&before);
    law_drop(&after);
    m->added++;
    m->crowded += err != BLM_OK;
    if (err) return compare(m, i);
    const bool more = !(m->times[i] && m->promises & BLM_IDEMPOTENT); /* a set has it once */
    m->distinct += !m->times[i];
    m->times[i] += more;
    m->inside += more;
    return 0;
}

/* Images take a while: of few deletes, and of those in nearly empty filters. */
static int leave(model *m, uint64_t i, bool *unsure)
{
    law_key room;
    const blm_item it = law_item(m->f, LAW_MEMBER, i, &room);
    law_image before = {NULL, 0};
    const bool look = m->unsure && (law_random(&m->random) % m->looks == 0 || m->inside < 8);
    if (look) before = law_save(m->f);
    const blm_err err = blm_del_item(m->f, &it);
    *unsure = m->unsure && err == BLM_E_UNSURE;
    DEMAND(!err || *unsure, "key %" PRIu64 " is inside and cannot leave: %s", i, blm_strerror(err));
    if (!*unsure) m->times[i]--, m->inside--, m->distinct -= !m->times[i];
    if (look) {
        law_image after = law_save(m->f);
        DEMAND(!*unsure || law_same_image(&before, &after),
               "an unsure delete of key %" PRIu64 " changes the filter", i);
        law_drop(&after);
    }
    law_drop(&before);
    return *unsure ? compare(m, i) : 0;
}

static int turn(model *m)
{
    const bool deletes = blm_can(m->f, BLM_DEL);
    const uint64_t i = law_random(&m->random) % m->keys, what = law_random(&m->random) % 10;
    bool unsure;
    if (deletes && what < 4 && m->times[i]) return leave(m, i, &unsure);
    const bool room = m->times[i] < m->most && (!m->f->kind->copies || m->inside < m->keys);
    /* What only grows comes at a slower pace, so that it is asked at many loads. */
    if (what < 8 && m->times[i] <= i % MAX && room &&
        (deletes || law_random(&m->random) % m->pace == 0))
        return add(m, i);
    return compare(m, i);
}

/* Everything that may leaves: what deletes exactly is empty then, and of the rest nothing is missed. */
static int all_leave(model *m)
{
    blm_info info;
    blm_filter *fresh = NULL;
    for (uint64_t i = 0; i < m->keys; i++)
        for (bool unsure = false; m->times[i] && !unsure;)
            if (leave(m, i, &unsure)) return 1;
    if (compare_all(m)) return 1;
    blm_info_of(m->f, &info);
    if (!(info.promises & BLM_DEL_EXACT)) return 0;
    DEMAND(blm_copy(&fresh, m->f, NULL) == BLM_OK && blm_clear(fresh) == BLM_OK, "clear");
    DEMAND(law_same_cells(fresh, m->f), "all have left: other cells than those of no key");
    blm_free(fresh);
    return 0;
}

/* A key that is alone leaves: to be unsure of all of them would keep the rest of the law. */
static int alone(model *m)
{
    law_key room;
    for (uint64_t i = 0; i < 20; i++) {
        const blm_item it = law_item(m->f, LAW_MEMBER, i, &room);
        bool unsure = false;
        if (add(m, i) || leave(m, i, &unsure)) return 1;
        DEMAND(!unsure, "key %" PRIu64 " is alone in the filter, and cannot leave", i);
        DEMAND(!blm_has_item(m->f, &it), "key %" PRIu64 " was alone, and left, and is there", i);
    }
    return 0;
}

/* As much memory as was planned, at every moment. A kind that grows by itself takes what info says now. */
static int in_bounds(const blm_filter *f, const law_purse *purse, uint64_t planned)
{
    blm_info info;
    uint64_t cells = 0;
    const uint64_t held = law_handles(f, &cells);
    blm_info_of(f, &info);
    DEMAND(f->kind->room ? info.bytes == cells && purse->out == cells + held
                         : purse->out == planned && purse->peak == planned,
           "planned with %" PRIu64 " bytes, %" PRIu64 " are taken, up to %" PRIu64 " on the way",
           planned, purse->out, purse->peak);
    return 0;
}

/* Of a filter as full as planned: a quarter of the members, each deleted from a copy. The share differs between filters,
 * by less than 0.03 at this size. */
static int shares(const char *kind)
{
    enum { ALL = 1000, TRIED = 250 };
    const blm_case full = {.keys = ALL, .arg = BLM_NO_ARG};
    blm_filter *f = law_filled(kind, ALL, ALL), *own = NULL;
    const double now = f->kind->deletes(f, NULL), share = f->kind->deletes(f, &full);
    uint64_t deleted = 0;
    law_key room;
    for (uint64_t i = 0; i < TRIED; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, i * (ALL / TRIED), &room);
        law_need(blm_copy(&own, f, NULL) == BLM_OK, "no memory", NULL);
        deleted += blm_del_item(own, &it) == BLM_OK;
        blm_free(own);
    }
    const double got = (double)deleted / TRIED,
                 error = 0.03 + 4 * sqrt(share * (1 - share) / TRIED);
    DEMAND(share > 0 && share <= 1 && fabs(got - share) <= error,
           "%g of the members can be deleted, it says %g", got, share);
    DEMAND(fabs(now - share) <= 0.05, "by its fields %g can be deleted, by its state %g", share,
           now);
    blm_free(f);
    return 0;
}

static int use(model *m, unsigned rounds)
{
    blm_info info;
    for (unsigned r = 0; r < rounds; r++) {
        blm_info_of(m->f, &info);
        m->promises = info.promises;
        for (uint64_t t = 0; t < m->turns; t++)
            if (turn(m)) return 1;
        if (compare_all(m)) return 1;
    }
    return 0;
}

/* `more` times as many keys and ten times as many turns, if more is above 1; then the memory is said. */
static int model_of(const char *kind, unsigned rounds, uint64_t more)
{
    law_purse purse = LAW_PURSE;
    const blm_alloc alloc = law_alloc(&purse);
    law_still(kind);
    model m = {.keys = KEYS * more, .turns = more > 1 ? 1000000 : 100000, .looks = 64 * more};
    blm_info info;
    const blm_config c = {.size = sizeof c,
                          .kind = kind,
                          .keys = law_places(kind, m.keys, 3),
                          .fpr = 0.01,
                          .with = law_with(kind),
                          .overfill = true, /* stuck counters stay in use */
                          .alloc = &alloc};
    law_need(blm_new(&m.f, &c, NULL) == BLM_OK, kind, NULL);
    const uint64_t planned = purse.out;
    const blm_kind *k = m.f->kind;
    if (law_keys_max(m.f) < m.keys) m.keys = law_keys_max(m.f);
    m.times = calloc(m.keys, sizeof *m.times);
    law_need(m.times != NULL, "memory", NULL);
    m.random = 1;
    m.pace = ROUNDS * m.turns / (5 * m.keys);
    m.unsure = k->deletes != NULL;
    m.most = k->copies && !k->counts_by.knob ? k->max_count(m.f) : UINT64_MAX;
    blm_info_of(m.f, &info);
    m.promises = info.promises;
    if (blm_can(m.f, BLM_DEL) && alone(&m)) return 1;
    if (m.unsure && shares(kind)) return 1;
    if (use(&m, rounds)) return 1;
    DEMAND(m.crowded <= m.added / 20, "%" PRIu64 " of %" PRIu64 " adds find no room", m.crowded,
           m.added);
    if (in_bounds(m.f, &purse, planned)) return 1;
    if (more > 1)
        printf("%s %s: 10^7 operations on %" PRIu64 " keys, planned with %" PRIu64
               " bytes, at most %" PRIu64 "\n",
               kind, law_with(kind), m.keys, planned, purse.peak);
    if (blm_can(m.f, BLM_DEL) && all_leave(&m)) return 1;
    blm_free(m.f);
    free(m.times);
    return 0;
}

static int law_model(const char *kind)
{
    return model_of(kind, TEST_SLOW || law_small ? 1 : ROUNDS, 1);
}

int law_model_long(const char *kind) { return model_of(kind, ROUNDS, LONG); }

const law laws_of_model[] = {
    {"model", "10^6 operations beside an exact multiset: no miss, no low count, no more memory",
     in_use, law_model},
    {NULL, NULL, in_use, NULL},
};
