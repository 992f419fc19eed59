/* broken_lens.c - Its lens takes cells of a byte for bits. */
#define SOUND_NAME    broken_lens
#define SOUND_TEXT    "broken-lens"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_LENS
#include "laws/broken/sound.h"
