/* broken_load_memory.c - The check of a large image takes as much memory again. */
#define SOUND_NAME    broken_load_memory
#define SOUND_TEXT    "broken-load-memory"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_LOAD_MEMORY
#include "laws/broken/sound.h"
