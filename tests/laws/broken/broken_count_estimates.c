/* broken_count_estimates.c - Its counts are uncertain by 0.5, as it states, and 0.3 too high on average. */
#define SOUND_NAME      broken_count_estimates
#define SOUND_TEXT      "broken-count-estimates"
#define SOUND_FLAVOUR   SOUND_COUNTS
#define SOUND_ESTIMATES 1
#define SOUND_WRONG     WRONG_ESTIMATES
#include "laws/broken/sound.h"
