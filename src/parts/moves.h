/* moves.h - the shortest way to a free slot of a table where each key has a few buckets, found before anything moves.
 *
 *     new key --> bucket 0: A B C D --> the other buckets of A, B, C, D --> ...
 *             --> bucket 1: E F G H --> the other buckets of E, F, G, H --> the first of all that has a free slot
 *
 * Then the keys on that way move, the last one first, and the new key gets the slot that the first one has left. Where
 * no way is found, nothing has changed.
 *
 * The search is breadth first, over at most BLM_MOVES_STEPS buckets. The calls of a table are constants where the search is
 * stamped, and all of it becomes one loop.
 */
#ifndef BLM_MOVES_H
#define BLM_MOVES_H
#include <stdbool.h>
#include <stdint.h>

enum {
    BLM_MOVES_STEPS = 2048,
    BLM_MOVES_FEW = 32, /* up to that many buckets are compared one by one, more by their hashes */
    BLM_MOVES_START = UINT16_MAX
};

/* A table of buckets of `slots` slots. Of a bucket: its first free slot, or `slots`; fetch it; the other bucket of the
 * key in a slot, which may be this one; move that key into a free slot of its other bucket. */
typedef struct blm_moves_by {
    unsigned (*vacancy)(const void *table, uint64_t bucket);
    void (*fetch)(const void *table, uint64_t bucket);
    uint64_t (*other)(const void *table, uint64_t bucket, unsigned slot);
    void (*move)(void *table, uint64_t from, unsigned slot, uint64_t to, unsigned to_slot);
} blm_moves_by;

typedef struct
    blm_moves_step { /* a bucket that the key in `slot` of the bucket of step `from` can move to */
    uint64_t bucket;
    uint16_t from;
    uint8_t slot;
} blm_moves_step;

typedef struct blm_moves {
    unsigned known;
    blm_moves_step way[BLM_MOVES_STEPS];
    uint16_t seen[2 * BLM_MOVES_STEPS]; /* 1 + the step of a bucket, by its hash; 0: none */
} blm_moves;

/* One more bucket, unless the search has been there. */
void blm_moves_reach_far(blm_moves *m, blm_moves_step to);
static inline void blm_moves_reach(blm_moves *m, blm_moves_step to)
{
    if (m->known >= BLM_MOVES_FEW) {
        blm_moves_reach_far(m, to);
        return;
    }
    for (unsigned i = 0; i < m->known; i++)
        if (m->way[i].bucket == to.bucket) return;
    m->way[m->known++] = to;
}

/* From the free slot back to the start: each key moves to where the next one has made room. Returns the slot of the first
 * bucket that is free now. */
static inline unsigned blm_moves_follow(const blm_moves *m, const blm_moves_by *by, void *table,
                                        unsigned i, unsigned slot, uint64_t *bucket)
{
    const blm_moves_step *way = m->way;
    for (; way[i].from != BLM_MOVES_START; slot = way[i].slot, i = way[i].from)
        by->move(table, way[way[i].from].bucket, way[i].slot, way[i].bucket, slot);
    *bucket = way[i].bucket;
    return slot;
}

/* Makes room in one of these buckets, which are full: *bucket and *slot are free after it. False: there is no way, and
 * nothing has changed. The buckets that a step leads to are all fetched before one of them is looked at. */
static inline __attribute__((always_inline)) bool blm_moves_make(const blm_moves_by *by,
                                                                 unsigned slots, void *table,
                                                                 const uint64_t *at, unsigned ways,
                                                                 uint64_t *bucket, unsigned *slot)
{
    blm_moves m;
    m.known = 0;
    for (unsigned i = 0; i < ways; i++)
        blm_moves_reach(&m, (blm_moves_step){at[i], BLM_MOVES_START, 0});
    for (unsigned i = 0; i < m.known; i++) {
        unsigned next = m.known;
        for (unsigned s = 0; s < slots && m.known < BLM_MOVES_STEPS; s++) {
            const uint64_t to = by->other(table, m.way[i].bucket, s);
            by->fetch(table, to);
            blm_moves_reach(&m, (blm_moves_step){to, (uint16_t)i, (uint8_t)s});
        }
        for (; next < m.known; next++) {
            const unsigned free_slot = by->vacancy(table, m.way[next].bucket);
            if (free_slot == slots) continue;
            *slot = blm_moves_follow(&m, by, table, next, free_slot, bucket);
            return true;
        }
    }
    return false;
}
#endif
