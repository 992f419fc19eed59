/* versus.h - the same work done in two ways, round by round in turn, and one line for the outcome.
 *
 *     WHAT                                      OURS    THEIRS   RATIO   WANTED    FLOOR
 *     blocked miss, batch, 10M keys at 1%     5.1 ns   98.2 ns   19.1x   >= 16x   4.7 ns  PASS
 *
 * Both sides get the same keys in the same memory. A round runs both, the first one by turns; the ratio
 * is the median of the rounds' ratios, so that what slows the machine for a second slows both. Each run counts
 * its hits, and a count outside what is right ends the program with 1: a wrong answer has no speed.
 * FLOOR is a random cache line in as much memory (floor.c). The last column has PASS or SHORT alone, or - for
 * rows that inform.
 */
#ifndef BLM_VERSUS_H
#define BLM_VERSUS_H
#include <bloomery/core.h>

#include "bench.h"

enum { VERSUS_ROUNDS = 5, VERSUS_ROUNDS_MAX = 15 };

typedef struct versus_side {
    double (*run)(void *self, uint64_t *hits); /* seconds of one run */
    void *self;
    uint64_t low, high; /* hits of a run that are right */
} versus_side;

typedef struct versus {
    const char *what;
    uint64_t work;  /* operations of a run; times are shown for one of them */
    double wanted;  /* 0: the row informs */
    bool at_most;   /* ratio = ours / theirs, to be at most wanted; else theirs / ours, at least */
    unsigned extra; /* rounds beyond VERSUS_ROUNDS: where a run is short */
    double floor;   /* ns, 0: none */
    versus_side ours, theirs;
} versus;

void versus_head(void);
void versus_row(const versus *v);

/* A row of figures that are no times: ratio = ours / theirs, and `pass` says how it ended. */
typedef struct versus_figures {
    const char *what, *ours, *theirs, *wanted;
    double ratio; /* 0: none */
    bool informs, pass;
} versus_figures;
void versus_show(const versus_figures *r);

/* How many of the wanted rows passed and fell short. */
void versus_end(void);

/* Ends the program: 1 for wrong answers, 2 when it cannot go on. */
_Noreturn void versus_stop(int code, const char *sentence, ...)
    __attribute__((format(printf, 2, 3)));
void versus_progress(const char *sentence, ...) __attribute__((format(printf, 1, 2))); /* stderr */

/* ---- keys (keys.c): never NULL, the program ends when there is no memory ------------------------ */

/* Members and non-members never meet: members have bit 0 clear. */
typedef enum who { MEMBERS, STRANGERS } who;
uint64_t *draw_numbers(who which, size_t n);
blm_key *draw_strings(who which, size_t n); /* 16 to 40 bytes, one after the other */
void drop_strings(blm_key *k);
blm_hash *draw_hashes(const blm_filter *f, who which, size_t n);

/* A filter by its text, or the program ends. */
blm_filter *filter_of(const char *spec, ...) __attribute__((format(printf, 1, 2)));
void fill_filter(blm_filter *f, uint64_t n); /* with the first n that draw_numbers(MEMBERS) gives */
bool kind_there(const char *kind, const char *knob); /* knob NULL: the kind alone */
/* Hits among `asked` distinct non-members that `rate` may give, with a chance of 10^-6 to fall outside. */
void hits_expected(blm_rate rate, uint64_t asked, uint64_t *low, uint64_t *high);
#endif
