/* uniq.h - the four ways in which uniq remembers lines, with one set of calls.
 *
 *   grow     the hashes of all distinct lines (grow.c)
 *   plan     -n: a Bloom filter for that many lines (plan.c)
 *   window   when each line of the last N lines, or minutes, came last (window.c)
 *   forget   -t: a filter whose keys expire after that (forget.c); --state keeps it in a file (state.c)
 */
#ifndef BLM_CLI_UNIQ_H
#define BLM_CLI_UNIQ_H
#include "input/input.h"

typedef struct uniq_settings {
    settings base;
    const char *window, *kind, *state;
    knobs_given with;
    uint64_t keys;
    double fpr;
    double lost;
    bool exact, repeated;
    bool count, once; /* -c, -u */
} uniq_settings;

typedef struct memory memory;

typedef struct uniq {
    const settings *s;
    const uniq_settings *wish; /* the same, with what is uniq's own */
    input *in;
    uint64_t ram; /* bytes */
    double lost;  /* lines that may be lost, in expectation, in all */
    memory *m;
    uint64_t printed;
} uniq;

typedef struct uniq_report {
    double lost;              /* expected, by what came; NaN: no estimate */
    double share;             /* of the lines that should have come out; 0: it is not said */
    uint64_t bytes, distinct; /* memory held, and for how many lines */
} uniq_report;

typedef struct uniq_way {
    ending (*open)(uniq *u);  /* before any reading; complains */
    ending (*input)(uniq *u); /* u->in is open; NULL: nothing to do */
    const blm_filter *(*hasher)(const uniq *u);
    /* print[i]: this line comes out. *done lines were judged, all but at a failure. END_FULL is said by
     * full(), when they are out. */
    ending (*judge)(uniq *u, const blm_hash *h, const uint64_t *when, size_t n, uint8_t *print,
                    size_t *done); /* when: with --time, else NULL */
    /* The same by several threads, each with its share of the hashes, as long as `shares` says 2 or more for
     * the next n lines. NULL, both: never. */
    ending (*judge_share)(uniq *u, const blm_hash *h, size_t n, uint8_t *print, unsigned share,
                          unsigned shares);
    unsigned (*shares)(const uniq *u, size_t n);
    ending (*printed)(
        uniq *u); /* lines that were judged went to standard output; NULL: nothing to do */
    ending (*end)(uniq *u);  /* of the input */
    ending (*keep)(uniq *u); /* for the next run, whatever the end was; NULL: nothing */
    void (*full)(uniq *u);
    void (*report)(const uniq *u, uniq_report *out);
    int (*close)(uniq *u); /* the signal that ended reading, or 0 */
} uniq_way;

extern const uniq_way uniq_grow, uniq_plan, uniq_window, uniq_forget;

typedef struct uniq_span {
    bool timed;
    uint64_t length; /* in ms or lines */
} uniq_span;
bool span_read(const char *text, uniq_span *w); /* --window; false: it has complained (window.c) */

/* ---- the filter of a stream in a file (state.c) -------------------------------------------------------------- */

typedef struct state state;
/* If there is an image of the same settings, it takes the place of *f. From here on an interrupt ends reading. */
ending state_open(state **out, const settings *s, const char *path, blm_filter **f);
int state_halt(const state *t);                   /* for input_halt_with */
ending state_save(state *t, const blm_filter *f); /* standard output first */
ending state_pass(state *t, const blm_filter *f); /* the same, if it is time */
int state_close(state *t);                        /* the signal that came, or 0 */

/* "1.2 expected to be lost", or that there is no estimate. */
const char *lost_text(const uniq *u, double lost, char room[96]);
/* Of n distinct lines, those whose 64-bit hash another one had before. */
double hash_lost(double n);
/* Bits of the smallest standard filter, and its hashes, that is expected to lose at most `lost` of n
 * distinct lines; 0: more than 2^53, or hashes alone lose as many. */
double plan_bits(double n, double lost, unsigned *hashes);
/* The largest number of lines for which that is at most `bytes` bytes. */
double plan_lines(uint64_t bytes, double lost);
bool uniq_offers(const uniq *u, const char *option_name); /* does this program have it? */
#endif
