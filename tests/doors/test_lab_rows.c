/* test_lab_rows.c - verdicts of the lab: what holds, what is known and of what size, what FAILS. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

static const lab_number measured = {1.1, 1.05, 1.15, 1.02, 1.18};

static lab_verdict verdict(lab_claim c, double formula, lab_number n)
{
    lab_row r = {.claim = c, .formula = {formula, formula}, .measured = n};
    lab_judge(&r);
    assert_int_equal(r.why[0] != '\0', r.verdict != LAB_HOLDS);
    return r.verdict;
}

static void nothing_claimed_fails(void **state)
{
    (void)state;
    assert_int_equal(verdict((lab_claim){0}, NAN, measured), LAB_FAILS);
    assert_int_equal(verdict((lab_claim){.within = 0.5}, NAN, measured), LAB_FAILS);
    assert_int_equal(verdict((lab_claim){0}, 1.1, measured), LAB_HOLDS);
    assert_int_equal(verdict((lab_claim){0}, 0, lab_exactly(0)), LAB_HOLDS);
    assert_int_equal(verdict((lab_claim){.at_most = 1.15}, NAN, measured), LAB_HOLDS);
}

static void each_figure_can_fail(void **state)
{
    (void)state;
    assert_int_equal(verdict((lab_claim){0}, 1.19, measured), LAB_FAILS);
    assert_int_equal(verdict((lab_claim){.expected = 1, .within = 0.02}, NAN, measured), LAB_HOLDS);
    assert_int_equal(verdict((lab_claim){.expected = 1, .within = 0.01}, NAN, measured), LAB_FAILS);
    assert_int_equal(verdict((lab_claim){.expected = 1, .within = 0.02}, 1.1, measured), LAB_FAILS);
    assert_int_equal(verdict((lab_claim){.at_most = 1.1}, 1.1, measured), LAB_FAILS);
    assert_int_equal(verdict((lab_claim){.at_least = 1.1}, 1.1, measured), LAB_FAILS);
    assert_int_equal(verdict((lab_claim){.expected = 1.1}, NAN, lab_exactly(NAN)), LAB_FAILS);
}

/* The paper says 1; what we find is 1.1 by formula. */
static void a_known_disagreement_has_a_size(void **state)
{
    lab_claim c = {.expected = 1, .within = 0.02, .known = {"X1", 1.1, 0.01}};
    (void)state;
    assert_int_equal(verdict(c, 1.1, measured), LAB_KNOWN);
    assert_int_equal(verdict(c, 1.12, measured), LAB_FAILS);
    assert_int_equal(verdict(c, 1.08, measured), LAB_FAILS);
    c.expected = 1.05; /* miscopied from the paper: the size is another one */
    assert_int_equal(verdict(c, 1.1, measured), LAB_FAILS);
    c = (lab_claim){.at_most = 1, .known = {"X1", 1.1, 0.01}};
    assert_int_equal(verdict(c, NAN, measured), LAB_KNOWN);
    c.known.size = 1.2;
    assert_int_equal(verdict(c, NAN, measured), LAB_FAILS);
}

static void a_disagreement_that_vanishes_fails(void **state)
{
    lab_claim c = {.expected = 1, .within = 0.02, .known = {"X1", 1.3, 0.1}};
    (void)state;
    assert_int_equal(verdict(c, NAN, lab_exactly(1)), LAB_FAILS);
    c.known = (lab_known){"X1", 1.05, 0.1}; /* unless its size includes that */
    assert_int_equal(verdict(c, NAN, lab_exactly(1)), LAB_HOLDS);
    assert_int_equal(verdict(c, NAN, lab_exactly(1.1)), LAB_KNOWN);
}

static void a_known_disagreement_without_all_its_parts_fails(void **state)
{
    static const lab_known partial[] = {
        {"X1", 0, 0}, {"X1", 1.1, 0}, {"X1", 0, 0.1}, {NULL, 1.1, 0.1}};
    (void)state;
    for (size_t i = 0; i < sizeof partial / sizeof *partial; i++) {
        const lab_claim c = {.expected = 1, .within = 0.02, .known = partial[i]};
        assert_int_equal(verdict(c, 1.1, measured), LAB_FAILS);
        assert_int_equal(verdict(c, NAN, lab_exactly(1)), LAB_FAILS);
    }
    const lab_claim nothing = {.known = {"X1", 1.1, 0.1}};
    assert_int_equal(verdict(nothing, 1.1, measured), LAB_FAILS);
}

static void a_known_disagreement_excuses_no_wrong_formula(void **state)
{
    const lab_claim c = {.expected = 1, .within = 0.02, .known = {"X1", 1.1, 0.01}};
    (void)state;
    assert_int_equal(verdict(c, 1.1, (lab_number){1.3, 1.25, 1.35, 1.2, 1.4}), LAB_FAILS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_claimed_fails),
        cmocka_unit_test(each_figure_can_fail),
        cmocka_unit_test(a_known_disagreement_has_a_size),
        cmocka_unit_test(a_disagreement_that_vanishes_fails),
        cmocka_unit_test(a_known_disagreement_without_all_its_parts_fails),
        cmocka_unit_test(a_known_disagreement_excuses_no_wrong_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
