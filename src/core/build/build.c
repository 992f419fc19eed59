/* build.c - keys in, filter out.
 *
 *   straight   keys (or memory) given, a kind that adds and has nothing to build: every key goes into the filter at once
 *   distinct   keys unknown, a kind that needs one 64-bit hash per key: distinct hashes, then the
 *              filter of exactly that size, then all of them in (with their counts, where a second
 *              add of a key changes the filter). Past the memory they may have, into a spool.
 *   rows       all other kinds: rows of hash and arg per list, sorted, twins dropped; then kind->build, with
 *              the next salt when it fails, or part after part, or kind->add. Where a second add of a key changes the
 *              filter (a weight, a key that overwrites others), nothing is sorted or dropped: every row is added, as it
 *              came. Members of a kind that is built in parts go into a spool past the memory they may have
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <bloomery/build.h>
#include "core/build/each.h"
#include "core/build/hashset.h"
#include "core/build/hash_runs.h"
#include "core/build/row_runs.h"

#define RAM_MIN (UINT64_C(1) << 20)

struct blm_builder {
    blm_config c;
    char kind_name[40], with[512];
    blm_alloc alloc;
    const blm_kind *kind;
    blm_filter *straight; /* exactly one of the three ways is in use */
    blm_hashset *distinct;
    char *folder;                 /* where the spool goes                           */
    uint64_t ram;                 /* bytes of hashes before they go there; 0: never */
    blm_hash_runs *spool;         /* NULL: all of them are in memory                */
    uint64_t counted, counted_at; /* distinct in the spool or the rows, after that many adds */
    bool copies;                  /* a key that comes again may take another place             */
    bool as_came;                 /* rows are added in the order in which they came, twins too */
    uint64_t arg_min, arg_max;    /* of the members, by the knobs                   */
    blm_report why;               /* the sentence of the last failed add            */
    blm_rowlist rows[BLM_LISTS_MAX];
    blm_row_runs *runs; /* members before those in rows[0]; NULL: none */
    unsigned threads;
    blm_filter *hasher;    /* no cells: only turns bytes into hashes, for the two ways that wait */
    _Atomic uint64_t adds; /* shares add at the same time */
};

bool blm_list_at(const char *kind, size_t i, blm_list_info *out)
{
    const blm_kind *k = blm_kind_find(kind, strlen(kind));
    if (!k || i < 1 || i > k->nlists) return false;
    *out = (blm_list_info){k->lists[i - 1].name, k->lists[i - 1].doc, k->lists[i - 1].keyed};
    return true;
}

static blm_err take_texts(blm_builder *b, blm_report *why)
{
    const char *kind = b->c.kind ? b->c.kind : BLM_KIND_DEFAULT, *with = b->c.with ? b->c.with : "";
    if (strlen(kind) >= sizeof b->kind_name || strlen(with) >= sizeof b->with)
        return blm_fail(why, BLM_E_ARG, "the kind's name or its knobs are too long");
    b->c.kind = strcpy(b->kind_name, kind);
    b->c.with = strcpy(b->with, with);
    b->c.alloc = &b->alloc;
    if (b->c.secret) b->c.secret = memcpy(b->hasher->secret, b->c.secret, sizeof b->hasher->secret);
    return BLM_OK;
}

/* Rejects an impossible wish now, not after an hour of reading. *kept: the promises of this setting. */
static blm_err try_wish(blm_builder *b, uint32_t *kept, blm_report *why)
{
    blm_config c = b->c;
    blm_filter *f = blm_blank(b->kind, &b->alloc);
    if (!f) return blm_fail(why, BLM_E_NOMEM, "no memory for the handle");
    if (!c.keys && !c.bits) c.keys = 1;
    uint64_t bytes = 0;
    blm_err err = blm_plan_fields(f, &c, why);
    f->lost = 0; /* planning has tried other fields too */
    if (!err) err = blm_shape(f, &bytes, why);
    *kept = b->kind->promises & ~f->lost;
    b->copies = !err && b->kind->copies &&
                (b->kind->counts_by.knob || !b->kind->max_count || b->kind->max_count(f) > 1);
    if (!err) blm_arg_range(f, &b->arg_min, &b->arg_max);
    blm_free(f);
    return err;
}

/* Which columns the rows of each list have. */
static void choose_columns(blm_builder *b)
{
    const blm_kind *k = b->kind;
    for (unsigned i = 0; i <= k->nlists && i < BLM_LISTS_MAX; i++) {
        b->rows[i].hi = k->needs & (BLM_NEEDS_HASH128 | BLM_NEEDS_U64);
        b->rows[i].arg = i ? k->lists[i - 1].keyed : k->arg.name != NULL;
    }
}

static blm_err choose_way(blm_builder *b, blm_report *why)
{
    const blm_kind *k = b->kind;
    const bool sized = b->c.keys || b->c.bits;
    uint32_t kept = 0;
    const blm_err err = try_wish(b, &kept, why);
    if (err) return err;
    /* Without either promise the keys that came last are those that are found: their order must stay. */
    const bool hashes_do = !k->arg.name && kept & (BLM_NO_MISS | BLM_ANY_ORDER) &&
                           !(k->needs & (BLM_NEEDS_HASH128 | BLM_NEEDS_BYTES | BLM_NEEDS_U64));
    const bool adds = k->add && !blm_is_built(k), plain = adds && !k->nlists && hashes_do;
    const bool value = k->arg.name && k->arg.again == BLM_AGAIN_CONFLICT;
    b->as_came = adds && !value && !(kept & BLM_IDEMPOTENT);
    if (sized && adds && !k->nlists) return blm_new(&b->straight, &b->c, why);
    if (k->needs & BLM_NEEDS_BYTES)
        return blm_fail(why, BLM_E_ARG,
                        "%s reads the bytes of its keys: set their number (keys=1e6)", k->name);
    if (plain && !(b->distinct = blm_hashset_new(&b->alloc, !(k->promises & BLM_IDEMPOTENT))))
        return blm_fail(why, BLM_E_NOMEM, "no memory for the builder");
    return BLM_OK;
}

blm_err blm_builder_new(blm_builder **out, const blm_config *given, blm_report *why)
{
    blm_config c;
    blm_err err = blm_config_take(&c, given, why);
    if (err) return err;
    const char *name = c.kind ? c.kind : BLM_KIND_DEFAULT;
    const blm_kind *kind = blm_kind_find(name, strlen(name));
    if (!kind) {
        blm_filter *none = NULL;
        return blm_new(&none, &c, why); /* has the sentence about kinds */
    }
    const blm_alloc a = c.alloc ? *c.alloc : blm_alloc_default;
    blm_builder *b = blm_take(&a, sizeof *b);
    if (!b) return blm_fail(why, BLM_E_NOMEM, "no memory for the builder");
    b->c = c;
    b->alloc = a;
    b->kind = kind;
    b->threads = 1;
    choose_columns(b);
    b->hasher = blm_blank(kind, &a);
    err = b->hasher ? BLM_OK : blm_fail(why, BLM_E_NOMEM, "no memory for the builder");
    if (!err) {
        b->hasher->seed = c.seed;
        err = blm_key_in(b->hasher, c.secret, why);
    }
    if (!err) err = take_texts(b, why);
    if (!err) err = choose_way(b, why);
    if (err) {
        blm_builder_free(b);
        return err;
    }
    *out = b;
    return BLM_OK;
}

void blm_builder_free(blm_builder *b)
{
    if (!b) return;
    const blm_alloc a = b->alloc;
    blm_free(b->straight);
    blm_hashset_free(b->distinct);
    blm_hash_runs_free(b->spool);
    blm_row_runs_free(b->runs);
    if (b->folder) blm_put_back(&a, b->folder, strlen(b->folder) + 1);
    for (unsigned i = 0; i < BLM_LISTS_MAX; i++) blm_rows_drop(&b->rows[i], &a);
    blm_free(b->hasher);
    blm_put_back(&a, b, sizeof *b);
}

/* ---- spooling ------------------------------------------------------------------------------- */

blm_err blm_builder_ram(blm_builder *b, uint64_t bytes, const char *folder, blm_report *why)
{
    if (bytes < RAM_MIN)
        return blm_fail(why, BLM_E_ARG, "%" PRIu64 " bytes of memory: at least 1048576 (1MiB)",
                        bytes);
    if (!folder || !*folder) return blm_fail(why, BLM_E_ARG, "a spool needs a folder");
    if (b->adds || b->ram)
        return blm_fail(why, BLM_E_ARG, "set the memory only once, before the first key");
    if (!b->distinct && !b->kind->parts) return BLM_OK; /* the other ways keep what they keep */
    b->folder = blm_take(&b->alloc, strlen(folder) + 1);
    if (!b->folder) return blm_fail(why, BLM_E_NOMEM, "no memory for the builder");
    strcpy(b->folder, folder);
    b->ram = bytes;
    if (b->distinct) blm_hashset_limit(b->distinct, bytes);
    return BLM_OK;
}

void blm_builder_threads(blm_builder *b, unsigned threads)
{
    const long processors = threads ? 0 : sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned want = threads ? threads : processors > 0 ? (unsigned)processors : 1;
    b->threads = want < BLM_THREADS_MAX ? want : BLM_THREADS_MAX;
}

static blm_err spill(blm_builder *b, blm_report *why)
{
    const bool counted = !(b->kind->promises & BLM_IDEMPOTENT);
    blm_err err =
        b->spool ? BLM_OK : blm_hash_runs_new(&b->spool, &b->alloc, b->folder, counted, why);
    if (!err) err = blm_hash_runs_put(b->spool, b->distinct, why);
    if (!err) blm_hashset_empty(b->distinct);
    return err;
}

static blm_again again_of(const blm_builder *b, unsigned list)
{
    return list ? b->kind->lists[list - 1].again : b->kind->arg.again;
}

/* The largest sum of args of one key: those of other lists have no limit of their own. */
static uint64_t sum_max(const blm_builder *b, unsigned list)
{
    return list ? BLM_NO_ARG - 1 : b->arg_max;
}

static blm_err no_room_for_rows(const blm_builder *b, blm_report *why)
{
    return blm_fail(why, BLM_E_NOMEM, "no memory for %" PRIu64 " rows", b->rows[0].n);
}

/* The members that are in memory go to the spool, in order. */
static blm_err spill_rows(blm_builder *b, blm_report *why)
{
    blm_rowlist *l = &b->rows[0];
    if (!l->n) return BLM_OK;
    blm_err err = b->runs ? BLM_OK : blm_row_runs_new(&b->runs, &b->alloc, b->folder, b->ram, why);
    if (err) return err;
    if (blm_rows_settle(l, &b->alloc, BLM_AGAIN_CONFLICT, 0, b->threads))
        return no_room_for_rows(b, why);
    const blm_rows in_order = blm_rows_view(l);
    err = blm_row_runs_put(b->runs, &in_order, why);
    if (!err) blm_rows_drop(l, &b->alloc);
    return err;
}

/* A row takes twice its size while it is sorted. */
static bool too_many_rows(const blm_builder *b)
{
    return b->ram && b->rows[0].n > b->ram / (2 * sizeof(uint64_t));
}

typedef struct copying {
    blm_rowlist *to;
    const blm_alloc *a;
} copying;

static blm_err copy_row(void *ctx, blm_hash h, uint64_t arg)
{
    const copying *c = ctx;
    return blm_rows_add(c->to, c->a, h, arg);
}

/* Rows that must stay as they came are counted in a copy. */
static blm_err count_rows(blm_builder *b)
{
    blm_rowlist copy = {.hi = b->rows[0].hi, .arg = b->rows[0].arg}, *l = &b->rows[0];
    copying c = {&copy, &b->alloc};
    blm_err err = BLM_OK;
    if (b->as_came) {
        err = blm_rows_each(l, copy_row, &c);
        l = &copy;
    }
    if (!err) err = blm_rows_sort(l, &b->alloc, b->threads);
    if (!err) b->counted = blm_rows_distinct(l, again_of(b, 0));
    blm_rows_drop(&copy, &b->alloc);
    return err;
}

static blm_err distinct_rows(blm_builder *b, uint64_t *n, blm_report *why)
{
    blm_err err = b->runs ? spill_rows(b, why) : BLM_OK;
    if (err) return err;
    if (b->counted_at != b->adds && b->runs)
        err = blm_row_runs_count(b->runs, &b->counted, why);
    else if (b->counted_at != b->adds && count_rows(b))
        err = no_room_for_rows(b, why);
    if (err) return err;
    b->counted_at = b->adds;
    *n = b->counted;
    return BLM_OK;
}

blm_err blm_builder_distinct(blm_builder *b, uint64_t *n, blm_report *why)
{
    if (b->straight)
        return blm_fail(why, BLM_E_CANNOT, "%s cannot count its rows before it is built",
                        b->kind->name);
    if (!b->distinct) return distinct_rows(b, n, why);
    if (!b->spool) {
        *n = blm_hashset_size(b->distinct);
        return BLM_OK;
    }
    blm_err err = blm_hashset_size(b->distinct) ? spill(b, why) : BLM_OK;
    if (!err && b->counted_at != b->adds)
        err = blm_hash_runs_count(b->spool, b->ram, &b->counted, why);
    if (err) return err;
    b->counted_at = b->adds;
    *n = b->counted;
    return BLM_OK;
}

/* ---- keys ----------------------------------------------------------------------------------- */

static blm_err add_row(blm_builder *b, unsigned list, const blm_item *it)
{
    const blm_argdef *d = &b->kind->arg;
    const bool keyed = list == 0 ? d->name != NULL : b->kind->lists[list - 1].keyed;
    const uint64_t def = d->def < b->arg_max ? d->def : b->arg_max;
    const uint64_t none = list ? 1 : def; /* a key of another list came once */
    const uint64_t arg = !keyed ? 0 : it->arg == BLM_NO_ARG ? none : it->arg;
    if (b->kind->needs & BLM_NEEDS_U64 && it->len != 8) return BLM_E_ARG;
    const bool given = list == 0 && keyed && it->arg != BLM_NO_ARG;
    if (given && (arg < b->arg_min || arg > b->arg_max)) return BLM_E_ARG;
    if (too_many_rows(b)) {
        const blm_err err = spill_rows(b, &b->why);
        if (err) return err;
    }
    return blm_rows_add(&b->rows[list], &b->alloc, it->h, arg);
}

const blm_filter *blm_builder_hasher(const blm_builder *b)
{
    return b->straight ? b->straight : b->hasher;
}

static blm_err add_distinct(blm_builder *b, const blm_hash *h, size_t n, uint8_t *fresh)
{
    blm_err err = blm_hashset_add_many(b->distinct, h, n, fresh);
    if (err != BLM_E_FULL) return err;
    err = spill(b, &b->why);
    return err ? err : blm_hashset_add_many(b->distinct, h, n, fresh);
}

static blm_err add_rows_of(blm_builder *b, const blm_hash *h, size_t n)
{
    blm_err err = too_many_rows(b) ? spill_rows(b, &b->why) : BLM_OK;
    if (!err && !b->rows[0].arg) return blm_rows_add_many(&b->rows[0], &b->alloc, h, n);
    for (size_t i = 0; i < n && !err; i++)
        err = add_row(b, 0, &(const blm_item){h[i], NULL, 8, BLM_NO_ARG});
    return err;
}

blm_err blm_builder_add(blm_builder *b, unsigned list, const void *key, size_t len, uint64_t arg)
{
    if (list > b->kind->nlists || list >= BLM_LISTS_MAX || (!key && len)) return BLM_E_ARG;
    const blm_item it = blm_item_of(blm_builder_hasher(b), key, len, arg);
    const blm_err err = b->straight   ? blm_add_item(b->straight, &it, NULL)
                        : b->distinct ? add_distinct(b, &it.h, 1, NULL)
                                      : add_row(b, list, &it);
    if (!err && !list) b->adds++; /* keys of the other lists are not members */
    return err;
}

blm_err blm_builder_add_many(blm_builder *b, const blm_hash *h, size_t n, uint8_t *fresh)
{
    blm_err err = fresh && !b->straight && (!b->distinct || b->ram) ? BLM_E_CANNOT : BLM_OK;
    while (n && !err) {
        const size_t now = n < BLM_HASHSET_BATCH ? n : BLM_HASHSET_BATCH;
        err = b->straight   ? blm_add_many(b->straight, h, NULL, now, fresh, NULL)
              : b->distinct ? add_distinct(b, h, now, fresh)
                            : add_rows_of(b, h, now);
        if (!err) b->adds += now;
        if (fresh) fresh += now;
        h += now;
        n -= now;
    }
    return err;
}

/* ---- the same by several threads, each with its share of all hashes ----------------------------- */

unsigned blm_builder_shares(const blm_builder *b, uint64_t more)
{
    if (!b->distinct || b->spool) return 1;
    return !b->ram || blm_hashset_at_most(b->distinct, more) <= b->ram ? BLM_HASHSET_SHARES : 1;
}

blm_err blm_builder_add_share(blm_builder *b, const blm_hash *h, size_t n, uint8_t *fresh,
                              unsigned share, unsigned shares)
{
    const bool sound = shares && shares <= BLM_HASHSET_SHARES && !(shares & (shares - 1));
    const bool can = b->distinct && !b->spool;
    blm_err err = !sound || share >= shares ? BLM_E_ARG : can ? BLM_OK : BLM_E_CANNOT;
    while (n && !err) {
        const size_t now = n < BLM_HASHSET_BATCH ? n : BLM_HASHSET_BATCH;
        err = blm_hashset_add_share(b->distinct, h, now, fresh, share, shares);
        if (!err) atomic_fetch_add_explicit(&b->adds, now, memory_order_relaxed);
        if (fresh) fresh += now;
        h += now;
        n -= now;
    }
    return err;
}

uint64_t blm_builder_memory(const blm_builder *b)
{
    uint64_t bytes = sizeof *b + b->kind->size + (b->folder ? strlen(b->folder) + 1 : 0);
    if (b->distinct) bytes += blm_hashset_bytes(b->distinct);
    if (b->spool) bytes += blm_hash_runs_bytes(b->spool);
    if (b->runs) bytes += blm_row_runs_bytes(b->runs);
    for (unsigned i = 0; i < BLM_LISTS_MAX; i++) bytes += blm_rows_bytes(&b->rows[i]);
    return bytes;
}

uint64_t blm_builder_keys(const blm_builder *b)
{
    return b->distinct && !b->spool ? blm_hashset_size(b->distinct) : b->adds;
}

const char *blm_builder_trouble(const blm_builder *b) { return b->why.text; }

const blm_filter *blm_builder_peek(const blm_builder *b) { return b->straight; }

/* ---- distinct ------------------------------------------------------------------------------ */

typedef struct pouring {
    blm_filter *f;
    blm_hash h[256];
    size_t n, done;
} pouring;

static blm_err flush(pouring *p)
{
    const blm_err err = blm_add_many(p->f, p->h, NULL, p->n, NULL, &p->done);
    p->n = 0;
    return err;
}

static blm_err pour(void *ctx, uint64_t hash, uint32_t times)
{
    pouring *p = ctx;
    for (; times; times--) {
        p->h[p->n++] = blm_hash_widen(hash);
        const blm_err err = p->n == BLM_LEN(p->h) ? flush(p) : BLM_OK;
        if (err) return err;
    }
    return BLM_OK;
}

typedef struct places {
    uint64_t copies, most; /* of a key: in one place; that take places at all */
    uint64_t taken;        /* by all keys                                     */
} places;

static blm_err take_places(void *ctx, uint64_t hash, uint32_t times)
{
    places *p = ctx;
    const uint64_t n = times < p->most ? times : p->most;
    (void)hash;
    p->taken += (n + p->copies - 1) / p->copies;
    return BLM_OK;
}

/* Of a kind with `copies` f is made anew, with room for all of them, if it has less. */
static blm_err make_places(blm_filter **f, blm_config *c, blm_builder *b, blm_report *why)
{
    const uint64_t max = b->kind->max_count ? b->kind->max_count(*f) : UINT64_MAX;
    const bool end = !b->kind->counts_by.knob;
    places p = {end ? 1 : max, end ? max : UINT64_MAX, 0};
    const blm_err err = b->spool ? blm_hash_runs_each(b->spool, take_places, &p, why)
                                 : blm_hashset_each(b->distinct, take_places, &p);
    if (err || p.taken <= c->keys) return err;
    blm_free(*f);
    *f = NULL;
    c->keys = p.taken;
    return blm_new(f, c, why);
}

static blm_err build_distinct(blm_filter **out, blm_builder *b, blm_report *why)
{
    pouring p = {.n = 0};
    blm_config c = b->c;
    uint64_t n = 0;
    blm_err err = blm_builder_distinct(b, &n, why);
    c.keys = n ? n : 1;
    if (!err) err = blm_new(&p.f, &c, why);
    if (!err && b->copies) err = make_places(&p.f, &c, b, why);
    if (err) {
        blm_free(p.f);
        return err;
    }
    const uint32_t overfill = p.f->flags & BLM_OVERFILL;
    p.f->flags |= BLM_OVERFILL; /* sized for exactly these keys: nothing to judge */
    err = b->spool ? blm_hash_runs_each(b->spool, pour, &p, why)
                   : blm_hashset_each(b->distinct, pour, &p);
    if (!err) err = flush(&p);
    if (err) {
        if (err == BLM_E_FULL)
            blm_why_full(p.f, &(const blm_item){p.h[p.done], NULL, 8, BLM_NO_ARG}, why);
        else if (err != BLM_E_IO)
            blm_fail(why, err, "building failed: %s", blm_strerror(err));
        blm_free(p.f);
        return err;
    }
    p.f->flags = (p.f->flags & ~(uint32_t)BLM_OVERFILL) | overfill;
    p.f->adds = b->adds;
    blm_look_again(p.f);
    *out = p.f;
    return BLM_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static blm_err settle(blm_builder *b, blm_report *why)
{
    blm_err err = b->runs ? spill_rows(b, why) : BLM_OK;
    for (unsigned i = b->as_came; i <= b->kind->nlists && !err; i++) {
        err = blm_rows_settle(&b->rows[i], &b->alloc, again_of(b, i), sum_max(b, i), b->threads);
        if (err == BLM_E_NOMEM) no_room_for_rows(b, why);
        if (err == BLM_E_CONFLICT) blm_fail(why, err, "a key came with two different values");
    }
    return err;
}

static blm_err add_visited(void *ctx, blm_hash h, uint64_t arg)
{
    blm_filter *f = ctx;
    const blm_argdef *d =
        &f->kind->arg; /* the default of a life may be above those that are legal */
    const blm_item it = {h, NULL, 8, d->name && arg != d->def ? arg : BLM_NO_ARG};
    return blm_add_item(f, &it, NULL);
}

static blm_err add_rows(blm_filter *f, const blm_builder *b, blm_report *why)
{
    const uint32_t overfill = f->flags & BLM_OVERFILL;
    const blm_rows r = blm_rows_view(&b->rows[0]);
    blm_err err = BLM_OK;
    f->flags |= BLM_OVERFILL; /* sized for exactly these keys: nothing to judge */
    if (b->as_came)
        err = blm_rows_each(&b->rows[0], add_visited, f);
    else
        for (size_t i = 0; i < r.n && !err; i++)
            err = add_visited(f, blm_row_hash(&r, i), r.arg ? r.arg[i] : 0);
    f->flags = (f->flags & ~(uint32_t)BLM_OVERFILL) | overfill;
    return err ? blm_fail(why, err, "building failed: %s", blm_strerror(err)) : BLM_OK;
}

static blm_err build_whole(blm_filter **out, const blm_builder *b, const blm_config *c, uint64_t n,
                           blm_report *why)
{
    blm_whole w = {.nlists = b->kind->nlists + 1, .runs = b->runs, .n = n, .threads = b->threads};
    for (size_t i = 0; i < w.nlists; i++) w.list[i] = blm_rows_view(&b->rows[i]);
    return blm_build_whole(out, c, &w, why);
}

static blm_err build_rows(blm_filter **out, blm_builder *b, blm_report *why)
{
    uint64_t n = 0;
    blm_err err = settle(b, why);
    blm_config c = b->c;
    if (!err && (b->as_came || b->runs))
        err = distinct_rows(b, &n, why);
    else
        n = b->rows[0].n;
    if (!c.keys && !c.bits) c.keys = n ? n : 1;
    blm_filter *f = NULL;
    if (!err && blm_is_built(b->kind))
        err = build_whole(&f, b, &c, n, why);
    else if (!err && !(err = blm_new(&f, &c, why)))
        err = add_rows(f, b, why);
    if (err) {
        blm_free(f);
        return err;
    }
    f->adds = b->kind->parts ? n : b->adds; /* of a large set it is known how many came once */
    blm_look_again(f);
    *out = f;
    return BLM_OK;
}

blm_err blm_build(blm_filter **out, blm_builder *b, blm_report *why)
{
    blm_err err = BLM_OK;
    blm_filter *f = b->straight;
    b->straight = NULL;
    if (!f) err = b->distinct ? build_distinct(&f, b, why) : build_rows(&f, b, why);
    blm_builder_free(b);
    if (!err) *out = f;
    return err;
}
