/* broken_theory.c - The rate by the fields is a quarter too high. */
#define SOUND_NAME    broken_theory
#define SOUND_TEXT    "broken-theory"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_THEORY
#include "laws/broken/sound.h"
