/* broken_batch_counts.c - The 33rd key of a batch gets the count of the second. */
#define SOUND_NAME    broken_batch_counts
#define SOUND_TEXT    "broken-batch-counts"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_BATCH_COUNTS
#include "laws/broken/sound.h"
