/* floor.c - how fast this machine reads random cache lines: no filter that needs one line per query can
 * be faster. With 4 KiB pages and with huge ones, since address translation is half the price. */
#define _DEFAULT_SOURCE 1
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "bench.h"

enum { LINE = 64, LOADS = 1 << 21 };

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double bench_median(double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

void bench_keep(uint64_t v) { __asm__ volatile("" : : "r"(v) : "memory"); }

/* ---- random lines -------------------------------------------------------------------------------- */

struct bench_lines {
    char *map;
    size_t mapped, loads;
    const uint8_t *cells;
    uint32_t *line;
    bool second;  /* lines are fetched into the second cache: faster here than into the first */
    size_t ahead; /* loads between a fetch and its use */
};

static inline uint64_t read_all(const bench_lines *l, bool second)
{
    const size_t far = l->ahead;
    uint64_t sum = 0;
    for (size_t i = 0; i < l->loads; i++) {
        if (i + far < l->loads) {
            const uint8_t *ahead = l->cells + (size_t)l->line[i + far] * LINE;
            if (second)
                __builtin_prefetch(ahead, 0, 2);
            else
                __builtin_prefetch(ahead);
        }
        sum += l->cells[(size_t)l->line[i] * LINE];
    }
    return sum;
}

static double time_all(const bench_lines *l, bool second)
{
    const double start = bench_now();
    bench_keep(second ? read_all(l, true) : read_all(l, false));
    return bench_now() - start;
}

/* The raw rate is that of the best way to fetch: into which cache, and how far ahead. The best of 3 times decides. */
static void take_the_best_way(bench_lines *l)
{
    static const size_t distances[] = {16, 32, 64};
    bench_lines best = *l;
    double least = INFINITY;
    for (unsigned i = 0; i < 3 * 2 * 3; i++) {
        l->ahead = distances[i % 3];
        l->second = i / 3 % 2;
        const double spent = time_all(l, l->second);
        if (spent < least) least = spent, best = *l;
    }
    *l = best;
}

bench_lines *bench_lines_open(uint64_t bytes, bool huge, size_t loads)
{
    const size_t edge = (size_t)2 << 20, room = ((size_t)bytes + edge - 1) / edge * edge;
    bench_lines *l = malloc(sizeof *l);
    uint32_t *line = malloc(loads * sizeof *line);
    char *map = mmap(NULL, room + edge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!l || !line || map == (char *)MAP_FAILED) {
        if (map != (char *)MAP_FAILED) munmap(map, room + edge);
        free(l);
        free(line);
        return NULL;
    }
    uint8_t *p = (uint8_t *)map + (edge - (uintptr_t)map % edge) % edge;
    madvise(p, room, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memset(p, 1, room);
    uint64_t state = bytes;
    for (size_t i = 0; i < loads; i++) line[i] = (uint32_t)(bench_random(&state) % (bytes / LINE));
    *l = (bench_lines){map, room + edge, loads, p, line, false, 0};
    take_the_best_way(l);
    return l;
}

/* Positions are drawn before the clock starts. */
double bench_lines_read(const bench_lines *l, unsigned passes)
{
    double spent = 0;
    for (unsigned i = 0; i < passes; i++) spent += time_all(l, l->second);
    return spent;
}

void bench_lines_close(bench_lines *l)
{
    if (!l) return;
    munmap(l->map, l->mapped);
    free(l->line);
    free(l);
}

double bench_floor(uint64_t bytes, bool huge, unsigned runs)
{
    double v[64];
    bench_lines *l = bench_lines_open(bytes, huge, LOADS);
    if (!l) return NAN;
    runs = runs > 64 ? 64 : runs;
    for (unsigned i = 0; i < runs; i++) v[i] = bench_lines_read(l, 1) * 1e9 / LOADS;
    bench_lines_close(l);
    return bench_median(v, runs);
}
