/* retouch.h - bits of a standard filter that are cleared after all keys are in: by chance, or one for each key of a
 * list that must not pass. */
#ifndef BLM_RETOUCH_H
#define BLM_RETOUCH_H
#include "parts/flat.h"
#include "parts/probe.h"

/* Which bit of such a key: where members / unwanted keys of the bit are the fewest; any of them; the fewest members;
 * the most unwanted keys. */
typedef enum blm_retouch_by {
    BLM_RETOUCH_RATIO,
    BLM_RETOUCH_RANDOM,
    BLM_RETOUCH_FEWEST,
    BLM_RETOUCH_MAX
} blm_retouch_by;

/* As kind->has. */
static inline bool blm_retouch_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    const blm_flat *s = (const blm_flat *)f;
    unsigned i = 0;
    (void)it;
    while (i < s->hashes && blm_bit_get(f->cells, blm_place(h, i, s->cells))) i++;
    return i == s->hashes;
}

/* Clears a bit that is one. */
static inline void blm_retouch_bit(blm_filter *f, uint64_t at)
{
    ((blm_flat *)f)->ones -= blm_bit_clear(f->cells, at);
}

/* The place of one of a key's probes, by a word of its hash that no probe has. */
static inline uint64_t blm_retouch_some(const blm_flat *s, blm_hash h)
{
    const uint64_t probe = blm_reduce(blm_word(h, 64), s->hashes);
    return blm_place(h, (unsigned)probe, s->cells);
}

/* CONFLICT when a key is on both lists. */
blm_err blm_retouch_apart(const blm_rows *members, const blm_rows *unwanted, blm_report *why);
/* Clears `some` of the ones, at most all, each with the same chance; the seed starts the random numbers. */
void blm_retouch_random(blm_filter *f, uint64_t some);
/* Clears a bit of each unwanted key that still passes, in the order of the rows. NOMEM: nothing was cleared. */
blm_err blm_retouch_list(blm_filter *f, blm_retouch_by by, const blm_rows *members,
                         const blm_rows *unwanted, blm_report *why);
#endif
