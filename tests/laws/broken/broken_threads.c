/* broken_threads.c - has() thinks in a place that all threads share. */
#define SOUND_NAME    broken_threads
#define SOUND_TEXT    "broken-threads"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_THREADS
#include "laws/broken/sound.h"
