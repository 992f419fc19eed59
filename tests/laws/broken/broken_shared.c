/* broken_shared.c - To many threads each key is new. */
#define SOUND_NAME    broken_shared
#define SOUND_TEXT    "broken-shared"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_SHARED
#include "laws/broken/sound.h"
