/* whole.c - kinds that are built out of all keys at once: with the next salt when one does not work, or in parts. */
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "core/build/each.h"
#include "core/build/row_runs.h"
#include "core/mul128.h"

enum { BUILD_SALTS = 100 };

/* ---- in parts ------------------------------------------------------------------------------------ */

typedef struct parts {
    blm_filter *f;
    const blm_whole *w;
    uint64_t n, next;     /* next: the part that the runs come to; under the gate      */
    pthread_mutex_t gate; /* the runs have one reader, and there is one sentence       */
    blm_err err;          /* what is no matter of luck hides BUILD; under the gate     */
    blm_report why;
} parts;

/* The first row of part i or a later one. */
static size_t first_of(const blm_rows *r, uint64_t i, uint64_t n)
{
    size_t low = 0, high = r->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (blm_reduce(r->lo[middle], n) < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void take_error(parts *p, blm_err err, const blm_report *why)
{
    pthread_mutex_lock(&p->gate);
    if (err && (!p->err || p->err == BLM_E_BUILD)) {
        p->err = err;
        p->why = *why;
    }
    pthread_mutex_unlock(&p->gate);
}

/* An error that no salt cures ends it: the other parts need not be built. */
static bool hopeless(parts *p)
{
    pthread_mutex_lock(&p->gate);
    const bool yes = p->err && p->err != BLM_E_BUILD;
    pthread_mutex_unlock(&p->gate);
    return yes;
}

static void build_part(void *ctx, uint64_t i)
{
    parts *p = ctx;
    const blm_rows *all = &p->w->list[0];
    const size_t begin = first_of(all, i, p->n), end = first_of(all, i + 1, p->n);
    const blm_rows own = {end > begin ? all->lo + begin : NULL, NULL, NULL, end - begin};
    blm_report why = {BLM_OK, ""};
    if (!hopeless(p)) take_error(p, p->f->kind->build_part(p->f, i, &own, &why), &why);
}

/* Whichever part the runs have come to. */
static void build_next_part(void *ctx, uint64_t some)
{
    parts *p = ctx;
    blm_report why = {BLM_OK, ""};
    uint64_t *lo, n, room, mean = p->w->n / p->n;
    (void)some;
    if (hopeless(p)) return;
    pthread_mutex_lock(&p->gate);
    const uint64_t i = p->next++;
    blm_err err = blm_row_runs_part(p->w->runs, i, p->n, mean + mean / 64, &lo, &n, &room, &why);
    pthread_mutex_unlock(&p->gate);
    const blm_rows own = {lo, NULL, NULL, (size_t)n};
    if (!err) err = p->f->kind->build_part(p->f, i, &own, &why);
    blm_put_back(&p->f->alloc, lo, room * sizeof *lo);
    take_error(p, err, &why);
}

/* Once each; BUILD: some part has found no salt. */
static blm_err all_parts(blm_filter *f, const blm_whole *w, blm_report *why)
{
    parts p = {.f = f, .w = w, .n = f->kind->parts(f)};
    if (pthread_mutex_init(&p.gate, NULL))
        return blm_fail(why, BLM_E_NOMEM, "no memory for a lock");
    if (w->runs) p.err = blm_row_runs_begin(w->runs, &p.why);
    if (!p.err) blm_each(w->threads, p.n, w->runs ? build_next_part : build_part, &p);
    if (w->runs) blm_row_runs_end(w->runs);
    pthread_mutex_destroy(&p.gate);
    if (p.err && p.err != BLM_E_BUILD && why) *why = p.why;
    return p.err;
}

/* The fields have changed: other cells, all zero. */
static blm_err furnish_anew(blm_filter *f, blm_report *why)
{
    blm_put_back(&f->alloc, f->cells, f->bytes);
    f->cells = NULL;
    f->bytes = 0;
    return blm_furnish(f, why);
}

static blm_err build_parts(blm_filter *f, const blm_whole *w, blm_report *why)
{
    blm_err err = w->n > f->capacity
                      ? blm_fail(why, BLM_E_FULL,
                                 "%" PRIu64 " distinct keys, planned for %" PRIu64
                                 ": a fixed set has no room for more; plan for %" PRIu64 " keys",
                                 w->n, f->capacity, w->n)
                      : all_parts(f, w, why);
    while (err == BLM_E_BUILD) {
        err = f->kind->widen ? f->kind->widen(f, why)
                             : blm_fail(why, BLM_E_BUILD, "no salt of a part worked");
        if (err) return err;
        err = furnish_anew(f, why);
        if (!err) err = all_parts(f, w, why);
    }
    if (!err && f->kind->built) err = f->kind->built(f, w->n, why);
    return err;
}

/* ---- at once --------------------------------------------------------------------------------------- */

/* With the salt of f: the lists as they are, or resalted and sorted anew. */
static blm_err build_once(blm_filter *f, const blm_whole *w, blm_report *why)
{
    const uint64_t salt = blm_outer_salt(f);
    const uint32_t needs = f->kind->needs;
    const bool hi = needs & BLM_NEEDS_HASH128 || !(needs & BLM_NEEDS_LO);
    blm_rowlist own[BLM_LISTS_MAX] = {{0}};
    blm_whole salted = *w;
    blm_err err = BLM_OK;
    for (size_t i = 0; salt && i < w->nlists && !err; i++) {
        err = blm_rows_resalted(&own[i], &w->list[i], salt, hi, &f->alloc);
        salted.list[i] = blm_rows_view(&own[i]);
    }
    if (err) blm_fail(why, err, "no memory for %" PRIu64 " rows", w->n);
    if (!err)
        err = f->kind->build ? f->kind->build(f, salted.list, why) : build_parts(f, &salted, why);
    for (size_t i = 0; i < w->nlists; i++) blm_rows_drop(&own[i], &f->alloc);
    return err;
}

blm_err blm_build_whole(blm_filter **out, const blm_config *c, const blm_whole *w, blm_report *why)
{
    for (uint64_t salt = w->first; salt - w->first < BUILD_SALTS; salt++) {
        blm_report sentence = {BLM_OK, ""}; /* of this salt: the next one may do */
        blm_filter *f = NULL;
        blm_err err = blm_new(&f, c, why);
        if (err) return err;
        const bool once = f->kind->parts != NULL; /* its parts have tried salts of their own */
        f->salt = salt;
        if (w->parent) blm_inherit(f, w->parent);
        blm_settle(f);
        err = build_once(f, w, &sentence);
        if (!err) {
            *out = f;
            return BLM_OK;
        }
        blm_free(f);
        if (err == BLM_E_BUILD && !once) continue;
        if (why) *why = sentence;
        return err;
    }
    return blm_fail(why, BLM_E_BUILD, "no salt of %d worked", BUILD_SALTS);
}
