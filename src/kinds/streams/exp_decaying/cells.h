/* cells.h - exp-decaying: one array of bits; each hop keeps one in d of the ones. */
#ifndef BLM_EXP_DECAYING_H
#define BLM_EXP_DECAYING_H
#include "parts/enough.h"

enum {
    FADE_MAX = 65536,
    FADE_HOPS_MAX = 64,
    FADE_HOPS =
        1024, /* after this many at once no bit is left: one of 2^60 would be with a chance of 2^-964 */
    FADE_BITS = 32 /* when no number is given */
};

typedef struct blm_fading {
    blm_flat flat;
    uint32_t fade; /* d */
    uint8_t theta; /* ones that has() needs */
    uint8_t hops;  /* hops that a key is to be seen */
} blm_fading;

/* ---- hops.c: fading, and two filters at once -------------------------------------------------------- */
blm_err blm_fading_tick(blm_filter *f, uint64_t now);
blm_err blm_fading_merge(blm_filter *f, const blm_filter *g, blm_report *why);

/* ---- rates.c ------------------------------------------------------------------------------------------ */
enum { KNOB_FADE, KNOB_HOPS, KNOB_THETA };
blm_err blm_fading_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                        blm_report *why);
blm_rate blm_fading_fpr(const blm_filter *f, const blm_case *c);
blm_rate blm_fading_fnr(const blm_filter *f, const blm_case *c);
double blm_fading_lines(const blm_filter *f, const blm_case *c);
#endif
