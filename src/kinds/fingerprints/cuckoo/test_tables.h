/* test_tables.h - the buckets of a filter, as docs/format.md has them, computed on their own. */
#ifndef BLM_TESTS_CUCKOO_TABLES_H
#define BLM_TESTS_CUCKOO_TABLES_H
#include <bloomery/theory/cuckoo.h>
#include "kinds/counters.h"
#include "kinds/places.h"

typedef struct layout {
    uint64_t across, range;
    unsigned slots, low, bits; /* of a rest; of a bucket */
    bool sorted;
} layout;

static inline layout layout_of(const blm_filter *f)
{
    const unsigned grown = (unsigned)field(f, "doublings"), width = (unsigned)field(f, "width");
    layout t = {.across = field(f, "buckets") << grown,
                .range = field(f, "buckets") << width,
                .slots = (unsigned)field(f, "slots"),
                .low = width - grown,
                .sorted = field(f, "form") == 1};
    t.bits = t.slots * t.low - (t.sorted ? 4 : 0);
    return t;
}

static inline uint64_t bits_at(const blm_filter *f, uint64_t from, unsigned n)
{
    size_t bytes;
    const uint8_t *cells = blm_cells(f, &bytes);
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)(cells[(from + i) / 8] >> (from + i) % 8 & 1) << i;
    return v;
}

/* The numbers of a code: codes are counted through. */
static inline void numbers_of(unsigned code, unsigned number[4])
{
    unsigned n = 0;
    for (unsigned a = 0; a < 16; a++)
        for (unsigned b = a; b < 16; b++)
            for (unsigned c = b; c < 16; c++)
                for (unsigned d = c; d < 16; d++)
                    if (n++ == code) number[0] = a, number[1] = b, number[2] = c, number[3] = d;
    assert_true(code < n);
}

/* The rests of a bucket. */
static inline void rests_of(const blm_filter *f, const layout *t, uint64_t bucket, uint64_t rest[8])
{
    const uint64_t at = bucket * t->bits;
    unsigned number[4] = {0};
    if (t->sorted) numbers_of((unsigned)bits_at(f, at, 12), number);
    for (unsigned s = 0; s < t->slots; s++)
        rest[s] = t->sorted ? bits_at(f, at + 12 + s * (t->low - 4), t->low - 4) |
                                  (uint64_t)number[s] << (t->low - 4)
                            : bits_at(f, at + s * t->low, t->low);
}

static inline uint64_t turn_of(const layout *t, uint64_t rest)
{
    return high(word_of(rest, 1), t->across);
}

static inline int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The fingerprints of all slots, sorted; the caller frees them. `low` bits of each, so that those of filters that have
 * grown can be compared: 0 is kept as 1. */
static inline uint64_t *all_prints(const blm_filter *f, unsigned low, uint64_t *n)
{
    const layout t = layout_of(f);
    uint64_t *all = malloc((field(f, "used") + 1) * sizeof *all), rest[8];
    assert_non_null(all);
    *n = 0;
    for (uint64_t b = 0; b < 2 * t.across; b++) {
        rests_of(f, &t, b, rest);
        for (unsigned s = 0; s < t.slots; s++) {
            if (!rest[s]) continue;
            const uint64_t turn = b < t.across ? 0 : turn_of(&t, rest[s]);
            uint64_t print = (b % t.across + t.across - turn) % t.across << t.low | rest[s];
            if (!(print & ((UINT64_C(1) << low) - 1))) print |= 1;
            assert_true(*n < field(f, "used"));
            all[(*n)++] = print;
        }
    }
    assert_int_equal(*n, field(f, "used"));
    qsort(all, *n, sizeof *all, by_value);
    return all;
}

/* The state by the slots; sorted buckets are in order. */
static inline void check_table(const blm_filter *f)
{
    const layout t = layout_of(f);
    uint64_t n, different = 0, pairs = 0, *all = all_prints(f, t.low, &n), rest[8];
    for (uint64_t i = 0; i < n; i++) {
        const bool first = !i || all[i] != all[i - 1];
        different += first;
        pairs += first && (all[i] & ((UINT64_C(1) << t.low) - 1)) == 1;
    }
    free(all);
    assert_int_equal(different, field(f, "different"));
    assert_int_equal(pairs, field(f, "pairs"));
    assert_true(blm_fpr(f, NULL).high == (double)(different + pairs) / (double)t.range);
    for (uint64_t b = 0; t.sorted && b < 2 * t.across; b++) {
        rests_of(f, &t, b, rest);
        assert_true(rest[0] <= rest[1] && rest[1] <= rest[2] && rest[2] <= rest[3]);
    }
}

/* Tables of that many buckets each: planned for as many keys as they hold, which decides how long rests are. */
static inline blm_filter *tables(uint64_t across, unsigned slots, unsigned width, const char *more,
                                 uint64_t seed)
{
    char with[80];
    uint64_t low = 1, end = 2 * across * slots + 1; /* low keys have room, end have not */
    const bool sorted = strstr(more, "sorted") != NULL;
    while (end - low > 1) {
        const uint64_t middle = low + (end - low) / 2;
        *(blm_cuckoo_across(middle, slots) <= across ? &low : &end) = middle;
    }
    snprintf(with, sizeof with, "slots=%u %s", slots, more);
    blm_filter *f = made_new(BLM_CONFIG(.kind = "cuckoo", .keys = low, .seed = seed, .with = with,
                                        .bits = 2 * across * (slots * width - (sorted ? 4 : 0)),
                                        .overfill = true));
    assert_int_equal(field(f, "buckets"), across);
    assert_int_equal(field(f, "width"), width);
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

/* Adds 0, 1, 2, ... up to the first for which there is no room; how many went in. */
static inline uint64_t fill_up(blm_filter *f)
{
    enum { RUN = 1024 };
    uint64_t keys[RUN], n = 0;
    for (;;) {
        size_t done = 0;
        for (size_t i = 0; i < RUN; i++) keys[i] = n + i;
        const blm_err err = blm_add_many_u64(f, keys, RUN, NULL, &done);
        n += done;
        if (!err) continue;
        assert_int_equal(err, BLM_E_FULL);
        return n;
    }
}
#endif
