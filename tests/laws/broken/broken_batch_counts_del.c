/* broken_batch_counts_del.c - The 33rd key of a batch is deleted, and called absent. */
#define SOUND_NAME    broken_batch_counts_del
#define SOUND_TEXT    "broken-batch-counts-del"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_BATCH_DEL
#include "laws/broken/sound.h"
