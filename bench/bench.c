/* bench.c - what a kind costs on this machine, beside what the machine itself costs.
 *
 *     bench [--kinds LIST] [--keys LIST] [--fpr P] [--runs N] [--json]
 *
 * One row a kind and size: nanoseconds to add, to find a member and to reject a stranger, one by one
 * and in batches, bits a key, the promised and the measured rate. Keys and hashes are drawn outside
 * the timed loops, each figure is the median of the runs. One by one includes the hash of an 8-byte
 * key; batches get hashes. The floor is one random cache line in as much memory as the filter has.
 */
#include <bloomery/bloomery.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { RUNS_MAX = 64, BATCH = 4096 };

typedef struct options {
    const char *kinds, *keys;
    double fpr;
    unsigned runs;
    bool json;
} options;

typedef struct row {
    const char *kind;
    uint64_t keys, bytes;
    double bits, promised, measured, low, high;
    double add, hit, miss;                /* ns, one by one */
    double add_many, hit_many, miss_many; /* ns, in batches */
    double floor_small, floor_huge;       /* ns a random line, 4 KiB pages and huge ones */
} row;

static void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(2);
}

static void *must(void *p)
{
    if (!p) die("no memory");
    return p;
}

/* ---- the loops that are timed --------------------------------------------------------------- */

typedef struct keyset {
    uint64_t n;
    uint64_t *key;
    blm_hash *hash;
} keyset;

static keyset draw(const blm_filter *f, uint64_t n, uint64_t seed)
{
    keyset s = {n, must(malloc(n * sizeof *s.key)), must(malloc(n * sizeof *s.hash))};
    for (uint64_t i = 0; i < n; i++) {
        s.key[i] = bench_random(&seed);
        s.hash[i] = blm_hash_u64(f, s.key[i]);
    }
    return s;
}

static void drop(keyset *s)
{
    free(s->key);
    free(s->hash);
}

static double time_has(const blm_filter *f, const keyset *s, uint64_t *yes)
{
    uint64_t n = 0;
    const double start = bench_now();
    for (uint64_t i = 0; i < s->n; i++) n += blm_has_u64(f, s->key[i]);
    const double spent = bench_now() - start;
    *yes = n;
    return spent * 1e9 / (double)s->n;
}

static double time_has_many(const blm_filter *f, const keyset *s, uint64_t *yes)
{
    static uint8_t answer[BATCH];
    uint64_t n = 0;
    const double start = bench_now();
    for (uint64_t i = 0; i < s->n; i += BATCH) {
        const size_t here = s->n - i < BATCH ? (size_t)(s->n - i) : BATCH;
        blm_has_many(f, s->hash + i, NULL, here, answer);
        for (size_t j = 0; j < here; j++) n += answer[j];
    }
    const double spent = bench_now() - start;
    *yes = n;
    return spent * 1e9 / (double)s->n;
}

static double time_add(blm_filter *f, const keyset *s)
{
    if (blm_clear(f)) die("cannot clear the filter");
    const double start = bench_now();
    for (uint64_t i = 0; i < s->n; i++)
        if (blm_add_u64(f, s->key[i])) die("an add within capacity failed");
    return (bench_now() - start) * 1e9 / (double)s->n;
}

static double time_add_many(blm_filter *f, const keyset *s)
{
    if (blm_clear(f)) die("cannot clear the filter");
    const double start = bench_now();
    for (uint64_t i = 0; i < s->n; i += BATCH) {
        const size_t here = s->n - i < BATCH ? (size_t)(s->n - i) : BATCH;
        if (blm_add_many(f, s->hash + i, NULL, here, NULL, NULL))
            die("a batch within capacity failed");
    }
    return (bench_now() - start) * 1e9 / (double)s->n;
}

/* ---- one row --------------------------------------------------------------------------------- */

static void measure(row *r, blm_filter *f, const options *o)
{
    double v[6][RUNS_MAX];
    uint64_t yes[4] = {0};
    keyset in = draw(f, r->keys, 1), out = draw(f, r->keys, UINT64_C(1) << 63);
    for (unsigned i = 0; i < o->runs; i++) {
        v[0][i] = time_add(f, &in);
        v[3][i] = time_add_many(f, &in);
        v[1][i] = time_has(f, &in, &yes[0]);
        v[4][i] = time_has_many(f, &in, &yes[1]);
        v[2][i] = time_has(f, &out, &yes[2]);
        v[5][i] = time_has_many(f, &out, &yes[3]);
        if (yes[0] != r->keys || yes[1] != r->keys) die("a member was not found");
        if (yes[2] != yes[3]) die("batch and single answers differ");
    }
    r->add = bench_median(v[0], o->runs), r->add_many = bench_median(v[3], o->runs);
    r->hit = bench_median(v[1], o->runs), r->hit_many = bench_median(v[4], o->runs);
    r->miss = bench_median(v[2], o->runs), r->miss_many = bench_median(v[5], o->runs);
    r->measured = (double)yes[3] / (double)r->keys;
    r->low = blm_binomial_low(yes[3], r->keys, 0.99);
    r->high = blm_binomial_high(yes[3], r->keys, 0.99);
    drop(&in);
    drop(&out);
}

static bool bench_kind(row *r, const char *kind, uint64_t keys, const options *o)
{
    blm_filter *f = NULL;
    blm_report why;
    blm_info info;
    if (blm_new(&f, BLM_CONFIG(.kind = kind, .keys = keys, .fpr = o->fpr), &why)) {
        fprintf(stderr, "bench: %s: %s\n", kind, why.text);
        return false;
    }
    blm_info_of(f, &info);
    *r = (row){.kind = info.kind, .keys = keys, .bytes = info.bytes, .promised = info.fpr_target};
    r->bits = (double)info.bits / (double)keys;
    measure(r, f, o);
    blm_free(f);
    r->floor_small = bench_floor(r->bytes < 4096 ? 4096 : r->bytes, false, o->runs);
    r->floor_huge = bench_floor(r->bytes < 4096 ? 4096 : r->bytes, true, o->runs);
    return true;
}

/* ---- what is printed --------------------------------------------------------------------------- */

static void print_head(void)
{
    printf("%-12s %10s %6s %9s %21s | %27s | %27s | %15s\n", "", "", "bits", "promised",
           "measured (99 %)", "one by one, ns", "batch, ns", "floor, ns a line");
    printf("%-12s %10s %6s %9s %21s | %8s %8s %8s  | %8s %8s %8s  | %7s %7s\n", "kind", "keys",
           "a key", "rate", "rate", "add", "hit", "miss", "add", "hit", "miss", "4 KiB", "huge");
}

static void print_row(const row *r)
{
    char rate[64];
    snprintf(rate, sizeof rate, "%.3g [%.2g, %.2g]", r->measured, r->low, r->high);
    printf("%-12s %10" PRIu64
           " %6.2f %9.3g %21s | %8.1f %8.1f %8.1f  | %8.1f %8.1f %8.1f  | %7.1f %7.1f\n",
           r->kind, r->keys, r->bits, r->promised, rate, r->add, r->hit, r->miss, r->add_many,
           r->hit_many, r->miss_many, r->floor_small, r->floor_huge);
    fflush(stdout);
}

static void print_json(const row *r)
{
    printf("{\"kind\":\"%s\",\"keys\":%" PRIu64 ",\"bytes\":%" PRIu64
           ",\"bits_per_key\":%.4f,\"promised_fpr\":%.6g,"
           "\"measured_fpr\":%.6g,\"low\":%.6g,\"high\":%.6g,\"add_ns\":%.3f,\"hit_ns\":%.3f,"
           "\"miss_ns\":%.3f,"
           "\"batch_add_ns\":%.3f,\"batch_hit_ns\":%.3f,\"batch_miss_ns\":%.3f,\"floor_ns\":%.3f,"
           "\"floor_huge_ns\":%.3f}\n",
           r->kind, r->keys, r->bytes, r->bits, r->promised, r->measured, r->low, r->high, r->add,
           r->hit, r->miss, r->add_many, r->hit_many, r->miss_many, r->floor_small, r->floor_huge);
    fflush(stdout);
}

/* ---- the command line ------------------------------------------------------------------------- */

static bool named(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = list; p && *p; p += *p == ',') {
        const size_t len = strcspn(p, ",");
        if (len == n && memcmp(p, word, n) == 0) return true;
        p += len;
    }
    return list == NULL;
}

static const char *value(int argc, char **argv, int *i)
{
    if (++*i >= argc) die("an option lacks its value");
    return argv[*i];
}

static unsigned runs_of(const char *text)
{
    uint64_t runs = 0;
    blm_report why;
    if (blm_parse_count(text, &runs, &why)) die(why.text);
    return runs < 1 ? 1 : runs > RUNS_MAX ? RUNS_MAX : (unsigned)runs;
}

static double rate_of(const char *text)
{
    double p = 0;
    blm_report why;
    if (blm_parse_rate(text, &p, &why)) die(why.text);
    return p;
}

static options parse(int argc, char **argv)
{
    options o = {NULL, "1e6,1e7", 0.01, 5, false};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--kinds") == 0)
            o.kinds = value(argc, argv, &i);
        else if (strcmp(argv[i], "--keys") == 0)
            o.keys = value(argc, argv, &i);
        else if (strcmp(argv[i], "--fpr") == 0)
            o.fpr = rate_of(value(argc, argv, &i));
        else if (strcmp(argv[i], "--runs") == 0)
            o.runs = runs_of(value(argc, argv, &i));
        else if (strcmp(argv[i], "--json") == 0)
            o.json = true;
        else
            die("usage: bench [--kinds a,b] [--keys 1e6,1e7] [--fpr P] [--runs N] [--json]");
    }
    return o;
}

static void bench_size(const options *o, uint64_t keys)
{
    blm_kind_info k;
    row r;
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        if (!named(o->kinds, k.name) || k.is_static || k.integers) continue;
        if (bench_kind(&r, k.name, keys, o)) (o->json ? print_json : print_row)(&r);
    }
}

int main(int argc, char **argv)
{
    const options o = parse(argc, argv);
    char word[32];
    if (!o.json) print_head();
    for (const char *p = o.keys; *p; p += *p == ',') {
        const size_t len = strcspn(p, ",");
        uint64_t keys = 0;
        blm_report why;
        if (len >= sizeof word) die("a number of keys is too long");
        memcpy(word, p, len);
        word[len] = 0;
        if (blm_parse_count(word, &keys, &why)) die(why.text);
        bench_size(&o, keys);
        p += len;
    }
    return 0;
}
