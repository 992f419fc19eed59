/* cells.h - the two layers of counters, and which counters are a key's.
 *
 * A counter of layer 1 is a cell of width + 1 bits: its value in the low ones, its status bit above them. Layer 1 has
 * `hashes` rows, and a key has one counter in each, so that its counters are distinct. Layer 2 has BRAIDS_ROWS rows, and
 * each counter of layer 1 has one counter in each.
 */
#ifndef BLM_BRAIDS_CELLS_H
#define BLM_BRAIDS_CELLS_H
#include "core/kind.h"
#include "parts/counters.h"
#include "parts/sketch.h"

enum { BRAIDS_ROWS = 3, BRAIDS_HASHES = 3 }; /* of layer 2; counters of a key, at least */

typedef struct blm_counter_braids {
    blm_filter base;
    uint64_t columns, deep_columns; /* of one row of layer 1, of layer 2                  */
    uint64_t least;                 /* each key of a list came that often                 */
    uint64_t used;                  /* counters of layer 1 that are not zero              */
    uint64_t digest;                /* sum of the hashes of all adds, modulo 2^64         */
    uint64_t first, second;         /* by shape: bytes of layer 1; where layer 2 begins   */
    uint8_t hashes, width, deep;    /* rows of layer 1; bits of a counter in either layer */
} blm_counter_braids;

/* Layer 1, and layer 2. */
static inline blm_counters blm_braids_upper(const blm_counter_braids *b)
{
    return (blm_counters){b->base.cells, b->first, b->columns * b->hashes, b->width + 1U};
}
static inline blm_counters blm_braids_lower(const blm_counter_braids *b)
{
    return (blm_counters){b->base.cells + b->second, b->base.bytes - b->second,
                          b->deep_columns * BRAIDS_ROWS, b->deep};
}

/* What layer 2 has for a hash of counter `at` of layer 1. */
static inline blm_hash blm_braids_hash(uint64_t at)
{
    return (blm_hash){blm_mix(at + BLM_SALT_STEP), 0};
}

/* The status bit of a cell; below it are the bits of its value. */
static inline uint64_t blm_braids_status(const blm_counter_braids *b)
{
    return UINT64_C(1) << b->width;
}

/* ---- size.c: as the kind's calls of these names ------------------------------------------ */

/* Knobs in the order of the table. */
enum { BRAIDS_BETA, BRAIDS_WIDTH, BRAIDS_DEEP, BRAIDS_OVERFLOW, BRAIDS_LEAST };
blm_err blm_braids_plan(blm_filter *f, const blm_config *wish, const blm_knobs *k, blm_report *why);
blm_err blm_braids_shape(blm_filter *f, uint64_t *bytes, blm_report *why);
#define BRAIDS_RATE 0.7302 /* (1 - e^(-3/1.3))^3: the rate of 1.3 counters per key with 3 hashes */

/* ---- list.c ------------------------------------------------------------------------------ */

blm_err blm_braids_count_all(const blm_filter *f, const blm_item *it, size_t n,
                             blm_estimate *times);

/* ---- theory.c ---------------------------------------------------------------------------- */

/* Counters of layer 1 per key from which on all counts are found, by density evolution: 1.2218 for k = 3, share = 1.
 * share: of the keys, those that came more often than `least`. NAN outside k 3 to 64, share in (0, 1]. */
double blm_braids_threshold(unsigned k, double share);
#endif
