/* broken_count_all.c - Nobody looks whether a list has all keys: what is left over is taken for nothing. */
#define SOUND_NAME    broken_count_all
#define SOUND_TEXT    "broken-count-all"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_COUNT_ALL
#define SOUND_LISTS   1
#include "laws/broken/sound.h"
