/* broken_grown_looks.c - It grows without saying so: its fill is judged by the first capacity. */
#define CHAIN_NAME  broken_grown_looks
#define CHAIN_TEXT  "broken-grown-looks"
#define CHAIN_WRONG CHAIN_LOOKS
#include "laws/broken/chain.h"
