/* bench.h - what a kind costs on this machine, next to what the machine itself costs.
 *
 * `bloomery bench` shows it. One row per kind and number of keys: nanoseconds to add, to find a member and
 * to reject a non-member, one by one and in batches, bits per key, the promised and the measured rate. Keys and
 * hashes are drawn outside the timed loops, each figure is the median of the runs. One by one includes the
 * hash of an 8-byte key; batches get hashes. The floor is one random cache line in as much memory as the
 * filter has: no filter that reads one line per query can be faster.
 */
#ifndef BLM_BENCH_H
#define BLM_BENCH_H
#include <bloomery/core.h>

enum { BENCH_RUNS_MAX = 64 };

typedef struct bench_job {
    const char *kind;
    uint64_t keys;
    double fpr;
    unsigned runs;     /* 0: up to 5, as many as 2 s allow, at least one */
    void (*ran)(void); /* after each part of a run, outside the clock; or NULL */
} bench_job;

typedef struct bench_row { /* times in ns; NAN: the kind has no such call */
    uint64_t keys, bytes, probes, hits;
    unsigned runs;
    double bits, promised, theory; /* rates: promised, and by theory with all keys in the set */
    double spread;                 /* relative sd of the rate between filters of this shape */
    double measured, low, high;    /* 99 % interval */
    double add, hit, miss;         /* one by one; a kind that is built whole: the build, a key */
    double add_many, hit_many, miss_many;
    double floor_small, floor_huge; /* a random line, with pages of 4 KiB and with huge ones */
} bench_row;

/* Measures one kind. BLM_E_CANNOT: keys are integers of the kind's own world. */
blm_err bench_kind(const bench_job *j, bench_row *r, blm_report *why);

/* ---- the clock and the floor (floor.c) ---------------------------------------------------------- */
double bench_now(void);                   /* seconds */
double bench_median(double *v, size_t n); /* sorts v */
uint64_t bench_random(uint64_t *state);   /* splitmix64 */
void bench_keep(uint64_t v);              /* the optimizer may not drop what made v */

/* Random cache lines in `bytes` of memory, `loads` of them, drawn once; NULL: no memory. A reading gives the
 * seconds that `passes` times all of them took. */
typedef struct bench_lines bench_lines;
bench_lines *bench_lines_open(uint64_t bytes, bool huge, size_t loads);
double bench_lines_read(const bench_lines *l, unsigned passes);
void bench_lines_close(bench_lines *l);

/* Nanoseconds for one of many independent random cache lines in `bytes` of memory; NAN: no memory. */
double bench_floor(uint64_t bytes, bool huge, unsigned runs);
#endif
