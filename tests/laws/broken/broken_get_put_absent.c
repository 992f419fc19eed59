/* broken_get_put_absent.c - A put for a key that is not in the set leaves a trace. */
#define SOUND_NAME    broken_get_put_absent
#define SOUND_TEXT    "broken-get-put-absent"
#define SOUND_FLAVOUR SOUND_MAP
#define SOUND_WRONG   WRONG_PUT_ABSENT
#define SOUND_INSIDE  1
#include "laws/broken/sound.h"
