/* growth.c - a filter that was begun at 1000 keys against one of the right size, and its layers against one of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bloomery/image.h>

#include "rows.h"

enum { FIRST = 1000, BATCH = 4096, EXTRA_ROUNDS = 6, ASKED = 1 << 17, ASKED_A_RUN = 1 << 20 };

/* ---- adding, growth included -------------------------------------------------------------------------- */

typedef struct adding {
    const char *spec;
    const uint64_t *key;
    size_t n;
    unsigned times; /* filters per run: one of 10^5 keys takes a few milliseconds */
} adding;

/* Both sides begin with a filter that has just been made: what they write is memory that nobody has touched. */
static double add_to_new(void *self, uint64_t *hits)
{
    const adding *a = self;
    double spent = 0;
    *hits = 0;
    for (unsigned t = 0; t < a->times; t++) {
        blm_filter *f = filter_of("%s", a->spec);
        blm_err err = BLM_OK;
        const double start = bench_now();
        for (size_t i = 0; i < a->n && !err; i += BATCH)
            err = blm_add_many_u64(f, a->key + i, a->n - i < BATCH ? a->n - i : BATCH, NULL, NULL);
        spent += bench_now() - start;
        if (!err) *hits += a->n;
        blm_free(f);
    }
    return spent;
}

static const char *count_text(char text[16], size_t n)
{
    snprintf(text, 16, n >= 1000000 ? "%zuM" : "%zuk", n >= 1000000 ? n / 1000000 : n / 1000);
    return text;
}

static void adding_row(size_t n, const uint64_t *key)
{
    char what[96], right[64], begun[64], count[16];
    const unsigned times = n < 1000000 ? 20 : 1;
    snprintf(begun, sizeof begun, "scalable keys=%d fpr=1%%", FIRST);
    snprintf(right, sizeof right, "partitioned keys=%zu fpr=1%%", n);
    snprintf(what, sizeof what, "scalable from 1k, batch add, against right-sized, %s",
             count_text(count, n));
    adding ours = {begun, key, n, times}, theirs = {right, key, n, times};
    versus_row(&(versus){.what = what,
                         .work = n * times,
                         .wanted = 4,
                         .at_most = true,
                         .extra = n > 1000000 ? 0 : EXTRA_ROUNDS,
                         .ours = {add_to_new, &ours, n * times, n * times},
                         .theirs = {add_to_new, &theirs, n * times, n * times}});
}

/* ---- asking all layers against asking one ------------------------------------------------------------------ */

static uint64_t field_of(const blm_filter *f, const char *name)
{
    blm_field_info d;
    for (size_t i = 0; blm_field_at(f, i, &d); i++)
        if (strcmp(d.name, name) == 0) return d.value;
    versus_stop(2, "a layer has no field %s", name);
}

static size_t layers_of(const blm_filter *f)
{
    size_t n = 0;
    while (blm_inner(f, n)) n++;
    return n;
}

/* A filter of the shape of the newest layer, full as all others are. */
static blm_filter *like_newest(const blm_filter *f, uint64_t *inside)
{
    const blm_filter *newest = blm_inner(f, layers_of(f) - 1);
    blm_info info;
    blm_info_of(newest, &info);
    *inside = info.capacity;
    blm_filter *one = filter_of("partitioned bits=%" PRIu64 "b hashes=%" PRIu64,
                                field_of(newest, "slice") * field_of(newest, "hashes"),
                                field_of(newest, "hashes"));
    fill_filter(one, *inside);
    return one;
}

static void asking_row(size_t n, const uint64_t *other)
{
    char what[96], count[16];
    uint64_t inside = 0;
    blm_filter *f = filter_of("scalable keys=%d fpr=1%%", FIRST);
    fill_filter(f, n);
    blm_filter *one = like_newest(f, &inside);
    const size_t layers = layers_of(f);
    probe all = {.f = f, .key = other, .n = ASKED, .passes = ASKED_A_RUN / ASKED}, newest = all;
    newest.f = one;
    snprintf(what, sizeof what, "scalable, batch miss, %zu layers against the newest, %s", layers,
             count_text(count, n));
    versus_row(&(versus){.what = what,
                         .work = ASKED_A_RUN,
                         .wanted = 1.2 * (double)layers,
                         .at_most = true,
                         .extra = EXTRA_ROUNDS,
                         .ours = strangers_side(ask_keys, &all, n),
                         .theirs = strangers_side(ask_keys, &newest, inside)});
    blm_free(one);
    blm_free(f);
}

void rows_growth(void)
{
    static const size_t sizes[] = {100000, 10000000};
    if (!kind_there("scalable", NULL)) return;
    uint64_t *member = draw_numbers(MEMBERS, sizes[1]), *other = draw_numbers(STRANGERS, ASKED);
    for (size_t i = 0; i < 2; i++) adding_row(sizes[i], member);
    for (size_t i = 0; i < 2; i++) asking_row(sizes[i], other);
    free(member);
    free(other);
}
