/* broken_grow_counts.c - It forgets, as it grows, how often keys came. */
#define SOUND_NAME    broken_grow_counts
#define SOUND_TEXT    "broken-grow-counts"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_GROWN_COUNTS
#include "laws/broken/sound.h"
