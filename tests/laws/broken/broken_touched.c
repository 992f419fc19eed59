/* broken_touched.c - It tells of its first place alone, as often as it has places. */
#define SOUND_NAME    broken_touched
#define SOUND_TEXT    "broken-touched"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_TOUCHED
#include "laws/broken/sound.h"
