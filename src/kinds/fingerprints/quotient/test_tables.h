/* test_tables.h - the table of a filter as docs/format.md has it, read bit by bit, and a multiset to compare it with. */
#ifndef BLM_TESTS_QUOTIENT_TABLES_H
#define BLM_TESTS_QUOTIENT_TABLES_H
#include "kinds/counters.h"
#include <bloomery/value.h>
#include "kinds/places.h"

typedef struct table {
    uint64_t homes, range, slots;
    unsigned low, width, bits, block;
    const uint8_t *cells;
} table;

static inline table table_of(const blm_filter *f)
{
    const unsigned grown = (unsigned)field(f, "doublings"), r = (unsigned)field(f, "remainder");
    size_t n;
    table t = {.homes = field(f, "quotients") << grown,
               .range = field(f, "quotients") << r,
               .low = r - grown,
               .width = (unsigned)field(f, "width"),
               .cells = blm_cells(f, &n)};
    t.bits = t.low + t.width;
    t.block = 17 + 8 * t.bits;
    uint64_t guard = 0;
    while (guard * guard <= 100 * t.homes) guard++;
    t.slots = (t.homes + (guard < t.homes ? guard : t.homes) + 63) / 64 * 64;
    assert_int_equal(n, (t.slots / 64 * t.block + 7) / 8 * 8);
    return t;
}

static inline unsigned bit_at(const table *t, uint64_t slot, unsigned byte)
{
    return t->cells[slot / 64 * t->block + byte + slot % 64 / 8] >> slot % 8 & 1;
}
static inline unsigned is_home(const table *t, uint64_t slot) { return bit_at(t, slot, 1); }
static inline unsigned is_end(const table *t, uint64_t slot) { return bit_at(t, slot, 9); }
static inline unsigned offset_of(const table *t, uint64_t block)
{
    return t->cells[block * t->block];
}

static inline uint64_t slot_value(const table *t, uint64_t slot)
{
    const uint8_t *at = t->cells + slot / 64 * t->block + 17;
    uint64_t v = 0;
    for (unsigned b = 0; b < t->bits; b++) {
        const uint64_t bit = slot % 64 * t->bits + b;
        v |= (uint64_t)(at[bit / 8] >> bit % 8 & 1) << b;
    }
    return v;
}

/* ---- a multiset of fingerprints, sorted ------------------------------------------------------ */

typedef struct bag {
    uint64_t *print, n, room;
} bag;

static inline uint64_t print_of(const blm_filter *f, uint64_t key)
{
    return high(blm_hash_u64(f, key).lo, field(f, "quotients") << field(f, "remainder"));
}

/* The first place whose fingerprint is not below this one. */
static inline uint64_t bag_place(const bag *b, uint64_t print)
{
    uint64_t low = 0, end = b->n;
    while (low < end) {
        const uint64_t middle = (low + end) / 2;
        if (b->print[middle] < print)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

static inline uint64_t bag_times(const bag *b, uint64_t print)
{
    return bag_place(b, print + 1) - bag_place(b, print);
}

static inline void bag_add(bag *b, uint64_t print)
{
    const uint64_t at = bag_place(b, print);
    if (b->n == b->room) {
        b->room = 2 * b->room + 16;
        b->print = realloc(b->print, (size_t)b->room * sizeof *b->print);
        assert_non_null(b->print);
    }
    memmove(b->print + at + 1, b->print + at, (size_t)(b->n++ - at) * sizeof *b->print);
    b->print[at] = print;
}

static inline void bag_del(bag *b, uint64_t print)
{
    const uint64_t at = bag_place(b, print);
    assert_true(at < b->n && b->print[at] == print);
    memmove(b->print + at, b->print + at + 1, (size_t)(--b->n - at) * sizeof *b->print);
}

/* ---- the one table that a multiset has -------------------------------------------------------- */

/* Fingerprints from..to-1 of the bag have this home: their run begins at `slot`; the slot after it. */
static inline uint64_t check_run(const table *t, const bag *b, uint64_t from, uint64_t to,
                                 uint64_t slot)
{
    const uint64_t most = UINT64_C(1) << t->width;
    while (from < to) {
        uint64_t same = 1;
        while (from + same < to && b->print[from + same] == b->print[from]) same++;
        for (uint64_t left = same; left; slot++) {
            const uint64_t here = left < most ? left : most;
            const uint64_t rest = b->print[from] & ((UINT64_C(1) << t->low) - 1);
            assert_int_equal(slot_value(t, slot), rest << t->width | (here - 1));
            left -= here;
            assert_int_equal(is_end(t, slot), !left && from + same == to);
        }
        from += same;
    }
    return slot;
}

static inline void check_empty(const table *t, uint64_t from, uint64_t to)
{
    for (; from < to; from++) {
        assert_int_equal(slot_value(t, from), 0);
        assert_int_equal(is_end(t, from), 0);
    }
}

/* The list has each fingerprint of the bag once, as they rise, by the smallest hash that has it. */
static inline void check_list(const blm_filter *f, const bag *b)
{
    const uint64_t range = field(f, "quotients") << field(f, "remainder");
    size_t n = (size_t)b->n + 1, at = 0;
    blm_item *all = calloc(n, sizeof *all);
    assert_non_null(all);
    assert_int_equal(blm_list(f, all, &n, NULL), BLM_OK);
    for (uint64_t i = 0; i < b->n; i++) {
        if (i && b->print[i] == b->print[i - 1]) continue;
        const uint64_t lo = all[at++].h.lo;
        assert_true(high(lo, range) == b->print[i]);
        assert_true(!lo || high(lo - 1, range) < b->print[i]);
    }
    assert_int_equal(n, at);
    free(all);
}

/* Every bit of the table follows from the multiset: runs by home, each sorted, at its home or after the one before; offsets;
 * zeros everywhere else. Returns how many blocks have an offset of 255. */
static inline uint64_t check_table(const blm_filter *f, const bag *b)
{
    const table t = table_of(f);
    uint64_t after = 0, at = 0, homes = 0, ends = 0, far = 0, used = 0, prints = 0;
    for (uint64_t slot = 0; slot < t.slots; slot++) {
        if (slot % 64 == 0) {
            const uint64_t offset = after > slot ? after - slot : 0;
            assert_int_equal(offset_of(&t, slot / 64), offset < 255 ? offset : 255);
            far += offset >= 255;
        }
        const uint64_t next = slot < t.homes ? bag_place(b, (slot + 1) << t.low) : b->n;
        assert_int_equal(is_home(&t, slot), next > at);
        homes += is_home(&t, slot);
        ends += is_end(&t, slot);
        if (next == at) continue;
        const uint64_t from = slot > after ? slot : after;
        check_empty(&t, after, from);
        after = check_run(&t, b, at, next, from);
        used += after - from;
        for (uint64_t i = at; i < next; i++) prints += i == at || b->print[i] != b->print[i - 1];
        at = next;
    }
    check_empty(&t, after, t.slots);
    assert_int_equal(at, b->n);
    assert_int_equal(homes, ends);
    assert_int_equal(used, field(f, "used"));
    assert_int_equal(prints, field(f, "prints"));
    check_list(f, b);
    return far;
}

/* ---- filters ------------------------------------------------------------------------------------ */

/* With remainders of r bits, for that many keys. */
static inline blm_filter *table_for(uint64_t keys, unsigned r, unsigned width, uint64_t seed)
{
    char with[20];
    snprintf(with, sizeof with, "width=%u", width);
    blm_filter *f = NULL;
    for (double p = ldexp(0.94, -(int)r); !f || field(f, "remainder") < r; p *= 0.97) {
        blm_free(f);
        f = made_new(BLM_CONFIG(.kind = "quotient", .keys = keys, .fpr = p, .seed = seed,
                                .with = with, .overfill = true));
    }
    assert_int_equal(field(f, "remainder"), r);
    return f;
}

static inline void add_many(blm_filter *f, uint64_t first, uint64_t n)
{
    enum { RUN = 1024 };
    uint64_t keys[RUN];
    for (uint64_t at = 0; at < n; at += RUN) {
        const size_t run = n - at < RUN ? (size_t)(n - at) : RUN;
        for (size_t i = 0; i < run; i++) keys[i] = first + at + i;
        assert_int_equal(blm_add_many_u64(f, keys, run, NULL, NULL), BLM_OK);
    }
}
#endif
