/* sound_estimates.c - A sound multiset of keys that tells each count with an error: it keeps every law. */
#define SOUND_NAME      sound_estimates
#define SOUND_TEXT      "sound-estimates"
#define SOUND_FLAVOUR   SOUND_COUNTS
#define SOUND_ESTIMATES 1
#define SOUND_WRONG     WRONG_NONE
#include "laws/broken/sound.h"
