/* broken_costs.c - A number in the header says how long a check takes. */
#define SOUND_NAME    broken_costs
#define SOUND_TEXT    "broken-costs"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_COSTS
#include "laws/broken/sound.h"
