/* broken_plans_agree.c - Planned from bits it has one hash per key, whatever the keys. */
#define SOUND_NAME    broken_plans_agree
#define SOUND_TEXT    "broken-plans-agree"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_PLANS_AGREE
#include "laws/broken/sound.h"
