/* sound_inside.c - A sound map whose put changes only what is in the set: it keeps every law. */
#define SOUND_NAME    sound_inside
#define SOUND_TEXT    "sound-inside"
#define SOUND_FLAVOUR SOUND_MAP
#define SOUND_WRONG   WRONG_NONE
#define SOUND_INSIDE  1
#include "laws/broken/sound.h"
