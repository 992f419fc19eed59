/* fixed.c - fixed sets: bits per key, questions in batches against split-block and fuse, builds against each other and
 * against a radix sort of their hashes, and the memory that a build takes. */
#include <bloomery/bloomery.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

enum {
    FEW = 1000000,
    MANY = 10000000,
    ASKED = 1 << 20,
    ASKED_A_RUN = 1 << 22,
    BATCH = 4096,
    EXTRA_ROUNDS = 4
};

/* ---- builds ------------------------------------------------------------------------------------ */

typedef struct building {
    const char *kind, *with;
    double fpr;
    const blm_hash *hash;
    size_t n;
    unsigned times, threads;
    const blm_alloc *alloc;
} building;

static blm_filter *build_one(const building *g)
{
    blm_builder *b = NULL;
    blm_filter *f = NULL;
    blm_report why;
    blm_err err = blm_builder_new(
        &b, BLM_CONFIG(.kind = g->kind, .with = g->with, .fpr = g->fpr, .alloc = g->alloc), &why);
    if (err) versus_stop(2, "%s %s: %s", g->kind, g->with, why.text);
    blm_builder_threads(b, g->threads);
    for (size_t i = 0; i < g->n && !err; i += BATCH)
        err = blm_builder_add_many(b, g->hash + i, g->n - i < BATCH ? g->n - i : BATCH, NULL);
    if (err) versus_stop(2, "%s: %s", g->kind, blm_strerror(err));
    if (blm_build(&f, b, &why)) versus_stop(1, "%s %s: %s", g->kind, g->with, why.text);
    return f;
}

/* How many of the first members are found: all of them, or the build was none. */
static uint64_t found(const blm_filter *f, const building *g)
{
    static uint8_t yes[BATCH];
    uint64_t hits = 0;
    const size_t n = g->n < BATCH ? g->n : BATCH;
    blm_has_many(f, g->hash, NULL, n, yes);
    for (size_t i = 0; i < n; i++) hits += yes[i];
    return hits;
}

/* From hashes to the filter: collected, sorted, built. */
static double build_all(void *self, uint64_t *hits)
{
    const building *g = self;
    double spent = 0;
    *hits = 0;
    for (unsigned t = 0; t < g->times; t++) {
        const double start = bench_now();
        blm_filter *f = build_one(g);
        spent += bench_now() - start;
        *hits += found(f, g);
        blm_free(f);
    }
    return spent;
}

static versus_side build_side(building *g)
{
    return (versus_side){build_all, g, (uint64_t)BATCH * g->times, (uint64_t)BATCH * g->times};
}

/* The same hashes in order, by six passes over digits of 11 bits into a second array and back. */
static double sort_all(void *self, uint64_t *hits)
{
    enum { DIGIT = 11, PASSES = 6 };
    const building *g = self;
    static size_t at[PASSES][1 << DIGIT];
    const double start = bench_now();
    uint64_t *from = malloc(2 * g->n * sizeof *from), *const all = from, *to = from + g->n;
    if (!from) versus_stop(2, "no memory to sort %zu hashes", g->n);
    memset(at, 0, sizeof at);
    for (size_t i = 0; i < g->n; i++) {
        from[i] = g->hash[i].lo;
        for (unsigned p = 0; p < PASSES; p++) at[p][from[i] >> DIGIT * p & ((1 << DIGIT) - 1)]++;
    }
    for (unsigned p = 0; p < PASSES; p++) {
        size_t sum = 0;
        for (size_t d = 0; d < 1 << DIGIT; d++) {
            const size_t n = at[p][d];
            at[p][d] = sum;
            sum += n;
        }
        for (size_t i = 0; i < g->n; i++)
            to[at[p][from[i] >> DIGIT * p & ((1 << DIGIT) - 1)]++] = from[i];
        uint64_t *const other = from;
        from = to;
        to = other;
    }
    const double spent = bench_now() - start;
    *hits = 1;
    for (size_t i = 1; i < g->n; i++) *hits += from[i - 1] <= from[i];
    free(all);
    return spent;
}

static void build_rows(const blm_hash *hash)
{
    building many = {"fuse", "", 1.0 / 256, hash, MANY, 1, 1, NULL}, two = many;
    two.threads = 2;
    versus_row(&(versus){.what = "fuse, build of a key, two threads against one, 10M",
                         .work = MANY,
                         .wanted = 1.6,
                         .ours = build_side(&two),
                         .theirs = build_side(&many)});
    versus_row(&(versus){.what = "fuse, build, against a radix sort of the hashes, 10M",
                         .work = MANY,
                         .at_most = true,
                         .ours = build_side(&many),
                         .theirs = {sort_all, &many, MANY, MANY}});
    if (!kind_there("ribbon", NULL)) return;
    building ribbon = many;
    ribbon.kind = "ribbon";
    versus_row(&(versus){.what = "ribbon, build, against fuse, 10M",
                         .work = MANY,
                         .wanted = 1.7,
                         .at_most = true,
                         .ours = build_side(&ribbon),
                         .theirs = build_side(&many)});
}

/* A row compares times of the same work: 1M ten times. */
static void growth_row(const blm_hash *hash)
{
    building many = {"fuse", "", 1.0 / 256, hash, MANY, 1, 1, NULL}, few = many;
    few.n = FEW, few.times = MANY / FEW;
    versus_row(&(versus){.what = "fuse, build of a key, 10M against 1M",
                         .work = MANY,
                         .wanted = 1.3,
                         .at_most = true,
                         .ours = build_side(&many),
                         .theirs = build_side(&few)});
}

/* ---- memory ---------------------------------------------------------------------------------------- */

typedef struct purse {
    uint64_t held, most;
} purse;

static void *purse_get(void *ctx, size_t n)
{
    purse *p = ctx;
    void *block = calloc(1, n);
    if (block) p->held += n;
    if (p->held > p->most) p->most = p->held;
    return block;
}

static void purse_put(void *ctx, void *block, size_t n)
{
    ((purse *)ctx)->held -= n;
    free(block);
}

/* All that the library asks for, the filter among it. */
static void memory_row(const char *kind, const blm_hash *hash)
{
    char what[80], ours[24];
    purse p = {0, 0};
    const blm_alloc alloc = {purse_get, purse_put, &p};
    const building g = {kind, "", 1.0 / 256, hash, MANY, 1, 1, &alloc};
    blm_free(build_one(&g));
    const double bytes = (double)p.most / MANY;
    snprintf(what, sizeof what, "%s, most memory of a build, bytes per key, 10M", kind);
    snprintf(ours, sizeof ours, "%.2f", bytes);
    versus_show(&(versus_figures){.what = what,
                                  .ours = ours,
                                  .theirs = "8",
                                  .wanted = "<= 20",
                                  .ratio = bytes / 8,
                                  .pass = bytes <= 20});
}

/* ---- bits ------------------------------------------------------------------------------------------ */

static void bits_row(const char *kind, const char *with, double fpr, double wanted, size_t n,
                     const blm_hash *hash)
{
    char what[80], ours[24], theirs[24], limit[24];
    const building g = {kind, with, fpr, hash, n, 1, 2, NULL};
    blm_filter *f = build_one(&g);
    blm_info info;
    blm_info_of(f, &info);
    const double bits = (double)info.bits / (double)n, min = -log2(fpr);
    snprintf(what, sizeof what, "%s%s%s, bits per key at %.3g %%, %zuM", kind, *with ? " " : "",
             with, 100 * fpr, n / 1000000);
    snprintf(ours, sizeof ours, "%.3f", bits);
    snprintf(theirs, sizeof theirs, "%.3f", min);
    snprintf(limit, sizeof limit, "<= %.4g", wanted);
    versus_show(&(versus_figures){.what = what,
                                  .ours = ours,
                                  .theirs = theirs,
                                  .wanted = limit,
                                  .ratio = bits / min,
                                  .pass = bits <= wanted});
    blm_free(f);
}

static void bits_rows(const blm_hash *hash)
{
    static const size_t sizes[] = {FEW, MANY};
    static const struct {
        const char *kind, *with;
        double fpr, wanted;
    } promises[] = {{"fuse", "", 1.0 / 256, 9.07},      {"fuse", "arity=4", 1.0 / 256, 8.68},
                    {"ribbon", "", 0.01, 7.1},          {"ribbon", "", 1.0 / 256, 8 * 1.03},
                    {"golomb", "", 1.0 / 256, 8 + 1.7}, {"golomb", "", 0.01, 6.6439 + 1.7}};
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        for (size_t s = 0; kind_there(promises[i].kind, NULL) && s < 2; s++)
            bits_row(promises[i].kind, promises[i].with, promises[i].fpr, promises[i].wanted,
                     sizes[s], hash);
}

/* ---- questions --------------------------------------------------------------------------------------- */

static void ask_row(const char *what, blm_filter *ours, blm_filter *theirs, double wanted,
                    const blm_hash *other, size_t inside)
{
    probe mine = {.f = ours, .hash = other, .n = ASKED, .passes = ASKED_A_RUN / ASKED},
          others = mine;
    others.f = theirs;
    versus_row(&(versus){.what = what,
                         .work = ASKED_A_RUN,
                         .wanted = wanted,
                         .at_most = true,
                         .extra = EXTRA_ROUNDS,
                         .ours = strangers_side(ask_hashes, &mine, inside),
                         .theirs = strangers_side(ask_hashes, &others, inside)});
}

static void ask_rows(size_t n, double wanted, const blm_hash *hash, const blm_hash *other)
{
    char what[80];
    building g = {"fuse", "", 1.0 / 256, hash, n, 1, 2, NULL};
    blm_filter *fuse = build_one(&g), *block = filter_of("split-block keys=%zu fpr=0.4%%", n);
    fill_filter(block, n);
    snprintf(what, sizeof what, "fuse, batch miss, against split-block, %zuM", n / 1000000);
    ask_row(what, fuse, block, wanted, other, n);
    static const struct {
        const char *kind;
        double wanted;
    } others[] = {{"xor", 0}, {"ribbon", 4}, {"golomb", 20}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!kind_there(others[i].kind, NULL)) continue;
        g.kind = others[i].kind;
        blm_filter *f = build_one(&g);
        snprintf(what, sizeof what, "%s, batch miss, against fuse, %zuM", g.kind, n / 1000000);
        ask_row(what, f, fuse, others[i].wanted, other, n);
        blm_free(f);
    }
    blm_free(fuse);
    blm_free(block);
}

void rows_fixed(void)
{
    if (!kind_there("fuse", NULL)) return;
    blm_filter *like = filter_of("split-block keys=1000"); /* the same hash: 64 bits, seed 0 */
    blm_hash *hash = draw_hashes(like, MEMBERS, MANY), *other = draw_hashes(like, STRANGERS, ASKED);
    bits_rows(hash);
    ask_rows(FEW, 2.2, hash, other);
    ask_rows(MANY, 1.5, hash, other);
    growth_row(hash);
    build_rows(hash);
    memory_row("fuse", hash);
    memory_row("ribbon", hash);
    memory_row("golomb", hash);
    memory_row("xor", hash);
    free(hash);
    free(other);
    blm_free(like);
}
