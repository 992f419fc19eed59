/* calls.c - any sequence of calls on four filters of any kinds, against a model of 64 keys.
 *
 * Each call is a byte, for the filter and what is done to it, and the bytes of its parameters. A byte from
 * 248 on makes an allocation of the next call fail. The rules:
 *   - a call that failed changed nothing and has a sentence; CANNOT is what blm_can said; no memory is lost;
 *   - no member is lost while NO_MISS stands, no count is low while NEVER_LOW does;
 *   - what is saved loads, is equal and answers alike, loaded or viewed;
 *   - the two ends of every rate and estimate are in order.
 */
#include <bloomery/text.h>
#include <bloomery/time.h>

#include "core/bytes.h"
#include "fuzz/slot.h"

enum { SLOTS = 4, FEW = 8 };

typedef struct world {
    slot slot[SLOTS];
    input in;
    meter m;
    blm_alloc alloc;
} world;

/* ---- calls that make a filter ---------------------------------------------------------------------------- */

static blm_err make(world *w, slot *s, const wish *by, blm_report *why)
{
    slot fresh = {.w = *by};
    const recipe c = next_recipe(&w->in, &fresh.w, w->m.fails_at);
    const made *e = made_by(&c);
    const blm_open_options how = how_to_open(&fresh);
    *why = e->why;
    w->m.refused = e->why.code == BLM_E_NOMEM;
    if (e->why.code) return e->why.code;
    const blm_err err = blm_load(&fresh.f, e->image.at, e->image.length, &how, why);
    if (err) return err;
    for (unsigned j = 0; j < c.r.n; j++) came(&fresh, (c.r.first + j) % KEYS);
    replace(s, fresh.f, &fresh);
    return BLM_OK;
}

static blm_err call_make(world *w, slot *s, blm_report *why)
{
    const wish by = wish_from(&w->in, &w->alloc);
    return make(w, s, &by, why);
}

static slot *next_slot(world *w) { return &w->slot[next(&w->in) % SLOTS]; }

/* One that has a filter, which may be s itself. */
static slot *next_other(world *w, slot *s)
{
    slot *other = next_slot(w);
    return other->f ? other : s;
}

static blm_err call_twin(world *w, slot *s, blm_report *why)
{
    const wish by = next_slot(w)->w;
    return make(w, s, &by, why);
}

static blm_err call_copy(world *w, slot *s, blm_report *why)
{
    blm_filter *g = NULL;
    slot *to = next_slot(w);
    const blm_err err = blm_copy(&g, s->f, why);
    MUST(!err == (g != NULL) && (err || blm_equal(s->f, g)));
    if (!err) replace(to, g, s);
    return err;
}

static blm_err call_fold(world *w, slot *s, blm_report *why)
{
    blm_filter *g = NULL;
    const unsigned times = next(&w->in);
    slot *to = next_slot(w);
    const blm_err err = blm_fold(&g, s->f, times & 3 ? times & 3 : times >> 2, why);
    MUST(!err == (g != NULL));
    if (!err) replace(to, g, s);
    return err;
}

static blm_err load(slot *s, const blm_filter *from, blm_report *why)
{
    blm_filter *g = NULL;
    const saved image = image_of(from);
    const blm_open_options how = how_to_open(s);
    const blm_err err = blm_load(&g, image.at, image.length, &how, why);
    free(image.at);
    MUST(!err == (g != NULL));
    if (!err) replace(s, g, s);
    return err;
}

static blm_err call_load(world *w, slot *s, blm_report *why)
{
    (void)w;
    const blm_err err = load(s, s->f, why);
    MUST(!err || err == BLM_E_NOMEM);
    return err;
}

/* An image whose checksums are right and whose counters stand near their ends; a loader that refuses it has
 * answered. The number of adds says nothing of keys, other state may. */
static blm_err call_forge(world *w, slot *s, blm_report *why)
{
    const unsigned which = next(&w->in), below = next(&w->in);
    const blm_kind *k = s->f->kind;
    const blm_field *d = which & 1 && k->nfields ? &k->fields[(which >> 1) % k->nfields] : NULL;
    blm_filter *g = NULL;
    blm_err err = blm_copy(&g, s->f, why);
    if (err) return err;
    if (!d)
        g->adds = BLM_ADDS_MAX - below;
    else if (d->flags & BLM_F_STATE)
        blm_field_set(g, d, d->max - d->min < below ? d->min : d->max - below);
    err = load(s, g, why);
    s->forged = s->forged || (!err && d);
    blm_free(g);
    return err;
}

/* ---- calls that change a filter ------------------------------------------------------------------------- */

/* Fresh is what is certainly not in the set: every key to which the filter says no, and never a member. */
static blm_err call_add(world *w, slot *s, blm_report *why)
{
    const unsigned i = next(&w->in) % KEYS;
    const key k = key_of(s->f, i);
    const blm_item it = item_of(s->f, &k, i);
    const bool had = blm_has_item(s->f, &it), inside = s->times[i] && stands(s, BLM_NO_MISS);
    bool fresh = had;
    (void)why;
    const blm_err err = blm_add_item(s->f, &it, &fresh);
    MUST(!err || fresh == had);
    if (err) return err;
    MUST((fresh || had || !stands(s, BLM_NO_MISS)) && !(fresh && inside));
    came(s, i);
    check_key(s, i);
    return BLM_OK;
}

/* The calls without an item: their number is the default one, so weights are lost track of. */
static blm_err call_add_bytes(world *w, slot *s, blm_report *why)
{
    const unsigned i = next(&w->in) % KEYS;
    const key k = key_of(s->f, i);
    (void)why;
    if (s->f->kind->arg.name) return call_add(w, s, why);
    const blm_err err =
        k.len == 8 ? blm_add_u64(s->f, blm_le64(k.bytes)) : blm_add(s->f, k.bytes, k.len);
    if (err) return err;
    came(s, i);
    check_key(s, i);
    MUST(blm_has(s->f, k.bytes, k.len) == blm_has_hash(s->f, blm_hash_of(s->f, k.bytes, k.len)));
    return BLM_OK;
}

typedef struct batch {
    range r;
    key key[KEYS];
    blm_key keys[KEYS];
    blm_hash h[KEYS];
    uint64_t arg[KEYS];
} batch;

static void next_batch(world *w, const blm_filter *f, batch *b)
{
    b->r = next_range(&w->in);
    for (unsigned j = 0; j < b->r.n; j++) {
        const unsigned i = (b->r.first + j) % KEYS;
        b->key[j] = key_of(f, i);
        b->keys[j] = (blm_key){b->key[j].bytes, b->key[j].len};
        b->arg[j] = arg_of(f, i);
    }
    blm_hash_many(f, b->keys, b->r.n, b->h);
}

/* A batch that fails has added a prefix; when that is empty, nothing has changed. */
static blm_err call_add_many(world *w, slot *s, blm_report *why)
{
    batch b;
    uint8_t fresh[KEYS];
    size_t done = 0;
    const unsigned how = next(&w->in);
    (void)why;
    next_batch(w, s->f, &b);
    const bool args = s->f->kind->arg.name != NULL;
    const blm_err err =
        !args && how & 1 ? blm_add_bulk(s->f, b.h, b.r.n, how >> 1 & 3, &done)
        : !args && how & 8
            ? blm_add_many_keys(s->f, b.keys, b.r.n, how & 2 ? fresh : NULL, &done)
            : blm_add_many(s->f, b.h, args ? b.arg : NULL, b.r.n, how & 2 ? fresh : NULL, &done);
    MUST(err ? done <= b.r.n : done == b.r.n);
    for (unsigned j = 0; j < done; j++) came(s, (b.r.first + j) % KEYS);
    if (done) check_keys(s);
    return done ? BLM_OK : err;
}

static blm_err call_add_shared(world *w, slot *s, blm_report *why)
{
    batch b;
    uint8_t fresh[KEYS];
    (void)why;
    next_batch(w, s->f, &b);
    const blm_err err = blm_add_shared(s->f, b.h, b.r.n, next(&w->in) & 1 ? fresh : NULL);
    for (unsigned j = 0; j < b.r.n && !err; j++) came(s, (b.r.first + j) % KEYS);
    if (!err) check_keys(s);
    return err;
}

/* Deletes only members, and keys that are certainly absent, several at a time. */
static blm_err del_few(slot *s, unsigned first)
{
    blm_hash h[FEW];
    uint64_t arg[FEW];
    uint8_t absent[FEW];
    bool inside[FEW];
    unsigned of[FEW], n = 0;
    size_t done = 0;
    for (unsigned j = 0; j < FEW; j++) {
        const unsigned i = (first + j) % KEYS;
        const key k = key_of(s->f, i);
        const blm_item it = item_of(s->f, &k, i);
        inside[n] = s->times[i] && stands(s, BLM_NO_MISS);
        h[n] = it.h, arg[n] = it.arg, of[n] = i;
        n += inside[n] || (stands(s, BLM_NO_MISS) && !blm_has_item(s->f, &it));
    }
    const blm_err err = blm_del_many(s->f, h, arg, n, absent, &done);
    MUST(err ? done <= n : done == n);
    for (unsigned j = 0; j < done; j++) {
        MUST((absent[j] == BLM_WAS_ABSENT) == !inside[j]);
        if (!absent[j]) went(s, of[j]);
    }
    if (done) check_keys(s);
    return done ? BLM_OK : err;
}

/* Deletes only members, and keys that are certainly absent: other deletes may cost other keys. */
static blm_err call_del(world *w, slot *s, blm_report *why)
{
    const unsigned byte = next(&w->in), i = byte % KEYS;
    if (byte >= 2 * KEYS && !(s->f->kind->needs & BLM_NEEDS_BYTES)) return del_few(s, i);
    const key k = key_of(s->f, i);
    const blm_item it = item_of(s->f, &k, i);
    const bool absent = stands(s, BLM_NO_MISS) && !blm_has_item(s->f, &it),
               inside = s->times[i] && stands(s, BLM_NO_MISS);
    (void)why;
    if (!absent && !inside && blm_can(s->f, BLM_DEL)) return BLM_OK;
    const blm_err err = blm_del_item(s->f, &it);
    MUST(err != BLM_OK || !absent);
    MUST(err != BLM_E_ABSENT || !inside);
    if (err) return err;
    went(s, i);
    check_keys(s);
    return BLM_OK;
}

static blm_err call_put(world *w, slot *s, blm_report *why)
{
    const unsigned i = next(&w->in) % KEYS;
    const key k = key_of(s->f, i);
    const blm_item it = item_of(s->f, &k, i);
    (void)why;
    const blm_err err = blm_put_item(s->f, &it);
    if (err) return err;
    came(s, i);
    check_key(s, i);
    return BLM_OK;
}

/* Never a member. */
static blm_err call_deny(world *w, slot *s, blm_report *why)
{
    const unsigned i = next(&w->in) % KEYS;
    const key k = key_of(s->f, i);
    const blm_item it = item_of(s->f, &k, i);
    (void)why;
    if (s->times[i]) return BLM_OK;
    const bool had = blm_has_item(s->f, &it);
    const blm_err err = blm_deny_item(s->f, &it);
    MUST(had || err);
    if (!err) check_keys(s);
    return err;
}

/* Its keys may leave by themselves now. */
static blm_err call_tick(world *w, slot *s, blm_report *why)
{
    const unsigned byte = next(&w->in);
    const uint64_t far = UINT64_C(1) << (byte >> 2), now = s->f->now;
    (void)why;
    const blm_err err = blm_tick(s->f, byte & 1 ? now - 1 : byte & 2 ? now + far : now);
    if (!err) forget(s);
    return err;
}

static blm_err call_clear(world *w, slot *s, blm_report *why)
{
    (void)w, (void)why;
    const blm_err err = blm_clear(s->f);
    if (err) return err;
    forget(s);
    s->forged = false;
    return BLM_OK;
}

static blm_err call_grow(world *w, slot *s, blm_report *why)
{
    (void)w;
    if (blm_saved_size(s->f) > LARGE && blm_can(s->f, BLM_GROW)) return BLM_OK;
    const blm_err err = blm_grow(s->f, why);
    if (!err) check_keys(s);
    return err;
}

static blm_err call_asked(world *w, slot *s, blm_report *why)
{
    const unsigned yes = next(&w->in), no = next(&w->in);
    (void)why;
    return blm_report_queries(s->f, yes & 1 ? UINT64_MAX - yes : yes,
                              no & 1 ? UINT64_MAX - no : no);
}

static blm_err call_note(world *w, slot *s, blm_report *why)
{
    static const char *const forms[] = {"", "hex", "lower", "hex lower", "lower hex", "crlf", "A"};
    char text[BLM_NOTE_MAX + 8] = "";
    const unsigned byte = next(&w->in);
    memset(text, 'n', byte & 1 ? byte * 4u + (byte == 255 ? 5 : 0) : byte); /* 1025: too long */
    return byte & 2 ? blm_set_key_form(s->f, forms[(byte >> 2) % 7], why)
                    : blm_set_note(s->f, text, why);
}

/* ---- calls with two filters ------------------------------------------------------------------------------- */

static blm_err call_merge(world *w, slot *s, blm_report *why)
{
    slot *from = next_other(w, s);
    const blm_err err = blm_merge(s->f, from->f, why);
    if (err) return err;
    for (unsigned i = 0; i < KEYS; i++) {
        if (s->f->kind->promises & BLM_IDEMPOTENT)
            s->times[i] |= from->times[i];
        else
            s->times[i] += from->times[i];
        s->forged = s->forged || s->times[i] > TIMES_MAX;
    }
    s->forged = s->forged || from->forged;
    check_keys(s);
    return BLM_OK;
}

static blm_err call_intersect(world *w, slot *s, blm_report *why)
{
    slot *from = next_other(w, s);
    const blm_err err = blm_intersect(s->f, from->f, why);
    if (err) return err;
    for (unsigned i = 0; i < KEYS; i++)
        if (from->times[i] < s->times[i]) s->times[i] = from->times[i];
    s->forged = s->forged || from->forged;
    check_keys(s);
    return BLM_OK;
}

/* What is left of a key that both have is not known. */
static blm_err call_subtract(world *w, slot *s, blm_report *why)
{
    slot *from = next_other(w, s);
    const blm_err err = blm_subtract(s->f, from->f, why);
    if (!err) forget(s);
    return err;
}

static blm_err call_overlap(world *w, slot *s, blm_report *why)
{
    slot *from = next_other(w, s);
    blm_overlap o;
    const blm_err err = blm_overlap_of(s->f, from->f, &o, why);
    if (err) return err;
    sorted(&o.a), sorted(&o.b), sorted(&o.both_sets), sorted(&o.common);
    sorted(&o.jaccard), sorted(&o.a_in_b), sorted(&o.b_in_a), sorted(&o.join);
    return BLM_OK;
}

/* The cells of a peer: whose keys they are is known where the two are alike. */
static blm_err call_adopt(world *w, slot *s, blm_report *why)
{
    slot *from = next_other(w, s);
    size_t bytes = 0;
    const void *cells = blm_cells(from->f, &bytes);
    const blm_err err = blm_adopt(s->f, cells, bytes, why);
    MUST((err == BLM_E_CANNOT) == !s->f->kind->adopt);
    if (!err && s != from) forget(s);
    return err;
}

/* ---- questions: nothing of it may write ------------------------------------------------------------------- */

static blm_err call_ask(world *w, slot *s, blm_report *why)
{
    static const uint64_t sets[FEW] = {0, 1, 2, 3, 1 << 20, UINT64_MAX - 1, UINT64_MAX, 7};
    const unsigned i = next(&w->in) % KEYS, times = next(&w->in);
    const key k = key_of(s->f, i);
    const blm_item it = item_of(s->f, &k, i);
    blm_touch touches[BLM_TOUCH_MAX];
    blm_item items[FEW];
    uint8_t yes[FEW];
    uint64_t number, offsets[FEW];
    size_t n = FEW;
    bool enough;
    (void)why;
    MUST((blm_which(s->f, &it, sets, FEW, yes) == BLM_E_CANNOT) == !s->f->kind->arg.name);
    MUST((blm_index(s->f, &it, &number) == BLM_E_CANNOT) == !blm_can(s->f, BLM_INDEX));
    MUST((blm_part(s->f, &it, offsets, &n) == BLM_E_CANNOT) == !blm_can(s->f, BLM_PART));
    n = FEW;
    MUST((blm_list(s->f, items, &n, NULL) == BLM_E_CANNOT) == !blm_can(s->f, BLM_LIST));
    blm_touched(s->f, &it, touches, BLM_TOUCH_MAX);
    MUST(blm_check_item(s->f, &it, NULL) == BLM_OK);
    if (blm_at_least(s->f, k.bytes, k.len, times, &enough) == BLM_OK)
        MUST(enough || s->times[i] < times || !stands(s, BLM_NEVER_LOW));
    check_key(s, i);
    return BLM_OK;
}

static blm_err call_ask_many(world *w, slot *s, blm_report *why)
{
    batch b;
    uint8_t yes[KEYS], also[KEYS];
    blm_item items[KEYS];
    blm_estimate times[KEYS];
    (void)why;
    next_batch(w, s->f, &b);
    const bool args = s->f->kind->arg.name != NULL;
    blm_has_many(s->f, b.h, args ? b.arg : NULL, b.r.n, yes);
    blm_has_many_keys(s->f, b.keys, b.r.n, also);
    for (unsigned j = 0; j < b.r.n; j++) {
        items[j] = item_of(s->f, &b.key[j], (b.r.first + j) % KEYS);
        MUST(s->f->kind->needs & BLM_NEEDS_BYTES || yes[j] == blm_has_item(s->f, &items[j]));
        MUST(also[j] == blm_has(s->f, b.key[j].bytes, b.key[j].len));
    }
    if (!blm_count_many_keys(s->f, b.keys, b.r.n, times))
        for (unsigned j = 0; j < b.r.n; j++) {
            blm_estimate one;
            MUST(!blm_count(s->f, b.key[j].bytes, b.key[j].len, &one));
            MUST(one.value == times[j].value && one.bound == times[j].bound);
        }
    const blm_err err = blm_count_all(s->f, items, b.r.n, times);
    MUST((err == BLM_E_CANNOT) == !blm_can(s->f, BLM_COUNT_ALL));
    return BLM_OK;
}

static blm_err call_rates(world *w, slot *s, blm_report *why)
{
    const unsigned keys = next(&w->in), gap = next(&w->in);
    const uint64_t capacity = blm_capacity_now(s->f);
    const uint64_t of[] = {0, 1, capacity / 2, capacity, 2 * capacity, keys, UINT64_C(1) << 40, 9};
    const blm_case c = {.keys = of[keys & 7],
                        .gap = gap & 1 ? gap : (uint64_t)gap << 20,
                        .arg = gap & 2 ? BLM_NO_ARG : arg_of(s->f, keys % KEYS)};
    blm_estimate size;
    (void)why;
    in_order(blm_fpr(s->f, &c));
    in_order(blm_fnr(s->f, &c));
    check_info(s->f);
    const blm_err err = blm_cardinality(s->f, &size), room = blm_room(s->f, NULL);
    MUST((err == BLM_E_CANNOT) == !blm_can(s->f, BLM_CARDINALITY));
    if (!err) sorted(&size);
    MUST(!room || room == BLM_E_FULL);
    return BLM_OK;
}

/* ---- a sequence ------------------------------------------------------------------------------------------ */

typedef struct call {
    blm_err (*run)(world *w, slot *s, blm_report *why);
    uint32_t needs; /* CANNOT without it, and never else */
    bool tells;     /* has a sentence for every failure */
    bool makes;     /* needs no filter before it */
} call;

/* 62 bytes for each slot: the last two have one of them, all others two. Filters are made rarely, as that takes long. */
static const call calls[] = {
    {call_add, BLM_ADD, false, false},
    {call_add, BLM_ADD, false, false},
    {call_add_bytes, BLM_ADD, false, false},
    {call_add_many, BLM_ADD, false, false},
    {call_add_shared, BLM_SHARED, false, false},
    {call_del, BLM_DEL, false, false},
    {call_del, BLM_DEL, false, false},
    {call_put, BLM_PUT, false, false},
    {call_deny, 0, false, false},
    {call_tick, BLM_TICK, false, false},
    {call_clear, 0, false, false},
    {call_grow, BLM_GROW, true, false},
    {call_asked, 0, false, false},
    {call_note, 0, true, false},
    {call_merge, BLM_MERGE, true, false},
    {call_merge, BLM_MERGE, true, false},
    {call_intersect, BLM_INTERSECT, true, false},
    {call_subtract, BLM_SUBTRACT, true, false},
    {call_overlap, BLM_OVERLAP, true, false},
    {call_adopt, 0, true, false},
    {call_ask, 0, false, false},
    {call_ask_many, 0, false, false},
    {call_rates, 0, false, false},
    {call_copy, 0, true, false},
    {call_copy, 0, true, false},
    {call_fold, BLM_FOLD, true, false},
    {call_load, 0, true, false},
    {call_forge, 0, true, false},
    {call_add, BLM_ADD, false, false},
    {call_add_many, BLM_ADD, false, false},
    {call_make, 0, true, true},
    {call_twin, 0, true, true},
};

static void check_failure(const call *c, blm_err err, const blm_report *why, const world *w)
{
    MUST(err <= BLM_E_POLLUTED);
    MUST(err != BLM_E_NOMEM || w->m.refused);
    if (c->tells) MUST(why->code == err && why->text[0]);
}

static void operate(world *w)
{
    unsigned byte = next(&w->in);
    const unsigned fails_at = byte >= 248 ? byte - 247 : 0;
    if (fails_at) byte = next(&w->in);
    slot *s = &w->slot[byte % SLOTS];
    const unsigned all = sizeof calls / sizeof *calls, at = byte / SLOTS;
    const call *c = &calls[at < all ? at : at - all];
    if (!s->f && !c->makes) return;
    const bool can = !s->f || !c->needs || blm_can(s->f, (blm_ability)c->needs);
    blm_report why = {BLM_OK, ""};
    const uint64_t before = s->f ? print_of(s->f, 0) : 0;
    w->m.fails_at = fails_at;
    w->m.refused = false;
    const blm_err err = c->run(w, s, &why);
    w->m.fails_at = 0;
    if (err) {
        check_failure(c, err, &why, w);
        MUST(before == (s->f ? print_of(s->f, 0) : 0));
    } else {
        MUST(!why.code && !why.text[0]); /* written on failure only */
    }
    MUST((err == BLM_E_CANNOT) == !can || c->run == call_adopt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    world w = {.in = {data, size}, .m = {.limit = MEMORY}};
    blm_report why;
    w.alloc = (blm_alloc){meter_get, meter_put, &w.m};
    for (unsigned i = 0; i < SLOTS; i += 2) { /* two of one shape, and two of another */
        slot *s = &w.slot[i];
        s->w = wish_from(&w.in, &w.alloc);
        (void)make(&w, s, &s->w, &why);
        s[1] = s[0];
        if (!s->f) continue;
        MUST(blm_copy(&s[1].f, s[0].f, NULL) == BLM_OK);
    }
    while (w.in.left) operate(&w);
    w.m.limit = SIZE_MAX;
    for (unsigned i = 0; i < SLOTS; i++) {
        const slot *s = &w.slot[i];
        if (!s->f) continue;
        check_keys(s);
        check_info(s->f);
        check_image(s);
        blm_free(s->f);
    }
    MUST(w.m.now == 0);
    return 0;
}
