/* sound_copies.c - A sound set with up to 50 copies of a key: it keeps every law. */
#define SOUND_NAME    sound_copies
#define SOUND_TEXT    "sound-copies"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_NONE
#define SOUND_COPIES  1
#include "laws/broken/sound.h"
