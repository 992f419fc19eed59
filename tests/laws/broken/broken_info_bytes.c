/* broken_info_bytes.c - A new filter takes memory for a moment that nobody knows of. */
#define SOUND_NAME    broken_info_bytes
#define SOUND_TEXT    "broken-info-bytes"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_INFO_BYTES
#include "laws/broken/sound.h"
