/* exact.h - what verbs see of this room: answers that are exact within --ram. */
#ifndef BLM_CLI_EXACT_H
#define BLM_CLI_EXACT_H
#include "image/image.h"

/* uniq --exact (exact.c): no line is lost. repeated: lines that come again, in place of those that are new. */
ending uniq_exact(const settings *s, bool repeated);

/* uniq -c and -u (tally.c): each distinct line at the end, in the order of their first ones, within --ram. */
typedef struct uniq_tally_wish {
    bool count;          /* how often it came, before the line */
    bool once, repeated; /* only lines that came once; only those that came again */
} uniq_tally_wish;
ending uniq_tally(const settings *s, const uniq_tally_wish *wish);

/* What grep does with a line. */
typedef struct grep_wish {
    bool invert, count;
    bool deny; /* report to FILE which positives were false */
} grep_wish;
/* grep --confirm LIST (confirm.c): *chosen says how many lines, which are printed by then. */
ending grep_confirm(const settings *s, const grep_wish *wish, const image *im, uint64_t *chosen);
#endif
