/* broken_forged.c - A field of the image is believed without a look at its range. */
#define SOUND_NAME    broken_forged
#define SOUND_TEXT    "broken-forged"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_FORGED
#include "laws/broken/sound.h"
