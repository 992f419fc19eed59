/* theory.c - how many counters per key are enough: density evolution of the message passing. */
#include <math.h>

#include "cells.h"

enum { ROUNDS = 20000, HALVINGS = 30 };

/* y: the chance that a message from a key is still open when all its lower bounds are old; x: from a counter's side, one
 * iteration before. Bounds of a key that came `least` times are exact from the first lower bound on, so that only `share`
 * of the keys ever keep a lower bound open. It is decoded when y falls to 0. */
static bool decodes(unsigned k, double share, double beta)
{
    double y = share;
    for (int i = 0; i < ROUNDS; i++) {
        const double x = pow(-expm1(-(double)k * y / beta), k - 1.0);
        const double next = share * pow(-expm1(-(double)k * x / beta), k - 1.0);
        if (next < 1e-9) return true;
        if (next >= y * (1 - 1e-12)) return false;
        y = next;
    }
    return false;
}

double blm_braids_threshold(unsigned k, double share)
{
    double low = 0.01, high = 64; /* k = 64 needs 10.7 */
    if (k < BRAIDS_HASHES || k > 64 || !(share > 0 && share <= 1)) return NAN;
    for (int i = 0; i < HALVINGS; i++) {
        const double beta = (low + high) / 2;
        *(decodes(k, share, beta) ? &high : &low) = beta;
    }
    return high;
}
