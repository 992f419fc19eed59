/* sound_lists.c - A sound multiset that counts the keys of a list together: it keeps every law. */
#define SOUND_NAME    sound_lists
#define SOUND_TEXT    "sound-lists"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_NONE
#define SOUND_LISTS   1
#include "laws/broken/sound.h"
