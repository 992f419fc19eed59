/* moves.c - searches that have come far: which buckets they have seen. */
#include "parts/moves.h"

#include <string.h>

#include "core/kind.h"

static unsigned place_of(uint64_t bucket)
{
    return (unsigned)(blm_mix(bucket) % (UINT64_C(2) * BLM_MOVES_STEPS));
}

/* Where the step of this bucket is, or would be. */
static unsigned sought(const blm_moves *m, uint64_t bucket)
{
    unsigned at = place_of(bucket);
    while (m->seen[at] && m->way[m->seen[at] - 1].bucket != bucket)
        at = (at + 1) % (2 * BLM_MOVES_STEPS);
    return at;
}

void blm_moves_reach_far(blm_moves *m, blm_moves_step to)
{
    if (m->known == BLM_MOVES_FEW) { /* all so far, once: none of them is there twice */
        memset(m->seen, 0, sizeof m->seen);
        for (unsigned i = 0; i < m->known; i++)
            m->seen[sought(m, m->way[i].bucket)] = (uint16_t)(i + 1);
    }
    const unsigned at = sought(m, to.bucket);
    if (m->seen[at]) return;
    m->way[m->known++] = to;
    m->seen[at] = (uint16_t)m->known;
}
