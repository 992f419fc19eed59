/* test_flows.c - heavy flows in a table, and iceberg queries in two passes. */
#include <bloomery/theory/sketch.h>
#include <time.h>

#include "core/unit.h"
#include "test_stream.h"
#include "oracles.h"
#include "parts/flows.h"

/* ---- heavy flows --------------------------------------------------------------------------------------- */

/* Is the key in the list? Then its weight as the list has it. */
static bool listed(const blm_filter *f, const blm_item *all, size_t n, uint64_t key,
                   uint64_t *weight)
{
    const blm_hash h = blm_hash_u64(f, key);
    for (size_t i = 0; i < n; i++)
        if (all[i].h.lo == h.lo && all[i].h.hi == h.hi) {
            *weight = all[i].arg;
            return true;
        }
    return false;
}

/* 40,000 packets of 40 to 1500 bytes of 5000 flows, Zipf; bytes[i]: of flow i. */
static uint64_t packets(blm_filter *f, uint64_t flows, uint64_t seed, uint64_t *bytes)
{
    double *sum = calloc(flows, sizeof *sum);
    uint64_t total = 0;
    assert_non_null(sum);
    zipf_sums(sum, flows);
    memset(bytes, 0, flows * sizeof *bytes);
    for (unsigned i = 0; i < 40000; i++) {
        const uint64_t flow = zipf_draw(sum, flows, &seed), size = 40 + draw(&seed) % 1461;
        assert_int_equal(add_weight(f, flow, size), BLM_OK);
        bytes[flow] += size;
        total += size;
    }
    free(sum);
    return total;
}

/* About 31 MB; heavy from 100 kB on; 4 rows of 800: K = 2.6, so that light flows pass too. */
static void every_heavy_flow_is_listed(void **state)
{
    enum { FLOWS = 5000, HEAVY = 100000 };
    static const char *const specs[] = {
        "count-min keys=5000 bits=390592b hashes=4 width=32 threshold=100000 update=plain "
        "overfill=yes",
        "count-min keys=5000 bits=390592b hashes=4 width=32 threshold=100000 overfill=yes"};
    static const char *const names[] = {"every flow of T or more is reported, plain",
                                        "every flow of T or more is reported, conservative"};
    uint64_t *bytes = calloc(FLOWS, sizeof *bytes);
    blm_item all[1000];
    size_t passed[2];
    (void)state;
    assert_non_null(bytes);
    for (unsigned s = 0; s < 2; s++) {
        blm_filter *f = made(specs[s]);
        const uint64_t total = packets(f, FLOWS, 9, bytes);
        size_t n = COUNT(all), heavy = 0, missed = 0, outside = 0;
        OK(blm_list(f, all, &n, &why));
        assert_int_equal(field(f, "weight"), total);
        assert_int_equal(field(f, "held"), n);
        for (uint64_t i = 0; i < FLOWS; i++) {
            uint64_t weight = 0;
            const blm_estimate e = times_u64(f, i);
            const bool there = listed(f, all, n, i, &weight);
            heavy += bytes[i] >= HEAVY;
            missed += bytes[i] >= HEAVY && !there;
            outside += (double)bytes[i] < e.low || (double)bytes[i] > e.high || e.bound;
            if (there) assert_true(e.high == (double)weight && weight >= HEAVY && e.low > 0);
            if (!there) assert_true(e.low == 0 && e.high < HEAVY);
        }
        assert_true(heavy > 20 && outside == 0 && n >= heavy);
        ORACLE_HOLDS("1.B13", names[s], missed == 0);
        passed[s] = n;
        blm_free(f);
    }
    assert_true(passed[1] < passed[0]); /* fewer light ones by the conservative update */
    free(bytes);
}

/* The table is entered with the packet that crosses, and the rows are spared from then on. */
static void entering_and_shielding(void **state)
{
    blm_filter *f = made("count-min keys=10 threshold=100 flows=5");
    blm_filter *plain = made("count-min keys=10 threshold=100 flows=5 update=plain");
    blm_item all[5];
    size_t n = 5;
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        blm_filter *g = i ? plain : f;
        assert_int_equal(add_weight(g, 1, 60), BLM_OK);
        assert_int_equal(add_weight(g, 1, 39), BLM_OK);
        n = 5;
        OK(blm_list(g, all, &n, &why));
        assert_int_equal(n, 0);
        assert_int_equal(add_weight(g, 1, 1), BLM_OK); /* 100: entered with 1 since, 99 before */
        blm_estimate e = times_u64(g, 1);
        assert_true(e.value == 100 && e.low == 1 && e.high == 100 && !e.bound);
        blm_item it = blm_item_u64(g, 1, BLM_NO_ARG);
        blm_touch before[64], after[64];
        const size_t rows = blm_touched(g, &it, before, 64);
        assert_int_equal(before[0].value, 100);
        assert_int_equal(add_weight(g, 1, 1000), BLM_OK);
        blm_touched(g, &it, after, 64);
        assert_memory_equal(before, after, rows * sizeof *before);
        e = times_u64(g, 1);
        assert_true(e.value == 1100 && e.low == 1001 && e.high == 1100);
        n = 5;
        OK(blm_list(g, all, &n, &why));
        assert_true(n == 1 && all[0].arg == 1100 && all[0].h.lo == it.h.lo);
        assert_int_equal(blm_count_item(g, &all[0], &e), BLM_OK);
        assert_true(e.low == 1001);
        assert_int_equal(add_weight(g, 2, 100), BLM_OK); /* at once */
        assert_true(times_u64(g, 2).low == 100 && field(g, "held") == 2);
        assert_int_equal(add_weight(g, 1, 0), BLM_OK);
        assert_int_equal(field(g, "weight"), 1200);
        assert_int_equal(blm_clear(g), BLM_OK); /* the next interval */
        n = 5;
        OK(blm_list(g, all, &n, &why));
        assert_true(n == 0 && !blm_has_u64(g, 1) && field(g, "weight") == 0);
        blm_free(g);
    }
}

/* One column of 8 bits: the second flow comes when the counter has lost count. */
static void a_flow_behind_a_ceiling(void **state)
{
    (void)state;
    blm_filter *f =
        made("count-min keys=2 bits=776b hashes=1 width=8 threshold=255 flows=2 overfill=yes");
    assert_int_equal(field(f, "columns"), 1); /* next to 4 slots of 192 bits */
    assert_int_equal(add_weight(f, 1, 255), BLM_OK);
    assert_int_equal(add_weight(f, 2, 7), BLM_OK);
    blm_estimate n = times_u64(f, 1);
    assert_true(n.value == 255 && n.low == 255 && n.high == 255 && !n.bound);
    n = times_u64(f, 2);
    assert_true(n.value == 262 && n.low == 7 && isinf(n.high) && n.bound);
    blm_free(f);
}

/* Three places, six heavy flows: adds go on, and the list says that it is not whole. */
static void a_full_table_is_told(void **state)
{
    blm_filter *f = made("count-min keys=100 threshold=10 flows=3");
    blm_item all[8];
    size_t n = 8;
    (void)state;
    for (uint64_t i = 0; i < 6; i++) assert_int_equal(add_weight(f, i, 10), BLM_OK);
    assert_true(field(f, "held") == 3 && field(f, "dropped") == 3);
    REFUSED(blm_list(f, all, &n, &why), BLM_E_UNSURE, "flows=3");
    SAYS("3 adds");
    assert_int_equal(n, 3);
    assert_int_equal(add_weight(f, 5, 2), BLM_OK); /* once more, by the rows */
    assert_true(times_u64(f, 5).value == 12 && field(f, "dropped") == 4);
    assert_true(times_u64(f, 0).low == 10 && times_u64(f, 5).low == 0);
    n = 2; /* room for two: n still says how many there are */
    blm_item few[2];
    assert_int_equal(blm_list(f, few, &n, NULL), BLM_E_UNSURE);
    assert_int_equal(n, 3);
    assert_memory_equal(few, all, sizeof few);
    for (uint64_t i = 0; i < 6; i++) assert_true(blm_has_u64(f, i));
    ORACLE_HOLDS("1.B13", "a full table is counted, and adds go on", true);
    blm_free(f);
}

static void tables_do_not_merge(void **state)
{
    blm_filter *a = made("count-min keys=10 threshold=10"),
               *b = made("count-min keys=10 threshold=10");
    blm_filter *old = NULL;
    (void)state;
    assert_int_equal(add_weight(a, 1, 9), BLM_OK);
    assert_int_equal(add_weight(b, 1, 9), BLM_OK);
    OK(blm_copy(&old, a, &why));
    assert_false(blm_can(a, BLM_MERGE));
    REFUSED(blm_merge(a, b, &why), BLM_E_CANNOT, "below it in both");
    SAYS("without one");
    assert_true(blm_equal(a, old));
    blm_free(a);
    blm_free(b);
    blm_free(old);
    /* Instead: counters are added, then asked. 9 and 9 are 18. */
    a = made("count-min keys=10");
    b = made("count-min keys=10");
    assert_true(!add_weight(a, 1, 9) && !add_weight(b, 1, 9));
    OK(blm_merge(a, b, &why));
    ORACLE_HOLDS("1.B14", "counters are added, then the threshold is asked",
                 times_u64(a, 1).value == 18);
    blm_free(a);
    blm_free(b);
}

static blm_filter *four_flows(void)
{
    blm_filter *f = made("count-min keys=10 threshold=10 flows=4 overfill=yes");
    for (uint64_t i = 0; i < 4; i++) assert_int_equal(add_weight(f, i, 10 + i), BLM_OK);
    return f;
}

static void tables_in_images(void **state)
{
    blm_filter *f = four_flows(), *g = NULL;
    (void)state;
    blob b = image_of(f);
    OK(blm_load(&g, b.p, b.n, NULL, &why));
    assert_true(blm_equal(f, g) && times_u64(g, 3).low == 13);
    blm_free(f);
    blm_free(g);
    free(b.p);
}

/* Cells that no add leaves there, under right sums: not loaded; a view of them answers, inside the region. */
static void foreign_tables(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (unsigned pattern = 0; pattern < 40; pattern++) {
        blm_filter *f = four_flows(), *g = NULL;
        uint8_t *table = f->cells + f->bytes - 7 * BLM_FLOW_BYTES;
        blm_item all[7];
        size_t n = COUNT(all);
        if (pattern == 0) memset(table, 0xff, 7 * BLM_FLOW_BYTES);
        if (pattern == 1) memset(table, 0, 7 * BLM_FLOW_BYTES);
        for (unsigned i = 0; pattern > 1 && i < 7 * BLM_FLOW_BYTES; i++)
            if (pattern % 2 || draw(&random) % 8 == 0) table[i] ^= (uint8_t)draw(&random);
        blob b = image_of(f);
        REFUSED(blm_load(&g, b.p, b.n, NULL, &why), BLM_E_IMAGE, "flow");
        OK(blm_view(&g, b.p, b.n, BLM_OPEN(.check = BLM_CHECK_NONE), &why));
        for (uint64_t key = 0; key < 20; key++) {
            assert_true(times_u64(g, key).value >= 0);
            assert_true(key >= 4 || blm_has_u64(g, key)); /* the rows are whole */
        }
        OK(blm_list(g, all, &n, &why));
        assert_true(n <= 7);
        for (uint64_t key = 0; key < 20; key++) assert_int_equal(add_weight(f, key, 9), BLM_OK);
        blm_free(f);
        blm_free(g);
        free(b.p);
    }
}

/* A flow after a free slot, one that is there twice, a free slot with a digest. */
static void flows_out_of_place(void **state)
{
    (void)state;
    for (unsigned twice = 0; twice < 3; twice++) {
        blm_filter *f = four_flows(), *g = NULL;
        uint8_t *table = f->cells + f->bytes - 7 * BLM_FLOW_BYTES, *from = NULL, *to = NULL;
        for (unsigned i = 0; i < 7; i++) {
            uint8_t *slot = table + i * BLM_FLOW_BYTES;
            if (blm_flow_free(blm_flow_get(slot)))
                to = slot;
            else
                from = slot;
        }
        if (twice < 2) memcpy(to, from, BLM_FLOW_BYTES);
        if (twice == 0) memset(from, 0, BLM_FLOW_BYTES);
        if (twice == 2) to[0] = 1;
        blob b = image_of(f);
        REFUSED(blm_load(&g, b.p, b.n, NULL, &why), BLM_E_IMAGE, "flow");
        blm_free(f);
        free(b.p);
    }
}

/* Sums end at 2^64 - 1, and say so. */
static void flows_beyond_all_numbers(void **state)
{
    blm_filter *f = made("count-min keys=10 threshold=10 flows=1 update=plain");
    blm_item all[1];
    size_t n = 1;
    (void)state;
    assert_int_equal(info_of(f).promises,
                     BLM_NO_MISS | BLM_NEVER_LOW); /* the first to come is entered */
    assert_int_equal(add_weight(f, 1, 10), BLM_OK);
    for (unsigned i = 0; i < 2; i++) {
        uint8_t *slot =
            f->cells + f->bytes -
            (1 + !blm_flow_free(blm_flow_get(f->cells + f->bytes - 2 * BLM_FLOW_BYTES))) *
                BLM_FLOW_BYTES;
        blm_flow v = blm_flow_get(slot);
        assert_int_equal(v.digest, blm_hash_u64(f, 1).lo);
        v.since = UINT64_MAX - 5;
        blm_flow_put(slot, v);
        assert_false(times_u64(f, 1).bound);
        assert_int_equal(add_weight(f, 1, 5 + i), BLM_OK);
        assert_true(times_u64(f, 1).bound && isinf(times_u64(f, 1).high));
        n = 1;
        OK(blm_list(f, all, &n, &why));
        assert_true(all[0].arg == UINT64_MAX - 1); /* not the word for none */
    }
    blm_free(f);
}

/* ---- icebergs ------------------------------------------------------------------------------------------- */

enum { ROWS = 30000, WORDS = 4000 };

/* Pass 2: of the rows, those whose key is a candidate are counted exactly. */
static uint64_t second_pass(const blm_filter *f, const uint64_t *rows, uint64_t times,
                            uint64_t *exact)
{
    uint64_t candidates = 0;
    memset(exact, 0, WORDS * sizeof *exact);
    for (size_t i = 0; i < ROWS; i++) {
        const bool is = exact[rows[i]] > 0 || at_least_u64(f, rows[i], times);
        candidates += is && !exact[rows[i]];
        exact[rows[i]] += is;
    }
    return candidates;
}

static void iceberg_in_two_passes(void **state)
{
    static const uint64_t min[] = {2, 10, 100};
    static const unsigned narrow[] = {2, 4, 7}; /* ceil(log2(T + 1)) bits */
    uint64_t *rows = calloc(ROWS, sizeof *rows), *truth = calloc(WORDS, sizeof *truth),
             *wide = calloc(WORDS, sizeof *wide), *short_ = calloc(WORDS, sizeof *short_);
    double *sum = calloc(WORDS, sizeof *sum);
    uint64_t seed = 5;
    (void)state;
    assert_true(rows && truth && wide && short_ && sum);
    zipf_sums(sum, WORDS);
    for (size_t i = 0; i < ROWS; i++) truth[rows[i] = zipf_draw(sum, WORDS, &seed)]++;
    for (size_t t = 0; t < COUNT(min); t++)
        for (unsigned plain = 0; plain < 2; plain++) {
            char spec[2][100], what[100];
            for (unsigned i = 0; i < 2; i++) {
                const unsigned width = i ? narrow[t] : 32;
                snprintf(spec[i], sizeof spec[i],
                         "count-min keys=4000 bits=%ub hashes=4 width=%u update=%s overfill=yes",
                         8000 * width, width, plain ? "plain" : "conservative");
            }
            blm_filter *f = made(spec[0]), *g = made(spec[1]);
            for (size_t i = 0; i < ROWS; i++) {
                assert_int_equal(add_weight(f, rows[i], 1), BLM_OK);
                assert_int_equal(add_weight(g, rows[i], 1), BLM_OK);
            }
            const uint64_t n = second_pass(f, rows, min[t], wide),
                           m = second_pass(g, rows, min[t], short_);
            uint64_t wrong = 0, heavy = 0;
            for (uint64_t k = 0; k < WORDS; k++) {
                const bool is = wide[k] >= min[t], ought = truth[k] >= min[t];
                wrong += is != ought || (is && wide[k] != truth[k]);
                heavy += ought;
            }
            assert_true(n >= heavy && heavy > 10);
            snprintf(what, sizeof what, "two passes = brute force, T = %u, %s", (unsigned)min[t],
                     plain ? "plain" : "conservative");
            ORACLE_HOLDS("1.B14", what, wrong == 0);
            snprintf(what, sizeof what, "%u bits give the candidates of 32, T = %u, %s", narrow[t],
                     (unsigned)min[t], plain ? "plain" : "conservative");
            ORACLE_HOLDS("1.B14", what, n == m && memcmp(wide, short_, WORDS * sizeof *wide) == 0);
            for (uint64_t i = 0; i < 8000; i++) { /* and cell by cell: cut at the ceiling */
                const uint64_t full = cell_of(f, 32, i), top = (1u << narrow[t]) - 1;
                assert_int_equal(cell_of(g, narrow[t], i), full < top ? full : top);
            }
            blm_free(f);
            blm_free(g);
        }
    free(rows);
    free(truth);
    free(wide);
    free(short_);
    free(sum);
}

/* 2000 keys once each, 3 rows of 1500: how many look as if they had come 3 times. 30 filters. Keys are hit by pairs, so that the number varies more than a binomial one; the
 * interval is from the 30 filters themselves. */
static void candidates_as_expected(void **state)
{
    enum { LIGHT = 2000, SEEDS = 30, T = 3, COLUMNS = 1500 };
    double sum = 0, squares = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        blm_filter *f = made_new(BLM_CONFIG(.kind = "count-min", .bits = 3 * COLUMNS * 8,
                                            .hashes = 3, .keys = LIGHT, .seed = seed,
                                            .with = "update=plain width=8", .overfill = true));
        uint64_t found = 0;
        add_run(f, 0, LIGHT);
        for (uint64_t i = 0; i < LIGHT; i++) found += at_least_u64(f, i, T);
        sum += (double)found;
        squares += (double)found * (double)found;
        blm_free(f);
    }
    const double mean = sum / SEEDS, sd = sqrt((squares / SEEDS - mean * mean) / (SEEDS - 1));
    const double want = blm_iceberg_candidates(COLUMNS, 3, LIGHT, 0, LIGHT, 1, T);
    assert_true(want > 100);
    ORACLE_BETWEEN("1.B14", "candidates among light keys", want, want - 2.576 * sd,
                   want + 2.576 * sd, mean);
}

/* T = 1 is every key. */
static void one_is_every_key(void **state)
{
    blm_filter *f = made("count-min keys=500 threshold=1 flows=500");
    size_t n = 0;
    (void)state;
    add_run(f, 0, 500);
    OK(blm_list(f, NULL, &n, &why));
    ORACLE_HOLDS("1.B14", "T = 1 returns every key", n == 500);
    assert_true(at_least_u64(f, 9999, 0));
    for (uint64_t i = 0; i < 500; i++)
        assert_true(at_least_u64(f, i, 1) && times_u64(f, i).low == 1);
    blm_free(f);
}

/* What the check says of small tables, right and wrong ones, is what a search for each of their flows says. */
static void a_check_agrees_with_searching(void **state)
{
    uint8_t cells[64 * BLM_FLOW_BYTES];
    uint64_t random = 3, sound = 0, damaged = 0;
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        blm_flows t = {.cells = cells, .limit = 1 + draw(&random) % 12, .threshold = 1};
        const uint64_t slots = blm_flows_slots(t.limit), flows = draw(&random) % (t.limit + 1);
        memset(cells, 0, sizeof cells);
        for (uint64_t i = 0; i < flows; i++) blm_flows_enter(&t, draw(&random) | 1, 1, 0);
        if (round % 2) { /* one flow goes elsewhere, or becomes another or the twin of one */
            uint8_t *from = cells + draw(&random) % slots * BLM_FLOW_BYTES;
            uint8_t *to = cells + draw(&random) % slots * BLM_FLOW_BYTES;
            memmove(to, from, BLM_FLOW_BYTES);
            if (round % 4 == 1) memset(from, 0, BLM_FLOW_BYTES);
            if (round % 8 == 3) blm_flow_put(to, (blm_flow){draw(&random), 1, 0});
        }
        bool right = true;
        uint64_t held = 0;
        for (uint64_t at = 0; at < slots; at++) {
            blm_flow found;
            const blm_flow v = blm_flow_get(cells + at * BLM_FLOW_BYTES);
            if (blm_flow_free(v)) continue;
            held++;
            right &= blm_flows_find(&t, v.digest, &found) == cells + at * BLM_FLOW_BYTES;
        }
        right &= held == t.held && held < slots;
        assert_int_equal(blm_flows_check(&t, NULL) == BLM_OK, right);
        sound += right;
        damaged += !right;
    }
    assert_true(sound > 5000 && damaged > 2000);
}

static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

enum { FORGED_FLOWS = 60000 };

static uint64_t home_of(uint64_t digest)
{
    return blm_reduce(blm_stream(digest, BLM_FLOW_WORD), blm_flows_slots(FORGED_FLOWS));
}

static int by_home(const void *a, const void *b)
{
    const uint64_t x = home_of(*(const uint64_t *)a), y = home_of(*(const uint64_t *)b);
    return (x > y) - (x < y);
}

/* All flows in one run, as far from home as they can be: a forger's table of 3.6 MB took 10 s, comparing all with all. */
static void a_forged_table_is_checked_in_time(void **state)
{
    enum { FLOWS = FORGED_FLOWS };
    static uint64_t digest[FLOWS];
    const uint64_t slots = blm_flows_slots(FLOWS);
    uint8_t *cells = calloc(slots, BLM_FLOW_BYTES);
    blm_flows t = {.cells = cells, .limit = FLOWS, .threshold = 1};
    uint64_t random = 1;
    (void)state;
    assert_non_null(cells);
    double begin = cpu_seconds();
    while (t.held < FLOWS) blm_flows_enter(&t, draw(&random), 1, 0);
    assert_int_equal(blm_flows_check(&t, NULL), BLM_OK);
    const double sound = cpu_seconds() - begin;
    memset(cells, 0, slots * BLM_FLOW_BYTES);
    for (size_t i = 0; i < FLOWS;) { /* homes in the first hundredth */
        digest[i] = draw(&random);
        i += home_of(digest[i]) < slots / 100;
    }
    qsort(digest, FLOWS, sizeof *digest, by_home);
    const uint64_t first = home_of(digest[0]);
    for (size_t i = 0; i < FLOWS; i++)
        blm_flow_put(cells + (first + i) * BLM_FLOW_BYTES, (blm_flow){digest[i], 1, 0});
    begin = cpu_seconds();
    assert_int_equal(blm_flows_check(&t, NULL), BLM_OK); /* each can be found */
    const double forged = cpu_seconds() - begin;
    if (forged > 200 * fmax(sound, 1e-3)) fail_msg("%g s, a sound table takes %g s", forged, sound);
    free(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_heavy_flow_is_listed),
        cmocka_unit_test(entering_and_shielding),
        cmocka_unit_test(a_full_table_is_told),
        cmocka_unit_test(a_flow_behind_a_ceiling),
        cmocka_unit_test(tables_do_not_merge),
        cmocka_unit_test(tables_in_images),
        cmocka_unit_test(foreign_tables),
        cmocka_unit_test(flows_beyond_all_numbers),
        cmocka_unit_test(flows_out_of_place),
        cmocka_unit_test(iceberg_in_two_passes),
        cmocka_unit_test(candidates_as_expected),
        cmocka_unit_test(one_is_every_key),
        cmocka_unit_test(a_check_agrees_with_searching),
        cmocka_unit_test(a_forged_table_is_checked_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
