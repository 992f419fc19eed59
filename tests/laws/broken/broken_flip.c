/* broken_flip.c - The loader is core's: a loader that checks no sums stands in for it (broken.c). */
#define SOUND_NAME    broken_flip
#define SOUND_TEXT    "broken-flip"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_NONE
#include "laws/broken/sound.h"
