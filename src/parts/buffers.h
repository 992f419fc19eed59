/* buffers.h - two Bloom filters side by side, one of which is emptied now and then: double-buffer and aging.
 *
 *     cell        |  0  |  1  |  2  |  3  | ...     bit i of both buffers is one cell, so that one cache line serves both
 *     column 0     1     .     .     1              the active buffer: new keys go into it
 *     column 1     1     1     .     .              the other one
 *
 * At a swap they change roles, and one of them is emptied, so that the oldest keys leave. A kind has a rule: which buffers
 * answer, where a key goes, and when they swap. Time is the number of arrivals, so that every add is a step.
 *
 * Keys are counted where they are put. One that a buffer takes for a member sets no bit there, and is not counted, so
 * a period from swap to swap is a little longer than `keep` arrivals of new keys:
 *
 *     seen(n)   arrivals of new keys while n are counted. With p the fill they cause, of k hashes in m bits,
 *               n = m/k (p + p^2/2 + ... + p^k/k),  seen = -m/k ln(1 - p):    1000.7 for n = 1000, m = 11043, k = 8
 */
#ifndef BLM_BUFFERS_H
#define BLM_BUFFERS_H
#include "core/kind.h"
#include "parts/columns.h"

typedef struct blm_buffers {
    blm_filter base;
    uint64_t cells;                    /* m, bits per buffer */
    uint64_t keep;                     /* the last `keep` arrivals are never missed */
    uint64_t active_keys, active_ones; /* counted keys, and bits that are one */
    uint64_t other_keys, other_ones;
    uint8_t hashes, active, rule; /* active: the column; rule: a word of the kind's knob */
} blm_buffers;

enum { BLM_BUFFERS_BOTH = 3 };

static inline blm_columns blm_buffers_columns(const blm_buffers *s)
{
    return (blm_columns){s->base.cells, s->base.bytes, s->cells, s->hashes, 2, 2};
}
static inline uint64_t blm_buffers_active(const blm_buffers *s) { return UINT64_C(1) << s->active; }

/* They change roles; the one that is active from now on is emptied, or the other one. */
void blm_buffers_swap(blm_buffers *s, bool empties_active);

/* ---- a rule, and what is made of it: inlined, so that a rule is no call ----------------------------- */

typedef struct blm_buffers_rule {
    /* Of the buffers that have the key: those whose yes is an answer. */
    uint64_t (*asked)(const blm_buffers *s);
    /* The buffers that a key goes into when these have it; it is counted there. */
    uint64_t (*takes)(blm_buffers *s, uint64_t found);
    /* After each key: swaps if it is time to. */
    void (*turn)(blm_buffers *s);
} blm_buffers_rule;

static BLM_STAGED_EACH blm_err blm_buffers_add(const blm_buffers_rule *rule, blm_filter *f,
                                               blm_hash h, bool *fresh)
{
    blm_buffers *s = (blm_buffers *)f;
    const blm_columns c = blm_buffers_columns(s);
    const uint64_t found = blm_columns_mask(&c, h, BLM_BUFFERS_BOTH);
    *fresh = !(found & rule->asked(s));
    const uint64_t into = rule->takes(s, found), active = blm_buffers_active(s);
    if (into & active) s->active_ones += blm_columns_set(&c, h, s->active);
    if (into & ~active) s->other_ones += blm_columns_set(&c, h, s->active ^ 1u);
    rule->turn(s);
    blm_step(f, 1);
    return BLM_OK;
}

/* A batch works on a copy of the filter's numbers, as no write to a cell could be one to them. */
typedef struct blm_buffers_batch {
    blm_columns c;
    blm_buffers s;
} blm_buffers_batch;

static BLM_STAGED_EACH bool blm_buffers_put(const blm_buffers_rule *rule, void *into,
                                            const blm_staged_group *g, size_t i)
{
    blm_buffers_batch *b = into;
    blm_buffers *s = &b->s;
    const uint64_t found = blm_columns_mask_at(&b->c, g, i, BLM_BUFFERS_BOTH);
    const bool fresh = !(found & rule->asked(s));
    const uint64_t to = rule->takes(s, found), active = blm_buffers_active(s);
    if (to & active) s->active_ones += blm_columns_set_at(&b->c, g, i, s->active);
    if (to & ~active) s->other_ones += blm_columns_set_at(&b->c, g, i, s->active ^ 1u);
    rule->turn(s);
    return fresh;
}

/* put: the kind's blm_buffers_put. */
static BLM_STAGED_EACH blm_err blm_buffers_add_many(
    blm_filter *f, const blm_hash *h, size_t n,
    bool (*put)(void *into, const blm_staged_group *g, size_t i), uint8_t *fresh, size_t *done)
{
    blm_buffers *s = (blm_buffers *)f;
    blm_buffers_batch b = {blm_buffers_columns(s), *s};
    blm_columns_add_each(&b.c, h, n, put, &b, fresh);
    *s = b.s;
    blm_step(f, n);
    *done = n;
    return BLM_OK;
}

/* ---- buffers.c: as the kind's calls of these names ------------------------------------------------ */

/* each: every key that was counted set a bit. */
blm_err blm_buffers_shape(blm_filter *f, bool each, uint64_t *bytes, blm_report *why);
blm_err blm_buffers_check(const blm_filter *f, blm_report *why);
double blm_buffers_fill(const blm_filter *f);
uint64_t blm_buffers_window(const blm_filter *f);
void blm_buffers_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n);
size_t blm_buffers_touch(const blm_filter *f, uint64_t asked, blm_hash h, blm_touch *out,
                         size_t cap);

/* ---- buffers_rates.c: sizes and rates, of streams of keys that are all new ------------------------ */

/* Arrivals of new keys while a buffer counts n of them; INFINITY: it never does, as all its bits become ones first. */
double blm_buffers_seen(const blm_buffers *s, double n);
/* The rate of one buffer that has seen that many keys, with its spread; and the one by its ones. */
blm_rate blm_buffers_rate(const blm_buffers *s, double seen);
double blm_buffers_rate_now(const blm_buffers *s, uint64_t ones);

/* Sets m and k for a wish. A buffer has seen `full` keys, or a few more, when it is fullest: load() says how many, by m and k.
 * Where a rate is wished, that of one buffer is then at most `each`. Fails with BLM_E_ARG if no size does that. */
blm_err blm_buffers_size(blm_buffers *s, const blm_config *wish, uint64_t full, double each,
                         double (*load)(const blm_buffers *s), blm_report *why);

/* Where a stream stands. `held`: how many of the last arrivals are remembered, one period to two of them once there was a
 * swap. The length of a period varies, as some keys are not counted: near a swap only limits are known. */
typedef struct blm_buffers_place {
    double low, high; /* of held */
    double sd;        /* of held, where low is high */
    double period;    /* mean of arrivals from swap to swap */
    bool swapped;
} blm_buffers_place;
/* After that many keys. Of the arrivals of a period `keep` are counted. */
blm_buffers_place blm_buffers_at(const blm_buffers *s, double period, uint64_t keys);
/* As kind->fnr, of keys that stay for one to two periods; worst: the highest rate. */
blm_rate blm_buffers_fnr(const blm_filter *f, const blm_case *c, double period, double worst);
#endif
