/* broken_batch_counts_unsure.c - Keys of a batch that it is unsure of are deleted, it says. */
#define SOUND_NAME    broken_batch_counts_unsure
#define SOUND_TEXT    "broken-batch-counts-unsure"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_BATCH_UNSURE
#define SOUND_UNSURE  1
#include "laws/broken/sound.h"
