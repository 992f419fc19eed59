/* broken_batch.c - The 33rd of 33 keys gets the answer of the second. */
#define SOUND_NAME    broken_batch
#define SOUND_TEXT    "broken-batch"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_BATCH
#include "laws/broken/sound.h"
