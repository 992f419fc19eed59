/* describe.h - sentences about a filter that several verbs say. */
#ifndef BLM_CLI_DESCRIBE_H
#define BLM_CLI_DESCRIBE_H
#include "cli.h"
/* "a.blm: kind standard cannot delete; ...": with the kinds that can, out of their tables. */
ending cannot(const char *path, const char *kind, blm_ability what, const char *does);
/* Why its rate is above the promise, "; above the promise..."; "": it is not, as far as three digits tell. */
#define ABOVE_ROOM 160
const char *text_above(char room[ABOVE_ROOM], const blm_filter *f, const blm_info *n);
#endif
