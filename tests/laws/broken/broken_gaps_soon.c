/* broken_gaps_soon.c - After three windows keys leave after half a window. */
#define STAMPS_NAME      broken_gaps_soon
#define STAMPS_TEXT      "broken-gaps-soon"
#define STAMPS_WINDOW(s) (STAMPS_LATE(s) ? STAMPS_LONG(s) / 2 : STAMPS_LONG(s))
#include "laws/broken/stamps.h"
