/* special.c - pieces of binomial, Poisson and beta distributions.
 *
 * ln n! - ln (n-j)! at n = 10^12 is a difference of two numbers near 3e13: four digits are left.
 * Here the large parts never arise: a probability is written as e^-(deviance) times a slowly
 * varying root, the deviance being 0 at the mean.
 */
#include "theory_internal.h"

double blm_theory_expm1_less(double x)
{
    if (fabs(x) > 0.5) return expm1(x) - x;
    double term = 0.5 * x * x, sum = term;
    for (int i = 3; i < 20 && fabs(term) > 1e-18 * sum; i++) sum += term *= x / i;
    return sum;
}

double blm_theory_deviance(double v, double mean)
{
    double e = (v - mean) / mean;
    if (fabs(e) > 0.2) return v > 0 ? v * log(v / mean) + mean - v : mean;
    /* (1 + e) ln(1 + e) - e = e^2/2 - e^3/6 + e^4/12 - ... */
    double power = e * e, sum = 0.5 * power;
    for (int i = 3; i < 30 && power != 0; i++) {
        power *= -e;
        sum += power / (i * (i - 1.0));
    }
    return mean * sum;
}

/* Below 16 the recurrence lifts z to where five terms of Stirling's series give 1e-17. */
double blm_theory_stirling(double z)
{
    double lifted = 0;
    for (; z < 16; z++) lifted += (z + 0.5) * log1p(1 / z) - 1;
    double r = 1 / (z * z);
    double series = 1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r / 1188)));
    return lifted + series / z;
}

double blm_theory_log_poisson(double lambda, uint64_t j)
{
    if (j == 0) return -lambda;
    double v = (double)j;
    return -blm_theory_stirling(v) - blm_theory_deviance(v, lambda) -
           0.5 * log(BLM_THEORY_TWO_PI * v);
}

double blm_theory_beta_front(double a, double b, double x, double y)
{
    double n = a + b;
    double away = blm_theory_deviance(a, n * x) + blm_theory_deviance(b, n * y);
    double root = sqrt(a / n) * sqrt(b / BLM_THEORY_TWO_PI);
    return root *
           exp(blm_theory_stirling(n) - blm_theory_stirling(a) - blm_theory_stirling(b) - away);
}

/* The continued fraction 1/(1 + d1/(1 + d2/(1 + ...))) of I_x(a, b), by Lentz's method: `up` and
 * `down` are ratios of successive numerators and denominators. It needs some sqrt(max(a, b))
 * steps for x below (a + 1)/(a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double up = 1, down = 1 / (1 - (a + b) * x / (a + 1)), value = down;
    double steps = 1000 + 10 * sqrt(a + b);
    for (double i = 1; i < steps; i++) {
        double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
        double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
        for (int half = 0; half < 2; half++) {
            double d = half ? odd : even;
            down = 1 + d * down;
            up = 1 + d / up;
            if (fabs(down) < tiny) down = tiny;
            if (fabs(up) < tiny) up = tiny;
            down = 1 / down;
            value *= up * down;
        }
        if (fabs(up * down - 1) < 3e-16) break;
    }
    return value;
}

double blm_theory_beta(double a, double b, double x, double y, bool upper)
{
    if (x <= 0 || y <= 0) return (x <= 0) == upper ? 1 : 0;
    double front = blm_theory_beta_front(a, b, x, y);
    bool below = x < (a + 1) / (a + b + 2);
    double part = below ? front * beta_fraction(a, b, x) / a : front * beta_fraction(b, a, y) / b;
    return below == upper ? 1 - part : part;
}
