/* broken_grown_merge.c - Children that only the other filter has are forgotten. */
#define CHAIN_NAME  broken_grown_merge
#define CHAIN_TEXT  "broken-grown-merge"
#define CHAIN_WRONG CHAIN_MERGE
#include "laws/broken/chain.h"
