/* broken_grown_batch.c - A batch does not ask the oldest child. */
#define CHAIN_NAME  broken_grown_batch
#define CHAIN_TEXT  "broken-grown-batch"
#define CHAIN_WRONG CHAIN_BATCH
#include "laws/broken/chain.h"
