/* table.h - the table behind heavy.h, for table.c, room.c and order.c. */
#ifndef BLM_CLI_HEAVY_TABLE_H
#define BLM_CLI_HEAVY_TABLE_H
#include "heavy/heavy.h"

#define UNIT      8
#define PARTS_MAX 16

typedef struct entry {
    uint64_t count; /* at most so often */
    uint64_t rest;  /* 24 bits: bytes of the key; 40 bits: how many of count are not sure */
    char key[];
} entry;
#define HEAD   offsetof(entry, key)
#define LENGTH ((UINT64_C(1) << 24) - 1)

typedef struct part {
    blm_filter *sketch;
    uint32_t *slots;
    uint64_t nslots, max_keys, keys;
    uint64_t from, used, end; /* of the arena, in bytes */
    uint64_t lines, bound;
    uint64_t too_long; /* bytes of a key that does not fit; 0: none */
    char apart[64];    /* two threads write no common cache line */
} part;

struct heavy {
    part parts[PARTS_MAX];
    unsigned nparts;
    uint32_t *slots; /* of all parts; heavy_sort: the keys in order, from the end */
    char *arena;     /* its first unit is empty: a slot is 0 when it is */
    uint32_t units;  /* the bits of a slot that say where; the others are some of the hash */
    uint64_t ram, sorted, others;
    bool closed; /* heavy_recount */
};

static inline uint64_t entry_length(const entry *e) { return e->rest & LENGTH; }

static inline uint64_t entry_bytes(uint64_t length)
{
    return (HEAD + length + UNIT - 1) / UNIT * UNIT;
}

static inline entry *entry_at(const heavy *t, uint64_t at)
{
    return (entry *)(void *)(t->arena + at);
}

static inline entry *entry_of(const heavy *t, uint32_t slot)
{
    return entry_at(t, (uint64_t)(slot & t->units) * UNIT);
}

static inline uint64_t entry_after(const entry *e, uint64_t at)
{
    return at + entry_bytes(entry_length(e));
}

/* A slot for the entry at this byte of the arena. */
void heavy_point(const heavy *t, part *p, uint64_t hash, uint64_t at);
/* How often the key came, by the sketch; UINT64_MAX: its counters stop below the truth. */
uint64_t heavy_sketched(const part *p, const blm_item *it);
void heavy_sketch(part *p, blm_item it, uint64_t times);
/* The quarter that came least often goes to the sketch. */
void heavy_make_room(heavy *t, part *p);
#endif
