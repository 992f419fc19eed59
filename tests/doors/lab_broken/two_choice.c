/* two_choice.c - the kind itself, but for one probe: the first two of a key fall on one place. Its theory knows
 * nothing of that, so the lab has to see it. */
#include "parts/probe.h"
#define blm_place(h, i, m)  blm_place(h, (i) ? (i) : 1, m)
#define blm_kind_two_choice blm_kind_two_choice_broken
#include "kinds/two_choice.c"
