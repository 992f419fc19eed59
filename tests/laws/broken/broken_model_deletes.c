/* broken_model_deletes.c - Far more members can be deleted than it says. */
#define SOUND_NAME    broken_model_deletes
#define SOUND_TEXT    "broken-model-deletes"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_DELETES
#define SOUND_UNSURE  1
#include "laws/broken/sound.h"
