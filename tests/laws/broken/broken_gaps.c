/* broken_gaps.c - After three windows it forgets nothing more. */
#define STAMPS_NAME      broken_gaps
#define STAMPS_TEXT      "broken-gaps"
#define STAMPS_WINDOW(s) (STAMPS_LATE(s) ? UINT64_MAX : STAMPS_LONG(s))
#include "laws/broken/stamps.h"
