/* broken_count.c - Counts from 5 to 99 are one too low. */
#define SOUND_NAME    broken_count
#define SOUND_TEXT    "broken-count"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_COUNT
#include "laws/broken/sound.h"
