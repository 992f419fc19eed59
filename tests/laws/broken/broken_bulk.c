/* broken_bulk.c - Its blocks are not apart, and one of its numbers is no sum over them. */
#define SOUND_NAME    broken_bulk
#define SOUND_TEXT    "broken-bulk"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_BULK
#include "laws/broken/sound.h"
