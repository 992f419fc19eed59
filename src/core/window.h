/* window.h - many keys: hashed a piece at a time, with a window on their hashes.
 *
 *      hashes  |........ asked or changed now ........|.. behind ..|      at most BLM_PIECE and BLM_AHEAD
 *
 * The cells of those behind are fetched while the kind works on the others; then the window moves, and they are
 * the first. batch.c and batch_counts.c share it.
 */
#ifndef BLM_WINDOW_H
#define BLM_WINDOW_H
#include <string.h>

#include "core/core_internal.h"
#include "core/bytes.h"

enum { BLM_PIECE = 256 };

typedef struct blm_many { /* one of the two */
    const blm_key *keys;
    const uint64_t *numbers;
} blm_many;

/* Whether the kind takes batches of hashes, without a look at a world of keys or at their bytes. */
static inline bool blm_in_batches(const blm_filter *f)
{
    const blm_kind *k = f->kind;
    return k->has_many && !k->world && !(k->needs & BLM_NEEDS_BYTES);
}

/* The keys up to the first one of `n` that has no bytes although it says so, or is no integer where it must be. */
static inline size_t blm_sound_keys(const blm_filter *f, const blm_key *k, size_t n)
{
    const bool integers = blm_of_integers(f);
    size_t i = 0;
    while (i < n && (k[i].key || !k[i].len) && (!integers || k[i].len == 8)) i++;
    return i;
}

/* Key i for kinds that are asked key by key; a number's bytes are kept in `room`. */
static inline blm_err blm_many_item(const blm_filter *f, const blm_many *m, size_t i,
                                    uint8_t room[8], blm_item *it)
{
    if (m->numbers) blm_put64(room, m->numbers[i]);
    const blm_key k = m->numbers ? (blm_key){room, 8} : m->keys[i];
    if (!k.key && k.len) return BLM_E_ARG;
    *it = blm_item_of(f, k.key, k.len, BLM_NO_ARG);
    return BLM_OK;
}

/* The argument of each of n keys: the caller's, else the kind's default. */
static inline void blm_default_args(const blm_filter *f, const uint64_t *a, size_t n, uint64_t *own)
{
    const uint64_t none = blm_default_arg(f);
    for (size_t i = 0; i < n; i++) own[i] = a && a[i] != BLM_NO_ARG ? a[i] : none;
}

typedef struct blm_window {
    blm_hash h[BLM_PIECE + BLM_AHEAD];
    size_t made;   /* keys that are hashed      */
    size_t kept;   /* hashes in the window      */
    size_t behind; /* of which to fetch only    */
} blm_window;

/* Fills it up with hashes of the n keys; returns how many there are to work on. */
static inline size_t blm_window_fill(blm_window *w, const blm_filter *f, const blm_many *m,
                                     size_t n)
{
    const size_t take = blm_min_size(n - w->made, BLM_PIECE + BLM_AHEAD - w->kept);
    if (m->keys)
        blm_hash_keys(f, m->keys + w->made, take, w->h + w->kept);
    else
        blm_hash_u64s(f, m->numbers + w->made, take, w->h + w->kept);
    if (!w->made) f->kind->prefetch_many(f, w->h, blm_min_size(take, BLM_AHEAD));
    w->made += take;
    w->kept += take;
    w->behind = w->made < n ? BLM_AHEAD : 0;
    return w->kept - w->behind;
}

static inline void blm_window_move(blm_window *w, size_t by)
{
    w->kept -= by;
    memmove(w->h, w->h + by, w->kept * sizeof *w->h);
}
#endif
