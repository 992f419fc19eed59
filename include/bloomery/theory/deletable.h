/* bloomery/theory/deletable.h - bits in regions: which members can be deleted.
 *
 * Unstable: these formulas may change or move in any release.
 *
 *     blm_deletable_share(9592957, 7, 1000000, 504893)       12 % of the members of a full filter
 *     blm_deletable_share(9592957, 7, 1000000, 2398240)      90 %
 *
 * m bits of data in `regions` regions of ceil(m / regions) bits, k hashes per key, n distinct keys.
 * A region in which a key has met a bit that another one had set is a collision region, for ever,
 * and its bits are never cleared. A member can be deleted if it has a bit outside of such regions.
 */
#ifndef BLOOMERY_THEORY_DELETABLE_H
#define BLOOMERY_THEORY_DELETABLE_H
#include <bloomery/theory.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The expected share of the members that can be deleted, 1 - (1 - g)^k, where g = q^(kn - 1)
 * (1 - c)^(s - 1), q = (m - 1) / m, is the chance that the region of one of the member's bits has
 * no collision: no other probe hits that bit, and the other bits of the region, s - 1 of them, are
 * hit at most once each, with the chance 1 - c = q^(kn) + kn/m q^(kn - 1). 0.2896 for 2048 bits, 5
 * hashes, 256 keys, 128 regions. The form of the paper, g = (1 - c)^s, gives 0.4333: it forgets
 * that the bit is set already, so that a single hit is a collision. NaN: m, k, n or regions 0, or
 * more regions than m. Cost: 50 ns. */
BLM_API double blm_deletable_share(uint64_t m, unsigned k, uint64_t n, uint64_t regions);

#ifdef __cplusplus
}
#endif
#endif
