/* sound.c - A sound set of keys: it keeps every law. */
#define SOUND_NAME    sound
#define SOUND_TEXT    "sound"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_NONE
#include "laws/broken/sound.h"
