/* experiment.c - adaptive: one memory access, and false positives that do not come again. */
#include "adaptive.h"

static const lab_part adaptive_parts[] = {
    {"sequence", "two non-members of one word: 10 false positives become 3; in turn, all stay",
     ADAPTIVE_SEQUENCE, adaptive_sequence},
    {"model", "figures 4 and 5: the filter lies between 0.93 and 1.02 of equations 3 to 10",
     ADAPTIVE_MODEL, adaptive_model},
    {"groups", "more groups, and a look before a change, lower the rate", ADAPTIVE_GROUPS,
     adaptive_groups},
    {"zipf",
     "repeated false positives fall by the predicted factor when questions follow Zipf's law",
     ADAPTIVE_ZIPF, adaptive_zipf},
    {"sizes", "figure 6: most flows are small, few are large", 1, adaptive_sizes},
    {"tails", "the heavier the tail of the sizes, the more adaptation gains", ADAPTIVE_TAILS,
     adaptive_tails},
    {"packets", "figures 7 to 10 and Table II: S = 2, 4, 8 on four traces", ADAPTIVE_PACKETS,
     adaptive_packets},
    {"cuckoo", "Table II: the adaptive cuckoo filter, which needs 8 bits per element",
     ADAPTIVE_CUCKOO, adaptive_cuckoo},
    {0},
};

#define MODEL_PLOT(as, load, k)                                                                    \
    {                                                                                              \
        .name = as, .title = "False positive rate versus A/N, N = " load "M, k = " k, .x = "A/N",  \
        .y = "false positive rate",                                                                \
        .also = "set xrange [0:11]\nset yrange [0:*]\nset key bottom right"                        \
    }
#define TRACE_PLOT(as, load, trace)                                                                \
    {                                                                                              \
        .name = as,                                                                                \
        .title = "False positive rate versus k, N = " load "M, synthetic trace " trace, .x = "k",  \
        .y = "false positive rate",                                                                \
        .also = "set xrange [1.8:5.2]\nset xtics 1\nset yrange [0:*]\nset key below"               \
    }
#define DECIMATION_PLOT(as, load)                                                                  \
    {                                                                                              \
        .name = as,                                                                                \
        .title = "Adaptation on every false positive, and on each fifth, N = " load "M, trace 1",  \
        .x = "k", .y = "false positive rate",                                                      \
        .also = "set xrange [1.8:5.2]\nset xtics 1\nset yrange [0:*]\nset key below"               \
    }

static const lab_plot adaptive_plots[] = {
    MODEL_PLOT("fig4-k3", "8", "3"),
    MODEL_PLOT("fig4-k4", "8", "4"),
    MODEL_PLOT("fig4-k5", "8", "5"),
    MODEL_PLOT("fig5-k3", "12", "3"),
    MODEL_PLOT("fig5-k4", "12", "4"),
    MODEL_PLOT("fig5-k5", "12", "5"),
    {.name = "fig6",
     .title = "Number of flows by number of packets (at most this many, more than a tenth of it)",
     .x = "packets per flow, largest of the interval",
     .y = "flows",
     .log_x = true,
     .log_y = true,
     .also = "set xrange [5:20000]\nset yrange [100:1e6]"},
    TRACE_PLOT("fig7-trace1", "8", "1"),
    TRACE_PLOT("fig7-trace2", "8", "2"),
    TRACE_PLOT("fig7-trace3", "8", "3"),
    TRACE_PLOT("fig8-trace1", "12", "1"),
    TRACE_PLOT("fig8-trace2", "12", "2"),
    TRACE_PLOT("fig8-trace3", "12", "3"),
    TRACE_PLOT("fig9-trace1", "16", "1"),
    TRACE_PLOT("fig9-trace2", "16", "2"),
    TRACE_PLOT("fig9-trace3", "16", "3"),
    DECIMATION_PLOT("fig10-8M", "8"),
    DECIMATION_PLOT("fig10-12M", "12"),
    DECIMATION_PLOT("fig10-16M", "16"),
    {.name = "zipf",
     .title = "Queries by Zipf's law: share of yes by how often a non-member is queried",
     .x = "queries for one non-member",
     .y = "false positive rate",
     .log_x = true,
     .log_y = true,
     .also = "set key bottom left"},
    {0},
};

const lab_experiment lab_experiment_adaptive = {
    .name = "adaptive",
    .about =
        "Bloom filters of one memory access that adapt to false positives (Reviriego et al. 2022)",
    .parts = adaptive_parts,
    .plots = adaptive_plots,
};
