/* broken_capacity.c - It never knows how many keys it holds: core looks too late. */
#define SOUND_NAME    broken_capacity
#define SOUND_TEXT    "broken-capacity"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_CAPACITY
#include "laws/broken/sound.h"
