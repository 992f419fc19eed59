/* broken_get_put_unsure.c - It does not know the values of an eighth of its keys. */
#define SOUND_NAME    broken_get_put_unsure
#define SOUND_TEXT    "broken-get-put-unsure"
#define SOUND_FLAVOUR SOUND_MAP
#define SOUND_WRONG   WRONG_PUT_UNSURE
#define SOUND_INSIDE  1
#include "laws/broken/sound.h"
