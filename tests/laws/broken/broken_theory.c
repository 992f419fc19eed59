/* broken_theory.c - All rates are 3 % too low. They agree with each other: only counting false positives
 * shows the error. */
#define SOUND_NAME    broken_theory
#define SOUND_TEXT    "broken-theory"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_THEORY
#include "laws/broken/sound.h"
