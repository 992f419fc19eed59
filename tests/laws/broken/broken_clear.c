/* broken_clear.c - A cleared filter remembers that it has had keys. */
#define SOUND_NAME    broken_clear
#define SOUND_TEXT    "broken-clear"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_CLEAR
#include "laws/broken/sound.h"
