/* sound_stamps.c - A sound kind whose keys age by arrivals: it keeps every law. */
#define STAMPS_NAME sound_stamps
#define STAMPS_TEXT "sound-stamps"
#include "laws/broken/stamps.h"
