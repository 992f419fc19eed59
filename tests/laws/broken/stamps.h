/* stamps.h - a small sound kind whose keys age by arrivals, and two wrong places.
 *
 * A file of this folder names itself and its wrong place, and includes this page, as with sound.h.
 *
 *   STAMPS_NAME, STAMPS_TEXT   broken_gaps, "broken-gaps"
 *   STAMPS_WINDOW(s)           the age from which a key is gone; STAMPS_LONG(s): what it should be. They may differ once
 *                              more than three windows of keys have come, so that no other law sees it
 *
 * Each of m cells is the time at which a key came, 8 bytes; a key has k of them, and is there while all are young.
 */
#include <math.h>
#include <bloomery/theory.h>
#include "core/kind.h"
#include "core/bytes.h"
#include "parts/probe.h"

#define STAMPS_GLUE(a, b) a##b
#define STAMPS_KIND(name) STAMPS_GLUE(blm_kind_, name)
#define STAMPS_LONG(s)    ((s)->window)
#define STAMPS_LATE(s)    ((s)->base.adds > 3 * (s)->window)
#ifndef STAMPS_WINDOW
#define STAMPS_WINDOW(s) STAMPS_LONG(s)
#endif

typedef struct stamps {
    blm_filter base;
    uint64_t cells, window;
    uint8_t hashes;
} stamps;

static const blm_field stamps_fields[] = {
    BLM_FIELD(stamps, cells, BLM_F_SHAPE, 1, UINT64_C(1) << 54, "m"),
    BLM_FIELD(stamps, window, BLM_F_SHAPE, 1, UINT64_C(1) << 56, "arrivals"),
    BLM_FIELD(stamps, hashes, BLM_F_SHAPE, 1, 64, "k"),
};

static blm_err plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs, blm_report *why)
{
    stamps *s = (stamps *)f;
    unsigned k = wish->hashes;
    (void)knobs;
    s->cells = wish->bits / 64;
    if (wish->bits && !s->cells) return blm_fail(why, BLM_E_ARG, "bits: fewer than 64");
    if (wish->bits && !k) k = blm_best_hashes(s->cells, wish->keys);
    if (!wish->bits && (!blm_size_for(wish->keys, wish->fpr, k, true, &s->cells, &k) ||
                        s->cells > stamps_fields[0].max))
        return blm_fail(why, BLM_E_ARG, "%g keys at fpr %g: too large", (double)wish->keys,
                        wish->fpr);
    s->hashes = (uint8_t)k;
    s->window = wish->keys;
    return BLM_OK;
}

static blm_err shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    (void)why;
    *bytes = ((stamps *)f)->cells * 8;
    return BLM_OK;
}

/* A stamp from the future, which forged cells may have, is a dead one. */
static bool young(const stamps *s, uint64_t cell, uint64_t window)
{
    const uint64_t stamp = blm_le64(s->base.cells + 8 * cell);
    return stamp && stamp <= s->base.now && s->base.now - stamp < window;
}

static bool has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const stamps *s = (const stamps *)f;
    (void)it;
    for (unsigned i = 0; i < s->hashes; i++)
        if (!young(s, blm_place(h, i, s->cells), STAMPS_WINDOW(s))) return false;
    return true;
}

static blm_err add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    const stamps *s = (const stamps *)f;
    *fresh = !has(f, h, it);
    blm_step(f, 1);
    for (unsigned i = 0; i < s->hashes; i++)
        blm_put64(f->cells + 8 * blm_place(h, i, s->cells), f->now);
    return BLM_OK;
}

static blm_err tick(blm_filter *f, uint64_t now) { return (void)f, (void)now, BLM_OK; }

static blm_rate fpr(const blm_filter *f, const blm_case *c)
{
    const stamps *s = (const stamps *)f;
    uint64_t live = 0;
    for (uint64_t i = 0; !c && i < s->cells; i++) live += young(s, i, STAMPS_LONG(s));
    const uint64_t keys = c && c->keys < s->window ? c->keys : s->window;
    const double p = c ? blm_rate_exact(s->cells, s->hashes, keys)
                       : blm_rate_from_fill(live, s->cells, s->hashes);
    return (blm_rate){p, p, c ? blm_rate_sd(s->cells, s->hashes, keys) : 0};
}

/* The last key has age 0, so that the first one of a window and a key is the first that is gone. Other keys bring it
 * back at fpr. */
static blm_rate fnr(const blm_filter *f, const blm_case *c)
{
    const stamps *s = (const stamps *)f;
    const uint64_t keys = c ? c->keys : f->adds;
    if (c && c->gap) return (blm_rate){c->gap >= s->window, c->gap >= s->window, 0};
    if (keys <= s->window) return (blm_rate){0, 0, 0};
    const blm_case full = {.keys = s->window, .arg = BLM_NO_ARG};
    const double gone = (double)(keys - s->window), all = (double)keys;
    const blm_rate back = fpr(f, &full);
    const double p = gone / all * (1 - back.high);
    return (blm_rate){p, p,
                      sqrt(gone * back.high * (1 + gone * back.high * back.spread * back.spread)) /
                          (p * all)};
}

static uint64_t window(const blm_filter *f) { return ((const stamps *)f)->window; }

const blm_kind STAMPS_KIND(STAMPS_NAME);
const blm_kind STAMPS_KIND(STAMPS_NAME) = {
    .name = STAMPS_TEXT,
    .group = "broken",
    .version = 1,
    .size = sizeof(stamps),
    .needs = BLM_NEEDS_HASH64,
    .clock = BLM_CLOCK_ARRIVALS,
    .fields = stamps_fields,
    .nfields = BLM_LEN(stamps_fields),
    .plan = plan,
    .shape = shape,
    .fpr = fpr,
    .fnr = fnr,
    .window = window,
    .has = has,
    .add = add,
    .tick = tick,
};
