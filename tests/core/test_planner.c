/* test_planner.c - the planner over kinds that it has never heard of: the toys of the laws, one with a
 * knob of words, and one that counts. Which numbers are right is the affair of tests/theory/test_planner.c. */
#define BLM_KINDS_DEF "core/offer_kinds.def"
#include "core/table.c"
#include "laws/toys/toy_chain.c"
#include "laws/toys/toy_map.c"
#include "laws/toys/toy_parts.c"
#include "laws/toys/toy_range.c"
#include "laws/toys/toy_ring.c"
#include "laws/toys/toy_sets.c"
#include "laws/toys/toy_shelf.c"
#include "laws/toys/toy_static.c"
#include "laws/toys/toy_tally.c"
#include "core/comma.h"

/* ---- menu: 1, 3 or 40 bytes per key by its knob; `none` cannot delete ------------------------------ */

typedef struct menu {
    blm_filter base;
    uint64_t keys;
    uint8_t method;
} menu;

static const blm_field menu_fields[] = {
    BLM_FIELD(menu, keys, BLM_F_SHAPE, 1, UINT64_C(1) << 56, "keys"),
    BLM_FIELD(menu, method, BLM_F_SHAPE, 0, 2, "which"),
};
static const blm_knobdef menu_knobs[] = {
    {"size", "no word", BLM_K_NUMBER, 1, 1, 9, NULL},
    {"method", "how", BLM_K_WORD, .def = 1, .words = "none|some|large"},
    {"other", "not the first", BLM_K_WORD, .def = 0, .words = "a|b"},
};
static blm_err menu_plan(blm_filter *f, const blm_config *c, const blm_knobs *k, blm_report *r)
{
    if (c->bits) return blm_fail(r, BLM_E_ARG, "bits: the menu has none");
    ((menu *)f)->keys = c->keys;
    ((menu *)f)->method = (uint8_t)k->num[1];
    return BLM_OK;
}
static blm_err menu_shape(blm_filter *f, uint64_t *bytes, blm_report *r)
{
    static const uint64_t price[] = {1, 3, 40};
    const menu *m = (const menu *)f;
    if (m->method == 0) f->can &= ~(uint32_t)BLM_DEL;
    *bytes = m->keys * price[m->method];
    return (void)r, BLM_OK;
}
static blm_rate menu_fpr(const blm_filter *f, const blm_case *c)
{
    return (void)f, (void)c, (blm_rate){0.0009, 0.0009, 0};
}
static double menu_lines(const blm_filter *f, const blm_case *c)
{
    return (void)c, (double)((const menu *)f)->method;
}
static bool menu_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    return (void)f, (void)h, (void)it, true;
}
static blm_err menu_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    return (void)f, (void)h, (void)it, *fresh = true, BLM_OK;
}
static blm_err menu_del(blm_filter *f, blm_hash h, const blm_item *it)
{
    return (void)f, (void)h, (void)it, BLM_OK;
}
const blm_kind blm_kind_menu = {
    .name = "menu",
    .group = "test",
    .version = 1,
    .size = sizeof(menu),
    .promises = BLM_NO_MISS,
    .fields = menu_fields,
    .nfields = BLM_LEN(menu_fields),
    .knobs = menu_knobs,
    .nknobs = BLM_LEN(menu_knobs),
    .plan = menu_plan,
    .shape = menu_shape,
    .fpr = menu_fpr,
    .lines = menu_lines,
    .has = menu_has,
    .add = menu_add,
    .del = menu_del,
};

/* ---- tally: 16 bytes and `step` bytes per key; steps of 3 are not made. It counts to 10 step, by two methods -- */

typedef struct tally {
    blm_filter base;
    uint64_t keys;
    uint8_t step, way;
} tally;

static const blm_field tally_fields[] = {
    BLM_FIELD(tally, keys, BLM_F_SHAPE, 1, UINT64_C(1) << 50, "keys"),
    BLM_FIELD(tally, step, BLM_F_SHAPE, 1, 40, "how high it counts, in tens"),
    BLM_FIELD(tally, way, BLM_F_SHAPE, 0, 2, "which"),
};
static const blm_knobdef tally_knobs[] = {
    {"way", "how", BLM_K_WORD, .def = 0, .words = "this|that|none"},
    {"step", "how high it counts, in tens", BLM_K_NUMBER, 5, 1, 40, NULL},
};
static blm_err tally_plan(blm_filter *f, const blm_config *c, const blm_knobs *k, blm_report *r)
{
    tally *t = (tally *)f;
    t->keys = c->bits ? c->bits / 512 + 1 : c->keys;
    t->way = (uint8_t)k->num[0];
    t->step = (uint8_t)k->num[1];
    return t->step % 3 ? BLM_OK : blm_fail(r, BLM_E_ARG, "step=%u: not a multiple of 3", t->step);
}
static blm_err tally_shape(blm_filter *f, uint64_t *bytes, blm_report *r)
{
    const tally *t = (const tally *)f;
    if (t->way == 2) f->can &= ~(uint32_t)BLM_COUNT;
    *bytes = t->keys * (16u + t->step + t->way);
    return (void)r, BLM_OK;
}
static uint64_t tally_max(const blm_filter *f)
{
    const tally *t = (const tally *)f;
    return t->way ? 5u * t->step : 10u * t->step;
}
static blm_err tally_count(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n)
{
    return (void)f, (void)h, (void)it, *n = (blm_estimate){1, 0, 1, false}, BLM_OK;
}
const blm_kind blm_kind_tally = {
    .name = "tally",
    .group = "test",
    .version = 1,
    .size = sizeof(tally),
    .promises = BLM_NO_MISS,
    .fields = tally_fields,
    .nfields = BLM_LEN(tally_fields),
    .knobs = tally_knobs,
    .nknobs = BLM_LEN(tally_knobs),
    .plan = tally_plan,
    .shape = tally_shape,
    .max_count = tally_max,
    .counts_by = {"step", 4},
    .fpr = menu_fpr,
    .has = menu_has,
    .add = menu_add,
    .count = tally_count,
};

/* ---- asking ------------------------------------------------------------------------------------------ */

enum { ROOM = 128 };
static blm_offer offer[ROOM];

/* A kind has one offer for its defaults, and one for each other value of its first enumerated knob, and of offers_too. */
static size_t all_offers(void)
{
    blm_kind_info k;
    blm_knobdef d;
    size_t n = 0;
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        const char *too = blm_kind_find(k.name, strlen(k.name))->offers_too;
        bool first = true;
        n++;
        for (size_t at = 0; blm_knob_at(k.name, at, &d); at++) {
            if (d.type != BLM_K_WORD) continue;
            const bool offered = first || (too && strcmp(too, d.name) == 0);
            for (const char *p = d.words; *p && offered; p++) n += *p == '|';
            first = false;
        }
    }
    return n;
}

static size_t planned(const blm_config *c, uint32_t needs)
{
    size_t n = ROOM;
    OK(blm_plan(c, needs, offer, &n, &why));
    return n;
}

static size_t place(const char *kind, const char *with, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(offer[i].kind, kind) == 0 && strcmp(offer[i].with, with) == 0) return i;
    fail_msg("no offer of %s %s", kind, with);
    return n;
}

static blm_err plan_only(const blm_config *c, uint32_t needs)
{
    size_t n = 7;
    const blm_err err = blm_plan(c, needs, offer, &n, &why);
    if (err) assert_int_equal(n, 7);
    return err;
}

/* ---- needs -------------------------------------------------------------------------------------------- */

static void needs_have_names(void **state)
{
    uint32_t needs = 0, all = 0;
    (void)state;
    for (uint32_t one = 1; blm_need_name((blm_need)one); one <<= 1) {
        OK(blm_parse_needs(blm_need_name((blm_need)one), &needs, &why));
        assert_int_equal(needs, one);
        all |= one;
    }
    assert_int_equal(all, 2047);
    OK(blm_parse_needs(" delete,,merge keyed", &needs, &why));
    assert_int_equal(needs, BLM_NEED_DELETE | BLM_NEED_MERGE | BLM_NEED_KEYED);
    REFUSED(blm_parse_needs("delete,merg", &needs, &why), BLM_E_ARG, "did you mean merge?");
    REFUSED(blm_parse_needs("encyclopedia", &needs, &why), BLM_E_ARG, "concurrent, keyed, learn");
    REFUSED(blm_parse_needs(" ,", &needs, &why), BLM_E_ARG, "at least one");
    assert_int_equal(needs, BLM_NEED_DELETE | BLM_NEED_MERGE | BLM_NEED_KEYED);
}

static void a_need_is_an_ability(void **state)
{
    static const struct {
        blm_need need;
        const char *kind, *with;
    } row[] = {{BLM_NEED_DELETE, "counting", ""}, {BLM_NEED_COUNT, "counting", "width=9"},
               {BLM_NEED_GROW, "toy-chain", ""},  {BLM_NEED_FORGET, "toy-ring", ""},
               {BLM_NEED_VALUE, "toy-map", ""},   {BLM_NEED_STATIC, "toy-static", ""},
               {BLM_NEED_MERGE, "blocked", ""},   {BLM_NEED_LEARN, "adaptive", ""}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        const size_t n = planned(BLM_CONFIG(.keys = 1000), (uint32_t)row[i].need);
        assert_int_equal(n, all_offers());
        const size_t at = place(row[i].kind, row[i].with, n);
        assert_int_equal(offer[at].lacks, 0);
        for (size_t j = 1; j < n; j++) /* those that lack it come after */
            assert_true(offer[j].lacks >= offer[j - 1].lacks);
        assert_int_equal(offer[n - 1].lacks, row[i].need);
    }
    const size_t n = planned(BLM_CONFIG(.keys = 1000), BLM_NEED_KEYED);
    for (size_t i = 0; i < n; i++) /* integers are not hashed: a secret would hide nothing */
        assert_int_equal(offer[i].lacks, offer[i].integers ? BLM_NEED_KEYED : 0);
    assert_true(offer[place("toy-range", "", n)].integers);
}

static void needs_that_nobody_meets(void **state)
{
    const blm_config *c = BLM_CONFIG(.keys = 1000);
    (void)state;
    REFUSED(plan_only(c, BLM_NEED_STATIC | BLM_NEED_DELETE), BLM_E_ARG,
            "static and delete contradict");
    REFUSED(plan_only(c, BLM_NEED_STATIC | BLM_NEED_GROW | BLM_NEED_FORGET), BLM_E_ARG,
            "static and grow, forget");
    REFUSED(plan_only(c, BLM_NEED_CONCURRENT | BLM_NEED_DELETE), BLM_E_CANNOT, "has all of them");
    REFUSED(plan_only(c, BLM_NEED_WHICH | BLM_NEED_COUNT), BLM_E_CANNOT, "which: no kind");
    SAYS("nearest: counting lacks which");
    REFUSED(plan_only(c, BLM_NEED_VALUE | BLM_NEED_COUNT | BLM_NEED_DELETE), BLM_E_CANNOT,
            "all of them; nearest: counting lacks value");
    REFUSED(plan_only(BLM_CONFIG(.kind = "standard", .keys = 9), BLM_NEED_COUNT), BLM_E_CANNOT,
            "standard lacks count; nearest: counting");
}

/* ---- order ---------------------------------------------------------------------------------------------- */

static void best_first(void **state)
{
    (void)state;
    size_t n = planned(BLM_CONFIG(.keys = 100000, .fpr = 0.001), 0);
    assert_int_equal(n, all_offers());
    /* 8 bits per key, no cache line; then two within 15 % of it: none. standard 14.4, blocked 15.6,
     * split-block 16.9 are by their size, then 24, 57.5, 76, 320, 384, 1000. */
    static const char *const order[][2] = {{"menu", "method=none"},
                                           {"standard", ""},
                                           {"blocked", ""},
                                           {"split-block", ""},
                                           {"menu", ""},
                                           {"counting", ""},
                                           {"counting", "layout=line"},
                                           {"menu", "method=large"},
                                           {"toy-map", ""},
                                           {"toy-static", ""},
                                           {"toy-chain", ""},
                                           {"toy-range", ""},
                                           {"toy-ring", ""}};
    for (size_t i = 1; i < COUNT(order); i++)
        assert_true(place(order[i - 1][0], order[i - 1][1], n) <
                    place(order[i][0], order[i][1], n));
    assert_int_equal(place("menu", "method=none", n), 0);
    for (size_t i = place("toy-ring", "", n); i < n; i++) assert_true(offer[i].misses);
    assert_int_equal(offer[place("toy-chain", "", n)].bytes,
                     0); /* its children come with the keys */
    n = planned(BLM_CONFIG(.keys = 100000, .fpr = 0.001), BLM_NEED_FORGET);
    /* Bits per key: 21.9; 31.6, of 2 cache lines; 57.5, where others do as much for less. */
    assert_true(place("window", "", n) < place("state-machine", "", n));
    assert_true(place("window", "", n) < place("aging", "", n));
    assert_true(place("state-machine", "", n) < place("toy-ring", "", n));
    assert_true(place("aging", "", n) < place("double-buffer", "", n));
    for (size_t i = 0; i < n && !offer[i].lacks; i++)
        assert_true(offer[i].misses); /* which is what was asked for */
}

/* ---- settings ----------------------------------------------------------------------------------------------- */

static void every_word_of_the_first_knob_of_words(void **state)
{
    (void)state;
    assert_int_equal(planned(BLM_CONFIG(.kind = "menu", .keys = 10), 0), 3);
    assert_string_equal(offer[0].spec, "menu keys=10 fpr=0.001 method=none");
    assert_string_equal(offer[1].spec, "menu keys=10 fpr=0.001");
    assert_int_equal(offer[1].bytes, 30);
    assert_string_equal(offer[2].spec, "menu keys=10 fpr=0.001 method=large");
    assert_int_equal(planned(BLM_CONFIG(.kind = "menu", .keys = 10, .with = "method=large"), 0), 1);
    assert_int_equal(offer[0].bytes, 400);
    assert_int_equal(planned(BLM_CONFIG(.kind = "menu", .keys = 10, .with = "other=b"), 0), 3);
    assert_string_equal(offer[0].with, "other=b method=none");
    assert_string_equal(offer[1].with, "other=b");
    /* the word whose shape cannot delete lacks it */
    assert_int_equal(planned(BLM_CONFIG(.kind = "menu", .keys = 10), BLM_NEED_DELETE), 3);
    assert_string_equal(offer[2].with, "method=none");
    assert_int_equal(offer[2].lacks, BLM_NEED_DELETE);
    assert_int_equal(offer[0].lacks | offer[1].lacks, 0);
}

/* Of two knobs, each word alone; where a word of one is given, no other. */
static void words_of_a_second_knob(void **state)
{
    static const char *const with[] = {"", "method=increase", "method=recurring", "layout=compact"};
    (void)state;
    const size_t n = planned(BLM_CONFIG(.kind = "spectral", .keys = 10), 0);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < COUNT(with); i++) assert_true(place("spectral", with[i], n) < n);
    assert_int_equal(
        planned(BLM_CONFIG(.kind = "spectral", .keys = 10, .with = "layout=compact"), 0), 1);
    assert_int_equal(
        planned(BLM_CONFIG(.kind = "spectral", .keys = 10, .with = "method=increase"), 0), 1);
}

/* The issue: 32 bits per counter, 307 bits per key, were offered before counting with 9. */
static void counts_cost_as_few_bits_as_they_can(void **state)
{
    const blm_config *c = BLM_CONFIG(.keys = 1000000, .fpr = 0.01);
    (void)state;
    const size_t n = planned(c, BLM_NEED_COUNT);
    assert_string_equal(offer[0].kind,
                        "quotient"); /* (7 + 8 + 2.125) / 0.95 bits, and 1 % for guard slots */
    assert_string_equal(offer[0].with, "width=8");
    WITHIN(offer[0].bits_per_key, 17.125 * 1.010 / 0.95, 0.02);
    const blm_offer *o = &offer[place("dleft", "width=9", n)];
    WITHIN(o->bits_per_key, 28, 0.01); /* 4/3 (12 + 9) */
    o = &offer[place("counting", "width=9", n)];
    WITHIN(o->bits_per_key, 9 * 9.593, 0.02); /* m/n = 9.593: 7 hashes at 1 % */
    assert_int_equal(o->max_count, 510);
    assert_string_equal(o->spec, "counting keys=1000000 fpr=0.01 width=9");
    assert_true(place("spectral", "method=increase width=9", n) < n);
    assert_true(place("count-min", "update=plain width=9", n) < n);
    assert_int_equal(offer[place("counting", "layout=line width=16", n)].max_count, 65534);
    bool less =
        false; /* those that count less come last, and those whose room is for adds, not for keys */
    for (size_t i = 0; i < n && !offer[i].lacks; i++) {
        const bool adds =
            !strcmp(offer[i].kind, "adaptive-count") || !strcmp(offer[i].kind, "space-code");
        less |= offer[i].max_count < 255;
        assert_true(less ? adds || offer[i].max_count < 255 : !adds);
    }
    assert_int_equal(offer[place("layered", "", n)].max_count,
                     7); /* after them, with its default */
}

static void a_wish_for_counts_is_a_need(void **state)
{
    (void)state;
    size_t n = planned(BLM_CONFIG(.keys = 1000, .max_count = 15), 0);
    for (size_t i = 0; i < n; i++)
        assert_true(offer[i].lacks ? offer[i].lacks == BLM_NEED_COUNT : offer[i].max_count >= 15);
    assert_int_equal(offer[place("layered", "layers=16", n)].max_count, 15);
    assert_int_equal(offer[place("counting", "width=5", n)].max_count, 30);
    n = planned(BLM_CONFIG(.keys = 1000, .max_count = 16), 0); /* no offer of a kind that cannot */
    for (size_t i = 0; i < n; i++) assert_string_not_equal(offer[i].kind, "layered");
    n = planned(BLM_CONFIG(.keys = 1000, .max_count = 14), 0); /* defaults are not spelled out */
    assert_string_equal(offer[place("counting", "", n)].spec, "counting keys=1000 fpr=0.001");
    n = planned(BLM_CONFIG(.kind = NULL, .max_count = 1000000), 0); /* without sizes too */
    assert_int_equal(offer[place("spectral", "width=20", n)].max_count, 1048574);
    assert_int_equal(offer[0].lacks, 0);
    assert_true(offer[n - 1].lacks == BLM_NEED_COUNT && offer[n - 1].max_count == 0);
    /* nobody who only adds is 9 bits wide */
    n = planned(BLM_CONFIG(.keys = 1000), BLM_NEED_DELETE);
    assert_int_equal(offer[place("counting", "", n)].max_count, 14);
}

/* It has half the bits, but keeps what it cannot delete. */
static void some_deletes_come_after_all(void **state)
{
    (void)state;
    size_t n = planned(BLM_CONFIG(.keys = 1000), BLM_NEED_DELETE), some = place("deletable", "", n);
    assert_true(offer[some].deletes > 0.1 && offer[some].deletes < 0.5);
    size_t i = 0;
    for (; i < n && !offer[i].lacks; i++) /* those that may miss a member come last */
        assert_true(i >= some || !offer[i].misses);
    assert_true(offer[some + 1].misses ||
                !strcmp(offer[some + 1].kind, "multilayer")); /* others do as much for less */
    for (size_t j = 0; j < i; j++) assert_true(j == some || offer[j].deletes == 1);
    assert_true(offer[i].lacks && offer[i].deletes == 0);
    n = planned(BLM_CONFIG(.keys = 1000), 0); /* who only adds is not told */
    assert_true(place("deletable", "", n) < place("dleft", "", n));
}

/* tally: 10 step, steps from 4 on, none of them a multiple of 3. */
static void the_smallest_value_of_the_knob_that_counts_so_high(void **state)
{
    static const struct {
        uint64_t counts;
        const char *with;
        uint64_t max;
    } row[] = {{1, "step=4", 40},  {40, "step=4", 40},    {41, "", 50},
               {51, "step=7", 70}, {399, "step=40", 400}, {400, "step=40", 400}};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        const blm_config c = {
            .size = sizeof c, .kind = "tally", .keys = 10, .max_count = row[i].counts};
        const size_t n = planned(&c, 0);
        const blm_offer *o = &offer[place("tally", row[i].with, n)];
        assert_int_equal(o->max_count, row[i].max);
        assert_int_equal(o->bytes, 10 * (16 + row[i].max / 10));
    }
    planned(BLM_CONFIG(.kind = "tally", .keys = 10, .max_count = 41), 0);
    assert_string_equal(offer[1].with, "way=that step=10"); /* 5 step */
    assert_string_equal(offer[2].with, "way=none");
    assert_int_equal(offer[2].lacks, BLM_NEED_COUNT);
    /* a step that is given stays: enough, or no offer, or after the others if none is asked for */
    assert_int_equal(
        planned(BLM_CONFIG(.kind = "tally", .keys = 10, .with = "step=8 way=this", .max_count = 41),
                0),
        1);
    assert_string_equal(offer[0].with, "step=8 way=this");
    assert_int_equal(
        planned(BLM_CONFIG(.kind = "tally", .keys = 10, .with = "step=1 way=this"), BLM_NEED_COUNT),
        1);
    assert_int_equal(offer[0].max_count, 10);
}

static void counts_that_do_not_do(void **state)
{
    (void)state;
    REFUSED(plan_only(BLM_CONFIG(.kind = "tally", .keys = 9, .max_count = 401), 0), BLM_E_ARG,
            "max-count 401: tally counts up to 400");
    REFUSED(plan_only(BLM_CONFIG(.kind = "tally", .keys = 9, .max_count = 99, .with = "step=7"), 0),
            BLM_E_ARG, "max-count 99: with step=7 tally counts up to 70");
    REFUSED(
        plan_only(BLM_CONFIG(.kind = "tally", .keys = 9, .max_count = 99, .with = "stepp=7"), 0),
        BLM_E_ARG, "did you mean step?");
    REFUSED(plan_only(BLM_CONFIG(.kind = "tally", .keys = 9, .max_count = 99, .with = "step=6"), 0),
            BLM_E_ARG, "not a multiple of 3");
    REFUSED(plan_only(BLM_CONFIG(.keys = 9, .max_count = UINT64_MAX), 0), BLM_E_ARG,
            "max-count 18446744073709551615: no kind with these needs counts that high; "
            "spectral counts up to 18446744073709551614");
    REFUSED(plan_only(BLM_CONFIG(.keys = 9, .max_count = 100000), BLM_NEED_GROW), BLM_E_ARG,
            "quotient counts up to 65536");
    REFUSED(plan_only(BLM_CONFIG(.kind = "standard", .keys = 9, .max_count = 2), 0), BLM_E_CANNOT,
            "standard lacks count");
    REFUSED(plan_only(BLM_CONFIG(.kind = "variable-increment", .keys = 9, .max_count = 2), 0),
            BLM_E_ARG, "must be 1 for variable-increment");
    assert_true(planned(BLM_CONFIG(.kind = "variable-increment", .keys = 9, .max_count = 1), 0) >
                0);
}

/* By the offer's text, by a config and by a text that says how high: the same filter. */
static void same_filter_three_ways(const char *kind, const char *word, uint64_t counts)
{
    char text[200];
    blm_estimate times = {0, 0, 0, true};
    const blm_config c = {
        .size = sizeof c, .kind = kind, .keys = 50, .fpr = 0.01, .with = word, .max_count = counts};
    blm_filter *f[3] = {NULL, NULL, NULL};
    assert_int_equal(planned(&c, 0), 1);
    f[0] = made(offer[0].spec);
    snprintf(text, sizeof text, "%s max-count=%u fpr=1%% keys=50 %s", kind, (unsigned)counts, word);
    f[1] = made(text);
    OK(blm_new(&f[2], &c, &why));
    for (size_t i = 0; i < 3; i++) {
        for (uint64_t t = 0; t < counts; t++) OK(blm_add(f[i], "plum", 4));
        OK(blm_count(f[i], "plum", 4, &times));
        assert_true(!times.bound && times.value == (double)counts);
        assert_true(blm_equal(f[0], f[i]));
    }
    for (size_t i = 0; i < 3; i++) blm_free(f[i]);
}

static void made_by_any_of_the_ways(void **state)
{
    static const char *const row[][2] = {
        {"dleft", ""},
        {"counting", "layout=spread"},
        {"counting", "layout=line"},
        {"spectral", "method=selection"},
        {"spectral", "method=increase"},
        {"spectral", "method=recurring"},
        {"count-min", "update=plain"},
        {"count-min", "update=conservative"},
        {"layered", ""},
    };
    static const uint64_t counts[] = {1, 3, 14, 15, 255, 600};
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++)
        for (size_t j = 0; j < COUNT(counts); j++)
            if (counts[j] <= 15 || strcmp(row[i][0], "layered") != 0)
                same_filter_three_ways(row[i][0], row[i][1], counts[j]);
}

static void numbers_that_do_not_do(void **state)
{
    (void)state;
    REFUSED(plan_only(BLM_CONFIG(.fpr = 0.01), 0), BLM_E_ARG, "set the number of keys");
    REFUSED(plan_only(BLM_CONFIG(.hashes = 4), 0), BLM_E_ARG, "set the number of keys");
    REFUSED(plan_only(BLM_CONFIG(.keys = 1000, .fpr = 1.5), 0), BLM_E_ARG, "1.5%");
    REFUSED(plan_only(BLM_CONFIG(.keys = UINT64_C(1) << 53), 0), BLM_E_ARG, "2^53");
    REFUSED(plan_only(BLM_CONFIG(.kind = "standrad", .keys = 1), 0), BLM_E_ARG,
            "did you mean standard?");
    REFUSED(plan_only(BLM_CONFIG(.kind = "standard", .keys = 1000, .fpr = 1e-6, .bits = 9600), 0),
            BLM_E_ARG, "omit keys, fpr or bits");
    REFUSED(plan_only(BLM_CONFIG(.kind = "blocked", .keys = 9, .bits = 100), 0), BLM_E_ARG, "512");
    REFUSED(plan_only(BLM_CONFIG(.kind = "counting", .keys = 9, .with = "widht=3"), 0), BLM_E_ARG,
            "did you mean width?");
    char room[200] = "";
    memset(room, ' ', sizeof room - 1); /* blanks are no settings, but they are text */
    REFUSED(plan_only(BLM_CONFIG(.keys = 9, .with = room), 0), BLM_E_ARG, "longer than 127");
    /* a kind that cannot do the numbers makes no offer: a blocked filter has 512 bits at least */
    const size_t n = planned(BLM_CONFIG(.keys = 3, .bits = 64), 0);
    for (size_t i = 0; i < n; i++) assert_string_not_equal(offer[i].kind, "blocked");
}

static void without_numbers_no_sizes(void **state)
{
    (void)state;
    const size_t n = planned(BLM_CONFIG(.kind = NULL), BLM_NEED_VALUE);
    assert_int_equal(n, all_offers());
    size_t able = 0;
    while (able < n && !offer[able].lacks) able++;
    assert_true(place("toy-map", "", n) < able && place("toy-tally", "", n) < able);
    assert_true(place("state-machine", "", n) < able && place("standard", "", n) >= able);
    assert_int_equal(offer[0].bytes, 0);
    assert_string_equal(offer[0].spec, "");
    assert_int_equal(offer[able].lacks, BLM_NEED_VALUE);
}

/* What the text says is what was planned, to the last bit. */
static void the_text_carries_the_numbers(void **state)
{
    uint64_t draws = 1;
    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        const double p =
            (double)(draw(&draws) >> 11) * 0x1p-53 * pow(10, -(double)(draw(&draws) % 12));
        blm_config c = {.size = sizeof c, .kind = "standard", .keys = 40, .fpr = p > 0 ? p : 0.5};
        assert_int_equal(planned(&c, 0), 1);
        blm_filter *f = made(offer[0].spec);
        assert_true(info_of(f).fpr_target == offer[0].fpr);
        NEAR(offer[0].fpr, c.fpr, 1e-15);
        blm_free(f);
    }
    planned(BLM_CONFIG(.kind = "standard", .keys = 9, .bits = (UINT64_C(1) << 59) + 0x1ff), 0);
    assert_string_equal(offer[0].spec, "standard keys=9 bits=576460752303423744b");
    assert_int_equal(offer[0].bytes * 8, (UINT64_C(1) << 59) + 0x100);
}

/* printf would write "0,25" here. */
static void the_locale_does_not_matter(void **state)
{
    (void)state;
    set_comma_locale();
    planned(BLM_CONFIG(.kind = "standard", .keys = 9, .fpr = 0.25), 0);
    setlocale(LC_ALL, "C");
    assert_string_equal(offer[0].spec, "standard keys=9 fpr=0.25");
}

static void room_for_fewer(void **state)
{
    static blm_offer two[3];
    size_t n = 2;
    (void)state;
    planned(BLM_CONFIG(.keys = 1000), 0);
    OK(blm_plan(BLM_CONFIG(.keys = 1000), 0, two, &n, &why));
    assert_int_equal(n, all_offers());
    for (size_t i = 0; i < 2; i++) assert_string_equal(two[i].spec, offer[i].spec);
    assert_null(two[2].kind);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static void no_cell_is_allocated(void **state)
{
    purse own = {0, 0, 0, 0};
    const blm_alloc alloc = {purse_get, purse_put, &own};
    const blm_config c = {.size = sizeof c, .keys = UINT64_C(1000000000000), .alloc = &alloc};
    (void)state;
    planned(&c, 0);
    assert_true(offer[0].bytes > UINT64_C(900000000000));
    assert_true(own.calls > all_offers() && own.max < 65536);
    assert_int_equal(own.held, 0);
    const uint64_t calls = own.calls;
    for (uint64_t i = 1; i <= calls; i++) {
        own.calls = 0;
        own.refuse_at = i;
        REFUSED(plan_only(&c, 0), BLM_E_NOMEM, "no memory");
        assert_int_equal(own.held, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needs_have_names),
        cmocka_unit_test(a_need_is_an_ability),
        cmocka_unit_test(needs_that_nobody_meets),
        cmocka_unit_test(best_first),
        cmocka_unit_test(every_word_of_the_first_knob_of_words),
        cmocka_unit_test(words_of_a_second_knob),
        cmocka_unit_test(counts_cost_as_few_bits_as_they_can),
        cmocka_unit_test(a_wish_for_counts_is_a_need),
        cmocka_unit_test(some_deletes_come_after_all),
        cmocka_unit_test(the_smallest_value_of_the_knob_that_counts_so_high),
        cmocka_unit_test(counts_that_do_not_do),
        cmocka_unit_test(made_by_any_of_the_ways),
        cmocka_unit_test(numbers_that_do_not_do),
        cmocka_unit_test(without_numbers_no_sizes),
        cmocka_unit_test(the_text_carries_the_numbers),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(room_for_fewer),
        cmocka_unit_test(no_cell_is_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
