/* sound_unsure.c - A sound multiset that cannot tell twins: it keeps every law. */
#define SOUND_NAME    sound_unsure
#define SOUND_TEXT    "sound-unsure"
#define SOUND_FLAVOUR SOUND_COUNTS
#define SOUND_WRONG   WRONG_NONE
#define SOUND_UNSURE  1
#include "laws/broken/sound.h"
