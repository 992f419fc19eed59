/* heavy.h - the keys that come most often, in fixed memory: what top and iceberg share.
 *
 * table.c has the table and its sketch, room.c decides who goes, order.c puts keys in order, run.c
 * has the passes over the input and what is printed.
 */
#ifndef BLM_CLI_HEAVY_H
#define BLM_CLI_HEAVY_H
#include "input/input.h"

typedef struct heavy heavy;

/* low <= how often it came <= high, for sure. */
typedef struct heavy_key {
    const char *key;
    size_t length;
    uint64_t low, high;
} heavy_key;

typedef struct heavy_sum {
    uint64_t lines, held; /* keys that were taken, repeats too; distinct ones that are held */
    uint64_t bound;       /* no other key came more often. 0: all are held, all counts are exact */
    uint64_t bytes, used; /* of memory; of that, entries */
    uint64_t too_long;    /* bytes of a key that has more; 0: none */
} heavy_sum;

heavy *heavy_new(uint64_t ram, uint64_t seed); /* NULL: it has complained */
void heavy_free(heavy *t);
const blm_filter *heavy_hasher(const heavy *t);
/* Lines with the hashes of heavy_hasher: all n, or lines[of[0]] to lines[of[n - 1]]. Several threads, each with
 * its shares of at most heavy_shares(). False: a key is too long; what was taken is of no use then. */
bool heavy_take(heavy *t, const line *lines, const uint32_t *of, size_t n);
unsigned heavy_shares(const heavy *t);
/* From here on the keys inside are counted anew, from 0, and none comes or goes: a second pass. */
void heavy_recount(heavy *t);
uint64_t heavy_longest(uint64_t ram); /* bytes that a key may have */
heavy_sum heavy_sums(const heavy *t);
/* Memory in which `bound` stays below `least` for such lines and keys. */
uint64_t heavy_ram_for(const heavy *t, uint64_t min);

/* After the last line. Keys whose high is `least` or more, the first n at most, in order of high, then of bytes: how
 * many they are. Then each of them, and the highest `high` of all others, inside or not. */
size_t heavy_sort(heavy *t, size_t n, uint64_t min);
heavy_key heavy_at(const heavy *t, size_t i);
uint64_t heavy_others(const heavy *t);

/* ---- the verbs' part (run.c) ------------------------------------------------------------------------ */

typedef struct heavy_settings {
    settings base;
    bool exact;
} heavy_settings;

typedef struct heavy_run {
    const settings *s;
    bool exact; /* a second pass */
    uint64_t ram;
    heavy *t;
    size_t shown;   /* keys that are printed: the first ones of heavy_sort */
    uint64_t floor; /* a key is certain when its low is as high */
} heavy_run;

/* Reads the input to its end, with --exact twice. */
ending heavy_count(heavy_run *r, settings *s);
void heavy_print(const heavy_run *r);
/* The summary; `others`: how often a key that is not shown came at most, in words. */
void heavy_report(const heavy_run *r, const char *others);
/* The sentence of END_FULL: what stays certain, and the --ram that would do. */
ending heavy_full(const heavy_run *r, uint64_t min, const char *certain);
void heavy_end(heavy_run *r);

#define OPTIONS_HEAVY                                                                               \
    {0,         "exact",                                                                            \
     NULL,      "count the remaining keys in a second pass: exact counts; files only",              \
     TAKE_FLAG, offsetof(heavy_settings, exact),                                                    \
     0,         0},                                                                                 \
        {0, "seed", "N", "seed of the hash (default: 0)", TAKE_SEED, offsetof(settings, hash.seed), \
         0, 0},                                                                                     \
        {0,         "ram",                                                                          \
         "SIZE",    "memory for keys and counters, at least 1MiB (default: 22MiB)",                 \
         TAKE_SIZE, offsetof(settings, limits.ram),                                                 \
         0,         0},                                                                             \
        OPTIONS_INPUT, OPTION_JSON
#endif
