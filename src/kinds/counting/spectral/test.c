/* test.c - minimum selection, minimum increase, recurring minimum: Zipf's streams, deletes, ceilings. */
#include "kinds/counters.h"
#include "oracles.h"

static const char *const methods[] = {"method=selection", "method=increase", "method=recurring"};
enum { SELECTION, INCREASE, RECURRING };

/* m counters of `width` bits in the primary, whatever else there is. */
static blm_filter *spectral(unsigned method, uint64_t cells, unsigned width, unsigned hashes,
                            uint64_t keys, uint64_t seed)
{
    char with[48];
    snprintf(with, sizeof with, "%s width=%u%s", methods[method], width,
             method == RECURRING ? " share=2" : "");
    const uint64_t word = 64, primary = (cells * width + 63) / word * word;
    const uint64_t rest = ((cells + 1) / 2 * width + 63) / word * word + (cells + 63) / word * word;
    blm_filter *f = made_new(
        BLM_CONFIG(.kind = "spectral", .bits = primary + (method == RECURRING) * rest,
                   .hashes = hashes, .keys = keys, .seed = seed, .with = with, .overfill = true));
    assert_true(field(f, "cells") >= cells && field(f, "cells") < cells + 64);
    return f;
}

static blm_err add_weight(blm_filter *f, uint64_t key, uint64_t weight)
{
    const blm_item it = blm_item_u64(f, key, weight);
    return blm_add_item(f, &it, NULL);
}

static blm_err del_weight(blm_filter *f, uint64_t key, uint64_t weight)
{
    const blm_item it = blm_item_u64(f, key, weight);
    return blm_del_item(f, &it);
}

/* ---- Zipf's streams ----------------------------------------------------------------------------------- */

enum { KEYS = 10000, HASHES = 5 };

typedef struct stream {
    uint32_t *key;
    size_t n;
    double truth[KEYS]; /* how often each comes */
} stream;

/* Zipf(1) over KEYS keys, each at least once, in random order. */
static stream *zipf(size_t n, uint64_t seed)
{
    stream *s = calloc(1, sizeof *s);
    double sum[KEYS];
    assert_non_null(s);
    *s = (stream){.key = malloc(n * sizeof *s->key), .n = n};
    assert_non_null(s->key);
    for (unsigned i = 0; i < KEYS; i++) sum[i] = (i ? sum[i - 1] : 0) + 1.0 / (i + 1);
    for (size_t j = 0; j < n; j++) {
        const double at = (double)(draw(&seed) >> 11) * 0x1p-53 * sum[KEYS - 1];
        unsigned low = 0, high = KEYS - 1;
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            if (sum[middle] > at)
                high = middle;
            else
                low = middle + 1;
        }
        s->key[j] = j < KEYS ? (uint32_t)j : low;
        s->truth[s->key[j]]++;
    }
    for (size_t i = n - 1; i > 0; i--) {
        const size_t j = (size_t)(draw(&seed) % (i + 1));
        const uint32_t was = s->key[i];
        s->key[i] = s->key[j];
        s->key[j] = was;
    }
    return s;
}

static void drop(stream *s)
{
    free(s->key);
    free(s);
}

static blm_filter *played(unsigned method, uint64_t cells, const stream *s, uint64_t seed)
{
    blm_filter *f = spectral(method, cells, 32, HASHES, KEYS, seed);
    for (size_t i = 0; i < s->n; i++) assert_int_equal(blm_add_u64(f, s->key[i]), BLM_OK);
    return f;
}

static unsigned wrong_keys(const blm_filter *f, const stream *s, unsigned *low)
{
    unsigned wrong = 0;
    for (uint64_t i = 0; i < KEYS; i++) {
        const double n = times_u64(f, i).value;
        wrong += n != s->truth[i];
        *low += n < s->truth[i];
    }
    return wrong;
}

/* Keys whose smallest counter occurs twice or more, and how many of these have a wrong one. */
static unsigned recurring_minima(const blm_filter *f, const stream *s, unsigned *wrong)
{
    unsigned recurring = 0;
    for (uint64_t i = 0; i < KEYS; i++) {
        const blm_item it = blm_item_u64(f, i, BLM_NO_ARG);
        blm_touch t[HASHES];
        uint64_t min = UINT64_MAX;
        unsigned times = 0;
        assert_int_equal(blm_touched(f, &it, t, HASHES), HASHES);
        for (unsigned j = 0; j < HASHES; j++) min = t[j].value < min ? t[j].value : min;
        for (unsigned j = 0; j < HASHES; j++) {
            bool again = false; /* two probes that meet are one counter */
            for (unsigned l = 0; l < j; l++) again = again || t[l].cell == t[j].cell;
            times += t[j].value == min && !again;
        }
        recurring += times > 1;
        *wrong += times > 1 && (double)min != s->truth[i];
    }
    return recurring;
}

/* A share of KEYS keys that was measured once: both it and ours vary, 4 sigma of the difference. */
static void measured_once(const char *what, double share, unsigned keys)
{
    const double sd = sqrt(2 * share * (1 - share) / KEYS);
    ORACLE_BETWEEN("1.B6", what, share, fmax(0, share - 4 * sd), share + 4 * sd,
                   (double)keys / KEYS);
}

typedef struct figures {
    uint64_t cells;
    double formula, selection, increase, recurring, minima, minima_wrong, moved; /* 0: no figure */
    const char *name[8];
} figures;

static void compare_methods(const figures *want, const stream *s)
{
    blm_filter *ms = played(SELECTION, want->cells, s, 1),
               *mi = played(INCREASE, want->cells, s, 1),
               *rm = spectral(RECURRING, want->cells, 32, HASHES, KEYS, 1);
    unsigned moved = 0, low = 0, low_rm = 0, above = 0, wrong_minima = 0;
    for (size_t i = 0; i < s->n; i++) {
        const uint64_t marks = field(rm, "marks");
        assert_int_equal(blm_add_u64(rm, s->key[i]), BLM_OK);
        moved += field(rm, "marks") > marks;
    }
    const unsigned by_ms = wrong_keys(ms, s, &low), by_mi = wrong_keys(mi, s, &low),
                   by_rm = wrong_keys(rm, s, &low_rm);
    for (uint64_t i = 0; i < KEYS; i++)
        above += times_u64(rm, i).value > times_u64(ms, i).value ||
                 times_u64(mi, i).value > times_u64(ms, i).value;
    ORACLE_NEAR("1.B6", want->name[0], want->formula, 1e-3,
                blm_rate_approx(want->cells, HASHES, KEYS));
    ORACLE_HITS("1.B6", want->name[1], blm_fpr(ms, NULL).high, by_ms, KEYS);
    measured_once(want->name[2], want->selection, by_ms);
    measured_once(want->name[3], want->increase, by_mi);
    measured_once(want->name[4], want->recurring, by_rm);
    measured_once(want->name[5], want->minima, recurring_minima(ms, s, &wrong_minima));
    if (want->minima_wrong > 0) measured_once(want->name[6], want->minima_wrong, wrong_minima);
    if (want->moved > 0) measured_once(want->name[7], want->moved, moved);
    assert_true(by_mi <= by_ms && by_rm <= by_ms);
    assert_int_equal(low, 0);
    assert_int_equal(above, 0);
    assert_int_equal(low_rm, 0);
    blm_free(ms);
    blm_free(mi);
    blm_free(rm);
}

static void streams_of_zipf(void **state)
{
    static const figures table[] = {
        {100000,
         0.00943,
         0.0097,
         0.0033,
         0.0042,
         0.916,
         0.00055 * 0.916,
         0.085,
         {"rate of strangers, m=10n", "selection errs as strangers do, m=10n",
          "selection errs, m=10n", "increase errs, m=10n", "recurring errs, m=10n",
          "minima that recur, m=10n", "minima that recur and are wrong, m=10n",
          "keys that move, m=10n"}},
        {72135,
         0.03125,
         0.0310,
         0.0137,
         0.0131,
         0.81,
         0,
         0,
         {"rate of strangers, half full", "selection errs as strangers do, half full",
          "selection errs, half full", "increase errs, half full", "recurring errs, half full",
          "minima that recur, half full", "", ""}}};
    stream *s = zipf(1000000, 1);
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) compare_methods(&table[i], s);
    drop(s);
    ORACLE_HOLDS("1.B6", "increase errs on no more keys than selection, and is never above it",
                 true);
    ORACLE_HOLDS("1.B6", "selection and increase are never below the truth", true);
    ORACLE_HOLDS("1.B6", "recurring is never above selection", true);
}

/* 10 seeds of 10^4 keys. A key that the marks take for another: 1.2e-7 of the keys at this load. */
static void recurring_is_hardly_ever_low(void **state)
{
    unsigned low = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        stream *s = zipf(100000, seed);
        blm_filter *f = played(RECURRING, 100000, s, seed);
        wrong_keys(f, s, &low);
        blm_free(f);
        drop(s);
    }
    ORACLE_AT_MOST("1.B6", "recurring: share of keys below the truth", 1e-5, low / 1e5);
    ORACLE_NEAR("1.B6", "chance that a key is taken for a moved one", 1.2e-7, 0.05,
                blm_rate_approx(100000, HASHES, 850));
}

/* Planned for 1 %: the second array and the marks are bits that selection could have had. */
static void recurring_errs_less_at_equal_bits(void **state)
{
    stream *s = zipf(300000, 3);
    unsigned low = 0, wrong[2] = {0, 0};
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        blm_filter *f[2];
        f[0] = made_new(BLM_CONFIG(.kind = "spectral", .keys = KEYS, .fpr = 0.01, .seed = seed,
                                   .with = "method=recurring"));
        f[1] = made_new(
            BLM_CONFIG(.kind = "spectral", .keys = KEYS, .bits = info_of(f[0]).bits, .seed = seed));
        assert_true(info_of(f[1]).bytes + 8 >= info_of(f[0]).bytes);
        for (unsigned i = 0; i < 2; i++) {
            for (size_t j = 0; j < s->n; j++)
                assert_int_equal(blm_add_u64(f[i], s->key[j]), BLM_OK);
            wrong[i] += wrong_keys(f[i], s, &low);
            blm_free(f[i]);
        }
    }
    assert_int_equal(low, 0);
    assert_true(wrong[1] > 100 && wrong[0] * 5 < wrong[1] * 4); /* 0.43 % and 0.63 % of 30000 */
    drop(s);
}

/* ---- one key, and deletes ------------------------------------------------------------------------------- */

static void one_key_fills_its_counters(void **state)
{
    bool alike = true;
    (void)state;
    for (unsigned method = 0; method < 3; method++) {
        blm_filter *f = spectral(method, 1000, 32, 5, 100, 1);
        const blm_item it = blm_item_u64(f, 7, 3);
        blm_touch t[5];
        bool fresh = false;
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        assert_true(fresh);
        for (unsigned i = 0; i < 14; i++) assert_int_equal(blm_add_u64(f, 7), BLM_OK);
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        assert_false(fresh);
        assert_int_equal(blm_touched(f, &it, t, 5), 5);
        for (unsigned i = 0; i < 5; i++) alike = alike && t[i].value == 20;
        assert_true(times_u64(f, 7).value == 20 && times_u64(f, 8).value == 0);
        assert_true(times_u64(f, 7).high == 20 && !times_u64(f, 7).bound);
        blm_free(f);
    }
    ORACLE_HOLDS("1.B6", "increase, one key t times: all its counters are t", alike);
}

/* Weights are as many adds; in another order than they came, all leave. */
static void deleting_all_leaves_zeros(void **state)
{
    blm_filter *f = spectral(SELECTION, 5000, 20, 5, 500, 1),
               *empty = spectral(SELECTION, 5000, 20, 5, 500, 1),
               *rest = spectral(SELECTION, 5000, 20, 5, 500, 1);
    (void)state;
    for (uint64_t i = 0; i < 500; i++) assert_int_equal(add_weight(f, i, 1 + i % 9), BLM_OK);
    for (uint64_t i = 250; i < 500; i++) assert_int_equal(add_weight(rest, i, 1 + i % 9), BLM_OK);
    for (uint64_t i = 0; i < 250; i++)
        for (uint64_t t = 0; t <= i % 9; t++) assert_int_equal(del_u64(f, i), BLM_OK);
    assert_true(same_cells(f, rest) && field(f, "ones") == field(rest, "ones"));
    for (uint64_t i = 500; i-- > 250;) assert_int_equal(del_weight(f, i, 1 + i % 9), BLM_OK);
    ORACLE_HOLDS("1.B6", "selection, all deleted: all counters are zero",
                 same_cells(f, empty) && field(f, "ones") == 0);
    blm_free(f);
    blm_free(empty);
    blm_free(rest);
}

static void more_than_there_is_does_not_leave(void **state)
{
    (void)state;
    for (unsigned method = SELECTION; method <= RECURRING; method += RECURRING) {
        blm_filter *f = spectral(method, 3000, 32, 5, 300, 1), *old = NULL;
        for (uint64_t i = 0; i < 300; i++) assert_int_equal(add_weight(f, i, 10), BLM_OK);
        OK(blm_copy(&old, f, &why));
        assert_int_equal(del_weight(f, 5, 1000), BLM_E_ABSENT);
        assert_int_equal(del_u64(f, 987654), BLM_E_ABSENT);
        assert_int_equal(del_weight(f, 5, 0), BLM_E_ARG);
        assert_int_equal(add_weight(f, 5, 0), BLM_E_ARG);
        assert_int_equal(add_weight(f, 5, UINT64_C(1) << 32), BLM_E_ARG);
        assert_true(blm_equal(f, old));
        for (uint64_t i = 0; i < 300; i++) assert_int_equal(del_weight(f, i, 4), BLM_OK);
        assert_true(has_run(f, 0, 300));
        for (uint64_t i = 0; i < 300; i++) assert_true(times_u64(f, i).high >= 6);
        blm_free(f);
        blm_free(old);
    }
    blm_filter *f = spectral(INCREASE, 300, 32, 5, 30, 1);
    assert_int_equal(blm_add_u64(f, 1), BLM_OK);
    assert_int_equal(del_u64(f, 1), BLM_E_CANNOT);
    assert_false(blm_can(f, BLM_DEL));
    assert_true(blm_has_u64(f, 1));
    blm_free(f);
}

/* Members come and go: recurring misses none, and its counts are below the truth for hardly any. */
static void recurring_deletes(void **state)
{
    enum { M = 20000, MEMBERS = 2000 };
    blm_filter *f = spectral(RECURRING, M, 32, 5, MEMBERS, 1),
               *ms = spectral(SELECTION, M, 32, 5, MEMBERS, 1);
    uint64_t seed = 1, times[MEMBERS] = {0};
    unsigned low = 0, wrong = 0, wrong_ms = 0;
    (void)state;
    for (unsigned turn = 0; turn < 100000; turn++) {
        const uint64_t i = draw(&seed) % MEMBERS, w = 1 + draw(&seed) % 4;
        if (times[i] >= w && draw(&seed) % 3 == 0) {
            assert_int_equal(del_weight(f, i, w), BLM_OK);
            assert_int_equal(del_weight(ms, i, w), BLM_OK);
            times[i] -= w;
        } else {
            assert_int_equal(add_weight(f, i, w), BLM_OK);
            assert_int_equal(add_weight(ms, i, w), BLM_OK);
            times[i] += w;
        }
    }
    for (uint64_t i = 0; i < MEMBERS; i++) {
        const double n = times_u64(f, i).value;
        if (times[i]) assert_true(blm_has_u64(f, i));
        low += n < (double)times[i];
        wrong += n != (double)times[i];
        wrong_ms += times_u64(ms, i).value != (double)times[i];
        assert_true(times_u64(f, i).high == times_u64(ms, i).value); /* the primary is selection */
    }
    assert_true(low <= 2 && wrong < wrong_ms);
    blm_free(f);
    blm_free(ms);
}

/* Half of the keys leave, ten times each: what the others share with them in the second array must stay. Each
 * key that moves brings its own count there, as a sum; a maximum would be lowered twice. What is left is the key that
 * the marks take for a moved one: 8 % of the keys move, (1 - e^(-7 * 0.08 / 9.6))^7 = 2e-9 of the others. */
static void recurring_keeps_the_counts_of_those_that_stay(void **state)
{
    static const char *const with[] = {"method=recurring", "method=recurring share=2"};
    unsigned low = 0, above = 0, asked = 0;
    (void)state;
    for (unsigned i = 0; i < 2 * COUNT(with); i++) {
        blm_filter *f = made_new(BLM_CONFIG(.kind = "spectral", .keys = KEYS, .fpr = 0.01,
                                            .seed = 1 + i / 2, .with = with[i % 2]));
        for (unsigned t = 0; t < 10; t++)
            for (uint64_t key = 0; key < KEYS; key++) assert_int_equal(blm_add_u64(f, key), BLM_OK);
        for (unsigned t = 0; t < 10; t++)
            for (uint64_t key = 1; key < KEYS; key += 2) assert_int_equal(del_u64(f, key), BLM_OK);
        for (uint64_t key = 0; key < KEYS; key += 2, asked++) {
            const blm_estimate n = times_u64(f, key);
            low += n.value < 10;
            above += n.value > 10;
            assert_true(n.high >= 10 && blm_has_u64(f, key));
        }
        blm_free(f);
    }
    ORACLE_AT_MOST("1.B6", "recurring, half of the keys deleted: share below the truth", 1e-5,
                   (double)low / asked);
    assert_true(above < asked / 100); /* no more than the keys that selection errs on */
}

/* ---- ceilings ------------------------------------------------------------------------------------------ */

static void saturation_sticks(void **state)
{
    static const unsigned widths[] = {2, 3, 8, 13, 32, 57, 64};
    (void)state;
    for (unsigned method = 0; method < 3; method++)
        for (size_t i = 0; i < COUNT(widths); i++) {
            const uint64_t top = UINT64_MAX >> (64 - widths[i]);
            blm_filter *f = spectral(method, 1000, widths[i], 4, 100, 1);
            uint64_t sum = 0;
            for (unsigned t = 0; t < 40 && widths[i] <= 32; t++) {
                const uint64_t w = top / 30 + 1;
                assert_int_equal(add_weight(f, 42, w), BLM_OK);
                sum = sum + w < top ? sum + w : top;
                const blm_estimate n = times_u64(f, 42);
                assert_true(n.value == (double)sum && n.bound == (sum == top));
                assert_true(n.bound ? isinf(n.high) : n.high == n.value);
            }
            if (widths[i] > 32) { /* no ceiling within reach */
                for (unsigned t = 0; t < 100; t++)
                    assert_int_equal(add_weight(f, 42, UINT32_MAX), BLM_OK);
                assert_true(times_u64(f, 42).value == 100.0 * UINT32_MAX &&
                            !times_u64(f, 42).bound);
                blm_free(f);
                continue;
            }
            assert_int_equal(field(f, "stuck"), 4);
            assert_true(info_of(f).lost & BLM_DEL_EXACT);
            for (unsigned t = 0; t < 40 && method != INCREASE; t++)
                assert_int_equal(del_weight(f, 42, top < 7 ? 1 : top / 7), BLM_OK);
            if (method != INCREASE) /* it may have come so often: that is not certainly wrong */
                assert_int_equal(del_weight(f, 42, UINT32_MAX), BLM_OK);
            assert_true(blm_has_u64(f, 42) && times_u64(f, 42).bound);
            blm_free(f);
        }
}

/* ---- merging, settings ------------------------------------------------------------------------------------ */

static void merged_counts_are_never_low(void **state)
{
    (void)state;
    for (unsigned method = 0; method < 3; method++) {
        blm_filter *a = spectral(method, 3000, 32, 4, 400, 1),
                   *b = spectral(method, 3000, 32, 4, 400, 1),
                   *both = spectral(method, 3000, 32, 4, 400, 1);
        for (uint64_t i = 0; i < 600; i++) {
            const uint64_t key = i % 300, w = 1 + i % 7;
            assert_int_equal(add_weight(i % 2 ? a : b, key, w), BLM_OK);
            assert_int_equal(add_weight(both, key, w), BLM_OK);
        }
        for (uint64_t i = 300; i < 400; i++) assert_int_equal(add_weight(b, i, 5), BLM_OK);
        OK(blm_merge(a, b, &why));
        for (uint64_t i = 0; i < 300; i++)
            assert_true(times_u64(a, i).value >= (double)(1 + i % 7 + 1 + (i + 300) % 7));
        for (uint64_t i = 300; i < 400; i++) assert_true(times_u64(a, i).value >= 5);
        assert_true(field(a, "moved") == 0 && field(a, "marks") == 0);
        size_t bytes;
        const uint8_t *cells = blm_cells(a, &bytes);
        for (size_t i = (size_t)field(a, "cells") * 4 + 4; i < bytes; i++)
            assert_int_equal(cells[i], 0);
        assert_int_equal(blm_add_u64(a, 7), BLM_OK); /* and it goes on */
        blm_free(a);
        blm_free(b);
        blm_free(both);
    }
    blm_filter *a = spectral(SELECTION, 3000, 32, 4, 400, 1),
               *b = spectral(INCREASE, 3000, 32, 4, 400, 1),
               *c = spectral(SELECTION, 3000, 16, 4, 400, 1);
    REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, "method differs: 0 and 1");
    REFUSED(blm_merge(a, c, &why), BLM_E_MISMATCH, "differs");
    blm_free(a);
    blm_free(b);
    blm_free(c);
}

static void promises_by_method(void **state)
{
    const uint32_t exact = BLM_ANY_ORDER | BLM_MERGE_EXACT | BLM_DEL_EXACT;
    const uint32_t want[] = {BLM_NO_MISS | BLM_NEVER_LOW | exact, BLM_NO_MISS | BLM_NEVER_LOW,
                             BLM_NO_MISS};
    (void)state;
    for (unsigned method = 0; method < 3; method++) {
        blm_filter *f = spectral(method, 300, 32, 4, 30, 1);
        assert_int_equal(info_of(f).promises, want[method]);
        assert_true(blm_can(f, BLM_COUNT) && blm_can(f, BLM_MERGE) &&
                    blm_can(f, BLM_DEL) == (method != INCREASE));
        add_run(f, 0, 10);
        assert_int_equal(blm_clear(f), BLM_OK);
        assert_int_equal(info_of(f).promises, want[method]);
        blm_free(f);
    }
}

static void settings_and_their_limits(void **state)
{
    static const char *const bad[] = {"width=1",  "width=58",  "width=63",
                                      "width=65", "width=3.5", "width=x"};
    blm_filter *f = NULL;
    char spec[80];
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(spec, sizeof spec, "spectral keys=10 %s", bad[i]);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, bad[i]);
        SAYS("64");
    }
    REFUSED(blm_make(&f, "spectral keys=10 method=trapping", &why), BLM_E_ARG,
            "selection|increase|recurring");
    REFUSED(blm_make(&f, "spectral keys=10 method=recurring share=1", &why), BLM_E_ARG, "share=1");
    REFUSED(blm_make(&f, "spectral keys=10 method=recurring share=65", &why), BLM_E_ARG, "2 to 64");
    REFUSED(blm_make(&f, "spectral keys=10 method=recurring share=2.5", &why), BLM_E_ARG, "whole");
    REFUSED(blm_make(&f, "spectral keys=10 share=2", &why), BLM_E_ARG, "method=recurring");
    REFUSED(blm_make(&f, "spectral bits=20b hashes=2", &why), BLM_E_ARG, "bits 20");
    REFUSED(blm_make(&f, "spectral keys=7e15 fpr=1e-60", &why), BLM_E_ARG, "7e+15 keys");
    for (unsigned method = 0; method < 3; method++) {
        snprintf(spec, sizeof spec, "spectral keys=1000 fpr=1%% %s", methods[method]);
        f = made(spec);
        assert_int_equal(field(f, "cells"), 9595); /* of standard, exactly */
        assert_int_equal(field(f, "hashes"), 7);
        assert_int_equal(field(f, "width"), 32);
        const uint64_t words = (9595 * 32 + 63) / 64 +
                               (method == RECURRING) * ((600 * 32 + 63) / 64 + (9595 + 63) / 64);
        assert_int_equal(info_of(f).bytes, words * 8);
        blm_free(f);
        for (uint64_t bits = 64; bits < 3000; bits += 61) { /* never more than asked for */
            snprintf(spec, sizeof spec, "spectral bits=%llub keys=5 width=5 %s",
                     (unsigned long long)bits, methods[method]);
            if (blm_make(&f, spec, &why)) continue; /* three arrays have a word each */
            assert_true(info_of(f).bits <= (bits + 63) / 64 * 64);
            blm_free(f);
        }
    }
}

/* Narrow counters of the second array meet their ceiling, too, and are counted: the image is taken back. */
static void stuck_in_the_second_array(void **state)
{
    blm_filter
        *f = made(
            "spectral method=recurring width=2 share=2 bits=4000b hashes=4 keys=300 overfill=yes"),
        *g = NULL;
    (void)state;
    for (unsigned times = 0; times < 5; times++) add_run(f, 0, 300);
    assert_true(field(f, "moved_stuck") > 0);
    blob b = image_of(f);
    OK(blm_load(&g, b.p, b.n, NULL, &why));
    free(b.p);
    blm_free(f);
    blm_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stuck_in_the_second_array),
        cmocka_unit_test(streams_of_zipf),
        cmocka_unit_test(recurring_is_hardly_ever_low),
        cmocka_unit_test(recurring_errs_less_at_equal_bits),
        cmocka_unit_test(one_key_fills_its_counters),
        cmocka_unit_test(deleting_all_leaves_zeros),
        cmocka_unit_test(more_than_there_is_does_not_leave),
        cmocka_unit_test(recurring_deletes),
        cmocka_unit_test(recurring_keeps_the_counts_of_those_that_stay),
        cmocka_unit_test(saturation_sticks),
        cmocka_unit_test(merged_counts_are_never_low),
        cmocka_unit_test(promises_by_method),
        cmocka_unit_test(settings_and_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
