/* keytable.c - distinct keys with their real bytes, until a limit of memory is reached.
 *
 *      slots   | 0 | 17 | 0 | 3 | ...             open addressing; in units of 8 bytes, from 1
 *      arena   |entry|bytes...|entry|bytes...|    in the order of arrival
 *
 * Both start small and double. A key longer than LONG_KEY takes an entry without bytes and is
 * compared on disk: its hash has 64 bits that nobody can choose, so that is done for true repeats.
 */
#include <stdlib.h>
#include <string.h>

#include "exact/spill.h"

typedef struct entry { /* 16 bytes; a key of 8 bytes takes 24, and 6 of slots */
    uint64_t hash;
    uint32_t bytes; /* that follow: the key, or the place of a long one */
    bool is_long;
    uint8_t with;
} entry;

typedef struct place { /* of a long key, in the home spool */
    uint64_t at, length;
} place;

#define UNIT 8

struct keytable {
    spool *home;
    uint32_t *slots;
    char *arena;
    uint64_t nslots, max_slots, keys;
    uint64_t used, room, max; /* of the arena, in bytes */
};

static uint64_t entry_bytes(uint64_t follow)
{
    return (sizeof(entry) + follow + UNIT - 1) / UNIT * UNIT;
}

static entry *entry_at(const keytable *t, uint64_t unit)
{
    return (entry *)(void *)(t->arena + (unit - 1) * UNIT);
}

/* A quarter of the limit for the slots, the rest for the arena; 32-bit units reach 32 GiB. */
keytable *keytable_new(uint64_t max, spool *home)
{
    keytable *t = calloc(1, sizeof *t);
    if (t) {
        t->home = home;
        t->nslots = 1024;
        t->max_slots = 1024;
        while (t->max_slots * 2 * sizeof *t->slots <= max / 4) t->max_slots *= 2;
        t->max = max - max / 4;
        if (t->max / UNIT > UINT32_MAX - 1) t->max = (uint64_t)(UINT32_MAX - 1) * UNIT;
        if (t->max > SIZE_MAX / 2) t->max = SIZE_MAX / 2;
        t->room = entry_bytes(LONG_KEY);
        t->slots = calloc((size_t)t->nslots, sizeof *t->slots);
        t->arena = malloc((size_t)t->room);
        if (t->slots && t->arena) return t;
    }
    complain("no memory for a table of keys");
    keytable_free(t);
    return NULL;
}

void keytable_free(keytable *t)
{
    if (!t) return;
    free(t->slots);
    free(t->arena);
    free(t);
}

void keytable_clear(keytable *t)
{
    memset(t->slots, 0, (size_t)t->nslots * sizeof *t->slots);
    t->used = t->keys = 0;
}

uint64_t keytable_bytes(const keytable *t) { return t->room + t->nslots * sizeof *t->slots; }

static bool same_key(const keytable *t, const entry *e, const row *r)
{
    if (e->hash != r->hash || e->is_long != !r->key) return false;
    if (r->key)
        return e->bytes == r->key_length && memcmp(e + 1, r->key, (size_t)r->key_length) == 0;
    place p;
    memcpy(&p, e + 1, sizeof p);
    return p.length == r->key_length && spool_same(t->home, p.at, r->key_at, p.length);
}

uint8_t *keytable_find(const keytable *t, const row *r)
{
    for (uint64_t i = r->hash;; i++) { /* ends: a quarter of the slots is empty */
        const uint32_t unit = t->slots[i & (t->nslots - 1)];
        if (!unit) return NULL;
        entry *e = entry_at(t, unit);
        if (same_key(t, e, r)) return &e->with;
    }
}

static void point_at(keytable *t, uint64_t hash, uint64_t unit)
{
    uint64_t i = hash;
    while (t->slots[i & (t->nslots - 1)]) i++;
    t->slots[i & (t->nslots - 1)] = (uint32_t)unit;
}

static bool more_slots(keytable *t)
{
    if (t->keys < t->nslots / 4 * 3) return true;
    if (t->nslots >= t->max_slots) return false;
    const size_t bytes = (size_t)t->nslots * 2 * sizeof *t->slots;
    uint32_t *larger = realloc(t->slots, bytes); /* never both */
    if (!larger) return false;
    memset(larger, 0, bytes);
    t->slots = larger;
    t->nslots *= 2;
    for (uint64_t at = 0; at < t->used;) {
        const entry *e = entry_at(t, at / UNIT + 1);
        point_at(t, e->hash, at / UNIT + 1);
        at += entry_bytes(e->bytes);
    }
    return true;
}

static bool more_arena(keytable *t, uint64_t need)
{
    if (t->used + need <= t->room) return true;
    if (t->used + need > t->max) return false;
    uint64_t room = t->room * 2;
    while (room < t->used + need) room *= 2;
    if (room > t->max) room = t->max;
    char *larger = realloc(t->arena, (size_t)room);
    if (!larger) return false;
    t->arena = larger;
    t->room = room;
    return true;
}

bool keytable_put(keytable *t, const row *r, uint8_t with)
{
    const place p = {r->key_at, r->key_length};
    const uint32_t bytes = r->key ? (uint32_t)r->key_length : (uint32_t)sizeof p;
    const uint64_t need = entry_bytes(bytes);
    if (!more_arena(t, need) || !more_slots(t)) return false;
    entry *e = entry_at(t, t->used / UNIT + 1);
    *e = (entry){.hash = r->hash, .bytes = bytes, .is_long = !r->key, .with = with};
    memcpy(e + 1, r->key ? (const void *)r->key : (const void *)&p, bytes);
    point_at(t, r->hash, t->used / UNIT + 1);
    t->used += need;
    t->keys++;
    return true;
}
