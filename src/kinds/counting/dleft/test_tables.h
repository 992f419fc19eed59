/* test_tables.h - the cells of a filter, as docs/format.md has them, computed on their own. */
#ifndef BLM_TESTS_DLEFT_TABLES_H
#define BLM_TESTS_DLEFT_TABLES_H
#include "kinds/counters.h"
#include "kinds/places.h"

typedef struct table {
    uint64_t across, range;
    unsigned tables, slots, low, width, bits;
} table;

static inline table table_of(const blm_filter *f)
{
    const unsigned grown = (unsigned)field(f, "doublings"), r = (unsigned)field(f, "remainder");
    table t = {.across = field(f, "buckets") << grown,
               .range = field(f, "buckets") << r,
               .tables = (unsigned)field(f, "tables"),
               .slots = (unsigned)field(f, "bucket"),
               .low = r - grown,
               .width = (unsigned)field(f, "width")};
    t.bits = t.low + t.width;
    return t;
}

static inline uint64_t buckets_in(const table *t) { return t->across * t->tables; }

static inline uint64_t cell(const blm_filter *f, const table *t, uint64_t i)
{
    return cell_of(f, t->bits, i);
}

/* B buckets a table with remainders of r bits, planned for slots - 2 keys a bucket. */
static inline blm_filter *prints(uint64_t buckets, unsigned r, unsigned tables, unsigned slots,
                                 uint64_t seed)
{
    char with[40];
    const uint64_t cells = buckets * tables * slots;
    snprintf(with, sizeof with, "tables=%u bucket=%u", tables, slots);
    blm_filter *f = made_new(BLM_CONFIG(.kind = "dleft", .bits = cells * (r + 2),
                                        .keys = buckets * tables * (slots - 2), .seed = seed,
                                        .with = with, .overfill = true));
    assert_true(field(f, "buckets") == buckets && field(f, "remainder") == r);
    return f;
}

static inline int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The fingerprints of all cells, sorted; the caller frees them. */
static inline uint64_t *all_prints(const blm_filter *f, uint64_t *n)
{
    const table t = table_of(f);
    uint64_t *all = malloc((field(f, "used") + 1) * sizeof *all);
    assert_non_null(all);
    *n = 0;
    for (uint64_t i = 0; i < buckets_in(&t) * t.slots; i++) {
        const uint64_t v = cell(f, &t, i), rest = v >> t.width, bucket = i / t.slots;
        if (!v) continue;
        assert_true((v & ((1u << t.width) - 1)) != 0 && *n < field(f, "used"));
        const uint64_t turn = high(word_of(rest, (unsigned)(bucket / t.across)), t.across);
        all[(*n)++] = (bucket % t.across + t.across - turn) % t.across << t.low | rest;
    }
    assert_int_equal(*n, field(f, "used"));
    qsort(all, *n, sizeof *all, by_value);
    return all;
}

static inline bool all_distinct(const blm_filter *f)
{
    uint64_t n, same = 0, *all = all_prints(f, &n);
    for (uint64_t i = 1; i < n; i++) same += all[i] == all[i - 1];
    free(all);
    return !same;
}
#endif
