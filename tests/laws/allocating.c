/* allocating.c - laws of memory: it may run out, it comes back, and it is as much as was said. */
#include <inttypes.h>

#include "core/core_internal.h"
#include "laws/laws.h"

static bool always(const blm_kind_info *k) { return k->name != NULL; }

/* ---- alloc_fails -------------------------------------------------------------------------------- */

enum { KEYS = 80 }; /* the kinds that fold have an even number of cells at 1 % */

typedef struct trial { /* one call, tried with the first, the second, ... allocation failing */
    const char *kind;
    law_purse purse;
    blm_alloc alloc;
    blm_filter *f, *g; /* what the call works on */
    law_image image;   /* of f */
} trial;

typedef struct action {
    const char *name;
    uint32_t needs;
    bool makes; /* a new filter, into *out */
    blm_err (*call)(trial *t, blm_filter **out);
} action;

static blm_err do_new(trial *t, blm_filter **out)
{
    return blm_new(
        out,
        BLM_CONFIG(.kind = t->kind, .keys = KEYS, .with = law_with(t->kind), .alloc = &t->alloc),
        NULL);
}

static blm_err do_load(trial *t, blm_filter **out)
{
    return blm_load(out, t->image.p, t->image.n, BLM_OPEN(.alloc = &t->alloc), NULL);
}

static blm_err do_view(trial *t, blm_filter **out)
{
    return blm_view(out, t->image.p, t->image.n, BLM_OPEN(.alloc = &t->alloc), NULL);
}

static blm_err do_copy(trial *t, blm_filter **out) { return blm_copy(out, t->f, NULL); }
static blm_err do_fold(trial *t, blm_filter **out) { return blm_fold(out, t->f, 1, NULL); }

static blm_err do_note(trial *t, blm_filter **out)
{
    (void)out;
    return blm_set_note(t->f, "another note", NULL);
}

static blm_err do_form(trial *t, blm_filter **out)
{
    (void)out;
    return blm_set_key_form(t->g, "hex", NULL);
}

static blm_err do_clear(trial *t, blm_filter **out)
{
    (void)out;
    return blm_clear(t->f);
}

static blm_err do_grow(trial *t, blm_filter **out)
{
    (void)out;
    return blm_grow(t->f, NULL);
}

static blm_err do_merge(trial *t, blm_filter **out)
{
    (void)out;
    return blm_merge(t->f, t->g, NULL);
}

static blm_err do_intersect(trial *t, blm_filter **out)
{
    (void)out;
    return blm_intersect(t->f, t->g, NULL);
}

static blm_err build(trial *t, uint64_t keys, blm_filter **out)
{
    blm_builder *b = NULL;
    law_key room;
    const blm_config c = {.size = sizeof c,
                          .kind = t->kind,
                          .keys = keys,
                          .fpr = 0.01, /* as t->f, whose numbers the keys get */
                          .with = law_with(t->kind),
                          .alloc = &t->alloc};
    blm_err err = blm_builder_new(&b, &c, NULL);
    for (uint64_t i = 0; !err && i < KEYS; i++) {
        const blm_item it = law_item(t->f, LAW_MEMBER, i, &room);
        err = blm_builder_add(b, 0, it.key, it.len, it.arg);
    }
    if (!err) return blm_build(out, b, NULL);
    blm_builder_free(b);
    return err;
}

static blm_err do_build(trial *t, blm_filter **out) { return build(t, KEYS, out); }
static blm_err do_build_unknown(trial *t, blm_filter **out)
{
    if (t->f->kind->needs & BLM_NEEDS_BYTES) return build(t, KEYS, out);
    return build(t, 0, out);
}

static blm_err do_count_all(trial *t, blm_filter **out)
{
    law_key room[KEYS];
    blm_item it[KEYS];
    blm_estimate times[KEYS];
    (void)out;
    for (uint64_t i = 0; i < KEYS; i++) it[i] = law_item(t->f, LAW_MEMBER, i, &room[i]);
    return blm_count_all(t->f, it, KEYS, times);
}

static const action actions[] = {
    {"new", 0, true, do_new},
    {"load", 0, true, do_load},
    {"view", 0, true, do_view},
    {"copy", 0, true, do_copy},
    {"build", 0, true, do_build},
    {"build, keys unknown", 0, true, do_build_unknown},
    {"fold", BLM_FOLD, true, do_fold},
    {"note", 0, false, do_note},
    {"merge", BLM_MERGE, false, do_merge},
    {"count_all", BLM_COUNT_ALL, false, do_count_all},
    {"intersect", BLM_INTERSECT, false, do_intersect},
    {"grow", BLM_GROW, false, do_grow},
    {"clear", 0, false, do_clear},
    {"form", 0, false, do_form},
};

static void set_up(trial *t)
{
    t->purse = LAW_PURSE;
    t->alloc = law_alloc(&t->purse);
    const uint64_t room = law_places(t->kind, KEYS, 2); /* for both at once */
    t->f = law_filled_by(t->kind, room, KEYS, &t->alloc);
    t->g = law_filled_by(t->kind, room, KEYS / 2, &t->alloc);
    law_need(blm_set_note(t->f, "note", NULL) == BLM_OK, "note", NULL);
    t->image = law_save(t->f);
}

static int put_away(trial *t, const char *name)
{
    blm_free(t->f);
    blm_free(t->g);
    law_drop(&t->image);
    DEMAND(t->purse.out == 0, "%s leaks %" PRIu64 " bytes", name, t->purse.out);
    return 0;
}

/* *done: the call has succeeded. */
static int try_nth(trial *t, const action *a, long nth, bool *done)
{
    blm_filter *out = NULL;
    const uint64_t before = t->purse.out;
    t->purse.left = nth;
    const blm_err err = a->call(t, &out);
    t->purse.left = -1;
    *done = err == BLM_OK;
    if (err == BLM_E_MISMATCH &&
        a->call == do_merge) /* of kinds that merge only what was built alike */
        return *done = true, 0;
    DEMAND(err == BLM_OK || err == BLM_E_NOMEM, "%s, allocation %ld fails: %s", a->name, nth,
           blm_strerror(err));
    DEMAND((out != NULL) == (*done && a->makes), "%s: *out is written on failure", a->name);
    if (*done) {
        blm_free(out);
        return 0;
    }
    DEMAND(t->purse.out == before,
           "%s, allocation %ld fails: %" PRIu64 " bytes held before, %" PRIu64 " after", a->name,
           nth, before, t->purse.out);
    law_image now = law_save(t->f);
    DEMAND(law_same_image(&t->image, &now), "%s, allocation %ld fails: the filter has changed",
           a->name, nth);
    law_drop(&now);
    return 0;
}

/* Adds far past capacity: kinds that grow by themselves must allocate somewhere on the way. */
static int add_in_need(trial *t)
{
    law_key room;
    for (uint64_t i = KEYS; i < 4 * KEYS && i < law_keys_max(t->f); i++) {
        const blm_item it = law_item(t->f, LAW_MEMBER, i, &room);
        blm_err err = BLM_E_NOMEM;
        for (long nth = 0; err == BLM_E_NOMEM; nth++) {
            law_image before = law_save(t->f);
            t->purse.left = nth;
            err = blm_add_item(t->f, &it, NULL);
            t->purse.left = -1;
            law_image after = law_save(t->f);
            DEMAND(!err || law_same_image(&before, &after), "add, allocation %ld fails: changed",
                   nth);
            law_drop(&before);
            law_drop(&after);
        }
        if (err == BLM_E_FULL) break;
        DEMAND(err == BLM_OK, "add: %s", blm_strerror(err));
    }
    return 0;
}

/* An odd number of cells has no half. */
static bool folds(const blm_filter *f)
{
    blm_filter *half = NULL;
    const bool can = blm_fold(&half, f, 1, NULL) == BLM_OK;
    blm_free(half);
    return can;
}

static int law_alloc_fails(const char *kind)
{
    trial t = {.kind = kind};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        bool done = false;
        set_up(&t);
        if (actions[i].needs && !blm_can(t.f, (blm_ability)actions[i].needs)) done = true;
        if (actions[i].needs == BLM_FOLD && !folds(t.f)) done = true;
        for (long nth = 0; !done; nth++)
            if (try_nth(&t, &actions[i], nth, &done)) return 1;
        if (put_away(&t, actions[i].name)) return 1;
    }
    set_up(&t);
    if (law_may_add(t.f) && add_in_need(&t)) return 1;
    return put_away(&t, "add");
}

/* ---- load_memory, info_bytes ---------------------------------------------------------------------- */

static int law_load_memory(const char *kind)
{
    static const uint64_t sizes[] = {1, 100, 20000};
    for (size_t i = 0; i < 3; i++) {
        law_purse purse = LAW_PURSE;
        const blm_alloc a = law_alloc(&purse);
        blm_filter *f = law_filled(kind, sizes[i], sizes[i]), *g = NULL;
        for (int times = 0; times < 3 && blm_can(f, BLM_GROW); times++)
            DEMAND(blm_grow(f, NULL) == BLM_OK, "grow");
        law_image im = law_save(f);
        DEMAND(blm_load(&g, im.p, im.n, BLM_OPEN(.alloc = &a), NULL) == BLM_OK, "load");
        DEMAND(purse.peak <= im.n + 81920, "an image of %zu bytes takes %" PRIu64, im.n,
               purse.peak);
        blm_free(g);
        DEMAND(purse.out == 0, "%" PRIu64 " bytes are not given back", purse.out);
        law_drop(&im);
        blm_free(f);
    }
    return 0;
}

/* What info says is what was taken, and nothing else was: not even for a moment. */
static int law_info_bytes(const char *kind)
{
    static const uint64_t sizes[] = {1, 100, 20000};
    for (size_t i = 0; i < 3; i++) {
        law_purse purse = LAW_PURSE;
        const blm_alloc a = law_alloc(&purse);
        const blm_config c = {
            .size = sizeof c, .kind = kind, .keys = sizes[i], .with = law_with(kind), .alloc = &a};
        blm_filter *f = NULL;
        DEMAND(blm_new(&f, &c, NULL) == BLM_OK, "new");
        blm_info info;
        uint64_t cells = 0, shape = 0;
        const uint64_t held = law_handles(f, &cells), peak = purse.peak;
        blm_info_of(f, &info);
        size_t bare = 0;
        blm_cells(f, &bare);
        DEMAND(blm_shape(f, &shape, NULL) == BLM_OK && shape == bare,
               "shape says %" PRIu64 " bytes of cells, there are %zu", shape, bare);
        DEMAND(info.bytes == cells, "info says %" PRIu64 " bytes, there are %" PRIu64, info.bytes,
               cells);
        DEMAND(info.bits == info.bytes * 8, "%" PRIu64 " bits in %" PRIu64 " bytes", info.bits,
               info.bytes);
        DEMAND(purse.out == cells + held,
               "%" PRIu64 " bytes of cells and %" PRIu64 " of handles, %" PRIu64 " taken", cells,
               held, purse.out);
        /* A growing list of children is held twice for a moment. */
        const uint64_t moment = f->nchild * sizeof(blm_filter *) + (f->nchild ? bare : 0);
        DEMAND(peak <= cells + held + moment, "%" PRIu64 " bytes at the most, %" PRIu64 " are kept",
               peak, cells + held);
        blm_free(f);
    }
    return 0;
}

const law laws_of_memory[] = {
    {"alloc_fails", "the nth allocation fails: a clean code, nothing leaked, nothing changed",
     always, law_alloc_fails},
    {"load_memory", "load takes at most the image's size + 80 KiB, children included", always,
     law_load_memory},
    {"info_bytes", "the bytes that info says are the bytes that were taken", always,
     law_info_bytes},
    {NULL, NULL, always, NULL},
};
