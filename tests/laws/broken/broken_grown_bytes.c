/* broken_grown_bytes.c - Each growth takes memory for a moment that nobody knows of. */
#define CHAIN_NAME  broken_grown_bytes
#define CHAIN_TEXT  "broken-grown-bytes"
#define CHAIN_WRONG CHAIN_BYTES
#include "laws/broken/chain.h"
