/* broken_bad_wishes.c - A filter too large to exist is made small instead of refused. */
#define SOUND_NAME    broken_bad_wishes
#define SOUND_TEXT    "broken-bad-wishes"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_BAD_WISHES
#include "laws/broken/sound.h"
