/* floor.c - how fast this machine reads random cache lines: no filter that needs one line a query can
 * be faster. With 4 KiB pages and with huge ones, since address translation is half the price. */
#define _DEFAULT_SOURCE 1
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "bench.h"

enum { LINE = 64, LOADS = 1 << 21, AHEAD = 32 };

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

/* Positions are drawn before the clock starts; each line is fetched 32 loads ahead, as batches do. */
static double read_lines(const uint8_t *p, const uint32_t *line)
{
    uint64_t sum = 0;
    const double start = bench_now();
    for (size_t i = 0; i < LOADS; i++) {
        if (i + AHEAD < LOADS) __builtin_prefetch(p + (size_t)line[i + AHEAD] * LINE);
        sum += p[(size_t)line[i] * LINE];
    }
    bench_keep(sum);
    return (bench_now() - start) * 1e9 / LOADS;
}

double bench_floor(uint64_t bytes, bool huge, unsigned runs)
{
    const size_t edge = (size_t)2 << 20, room = ((size_t)bytes + edge - 1) / edge * edge;
    char *map = mmap(NULL, room + edge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t *line = malloc(LOADS * sizeof *line);
    double v[64];
    if (map == (char *)MAP_FAILED || !line) {
        free(line);
        return NAN;
    }
    uint8_t *p = (uint8_t *)map + (edge - (uintptr_t)map % edge) % edge;
    madvise(p, room, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memset(p, 1, room);
    uint64_t state = bytes;
    for (size_t i = 0; i < LOADS; i++) line[i] = (uint32_t)(bench_random(&state) % (bytes / LINE));
    runs = runs > 64 ? 64 : runs;
    for (unsigned i = 0; i < runs; i++) v[i] = read_lines(p, line);
    munmap(map, room + edge);
    free(line);
    return bench_median(v, runs);
}
