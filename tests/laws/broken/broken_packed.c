/* broken_packed.c - No kind can break a stream: what packs filters and loses a number stands in for blm_pack (broken.c). */
#define SOUND_NAME    broken_packed
#define SOUND_TEXT    "broken-packed"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_NONE
#include "laws/broken/sound.h"
