/* broken_list.c - The list has one key twice. */
#define SOUND_NAME    broken_list
#define SOUND_TEXT    "broken-list"
#define SOUND_FLAVOUR SOUND_MAP
#define SOUND_WRONG   WRONG_LIST
#include "laws/broken/sound.h"
