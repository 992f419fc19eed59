/* broken_del_exact.c - A delete forgets to take the key out of the sum. */
#define SOUND_NAME    broken_del_exact
#define SOUND_TEXT    "broken-del-exact"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_DEL_EXACT
#include "laws/broken/sound.h"
