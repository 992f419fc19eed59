/* broken_ordered_rates.c - The low end of its rate is above the high one, by a rounding. */
#define SOUND_NAME    broken_ordered_rates
#define SOUND_TEXT    "broken-ordered-rates"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_ORDERED_RATES
#include "laws/broken/sound.h"
