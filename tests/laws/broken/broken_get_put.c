/* broken_get_put.c - Values that end in 7 (hexadecimal) come back as 8. */
#define SOUND_NAME    broken_get_put
#define SOUND_TEXT    "broken-get-put"
#define SOUND_FLAVOUR SOUND_MAP
#define SOUND_WRONG   WRONG_GET_PUT
#include "laws/broken/sound.h"
