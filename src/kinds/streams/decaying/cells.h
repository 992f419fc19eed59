/* cells.h - what is in the cells of a decaying filter, and how they age.
 *
 * Both forms touch one slice of the cells per arrival, in turn. form=timing: a cell holds the stamp of the arrival that set
 * it last, 1 to R, or 0; the slice is swept of stamps that are W arrivals old or more, X = R - W arrivals before they
 * would come again. form=blocks: a cell holds how many turns of its slice it has left; each turn takes one.
 */
#ifndef BLM_DECAYING_CELLS_H
#define BLM_DECAYING_CELLS_H
#include "core/kind.h"
#include "parts/counters.h"
#include "parts/lowering.h"

#define DECAYING_WINDOW (UINT64_C(1) << 48)

typedef struct blm_decaying {
    blm_filter base;
    uint64_t cells;    /* m */
    uint64_t window;   /* W */
    uint64_t distinct; /* keys of a window that it is planned for, at most W */
    uint64_t blocks;   /* T; 0: form=timing */
    uint64_t stamp;    /* form=timing: that of the last arrival, 1 to R; else 0 */
    uint64_t turn;     /* the slice that the last arrival touched */
    uint8_t hashes;    /* k */
    /* By shape: */
    unsigned width;                 /* bits per cell */
    uint64_t slices, slice, longer; /* how many; cells of one; the first `longer` have one more */
    uint64_t top;                   /* R, or with blocks V: the turns that a key gets */
    blm_lowering lowering;
} blm_decaying;

/* W and half of it again are below 2^width, so that X = R - W is W / 2 or more; for W = 1 it is 2. */
static inline unsigned blm_decaying_stamp_bits(uint64_t window)
{
    uint64_t most = window + (window > 1 ? window / 2 : 1);
    unsigned bits = 0;
    for (; most; most >>= 1) bits++;
    return bits;
}

/* V: ceil((W - 1) / T) turns may pass until a key has age W - 1, and it must have one more. */
static inline uint64_t blm_decaying_turns(uint64_t window, uint64_t blocks)
{
    return (window - 1) / blocks + ((window - 1) % blocks != 0) + 1;
}

static inline blm_counters blm_decaying_all(const blm_decaying *d)
{
    return (blm_counters){d->base.cells, d->base.bytes, d->cells, d->width};
}

/* Is a cell with this value of a key within the window? */
static inline bool blm_decaying_live(const blm_decaying *d, uint64_t value)
{
    if (d->blocks || !value) return value > 0;
    const uint64_t back = d->stamp >= value ? 0 : d->top;
    return d->stamp + back - value < d->window;
}

/* ---- cells.c ------------------------------------------------------------------------------------ */

/* One arrival more: time goes on, and the next slice ages. */
void blm_decaying_step(blm_decaying *d);
/* As the kind's call of this name. */
blm_err blm_decaying_tick(blm_filter *f, uint64_t now);
uint64_t blm_decaying_count_live(const blm_decaying *d);

/* ---- rates.c: the kind's calls of these names --------------------------------------------------- */

/* m and k for the wish: its window, its form and `distinct` are known. */
blm_err blm_decaying_size(blm_decaying *d, const blm_config *wish, blm_report *why);
blm_rate blm_decaying_fpr(const blm_filter *f, const blm_case *c);
blm_rate blm_decaying_fnr(const blm_filter *f, const blm_case *c);
double blm_decaying_ceiling(const blm_filter *f);
double blm_decaying_lines(const blm_filter *f, const blm_case *c);
uint64_t blm_decaying_window(const blm_filter *f);
#endif
