/* broken_const_readonly.c - list() writes what it has read. */
#define SOUND_NAME    broken_const_readonly
#define SOUND_TEXT    "broken-const-readonly"
#define SOUND_FLAVOUR SOUND_MAP
#define SOUND_WRONG   WRONG_CONST_READONLY
#include "laws/broken/sound.h"
