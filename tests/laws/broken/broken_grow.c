/* broken_grow.c - It grows without saying so: its capacity stays. */
#define SOUND_NAME    broken_grow
#define SOUND_TEXT    "broken-grow"
#define SOUND_FLAVOUR SOUND_MAP
#define SOUND_WRONG   WRONG_GROW
#include "laws/broken/sound.h"
