/* broken_cannot.c - It says that it can subtract. */
#define SOUND_NAME    broken_cannot
#define SOUND_TEXT    "broken-cannot"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_CANNOT
#include "laws/broken/sound.h"
