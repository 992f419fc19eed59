/* hashset.c - 256 open-addressing tables, one a top byte.
 *
 * A table grows by a fifth when nine tenths full, so a slot is used at least 3/4 of the time: 8 / 0.75 =
 * 10.7 bytes a hash, 16 with its count. Only one table is held twice while it grows, which adds a
 * 256th. One table that doubles would need 8 / 0.45 = 18 bytes, and half as much again meanwhile.
 */
#include <string.h>

#include "core/hashset.h"
#include "core/wide.h"

enum { TABLES = 256, FIRST = 4 };

typedef struct table {
    uint64_t *slot;  /* 0 = empty; the hash 0 is kept apart */
    uint32_t *times; /* NULL when not counted */
    uint64_t room, used;
} table;

struct blm_hashset {
    blm_alloc alloc;
    uint64_t size, bytes;
    uint32_t zero; /* how often the hash 0 came */
    bool counted;
    table t[TABLES];
};

blm_hashset *blm_hashset_new(const blm_alloc *a, bool counted)
{
    blm_hashset *s = blm_take(a, sizeof *s);
    if (!s) return NULL;
    s->alloc = *a;
    s->counted = counted;
    s->bytes = sizeof *s;
    return s;
}

static void drop(blm_hashset *s, table *t)
{
    blm_put_back(&s->alloc, t->slot, t->room * sizeof *t->slot);
    blm_put_back(&s->alloc, t->times, t->room * sizeof *t->times);
}

void blm_hashset_free(blm_hashset *s)
{
    if (!s) return;
    for (unsigned i = 0; i < TABLES; i++) drop(s, &s->t[i]);
    const blm_alloc a = s->alloc;
    blm_put_back(&a, s, sizeof *s);
}

/* The top byte has chosen the table; the bits below it choose the slot, then one after the other. */
static uint64_t find(const table *t, uint64_t hash)
{
    uint64_t i = blm_reduce(hash << 8, t->room);
    while (t->slot[i] && t->slot[i] != hash) i = i + 1 < t->room ? i + 1 : 0;
    return i;
}

static uint64_t bytes_of(const blm_hashset *s, uint64_t room)
{
    return room * (sizeof(uint64_t) + (s->counted ? sizeof(uint32_t) : 0));
}

static blm_err grow(blm_hashset *s, table *t)
{
    table big = {.room = t->room ? t->room + t->room / 5 + 1 : FIRST, .used = t->used};
    big.slot = blm_take(&s->alloc, big.room * sizeof *big.slot);
    if (s->counted) big.times = blm_take(&s->alloc, big.room * sizeof *big.times);
    if (!big.slot || (s->counted && !big.times)) {
        drop(s, &big);
        return BLM_E_NOMEM;
    }
    for (uint64_t i = 0; i < t->room; i++) {
        if (!t->slot[i]) continue;
        const uint64_t at = find(&big, t->slot[i]);
        big.slot[at] = t->slot[i];
        if (s->counted) big.times[at] = t->times[i];
    }
    s->bytes += bytes_of(s, big.room) - bytes_of(s, t->room);
    drop(s, t);
    *t = big;
    return BLM_OK;
}

static uint32_t one_more(uint32_t times) { return times < UINT32_MAX ? times + 1 : times; }

blm_err blm_hashset_add(blm_hashset *s, uint64_t hash)
{
    if (!hash) {
        s->size += !s->zero;
        s->zero = one_more(s->zero);
        return BLM_OK;
    }
    table *t = &s->t[hash >> 56];
    if ((t->used + 1) * 10 > t->room * 9) {
        const blm_err err = grow(s, t);
        if (err) return err;
    }
    const uint64_t at = find(t, hash);
    if (!t->slot[at]) {
        t->slot[at] = hash;
        t->used++;
        s->size++;
    }
    if (s->counted) t->times[at] = one_more(t->times[at]);
    return BLM_OK;
}

uint64_t blm_hashset_size(const blm_hashset *s) { return s->size; }
uint64_t blm_hashset_bytes(const blm_hashset *s) { return s->bytes; }

blm_err blm_hashset_each(const blm_hashset *s, blm_hashset_visit visit, void *ctx)
{
    blm_err err = s->zero ? visit(ctx, 0, s->counted ? s->zero : 1) : BLM_OK;
    for (unsigned i = 0; i < TABLES && !err; i++) {
        const table *t = &s->t[i];
        for (uint64_t j = 0; j < t->room && !err; j++)
            if (t->slot[j]) err = visit(ctx, t->slot[j], s->counted ? t->times[j] : 1);
    }
    return err;
}
