/* broken_capacity_copies.c - It has no room for the last copies of a key that it says it takes. */
#define SOUND_NAME    broken_capacity_copies
#define SOUND_TEXT    "broken-capacity-copies"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_COPIES
#define SOUND_COPIES  1
#include "laws/broken/sound.h"
