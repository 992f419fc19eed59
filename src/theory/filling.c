/* filling.c - means over the number of ones of an array of bits, where adds throw bits anywhere and also set zeros.
 *
 * Up to EXACT bits the chances of all numbers of ones are computed, bit after bit. Past them the ones are a normal
 * number, and three of its values are enough (Gauss, Hermite): right for powers up to the fifth, and the ones then differ
 * by less than 2 % between filters.
 */
#include "theory_internal.h"

enum { EXACT = 512, PANELS = 16 };

/* The share of ones at the part s of the adds, which take `load` throws per cell in all: (1 + phi) (1 - e^(-load s)). A
 * throw finds a zero with the chance of their share, a set always: where it says more than 1, all are ones. */
typedef struct curve {
    double load, phi;
} curve;

static curve curve_of(const blm_theory_filling *f)
{
    const double m = (double)f->m;
    if (f->m < 2) return (curve){(double)INFINITY, 0};
    const double leave = -log1p(-1 / m) * f->throws;
    return (curve){leave * (double)f->n, f->sets / m / -expm1(-leave)};
}

static double ones_at(curve c, double s) { return -(1 + c.phi) * expm1(-c.load * s); }

double blm_theory_filled(const blm_theory_filling *f)
{
    return f->n ? fmin(1, ones_at(curve_of(f), 1)) : 0;
}

/* Each throw adds z (1 - z) / m^2 to the variance of the zeros, and each that follows leaves (1 - 1/m)^2 of it:
 * Simpson's rule over all throws. Positive numbers only. */
static double filled_sd(const blm_theory_filling *f)
{
    const curve c = curve_of(f);
    double sum = 0;
    if (!isfinite(c.load)) return 0;
    for (int i = 0; i <= PANELS; i++) {
        const double s = (double)i / PANELS, ones = fmin(1, ones_at(c, s));
        const double weight = i == 0 || i == PANELS ? 1 : i % 2 ? 4 : 2;
        sum += weight * exp(-2 * c.load * (1 - s)) * ones * (1 - ones);
    }
    return sqrt(sum / (3 * PANELS) * c.load / (double)f->m);
}

static blm_rate rate_of(double mean, double square)
{
    const double p = fmin(mean, 1), variance = square - mean * mean;
    return (blm_rate){p, p, variance > 0 && mean > 0 ? sqrt(variance) / mean : 0};
}

/* chance[x] of x ones, at most `max` of them. */
static void throw_one(double *chance, unsigned max, double m)
{
    for (unsigned x = max; x > 0; x--)
        chance[x] = chance[x] * (x / m) + chance[x - 1] * ((m - x + 1) / m);
    chance[0] = 0;
}

static void set_one(double *chance, unsigned max, double m)
{
    const double full = max >= m ? chance[max] : 0;
    for (unsigned x = max; x > 0; x--) chance[x] = chance[x - 1];
    chance[0] = 0;
    chance[max] += full;
}

static blm_rate exactly(const blm_theory_filling *f, double (*of)(double fill, const void *ctx),
                        const void *ctx)
{
    double chance[EXACT + 1] = {1}, mean = 0, square = 0;
    const unsigned bits = (unsigned)f->n * (f->throws + f->sets);
    const unsigned max = f->m < bits ? (unsigned)f->m : bits;
    for (unsigned i = 0; i < f->n; i++) {
        for (unsigned t = 0; t < f->throws; t++) throw_one(chance, max, (double)f->m);
        for (unsigned t = 0; t < f->sets; t++) set_one(chance, max, (double)f->m);
    }
    for (unsigned x = 0; x <= max; x++) {
        const double v = of(x / (double)f->m, ctx);
        mean += chance[x] * v;
        square += chance[x] * v * v;
    }
    return rate_of(mean, square);
}

blm_rate blm_theory_over_fill(const blm_theory_filling *f,
                              double (*of)(double fill, const void *ctx), const void *ctx)
{
    double mean = 0, square = 0;
    if (!f->n) return (blm_rate){0, 0, 0};
    if ((double)f->n * (f->throws + f->sets) <= EXACT) return exactly(f, of, ctx);
    const double middle = ones_at(curve_of(f), 1), far = sqrt(3) * filled_sd(f);
    for (int i = -1; i <= 1; i++) {
        const double v = of(fmin(fmax(middle + i * far, 0), 1), ctx), weight = i ? 1 : 4;
        mean += weight * v;
        square += weight * v * v;
    }
    return rate_of(mean / 6, square / 6);
}
