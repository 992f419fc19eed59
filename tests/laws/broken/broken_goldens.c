/* broken_goldens.c - Two fields have changed places: old images are not understood. */
#define SOUND_NAME    broken_goldens
#define SOUND_TEXT    "broken-goldens"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_GOLDENS
#include "laws/broken/sound.h"
