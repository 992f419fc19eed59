/* broken_capacity_repeats.c - A key that comes again takes one more cell, which no table says. */
#define SOUND_NAME    broken_capacity_repeats
#define SOUND_TEXT    "broken-capacity-repeats"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_REPEATS
#include "laws/broken/sound.h"
