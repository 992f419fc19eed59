/* growth.h - the parts of the experiment growth. */
#ifndef BLM_LAB_GROWTH_H
#define BLM_LAB_GROWTH_H
#include "lab.h"

extern const lab_experiment lab_experiment_growth;

/* rates.c: figure 3 of the survey */
void growth_rates(lab_sheet *s, size_t i);
void growth_curves(lab_sheet *s, size_t i);
void growth_whole(lab_sheet *s, size_t i);
/* counters.c: figure 5 */
void growth_overflow(lab_sheet *s, size_t i);
void growth_reach(lab_sheet *s, size_t i);
void growth_any(lab_sheet *s, size_t i);

/* deleting.c: figure 7 */
void growth_deleting(lab_sheet *s, size_t i);
void growth_deleting_curves(lab_sheet *s, size_t i);

/* grows.c: scalable, and filters that are built for the keys that came */
void growth_grows(lab_sheet *s, size_t i);
void growth_defined(lab_sheet *s, size_t i);
void growth_sized(lab_sheet *s, size_t i);

#define GROWTH_RATES    9
#define GROWTH_DELETING 12
#define GROWTH_SIZED    8
#endif
