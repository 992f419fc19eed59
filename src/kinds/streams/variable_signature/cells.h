/* cells.h - variable-signature: one array of bits, cut into stripes that are cleared one by one. */
#ifndef BLM_VARIABLE_SIGNATURE_H
#define BLM_VARIABLE_SIGNATURE_H
#include "parts/enough.h"

enum { STRIPES_MAX = 65536 };

typedef struct blm_signatures {
    blm_flat flat;
    uint32_t stripes,
        window;         /* window: steps that a key of all bits stays, but for the planned misses */
    uint64_t reset;     /* bits that deletes have reset */
    uint8_t ask, least; /* ones that has() needs; the shortest signature that a key may get */
} blm_signatures;

/* What number a key came with: all bits where it came without one. */
static inline unsigned blm_signature_bits(const blm_signatures *s, uint64_t arg)
{
    return arg < s->flat.hashes ? (unsigned)arg : s->flat.hashes;
}

/* ---- steps.c: time, and two filters at once ------------------------------------------------------ */
blm_err blm_signatures_tick(blm_filter *f, uint64_t now);
blm_err blm_signatures_merge(blm_filter *f, const blm_filter *g, blm_report *why);

/* ---- rates.c -------------------------------------------------------------------------------------- */
blm_err blm_signatures_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                            blm_report *why);
blm_rate blm_signatures_fpr(const blm_filter *f, const blm_case *c);
blm_rate blm_signatures_fnr(const blm_filter *f, const blm_case *c);
double blm_signatures_lines(const blm_filter *f, const blm_case *c);
enum { KNOB_ASK, KNOB_LEAST, KNOB_STRIPES };
#endif
