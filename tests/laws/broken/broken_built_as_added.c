/* broken_built_as_added.c - It drops a key that comes twice in a row in a batch, as a builder brings it. */
#define SOUND_NAME    broken_built_as_added
#define SOUND_TEXT    "broken-built-as-added"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_BUILT_AS_ADDED
#include "laws/broken/sound.h"
