/* broken_append.c - The loader is core's: a loader that takes longer images stands in for it (broken.c). */
#define SOUND_NAME    broken_append
#define SOUND_TEXT    "broken-append"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_NONE
#include "laws/broken/sound.h"
