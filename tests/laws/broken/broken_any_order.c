/* broken_any_order.c - Some pairs of keys leave a mark when one follows the other. */
#define SOUND_NAME    broken_any_order
#define SOUND_TEXT    "broken-any-order"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_ANY_ORDER
#include "laws/broken/sound.h"
