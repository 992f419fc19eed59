/* broken_no_miss.c - One key in 256 does not set its last cell. */
#define SOUND_NAME    broken_no_miss
#define SOUND_TEXT    "broken-no-miss"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_NO_MISS
#include "laws/broken/sound.h"
