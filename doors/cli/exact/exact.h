/* exact.h - what verbs see of this room: answers that are exact within --ram. */
#ifndef BLM_CLI_EXACT_H
#define BLM_CLI_EXACT_H
#include "image/image.h"

/* uniq --exact (exact.c): no line is lost. repeated: lines that come again, in place of those that are new. */
ending uniq_exact(const settings *s, bool repeated);

/* What grep does with a line. */
typedef struct grep_wish {
    bool invert, count;
    bool deny; /* FILE is told which positives were false */
} grep_wish;
/* grep --confirm LIST (confirm.c): *chosen says how many lines, which are printed by then. */
ending grep_confirm(const settings *s, const grep_wish *wish, const image *im, uint64_t *chosen);
#endif
