/* experiment.c - survey-variants: what the survey and the papers claim of the variants of the Bloom filter. */
#include "survey.h"

static const lab_part survey_parts[] = {
    {"partitioned", "one slice per hash sets a few more ones, which matters in small filters only",
     SURVEY_PARTITIONED, survey_partitioned},
    {"word", "Bloom-2 and Bloom-3 come near to standard; Bloom-1 pays for its one read",
     SURVEY_WORD, survey_word},
    {"memory-optimized", "one place per key saves memory (it saves ones, not bits)", SURVEY_MEMORY,
     survey_memory_optimized},
    {"crossover", "two choices lower the rate where there are more than some 11 bits per key",
     SURVEY_CROSSOVER, survey_crossover},
    {"crossover-point", "the same by formula, at the best number of hashes of each", 1,
     survey_choice_curves},
    {"hash-choice",
     "groups of keys that choose their hashes have a lower rate, their table charged",
     SURVEY_HASH_CHOICE, survey_hash_choice},
    {"dleft", "at most 0.55 of the bits of counting at one measured rate", SURVEY_DLEFT,
     survey_dleft},
    {"variable-increment", "a lower rate than counting in the same bits", SURVEY_INCREMENT,
     survey_increment},
    {"spectral", "recurring minimum errs less than minimum selection in the same bits",
     SURVEY_SPECTRAL, survey_spectral},
    {"layered", "how often a count is too high lies between two formulas; it is never too low",
     SURVEY_LAYERED, survey_layered},
    {"count-min",
     "an estimate exceeds the truth by eps of all weight with a probability of at most delta",
     SURVEY_COUNT_MIN, survey_count_min},
    {"deleting-curves", "bits per key that each kind plans, for the plot", 1,
     survey_deleting_curves},
    {0},
};

static const lab_plot survey_plots[] = {
    {.name = "rates",
     .title = "One choice or two: rate of false positives",
     .x = "bits per key",
     .y = "rate",
     .log_y = true,
     .also = "set xrange [5:26]"},
    {.name = "crossover",
     .title = "Two choices against one: better above some 11 bits per key",
     .x = "bits per key",
     .y = "rate of two-choice / rate of standard",
     .also =
         "set xrange [5:26]\nset arrow from 5,1 to 26,1 nohead linecolor rgb '#888888' dashtype "
         "2"},
    {.name = "deleting",
     .title = "Sets that shrink: bits per key at a rate of false positives",
     .x = "rate",
     .y = "bits per key",
     .log_x = true,
     .also = "set xrange [1e-4:0.1]\nset yrange [0:80]"},
    {0},
};

const lab_experiment lab_experiment_survey_variants = {
    .name = "survey-variants",
    .about = "variants of the Bloom filter, as the survey and their papers describe them",
    .parts = survey_parts,
    .plots = survey_plots,
};
