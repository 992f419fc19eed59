/* sound_map.c - A sound map from keys to values: it keeps every law. */
#define SOUND_NAME    sound_map
#define SOUND_TEXT    "sound-map"
#define SOUND_FLAVOUR SOUND_MAP
#define SOUND_WRONG   WRONG_NONE
#include "laws/broken/sound.h"
