/* enough.h - keys of which at least some of the k bits are one, anywhere in one array (flat.h). */
#ifndef BLM_ENOUGH_H
#define BLM_ENOUGH_H
#include "parts/flat.h"
#include "parts/probe.h"

/* An answer takes most of the bits; more than 16 would leave the cache before their turn. */
static inline void blm_enough_prefetch(const blm_filter *f, blm_hash h)
{
    const blm_flat *s = (const blm_flat *)f;
    for (unsigned i = 0; i < s->hashes && i < 16; i++)
        blm_fetch(f->cells + blm_place(h, i, s->cells) / 8);
}

/* How many of the key's bits are one: a place that it has twice counts twice. */
static inline unsigned blm_enough_count(const blm_filter *f, blm_hash h)
{
    const blm_flat *s = (const blm_flat *)f;
    unsigned ones = 0;
    for (unsigned i = 0; i < s->hashes; i++)
        ones += blm_bit_get(f->cells, blm_place(h, i, s->cells));
    return ones;
}

/* Are there at least `least`? It ends as soon as the bits to come cannot change the answer. */
static inline bool blm_enough(const blm_filter *f, blm_hash h, unsigned least)
{
    const blm_flat *s = (const blm_flat *)f;
    const unsigned k = s->hashes;
    unsigned ones = 0, zeros = 0;
    for (unsigned i = 0; ones < least && zeros + least <= k; i++) {
        const unsigned one = blm_bit_get(f->cells, blm_place(h, i, s->cells));
        ones += one;
        zeros += !one;
    }
    return ones >= least;
}

/* How many bits of a non-member are read before the answer is known. */
double blm_enough_lines(const blm_flat *s, unsigned least, double fill);
/* The false-positive rate of the array as it is. */
blm_rate blm_enough_now(const blm_flat *s, unsigned least);
/* A knob that is a whole number from 1 to max; the sentence where it is not. */
blm_err blm_enough_whole(const blm_knobs *knobs, size_t i, const char *name, unsigned max,
                         unsigned *out, blm_report *why);

/* The fewest cells with which `rate` is at most the wished one; it falls as cells become more. */
typedef double (*blm_enough_rate)(const void *self, uint64_t cells, double keys);
blm_err blm_enough_size(const blm_config *wish, blm_enough_rate rate, const void *self,
                        uint64_t *cells, blm_report *why);
#endif
