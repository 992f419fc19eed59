/* pair.h - what intersect and overlap share: two images, asked together. */
#ifndef BLM_CLI_PAIR_H
#define BLM_CLI_PAIR_H
#include "cli.h"
/* The first two operands, opened and checked, without need of a secret. */
ending with_pair(const settings *s,
                 ending (*use)(const settings *s, const image *a, const image *b));
#endif
