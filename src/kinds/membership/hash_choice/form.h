/* form.h - groups of 64 keys that choose k of 2k functions, and the table of what they chose. */
#ifndef BLM_FORM_HASH_CHOICE_H
#define BLM_FORM_HASH_CHOICE_H
#include "theory/forms/cells.h"

/* Bits that a group of g keys saves, when a bit is zero with this chance and it takes the k best of L functions: the
 * new bits of a function are nearly normal, and the i-th of L normal numbers lies where (i - 3/8) / (L + 1/4) of them
 * are below (Blom). */
static inline double saved_by_choice(unsigned k, unsigned library, double g, double zero)
{
    double sum = 0;
    for (unsigned i = 1; i <= k; i++) {
        const double part = (i - 0.375) / (library + 0.25);
        double low = -9, high = 9;
        while (high - low > 1e-9) {
            const double z = (low + high) / 2;
            *(erfc(-z / sqrt(2)) / 2 < part ? &low : &high) = z;
        }
        sum -= low;
    }
    return sum * sqrt(g * zero * (1 - zero));
}

/* Groups one after the other, and 1.3 times their savings by the second pass. */
static inline double choice_rate(double m, unsigned k, unsigned library, double n, double groups)
{
    enum { STEPS = 200 };
    const double plain = -expm1(-(double)k * n / m), g = n / groups,
                 each = saved_by_choice(k, library, g, 0.5) * 2;
    double ones = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        double zero = 1 - ones / m;
        const double middle =
            ones + groups / STEPS / 2 * (g * k * zero - each * sqrt(zero * fmax(0, 1 - zero)));
        zero = 1 - middle / m;
        ones += groups / STEPS * (g * k * zero - each * sqrt(zero * fmax(0, 1 - zero)));
    }
    return pow(plain - (plain - ones / m) * (1 + 0.3 * pow(2.0 * k / library, 0.6)), k);
}

/* hash-choice: the table's bits are in the size; below 8 groups the rate is standard's, from 100 on that of the gain. */
static inline void check_picks(const blm_offer *o, const blm_config *c)
{
    const double n = (double)o->capacity, k = o->hashes;
    const double known = c->bits && !c->keys && c->hashes ? (double)c->bits * 0.69 / k : n;
    const double groups = ceil(known / 64);
    unsigned library = 2 * o->hashes < 64 ? 2 * o->hashes : 64, width = 0;
    while (library > o->hashes &&
           lgamma(library + 1.0) - lgamma(k + 1) - lgamma(library - k + 1) > 57 * log(2))
        library--;
    const double ways = exp(lgamma(library + 1.0) - lgamma(k + 1) - lgamma(library - k + 1));
    while (pow(2, width) < ways * (1 - 1e-9)) width++;
    const double table = ceil(groups * width / 64) * 64;
    const double m = c->bits ? (double)c->bits - table : (double)o->bytes * 8 - table - WORD / 2.0;
    if (c->bits) assert_true((double)o->bytes * 8 < (double)c->bits + WORD);
    if (c->fpr > 0) assert_true(o->rate <= c->fpr);
    if (groups < 8 && m > 1000)
        NEAR(o->rate, closed_rate(m, k, n), 0.02 + 2.5 * k * (k + 2) / m + 40 * k / m);
    if (groups >= 100 && k * n < 1.5 * m && k * n > 0.4 * m) /* where nearly normal is near */
        NEAR(o->rate, choice_rate(m, o->hashes, library, n, groups), 0.012 * k + 0.02);
    assert_true(o->rate <= closed_rate(m - WORD, k, n) * (1 + 3 * k * (k + 2) / m + k * WORD / m));
}

/* 200 wishes yield at least this many offers: some memories are less than the table. */
#define FORM_HASH_CHOICE "hash-choice", check_picks, 150
#endif
