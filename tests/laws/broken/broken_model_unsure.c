/* broken_model_unsure.c - A delete that it is unsure of leaves a trace. */
#define SOUND_NAME    broken_model_unsure
#define SOUND_TEXT    "broken-model-unsure"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_UNSURE
#define SOUND_UNSURE  1
#include "laws/broken/sound.h"
