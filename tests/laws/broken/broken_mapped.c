/* broken_mapped.c - A mapped filter does not know how many keys it has. */
#define SOUND_NAME    broken_mapped
#define SOUND_TEXT    "broken-mapped"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_MAPPED
#include "laws/broken/sound.h"
