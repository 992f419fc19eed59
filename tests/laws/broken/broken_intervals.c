/* broken_intervals.c - The standard error of its size is half as large again as the error is. */
#define SOUND_NAME    broken_intervals
#define SOUND_TEXT    "broken-intervals"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_INTERVALS
#include "laws/broken/sound.h"
