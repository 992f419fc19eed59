/* test.c - stable filters: simulated figures, what an add does to cells, time, wishes and images. */
#include <bloomery/theory.h>
#include "kinds/fields.h"
#include "kinds/places.h"
#include "oracles.h"
#include "test_rows.h"

static blm_filter *raw(uint64_t m, unsigned k, unsigned d, uint64_t picks, bool each, uint64_t seed)
{
    char with[80];
    snprintf(with, sizeof with, "width=%u picks=%u pick=%s", d, (unsigned)picks,
             each ? "each" : "run");
    return made_new(BLM_CONFIG(.kind = "stable", .bits = m * d, .hashes = k, .keys = 1,
                               .seed = seed, .with = with));
}

/* ---- simulations ------------------------------------------------------------------------------------ */

typedef struct seen {
    uint64_t asked, yes, missed[3], snapshots;
    double zeros;
} seen;

/* All keys differ, so that each one that is not new is a false positive. */
static void stream_of(const sim_row *r, seen *s)
{
    blm_filter *f = raw(r->m, r->k, r->d, r->picks, r->each, 1);
    const uint64_t warm = 2 * r->m, n = warm + (r->m < 65536 ? 10 : 4) * r->m;
    for (uint64_t i = 0; i < n; i++) {
        bool fresh = false;
        const blm_item it = blm_item_u64(f, i, BLM_NO_ARG);
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        if (i < warm) continue;
        s->asked++;
        s->yes += !fresh;
        for (unsigned g = 0; g < 3; g++) s->missed[g] += !blm_has_u64(f, i - r->at[g].gap);
        if (i % (r->m / 2) == 0) {
            s->zeros += 1 - (double)field(f, "used") / (double)r->m;
            s->snapshots++;
        }
    }
    blm_free(f);
}

/* 4 sigma: of one share of zeros z it is at most that of cells on their own; of hits and misses that of single
 * events, of hits together with the share. The figures have 5 or 6 digits. */
static void simulations(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(sim_rows); i++) {
        const sim_row *r = &sim_rows[i];
        seen s = {0};
        char what[100];
        stream_of(r, &s);
        const double n = (double)s.asked, z = r->zeros, m = (double)r->m;
        const double of_z = 4 * sqrt(z * (1 - z) / m / (double)s.snapshots);
        const char *pick = r->each ? "each" : "run";
        snprintf(what, sizeof what, "m=%g K=%u d=%u f=%g, pick=%s: z", m, r->k, r->d, r->f, pick);
        ORACLE_BETWEEN("2.C1", what, z, z - of_z, z + of_z, s.zeros / (double)s.snapshots);
        const double share = r->rate * r->k / (1 - z) * of_z;
        const double of_rate = 4 * sqrt(r->rate / n + share * share / 16);
        snprintf(what, sizeof what, "m=%g K=%u d=%u f=%g, pick=%s: FPS", m, r->k, r->d, r->f, pick);
        ORACLE_BETWEEN("2.C1", what, r->rate, r->rate - of_rate, r->rate + of_rate,
                       (double)s.yes / n);
        for (unsigned g = 0; g < 3; g++) {
            const double p = r->at[g].missed, sigma = sqrt(p * (1 - p) / n) + 1.5 / n;
            snprintf(what, sizeof what, "m=%g K=%u d=%u f=%g, pick=%s: FN at gap %u", m, r->k, r->d,
                     r->f, pick, (unsigned)r->at[g].gap);
            ORACLE_BETWEEN("2.C1", what, p, p - 4 * sigma, p + 4 * sigma, (double)s.missed[g] / n);
        }
    }
}

/* The plan takes P of the paper, rounded up, and its rate and misses are those of the rows. */
static void plans_are_those_of_the_paper(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(sim_rows); i++) {
        const sim_row *r = &sim_rows[i];
        char spec[120];
        snprintf(spec, sizeof spec, "stable bits=%ub hashes=%u fpr=%g width=%u keys=1 pick=%s",
                 (unsigned)(r->m * r->d), r->k, r->f, r->d, r->each ? "each" : "run");
        blm_filter *f = made(spec);
        assert_int_equal(field(f, "picks"), r->picks);
        NEAR(blm_fpr(f, &(blm_case){.keys = 100 * r->m}).high, r->rate, 5e-3);
        for (unsigned g = 0; g < 3; g++)
            WITHIN(blm_fnr(f, &(blm_case){.keys = 1, .gap = r->at[g].gap}).high, r->at[g].missed,
                   6e-6);
        blm_free(f);
    }
}

/* ---- what an add does ------------------------------------------------------------------------------- */

/* All cells are lowered by each add, so only the last key is there; were it lowered after it was set, or asked after it
 * was lowered, it would not be. */
static void asked_lowered_set(void **state)
{
    (void)state;
    for (unsigned each = 0; each < 2; each++) {
        blm_filter *f = raw(64, 3, 1, 64, each, 1);
        for (uint64_t i = 0; i < 1000; i++) {
            bool fresh = true;
            assert_int_equal(blm_add_u64(f, i), BLM_OK);
            assert_true(blm_has_u64(f, i));
            assert_true(each || field(f, "used") <= 3);
            const blm_item it = blm_item_u64(f, i, BLM_NO_ARG);
            assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
            assert_false(fresh);
        }
        blm_free(f);
    }
}

/* A plain model: whole numbers, a loop over picks, the random numbers of docs/format.md. */
typedef struct model {
    unsigned cell[400], top;
    uint64_t m, steps;
} model;

static void lower(model *o, const blm_filter *f, uint64_t picks, bool each)
{
    uint64_t x = f->seed + ++o->steps * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    for (uint64_t i = 0; i < picks; i++) {
        const uint64_t at = each ? high(word_of(x, (unsigned)i), o->m) : (high(x, o->m) + i) % o->m;
        o->cell[at] -= o->cell[at] > 0;
    }
}

static void check_cells(const blm_filter *f, const model *o, unsigned d)
{
    const uint8_t *cells = f->cells;
    uint64_t used = 0;
    for (uint64_t c = 0; c < o->m; c++) {
        unsigned v = 0;
        for (unsigned b = 0; b < d; b++) {
            const uint64_t bit = c * d + b;
            v |= (cells[bit / 8] >> bit % 8 & 1u) << b;
        }
        if (v != o->cell[c]) {
            printf("m %d d %u picks %d each %d steps %d cell %d\n", (int)o->m, d,
                   (int)field(f, "picks"), (int)field(f, "each"), (int)o->steps, (int)c);
            return;
        }
        used += v > 0;
    }
    if (field(f, "used") != used)
        printf("M %d d %u picks %d each %d steps %d used %d %d\n", (int)o->m, d,
               (int)field(f, "picks"), (int)field(f, "each"), (int)o->steps, (int)used,
               (int)field(f, "used"));
    OK(f->kind->check(f, &why));
}

/* Every width, runs that are shorter and longer than a word, that wrap around, and that take all cells. */
static void cells_are_those_of_the_model(void **state)
{
    static const uint64_t sizes[] = {64, 397, 128}, picks[] = {1, 7, 60, 64};
    (void)state;
    for (unsigned i = 0; i < 8 * 3 * 4 * 2; i++) {
        const unsigned d = 1 + i % 8, each = i / 96;
        const uint64_t m = sizes[i / 8 % 3], p = picks[i / 24 % 4];
        blm_filter *f = raw(m, 3, d, p, each, i);
        model o = {.top = (1u << d) - 1, .m = m};
        for (uint64_t n = 0; n < 60; n++) {
            blm_touch key[3];
            const blm_item it = blm_item_u64(f, n % 40, BLM_NO_ARG);
            bool fresh = false, there = true;
            check_touched(f, &it, key, 3, 3);
            for (unsigned j = 0; j < 3; j++) there = there && o.cell[key[j].cell];
            assert_int_equal(blm_has_u64(f, n % 40), there);
            assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
            assert_int_equal(fresh, !there);
            lower(&o, f, p, each);
            for (unsigned j = 0; j < 3; j++) o.cell[key[j].cell] = o.top;
            if (n % 20 == 19) {
                OK(blm_tick(f, f->now + 5));
                for (unsigned j = 0; j < 5; j++) lower(&o, f, p, each);
            }
            if (n % 10 == 9) check_cells(f, &o, d);
        }
        assert_int_equal(field(f, "steps"), 75);
        blm_free(f);
    }
}

/* Nothing is ever lowered: the bits of a standard filter. No plan makes it, only its fields. */
static void without_decay_it_is_standard(void **state)
{
    blm_filter *f = raw(4096, 5, 1, 1, false, 3);
    blm_filter *g = made("standard bits=4096b hashes=5 seed=3 overfill=yes");
    (void)state;
    set_field(f, "picks", 0);
    OK(f->kind->shape(f, &f->bytes, &why));
    for (uint64_t i = 0; i < 600; i++) {
        bool fresh = false, new = false;
        const blm_item it = blm_item_u64(f, i, BLM_NO_ARG);
        assert_int_equal(blm_add_item(f, &it, &fresh), BLM_OK);
        assert_int_equal(blm_add_item(g, &it, &new), BLM_OK);
        assert_int_equal(fresh || !new, 1); /* new: a bit of it was zero */
        assert_true(same_cells(f, g));
    }
    NEAR(blm_fpr(f, NULL).high, blm_fpr(g, NULL).high, 1e-15);
    NEAR(blm_fpr(f, &(blm_case){.keys = 600}).high, blm_fpr(g, &(blm_case){.keys = 600}).high,
         1e-2);
    assert_true(blm_fnr(f, &(blm_case){.keys = 600}).high <= 0);
    OK(blm_tick(f, UINT64_MAX));
    assert_true(same_cells(f, g));
    blm_free(f);
    blm_free(g);
}

/* ---- time ------------------------------------------------------------------------------------------- */

/* In pieces of any length, over the step from which on it is empty by definition. */
static void ticks_of_any_length(void **state)
{
    static const uint64_t far[] = {
        1, 30, 200, 1000, 1955, 1956, 1957, 4000, UINT64_C(1000000000000)};
    (void)state;
    for (size_t i = 0; i < COUNT(far) * 2; i++) {
        blm_filter *f = raw(4000, 4, 3, 97, i % 2, i), *g = NULL;
        uint64_t state_of = i;
        add_run(f, 0, 3000);
        OK(blm_copy(&g, f, &why));
        OK(blm_tick(f, 3000 + far[i / 2]));
        for (uint64_t now = 3000; now < 3000 + far[i / 2];) {
            const uint64_t more = draw(&state_of) % (far[i / 2] / 3 + 2);
            now = now + more < 3000 + far[i / 2] ? now + more : 3000 + far[i / 2];
            OK(blm_tick(g, now));
        }
        assert_true(blm_equal(f, g));
        assert_int_equal(field(f, "steps"), 3000 + far[i / 2]);
        assert_true(far[i / 2] < 1956 ||
                    field(f, "used") == 0); /* (14 + 32) (4000 / 97 + 1) = 1932 */
        assert_int_equal(blm_tick(f, 2999), BLM_E_CLOCK);
        add_run(f, 7000, 500);
        add_run(g, 7000, 500);
        assert_true(blm_equal(f, g));
        blm_free(f);
        blm_free(g);
    }
}

/* At the limit, (14 + 32) (4000 / 97 + 1), all cells are zero by definition, whatever chance has left. */
static void the_last_idle_step(void **state)
{
    blm_filter *f = raw(4000, 4, 3, 97, false, 1);
    (void)state;
    add_run(f, 0, 100);
    set_field(f, "idle", 1930);
    OK(blm_tick(f, 101));
    assert_true(field(f, "used") > 0 && field(f, "idle") == 1931);
    OK(blm_tick(f, 102));
    assert_true(field(f, "used") == 0 && field(f, "idle") == 1932 && field(f, "steps") == 102);
    OK(f->kind->check(f, &why));
    blm_free(f);
}

static void the_same_stream_gives_the_same_bytes(void **state)
{
    blm_filter *f = made("stable keys=1000 seed=1"), *g = NULL,
               *h = made("stable keys=1000 seed=1");
    (void)state;
    add_run(f, 0, 4000);
    blob b = image_of(f);
    OK(blm_load(&g, b.p, b.n, NULL, &why));
    add_run(f, 4000, 4000);
    add_run(g, 4000, 4000);
    add_run(h, 0, 8000);
    assert_true(blm_equal(f, g) && blm_equal(f, h));
    REFUSED(blm_merge(f, g, &why), BLM_E_CANNOT, "no common order");
    blm_free(f);
    blm_free(g);
    blm_free(h);
    free(b.p);
}

/* ---- wishes and images ------------------------------------------------------------------------------ */

static void planned_for_the_oldest_key(void **state)
{
    (void)state;
    for (unsigned d = 1; d <= 8; d++) {
        char spec[100];
        snprintf(spec, sizeof spec, "stable keys=5000 fpr=1%% fnr=3%% width=%u", d);
        blm_filter *f = made(spec);
        const blm_info is = info_of(f);
        const blm_rate oldest = blm_fnr(f, &(blm_case){.keys = 5000, .gap = 5000});
        const bool runs =
            field(f, "cells") == 32 * field(f, "picks"); /* the fewest that are planned */
        assert_true(oldest.high <= 0.03 && (oldest.high > 0.0299 || runs));
        assert_true(is.window == 5000 && is.clock == BLM_CLOCK_ARRIVALS && is.fpr_target <= 0.01);
        snprintf(spec, sizeof spec, "stable bits=%ub fpr=1%% fnr=3%% width=%u", (unsigned)is.bits,
                 d);
        blm_filter *g = made(spec);
        assert_true(info_of(g).capacity >= 5000 && (info_of(g).capacity < 5040 || runs));
        blm_free(f);
        blm_free(g);
    }
}

static void wishes_that_make_no_sense(void **state)
{
    blm_filter *f = NULL;
    (void)state;
    REFUSED(blm_make(&f, "stable keys=100 width=0", &why), BLM_E_ARG, "width=0");
    REFUSED(blm_make(&f, "stable keys=100 width=9", &why), BLM_E_ARG, "width=9");
    REFUSED(blm_make(&f, "stable keys=100 width=2.5", &why), BLM_E_ARG, "whole number of bits");
    REFUSED(blm_make(&f, "stable keys=100 picks=2.5", &why), BLM_E_ARG, "whole number of cells");
    REFUSED(blm_make(&f, "stable bits=1000b keys=1 hashes=4 width=1 picks=1001", &why), BLM_E_ARG,
            "picks=1001");
    SAYS("more than there are");
    REFUSED(blm_make(&f, "stable bits=1000b keys=1 fpr=1e-9 hashes=2", &why), BLM_E_ARG,
            "fpr 1e-09 is too small for 333 cells of 3 bits");
    REFUSED(blm_make(&f, "stable bits=8b keys=1 fpr=10% hashes=2 width=4", &why), BLM_E_ARG,
            "too small for 2 cells");
    REFUSED(blm_make(&f, "stable bits=10000b keys=1000 fpr=1%", &why), BLM_E_ARG,
            "1000 arrivals ago");
    SAYS("above fnr 0.05");
    REFUSED(blm_make(&f, "stable keys=9e15", &why), BLM_E_ARG, "2^58 bits");
    assert_null(f);
}

static void impossible_cells_are_refused(void **state)
{
    blm_filter *f = raw(101, 3, 3, 10, false, 1), *g = NULL;
    (void)state;
    add_run(f, 0, 50);
    f->cells[f->bytes - 1] |= 0x80;
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "past the last cell");
    f->cells[f->bytes - 1] &= 0x7f;
    OK(f->kind->check(f, &why));
    memset(f->cells, 0, 8);
    REFUSED(f->kind->check(f, &why), BLM_E_IMAGE, "other cells are in use");
    set_field(f, "picks", 102);
    REFUSED(f->kind->shape(f, &f->bytes, &why), BLM_E_ARG, "102 picks");
    blm_free(f);
    blm_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulations),
        cmocka_unit_test(plans_are_those_of_the_paper),
        cmocka_unit_test(asked_lowered_set),
        cmocka_unit_test(cells_are_those_of_the_model),
        cmocka_unit_test(without_decay_it_is_standard),
        cmocka_unit_test(ticks_of_any_length),
        cmocka_unit_test(the_last_idle_step),
        cmocka_unit_test(the_same_stream_gives_the_same_bytes),
        cmocka_unit_test(planned_for_the_oldest_key),
        cmocka_unit_test(wishes_that_make_no_sense),
        cmocka_unit_test(impossible_cells_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
