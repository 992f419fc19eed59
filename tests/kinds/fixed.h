/* fixed.h - sets that are built in parts, as core builds them, out of hashes that are drawn in order. */
#ifndef BLM_TESTS_FIXED_H
#define BLM_TESTS_FIXED_H
#include "core/bytes.h"
#include "core/mul128.h"
#include "kinds/fields.h"

/* n hashes, each anywhere in one of n equal intervals: different, and in order. */
static inline uint64_t *drawn(uint64_t n, uint64_t seed)
{
    uint64_t *lo = malloc((size_t)(n + 1) * sizeof *lo), state = seed * 1000003 + n;
    const uint64_t gap = n ? UINT64_MAX / n : 1;
    assert_non_null(lo);
    for (uint64_t i = 0; i < n; i++) lo[i] = i * gap + blm_reduce(draw(&state), gap);
    return lo;
}

static inline blm_err build_all_parts(blm_filter *f, const uint64_t *lo, uint64_t n)
{
    const uint64_t parts = f->kind->parts(f);
    blm_err err = BLM_OK;
    for (uint64_t i = 0, at = 0, end; i < parts && !err; i++, at = end) {
        for (end = at; end < n && blm_reduce(lo[end], parts) == i;) end++;
        const blm_rows rows = {lo + at, NULL, NULL, (size_t)(end - at)};
        err = f->kind->build_part(f, i, &rows, &why);
    }
    return err;
}

/* Builds f, with more room where no seed will do; all hashes are found then. */
static inline void build_until(blm_filter *f, const uint64_t *lo, uint64_t n)
{
    blm_err err;
    while ((err = build_all_parts(f, lo, n)) == BLM_E_BUILD) {
        OK(f->kind->widen(f, &why));
        blm_put_back(&f->alloc, f->cells, f->bytes);
        f->cells = NULL;
        f->bytes = 0;
        OK(blm_furnish(f, &why));
    }
    assert_int_equal(err, BLM_OK);
    OK(f->kind->built(f, n, &why));
    blm_estimate keys;
    OK(blm_cardinality(f, &keys));
    assert_true(keys.low >= (double)n && keys.high <= (double)n);
    for (uint64_t i = 0; i < n; i++) assert_true(f->kind->has(f, (blm_hash){lo[i], 0}, NULL));
}

/* A filter of n hashes that are drawn, with these settings besides keys. */
static inline blm_filter *built_new(const char *kind, const char *settings, uint64_t n,
                                    uint64_t seed)
{
    char spec[200];
    uint64_t *lo = drawn(n, seed);
    snprintf(spec, sizeof spec, "%s keys=%llu %s", kind, (unsigned long long)(n ? n : 1), settings);
    blm_filter *f = made(spec);
    build_until(f, lo, n);
    free(lo);
    return f;
}

/* Which seed of the list, from 1, the only shard has; 8 more for each time that it was widened. */
static inline unsigned seeds_tried(const blm_filter *f)
{
    size_t bytes;
    uint64_t state = 0;
    const uint64_t seed = blm_le64(blm_cells(f, &bytes));
    unsigned t = 1;
    while (t <= 8 && draw(&state) != seed) t++;
    assert_true(t <= 8);
    return t + 8 * (unsigned)field(f, "widened");
}

/* How many of n hashes are found that were drawn anew; by batches of odd sizes, which say what single questions do. */
static inline uint64_t found_of(const blm_filter *f, uint64_t n, uint64_t seed)
{
    static blm_hash h[1000];
    static uint8_t yes[COUNT(h)];
    uint64_t state = ~seed, hits = 0;
    for (uint64_t done = 0; done < n;) {
        const uint64_t left = n - done, max = 1 + draw(&state) % COUNT(h),
                       group = left < max ? left : max;
        for (uint64_t i = 0; i < group; i++) h[i] = (blm_hash){draw(&state), 0};
        blm_has_many(f, h, NULL, (size_t)group, yes);
        for (uint64_t i = 0; i < group; i++) hits += yes[i];
        for (uint64_t i = 0; i < group; i += 7)
            assert_int_equal(yes[i], f->kind->has(f, h[i], NULL));
        done += group;
    }
    return hits;
}

/* The rate is 2^-w: 99 % of the binomial. */
static inline void check_rate(const blm_filter *f, uint64_t asked, uint64_t seed)
{
    const double p = ldexp(1, -(int)field(f, "width")), n = (double)asked;
    WITHIN((double)found_of(f, asked, seed), n * p, 2.576 * sqrt(n * p * (1 - p)));
    NEAR(blm_fpr(f, NULL).high, p, 1e-15);
}

/* With this many trials of n keys: how many are built with the first seed, and seeds per filter. */
typedef struct luck {
    double first, mean;
} luck;
static inline luck luck_of(const char *kind, const char *settings, uint64_t n, unsigned trials)
{
    luck l = {0, 0};
    for (unsigned seed = 1; seed <= trials; seed++) {
        blm_filter *f = built_new(kind, settings, n, seed);
        const unsigned tried = seeds_tried(f);
        l.first += tried == 1;
        l.mean += tried;
        blm_free(f);
    }
    l = (luck){l.first / trials, l.mean / trials};
    assert_true(l.mean - 1 <= 3 * (1 - l.first)); /* the next seed is as good as the first */
    return l;
}

/* ---- what kinds of xored cells have in common -------------------------------------------------- */

/* Every width; the cells end with a word that is not full in most of them. */
static inline void check_widths(const char *kind, const char *settings)
{
    for (unsigned w = 1; w <= 32; w++) {
        char own[100];
        snprintf(own, sizeof own, "width=%u %s", w, settings);
        blm_filter *f = built_new(kind, own, 1001 + w, w);
        check_rate(f, w < 9 ? 20000 : 5000, w);
        blm_free(f);
    }
}

/* A filter of no key says no, built or not, and where all cells are zero too. */
static inline void check_none(const char *kind)
{
    for (unsigned w = 1; w <= 32; w += 7)
        for (unsigned built = 0; built < 2; built++) {
            char spec[60];
            snprintf(spec, sizeof spec, "width=%u", w);
            blm_filter *f = built_new(kind, spec, 0, 1);
            if (!built) {
                blm_free(f);
                snprintf(spec, sizeof spec, "%s keys=100 width=%u shards=3", kind, w);
                f = made(spec);
            }
            assert_int_equal(found_of(f, 5000, 1), 0);
            assert_true(blm_fpr(f, NULL).high <= 0);
            blm_free(f);
        }
}

/* Fewer keys than planned, so that shards are empty. */
static inline void check_fewer(const char *kind)
{
    for (uint64_t n = 0; n <= 3000; n = 3 * n + 1) {
        char spec[100];
        uint64_t *lo = drawn(n, n);
        snprintf(spec, sizeof spec, "%s keys=10000 width=8 shards=%u", kind, (unsigned)(1 + n % 5));
        blm_filter *f = made(spec);
        build_until(f, lo, n);
        assert_int_equal(field(f, "widened"), 0);
        if (n)
            check_rate(f, 50000, n);
        else
            assert_int_equal(found_of(f, 50000, n), 0);
        blm_free(f);
        free(lo);
    }
}

/* 1000 rows in so few cells that no seed will do: an error in bounded time, cells as they were, nothing lost. */
static inline void check_no_seed(blm_filter *f, purse *p)
{
    uint64_t *lo = drawn(1000, 1);
    const uint64_t held = p->held;
    const blm_rows rows = {lo, NULL, NULL, 1000};
    REFUSED(f->kind->build_part(f, 0, &rows, &why), BLM_E_BUILD, "no seed");
    for (uint64_t i = 0; i < f->bytes; i++) assert_int_equal(f->cells[i], 0);
    assert_int_equal(p->held, held);
    p->refuse_at = p->calls + 1;
    REFUSED(f->kind->build_part(f, 0, &rows, &why), BLM_E_NOMEM, "1000 keys");
    assert_int_equal(p->held, held);
    unsigned widened = 0;
    while (!f->kind->widen(f, &why)) widened++;
    assert_int_equal(widened, 16);
    REFUSED(f->kind->widen(f, &why), BLM_E_BUILD, "16 times");
    free(lo);
}

/* Each shard ends with whole words, whose last bits are zero. */
static inline void check_tail(const char *kind, const char *settings)
{
    blm_filter *f = built_new(kind, settings, 100, 1);
    const uint64_t shards = field(f, "shards"), shard = (f->bytes - 8 * shards) / shards;
    OK(f->kind->check(f, &why));
    for (uint64_t i = 0; i < shards; i++) {
        uint8_t *last = f->cells + 8 * shards + (i + 1) * shard - 1;
        *last ^= 0x80;
        REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "past the last cell");
        *last ^= 0x80;
    }
    OK(f->kind->check(f, &why));
    blm_free(f);
}

static inline void check_refusals(const char *kind)
{
    static const struct {
        const char *with, *says;
    } bad[] = {{"keys=100 width=33", "width=33"},
               {"keys=100 width=1.5", "width=1.5: must be a whole number"},
               {"keys=100 shards=2.5", "shards=2.5: must be a whole number"},
               {"keys=100 hashes=3", "set width=8"},
               {"keys=100 fpr=2.3e-10", "fingerprints of 32 bits"},
               {"keys=1000 bits=1000b", "too few for 1000 keys"},
               {"keys=1000 bits=9000b width=9", "cells of 9 bits"},
               {"keys=5e9 shards=1", "use more shards"}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        blm_filter *f = NULL;
        char spec[100];
        snprintf(spec, sizeof spec, "%s %s", kind, bad[i].with);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, bad[i].says);
    }
    blm_filter *f = made("blocked keys=100"), *g = built_new(kind, "", 100, 1);
    REFUSED(blm_merge(f, g, &why), BLM_E_MISMATCH, "");
    blm_filter *other = built_new(kind, "", 100, 2);
    REFUSED(blm_merge(g, other, &why), BLM_E_CANNOT, "all keys");
    assert_int_equal(blm_add_u64(g, 1), BLM_E_CANNOT);
    blm_free(f);
    blm_free(g);
    blm_free(other);
}

/* As many bits as are given, and no cell is wasted: the widest fingerprints that fit. */
static inline void check_memory(const char *kind)
{
    char spec[100];
    for (unsigned bits = 20000; bits < 400000; bits += 7777) {
        snprintf(spec, sizeof spec, "%s keys=10000 bits=%ub", kind, bits);
        blm_filter *f = made(spec);
        const uint64_t bytes = info_of(f).bytes, width = field(f, "width");
        assert_true(bytes * 8 <= bits && (width == 32 || bytes * 8 * (width + 1) / width > bits));
        blm_free(f);
    }
}
#endif
