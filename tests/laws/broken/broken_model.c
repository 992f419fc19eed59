/* broken_model.c - No counter passes 9, and none says so. */
#define SOUND_NAME    broken_model
#define SOUND_TEXT    "broken-model"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_MODEL
#include "laws/broken/sound.h"
