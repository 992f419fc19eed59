/* form.h - stable: P by the equation of the paper, and what is missed by the powers of the matrix of a cell of 3 bits. */
#ifndef BLM_FORM_STABLE_H
#define BLM_FORM_STABLE_H
#include "theory/forms/forms.h"

enum { STABLE_STATES = 8 };
typedef struct stable_matrix {
    double p[STABLE_STATES][STABLE_STATES];
} stable_matrix;

static inline stable_matrix stable_times(const stable_matrix *a, const stable_matrix *b)
{
    stable_matrix c = {{{0}}};
    for (int i = 0; i < STABLE_STATES; i++)
        for (int j = 0; j < STABLE_STATES; j++)
            for (int k = 0; k < STABLE_STATES; k++) c.p[i][j] += a->p[i][k] * b->p[k][j];
    return c;
}

/* One arrival: lowered once, or by each of P picks; then set to 7 with chance s. */
static inline stable_matrix stable_arrival(double m, double k, double picks, bool each)
{
    const double s = -expm1(k * log1p(-1 / m));
    stable_matrix a = {{{0}}};
    for (int v = 0; v < STABLE_STATES; v++) {
        double chance = each ? exp(picks * log1p(-1 / m)) : 1 - picks / m, left = 1;
        for (int down = 0; down < v; down++) {
            a.p[v][v - down] += chance * (1 - s);
            left -= chance;
            chance = each ? chance * (picks - down) / (down + 1) / (m - 1) : down ? 0 : picks / m;
        }
        a.p[v][0] += left * (1 - s);
        a.p[v][7] += s;
    }
    return a;
}

/* The chance that a cell is zero after n arrivals, from this value on. */
static inline double stable_zero(double m, double k, double picks, bool each, double n, int from)
{
    stable_matrix power = stable_arrival(m, k, picks, each), all = {{{0}}};
    for (int v = 0; v < STABLE_STATES; v++) all.p[v][v] = 1;
    for (uint64_t i = (uint64_t)n; i; i /= 2) {
        if (i % 2) all = stable_times(&all, &power);
        power = stable_times(&power, &power);
    }
    return all.p[from][0];
}

static inline double stable_lowered(double m, double k, double p)
{
    return ceil(1 / ((pow(1 - pow(p, 1 / k), -1 / 7.0) - 1) * (1 / k - 1 / m)) * (1 - 1e-9));
}

static inline double stable_missed(double m, double k, double p, bool each, double n)
{
    const double picks = stable_lowered(m, k, p);
    if (k >= m || picks > m) return 2;
    return 1 - pow(1 - stable_zero(m, k, picks, each, n, 7), k);
}

/* With these cells n keys stay: some K misses 1 in 20 of the oldest or fewer. Cells that are planned are 2048 and 32 runs. */
static inline bool stable_keeps(double m, double p, bool each, double n, unsigned hashes,
                                bool planned)
{
    for (unsigned k = hashes ? hashes : 1; k <= (hashes ? hashes : 10); k++) {
        const bool few = planned && (m < 2048 || (!each && m < 32 * stable_lowered(m, k, p)));
        if (!few && stable_missed(m, k, p, each, n) <= 0.05) return true;
    }
    return false;
}

static inline void check_stable(const blm_offer *o, const blm_config *c)
{
    const bool each = strstr(o->with, "pick=each") != NULL;
    const double n = (double)o->capacity, k = o->hashes;
    const double m = floor((c->bits ? (double)c->bits : (double)o->bytes * 8) / 3);
    /* A promise that follows from the bits is that of cells which may repeat, and has 24 bits. */
    const double p = c->fpr > 0 ? c->fpr * (1 + 1e-9) : o->fpr * (1 + k * k / m + 1e-6);
    assert_true(o->misses && o->fpr <= p && o->rate <= p);
    assert_true(stable_missed(m, k, p, each, n) <= 0.05 * (1 + 1e-5)); /* powers lose n 2^-53 */
    /* P is more than the paper's where the share of zeros varies: a part k (k + 1) / m of the rate, as it goes with the cells. */
    const double closer = 0.01 + 2 * k * k / (m * pow(p, 1 / k));
    if (!c->bits) assert_true(!stable_keeps(m * (1 - closer) - 22, p, each, n, c->hashes, true));
    if (!c->keys)
        assert_true(!stable_keeps(m, p, each, ceil(n * (1 + closer)) + 1, c->hashes, false));
    if (c->keys && c->bits)
        assert_true(!stable_keeps(m, p / (1.01 + k * closer), each, n, c->hashes, false));
    const double x = 1 - stable_zero(m, k, stable_lowered(m, k, p), each, n, 0);
    assert_true(o->rate >= pow(x, k) * (1 - k * closer) - 1e-15);
    assert_true(o->rate <= pow(x, k) * (1 + k * k / (m * x) + 22 * k / m + 1e-6) + 1e-15);
}

/* At least this many offers for 200 wishes: bits that are given are mostly too few. */
#define FORM_STABLE "stable", check_stable, 200
#endif
