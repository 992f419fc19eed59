/* broken_round_trip.c - What start() knows is not in the image: a loaded filter goes on otherwise. */
#define SOUND_NAME    broken_round_trip
#define SOUND_TEXT    "broken-round-trip"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_ROUND_TRIP
#include "laws/broken/sound.h"
