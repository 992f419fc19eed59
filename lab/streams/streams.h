/* streams.h - the parts of the experiment streams, and a stream whose keys are asked for again. */
#ifndef BLM_LAB_STREAMS_H
#define BLM_LAB_STREAMS_H
#include "lab.h"

extern const lab_experiment lab_experiment_streams;

/* ---- a stream (stream.c): all keys are new, member 0, 1, 2, ... -------------------------------------------------- */

typedef struct stream {
    lab_sheet *s;
    blm_filter *f;
    uint64_t arrived;
    uint64_t step; /* arrivals of a step, where keys age by steps; 0: by arrivals */
    uint64_t random;
    uint64_t asked; /* non-members so far: no two questions are for the same one */
} stream;

/* What a series of moments gave: false positives and misses, and the means that theory expects. */
typedef struct answers {
    lab_hits yes, missed;
    blm_rate fpr, fnr; /* by the fill of each moment; by the age of each member */
} answers;

typedef struct questions {
    uint64_t moments, every;   /* as many moments, that many arrivals apart           */
    uint64_t strangers;        /* non-members at each moment                          */
    uint64_t members;          /* and members, of different ages where there are some */
    uint64_t youngest, oldest; /* of the members, in arrivals: any age between them   */
} questions;

bool stream_arrive(stream *t, uint64_t n);
/* At each moment: non-members; and members whose ages are drawn. False: a row says why. */
bool stream_ask(stream *t, const questions *q, answers *out);
/* a + b of two rates, with intervals that hold both. */
lab_number stream_sum(lab_number a, lab_number b);

/* ---- parts ---------------------------------------------------------------------------------------------------------- */

/* bound.c: all kinds in equal bits, and the lower bound */
void streams_equal(lab_sheet *s, size_t i);
void streams_bound(lab_sheet *s, size_t i);
void streams_curves(lab_sheet *s, size_t i);
/* figures.c: what their papers' formulas give */
void streams_stable(lab_sheet *s, size_t i);
void streams_decaying(lab_sheet *s, size_t i);
void streams_aging(lab_sheet *s, size_t i);
/* weights.c */
void streams_weighted(lab_sheet *s, size_t i);

#define STREAMS_BOUND_PLOT "bound"
#define STREAMS_KINDS      7
#define STREAMS_BOUNDS     21
#define STREAMS_STABLE     8
#define STREAMS_DECAYING   5
#define STREAMS_AGING      3
#define STREAMS_WEIGHTED   3
#endif
