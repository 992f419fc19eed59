/* peers.c - our filters next to libbloom's: the same keys, the same target rate, one process.
 *
 * Hashing is inside the clock on both sides. Non-members come from an array that is asked again and again: for
 * 1M keys 2^17 of them (1 MiB), for 10M keys 2^20 (8 MiB); so they touch every line of the filter, and
 * reading them in order is no part of the time.
 */
#include <bloom.h>
#include <bloomery/bloomery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "versus.h"

enum { BATCH = 4096, ASKED_A_RUN = 1 << 21, EXTRA_ROUNDS = 6 };

/* ---- what is compared --------------------------------------------------------------------------- */

typedef struct keys { /* one of number and text is NULL */
    uint64_t *number;
    blm_key *text;
    size_t n;
} keys;

typedef struct pair {
    blm_filter *ours;
    struct bloom theirs;
    const keys *k;   /* what a run works on */
    unsigned passes; /* how often */
    bool one_by_one; /* our side; theirs has no other way */
} pair;

/* ---- the loops that are timed: seconds ------------------------------------------------------------- */

static size_t part(size_t n, size_t from) { return n - from < BATCH ? n - from : BATCH; }

static uint64_t ask_batch(const pair *p, size_t from, size_t n)
{
    static uint8_t yes[BATCH];
    uint64_t hits = 0;
    if (p->k->number)
        blm_has_many_u64(p->ours, p->k->number + from, n, yes);
    else
        blm_has_many_keys(p->ours, p->k->text + from, n, yes);
    for (size_t i = 0; i < n; i++) hits += yes[i];
    return hits;
}

static uint64_t ask_singly(const pair *p)
{
    const keys *k = p->k;
    uint64_t hits = 0;
    if (k->number)
        for (size_t i = 0; i < k->n; i++) hits += blm_has_u64(p->ours, k->number[i]);
    else
        for (size_t i = 0; i < k->n; i++) hits += blm_has(p->ours, k->text[i].key, k->text[i].len);
    return hits;
}

static double ask_ours(void *self, uint64_t *hits)
{
    const pair *p = self;
    uint64_t sum = 0;
    const double start = bench_now();
    for (unsigned pass = 0; pass < p->passes; pass++)
        if (p->one_by_one)
            sum += ask_singly(p);
        else
            for (size_t i = 0; i < p->k->n; i += BATCH) sum += ask_batch(p, i, part(p->k->n, i));
    const double spent = bench_now() - start;
    *hits = sum;
    return spent;
}

static double ask_theirs(void *self, uint64_t *hits)
{
    pair *p = self;
    const keys *k = p->k;
    uint64_t sum = 0;
    const double start = bench_now();
    for (unsigned pass = 0; pass < p->passes; pass++)
        if (k->number)
            for (size_t i = 0; i < k->n; i++) sum += bloom_check(&p->theirs, &k->number[i], 8) == 1;
        else
            for (size_t i = 0; i < k->n; i++)
                sum += bloom_check(&p->theirs, k->text[i].key, (int)k->text[i].len) == 1;
    const double spent = bench_now() - start;
    *hits = sum;
    return spent;
}

/* Adding begins with an empty filter, which is emptied outside the clock. */
static double add_ours(void *self, uint64_t *hits)
{
    const pair *p = self;
    const keys *k = p->k;
    blm_err err = blm_clear(p->ours);
    const double start = bench_now();
    for (size_t i = 0; i < k->n && !err; i += BATCH)
        err = k->number ? blm_add_many_u64(p->ours, k->number + i, part(k->n, i), NULL, NULL)
                        : blm_add_many_keys(p->ours, k->text + i, part(k->n, i), NULL, NULL);
    const double spent = bench_now() - start;
    *hits = err ? 0 : k->n;
    return spent;
}

static double add_theirs(void *self, uint64_t *hits)
{
    pair *p = self;
    const keys *k = p->k;
    int worst = bloom_reset(&p->theirs) ? -1 : 0;
    const double start = bench_now();
    if (k->number)
        for (size_t i = 0; i < k->n; i++) worst |= bloom_add(&p->theirs, &k->number[i], 8);
    else
        for (size_t i = 0; i < k->n; i++)
            worst |= bloom_add(&p->theirs, k->text[i].key, (int)k->text[i].len);
    const double spent = bench_now() - start;
    *hits = worst < 0 ? 0 : k->n;
    return spent;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

typedef enum action { ADD, HIT, MISS } action;
static const char *const action_name[] = {"add", "hit", "miss"};

/* What is promised; all other rows inform. */
static double wanted_of(const char *kind, action a, size_t n, double fpr, bool text, bool singly)
{
    static const struct {
        const char *kind;
        action action;
        size_t n;
        double wanted;
        bool singly;
    } promises[] = {
        {"split-block", MISS, 10000000, 20, false}, {"blocked", MISS, 10000000, 16, false},
        {"split-block", MISS, 1000000, 9, false},   {"blocked", MISS, 1000000, 7.5, false},
        {"standard", MISS, 10000000, 6, false},     {"standard", HIT, 10000000, 5, false},
        {"blocked", MISS, 1000000, 3, true},        {"blocked", MISS, 10000000, 2.5, true},
        {"standard", MISS, 1000000, 1.15, true},    {"standard", MISS, 10000000, 1.4, true}};
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        if (strcmp(promises[i].kind, kind) == 0 && promises[i].action == a && promises[i].n == n &&
            promises[i].singly == singly && fpr > 0.009 && !text)
            return promises[i].wanted;
    return 0;
}

typedef struct field { /* one number of keys at one rate, against one kind */
    const char *kind;
    double fpr, floor;
    bool text;
    keys members, asked_members, strangers;
    pair p;
} field;

static void row(field *g, action a, bool one_by_one)
{
    char what[80];
    const size_t n = g->members.n;
    pair *p = &g->p;
    p->k = a == ADD ? &g->members : a == HIT ? &g->asked_members : &g->strangers;
    p->passes = a == ADD ? 1 : (unsigned)(ASKED_A_RUN / p->k->n);
    p->one_by_one = one_by_one;
    snprintf(what, sizeof what, "%s %s, %s, %zuM %s at %g %%", g->kind, action_name[a],
             one_by_one ? "singly" : "batch", n / 1000000, g->text ? "strings" : "u64",
             g->fpr * 100);
    versus v = {.what = what,
                .work = p->k->n * p->passes,
                .wanted = wanted_of(g->kind, a, n, g->fpr, g->text, one_by_one),
                .floor = g->floor,
                .extra = a == ADD ? 0 : EXTRA_ROUNDS,
                .ours = {a == ADD ? add_ours : ask_ours, p, v.work, v.work},
                .theirs = {a == ADD ? add_theirs : ask_theirs, p, v.work, v.work}};
    if (a == MISS) {
        const blm_case full = {.keys = n, .arg = BLM_NO_ARG};
        const uint64_t m = (uint64_t)p->theirs.bits;
        const unsigned k = (unsigned)p->theirs.hashes;
        const blm_rate theirs = {blm_rate_approx(m, k, n), blm_rate_exact(m, k, n),
                                 blm_rate_sd(m, k, n)};
        hits_expected(blm_fpr(p->ours, &full), p->k->n, &v.ours.low, &v.ours.high);
        hits_expected(theirs, p->k->n, &v.theirs.low, &v.theirs.high);
        v.ours.low *= p->passes, v.ours.high *= p->passes;
        v.theirs.low *= p->passes, v.theirs.high *= p->passes;
    }
    versus_row(&v);
}

static void kind_rows(field *g, const char *kind)
{
    blm_info info;
    const size_t n = g->members.n;
    if (!kind_there(kind, NULL)) return;
    g->kind = kind;
    g->p.ours = filter_of("%s keys=%zu fpr=%g", kind, n, g->fpr);
    if (bloom_init(&g->p.theirs, (int)n, g->fpr))
        versus_stop(2, "libbloom cannot make a filter for %zu keys at %g", n, g->fpr);
    blm_info_of(g->p.ours, &info);
    g->floor = bench_floor(info.bytes, true, VERSUS_ROUNDS);
    row(g, ADD, false); /* fills both */
    row(g, MISS, false);
    row(g, HIT, false);
    row(g, MISS, true);
    blm_free(g->p.ours);
    bloom_free(&g->p.theirs);
}

static void all_kinds(field *g)
{
    kind_rows(g, "split-block");
    kind_rows(g, "blocked");
    kind_rows(g, "standard");
}

static void number_rows(size_t n)
{
    const size_t asked = n > 2000000 ? 1 << 20 : 1 << 17;
    field g = {.members = {draw_numbers(MEMBERS, n), NULL, n},
               .strangers = {draw_numbers(STRANGERS, asked), NULL, asked}};
    g.asked_members = (keys){g.members.number, NULL, asked};
    g.fpr = 0.01;
    all_kinds(&g);
    g.fpr = 0.001;
    all_kinds(&g);
    free(g.members.number);
    free(g.strangers.number);
}

static void string_rows(size_t n)
{
    const size_t asked = n > 2000000 ? 1 << 18 : 1 << 16; /* 44 bytes each: 11 MiB, 3 MiB */
    field g = {.text = true,
               .fpr = 0.01,
               .members = {NULL, draw_strings(MEMBERS, n), n},
               .strangers = {NULL, draw_strings(STRANGERS, asked), asked}};
    g.asked_members = (keys){NULL, g.members.text, asked};
    all_kinds(&g);
    drop_strings(g.members.text);
    drop_strings(g.strangers.text);
}

int main(void)
{
    printf("bloomery %s against libbloom %s: time per key, ratio = theirs / ours\n", blm_version(),
           bloom_version());
    versus_head();
    number_rows(10000000);
    number_rows(1000000);
    string_rows(10000000);
    string_rows(1000000);
    versus_end();
    return 0;
}
