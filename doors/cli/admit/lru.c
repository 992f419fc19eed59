/* lru.c - an exact LRU: a table of hashes that finds an object, and a list in the order of requests.
 *
 *      slots    | 0 | 3 | 0 | 1 | 2 | ...      open addressing: the number of an entry, from 1; half of them are empty
 *      entries  | 1 | 2 | 3 | ...              newest <-> ... <-> oldest, by their numbers; free ones hang on `free`
 *
 * 32 bytes for an object: 24 of its entry, and two slots of 4. The table doubles when it is full, so objects have 64 bytes at
 * most, and 96 while the old table is there too. Entries that left are used again: memory follows the most objects that were
 * on the disk at one time, not the log. Objects are known by 64 bits of hash: a request for another one is a hit in error
 * with a chance of objects / 2^64, so that 10^9 requests against 10^6 objects have 0.00005 of them.
 */
#include <stdlib.h>
#include <string.h>

#include "admit/lru.h"

#define FIRST     1024u /* entries, a power of two */
#define LAST      (UINT32_C(1) << 30)
#define WAS_ASKED (UINT64_C(1) << 63)

typedef struct entry {
    uint64_t key, size;    /* size: WAS_ASKED is set from the first hit on */
    uint32_t newer, older; /* 0: none */
} entry;

struct lru {
    entry *entries; /* entries[0] is nobody: its `older` is the newest, its `newer` the oldest */
    uint32_t *slots;
    uint32_t capacity, used, free; /* used: entries that were ever used */
    uint64_t room, taken, ram;
    lru_sum sum;
};

/* ---- the table ---------------------------------------------------------------------------------------------- */

static uint64_t mask(const lru *c) { return 2 * (uint64_t)c->capacity - 1; }

/* In integer kinds the hash is the key itself: a multiplication spreads it. */
static uint64_t home(const lru *c, uint64_t key)
{
    return (key * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & mask(c);
}

/* Its slot, or the empty one in which it belongs. */
static uint64_t find(const lru *c, uint64_t key)
{
    uint64_t at = home(c, key);
    while (c->slots[at] && c->entries[c->slots[at]].key != key) at = (at + 1) & mask(c);
    return at;
}

/* Those after it that would not be found past an empty slot move up. */
static void empty_slot(lru *c, uint64_t at)
{
    for (uint64_t next = (at + 1) & mask(c); c->slots[next]; next = (next + 1) & mask(c)) {
        const uint64_t from = home(c, c->entries[c->slots[next]].key);
        if (((next - from) & mask(c)) < ((next - at) & mask(c))) continue;
        c->slots[at] = c->slots[next];
        at = next;
    }
    c->slots[at] = 0;
}

static bool grow(lru *c)
{
    const uint32_t capacity = c->capacity ? 2 * c->capacity : FIRST;
    const uint64_t each = sizeof(entry) + 2 * sizeof(uint32_t);
    const uint64_t bytes = ((uint64_t)capacity + c->capacity + 1) * each;
    if (c->capacity >= LAST || bytes > c->ram || bytes > SIZE_MAX / 2) return false;
    entry *entries = malloc(((size_t)capacity + 1) * sizeof *entries);
    uint32_t *slots = calloc(2 * (size_t)capacity, sizeof *slots);
    if (!entries || !slots) {
        free(entries);
        free(slots);
        return false;
    }
    if (c->entries)
        memcpy(entries, c->entries, ((size_t)c->used + 1) * sizeof *entries);
    else
        entries[0] = (entry){0};
    free(c->entries);
    free(c->slots);
    c->entries = entries;
    c->slots = slots;
    c->capacity = capacity;
    c->sum.bytes = bytes;
    for (uint32_t i = entries[0].older; i; i = entries[i].older) slots[find(c, entries[i].key)] = i;
    return true;
}

/* ---- the list ------------------------------------------------------------------------------------------------- */

static void take_out(lru *c, uint32_t i)
{
    const entry *e = &c->entries[i];
    c->entries[e->newer].older = e->older;
    c->entries[e->older].newer = e->newer;
}

static void put_first(lru *c, uint32_t i)
{
    entry *none = c->entries, *e = &c->entries[i];
    e->newer = 0;
    e->older = none->older;
    c->entries[e->older].newer = i;
    none->older = i;
}

static void evict(lru *c)
{
    const uint32_t oldest = c->entries[0].newer;
    entry *e = &c->entries[oldest];
    empty_slot(c, find(c, e->key));
    take_out(c, oldest);
    c->taken -= e->size & ~WAS_ASKED;
    c->sum.objects--;
    e->older = c->free;
    c->free = oldest;
}

/* ---- the disk --------------------------------------------------------------------------------------------------- */

lru *lru_new(uint64_t room, uint64_t ram)
{
    lru *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->room = room;
    c->ram = ram;
    if (grow(c)) return c;
    lru_free(c);
    return NULL;
}

void lru_free(lru *c)
{
    if (!c) return;
    free(c->entries);
    free(c->slots);
    free(c);
}

bool lru_ask(lru *c, uint64_t key)
{
    const uint32_t i = c->slots[find(c, key)];
    if (!i) return false;
    c->sum.read += !(c->entries[i].size & WAS_ASKED);
    c->entries[i].size |= WAS_ASKED;
    take_out(c, i);
    put_first(c, i);
    return true;
}

/* Will there be an entry once the oldest ones have gone? */
static bool entry_there(const lru *c, uint64_t size)
{
    return c->free || c->used < c->capacity || c->taken > c->room - size;
}

bool lru_put(lru *c, uint64_t key, uint64_t size)
{
    if (!entry_there(c, size) && !grow(c)) return false;
    while (c->taken > c->room - size) evict(c);
    uint32_t i = c->free;
    if (i)
        c->free = c->entries[i].older;
    else
        i = ++c->used;
    c->entries[i].key = key;
    c->entries[i].size = size;
    c->slots[find(c, key)] =
        i; /* before its key could be met by another search: it is not in the list yet */
    put_first(c, i);
    c->taken += size;
    c->sum.written++;
    c->sum.room_taken += size;
    if (++c->sum.objects > c->sum.max_objects) c->sum.max_objects = c->sum.objects;
    return true;
}

lru_sum lru_sums(const lru *c) { return c->sum; }
