/* broken_alloc_fails.c - A growth that fails for want of memory has changed a field already. */
#define SOUND_NAME    broken_alloc_fails
#define SOUND_TEXT    "broken-alloc-fails"
#define SOUND_FLAVOUR SOUND_MAP
#define SOUND_WRONG   WRONG_ALLOC_FAILS
#include "laws/broken/sound.h"
