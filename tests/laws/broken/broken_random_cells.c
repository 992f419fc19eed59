/* broken_random_cells.c - A search for a free slot trusts that there is one. */
#define SOUND_NAME    broken_random_cells
#define SOUND_TEXT    "broken-random-cells"
#define SOUND_FLAVOUR SOUND_MAP
#define SOUND_WRONG   WRONG_RANDOM_CELLS
#include "laws/broken/sound.h"
