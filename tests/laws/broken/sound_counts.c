/* sound_counts.c - A sound multiset of keys: it keeps every law. */
#define SOUND_NAME    sound_counts
#define SOUND_TEXT    "sound-counts"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_NONE
#include "laws/broken/sound.h"
