/* broken_delta.c - No kind can break a stream: what makes deltas without the note stands in for blm_delta (broken.c). */
#define SOUND_NAME    broken_delta
#define SOUND_TEXT    "broken-delta"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_NONE
#include "laws/broken/sound.h"
