/* broken_idempotent.c - A key that comes twice in a row leaves a mark. */
#define SOUND_NAME    broken_idempotent
#define SOUND_TEXT    "broken-idempotent"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_IDEMPOTENT
#include "laws/broken/sound.h"
