/* experiment.c - growth: figures of the survey on rates, counters and deletes, and a filter that grows. */
#include "growth.h"

static const lab_part growth_parts[] = {
    {"figure-3", "the rate against n for several m, at the best k", GROWTH_RATES, growth_rates},
    {"figure-3-curves", "the lines of the figure", 1, growth_curves},
    {"whole", "bits for 1000 keys at 1 %: k has to be whole", 1, growth_whole},
    {"overflow", "four bits per counter are enough for a set: 16 is reached by one in 10^16", 1,
     growth_overflow},
    {"reach", "figure 5: one counter of many stays below equation 15", 1, growth_reach},
    {"any", "figure 5: so does the highest of 1000, below equation 14", 1, growth_any},
    {"figure-7", "figure 7: the share of keys that can leave, against m/n for several r",
     GROWTH_DELETING, growth_deleting},
    {"figure-7-curves", "the lines of the figure", 1, growth_deleting_curves},
    {0},
};

static const lab_plot growth_plots[] = {
    {.name = "figure-3",
     .title = "Rate of false positives: k = (m/n) ln 2 (lines), whole k (marks)",
     .x = "keys, n",
     .y = "rate, p",
     .log_x = true,
     .log_y = true,
     .also = "set yrange [1e-6:1]\nset key bottom right"},
    {.name = "figure-5",
     .title = "The chance that a counter reaches j, for kn/m = ln 2",
     .x = "j",
     .y = "chance, per counter",
     .log_y = true,
     .also = "set xrange [1:20]\nset yrange [1e-18:1]"},
    {.name = "figure-7",
     .title = "Keys that a deletable filter lets go: n = 1000, k = 7",
     .x = "bits per key, m/n",
     .y = "share of keys that can leave",
     .also = "set xrange [4:26]\nset yrange [0:1.05]\nset key below"},
    {0},
};

const lab_experiment lab_experiment_growth = {
    .name = "growth",
    .about = "filters that grow, and figures 3, 5 and 7 of the survey",
    .parts = growth_parts,
    .plots = growth_plots,
};
