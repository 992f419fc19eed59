/* broken_truncation.c - The loader is core's: a loader that takes cut images stands in for it (broken.c). */
#define SOUND_NAME    broken_truncation
#define SOUND_TEXT    "broken-truncation"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_NONE
#include "laws/broken/sound.h"
