/* cells.h - a cell that keeps the sum of the increments of its keys, and perhaps how many they are.
 *
 *     form vi          | sum: `width` bits |                        increments low, low + 1, .. 2 low - 1
 *     form bh          | sum: `width` bits | keys: `elements` |     increments whose sums of h all differ
 *                       high bits                    low bits
 *
 * Each counter stops at its ceiling and then stays there. A cell with a counter at its ceiling is stuck: it
 * lets every probe pass. These are rules for the value of one cell; where cells lie comes after them.
 */
#ifndef BLM_SUMS_H
#define BLM_SUMS_H
#include <bloomery/theory/increments.h>

#include "core/kind.h"
#include "parts/counters.h"
#include "parts/flat.h"

enum { BLM_SUMS_VALUES = 16, BLM_SUMS_LARGEST = 4095 };

typedef struct blm_sums {
    unsigned width, elements; /* bits of the sum; of the number of keys, form vi: 0 */
    unsigned low, h;          /* form vi: low, h 0; form bh: 0, h                   */
    unsigned values;          /* increments, ascending                              */
    uint16_t add[BLM_SUMS_VALUES];
} blm_sums;

static inline uint64_t blm_sums_top(const blm_sums *s) { return (UINT64_C(1) << s->width) - 1; }
static inline uint64_t blm_sums_top_keys(const blm_sums *s)
{
    return (UINT64_C(1) << s->elements) - 1; /* form vi: 0, and so are the keys */
}
static inline uint64_t blm_sums_sum(const blm_sums *s, uint64_t cell)
{
    return cell >> s->elements;
}
static inline uint64_t blm_sums_keys(const blm_sums *s, uint64_t cell)
{
    return cell & blm_sums_top_keys(s);
}

static inline bool blm_sums_stuck(const blm_sums *s, uint64_t cell)
{
    return blm_sums_sum(s, cell) == blm_sums_top(s) ||
           (s->elements && blm_sums_keys(s, cell) == blm_sums_top_keys(s));
}

/* The cell after that many more keys of this sum: one key of a probe, or a whole cell of another filter. */
static inline uint64_t blm_sums_raise(const blm_sums *s, uint64_t cell, uint64_t keys, uint64_t sum)
{
    const uint64_t top = blm_sums_top(s), max = blm_sums_top_keys(s);
    const uint64_t n = blm_sums_keys(s, cell), v = blm_sums_sum(s, cell);
    return (sum < top - v ? v + sum : top) << s->elements | (keys < max - n ? n + keys : max);
}

/* Has the cell so much to give? Counters at their ceiling give nothing and have enough. */
static inline bool blm_sums_holds(const blm_sums *s, uint64_t cell, uint64_t keys, uint64_t sum)
{
    const uint64_t n = blm_sums_keys(s, cell), v = blm_sums_sum(s, cell);
    return (v >= sum || v == blm_sums_top(s)) && (n >= keys || n == blm_sums_top_keys(s));
}

/* Of a cell that holds it. */
static inline uint64_t blm_sums_lower(const blm_sums *s, uint64_t cell, uint64_t keys, uint64_t sum)
{
    const uint64_t n = blm_sums_keys(s, cell), v = blm_sums_sum(s, cell);
    return (v < blm_sums_top(s) ? v - sum : v) << s->elements |
           (n < blm_sums_top_keys(s) ? n - keys : n);
}

/* Form bh: can `keys` increments have this sum? Exactly up to h - 1 of them, else by its limits. */
bool blm_sums_possible(const blm_sums *s, uint64_t keys, uint64_t sum);

/* Can keys have left the cell so? Every call keeps it so; a cell that is not would deny the next key that is
 * added to it. */
static inline bool blm_sums_cell_sound(const blm_sums *s, uint64_t cell)
{
    const uint64_t v = blm_sums_sum(s, cell);
    if (blm_sums_stuck(s, cell)) return true;
    return s->h ? blm_sums_possible(s, blm_sums_keys(s, cell), v) : !v || v >= s->low;
}

/* Can a key with this increment be in the cell? Form vi: the rest of the sum is nothing, or others' (from low
 * up). Form bh: up to h keys are decoded. As no two sums of them are equal, the increment is one of them where
 * the rest is a sum of one fewer. */
static inline bool blm_sums_pass(const blm_sums *s, uint64_t cell, unsigned add)
{
    const uint64_t v = blm_sums_sum(s, cell), n = blm_sums_keys(s, cell);
    if (blm_sums_stuck(s, cell)) return true;
    if (!s->h) return v == add || v >= add + s->low;
    return n > s->h || (n && v >= add && blm_sums_possible(s, n - 1, v - add));
}

/* The max number of keys with this increment in a cell that is not stuck. 0 where it does not pass. */
uint64_t blm_sums_max(const blm_sums *s, uint64_t cell, unsigned add);

/* ---- many cells ---------------------------------------------------------------------------------- */

typedef struct blm_sums_array {
    const blm_sums *rule;
    uint8_t *cells; /* whole 8-byte words: blm_packed_bytes(count, width + elements) */
    uint64_t bytes, count;
} blm_sums_array;

static inline uint64_t blm_sums_get(const blm_sums_array *a, uint64_t at)
{
    return blm_packed_get(a->cells, a->bytes, a->rule->width + a->rule->elements, at);
}

/* Cell `at` from old to now; what is more of each in use and stuck: less is -1 of it, as 2^64 - 1. */
static inline blm_census blm_sums_put(const blm_sums_array *a, uint64_t at, uint64_t old,
                                      uint64_t now)
{
    blm_packed_set(a->cells, a->bytes, a->rule->width + a->rule->elements, at, now);
    return (blm_census){(uint64_t)(now > 0) - (old > 0),
                        (uint64_t)blm_sums_stuck(a->rule, now) - blm_sums_stuck(a->rule, old)};
}

blm_census blm_sums_census(const blm_sums_array *a);
bool blm_sums_all_sound(const blm_sums *s, const uint8_t *cells, uint64_t bytes, uint64_t count);
/* Adds cell to cell; the census after it. */
blm_census blm_sums_merge(const blm_sums_array *into, const blm_sums_array *from);
/* The mean share of increments that pass: the chance of one probe. */
double blm_sums_chance(const blm_sums_array *a);

/* ---- a key --------------------------------------------------------------------------------------- */

/* The increment of probe i of k: 16 bits of the words behind those of the positions. */
static inline unsigned blm_sums_increment(const blm_sums *s, blm_hash h, unsigned k, unsigned i)
{
    const uint64_t piece = blm_word(h, k + i / 4) >> i % 4 * 16 & 0xffff;
    return s->add[piece * s->values >> 16];
}

static inline bool blm_sums_has(const blm_sums_array *a, blm_hash h, unsigned k)
{
    for (unsigned i = 0; i < k; i++) {
        const uint64_t cell = blm_sums_get(a, blm_place(h, i, a->count));
        if (!blm_sums_pass(a->rule, cell, blm_sums_increment(a->rule, h, k, i))) return false;
    }
    return true;
}

/* blm_sums_raise or blm_sums_lower, each probe by itself although two may meet in a cell. */
static inline blm_census blm_sums_change(const blm_sums_array *a, blm_hash h, unsigned k,
                                         uint64_t (*by)(const blm_sums *s, uint64_t cell,
                                                        uint64_t keys, uint64_t sum))
{
    blm_census change = {0, 0};
    for (unsigned i = 0; i < k; i++) {
        const uint64_t at = blm_place(h, i, a->count), old = blm_sums_get(a, at);
        const unsigned add = blm_sums_increment(a->rule, h, k, i);
        change = blm_census_plus(change, blm_sums_put(a, at, old, by(a->rule, old, 1, add)));
    }
    return change;
}

/* Where probes meet in a cell: does it hold all that they take together, and is the rest of it sound? A
 * non-member may pass one by one. */
bool blm_sums_all_held(const blm_sums_array *a, blm_hash h, unsigned k);
/* What the sums allow at most: never below the truth. Stuck cells tell nothing; where all are, it is as often as
 * one of them holds, or more. */
blm_estimate blm_sums_count(const blm_sums_array *a, blm_hash h, unsigned k);

/* ---- rules ---------------------------------------------------------------------------------------- */

/* Bits for the counters, `width` of them for the sum. 0: as few as are stuck with a chance below 10^-6 at the
 * best load. */
void blm_sums_widen(blm_sums *s, unsigned width);
/* Form vi: is low a power of two? Form bh: do the increments ascend, and do all sums of h differ? Are the
 * ceilings high enough? Two increments of form vi, or h of form bh, must stay below them: with more,
 * every probe passes anyway. Else a sentence. */
blm_err blm_sums_sound(const blm_sums *s, blm_report *why);
/* "1:4:6" -> increments, ascending, at most `most` of them; or a sentence. */
blm_err blm_sums_parse(const char *text, uint16_t *value, unsigned max, blm_report *why);

/* ---- the filter ---------------------------------------------------------------------------------- */

enum { INCREMENT_VI, INCREMENT_BH };

typedef struct blm_variable_increment {
    blm_flat flat;             /* m, k; its ones are the cells above zero */
    uint64_t stuck;            /* cells with a counter at its ceiling */
    uint64_t values, values_5; /* bh: the increments, 16 bits each, ascending; from the fifth on */
    uint8_t form;              /* an INCREMENT_... word */
    uint8_t increment;         /* L; bh: 0 */
    uint8_t width, elements;   /* bits of the sum; bh: of the number of keys below it */
    uint8_t h;                 /* bh: keys that are decoded */
    blm_sums rule;             /* by shape: the same, for the cells */
} blm_variable_increment;

static inline blm_sums_array blm_variable_increment_all(const blm_variable_increment *c)
{
    return (blm_sums_array){&c->rule, c->flat.base.cells, c->flat.base.bytes, c->flat.cells};
}

static inline blm_increments blm_variable_increment_law(const blm_sums *s)
{
    return (blm_increments){s->values, s->h};
}

/* rates.c: m and k for a wish; and as the kind's calls of these names. */
blm_err blm_variable_increment_size(blm_variable_increment *c, const blm_config *wish,
                                    const blm_sums *s, blm_report *why);
blm_rate blm_variable_increment_fpr(const blm_filter *f, const blm_case *load);
uint64_t blm_variable_increment_max(const blm_filter *f);
double blm_variable_increment_lines(const blm_filter *f, const blm_case *load);
#endif
