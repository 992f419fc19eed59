/* broken_counters_end.c - A counter at its end counts on.
 */
#define SOUND_NAME    broken_counters_end
#define SOUND_TEXT    "broken-counters-end"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_COUNTERS_END
#include "laws/broken/sound.h"
