/* dleft.c - fingerprints in buckets with d choices: size, and how full buckets get. */
#include <bloomery/theory/dleft.h>
#include "theory/theory_internal.h"

enum { CELL_BITS = 57, LEVELS = 64, DLEFT_TABLES_MAX = 8 };

static bool sane(unsigned tables, unsigned slots, unsigned width, uint64_t n)
{
    return tables && tables <= DLEFT_TABLES_MAX && slots > 2 && width && width < CELL_BITS && n;
}

/* Keys that one bucket of each table is planned for. */
static double planned(unsigned tables, unsigned slots) { return tables * (slots - 2.0); }

bool blm_size_dleft(uint64_t n, double p, unsigned tables, unsigned slots, unsigned width,
                    uint64_t *buckets, unsigned *remainder)
{
    const double keys = (double)n, range = -1 / expm1(log1p(-p) / keys); /* of fingerprints */
    double min = (double)INFINITY;
    if (!sane(tables, slots, width, n) || !(p > 0 && p < 1)) return false;
    for (unsigned r = 1; r + width <= CELL_BITS; r++) {
        const double wanted = ceil(ldexp(range, -(int)r) * (1 - 1e-12));
        double b = fmax(ceil(keys / planned(tables, slots)), wanted);
        while (b < 0x1p50 && ldexp(b, (int)r) <= 0x1p63 && blm_rate_prints((uint64_t)b << r, n) > p)
            b += 1 + floor(b * 0x1p-40);
        if (b >= 0x1p50 || ldexp(b, (int)r) > 0x1p63 || b * (r + width) >= min) continue;
        min = b * (r + width);
        *buckets = (uint64_t)b;
        *remainder = r;
    }
    return isfinite(min);
}

bool blm_fit_dleft(uint64_t bits, uint64_t n, unsigned tables, unsigned slots, unsigned width,
                   uint64_t *buckets, unsigned *remainder)
{
    if (!sane(tables, slots, width, n)) return false;
    for (unsigned r = CELL_BITS - width; r; r--) {
        const uint64_t b = bits / ((uint64_t)tables * slots * (r + width));
        if (!b || b > (UINT64_C(1) << 63) >> r || b > UINT64_C(1) << 50) continue;
        if ((double)b * planned(tables, slots) < (double)n) continue;
        *buckets = b;
        *remainder = r;
        return true;
    }
    return false;
}

/* z[i][j], the share of buckets of table j with at least i cells in use, grows by the chance that the next
 * key finds a bucket with i - 1 there, fuller ones to the left and none emptier to the right. */
static void drift(unsigned tables, double z[LEVELS][DLEFT_TABLES_MAX],
                  double dz[LEVELS][DLEFT_TABLES_MAX])
{
    for (unsigned i = 1; i < LEVELS; i++)
        for (unsigned j = 0; j < tables; j++) {
            double chance = z[i - 1][j] - z[i][j];
            for (unsigned k = 0; k < tables; k++)
                if (k != j) chance *= k < j ? z[i][k] : z[i - 1][k];
            dz[i][j] = chance;
        }
}

static void step(unsigned tables, double z[LEVELS][DLEFT_TABLES_MAX], double by)
{
    double at[LEVELS][DLEFT_TABLES_MAX], slope[4][LEVELS][DLEFT_TABLES_MAX] = {{{0}}};
    static const double to[4] = {0, 0.5, 0.5, 1};
    for (unsigned s = 0; s < 4; s++) { /* Runge, Kutta */
        for (unsigned i = 0; i < LEVELS; i++)
            for (unsigned j = 0; j < tables; j++)
                at[i][j] = z[i][j] + (s ? to[s] * by * slope[s - 1][i][j] : 0);
        drift(tables, at, slope[s]);
    }
    for (unsigned i = 1; i < LEVELS; i++)
        for (unsigned j = 0; j < tables; j++)
            z[i][j] += by / 6 *
                       (slope[0][i][j] + 2 * slope[1][i][j] + 2 * slope[2][i][j] + slope[3][i][j]);
}

double blm_dleft_load(unsigned tables, double load, unsigned cells)
{
    double z[LEVELS][DLEFT_TABLES_MAX] = {{0}}, sum = 0;
    if (!tables || tables > DLEFT_TABLES_MAX || cells >= LEVELS ||
        !(load >= 0 && load <= LEVELS / 2.0))
        return (double)NAN;
    for (unsigned j = 0; j < tables; j++) z[0][j] = 1;
    const unsigned steps = (unsigned)ceil(load * tables * 64);
    for (unsigned s = 0; s < steps; s++) step(tables, z, load * tables / steps);
    for (unsigned j = 0; j < tables; j++) sum += z[cells][j];
    return sum / tables;
}
