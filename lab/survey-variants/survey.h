/* survey.h - the parts of the experiment survey-variants. */
#ifndef BLM_LAB_SURVEY_H
#define BLM_LAB_SURVEY_H
#include "lab.h"

/* Names of plots, and of curves that several parts write. */
#define SURVEY_RATES    "rates"
#define SURVEY_RATIO    "crossover"
#define SURVEY_DELETING "deleting"

extern const lab_experiment lab_experiment_survey_variants;

/* membership.c */
void survey_partitioned(lab_sheet *s, size_t i);
void survey_word(lab_sheet *s, size_t i);
void survey_memory_optimized(lab_sheet *s, size_t i);
/* choices.c */
void survey_crossover(lab_sheet *s, size_t i);
void survey_choice_curves(lab_sheet *s, size_t i);
void survey_hash_choice(lab_sheet *s, size_t i);
/* deleting.c */
void survey_dleft(lab_sheet *s, size_t i);
void survey_increment(lab_sheet *s, size_t i);
void survey_deleting_curves(lab_sheet *s, size_t i);
/* counts.c */
void survey_spectral(lab_sheet *s, size_t i);
void survey_layered(lab_sheet *s, size_t i);
void survey_count_min(lab_sheet *s, size_t i);
/* fingerprints.c */
void survey_cuckoo(lab_sheet *s, size_t i);
/* braids.c */
void survey_braids(lab_sheet *s, size_t i);
/* estimates.c */
void survey_space_code(lab_sheet *s, size_t i);
void survey_space_code_range(lab_sheet *s, size_t i);
void survey_adaptive_count(lab_sheet *s, size_t i);

#define SURVEY_PARTITIONED    3
#define SURVEY_WORD           4
#define SURVEY_MEMORY         2
#define SURVEY_CROSSOVER      5
#define SURVEY_HASH_CHOICE    4
#define SURVEY_DLEFT          2
#define SURVEY_INCREMENT      8
#define SURVEY_CUCKOO         3
#define SURVEY_SPECTRAL       2
#define SURVEY_LAYERED        1
#define SURVEY_COUNT_MIN      2
#define SURVEY_BRAIDS         3
#define SURVEY_SPACE_CODE     4
#define SURVEY_ADAPTIVE_COUNT 3
#endif
