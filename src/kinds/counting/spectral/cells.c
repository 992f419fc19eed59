/* cells.c - how long the arrays are, and who moves to the second one. */
#include "cells.h"

uint64_t blm_spectral_second_cells(const blm_spectral *c)
{
    return c->share ? (c->flat.cells + c->share - 1) / c->share : 0;
}

uint64_t blm_spectral_bytes(const blm_spectral *c)
{
    const uint64_t primary = blm_packed_bytes(c->flat.cells, c->width),
                   second = blm_spectral_second_cells(c);
    if (!second) return primary;
    return primary + blm_packed_bytes(second, c->width) + blm_packed_bytes(c->flat.cells, 1);
}

blm_counters_key blm_spectral_moved(const blm_spectral *c, blm_hash h)
{
    const blm_spectral_second second = blm_spectral_secondary(c);
    blm_counters_key none = {.n = 0};
    if (!c->second) return none;
    if (!blm_counters_find(&second.marks, c->flat.hashes, blm_resalt(h, SPECTRAL_MARKS_SALT)).min)
        return none;
    return blm_counters_find(&second.array, c->flat.hashes, blm_resalt(h, SPECTRAL_ARRAY_SALT));
}

/* After the key was added to the primary. A marked key is added to the secondary too; an unmarked key with a single
 * minimum moves: its minimum is added to its secondary counters. They must hold the sum of their keys, not the
 * maximum: each key takes its own share away when it is deleted. */
void blm_spectral_follow(blm_spectral *c, blm_hash h, const blm_counters_key *key, uint64_t by)
{
    const blm_counters all = blm_spectral_primary(c);
    const blm_spectral_second second = blm_spectral_secondary(c);
    const blm_counters_key moved = blm_spectral_moved(c, h);
    const uint64_t min = blm_counters_min(&all, key->at, key->n);
    blm_census more = {0, 0};
    unsigned times = 0;
    for (unsigned i = 0; i < key->n; i++) times += blm_counters_get(&all, key->at[i]) == min;
    if (moved.n) {
        more = blm_counters_raise_all(&second.array, moved.at, moved.n, by);
    } else if (times == 1) {
        const blm_hash own = blm_resalt(h, SPECTRAL_ARRAY_SALT),
                       mark = blm_resalt(h, SPECTRAL_MARKS_SALT);
        const blm_counters_key to = blm_counters_find(&second.array, c->flat.hashes, own),
                               marks = blm_counters_find(&second.marks, c->flat.hashes, mark);
        more = blm_counters_raise_all(&second.array, to.at, to.n, min);
        c->marks += blm_counters_raise_all(&second.marks, marks.at, marks.n, 1).used;
    }
    c->moved += more.used;
    c->moved_stuck += more.stuck;
}
