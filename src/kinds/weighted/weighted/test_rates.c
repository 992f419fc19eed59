/* test_rates.c - weighted: the rates of its paper's formula, by theory and as measured. */
#include <bloomery/theory/classes.h>

#include "core/unit.h"
#include "oracles.h"
#include "parts/classes.h"

/* ---- 10^4 keys, of which 1000 are members, and how often they are asked --------------------------------------------- */

enum { UNIVERSE = 10000, MEMBERS = 1000 };

typedef struct load {
    double asked[UNIVERSE], held[UNIVERSE];
} load;
static load all;

/* 0: all alike; -1: 1 % of the keys get 99 % of the queries; else Zipf's law with this exponent. */
static void set_load(double skew)
{
    for (unsigned i = 0; i < UNIVERSE; i++) {
        const bool hot = i < UNIVERSE / 100;
        all.asked[i] = skew < 0 ? hot ? 0.99 / 100 : 0.01 / 9900 : pow(i + 1.0, -skew);
        all.held[i] = (double)MEMBERS / UNIVERSE;
    }
}

static double clipped(double k) { return fmin(fmax(k, 1), 64); }

/* The table's "clip rule": k + c within 1 .. 64, with c such that the fill is a half. */
static double clip_to_half(const double *real, double m, double *k)
{
    double low = -64, high = 64;
    for (unsigned step = 0; step < 60; step++) {
        const double c = (low + high) / 2;
        double sum = 0;
        for (unsigned i = 0; i < UNIVERSE; i++) sum += all.held[i] * clipped(real[i] + c);
        *(sum < m * log(2) ? &low : &high) = c;
    }
    for (unsigned i = 0; i < UNIVERSE; i++) k[i] = clipped(real[i] + high);
    return blm_classes_rate(all.asked, all.held, UNIVERSE, m, k);
}

/* By the part's solver, which takes steps after rounding. */
static double solved(double m)
{
    static blm_class c[UNIVERSE];
    static double k[UNIVERSE];
    double sum = 0;
    for (unsigned i = 0; i < UNIVERSE; i++) sum += all.asked[i];
    for (unsigned i = 0; i < UNIVERSE; i++)
        c[i] = (blm_class){.asked = (uint64_t)(all.asked[i] / sum * 0x1p40), .held = 1};
    const blm_classes_room room = {blm_classes_per_key((uint64_t)m, MEMBERS), 0,
                                   blm_best_hashes((uint64_t)m, MEMBERS)};
    blm_classes_solve(c, UNIVERSE, room);
    for (unsigned i = 0; i < UNIVERSE; i++) k[i] = c[i].k;
    return blm_classes_rate(all.asked, all.held, UNIVERSE, m, k);
}

static const struct row {
    const char *name;
    double skew;
    unsigned per_key, standard_k;
    double standard, real, clip, whole, fill;
    double min, max, gain;
} rows[] = {
    {"uniform, 4 bits", 0, 4, 3, .146892, .146342, .146342, .146892, .5276, 3, 3, 1},
    {"step, 4 bits", -1, 4, 3, .146892, .00162049, .00162049, .00165483, .5427, 3, 16, 88.77},
    {"zipf 1.0, 4 bits", 1, 4, 3, .146892, .0406205, .0406205, .0415493, .5006, 1, 15, 3.535},
    {"zipf 1.5, 4 bits", 1.5, 4, 3, .146892, .00252785, .00253364, .00257685, .4981, 1, 21, 57},
    {"uniform, 8 bits", 0, 8, 6, .0215771, .0214158, .0214158, .0215771, .5276, 6, 6, 1},
    {"step, 8 bits", -1, 8, 6, .0215771, .000237144, .000237144, .000240018, .474, 5, 19, 89.9},
    {"zipf 1.0, 8 bits", 1, 8, 6, .0215771, .00594447, .00594447, .00607033, .4983, 4, 17, 3.555},
    {"zipf 1.5, 8 bits", 1.5, 8, 6, .0215771, .00036993, .00036993, .000377978, .5008, 3, 23,
     57.09},
    {"uniform, 12 bits", 0, 12, 8, .00314235, .00313403, .00313403, .00314235, .4866, 8, 8, 1},
    {"step, 12 bits", -1, 12, 8, .00314235, 3.47041e-05, 3.47041e-05, 3.4736e-05, .4921, 8, 21,
     90.46},
    {"zipf 1.0, 12 bits", 1, 12, 8, .00314235, .000869923, .000869923, .00088575, .4991, 7, 20,
     3.548},
    {"zipf 1.5, 12 bits", 1.5, 12, 8, .00314235, 5.41361e-05, 5.41361e-05, 5.52884e-05, .4994, 6,
     26, 56.84},
};

#define FIGURE(r, what, expected, measured)                                                        \
    do {                                                                                           \
        char name_[80];                                                                            \
        snprintf(name_, sizeof name_, "%s: %s", (r)->name, what);                                  \
        ORACLE_NEAR("2.D1", name_, expected, 5e-4, measured);                                      \
    } while (0)

/* Hashes that are rounded, half up, as the figures have them; the solver's rate is never above theirs. */
static void figures_of_the_table(void **state)
{
    static double real[UNIVERSE], k[UNIVERSE];
    (void)state;
    for (size_t r = 0; r < COUNT(rows); r++) {
        const struct row *w = &rows[r];
        const double m = w->per_key * MEMBERS;
        double min = 64, max = 0, sum = 0;
        set_load(w->skew);
        const double standard = blm_rate_approx((uint64_t)m, w->standard_k, MEMBERS);
        FIGURE(w, "standard", w->standard, standard);
        FIGURE(w, "real k", w->real, blm_classes_real(all.asked, all.held, UNIVERSE, m, real));
        FIGURE(w, "real k within 1 to 64", w->clip, clip_to_half(real, m, k));
        for (unsigned i = 0; i < UNIVERSE; i++) {
            k[i] = floor(k[i] + 0.5);
            min = fmin(min, k[i]), max = fmax(max, k[i]), sum += k[i] * all.held[i];
        }
        const double rate = blm_classes_rate(all.asked, all.held, UNIVERSE, m, k);
        FIGURE(w, "whole k", w->whole, rate);
        FIGURE(w, "fill", w->fill, -expm1(-sum / m));
        FIGURE(w, "least k", w->min, min);
        FIGURE(w, "most k", w->max, max);
        FIGURE(w, "gain", w->gain, standard / rate);
        assert_true(solved(m) <= rate * (1 + 1e-9));
    }
}

/* Any chances to be asked and to be a member, over 12 powers of 2: with real k it is never worse than standard with a
 * real k, which is 2^-(m/n ln 2). And doubling the queries of a key buys one hash. */
static void real_k_never_loses(void **state)
{
    uint64_t random = 1;
    double least = 1;
    (void)state;
    for (unsigned run = 0; run < 1000; run++) {
        double asked[20], held[20], k[20], more[20], members = 0;
        const size_t n = 2 + draw(&random) % 19;
        for (size_t i = 0; i < n; i++) {
            asked[i] = exp2((double)(draw(&random) % 12000) / 1000);
            held[i] = exp2(-(double)(draw(&random) % 12000) / 1000);
            members += held[i];
        }
        const double m = (1 + (double)(draw(&random) % 20)) * members;
        const double rate = blm_classes_real(asked, held, n, m, k);
        const double standard = exp2(-m / members * log(2));
        assert_true(rate <= standard * (1 + 1e-12));
        least = fmin(least, rate / standard);
        asked[0] *= 2;
        blm_classes_real(asked, held, n, m, more);
        NEAR(more[0] - more[1], k[0] - k[1] + 1, 1e-9);
    }
    assert_true(least < 0.2); /* and where they differ it wins */
    ORACLE_HOLDS("2.D1", "real k are never worse than standard's", true);
}

static void nothing_for_no_classes(void **state)
{
    double asked[2] = {1, 1}, held[2] = {1, 1}, k[2] = {3, 3};
    (void)state;
    assert_true(isnan(blm_classes_real(asked, held, 0, 8, k)));
    assert_true(isnan(blm_classes_real(asked, held, 2, 0, k)));
    asked[1] = -1;
    assert_true(isnan(blm_classes_real(asked, held, 2, 8, k)));
    asked[1] = 0;
    assert_true(isnan(blm_classes_real(asked, held, 2, 8, k)));
    assert_true(!isnan(blm_classes_rate(asked, held, 2, 8, k)));
    held[0] = held[1] = 0;
    assert_true(isnan(blm_classes_rate(asked, held, 2, 8, k)));
    assert_true(isnan(blm_rate_throws(0, 3, 9)) && isnan(blm_rate_throws(9, 65, 9)));
    assert_true(blm_rate_throws(9, 3, 0) <= 0);
    assert_true(blm_rate_throws(10000, 7, 7000) == blm_rate_exact(10000, 7, 1000));
}

/* ---- measured --------------------------------------------------------------------------------------------------- */

typedef struct workload {
    unsigned classes;
    double asked[16], size[16]; /* shares; keys of the universe */
} workload;

/* Keys of one k are one class: 14 of them for Zipf's law with 8 bits per key. */
static workload workload_of(double skew)
{
    static double k[UNIVERSE];
    workload w = {0};
    double sum = 0, last = 0;
    set_load(skew);
    blm_classes_real(all.asked, all.held, UNIVERSE, 8.0 * MEMBERS, k);
    for (unsigned i = 0; i < UNIVERSE; i++) sum += all.asked[i];
    for (unsigned i = 0; i < UNIVERSE; i++) {
        if (!i || floor(k[i] + 0.5) < last) w.classes++;
        last = floor(k[i] + 0.5);
        assert_true(w.classes <= 16);
        w.asked[w.classes - 1] += all.asked[i] / sum;
        w.size[w.classes - 1]++;
    }
    return w;
}

static blm_filter *filter_of(const workload *w, uint64_t seed)
{
    char with[512] = "asked=";
    for (unsigned i = 0; i < w->classes; i++)
        snprintf(with + strlen(with), sizeof with - strlen(with), "%s%.7g", i ? ":" : "",
                 w->asked[i]);
    strcat(with, " size=");
    for (unsigned i = 0; i < w->classes; i++)
        snprintf(with + strlen(with), sizeof with - strlen(with), "%s%g", i ? ":" : "", w->size[i]);
    return made_new(BLM_CONFIG(.kind = "weighted", .bits = 8 * MEMBERS, .keys = MEMBERS,
                               .with = with, .seed = seed));
}

/* A tenth of the keys of each class, so that the members are as planned: of 14 classes 1000 within 1. */
static unsigned fill(blm_filter *f, const workload *w)
{
    double due = 0, seen = 0;
    unsigned n = 0;
    for (unsigned c = 0; c < w->classes; c++) {
        seen += w->size[c];
        for (due = floor(seen * MEMBERS / UNIVERSE + 0.5); n < due; n++) {
            const blm_item it = blm_item_u64(f, n, c);
            assert_int_equal(blm_add_item(f, &it, NULL), BLM_OK);
        }
    }
    return n;
}

/* Queries for non-members as often as each class is asked. */
static uint64_t ask(const blm_filter *f, const workload *w, uint64_t queries, uint64_t *random)
{
    enum { GROUP = 1024 };
    blm_hash h[GROUP];
    uint64_t arg[GROUP], hits = 0;
    uint8_t yes[GROUP];
    for (uint64_t at = 0; at < queries; at += GROUP) {
        for (size_t i = 0; i < GROUP; i++) {
            double u = (double)(draw(random) >> 11) * 0x1p-53;
            unsigned c = 0;
            while (c + 1 < w->classes && u >= w->asked[c]) u -= w->asked[c++];
            arg[i] = c;
            h[i] = (blm_hash){draw(random), 0};
        }
        blm_has_many(f, h, arg, GROUP, yes);
        for (size_t i = 0; i < GROUP; i++) hits += yes[i];
    }
    return hits;
}

static blm_filter *standard_like(uint64_t seed)
{
    blm_filter *f = made_new(
        BLM_CONFIG(.kind = "standard", .bits = 8 * MEMBERS, .keys = MEMBERS, .seed = seed));
    add_run(f, 0, MEMBERS);
    return f;
}

/* 40 filters; 1024 * `groups` queries each. Given their fills the hits are binomial; the mean of the fills moves the
 * expectation by the spread over the root of 40. */
static void measure(const char *name, double skew, unsigned groups, double whole, double gain)
{
    enum { FILTERS = 40 };
    const workload w = workload_of(skew), one = {.classes = 1, .asked = {1}, .size = {UNIVERSE}};
    const uint64_t queries = UINT64_C(1024) * groups;
    double given = 0, hits = 0, standard_hits = 0;
    char text[80];
    blm_rate planned = {0, 0, 0}, plain = {0, 0, 0};
    uint64_t random = 1;
    for (uint64_t seed = 1; seed <= FILTERS; seed++) {
        blm_filter *f = filter_of(&w, seed), *s = standard_like(seed);
        assert_int_equal(fill(f, &w), MEMBERS);
        given += blm_fpr(f, NULL).high * (double)queries;
        planned = blm_fpr(f, &(blm_case){.keys = MEMBERS, .arg = BLM_NO_ARG});
        plain = blm_fpr(s, &(blm_case){.keys = MEMBERS, .arg = BLM_NO_ARG});
        hits += (double)ask(f, &w, queries, &random);
        standard_hits += (double)ask(s, &one, queries, &random);
        blm_free(f), blm_free(s);
    }
    const double all_queries = (double)(FILTERS * queries), want = planned.high * all_queries;
    const double sigma = sqrt(want + pow(want * planned.spread, 2) / FILTERS);
    assert_true(want > 300);
    WITHIN(hits, given, 4 * sqrt(given));
    WITHIN(hits, want, 4 * sigma);
    /* The figure is of k that are only rounded, and of the mean fill: ours is below it, or above by the exact rate. */
    snprintf(text, sizeof text, "%s, measured", name);
    ORACLE_BETWEEN("2.D1", text, whole, whole * 0.97 - 4 * sigma / all_queries,
                   whole * 1.01 + 4 * sigma / all_queries, hits / all_queries);
    const double better = standard_hits / hits;
    const double error =
        better * sqrt(1 / standard_hits + pow(plain.spread, 2) / FILTERS + pow(sigma / want, 2));
    snprintf(text, sizeof text, "%s, gain over standard as measured", name);
    ORACLE_BETWEEN("2.D1", text, gain, gain - 4 * error, gain * 1.03 + 4 * error, better);
}

static void measured_step(void **state)
{
    (void)state;
    measure("step, 8 bits", -1, 250, .000240018, 89.9);
}

static void measured_zipf(void **state)
{
    (void)state;
    measure("zipf 1.0, 8 bits", 1, 50, .00607033, 3.555);
}

/* Each class has its own rate, from its k and the common fill. 4 sigma, binomial. */
static void each_class_has_its_rate(void **state)
{
    const workload w = workload_of(1);
    blm_filter *f = filter_of(&w, 1);
    double mean = 0;
    uint64_t random = 7;
    (void)state;
    fill(f, &w);
    const double ones = info_of(f).fill;
    for (unsigned c = 0; c < w.classes; c++) {
        char name[8];
        snprintf(name, sizeof name, "k%u", c);
        const double k = (double)field(f, name), p = pow(ones, k);
        const blm_rate r = blm_fpr(f, &(blm_case){.keys = MEMBERS, .arg = c});
        WITHIN(p, r.high, 4 * r.spread * r.high);
        mean += w.asked[c] * p;
        uint64_t hits = 0;
        for (unsigned i = 0; i < 50000; i++) {
            const blm_item it = {{draw(&random), 0}, NULL, 8, c};
            hits += blm_has_item(f, &it);
        }
        WITHIN((double)hits, 50000 * p, 4 * sqrt(50000 * p) + 4);
    }
    NEAR(blm_fpr(f, NULL).high, mean, 1e-5); /* shares are kept in 2^-32 */
    blm_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_the_table),   cmocka_unit_test(real_k_never_loses),
        cmocka_unit_test(nothing_for_no_classes), cmocka_unit_test(measured_step),
        cmocka_unit_test(measured_zipf),          cmocka_unit_test(each_class_has_its_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
