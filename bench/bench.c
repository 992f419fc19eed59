/* bench.c - the timed loops, and one row of figures. */
#include <bloomery/bloomery.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { BATCH = 4096, ASKED_MAX = 1 << 21, RUNS_DEFAULT = 5 };
static const double seconds_a_row = 2;

static blm_err failed(blm_report *why, blm_err code, const char *sentence)
{
    why->code = code;
    snprintf(why->text, sizeof why->text, "%s", sentence);
    return code;
}

/* ---- keys ------------------------------------------------------------------------------------- */

typedef struct keyset {
    uint64_t n;
    uint64_t *key;
    blm_hash *hash;
} keyset;

static bool draw(keyset *s, const blm_filter *f, uint64_t n, uint64_t seed)
{
    if (n > SIZE_MAX / sizeof *s->hash) return false;
    s->n = n;
    s->key = malloc((size_t)n * sizeof *s->key);
    s->hash = malloc((size_t)n * sizeof *s->hash);
    if (!s->key || !s->hash) return false;
    for (uint64_t i = 0; i < n; i++) {
        s->key[i] = bench_random(&seed);
        s->hash[i] = blm_hash_u64(f, s->key[i]);
    }
    return true;
}

static void drop(keyset *s)
{
    free(s->key);
    free(s->hash);
}

/* ---- the loops that are timed: seconds ------------------------------------------------------------- */

static double time_has(const blm_filter *f, const keyset *s, uint64_t n, uint64_t *yes)
{
    uint64_t sum = 0;
    const double start = bench_now();
    for (uint64_t i = 0; i < n; i++) sum += blm_has_u64(f, s->key[i]);
    const double spent = bench_now() - start;
    *yes = sum;
    return spent;
}

static double time_has_many(const blm_filter *f, const keyset *s, uint64_t n, uint64_t *yes)
{
    static uint8_t answer[BATCH];
    uint64_t sum = 0;
    const double start = bench_now();
    for (uint64_t i = 0; i < n; i += BATCH) {
        const size_t here = n - i < BATCH ? (size_t)(n - i) : BATCH;
        blm_has_many(f, s->hash + i, NULL, here, answer);
        for (size_t j = 0; j < here; j++) sum += answer[j];
    }
    const double spent = bench_now() - start;
    *yes = sum;
    return spent;
}

static blm_err time_add(blm_filter *f, const keyset *s, double *spent)
{
    blm_err err = blm_clear(f);
    const double start = bench_now();
    for (uint64_t i = 0; i < s->n && !err; i++) err = blm_add_u64(f, s->key[i]);
    *spent = bench_now() - start;
    return err;
}

static blm_err time_add_many(blm_filter *f, const keyset *s, double *spent)
{
    blm_err err = blm_clear(f);
    const double start = bench_now();
    for (uint64_t i = 0; i < s->n && !err; i += BATCH) {
        const size_t here = s->n - i < BATCH ? (size_t)(s->n - i) : BATCH;
        err = blm_add_many(f, s->hash + i, NULL, here, NULL, NULL);
    }
    *spent = bench_now() - start;
    return err;
}

/* A kind that is built whole: from the first key to the filter, which takes the place of *f. */
static blm_err time_build(blm_filter **f, const blm_config *c, const keyset *s, double *spent)
{
    blm_builder *b = NULL;
    blm_filter *fresh = NULL;
    blm_err err = blm_builder_new(&b, c, NULL);
    if (err) return err;
    const double start = bench_now();
    for (uint64_t i = 0; i < s->n && !err; i++) {
        uint8_t bytes[8]; /* as blm_has_u64 reads them */
        for (unsigned j = 0; j < 8; j++) bytes[j] = (uint8_t)(s->key[i] >> 8 * j);
        err = blm_builder_add(b, 0, bytes, sizeof bytes, BLM_NO_ARG);
    }
    if (err)
        blm_builder_free(b);
    else
        err = blm_build(&fresh, b, NULL);
    *spent = bench_now() - start;
    if (err) return err;
    blm_free(*f);
    *f = fresh;
    return BLM_OK;
}

/* ---- one row --------------------------------------------------------------------------------------- */

typedef struct bench {
    const bench_job *job;
    blm_kind_info kind;
    blm_config wish;
    blm_filter *f;
    keyset in, out;
    double ns[6][BENCH_RUNS_MAX]; /* add, hit, miss, and the same in batches */
    uint64_t hits;
} bench;

static void ran(const bench *b)
{
    if (b->job->ran) b->job->ran();
}

static double a_key(double seconds, uint64_t n) { return seconds * 1e9 / (double)n; }

static blm_err fill(bench *b, unsigned run)
{
    double one = 0, many = NAN;
    blm_err err = b->kind.is_static ? time_build(&b->f, &b->wish, &b->in, &one)
                                    : time_add(b->f, &b->in, &one);
    ran(b);
    if (!err && !b->kind.is_static && !b->kind.bytes) err = time_add_many(b->f, &b->in, &many);
    ran(b);
    b->ns[0][run] = a_key(one, b->in.n);
    b->ns[3][run] = a_key(many, b->in.n);
    return err;
}

/* Members and non-members alike are asked up to 2 million times: enough for any cache to miss. */
static blm_err ask(bench *b, unsigned run, blm_report *why)
{
    uint64_t yes[4] = {0};
    const uint64_t n = b->out.n;
    b->ns[1][run] = a_key(time_has(b->f, &b->in, n, &yes[0]), n);
    b->ns[2][run] = a_key(time_has(b->f, &b->out, n, &yes[1]), n);
    b->ns[4][run] = b->ns[5][run] = NAN;
    if (!b->kind.bytes) {
        b->ns[4][run] = a_key(time_has_many(b->f, &b->in, n, &yes[2]), n);
        b->ns[5][run] = a_key(time_has_many(b->f, &b->out, n, &yes[3]), n);
        if (yes[0] != yes[2] || yes[1] != yes[3])
            return failed(why, BLM_E_IMAGE, "batch and single answers differ");
    }
    if (!b->kind.misses && yes[0] != n) return failed(why, BLM_E_IMAGE, "a member was not found");
    b->hits = yes[1];
    ran(b);
    return BLM_OK;
}

static blm_err measure(bench *b, bench_row *r, blm_report *why)
{
    const unsigned max = b->job->runs ? b->job->runs : RUNS_DEFAULT;
    const double start = bench_now();
    for (r->runs = 0; r->runs < max && r->runs < BENCH_RUNS_MAX;) {
        blm_err err = fill(b, r->runs);
        if (err) return failed(why, err, "adding within capacity failed");
        if ((err = ask(b, r->runs, why))) return err;
        r->runs++;
        if (!b->job->runs && bench_now() - start > seconds_a_row) break;
    }
    r->add = bench_median(b->ns[0], r->runs), r->add_many = bench_median(b->ns[3], r->runs);
    r->hit = bench_median(b->ns[1], r->runs), r->hit_many = bench_median(b->ns[4], r->runs);
    r->miss = bench_median(b->ns[2], r->runs), r->miss_many = bench_median(b->ns[5], r->runs);
    r->probes = b->out.n;
    r->hits = b->hits;
    r->measured = (double)r->hits / (double)r->probes;
    r->low = blm_binomial_low(r->hits, r->probes, 0.99);
    r->high = blm_binomial_high(r->hits, r->probes, 0.99);
    return BLM_OK;
}

static void describe(const bench *b, bench_row *r)
{
    blm_info info;
    const blm_case full = {.keys = b->job->keys, .arg = BLM_NO_ARG};
    const blm_rate theory = blm_fpr(b->f, &full);
    blm_info_of(b->f, &info);
    r->keys = b->job->keys;
    r->bytes = info.bytes;
    r->bits = (double)info.bits / (double)r->keys;
    r->promised = info.fpr_target;
    r->theory = theory.high;
    r->spread = theory.spread;
}

blm_err bench_kind(const bench_job *j, bench_row *r, blm_report *why)
{
    bench b = {.job = j};
    const uint64_t asked = j->keys < ASKED_MAX ? j->keys : ASKED_MAX;
    blm_config_init(&b.wish);
    b.wish.kind = j->kind;
    b.wish.keys = j->keys;
    b.wish.fpr = j->fpr;
    blm_err err = blm_new(&b.f, &b.wish, why);
    if (err) return err;
    blm_kind_named(j->kind, &b.kind);
    if (b.kind.integers)
        err = failed(why, BLM_E_CANNOT,
                     "its keys are numbers with a meaning of their own, so it is not measured");
    else if (!draw(&b.in, b.f, j->keys, 1) || !draw(&b.out, b.f, asked, UINT64_C(1) << 63))
        err = failed(why, BLM_E_NOMEM, "no memory for the keys: 24 bytes each");
    if (!err) err = measure(&b, r, why);
    if (!err) describe(&b, r);
    drop(&b.in);
    drop(&b.out);
    blm_free(b.f);
    if (err) return err;
    const uint64_t floor_bytes = r->bytes < 4096 ? 4096 : r->bytes;
    r->floor_small = bench_floor(floor_bytes, false, r->runs);
    r->floor_huge = bench_floor(floor_bytes, true, r->runs);
    return BLM_OK;
}
