/* experiment.c - streams: kinds that forget, in equal bits; and keys that weigh. */
#include "streams.h"

static const lab_part streams_parts[] = {
    {"equal-bits", "a window of 4096 arrivals in 16 bits for each: false positives and misses",
     STREAMS_KINDS, streams_equal},
    {"bound", "false positives and misses together stay above the lower bound of any filter",
     STREAMS_BOUNDS, streams_bound},
    {"bound-curve", "the bound itself", 1, streams_curves},
    {"stable", "the rate of equation 18, and misses by the chain of one cell", STREAMS_STABLE,
     streams_stable},
    {"decaying", "the rate lies between two limits, and no key of the window is missed",
     STREAMS_DECAYING, streams_decaying},
    {"aging", "the mean rate is half of the promise, and none of the last n keys is missed",
     STREAMS_AGING, streams_aging},
    {"weighted", "queries by Zipf's law: a rate 3.5 times lower in the same bits", STREAMS_WEIGHTED,
     streams_weighted},
    {0},
};

static const lab_plot streams_plots[] = {
    {.name = STREAMS_BOUND_PLOT,
     .title = "False positives and misses together, of windows larger than memory",
     .x = "arrivals of the window per bit of memory",
     .y = "FP + FN",
     .log_x = true,
     .also = "set yrange [0:1.1]\nset key bottom right"},
    {0},
};

const lab_experiment lab_experiment_streams = {
    .name = "streams",
    .about = "kinds that forget in equal bits, the lower bound, and weights by Zipf's law",
    .parts = streams_parts,
    .plots = streams_plots,
};
