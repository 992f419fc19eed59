/* oracles.h - figures of the literature, or derived from it by hand, that the code must hit; each is a line.
 *
 *     ORACLE_NEAR("1.A3", "rate of m=16 k=4 n=2", 0.0366363525390625, 1e-15, measured);      relative
 *     ORACLE_BETWEEN("1.B3", "buckets with 6 of 8", 0.7464, 0.735, 0.757, measured);
 *     ORACLE_HITS("1.A3", "rate given the fill", rate, hits, trials);      99 %: 2.576 sqrt(Q p (1 - p))
 *     ORACLE_AT_MOST("1.B6", "keys below the truth", 1e-5, measured);
 *     ORACLE_HOLDS("1.B1", "add S, delete S: all zero", truth);
 *
 * The first word is the entry of the kind in tests/entries.tsv. A figure that is missed fails the test. With
 * the variable ORACLES, a folder, each one is also written there as a line of tests/oracles.tsv: entry, oracle,
 * test, expected, tolerance, measured. tests/oracles.sh compares.
 */
#ifndef BLM_TESTS_ORACLES_H
#define BLM_TESTS_ORACLES_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct oracle {
    const char *entry, *what, *file, *test;
    int line;
} oracle;
#define ORACLE(entry, what) (&(const oracle){entry, what, __FILE__, __func__, __LINE__})

/* "theory/test_rate.c", "kinds/membership/standard/test.c": one file of lines a program, made new by each run. */
static inline void oracle_write(const oracle *o, const char *expected, const char *tolerance,
                                const char *measured)
{
    static bool begun;
    char path[1024], flat[200];
    const char *folder = getenv("ORACLES"), *name = o->file, *room = strstr(name, "src/kinds/");
    for (const char *at = name; (at = strstr(at, "tests/")); name = at) at += strlen("tests/");
    if (room) name = room + strlen("src/");
    if (!folder) return;
    snprintf(flat, sizeof flat, "%s", name);
    for (char *c = flat; *c; c++)
        if (*c == '/') *c = '.';
    snprintf(path, sizeof path, "%s/%s.tsv", folder, flat);
    FILE *out = fopen(path, begun ? "a" : "w");
    if (!out) return;
    begun = true;
    fprintf(out, "%s\t%s\t%s:%s\t%s\t%s\t%s\n", o->entry, o->what, name, o->test, expected,
            tolerance, measured);
    fclose(out);
}

static inline void oracle_judge(const oracle *o, bool kept, double expected, const char *tolerance,
                                double measured)
{
    char want[40], got[40];
    snprintf(want, sizeof want, "%.10g", expected);
    snprintf(got, sizeof got, "%.6g", measured);
    if (!kept) {
        print_error("%s, %s: expected %.17g (%s), measured %.17g\n", o->entry, o->what, expected,
                    tolerance, measured);
        _fail(o->file, o->line);
    }
    oracle_write(o, want, tolerance, got);
}

static inline void oracle_near(const oracle *o, double expected, double relative, double measured)
{
    char tolerance[40];
    snprintf(tolerance, sizeof tolerance, "%.3g relative", relative);
    oracle_judge(o, fabs(measured - expected) <= relative * fabs(expected), expected, tolerance,
                 measured);
}

static inline void oracle_between(const oracle *o, double expected, double low, double high,
                                  double measured)
{
    char tolerance[80];
    snprintf(tolerance, sizeof tolerance, "%.5g to %.5g", low, high);
    oracle_judge(o, measured >= low && measured <= high, expected, tolerance, measured);
}

/* Hits of a known chance: the 99 % interval of the binomial, near enough a normal one past 20 hits. */
static inline void oracle_hits(const oracle *o, double rate, uint64_t hits, uint64_t trials)
{
    const double n = (double)trials, sd = sqrt(n * rate * (1 - rate));
    char tolerance[60];
    snprintf(tolerance, sizeof tolerance, "99 %% of %.3g trials", n);
    oracle_judge(o, fabs((double)hits - n * rate) <= 2.576 * sd, rate, tolerance, (double)hits / n);
}

static inline void oracle_at_most(const oracle *o, double max, double measured)
{
    oracle_judge(o, measured <= max, max, "at most", measured);
}

static inline void oracle_holds(const oracle *o, bool truth)
{
    if (!truth) {
        print_error("%s: %s: it does not hold\n", o->entry, o->what);
        _fail(o->file, o->line);
    }
    oracle_write(o, "holds", "exact", "holds");
}

#define ORACLE_NEAR(entry, what, expected, relative, measured)                                     \
    oracle_near(ORACLE(entry, what), expected, relative, measured)
#define ORACLE_BETWEEN(entry, what, expected, low, high, measured)                                 \
    oracle_between(ORACLE(entry, what), expected, low, high, measured)
#define ORACLE_HITS(entry, what, rate, hits, trials)                                               \
    oracle_hits(ORACLE(entry, what), rate, hits, trials)
#define ORACLE_AT_MOST(entry, what, max, measured)                                                 \
    oracle_at_most(ORACLE(entry, what), max, measured)
#define ORACLE_HOLDS(entry, what, truth) oracle_holds(ORACLE(entry, what), truth)
#endif
