/* distinct.h - positions of one key that differ from each other, drawn from the stream of its hash.
 *
 * The next position is the place of the next word that hits none of those before it. After 64 words that all hit
 * one, it is the first free cell after the place of the last of them; the first cell follows the last one. So the
 * draw ends for every hash, provided that there are as many cells as positions.
 */
#ifndef BLM_DISTINCT_H
#define BLM_DISTINCT_H
#include <stdbool.h>
#include <string.h>
#include "parts/probe.h"

#define BLM_DISTINCT_WORDS 64

static inline bool blm_among(const uint64_t *at, unsigned n, uint64_t place)
{
    bool found = false;
    for (unsigned i = 0; i < n; i++) found |= at[i] == place;
    return found;
}

/* A key of many positions marks them, so that each new one is not compared with all before it: 512 of 512 cells took
 * 130 million comparisons. In up to BLM_DRAW_MARKS cells a mark is proof, in more it asks for the comparison. */
enum { BLM_DRAW_FEW = 32, BLM_DRAW_MARKS = 4096 };
typedef struct blm_draw {
    unsigned word; /* the next one of the stream */
    bool marks_them;
    uint64_t marks[BLM_DRAW_MARKS / 64]; /* of positions, modulo */
} blm_draw;

static inline void blm_draw_begin(blm_draw *d, unsigned positions)
{
    d->word = 0;
    d->marks_them = positions > BLM_DRAW_FEW;
    if (d->marks_them) memset(d->marks, 0, sizeof d->marks);
}

static inline bool blm_drawn(const blm_draw *d, uint64_t cells, const uint64_t *at, unsigned n,
                             uint64_t place)
{
    const uint64_t mark = place % BLM_DRAW_MARKS;
    if (d->marks_them && !(d->marks[mark / 64] >> mark % 64 & 1)) return false;
    return (d->marks_them && cells <= BLM_DRAW_MARKS) || blm_among(at, n, place);
}

/* n < cells are there already. */
static inline uint64_t blm_place_distinct(blm_hash h, blm_draw *d, uint64_t cells,
                                          const uint64_t *at, unsigned n)
{
    const unsigned last = d->word + BLM_DISTINCT_WORDS;
    uint64_t place = blm_place(h, d->word++, cells);
    while (d->word < last && blm_drawn(d, cells, at, n, place))
        place = blm_place(h, d->word++, cells);
    while (blm_drawn(d, cells, at, n, place)) place = place + 1 < cells ? place + 1 : 0;
    if (d->marks_them) d->marks[place % BLM_DRAW_MARKS / 64] |= UINT64_C(1) << place % 64;
    return place;
}
#endif
