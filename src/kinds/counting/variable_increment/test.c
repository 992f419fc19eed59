/* test.c - sums of increments: what they tell, what they keep, where they stop. */
#include "kinds/counters.h"
#include "oracles.h"

static unsigned cell_bits(const blm_filter *f)
{
    return (unsigned)(field(f, "width") + field(f, "elements"));
}

/* So many cells of the bits that this setting has. */
static blm_filter *sums(const char *with, uint64_t cells, unsigned hashes, uint64_t keys)
{
    static char last[64] = "?";
    static unsigned bits;
    if (strcmp(with, last) != 0) {
        blm_filter *any =
            made_new(BLM_CONFIG(.kind = "variable-increment", .keys = 10, .with = with));
        bits = cell_bits(any);
        snprintf(last, sizeof last, "%s", with);
        blm_free(any);
    }
    blm_filter *f =
        made_new(BLM_CONFIG(.kind = "variable-increment", .bits = cells * bits, .hashes = hashes,
                            .keys = keys, .seed = 1, .with = with, .overfill = true));
    assert_int_equal(field(f, "cells"), cells);
    return f;
}

/* ---- rates -------------------------------------------------------------------------------------- */

/* m = 80000, k = 9, n = 10^4, L = 4: the formula says 1.2783e-4, a simulation of the literature 1.22e-4.
 * 10 % and the spread between filters (1.4 %), and 4 sigma of 4e6 trials (4.4 % each). */
static void rate_of_the_simulation(void **state)
{
    blm_filter *f = sums("increment=4", 80000, 9, 10000);
    const uint64_t trials = 4000000;
    (void)state;
    add_run(f, 0, 10000);
    const uint64_t hits = false_yes(f, trials);
    const double p = blm_fpr(f, NULL).high;
    ORACLE_HITS("1.B5", "L=4 m=80000 k=9 n=10^4, given the cells", p, hits, trials);
    ORACLE_NEAR("1.B5", "L=4 m=80000 k=9 n=10^4", 1.2783e-4, 0.1 + 0.014, p);
    ORACLE_NEAR("1.B5", "L=4 m=80000 k=9 n=10^4, simulated", 1.22e-4, 0.18,
                (double)hits / (double)trials);
    ORACLE_HOLDS("1.B5", "L=4 m=80000 k=9 n=10^4: no false negative", has_run(f, 0, 10000));
    blm_free(f);
}

/* 24 bits per key for both: 4 counters of 6 bits against 6 of 4. */
static void lower_rate_than_counting_at_equal_bits(void **state)
{
    const uint64_t n = 10000;
    blm_filter *f = made_new(BLM_CONFIG(.kind = "variable-increment", .bits = 24 * n, .keys = n)),
               *g = made_new(BLM_CONFIG(.kind = "counting", .bits = 24 * n, .keys = n));
    (void)state;
    add_run(f, 0, n);
    add_run(g, 0, n);
    assert_true(info_of(f).bytes <= info_of(g).bytes);
    assert_true((double)false_yes(f, 100000) <
                0.3 * (double)false_yes(g, 100000)); /* 0.0115, 0.056 */
    blm_free(f);
    blm_free(g);
}

/* ---- a model of its own ---------------------------------------------------------------------------- */

typedef struct cell {
    unsigned keys, sum;
} cell;

/* What blm_touched says of a key's cells, and the increments, by the rule of docs/format.md. */
static void places(const blm_filter *f, uint64_t key, uint64_t *at)
{
    const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
    blm_touch t[64];
    const size_t n = blm_touched(f, &it, t, 64);
    for (size_t i = 0; i < n; i++) at[i] = t[i].cell;
}

/* L = 1: counters that each probe raises by one, twice where two meet. */
static void one_is_counting_without_merging_probes(void **state)
{
    enum { M = 50, K = 6, KEYS = 25 };
    blm_filter *f = sums("increment=1 width=8", M, K, KEYS);
    unsigned model[M] = {0};
    uint64_t at[K];
    bool same = true;
    (void)state;
    for (uint64_t key = 0; key < KEYS; key++) {
        assert_int_equal(blm_add_u64(f, key), BLM_OK);
        places(f, key, at);
        for (unsigned i = 0; i < K; i++) model[at[i]]++;
    }
    for (unsigned c = 0; c < M; c++) same = same && counter(f, 8, c) == model[c];
    for (uint64_t key = 0; key < 2000; key++) {
        bool all = true;
        places(f, key, at);
        for (unsigned i = 0; i < K; i++) all = all && model[at[i]] > 0;
        same = same && blm_has_u64(f, key) == all;
    }
    ORACLE_HOLDS("1.B5", "L=1: the counters and answers of counting without merged probes", same);
    blm_free(f);
}

/* One key in an empty filter shows its increments; then every sum and every answer of others follow. */
static void answers_follow_from_the_sums(void **state)
{
    enum { M = 64, K = 3, KEYS = 30 };
    (void)state;
    for (unsigned l = 2; l <= 16; l *= 2) {
        char with[24];
        snprintf(with, sizeof with, "increment=%u width=10", l);
        blm_filter *f = sums(with, M, K, KEYS), *one = sums(with, M, K, KEYS);
        unsigned model[M] = {0}, yes = 0;
        for (uint64_t key = 0; key < 4000; key++) {
            uint64_t at[K];
            bool pass = true, apart = true;
            assert_int_equal(blm_clear(one), BLM_OK);
            assert_int_equal(blm_add_u64(one, key), BLM_OK);
            places(one, key, at);
            for (unsigned i = 0; i < K; i++)
                for (unsigned j = 0; j < i; j++) apart = apart && at[i] != at[j];
            if (!apart) continue; /* its sum does not show its parts */
            for (unsigned i = 0; i < K; i++) {
                const unsigned v = counter(one, 10, at[i]), c = model[at[i]];
                assert_true(v >= l && v < 2 * l);
                pass = pass && (c == v || c >= v + l);
                if (key < KEYS) model[at[i]] += v;
            }
            if (key < KEYS) assert_int_equal(blm_add_u64(f, key), BLM_OK);
            if (key >= KEYS) assert_true(blm_has_u64(f, key) == pass);
            yes += pass;
        }
        assert_true(yes > 20);
        for (unsigned c = 0; c < M; c++) assert_int_equal(counter(f, 10, c), model[c]);
        blm_free(f);
        blm_free(one);
    }
}

/* B_2 by a table of all sums, made here. */
static void pairs_are_decoded(void **state)
{
    static const unsigned d[] = {1, 2, 5, 7};
    enum { M = 40, K = 2, KEYS = 30 };
    blm_filter *f = sums("form=bh values=1:2:5:7 width=8", M, K, KEYS),
               *one = sums("form=bh values=1:2:5:7 width=8", M, K, KEYS);
    cell model[M] = {{0, 0}};
    unsigned no = 0, yes = 0;
    (void)state;
    assert_int_equal(field(f, "elements"), 4);
    for (uint64_t key = 0; key < 3000; key++) {
        uint64_t at[K];
        bool pass = true;
        assert_int_equal(blm_clear(one), BLM_OK);
        assert_int_equal(blm_add_u64(one, key), BLM_OK);
        places(one, key, at);
        if (at[0] == at[1]) continue;
        for (unsigned i = 0; i < K; i++) {
            const unsigned v = counter(one, 12, at[i]) >> 4;
            cell *c = &model[at[i]];
            assert_int_equal(counter(one, 12, at[i]) & 15, 1);
            bool in = c->keys > 2 || (c->keys == 1 && c->sum == v);
            for (unsigned j = 0; j < 4; j++) in = in || (c->keys == 2 && c->sum == v + d[j]);
            pass = pass && in;
            if (key < KEYS) c->keys++, c->sum += v;
        }
        if (key < KEYS)
            assert_int_equal(blm_add_u64(f, key), BLM_OK);
        else
            assert_true(blm_has_u64(f, key) == pass);
        yes += pass;
        no += !pass;
    }
    assert_true(yes > 100 && no > 100);
    for (unsigned c = 0; c < M; c++)
        assert_int_equal(counter(f, 12, c), model[c].sum << 4 | model[c].keys);
    blm_free(f);
    blm_free(one);
}

/* ---- deleting, merging, counting --------------------------------------------------------------------- */

static const char *const forms[] = {"increment=1",
                                    "increment=4",
                                    "increment=16",
                                    "form=bh",
                                    "form=bh values=1:2:5:7",
                                    "form=bh values=1:5:25:100 h=3"};

static void deleting_all_leaves_zeros(void **state)
{
    bool zeros = true, rest_alike = true;
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++)
        for (uint64_t cells = 30; cells < 30000; cells *= 29) { /* small: probes meet */
            const uint64_t n = cells / 6;
            blm_filter *f = sums(forms[i], cells, 5, n), *empty = sums(forms[i], cells, 5, n),
                       *rest = sums(forms[i], cells, 5, n);
            add_run(f, 0, n);
            add_run(rest, n / 2, n - n / 2);
            assert_int_equal(field(f, "stuck"), 0);
            for (uint64_t j = 0; j < n / 2; j++)
                assert_int_equal(del_u64(f, n / 2 - 1 - j), BLM_OK);
            rest_alike = rest_alike && same_cells(f, rest) && has_run(f, n / 2, n - n / 2);
            for (uint64_t j = n / 2; j < n; j++) assert_int_equal(del_u64(f, j), BLM_OK);
            zeros = zeros && same_cells(f, empty) && field(f, "ones") == 0;
            assert_int_equal(del_u64(f, 1), BLM_E_ABSENT);
            assert_true(same_cells(f, empty));
            blm_free(f);
            blm_free(empty);
            blm_free(rest);
        }
    assert_true(rest_alike);
    ORACLE_HOLDS("1.B5", "add S, delete S: all zero", zeros);
}

/* A non-member whose two probes meet may pass one by one, but what is not there cannot be taken. Non-members of a
 * filter of one to three cells: a rejected delete leaves no trace, and no sum falls below zero. */
static void strangers_take_no_more_than_there_is(void **state)
{
    unsigned refused = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++)
        for (uint64_t seed = 0; seed < 300; seed++) {
            blm_filter *f = sums(forms[i], 1 + seed % 3, 3, 2), *old = NULL;
            assert_int_equal(blm_add_u64(f, seed), BLM_OK);
            assert_int_equal(blm_add_u64(f, seed + 1000), BLM_OK);
            OK(blm_copy(&old, f, &why));
            const unsigned bits = cell_bits(f);
            const uint64_t stranger = seed + 5000, cells = field(f, "cells");
            const bool had = blm_has_u64(f, stranger);
            const blm_err err = del_u64(f, stranger);
            if (err) assert_true(err == BLM_E_ABSENT && blm_equal(f, old));
            if (!had) assert_int_equal(err, BLM_E_ABSENT);
            refused += err && had;
            /* Whatever was deleted, a key that is added now is found. */
            assert_int_equal(blm_add_u64(f, seed + 9000), BLM_OK);
            assert_true(blm_has_u64(f, seed + 9000));
            assert_int_equal(del_u64(f, seed + 9000), BLM_OK);
            for (uint64_t c = 0; c < cells; c++)
                assert_true(counter(f, bits, c) <= counter(old, bits, c));
            blm_free(f);
            blm_free(old);
        }
    assert_true(refused > 10);
}

static void merging_is_adding_both(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        blm_filter *a = sums(forms[i], 300, 4, 60), *b = sums(forms[i], 300, 4, 60),
                   *both = sums(forms[i], 300, 4, 60);
        for (unsigned round = 0; round < 40; round++) { /* sums meet their ceilings */
            add_run(a, 0, 20);
            add_run(b, 10, 20);
            add_run(both, 0, 20);
            add_run(both, 10, 20);
        }
        OK(blm_merge(a, b, &why));
        assert_true(blm_equal(a, both));
        assert_int_equal(field(a, "ones"), field(both, "ones"));
        assert_int_equal(field(a, "stuck"), field(both, "stuck"));
        blm_free(a);
        blm_free(b);
        blm_free(both);
    }
}

/* 6 bits, L = 4: every sum of one key t times is t v up to 62, then it sticks. */
static void saturation_sticks(void **state)
{
    blm_filter *f = sums("increment=4", 1000, 3, 100);
    unsigned exact = 0;
    (void)state;
    for (unsigned t = 1; t <= 15; t++) {
        assert_int_equal(blm_add_u64(f, 42), BLM_OK);
        const blm_estimate n = times_u64(f, 42);
        assert_true(n.value == t || n.bound);
        exact += n.value == t && !n.bound;
        assert_true(n.low == 0 && (n.bound ? isinf(n.high) : n.high == n.value));
    }
    assert_true(exact >= 8 && exact <= 15); /* 62 / 7 = 8 times, 62 / 4 = 15 */
    for (unsigned t = 0; t < 10; t++) assert_int_equal(blm_add_u64(f, 42), BLM_OK);
    assert_int_equal(info_of(f).lost, BLM_DEL_EXACT);
    assert_int_equal(field(f, "stuck"), 3);
    assert_true(times_u64(f, 42).bound && times_u64(f, 42).value >= 63 / 7);
    bool yes = true;
    uint8_t key[8] = {42};
    assert_int_equal(blm_at_least(f, key, 8, 16, &yes), BLM_E_UNSURE);
    for (unsigned t = 0; t < 100; t++) assert_int_equal(del_u64(f, 42), BLM_OK);
    assert_true(blm_has_u64(f, 42));
    uint64_t ones = 0, stuck = 0;
    for (uint64_t c = 0; c < 1000; c++) {
        ones += counter(f, 6, c) > 0;
        stuck += counter(f, 6, c) == 63;
    }
    assert_true(ones == field(f, "ones") && stuck == field(f, "stuck"));
    blm_free(f);
}

/* Whatever has stuck: a key that was added t times and deleted one time fewer is found. */
static void stuck_keys_are_not_missed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        unsigned stuck = 0;
        blm_filter *f = sums(forms[i], 200, 4, 10);
        for (uint64_t key = 0; key < 20; key++)
            for (unsigned t = 1; t <= 40; t += 3) {
                assert_int_equal(blm_clear(f), BLM_OK);
                for (unsigned j = 0; j < t; j++) assert_int_equal(blm_add_u64(f, key), BLM_OK);
                for (unsigned j = 1; j < t; j++) assert_int_equal(del_u64(f, key), BLM_OK);
                assert_true(blm_has_u64(f, key) && times_u64(f, key).value >= 1);
                stuck += field(f, "stuck") > 0;
            }
        blm_free(f);
        assert_true(stuck > 20);
    }
}

/* Counts from 0 to 3 in a filter that is half full: never below the truth, and mostly right. */
static void counts_are_never_low(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        blm_filter *f = sums(forms[i], 6000, 4, 1000);
        unsigned exact = 0;
        for (uint64_t key = 0; key < 800; key++)
            for (uint64_t t = 0; t < key % 4; t++) assert_int_equal(blm_add_u64(f, key), BLM_OK);
        for (uint64_t key = 0; key < 3000; key++) {
            const uint64_t truth = key < 800 ? key % 4 : 0;
            const blm_estimate n = times_u64(f, key);
            assert_true(n.bound || n.value >= (double)truth);
            assert_true((n.value > 0) == blm_has_u64(f, key));
            exact += n.value == (double)truth;
        }
        assert_true(exact > 2700);
        blm_free(f);
    }
}

/* ---- settings ---------------------------------------------------------------------------------------- */

static void widths_that_increments_need(void **state)
{
    static const struct {
        const char *with;
        unsigned width, elements;
    } row[] = {{"increment=1", 4, 0},    {"increment=2", 5, 0},  {"increment=4", 6, 0},
               {"increment=8", 7, 0},    {"increment=16", 8, 0}, {"form=bh", 6, 4},
               {"form=vi width=9", 9, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        char spec[100];
        snprintf(spec, sizeof spec, "variable-increment keys=1000 fpr=1%% %s", row[i].with);
        blm_filter *f = made(spec);
        assert_int_equal(field(f, "width"), row[i].width);
        assert_int_equal(field(f, "elements"), row[i].elements);
        assert_true(blm_fpr(f, &(blm_case){.keys = 1000}).high <= 0.01);
        blm_free(f);
    }
}

static void values_must_be_a_sequence(void **state)
{
    static const struct {
        const char *with, *says;
    } row[] = {{"form=bh values=1:2:3", "1+3 = 2+2"},
               {"form=bh values=1:4:6:9 h=2", "1+9 = 4+6"},
               {"form=bh values=1:2:5:7 h=3", "1+1+7 = 2+2+5"},
               {"form=bh values=5", "2 to 8"},
               {"form=bh values=4:1", "ascending"},
               {"form=bh values=1:1:2", "ascending"},
               {"form=bh values=0:4", "from 1"},
               {"form=bh values=1:5000", "4095"},
               {"form=bh values=1:x", "1:x"},
               {"form=bh values=1:4:", "values=1:4:"},
               {"form=bh values=1:2:4:8:13:21:31:45:66", "2 to 8"},
               {"form=bh increment=4", "increment=4: only form=vi"},
               {"values=1:4:6", "values=1:4:6: only form=bh"},
               {"h=2", "h=2: only form=bh"},
               {"increment=3", "increment=3: must be 1, 2, 4"},
               {"increment=32", "from 1 to 16"},
               {"increment=0", "from 1 to 16"},
               {"increment=2.5", "increment=2.5"},
               {"increment=4 width=3", "width=3: too few bits"},
               {"width=33", "from 0 to 32"},
               {"form=bh values=1:100 width=7", "width=7: too few bits"},
               {"form=bh h=5", "from 1 to 4"},
               {"form=cbf", "one of vi|bh"}};
    blm_filter *f = NULL;
    char spec[120];
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        snprintf(spec, sizeof spec, "variable-increment keys=100 fpr=1%% %s", row[i].with);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, row[i].says);
    }
    ORACLE_HOLDS("1.B5", "1, 2, 3 is no B_2 sequence: refused with 1+3 = 2+2", f == NULL);
    bool taken = true;
    static const char *const good[] = {
        "values=1:4:6",          "values=1:2:5:7", "values=1:2:4:8:13:21:31:45",
        "values=1:5:25:100 h=3", "values=3:4 h=4", "values=7:9 h=1"};
    for (size_t i = 0; i < COUNT(good); i++) {
        snprintf(spec, sizeof spec, "variable-increment keys=100 fpr=1%% form=bh %s", good[i]);
        taken = taken && !blm_make(&f, spec, &why);
        blm_free(f);
    }
    ORACLE_HOLDS("1.B5", "1, 4, 6 and 1, 2, 5, 7 are B_2 sequences: taken", taken);
    REFUSED(blm_make(&f, "variable-increment bits=3b hashes=2", &why), BLM_E_ARG, "bits 3");
    REFUSED(blm_make(&f, "variable-increment keys=7e15 fpr=1e-60", &why), BLM_E_ARG, "7e+15 keys");
}

static void other_increments_do_not_merge(void **state)
{
    blm_filter *a = sums("increment=4 width=8", 300, 3, 10),
               *b = sums("increment=8 width=8", 300, 3, 10),
               *c = sums("form=bh values=1:4:6 width=8", 300, 3, 10),
               *d = sums("form=bh values=1:4:9 width=8", 300, 3, 10);
    (void)state;
    REFUSED(blm_merge(a, b, &why), BLM_E_MISMATCH, "increment differs: 4 and 8");
    REFUSED(blm_merge(a, c, &why), BLM_E_MISMATCH, "form differs");
    REFUSED(blm_merge(c, d, &why), BLM_E_MISMATCH, "values");
    blm_free(a);
    blm_free(b);
    blm_free(c);
    blm_free(d);
}

/* Bits a key of the page. */
static void sizes_of_the_page(void **state)
{
    static const struct {
        const char *spec;
        double bits;
    } row[] = {{"variable-increment keys=1e6 fpr=1%", 24.7},
               {"variable-increment keys=1e6 fpr=0.1%", 37.0},
               {"variable-increment keys=1e6 fpr=1e-6", 73.98},
               {"variable-increment keys=1e6 fpr=1% increment=8", 25.3},
               {"variable-increment keys=1e6 fpr=0.1% increment=8", 37.9},
               {"variable-increment keys=1e6 fpr=1% form=bh", 37.5},
               {"variable-increment keys=1e6 fpr=0.1% form=bh", 56.3}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        blm_filter *f = made(row[i].spec);
        WITHIN((double)info_of(f).bits / 1e6, row[i].bits, 0.06);
        blm_free(f);
    }
}

static void adopted_sums_are_counted(void **state)
{
    uint8_t cells[24] = {0x3f, 0x40, 0}; /* 6 bits each: 63, 0, 4 */
    blm_filter *f = sums("increment=4", 30, 3, 10);
    (void)state;
    OK(blm_adopt(f, cells, 24, &why));
    assert_true(field(f, "ones") == 2 && field(f, "stuck") == 1);
    assert_int_equal(info_of(f).lost, BLM_DEL_EXACT);
    cells[23] = 1;
    REFUSED(blm_adopt(f, cells, 24, &why), BLM_E_ARG, "past the last cell");
    cells[23] = 0;
    cells[1] = 0x30; /* 3: less than an increment */
    REFUSED(blm_adopt(f, cells, 24, &why), BLM_E_ARG, "a sum that no set of keys produces");
    memset(cells, 0xff, sizeof cells);
    cells[22] = 0x0f;
    cells[23] = 0;
    OK(blm_adopt(f, cells, 24, &why));
    blm_estimate n;
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    assert_true(n.bound && info_of(f).fill == 1 && blm_fpr(f, NULL).high == 1);
    blm_free(f);
}

/* 8 times the increment 7 is 56, a ninth would be the ceiling of 6 bits; form bh: 10 times 6, of 62. However wide
 * the sum of form bh, its number of keys has 4 bits, and 15 is their ceiling. */
static void the_largest_count(void **state)
{
    static const struct {
        const char *with;
        uint64_t max;
    } row[] = {{"width=6", 8}, {"width=6 form=bh", 10}, {"width=32 form=bh", 14}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        blm_offer offer[4];
        size_t n = COUNT(offer);
        OK(blm_plan(BLM_CONFIG(.kind = "variable-increment", .keys = 100, .with = row[i].with), 0,
                    offer, &n, &why));
        assert_true(n >= 1 && offer[0].max_count == row[i].max);
    }
}

/* The byte where the cell begins: counters of 6 bits. */
static void touched_bytes(void **state)
{
    blm_filter *f = made("variable-increment keys=1000 fpr=1%");
    blm_touch at[64];
    (void)state;
    assert_int_equal(field(f, "width"), 6);
    for (uint64_t key = 0; key < 20; key++) {
        const blm_item it = blm_item_u64(f, key, BLM_NO_ARG);
        const size_t n = blm_touched(f, &it, at, 64);
        assert_int_equal(n, info_of(f).hashes);
        for (size_t i = 0; i < n; i++) assert_int_equal(at[i].byte, at[i].cell * 6 / 8);
    }
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touched_bytes),
        cmocka_unit_test(the_largest_count),
        cmocka_unit_test(rate_of_the_simulation),
        cmocka_unit_test(lower_rate_than_counting_at_equal_bits),
        cmocka_unit_test(one_is_counting_without_merging_probes),
        cmocka_unit_test(answers_follow_from_the_sums),
        cmocka_unit_test(pairs_are_decoded),
        cmocka_unit_test(deleting_all_leaves_zeros),
        cmocka_unit_test(strangers_take_no_more_than_there_is),
        cmocka_unit_test(merging_is_adding_both),
        cmocka_unit_test(saturation_sticks),
        cmocka_unit_test(stuck_keys_are_not_missed),
        cmocka_unit_test(counts_are_never_low),
        cmocka_unit_test(widths_that_increments_need),
        cmocka_unit_test(values_must_be_a_sequence),
        cmocka_unit_test(other_increments_do_not_merge),
        cmocka_unit_test(sizes_of_the_page),
        cmocka_unit_test(adopted_sums_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
