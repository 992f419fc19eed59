/* hashset.c - 256 open-addressing tables, one per top byte, 16 of them in one block of memory.
 *
 *      block 4   |table 40|table 41| ... |table 4f|
 *      table     |line 0|line 1| ...      a cache line of 9 slots, filled from the front
 *      line      |9 * 4 lower bytes|9 * 3 upper bytes|used|     the table is a hash's eighth byte
 *
 * A hash goes into the line that its bits choose, or the next one that has room: 1.4 lines are read when
 * it is new, 1.1 when it is not.
 *
 * A block is made anew, 1.6 times as large, when a table of it would be more than 85/100 full; the blocks do
 * so one after the other. A slot is then used 2/3 of the time, at every number of hashes: 64/9 * 0.6 /
 * ln(1.6) / 0.85 = 10.7 bytes per hash; with a count, and 90/100, it is 15.8. A block grows by 0.3 of them
 * and is held twice meanwhile, 0.5 more: 11.9 at the worst moment from 500,000 hashes on. A hash is copied
 * 1.7 times; blocks that grow by 1.3 at 80/100 have 10.2 bytes, 3.3 copies and 1.3 times the time. One table
 * that doubles would need 8 / 0.4 = 20 bytes, and half as much again.
 *
 * Blocks are large so that they lie in huge pages: else every slot costs a walk through the page tables at
 * 10^7 hashes. Lines are chosen by the hash's own order, so that a growing table is copied from front to
 * back. Hashes come in batches: the line of hash i + 64 is fetched while hash i is looked up, and, when the
 * line of hash i + 12 is full, the one after it: 40 ns for a new one of 5 * 10^6 hashes, its growth
 * included, and 17 for one that is there, where a line of such memory alone costs 6 to 10.
 */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/build/hashset.h"
#include "core/bytes.h"
#include "core/mul128.h"

enum {
    TABLES = BLM_HASHSET_TABLES,
    BLOCKS = 16,
    SHARE = TABLES / BLOCKS,
    LINE_BYTES = 64, /* a cache line */
    SLOTS = 9,       /* in a line */
    HIGH = 36, /* the byte where the upper 3 bytes of the slots begin; the lower 4 are before */
    USED = 63, /* the byte of a line that says how many of its slots are used */
    FULL = 85, /* per cent of a table's slots that are used before it grows */
    FULL_COUNTED = 90,
    PAGE = 4096,
    AHEAD = 64,     /* hashes between the fetching of a line and its use */
    AHEAD_NEXT = 12 /* of the next line                                  */
};
#define LOW UINT64_C(0x00ffffffffffffff) /* what a slot holds; 0 = empty */

typedef struct table {
    uint8_t *line;   /* in its block */
    uint32_t *times; /* of each slot; NULL when not counted */
    uint64_t lines, used;
    uint64_t room; /* hashes that may still come before it grows */
    uint32_t zero; /* how often the hash came that looks like an empty slot */
} table;

struct blm_hashset {
    blm_alloc alloc;
    uint64_t limit;
    bool counted;
    uint64_t block_bytes[BLOCKS]; /* a block is where its first table's slots are */
    table t[TABLES];
};

/* ---- tables --------------------------------------------------------------------------------- */

static uint64_t times_bytes(uint64_t lines)
{
    return (lines * SLOTS * sizeof(uint32_t) + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

static uint64_t table_bytes(const blm_hashset *s, uint64_t lines)
{
    return lines * LINE_BYTES + (s->counted ? times_bytes(lines) : 0);
}

static uint64_t home(const table *t, uint64_t low) { return blm_reduce(low << 8, t->lines); }

static inline uint64_t slot_at(const uint8_t *line, size_t i)
{
    return blm_le32(line + i * 4) | (uint64_t)(blm_le32(line + HIGH + i * 3) & 0xffffff) << 32;
}

/* Which slots have its low word, a bit each: without a branch, for one in 10^8 lines has that word of
 * another hash. Four at a time where every processor of the kind can: 19 against 21 ns for a hash that is
 * in a set of 5 * 10^6. */
static inline unsigned alike(const uint8_t *line, uint64_t low)
{
    unsigned bits = 0, i = 0;
#ifdef __SSE2__
    const __m128i word = _mm_set1_epi32((int)(uint32_t)low);
    for (; i + 4 <= SLOTS; i += 4) {
        const __m128i slots = _mm_loadu_si128((const void *)(line + (size_t)i * 4));
        const __m128 same = _mm_castsi128_ps(_mm_cmpeq_epi32(slots, word));
        bits |= (unsigned)_mm_movemask_ps(same) << i;
    }
#endif
    for (; i < SLOTS; i++) bits |= (unsigned)(blm_le32(line + (size_t)i * 4) == (uint32_t)low) << i;
    return bits;
}

/* Where it is in the line, or SLOTS. */
static inline unsigned look(const uint8_t *line, uint64_t low)
{
    for (unsigned bits = alike(line, low); bits; bits &= bits - 1) {
        const unsigned at = (unsigned)__builtin_ctz(bits);
        if (slot_at(line, at) == low) return at;
    }
    return SLOTS;
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
    while (t->line[line * LINE_BYTES + USED] == SLOTS) line = next_line(t, line);
    append(t->line + line * LINE_BYTES, low);
    return line * SLOTS + t->line[line * LINE_BYTES + USED] - 1u;
}

static uint64_t max(const blm_hashset *s, uint64_t lines)
{
    return lines * SLOTS * (s->counted ? FULL_COUNTED : FULL) / 100;
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
        const uint8_t *line = from->line + l * LINE_BYTES;
        for (unsigned i = 0; i < line[USED]; i++) {
            const uint64_t low = slot_at(line, i), at = put_new(to, home(to, low), low);
            if (to->times) to->times[at] = from->times[l * SLOTS + i];
        }
    }
}

/* A page that is read before it is written comes twice: as the page of zeros, then as its own. */
static void touch_pages(uint8_t *p, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += PAGE) ((volatile uint8_t *)p)[at] = 0;
}

static void drop_block(blm_hashset *s, unsigned block)
{
    blm_put_back(&s->alloc, s->t[(size_t)block * SHARE].line, s->block_bytes[block]);
    s->block_bytes[block] = 0;
}

/* A larger block; more[i] are about to come to its table i. It looks at other blocks only if limited. */
static blm_err grow(blm_hashset *s, unsigned block, const uint16_t *more, bool limited)
{
    table big[SHARE], *old = s->t + (size_t)block * SHARE;
    uint64_t bytes = 0, used = 0;
    for (unsigned i = 0; i < SHARE; i++) used += old[i].used + more[i];
    const uint64_t size = next_size(used, block);
    for (unsigned i = 0; i < SHARE; i++) {
        big[i] = (table){.used = old[i].used, .zero = old[i].zero};
        big[i].lines = (old[i].used + more[i]) * size / 256 / SLOTS + 1;
        big[i].room = max(s, big[i].lines) - big[i].used;
        bytes += table_bytes(s, big[i].lines);
    }
    if (limited && s->limit && blm_hashset_bytes(s) + bytes > s->limit)
        return BLM_E_FULL; /* both blocks are held */
    uint8_t *p = blm_take(&s->alloc, bytes);
    if (!p) return BLM_E_NOMEM;
    touch_pages(p, bytes);
    for (unsigned i = 0; i < SHARE; i++) {
        big[i].line = p;
        if (s->counted) big[i].times = (uint32_t *)(void *)(p + big[i].lines * LINE_BYTES);
        p += table_bytes(s, big[i].lines);
        copy_table(&big[i], &old[i]);
    }
    drop_block(s, block);
    memcpy(old, big, sizeof big);
    s->block_bytes[block] = bytes;
    return BLM_OK;
}

/* ---- the set -------------------------------------------------------------------------------- */

blm_hashset *blm_hashset_new(const blm_alloc *a, bool counted)
{
    blm_hashset *s = blm_take(a, sizeof *s);
    if (!s) return NULL;
    s->alloc = *a;
    s->counted = counted;
    return s;
}

void blm_hashset_empty(blm_hashset *s)
{
    for (unsigned i = 0; i < BLOCKS; i++) drop_block(s, i);
    memset(s->t, 0, sizeof s->t);
}

void blm_hashset_free(blm_hashset *s)
{
    if (!s) return;
    blm_hashset_empty(s);
    const blm_alloc a = s->alloc;
    blm_put_back(&a, s, sizeof *s);
}

void blm_hashset_limit(blm_hashset *s, uint64_t bytes) { s->limit = bytes; }

uint64_t blm_hashset_size(const blm_hashset *s)
{
    uint64_t size = 0;
    for (unsigned i = 0; i < TABLES; i++) size += s->t[i].used + (s->t[i].zero > 0);
    return size;
}

uint64_t blm_hashset_bytes(const blm_hashset *s)
{
    uint64_t bytes = sizeof *s;
    for (unsigned i = 0; i < BLOCKS; i++) bytes += s->block_bytes[i];
    return bytes;
}

/* A new block has at most 2.24 slots a hash (1.4 * 1.6), 16 bytes, and all blocks may be held twice, the old
 * ones 85/100 full, 8.4 more; with a count it is 25 and 12.4. Nearly empty tables have a line more each. */
uint64_t blm_hashset_at_most(const blm_hashset *s, uint64_t more)
{
    const uint64_t each = s->counted ? 38 : 25;
    return sizeof *s + (blm_hashset_size(s) + more) * each + (uint64_t)TABLES * LINE_BYTES * 4;
}

/* Room for all of them before the first goes in: a batch fails whole. */
static blm_err reserve(blm_hashset *s, const blm_hash *h, size_t n, bool limited)
{
    uint16_t more[TABLES] = {0};
    for (size_t i = 0; i < n; i++) {
        const unsigned top = (unsigned)(h[i].lo >> 56);
        if (++more[top] <= s->t[top].room) continue;
        const blm_err err = grow(s, top / SHARE, more + (size_t)top / SHARE * SHARE, limited);
        if (err) return err;
    }
    return BLM_OK;
}

static uint32_t one_more(uint32_t times) { return times < UINT32_MAX ? times + 1 : times; }

static inline uint8_t *home_line(const blm_hashset *s, uint64_t hash)
{
    const table *t = &s->t[hash >> 56];
    return t->line + home(t, hash & LOW) * LINE_BYTES;
}

/* Fresh, and *slot: where it is counted. From its home line on. */
static inline bool put_one(table *t, uint64_t low, uint8_t *p, uint64_t *slot)
{
    unsigned at;
    while ((at = look(p, low)) == SLOTS && p[USED] == SLOTS)
        p = p + LINE_BYTES < t->line + t->lines * LINE_BYTES ? p + LINE_BYTES : t->line;
    const bool fresh = at == SLOTS;
    *slot = (uint64_t)(p - t->line) / LINE_BYTES * SLOTS + (fresh ? p[USED] : at);
    if (fresh) append(p, low);
    t->used += fresh;
    t->room -= fresh;
    return fresh;
}

static inline bool take(blm_hashset *s, uint64_t hash, uint8_t *line)
{
    table *t = &s->t[hash >> 56];
    uint64_t slot = 0;
    const bool is_zero = !(hash & LOW),
               fresh = is_zero ? !t->zero : put_one(t, hash & LOW, line, &slot);
    uint32_t *times = is_zero ? &t->zero : s->counted ? &t->times[slot] : NULL;
    if (times) *times = one_more(*times);
    return fresh;
}

/* Into the second cache: of the first so few lines can be on their way that a fetch would wait for one. */
static inline void fetch(const uint8_t *line) { __builtin_prefetch(line, 0, 2); }

/* For the last line of a table this fetch is wasted. */
static inline void fetch_next(const uint8_t *line)
{
    if (line[USED] == SLOTS) fetch(line + LINE_BYTES);
}

static blm_err add_all(blm_hashset *s, const blm_hash *h, size_t n, uint8_t *fresh, bool limited)
{
    uint8_t *line[BLM_HASHSET_BATCH];
    const blm_err err = reserve(s, h, n, limited);
    if (err) return err;
    for (size_t i = 0; i < n && i < AHEAD; i++) fetch(line[i] = home_line(s, h[i].lo));
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) fetch(line[i + AHEAD] = home_line(s, h[i + AHEAD].lo));
        if (i + AHEAD_NEXT < n) fetch_next(line[i + AHEAD_NEXT]);
        const bool is_new = take(s, h[i].lo, line[i]);
        if (fresh) fresh[i] = is_new;
    }
    return BLM_OK;
}

blm_err blm_hashset_add_many(blm_hashset *s, const blm_hash *h, size_t n, uint8_t *fresh)
{
    return add_all(s, h, n, fresh, true);
}

blm_err blm_hashset_add_share(blm_hashset *s, const blm_hash *h, size_t n, uint8_t *fresh,
                              unsigned share, unsigned shares)
{
    unsigned strangers = 0;
    for (size_t i = 0; i < n; i++) strangers |= (unsigned)((h[i].lo >> 32) * shares >> 32) ^ share;
    return strangers ? BLM_E_ARG : add_all(s, h, n, fresh, false);
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
            const uint8_t *line = t->line + l * LINE_BYTES;
            for (unsigned i = 0; i < line[USED] && !err; i++)
                err = visit(ctx, top << 56 | slot_at(line, i),
                            s->counted ? t->times[l * SLOTS + i] : 1);
        }
    }
    return err;
}
