/* broken_args.c - The number that a key gets without one is none of those that it takes. */
#define SOUND_NAME    broken_args
#define SOUND_TEXT    "broken-args"
#define SOUND_FLAVOUR SOUND_MAP
#define SOUND_WRONG   WRONG_ARGS
#include "laws/broken/sound.h"
