/* broken_ticks.c - A long tick forgets keys that were promised for ever. */
#define SOUND_NAME    broken_ticks
#define SOUND_TEXT    "broken-ticks"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_TICKS
#include "laws/broken/sound.h"
