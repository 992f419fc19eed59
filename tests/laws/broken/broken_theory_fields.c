/* broken_theory_fields.c - The rate from the fields is 3 % too low; the rate from the fill is right. */
#define SOUND_NAME    broken_theory_fields
#define SOUND_TEXT    "broken-theory-fields"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_THEORY_FIELDS
#include "laws/broken/sound.h"
