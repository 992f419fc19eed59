/* sound_chain.c - It is sound: the laws find nothing. */
#define CHAIN_NAME  sound_chain
#define CHAIN_TEXT  "sound-chain"
#define CHAIN_WRONG CHAIN_NONE
#include "laws/broken/chain.h"
