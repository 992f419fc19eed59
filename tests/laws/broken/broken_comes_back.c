/* broken_comes_back.c - An intersection marks a promise as lost that the kind never made.
 */
#define SOUND_NAME    broken_comes_back
#define SOUND_TEXT    "broken-comes-back"
#define SOUND_FLAVOUR SOUND_BITS
#define SOUND_WRONG   WRONG_COMES_BACK
#include "laws/broken/sound.h"
