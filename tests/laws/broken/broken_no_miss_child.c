/* broken_no_miss_child.c - Some keys are asked for in its children with the hash of their parent. */
#define CHAIN_NAME  broken_no_miss_child
#define CHAIN_TEXT  "broken-no-miss-child"
#define CHAIN_WRONG CHAIN_HASH
#include "laws/broken/chain.h"
