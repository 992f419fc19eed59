/* window.c - slices of time side by side: misses, the edge of a slice, and the same slices as arrays of their own; and what an
 * arrival costs where each cell has a stamp. */
#include <bloomery/bloomery.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

enum { EXTRA_ROUNDS = 4, ASKED_A_RUN = 1 << 21, SLICES = 14, SLICE_MS = 1000 };

/* ---- misses -------------------------------------------------------------------------------------- */

/* All slices, each an array of its own: asked one after the other, and a yes of any is a yes. */
typedef struct apart {
    blm_filter *slice[SLICES + 1];
    const blm_hash *hash;
    uint8_t *yes, *any;
    size_t n;
    unsigned passes;
} apart;

static double ask_apart(void *self, uint64_t *hits)
{
    apart *a = self;
    *hits = 0;
    const double start = bench_now();
    for (unsigned pass = 0; pass < a->passes; pass++) {
        memset(a->any, 0, a->n);
        for (unsigned s = 0; s <= SLICES; s++) {
            blm_has_many(a->slice[s], a->hash, NULL, a->n, a->yes);
            for (size_t i = 0; i < a->n; i++) a->any[i] |= a->yes[i];
        }
        for (size_t i = 0; i < a->n; i++) *hits += a->any[i];
    }
    return bench_now() - start;
}

static uint64_t field_of(const blm_filter *f, const char *name)
{
    blm_field_info d;
    for (size_t i = 0; blm_field_at(f, i, &d); i++)
        if (strcmp(d.name, name) == 0) return d.value;
    versus_stop(2, "no field %s", name);
}

/* Each with the keys of one slice; the last one is the slice that begins. */
static apart apart_of(const blm_filter *w, size_t keys, const blm_hash *stranger, size_t asked,
                      unsigned passes)
{
    apart a = {.hash = stranger, .n = asked, .passes = passes};
    blm_hash *member = draw_hashes(w, MEMBERS, keys);
    const size_t each = keys / SLICES;
    for (unsigned s = 0; s <= SLICES; s++) {
        a.slice[s] = filter_of("standard bits=%" PRIu64 "b hashes=%" PRIu64 " keys=%zu",
                               field_of(w, "cells"), field_of(w, "hashes"), each);
        if (s < SLICES && blm_add_many(a.slice[s], member + s * each, NULL, each, NULL, NULL))
            versus_stop(1, "a slice is full");
    }
    free(member);
    a.yes = malloc(asked);
    a.any = malloc(asked);
    if (!a.yes || !a.any) versus_stop(2, "no memory");
    return a;
}

static void misses(size_t keys)
{
    char what[80];
    const size_t asked = keys > 2000000 ? 1 << 20 : 1 << 17;
    const unsigned passes = (unsigned)(ASKED_A_RUN / asked);
    blm_filter *w = filter_of("window slices=%d keys=%zu fpr=1%%", SLICES, keys);
    blm_filter *s = filter_of("standard bits=%" PRIu64 "B keys=%zu", cells_of(w), keys);
    fill_filter(w, keys);
    fill_filter(s, keys);
    blm_hash *stranger = draw_hashes(w, STRANGERS, asked);
    apart a = apart_of(w, keys, stranger, asked, passes);
    probe miss[2] = {{w, NULL, stranger, asked, passes, NULL, false},
                     {s, NULL, stranger, asked, passes, NULL, false}};
    versus v = {.what = what,
                .work = asked * passes,
                .wanted = 2,
                .at_most = true,
                .extra = EXTRA_ROUNDS,
                .floor = bench_floor(cells_of(w), true, VERSUS_ROUNDS),
                .ours = strangers_side(ask_hashes, &miss[0], keys),
                .theirs = strangers_side(ask_hashes, &miss[1], keys)};
    snprintf(what, sizeof what, "window miss, %d slices, against standard, %zuM", SLICES,
             keys / 1000000);
    versus_row(&v);
    v.wanted = 0;
    v.theirs = (versus_side){ask_apart, &a, v.ours.low, v.ours.high};
    snprintf(what, sizeof what, "window miss, against %d slices as arrays of their own, %zuM",
             SLICES, keys / 1000000);
    versus_row(&v);
    for (unsigned i = 0; i <= SLICES; i++) blm_free(a.slice[i]);
    free(a.yes);
    free(a.any);
    free(stranger);
    blm_free(w);
    blm_free(s);
}

/* ---- the edge of a slice --------------------------------------------------------------------------- */

typedef struct edge {
    blm_filter *f;
    uint64_t *key; /* of one slice */
    size_t n;
    uint64_t slice; /* which is now */
    uint8_t *room;  /* as many bytes as the filter has cells */
} edge;

static void next_slice(edge *e)
{
    if (blm_tick(e->f, ++e->slice * SLICE_MS)) versus_stop(2, "tick");
}

static void fill_slice(edge *e)
{
    if (blm_add_many_u64(e->f, e->key, e->n, NULL, NULL)) versus_stop(1, "a slice is full");
}

/* The slice that is emptied has its share of the keys. */
static double tick_once(void *self, uint64_t *hits)
{
    edge *e = self;
    fill_slice(e);
    const double start = bench_now();
    next_slice(e);
    const double spent = bench_now() - start;
    *hits = blm_has_u64(e->f, e->key[0]);
    return spent;
}

static double memset_once(void *self, uint64_t *hits)
{
    edge *e = self;
    const uint64_t bytes = cells_of(e->f);
    const double start = bench_now();
    memset(e->room, (int)(e->slice & 0xff), (size_t)bytes);
    const double spent = bench_now() - start;
    *hits = e->room[bytes / 2] == (e->slice & 0xff);
    return spent;
}

static void edges(unsigned slices, size_t keys)
{
    char what[80];
    edge e = {.f = filter_of("window window=%us slices=%u keys=%zu fpr=1%% burst=1", slices, slices,
                             keys),
              .n = keys / slices};
    e.key = draw_numbers(MEMBERS, e.n);
    e.room = malloc(cells_of(e.f));
    if (!e.room) versus_stop(2, "no memory");
    memset(e.room, 1, cells_of(e.f)); /* its pages are there */
    for (unsigned i = 0; i <= slices; i++) {
        fill_slice(&e);
        next_slice(&e);
    }
    versus v = {.what = what,
                .work = cells_of(e.f) >> 20,
                .wanted = 4,
                .at_most = true,
                .extra = EXTRA_ROUNDS,
                .ours = {tick_once, &e, 1, 1},
                .theirs = {memset_once, &e, 1, 1}};
    snprintf(what, sizeof what, "window tick over an edge, %u slices, against memset, per MiB",
             slices);
    versus_row(&v);
    free(e.key);
    free(e.room);
    blm_free(e.f);
}

/* ---- arrivals ---------------------------------------------------------------------------------------- */

/* Cells that are all looked at by each arrival would take a hundred times as long. */
static void arrivals(void)
{
    enum { ARRIVALS = 1 << 19 };
    blm_filter *many = filter_of("decaying keys=%d fpr=1%%", 100000),
               *few = filter_of("decaying keys=%d fpr=1%%", 1000);
    blm_hash *hash = draw_hashes(many, MEMBERS, ARRIVALS);
    probe ours = {.f = many, .hash = hash, .n = ARRIVALS, .passes = 1}, theirs = ours;
    theirs.f = few;
    const versus v = {.what = "decaying, batch add, 100 times the cells and the window",
                      .work = ARRIVALS,
                      .wanted = 3,
                      .at_most = true,
                      .extra = EXTRA_ROUNDS,
                      .ours = {add_hashes, &ours, ARRIVALS, ARRIVALS},
                      .theirs = {add_hashes, &theirs, ARRIVALS, ARRIVALS}};
    versus_row(&v);
    free(hash);
    blm_free(many);
    blm_free(few);
}

void rows_window(void)
{
    if (!kind_there("window", "slices")) return;
    misses(1000000);
    misses(10000000);
    edges(7, 20000000);
    edges(14, 20000000);
    arrivals();
}
