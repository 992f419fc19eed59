/* broken_merge_exact.c - A merge leaves marks in the cells. */
#define SOUND_NAME    broken_merge_exact
#define SOUND_TEXT    "broken-merge-exact"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_MERGE_EXACT
#include "laws/broken/sound.h"
