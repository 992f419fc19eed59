/* two_choice.c - the kind itself, but its probes fall on one place in pairs. Its theory knows nothing of that, so
 * the lab has to see it. */
#include "parts/probe.h"
#define blm_place(h, i, m)  blm_place(h, (i) / 2 * 2, m)
#define blm_kind_two_choice blm_kind_two_choice_broken
#include "kinds/membership/two_choice/two_choice.c"
