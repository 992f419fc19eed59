/* keys.h - the keys of a batch: their hashes, or numbers of 8 bytes that are hashed on the way, some at a time. */
#ifndef BLM_KEYS_H
#define BLM_KEYS_H
#include "simd/lanes.h"

typedef struct blm_keys {
    const blm_hash *hash; /* or, when NULL: */
    const uint64_t *number;
    uint64_t seed;
} blm_keys;

enum { BLM_KEYS_AHEAD = 128 }; /* hashes between a fetch and its use: they may come from far, too */

/* The hashes of keys from .. from+n-1, of `all` that there are; n is at most BLM_LANES_KEYS. `room` is for as many. */
static inline const blm_hash *blm_keys_take(const blm_keys *k, size_t from, size_t n, size_t all,
                                            blm_hash *room)
{
    if (!k->hash) {
        blm_lanes_best()->hash_u64(k->seed, k->number + from, n, room);
        return room;
    }
    if (all - from >= BLM_KEYS_AHEAD + BLM_LANES_KEYS) /* four per line */
        for (size_t i = 0; i < BLM_LANES_KEYS; i += 4)
            blm_fetch(k->hash + from + BLM_KEYS_AHEAD + i);
    return k->hash + from;
}
#endif
