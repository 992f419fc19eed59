/* hashset.c - 256 open-addressing tables, one a top byte, 16 of them in one block of memory.
 *
 *      block 4   |table 40|table 41| ... |table 4f|
 *      table     |line 0|line 1| ...      a cache line of 9 slots, filled from the front
 *      line      |9 * 4 lower bytes|9 * 3 upper bytes|used|     the table is a hash's eighth byte
 *
 * A hash goes into the line that its bits choose, or the next one that has room: 1.4 lines are read when
 * it is new, 1.1 when it is not.
 *
 * A block is made anew, 1.6 times as large, when a table of it would be more than 85/100 full; the blocks
 * do so one after the other. A slot is then used 2/3 of the time, at every number of hashes: 64/9 * 0.6 /
 * ln(1.6) / 0.85 = 10.7 bytes a hash; with a count, and 90/100, it is 15.8. A block grows by 0.3 of them and
 * is held twice meanwhile, 0.5 more: 11.9 at the worst moment from 500,000 hashes on. A hash is copied 1.7
 * times; blocks that grow by 1.3 at 80/100 have 10.2 bytes, 3.3 copies and 1.3 times the time. One table
 * that doubles would need 8 / 0.4 = 20 bytes, and half as much again.
 *
 * Blocks are large so that they lie in huge pages: else every slot costs a walk through the page tables
 * at 10^7 hashes. Lines are chosen by the hash's own order, so that a growing table is copied from front
 * to back. Hashes come in batches: the line of hash i + 24 is fetched while hash i is looked up, and, when
 * the line of hash i + 12 is full, the one behind it: 0.42 s for 10^7 new hashes, 0.52 s without the latter.
 */
#include <string.h>

#include "core/hashset.h"
#include "core/bytes.h"
#include "core/wide.h"

enum {
    TABLES = BLM_HASHSET_TABLES,
    BLOCKS = 16,
    SHARE = TABLES / BLOCKS,
    LINE = 64, /* bytes of a cache line */
    SLOTS = 9, /* in a line */
    HIGH = 36, /* the byte where the upper 3 bytes of the slots begin; the lower 4 are before */
    USED = 63, /* the byte of a line that says how many of its slots are used */
    FULL = 85, /* per cent of a table's slots that are used before it grows */
    FULL_COUNTED = 90,
    AHEAD = 24,     /* hashes between the fetching of a line and its use */
    AHEAD_NEXT = 12 /* of the next line                                  */
};
#define LOW UINT64_C(0x00ffffffffffffff) /* what a slot holds; 0 = empty */

typedef struct table {
    uint8_t *line;   /* in its block */
    uint32_t *times; /* of each slot; NULL when not counted */
    uint64_t lines, used;
    uint32_t zero; /* how often the hash came that looks like an empty slot */
} table;

struct blm_hashset {
    blm_alloc alloc;
    uint64_t size, bytes, limit;
    bool counted;
    uint64_t block_bytes[BLOCKS]; /* a block is where its first table's slots are */
    table t[TABLES];
};

/* ---- tables --------------------------------------------------------------------------------- */

static uint64_t times_bytes(uint64_t lines)
{
    return (lines * SLOTS * sizeof(uint32_t) + LINE - 1) / LINE * LINE;
}

static uint64_t table_bytes(const blm_hashset *s, uint64_t lines)
{
    return lines * LINE + (s->counted ? times_bytes(lines) : 0);
}

static uint64_t home(const table *t, uint64_t low) { return blm_reduce(low << 8, t->lines); }

static inline uint64_t slot_at(const uint8_t *line, size_t i)
{
    return blm_le32(line + i * 4) | (uint64_t)(blm_le32(line + HIGH + i * 3) & 0xffffff) << 32;
}

/* Where it is in the line, or SLOTS. The low words come first, without a branch: one in 10^8 lines has
 * that word of another hash. */
static inline unsigned look(const uint8_t *line, uint64_t low)
{
    unsigned alike = 0, at = 0;
    for (size_t i = 0; i < SLOTS; i++) alike |= blm_le32(line + i * 4) == (uint32_t)low;
    if (!alike) return SLOTS;
    while (at < SLOTS && slot_at(line, at) != low) at++;
    return at;
}

static inline uint64_t next_line(const table *t, uint64_t line)
{
    return line + 1 < t->lines ? line + 1 : 0;
}

static inline void append(uint8_t *line, uint64_t low)
{
    const size_t i = line[USED]++;
    uint8_t *high = line + HIGH + i * 3;
    blm_put32(line + i * 4, (uint32_t)low);
    blm_put16(high, (uint16_t)(low >> 32));
    high[2] = (uint8_t)(low >> 48);
}

/* The slot of a hash that is known to be new. */
static uint64_t put_new(table *t, uint64_t line, uint64_t low)
{
    while (t->line[line * LINE + USED] == SLOTS) line = next_line(t, line);
    append(t->line + line * LINE, low);
    return line * SLOTS + t->line[line * LINE + USED] - 1u;
}

static bool crowded(const blm_hashset *s, const table *t, uint64_t more)
{
    const uint64_t full = s->counted ? FULL_COUNTED : FULL;
    return (t->used + more) * 100 > t->lines * SLOTS * full;
}

/* How many slots for each hash that a block has, in 256ths. Its sizes are 1.6 times each other; the
 * first ones of the 16 blocks lie evenly in between (1.03^16 = 1.6), so that no two grow at once. */
static uint64_t next_size(uint64_t used, unsigned block)
{
    uint64_t slots = UINT64_C(64) * 256;
    for (unsigned i = 0; i < block; i++) slots += slots * 31 / 1024;
    while (slots / 256 < used + used * 2 / 5) slots += slots * 3 / 5;
    return slots / used;
}

static void copy_table(table *to, const table *from)
{
    for (uint64_t l = 0; l < from->lines; l++) {
        const uint8_t *line = from->line + l * LINE;
        for (unsigned i = 0; i < line[USED]; i++) {
            const uint64_t low = slot_at(line, i), at = put_new(to, home(to, low), low);
            if (to->times) to->times[at] = from->times[l * SLOTS + i];
        }
    }
}

static void drop_block(blm_hashset *s, unsigned block)
{
    blm_put_back(&s->alloc, s->t[(size_t)block * SHARE].line, s->block_bytes[block]);
    s->bytes -= s->block_bytes[block];
    s->block_bytes[block] = 0;
}

/* A larger block; more[i] are about to come to its table i. */
static blm_err grow(blm_hashset *s, unsigned block, const uint16_t *more)
{
    table big[SHARE], *old = s->t + (size_t)block * SHARE;
    uint64_t bytes = 0, used = 0;
    for (unsigned i = 0; i < SHARE; i++) used += old[i].used + more[i];
    const uint64_t size = next_size(used, block);
    for (unsigned i = 0; i < SHARE; i++) {
        big[i] = (table){.used = old[i].used, .zero = old[i].zero};
        big[i].lines = (old[i].used + more[i]) * size / 256 / SLOTS + 1;
        bytes += table_bytes(s, big[i].lines);
    }
    if (s->limit && s->bytes + bytes > s->limit) return BLM_E_FULL; /* both blocks are held */
    uint8_t *p = blm_take(&s->alloc, bytes);
    if (!p) return BLM_E_NOMEM;
    for (unsigned i = 0; i < SHARE; i++) {
        big[i].line = p;
        if (s->counted) big[i].times = (uint32_t *)(void *)(p + big[i].lines * LINE);
        p += table_bytes(s, big[i].lines);
        copy_table(&big[i], &old[i]);
    }
    drop_block(s, block);
    memcpy(old, big, sizeof big);
    s->block_bytes[block] = bytes;
    s->bytes += bytes;
    return BLM_OK;
}

/* ---- the set -------------------------------------------------------------------------------- */

blm_hashset *blm_hashset_new(const blm_alloc *a, bool counted)
{
    blm_hashset *s = blm_take(a, sizeof *s);
    if (!s) return NULL;
    s->alloc = *a;
    s->counted = counted;
    s->bytes = sizeof *s;
    return s;
}

void blm_hashset_empty(blm_hashset *s)
{
    for (unsigned i = 0; i < BLOCKS; i++) drop_block(s, i);
    memset(s->t, 0, sizeof s->t);
    s->size = 0;
}

void blm_hashset_free(blm_hashset *s)
{
    if (!s) return;
    blm_hashset_empty(s);
    const blm_alloc a = s->alloc;
    blm_put_back(&a, s, sizeof *s);
}

void blm_hashset_limit(blm_hashset *s, uint64_t bytes) { s->limit = bytes; }
uint64_t blm_hashset_size(const blm_hashset *s) { return s->size; }
uint64_t blm_hashset_bytes(const blm_hashset *s) { return s->bytes; }

/* Room for all of them before the first goes in: a batch fails whole. */
static blm_err reserve(blm_hashset *s, const blm_hash *h, size_t n)
{
    uint16_t more[TABLES] = {0};
    for (size_t i = 0; i < n; i++) {
        const unsigned top = (unsigned)(h[i].lo >> 56);
        if (!crowded(s, &s->t[top], ++more[top])) continue;
        const blm_err err = grow(s, top / SHARE, more + (size_t)top / SHARE * SHARE);
        if (err) return err;
    }
    return BLM_OK;
}

static uint32_t one_more(uint32_t times) { return times < UINT32_MAX ? times + 1 : times; }

/* Fresh, and *slot: where it is counted. */
static inline bool put_one(table *t, uint64_t low, uint64_t *slot)
{
    uint64_t line = home(t, low);
    for (;; line = next_line(t, line)) {
        const uint8_t *p = t->line + line * LINE;
        const unsigned at = look(p, low);
        *slot = line * SLOTS + at;
        if (at < SLOTS) return false;
        if (p[USED] < SLOTS) break;
    }
    *slot = put_new(t, line, low);
    t->used++;
    return true;
}

static inline const uint8_t *home_line(const blm_hashset *s, uint64_t hash)
{
    const table *t = &s->t[hash >> 56];
    return t->line + home(t, hash & LOW) * LINE;
}

static inline void fetch(const blm_hashset *s, uint64_t hash)
{
    __builtin_prefetch(home_line(s, hash), 1);
}

/* Behind a table's last line it fetches one in vain. */
static inline void fetch_next(const blm_hashset *s, uint64_t hash)
{
    const uint8_t *line = home_line(s, hash);
    if (line[USED] == SLOTS) __builtin_prefetch(line + LINE, 1);
}

static bool take(blm_hashset *s, uint64_t hash)
{
    table *t = &s->t[hash >> 56];
    uint64_t slot;
    const bool is_zero = !(hash & LOW), fresh = is_zero ? !t->zero : put_one(t, hash & LOW, &slot);
    uint32_t *times = is_zero ? &t->zero : s->counted ? &t->times[slot] : NULL;
    if (times) *times = one_more(*times);
    s->size += fresh;
    return fresh;
}

blm_err blm_hashset_add_many(blm_hashset *s, const blm_hash *h, size_t n, uint8_t *fresh)
{
    const blm_err err = reserve(s, h, n);
    if (err) return err;
    for (size_t i = 0; i < n && i < AHEAD; i++) fetch(s, h[i].lo);
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) fetch(s, h[i + AHEAD].lo);
        if (i + AHEAD_NEXT < n) fetch_next(s, h[i + AHEAD_NEXT].lo);
        const bool is_new = take(s, h[i].lo);
        if (fresh) fresh[i] = is_new;
    }
    return BLM_OK;
}

blm_err blm_hashset_add(blm_hashset *s, uint64_t hash)
{
    return blm_hashset_add_many(s, &(const blm_hash){.lo = hash}, 1, NULL);
}

blm_err blm_hashset_each(const blm_hashset *s, blm_hashset_visit visit, void *ctx)
{
    blm_err err = BLM_OK;
    for (uint64_t top = 0; top < TABLES && !err; top++) {
        const table *t = &s->t[top];
        if (t->zero) err = visit(ctx, top << 56, s->counted ? t->zero : 1);
        for (uint64_t l = 0; l < t->lines && !err; l++) {
            const uint8_t *line = t->line + l * LINE;
            for (unsigned i = 0; i < line[USED] && !err; i++)
                err = visit(ctx, top << 56 | slot_at(line, i),
                            s->counted ? t->times[l * SLOTS + i] : 1);
        }
    }
    return err;
}
