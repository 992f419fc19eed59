/* distinct.h - positions of one key that differ from each other, drawn out of the stream of its hash.
 *
 * The next position is the place of the next word that hits none of those before it. After 64 words that all hit
 * one, it is the first free cell behind the place of the last of them, and behind the last cell comes the first. So
 * it ends whatever the hash is, and wherever there are as many cells as positions.
 */
#ifndef BLM_DISTINCT_H
#define BLM_DISTINCT_H
#include <stdbool.h>
#include "parts/probe.h"

#define BLM_DISTINCT_WORDS 64

static inline bool blm_among(const uint64_t *at, unsigned n, uint64_t place)
{
    bool found = false;
    for (unsigned i = 0; i < n; i++) found |= at[i] == place;
    return found;
}

/* n < cells are there already; *word is the number of the next word, from 0. */
static inline uint64_t blm_place_distinct(blm_hash h, unsigned *word, uint64_t cells,
                                          const uint64_t *at, unsigned n)
{
    const unsigned last = *word + BLM_DISTINCT_WORDS;
    uint64_t place = blm_place(h, (*word)++, cells);
    while (blm_among(at, n, place) && *word < last) place = blm_place(h, (*word)++, cells);
    while (blm_among(at, n, place)) place = place + 1 < cells ? place + 1 : 0;
    return place;
}
#endif
