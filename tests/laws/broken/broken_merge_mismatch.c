/* broken_merge_mismatch.c - A merge writes before it has found the key with two values. */
#define SOUND_NAME    broken_merge_mismatch
#define SOUND_TEXT    "broken-merge-mismatch"
#define SOUND_FLAVOUR SOUND_MAP
#define SOUND_WRONG   WRONG_MERGE_MISMATCH
#include "laws/broken/sound.h"
