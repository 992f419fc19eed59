/* broken_denied.c - A denied key takes members along, and the promise stands. */
#define SOUND_NAME    broken_denied
#define SOUND_TEXT    "broken-denied"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_DENIED
#include "laws/broken/sound.h"
