/* broken_fold_exact.c - A fold leaves marks in the first cells. */
#define SOUND_NAME    broken_fold_exact
#define SOUND_TEXT    "broken-fold-exact"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_FOLD_EXACT
#include "laws/broken/sound.h"
