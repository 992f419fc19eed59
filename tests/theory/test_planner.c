/* test_planner.c - 200 random wishes against the closed forms of the kinds, computed on their own: form.h of each room.
 *
 * What the planner may differ by from the form of an array of cells, and why:
 *  - the exact rate is above that formula, because the fill varies: by a part k(k-1)/2 Var(fill)/fill^2, and
 *    Var(fill) < fill/m; we allow k(k+2) / (m fill), twice that and a little. In keys or cells it is a part
 *    (k+2) / (m fill), since the rate goes with the k-th power of the load at most;
 *  - standard rounds its bits up to a multiple of a power of two, by less than 1/256, to be foldable;
 *  - an array is whole words of 64 bits.
 */
#include "slow.h"
#include "theory/forms/forms.h"

#include "forms.h" /* made from the rooms: each form.h, and ALL_FORMS */

enum { WISHES = 200, TRIED = TEST_SLOW ? 40 : WISHES };

/* Offers of 200 wishes, at least: a kind has one, or one for each of its words, but for wishes that it cannot do. */
static const struct known {
    const char *kind;
    void (*check)(const blm_offer *o, const blm_config *c);
    unsigned offers;
} all_known[] = {ALL_FORMS};

static size_t known_as(const char *kind)
{
    size_t i = 0;
    while (i < COUNT(all_known) && strcmp(all_known[i].kind, kind) != 0) i++;
    if (i == COUNT(all_known))
        fail_msg("%s: its room has no form.h, the closed form that its offers are compared with",
                 kind);
    return i;
}

typedef enum form { N_P, N_P_K, M_P, M_P_K, N_M, N_M_K, FORMS } form;

static double uniform(uint64_t *state) { return (double)(draw(state) >> 11) * 0x1p-53; }

/* Keys 30 to 10^9, rates 0.3 to 10^-10, bits 3 to 40 per key, hashes half to twice the best of the rate, all evenly by
 * their logarithm. */
static blm_config random_wish(uint64_t *state, form *f)
{
    blm_config c;
    blm_config_init(&c);
    *f = (form)draw_below(state, FORMS);
    const double n = floor(30 * pow(1e9 / 30, uniform(state)));
    const double p = 0.3 * pow(1e-10 / 0.3, uniform(state));
    const double m = floor(n * 3 * pow(40 / 3.0, uniform(state)));
    const unsigned k = (unsigned)ceil(-log2(p) * pow(2, 2 * uniform(state) - 1));
    if (*f == N_P || *f == N_P_K || *f == N_M || *f == N_M_K) c.keys = (uint64_t)n;
    if (*f == N_P || *f == N_P_K || *f == M_P || *f == M_P_K) c.fpr = p;
    if (*f == M_P || *f == M_P_K || *f == N_M || *f == N_M_K) c.bits = (uint64_t)m + BLOCK;
    if (*f == N_P_K || *f == M_P_K || *f == N_M_K) c.hashes = k;
    return c;
}

/* What was offered is what is made. */
static bool check_made(const blm_offer *o)
{
    blm_filter *f = NULL;
    blm_info i;
    blm_report why = {BLM_OK, ""};
    if (o->bytes > 1 << 20) return false;
    if (blm_make(&f, o->spec, &why)) fail_msg("%s: %s", o->spec, why.text);
    blm_info_of(f, &i);
    const blm_case full = {.keys = i.capacity, .arg = BLM_NO_ARG};
    assert_string_equal(i.kind, o->kind);
    assert_int_equal(i.bytes, o->bytes);
    assert_int_equal(i.capacity, o->capacity);
    assert_int_equal(i.hashes, o->hashes);
    assert_int_equal(i.can, o->can);
    assert_true(i.fpr_target == o->fpr);
    assert_true(blm_fpr(f, &full).high == o->rate);
    blm_free(f);
    return true;
}

static void offers_agree_with_the_closed_forms(void **nothing)
{
    uint64_t state = 1;
    unsigned made = 0, seen[COUNT(all_known)] = {0};
    (void)nothing;
    for (unsigned w = 0; w < TRIED; w++) {
        form f;
        const blm_config c = random_wish(&state, &f);
        static blm_offer offer[400];
        blm_report why = {BLM_OK, ""};
        size_t n = COUNT(offer);
        if (blm_plan(&c, 0, offer, &n, &why)) fail_msg("wish %u: %s", w, why.text);
        for (size_t i = 0; i < n; i++) {
            const blm_offer *o = &offer[i];
            const size_t kind = known_as(o->kind);
            NEAR(o->bits_per_key, 8.0 * (double)o->bytes / (double)o->capacity, 1e-15);
            if (c.keys) assert_int_equal(o->capacity, c.keys);
            if (c.hashes) assert_int_equal(o->hashes, c.hashes);
            all_known[kind].check(o, &c);
            seen[kind]++;
            made += check_made(o);
        }
    }
    for (size_t i = 0; i < COUNT(all_known); i++)
        if (seen[i] < all_known[i].offers / (TEST_SLOW ? 10 : 1))
            fail_msg("%s: %u offers, expected %u", all_known[i].kind, seen[i], all_known[i].offers);
    assert_true(made > (TEST_SLOW ? 20 : 150));
}

/* Random wishes for counts from 1 to 10^6, of each kind that counts. The forms compute how wide its counters must be. */
static void counters_are_as_wide_as_counts_need(void **nothing)
{
    static const char *const kinds[] = {"counting", "dleft", "layered", "spectral", "count-min"};
    enum { COUNTED = TEST_SLOW ? 10 : 30 };
    uint64_t state = 2;
    unsigned offers = 0, made = 0;
    (void)nothing;
    for (unsigned w = 0; w < COUNTED; w++) {
        form f;
        blm_config c = random_wish(&state, &f);
        c.max_count = (uint64_t)pow(1e6, uniform(&state));
        c.bits *= 20; /* counters instead of bits: as many cells as before */
        for (size_t k = 0; k < COUNT(kinds); k++) {
            blm_offer offer[8];
            size_t n = COUNT(offer);
            c.kind = kinds[k];
            if (blm_plan(&c, 0, offer, &n, NULL)) continue;
            for (size_t i = 0; i < n; i++) {
                assert_true(offer[i].max_count >= c.max_count);
                all_known[known_as(kinds[k])].check(&offer[i], &c);
                made += check_made(&offer[i]);
            }
            offers += (unsigned)n;
        }
    }
    if (offers < 5 * COUNTED) fail_msg("%u offers of %u wishes", offers, COUNTED);
    assert_true(made > COUNTED / 4);
}

static const char *first_of_the_usual(uint64_t keys, double fpr)
{
    static blm_offer offer[400];
    size_t n = COUNT(offer), i = 0;
    assert_int_equal(blm_plan(BLM_CONFIG(.keys = keys, .fpr = fpr), 0, offer, &n, NULL), BLM_OK);
    while (strcmp(offer[i].kind, "standard") != 0 && strcmp(offer[i].kind, "blocked") != 0) i++;
    return offer[i].kind;
}

/* The default is the better one of two kinds. At 1e-4 itself rounding decides. */
static void usual_kind_is_the_best(void **nothing)
{
    static const double rates[] = {0.2, 1e-2, 1e-3, 3e-4, 5e-5, 1e-6, 1e-9};
    (void)nothing;
    for (uint64_t keys = 5000; keys < 1000000000; keys *= TEST_SLOW ? 1369 : 37)
        for (size_t i = 0; i < COUNT(rates); i++) {
            const char *def = blm_default_kind(keys, rates[i], 0, 0);
            assert_string_equal(def, first_of_the_usual(keys, rates[i]));
            assert_string_equal(def, rates[i] < 1e-4 ? "standard" : "blocked");
        }
    assert_string_equal(blm_default_kind(0, 0, 0, 0), "blocked");
    assert_string_equal(blm_default_kind(1000, 0, 10000, 0), "blocked");  /* 0.8 % */
    assert_string_equal(blm_default_kind(1000, 0, 30000, 0), "standard"); /* 5e-7 */
    assert_string_equal(blm_default_kind(1000, 0, 30000, 1), "blocked");  /* 3 % with one hash */
    assert_string_equal(blm_default_kind(1000, 1e-6, 10000, 0), "standard");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_kind_is_the_best),
        cmocka_unit_test(offers_agree_with_the_closed_forms),
        cmocka_unit_test(counters_are_as_wide_as_counts_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
