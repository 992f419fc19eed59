/* pair.h - what merge, intersect and overlap share: two filters at a time. */
#ifndef BLM_CLI_PAIR_H
#define BLM_CLI_PAIR_H
#include "image/image.h"
/* The first two operands, opened and checked, without need of a secret. */
ending with_pair(const settings *s,
                 ending (*use)(const settings *s, const image *a, const image *b));
/* Why b was not joined with a, and the options that would have made the two alike. both: the result has to hold
 * the keys of both. */
ending complain_pair(const char *name, const blm_filter *a, const blm_filter *b, blm_err err,
                     const blm_report *why, bool both);
#endif
