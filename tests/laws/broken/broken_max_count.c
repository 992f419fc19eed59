/* broken_max_count.c - The largest count that it says it can tell is one too high. */
#define SOUND_NAME    broken_max_count
#define SOUND_TEXT    "broken-max-count"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_MAX_COUNT
#include "laws/broken/sound.h"
