/* decode.h - finds unknown numbers from counters, each of which is the sum of some of them.
 *
 * An unknown (here: a row) has `arity` counters. Rows and counters tell each other bounds along their edges: a counter
 * tells a row its own value less what it has heard from its other rows; a row tells a counter the best that it has heard
 * from its other counters. Odd turns make upper bounds out of lower ones, even turns the reverse.
 *
 *     counters      a = 7        b = 5       c = 2          rows   x: a b    y: a c    z: b
 *     turn 1        x <= min(7, 5), y <= min(7, 2), z <= 5
 *     turn 2        x >= 7 - 2: x is 5.  y >= 7 - 5: y is 2.  They leave, and b = 0 is left for z.
 *
 * A row whose bounds have met is taken off its counters. Bounds always hold the truth, if each counter is the sum of its
 * rows, or lies between two such sums. It takes 24 bytes per edge, 24 per row and 40 per counter.
 */
#ifndef BLM_BRAIDS_DECODE_H
#define BLM_BRAIDS_DECODE_H
#include "core/kind.h"

enum { BRAID_TURNS = 200, BRAID_ARITY = 64 }; /* at most */
enum { BRAID_LOW, BRAID_HIGH };
#define BRAID_ANY UINT64_MAX /* no upper bound */

typedef struct blm_braid_cell {
    uint64_t bound[2]; /* of the sum of the rows that are left           */
    uint64_t told[2];  /* sums of what these rows have told it           */
    uint64_t max;      /* of what one row tells it; set by blm_braid_tie */
} blm_braid_cell;

typedef struct blm_braid {
    uint64_t rows, cells, bytes;
    uint64_t left;         /* rows that are open: the first ones of id, place and told  */
    uint64_t least;        /* of a row                                                  */
    unsigned arity, turns; /* turns that are done                                       */
    bool torn;             /* no numbers have such sums                                 */
    blm_braid_cell *cell;
    uint64_t *bound[2]; /* of each row, by its number                                */
    uint64_t *id;       /* of the rows that are left: their numbers                  */
    uint64_t *place;    /* of each edge: its counter                                 */
    uint64_t *told[2];  /* of each edge: the last lower and upper bound of the row   */
} blm_braid;

/* Room for rows and counters, all zero. NOMEM: nothing to free. The caller sets place, and bound of each cell. */
blm_err blm_braid_new(blm_braid *b, const blm_alloc *a, uint64_t rows, unsigned arity,
                      uint64_t cells, uint64_t least);
void blm_braid_free(blm_braid *b, const blm_alloc *a);
/* After that: what all rows tell at first. */
void blm_braid_tie(blm_braid *b);
/* One turn; whether anybody told anything new, or a row was taken off. */
bool blm_braid_turn(blm_braid *b);
/* All turns that help. True: some numbers have such sums, as far as the bounds tell. */
bool blm_braid_decode(blm_braid *b);
#endif
