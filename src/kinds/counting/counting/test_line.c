/* test_line.c - counting with layout=line: a model of its counters, sizes, refusals, images. */
#include <bloomery/theory/fill.h>
#include "core/forge.h"
#include "kinds/counters.h"

enum { LINES = 3, KEYS = 40, ROUNDS = 60 };
static const unsigned widths[] = {2, 4, 8, 16};

static blm_filter *lines(uint64_t n, unsigned width, unsigned hashes, uint64_t keys)
{
    char with[40];
    snprintf(with, sizeof with, "layout=line width=%u", width);
    return made_new(BLM_CONFIG(.kind = "counting", .bits = n * 512, .hashes = hashes, .keys = keys,
                               .seed = 1, .with = with, .overfill = true));
}

/* ---- a model: plain numbers, raised and lowered as the page says ---------------------------------- */

typedef struct model {
    unsigned value[LINES * 256], top, width;
    blm_filter *f;
} model;

/* The distinct counters of a key; all of its probes lie in one line. */
static size_t places(const model *m, blm_hash h, uint64_t at[64])
{
    blm_touch t[64];
    size_t n = 0;
    const blm_item it = {h, NULL, 0, BLM_NO_ARG};
    const size_t k = blm_touched(m->f, &it, t, 64);
    for (size_t i = 0; i < k; i++) {
        size_t j = 0;
        assert_int_equal(t[i].byte, t[i].cell * m->width / 8);
        assert_int_equal(t[i].byte / 64, t[0].byte / 64);
        assert_int_equal(t[i].value, counter(m->f, m->width, t[i].cell));
        while (j < n && at[j] != t[i].cell) j++;
        if (j == n) at[n++] = t[i].cell;
    }
    return n;
}

static unsigned lowest(const model *m, blm_hash h)
{
    uint64_t at[64];
    const size_t n = places(m, h, at);
    unsigned low = m->top;
    for (size_t i = 0; i < n; i++) low = m->value[at[i]] < low ? m->value[at[i]] : low;
    return low;
}

/* Up to the ceiling, or down from what is not stuck there; says whether a counter left zero. */
static bool moved(model *m, blm_hash h, bool up)
{
    uint64_t at[64];
    const size_t n = places(m, h, at);
    bool fresh = false;
    for (size_t i = 0; i < n; i++) {
        unsigned *v = &m->value[at[i]];
        fresh = fresh || *v == 0;
        if (*v < m->top) *v = up ? *v + 1 : *v - 1;
    }
    return fresh;
}

static void compare(const model *m, const blm_hash h[KEYS])
{
    uint8_t yes[KEYS];
    blm_has_many(m->f, h, NULL, KEYS, yes);
    for (uint64_t i = 0; i < field(m->f, "cells"); i++)
        assert_int_equal(counter(m->f, m->width, i), m->value[i]);
    for (size_t i = 0; i < KEYS; i++) {
        const unsigned low = lowest(m, h[i]);
        const blm_item it = {h[i], NULL, 0, BLM_NO_ARG};
        blm_estimate n;
        assert_int_equal(yes[i], low > 0);
        assert_int_equal(blm_has_hash(m->f, h[i]), low > 0);
        assert_int_equal(blm_count_item(m->f, &it, &n), BLM_OK);
        assert_true(n.value == low && n.bound == (low == m->top));
    }
}

/* Half of the counters are in use: each probe of a stranger may be the one that says no. */
static void ask_strangers(const model *m, uint64_t *random)
{
    enum { STRANGERS = 2000 };
    static blm_hash h[STRANGERS];
    static uint8_t yes[STRANGERS];
    for (size_t i = 0; i < STRANGERS; i++) h[i] = (blm_hash){draw(random), draw(random)};
    blm_has_many(m->f, h, NULL, STRANGERS, yes);
    for (size_t i = 0; i < STRANGERS; i++) {
        assert_int_equal(yes[i], lowest(m, h[i]) > 0);
        assert_int_equal(yes[i], blm_has_hash(m->f, h[i]));
    }
}

/* Batches of keys that repeat, a key alone, a delete; few keys first, so that some counters are high
 * and some lines are empty. Sticking is no error: the model sticks too. */
static void live(model *m, const blm_hash h[KEYS], uint64_t *random)
{
    blm_hash batch[KEYS];
    uint8_t fresh[KEYS];
    for (unsigned round = 0; round < ROUNDS; round++) {
        const size_t n = (size_t)(draw(random) % (KEYS + 1));
        for (size_t i = 0; i < n; i++) batch[i] = h[draw(random) % (1 + round * KEYS / ROUNDS)];
        assert_int_equal(blm_add_many(m->f, batch, NULL, n, fresh, NULL), BLM_OK);
        for (size_t i = 0; i < n; i++) assert_int_equal(fresh[i], moved(m, batch[i], true));
        const blm_item in = {h[draw(random) % KEYS], NULL, 0, BLM_NO_ARG},
                       out = {h[draw(random) % KEYS], NULL, 0, BLM_NO_ARG};
        bool was_new;
        assert_int_equal(blm_add_item(m->f, &in, &was_new), BLM_OK);
        assert_int_equal(was_new, moved(m, in.h, true));
        const bool there = lowest(m, out.h) > 0;
        assert_int_equal(blm_del_item(m->f, &out), there ? BLM_OK : BLM_E_ABSENT);
        if (there) moved(m, out.h, false);
        if (round % 10 == 0) compare(m, h);
    }
}

/* 8 probes and 4 bits are the most that vectors do; 9, 10, 12 places fill a word; 64 meet for certain. */
static void counters_are_those_of_the_model(void **state)
{
    static const unsigned hashes[] = {1, 2, 6, 8, 9, 10, 12, 13, 64};
    uint64_t random = 1;
    (void)state;
    for (size_t w = 0; w < COUNT(widths); w++)
        for (size_t k = 0; k < COUNT(hashes); k++) {
            static model m;
            blm_hash h[KEYS];
            memset(&m, 0, sizeof m);
            m.width = widths[w];
            m.top = (1u << m.width) - 1;
            m.f = lines(LINES, m.width, hashes[k], KEYS);
            assert_int_equal(field(m.f, "cells"), LINES * 512 / m.width);
            for (size_t i = 0; i < KEYS; i++) h[i] = (blm_hash){draw(&random), draw(&random)};
            live(&m, h, &random);
            compare(&m, h);
            ask_strangers(&m, &random);
            uint64_t used = 0, stuck = 0;
            for (uint64_t i = 0; i < field(m.f, "cells"); i++)
                used += m.value[i] > 0, stuck += m.value[i] == m.top;
            assert_int_equal(field(m.f, "used"), used);
            assert_int_equal(field(m.f, "stuck"), stuck);
            blm_free(m.f);
        }
}

/* Every batch length around the distance of the prefetch; the cells of one by one. */
static void batches_of_any_length(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 70; n++) {
        blm_filter *f = lines(5, 4, 6, 70), *g = lines(5, 4, 6, 70);
        blm_hash h[70];
        uint8_t yes[70];
        for (size_t i = 0; i < n; i++) h[i] = blm_item_u64(f, i, BLM_NO_ARG).h;
        assert_int_equal(blm_add_many(f, h, NULL, n, NULL, NULL), BLM_OK);
        add_run(g, 0, n);
        assert_true(blm_equal(f, g));
        blm_has_many(f, h, NULL, n, yes);
        for (size_t i = 0; i < n; i++) assert_true(yes[i]);
        blm_free(f);
        blm_free(g);
    }
}

static void deleting_half_is_building_the_rest(void **state)
{
    (void)state;
    for (size_t w = 1; w < COUNT(widths); w++)
        for (unsigned k = 1; k <= 64; k += 21) {
            const uint64_t n = widths[w] == 4 ? 12 : 60; /* no counter reaches 15 */
            blm_filter *f = lines(4, widths[w], k, n), *rest = lines(4, widths[w], k, n);
            add_run(f, 0, n);
            add_run(rest, n / 2, n - n / 2);
            assert_int_equal(field(f, "stuck"), 0);
            for (uint64_t i = 0; i < n / 2; i++) assert_int_equal(del_u64(f, i), BLM_OK);
            assert_true(same_cells(f, rest) && has_run(f, n / 2, n - n / 2));
            assert_int_equal(field(f, "used"), field(rest, "used"));
            blm_free(f);
            blm_free(rest);
        }
}

static void merging_and_adopting(void **state)
{
    (void)state;
    for (size_t w = 0; w < COUNT(widths); w++) {
        blm_filter *a = lines(7, widths[w], 5, 100), *b = lines(7, widths[w], 5, 100),
                   *both = lines(7, widths[w], 5, 100), *taken = lines(7, widths[w], 5, 100);
        for (unsigned times = 0; times < 3; times++) {
            add_run(a, 0, 60);
            add_run(b, 30, 70);
            add_run(both, 0, 60);
            add_run(both, 30, 70);
        }
        OK(blm_merge(a, b, &why));
        assert_true(blm_equal(a, both));
        check_census(a, widths[w]);
        size_t n;
        const void *cells = blm_cells(a, &n);
        OK(blm_adopt(taken, cells, n, &why));
        check_census(taken, widths[w]);
        assert_true(same_cells(a, taken) && has_run(taken, 0, 100));
        blm_free(a);
        blm_free(b);
        blm_free(both);
        blm_free(taken);
    }
    blm_filter *line = lines(7, 4, 5, 100),
               *spread = made_new(BLM_CONFIG(.kind = "counting", .bits = UINT64_C(7) * 512,
                                             .hashes = 5, .keys = 100, .seed = 1));
    REFUSED(blm_merge(line, spread, &why), BLM_E_MISMATCH, "layout differs: 1 and 0");
    blm_free(line);
    blm_free(spread);
}

/* ---- theory ------------------------------------------------------------------------------------------- */

/* Bits a key at 10^6 keys: the mixture over Poisson loads of the exact rate of one line, computed by a
 * program of its own from the chances of 0, 1, 2, ... counters in use after each throw. */
static void sizes_of_a_million_keys(void **state)
{
    static const struct {
        unsigned width, hashes;
        double fpr, bits;
    } table[] = {{2, 6, 0.01, 20.4468},  {2, 9, 0.001, 33.3910}, {4, 6, 0.01, 43.3893},
                 {4, 8, 0.001, 76.0468}, {8, 5, 0.01, 97.1097},  {8, 7, 0.001, 191.982},
                 {16, 5, 0.01, 235.792}, {16, 6, 0.001, 579.369}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        char spec[80];
        snprintf(spec, sizeof spec, "counting keys=1e6 fpr=%g width=%u layout=line", table[i].fpr,
                 table[i].width);
        blm_filter *f = made(spec);
        assert_int_equal(field(f, "hashes"), table[i].hashes);
        NEAR((double)info_of(f).bits / 1e6, table[i].bits, 1e-4);
        blm_free(f);
    }
}

/* One line is a spread filter of so many counters, but for where they are. */
static void one_line_is_a_small_filter(void **state)
{
    (void)state;
    for (size_t w = 0; w < COUNT(widths); w++) {
        const uint64_t m = 512 / widths[w];
        blm_filter *f = lines(1, widths[w], 4, 20);
        const blm_case c = {.keys = 20, .arg = BLM_NO_ARG};
        NEAR(blm_fpr(f, &c).high, blm_rate_exact(m, 4, 20), 1e-9);
        NEAR(blm_fpr(f, &c).spread, blm_rate_sd(m, 4, 20), 0.1);         /* that is a first order */
        for (unsigned times = 0; times < 1u << (widths[w] - 1); times++) /* the highest bit alone */
            add_run(f, 0, 20);
        NEAR(blm_fpr(f, NULL).high, pow((double)field(f, "used") / (double)m, 4), 1e-12);
        NEAR(info_of(f).fill, (double)field(f, "used") / (double)m, 1e-15);
        blm_free(f);
    }
}

/* Given its lines: the mean of (used / 128)^k; and 20,000 keys are estimated within 4 sd. */
static void rate_and_size_of_what_is_inside(void **state)
{
    blm_filter *f = made("counting keys=20000 fpr=1% layout=line seed=3");
    const uint64_t cells = field(f, "cells");
    const double k = (double)field(f, "hashes");
    double mean = 0;
    (void)state;
    const blm_case c = {.keys = 20000, .arg = BLM_NO_ARG};
    NEAR(blm_fpr(f, &c).spread, blm_rate_blocked_sd(128, cells / 128, (unsigned)k, 20000), 1e-12);
    add_run(f, 0, 20000);
    for (uint64_t at = 0; at < cells; at += 128) {
        unsigned used = 0;
        for (uint64_t i = 0; i < 128; i++) used += counter(f, 4, at + i) > 0;
        mean += pow(used / 128.0, k) * 128 / (double)cells;
    }
    NEAR(blm_fpr(f, NULL).high, mean, 1e-9);
    WITHIN((double)false_yes(f, 100000), 1e5 * mean, 4 * sqrt(1e5 * mean));
    blm_estimate n;
    assert_int_equal(blm_cardinality(f, &n), BLM_OK);
    assert_true(n.low < n.value && n.value < n.high && !n.bound);
    WITHIN(n.value, 20000, 4 * (n.high - n.value));
    NEAR(n.high - n.value, blm_keys_sd_blocked(128, cells / 128, (unsigned)k, (uint64_t)n.value),
         1e-9);
    blm_free(f);
}

/* 13 % more bits at 1 %: among offers within 15 % the one that reads less comes first. */
static void a_question_reads_one_line(void **state)
{
    blm_offer offer[2];
    size_t n = 2;
    (void)state;
    OK(blm_plan(BLM_CONFIG(.kind = "counting", .keys = 1000, .fpr = 0.01), 0, offer, &n, &why));
    assert_int_equal(n, 2);
    assert_string_equal(offer[0].with, "layout=line");
    assert_true(offer[0].lines == 1 && offer[1].lines > 1.5);
}

static void wishes_that_lines_cannot_do(void **state)
{
    blm_filter *f = NULL;
    char spec[64];
    (void)state;
    for (unsigned width = 3; width <= 15; width++) {
        if (width == 4 || width == 8) continue;
        snprintf(spec, sizeof spec, "counting keys=10 width=%u layout=line", width);
        REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, "2, 4, 8 or 16");
        assert_true(strtoul(why.text + strlen("width="), NULL, 10) == width);
    }
    REFUSED(blm_make(&f, "counting keys=10 layout=block", &why), BLM_E_ARG, "spread|line");
    REFUSED(blm_make(&f, "counting bits=511b hashes=3 layout=line", &why), BLM_E_ARG, "bits 511");
    REFUSED(blm_make(&f, "counting keys=7e15 fpr=1e-60 layout=line", &why), BLM_E_ARG,
            "7e+15 keys");
    f = made("counting bits=1000b keys=5 layout=line"); /* what is left of a line is not used */
    assert_int_equal(field(f, "cells"), 128);
    assert_int_equal(field(f, "hashes"), blm_best_hashes_blocked(128, 1, 5));
    blm_free(f);
}

/* ---- images: docs/format.md, sections 3 and 8 ------------------------------------------------------- */

enum { AT_VERSION = 41 }; /* prelude 32, length of the name 1, counting 8 */

static void only_lines_need_the_second_version(void **state)
{
    blm_filter *f = lines(2, 4, 5, 20), *g = made("counting keys=20 fpr=1%");
    blob line = image_of(f), spread = image_of(g);
    (void)state;
    assert_int_equal(read_le(line.p + AT_VERSION, 2), 2);
    assert_int_equal(read_le(spread.p + AT_VERSION, 2), 1);
    assert_int_equal(info_of(f).version, 2);
    assert_int_equal(info_of(g).version, 1);
    free(line.p);
    free(spread.p);
    blm_free(f);
    blm_free(g);
}

/* An empty filter, by a second writer. */
static void forge_counting(forge *w, unsigned version, unsigned cells, unsigned width,
                           unsigned layout)
{
    static const uint8_t zeros[256];
    begin(w);
    say_name(w, "counting");
    say(w, 2, version);
    say_name(w, "xxh3-64");
    say(w, 8, 0);
    say(w, 8, 0);
    say_numbers(w, 0, 20, 0.01, 0);
    say(w, 8, cells);
    say(w, 1, 3);
    say(w, 1, width);
    say(w, 8, 0);
    say(w, 8, 0);
    if (version > 1) say(w, 1, layout);
    say(w, 1, 16);
    w->cells = zeros;
    w->ncells = ((size_t)cells * width + 63) / 64 * 8;
}

static void images_of_both_versions(void **state)
{
    static forge w;
    blm_filter *f = NULL, *g = NULL;
    (void)state;
    forge_counting(&w, 1, 128, 4, 0);
    OK(loaded(&w, &f));
    assert_int_equal(field(f, "layout"), 0);
    forge_counting(&w, 2, 128, 4, 0); /* nobody writes it so, but it says the same */
    OK(loaded(&w, &g));
    assert_true(blm_equal(f, g));
    blm_free(f);
    blm_free(g);
    forge_counting(&w, 2, 128, 4, 1);
    OK(loaded(&w, &f));
    assert_int_equal(field(f, "layout"), 1);
    g = lines(1, 4, 3, 20);
    assert_true(same_cells(f, g));
    blm_free(f);
    blm_free(g);
    forge_counting(&w, 2, 128, 4, 2);
    assert_int_equal(loaded(&w, &f), BLM_E_IMAGE);
    SAYS("layout 2");
    forge_counting(&w, 2, 170, 6, 1);
    assert_int_equal(loaded(&w, &f), BLM_E_IMAGE);
    SAYS("170 counters of 6 bits");
    forge_counting(&w, 2, 128, 2, 1); /* half a line */
    assert_int_equal(loaded(&w, &f), BLM_E_IMAGE);
    SAYS("not fill whole lines");
    forge_counting(&w, 3, 128, 4, 1);
    assert_int_equal(loaded(&w, &f), BLM_E_NEWER);
}

/* Lines whose counters are all in use take every stranger for a member: 1, and one half with an empty one. */
static void full_lines_say_yes(void **state)
{
    uint8_t cells[128];
    blm_filter *f;
    (void)state;
    OK(blm_make(&f, "counting keys=1 bits=1024b hashes=2 layout=line width=4", &why));
    memset(cells, 0x11, sizeof cells);
    OK(blm_adopt(f, cells, sizeof cells, &why));
    NEAR(blm_fpr(f, NULL).high, 1, 1e-12);
    memset(cells + 64, 0, 64);
    OK(blm_adopt(f, cells, sizeof cells, &why));
    NEAR(blm_fpr(f, NULL).high, 0.5, 1e-12);
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_are_those_of_the_model),
        cmocka_unit_test(batches_of_any_length),
        cmocka_unit_test(deleting_half_is_building_the_rest),
        cmocka_unit_test(merging_and_adopting),
        cmocka_unit_test(sizes_of_a_million_keys),
        cmocka_unit_test(one_line_is_a_small_filter),
        cmocka_unit_test(rate_and_size_of_what_is_inside),
        cmocka_unit_test(a_question_reads_one_line),
        cmocka_unit_test(wishes_that_lines_cannot_do),
        cmocka_unit_test(only_lines_need_the_second_version),
        cmocka_unit_test(images_of_both_versions),
        cmocka_unit_test(full_lines_say_yes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
