/* forms.c - the filters that are compared, and means over rounds. */
#include <inttypes.h>
#include <math.h>

#include "adaptive.h"

/* Slow memory is apart: a filter of S groups has S slow words for each fast one. */
blm_filter *adaptive_make(lab_sheet *s, adaptive_form v, unsigned hashes, uint64_t seed)
{
    const unsigned fast = 64 * ADAPTIVE_WORDS;
    if (v.groups == 1)
        return lab_make(s, "word reads=1 bits=%ub hashes=%u seed=%" PRIu64, fast, hashes, seed);
    blm_filter *f =
        lab_make(s, "adaptive groups=%u check=%s every=%u bits=%ub hashes=%u seed=%" PRIu64,
                 v.groups, v.check ? "on" : "off", v.every, fast * (1 + v.groups), hashes, seed);
    if (!f || lab_field(f, "fast") == 8 * ADAPTIVE_WORDS) return f;
    lab_stuck(s, "adaptive", "it does not have 1024 words in its fast memory");
    blm_free(f);
    return NULL;
}

/* ---- means ------------------------------------------------------------------------------------------------- */

#define SIGMAS  2.5758 /* 99 % of the normal law    */
#define WIDE_BY 3.8906 /* 99.99 %                   */

void adaptive_note(adaptive_rounds *r, double value)
{
    if (r->n < ADAPTIVE_ROUNDS) r->value[r->n++] = value;
}

/* The quantile of Student's t from that of the normal law, by its expansion in 1 / freedom: 3.25 for 2.5758 with
 * nine, as in tables; 6.54 for 3.8906, 1 % low. */
static double student(double z, double freedom)
{
    const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

double adaptive_errors(size_t n) { return student(SIGMAS, (double)n - 1); }

static lab_number with_error(double mean, double error, size_t n)
{
    const double def = adaptive_errors(n) * error;
    const double wide = student(WIDE_BY, (double)n - 1) * error;
    /* None of these numbers can be below 0. */
    return (lab_number){mean, fmax(0, mean - def), mean + def, fmax(0, mean - wide), mean + wide};
}

lab_number adaptive_mean(const adaptive_rounds *r)
{
    double sum = 0, squares = 0;
    if (r->n < 2) return lab_exactly(NAN);
    for (size_t i = 0; i < r->n; i++) sum += r->value[i];
    const double n = (double)r->n, mean = sum / n;
    for (size_t i = 0; i < r->n; i++) squares += (r->value[i] - mean) * (r->value[i] - mean);
    return with_error(mean, sqrt(squares / (n - 1) / n), r->n);
}

/* First order: the error of a / b is that of a - (a / b) b, divided by b. */
lab_number adaptive_beside(const adaptive_rounds *a, const adaptive_rounds *b)
{
    double sum_a = 0, sum_b = 0, squares = 0;
    const size_t rounds = a->n < b->n ? a->n : b->n;
    if (rounds < 2) return lab_exactly(NAN);
    for (size_t i = 0; i < rounds; i++) sum_a += a->value[i], sum_b += b->value[i];
    const double n = (double)rounds, ratio = sum_a / sum_b;
    for (size_t i = 0; i < rounds; i++) {
        const double off = a->value[i] - ratio * b->value[i];
        squares += off * off;
    }
    return with_error(ratio, sqrt(squares / (n - 1) / n) * n / sum_b, rounds);
}

lab_number adaptive_as_is(lab_number n)
{
    n.lowest = n.highest = n.value;
    return n;
}
