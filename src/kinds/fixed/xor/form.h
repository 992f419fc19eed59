/* form.h - xor: by a rate, the smallest w with 2^-w at most that; by bits, the largest that fits; three equal blocks. */
#ifndef BLM_FORM_XOR_H
#define BLM_FORM_XOR_H
#include "theory/forms/fixed.h"

static inline double xor_cells(double n) { return 3 * floor((32 + floor(1.23 * n)) / 3); }

static inline void check_xor(const blm_offer *o, const blm_config *c)
{
    check_prints(o, c, xor_cells);
}

/* 200 wishes yield at least this many offers: others name hashes. */
#define FORM_XOR "xor", check_xor, 60
#endif
