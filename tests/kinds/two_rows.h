/* two_rows.h - what the tests of double-buffer and of aging share: both rows as filters that lie apart, and streams. */
#ifndef BLM_TESTS_TWO_ROWS_H
#define BLM_TESTS_TWO_ROWS_H
#include "core/unit.h"
#include "core/kind.h"

/* Rows 0 and 1 as standard filters of as many bits and hashes, and what a naive rule counts. */
typedef struct apart {
    blm_filter *row[2];
    unsigned active;
    uint64_t keys[2]; /* counted, by row */
    uint64_t keep;
} apart;

static inline apart apart_of(const blm_filter *f)
{
    apart a = {.keep = field(f, "keep")};
    for (unsigned r = 0; r < 2; r++)
        a.row[r] = made_new(BLM_CONFIG(.kind = "standard", .bits = field(f, "cells"),
                                       .hashes = (unsigned)field(f, "hashes"), .keys = 1,
                                       .seed = f->seed, .overfill = true));
    return a;
}

static inline void apart_free(apart *a) { blm_free(a->row[0]), blm_free(a->row[1]); }

static inline bool apart_in(const apart *a, unsigned row, uint64_t key)
{
    return blm_has_u64(a->row[row], key);
}

static inline void apart_put(apart *a, unsigned row, uint64_t key)
{
    assert_int_equal(blm_add_u64(a->row[row], key), BLM_OK);
    a->keys[row]++;
}

static inline void apart_empty(apart *a, unsigned row)
{
    assert_int_equal(blm_clear(a->row[row]), BLM_OK);
    a->keys[row] = 0;
}

static inline unsigned bit_of(const blm_filter *f, uint64_t i)
{
    size_t n;
    const uint8_t *cells = blm_cells(f, &n);
    assert_true(i / 8 < n);
    return cells[i / 8] >> i % 8 & 1;
}

/* Every bit and every sum: cell i has bit i of row 0, then that of row 1. */
static inline void check_apart(const blm_filter *f, const apart *a)
{
    uint64_t ones[2] = {0, 0};
    for (uint64_t i = 0; i < field(f, "cells"); i++)
        for (unsigned r = 0; r < 2; r++) {
            assert_int_equal(bit_of(f, 2 * i + r), bit_of(a->row[r], i));
            ones[r] += bit_of(f, 2 * i + r);
        }
    assert_int_equal(field(f, "active"), a->active);
    assert_int_equal(field(f, "active_keys"), a->keys[a->active]);
    assert_int_equal(field(f, "other_keys"), a->keys[!a->active]);
    assert_int_equal(field(f, "active_ones"), ones[a->active]);
    assert_int_equal(field(f, "other_ones"), ones[!a->active]);
}

/* Key i of a stream: all new; every other one of the last 4 `keep` keys again, by chance; or one key 50 times in a row. */
typedef enum stream { ALL_NEW, HALF_AGAIN, IN_A_ROW, STREAMS } stream;

static inline uint64_t key_at(stream how, uint64_t i, uint64_t keep, uint64_t *random)
{
    if (how == IN_A_ROW) return i / 50;
    if (how == ALL_NEW || i < 2 || draw(random) % 2) return i;
    return i - 1 - draw(random) % (i < 4 * keep ? i : 4 * keep);
}

/* The same stream into f and into the rows apart, one by one or in batches: new, members, cells. has, add: the naive rule. */
static inline void like_apart(const char *spec, stream how, uint64_t n, size_t batch,
                              bool (*has)(const apart *a, uint64_t key),
                              void (*add)(apart *a, uint64_t key))
{
    blm_filter *f = made(spec);
    apart a = apart_of(f);
    uint64_t random = 1;
    blm_hash h[300];
    uint64_t key[300];
    uint8_t fresh[300], yes[300];
    for (uint64_t at = 0; at < n; at += batch) {
        for (size_t i = 0; i < batch; i++) {
            key[i] = key_at(how, at + i, a.keep, &random);
            h[i] = blm_item_u64(f, key[i], BLM_NO_ARG).h;
        }
        const blm_item it = {h[0], NULL, 8, BLM_NO_ARG};
        bool one = false;
        if (batch > 1)
            assert_int_equal(blm_add_many(f, h, NULL, batch, fresh, NULL), BLM_OK);
        else
            assert_int_equal(blm_add_item(f, &it, &one), BLM_OK), fresh[0] = one;
        for (size_t i = 0; i < batch; i++) {
            assert_int_equal(fresh[i], !has(&a, key[i]));
            add(&a, key[i]);
        }
        blm_has_many(f, h, NULL, batch, yes);
        for (size_t i = 0; i < batch; i++) {
            assert_int_equal(yes[i], has(&a, key[i]));
            assert_int_equal(blm_has_u64(f, key[i] + n), has(&a, key[i] + n));
        }
        assert_int_equal(info_of(f).now, at + batch);
    }
    check_apart(f, &a);
    apart_free(&a);
    blm_free(f);
}

/* After each of n arrivals a key that is younger than the window is asked, by chance: none is missed. */
static inline void none_is_missed(const char *spec, stream how, uint64_t n)
{
    blm_filter *f = made(spec);
    const uint64_t window = info_of(f).window;
    uint64_t random = 3, chosen = 2, missed = 0;
    uint64_t *last = calloc((size_t)window, sizeof *last);
    assert_non_null(last);
    for (uint64_t i = 0; i < n; i++) {
        last[i % window] = key_at(how, i, window, &random);
        assert_int_equal(blm_add_u64(f, last[i % window]), BLM_OK);
        const uint64_t age = i % 2 ? window - 1 : draw(&chosen) % window;
        missed += age <= i && !blm_has_u64(f, last[(i - age) % window]);
    }
    assert_int_equal(missed, 0);
    free(last);
    blm_free(f);
}

/* A stream of new keys, and no false positives: after each arrival, past the first swaps, how many of all keys are
 * remembered. */
typedef struct live_keys {
    uint64_t min, max;
    double mean;
} live_keys;

static inline live_keys count_live(const char *spec, unsigned windows)
{
    blm_filter *f = made(spec);
    const uint64_t window = info_of(f).window, from = 4 * window, to = (4 + windows) * window;
    live_keys n = {.min = UINT64_MAX};
    for (uint64_t i = 0; i < to; i++) {
        uint64_t live = 0;
        assert_int_equal(blm_add_u64(f, i), BLM_OK);
        if (i < from) continue;
        for (uint64_t age = 0; age < 4 * window; age++) live += blm_has_u64(f, i - age);
        if (live < n.min) n.min = live;
        if (live > n.max) n.max = live;
        n.mean += (double)live / (double)(to - from);
    }
    blm_free(f);
    return n;
}

/* Misses at ages up to 3 windows, in a stream of new keys, over whole periods: within the limits of theory, and these are
 * no further apart than `wide`. slack: 4 sigma, of keys that pass for members. */
static inline void check_ages(const char *spec, unsigned windows, uint64_t step, double wide,
                              double slack)
{
    blm_filter *f = made(spec);
    const uint64_t window = info_of(f).window, turns = windows * window;
    uint64_t *missed = calloc((size_t)(3 * window + 1), sizeof *missed);
    assert_non_null(missed);
    for (uint64_t i = 0; i < 4 * window + turns; i++) {
        assert_int_equal(blm_add_u64(f, i), BLM_OK);
        for (uint64_t age = 1; i >= 4 * window && age <= 3 * window; age += step)
            missed[age] += !blm_has_u64(f, i - age);
    }
    for (uint64_t age = 1; age <= 3 * window; age += step) {
        const blm_rate p = blm_fnr(f, &(blm_case){.keys = window, .gap = age, .arg = BLM_NO_ARG});
        const double seen = (double)missed[age] / (double)turns;
        const double pass = p.low >= 1 ? f->kind->fpr_worst(f) : 0; /* what is gone may say yes */
        if (!(seen >= p.low - pass - slack && seen <= p.high + slack && p.high - p.low <= wide))
            fail_msg("age %d: %g are missed, by theory %g to %g", (int)age, seen, p.low, p.high);
    }
    free(missed);
    blm_free(f);
}

/* The rate by the fill, at `at` arrivals of new keys, of many filters: within the limits that theory gives, 4 sigma. */
static inline void check_rate_at(const char *spec, uint64_t at, unsigned seeds)
{
    double sum = 0;
    blm_rate p = {0, 0, 0};
    for (unsigned seed = 1; seed <= seeds; seed++) {
        char text[160];
        snprintf(text, sizeof text, "%s seed=%u", spec, seed);
        blm_filter *f = made(text);
        add_run(f, 0, at);
        sum += blm_fpr(f, NULL).high;
        p = blm_fpr(f, &(blm_case){.keys = at, .arg = BLM_NO_ARG});
        blm_free(f);
    }
    const double mean = sum / seeds, slack = 4 * p.high * p.spread / sqrt(seeds) + 1e-9 * p.high;
    if (!(mean >= p.low - slack && mean <= p.high + slack))
        fail_msg("%s, %d keys: the mean rate is %g, by theory %g to %g, 4 sigma %g", spec, (int)at,
                 mean, p.low, p.high, slack);
}
/* Three swaps of 500 keys, each some keys late that are not counted: near the third one only limits are known, those of
 * right after it and of right before it. Away from it one rate is. */
static inline void check_limits_near_a_swap(const char *spec)
{
    static const uint64_t at[] = {1495, 1501, 1512, 1530};
    blm_filter *f = made(spec);
    for (unsigned i = 0; i < 4; i++) {
        const blm_rate p = blm_fpr(f, &(blm_case){.keys = at[i], .arg = BLM_NO_ARG});
        const bool near = i == 1 || i == 2;
        assert_true(near ? p.low < 0.7 * p.high : p.low >= p.high);
        const blm_rate after = blm_fpr(f, &(blm_case){.keys = at[3], .arg = BLM_NO_ARG}),
                       before = blm_fpr(f, &(blm_case){.keys = at[0], .arg = BLM_NO_ARG});
        assert_true(!near || (p.low <= after.low && p.high >= before.high));
        assert_true(p.high <= f->kind->fpr_worst(f) * (1 + 1e-9));
    }
    blm_free(f);
}
#endif
