/* describe.h - names of abilities, promises and knobs. */
#ifndef BLM_CLI_DESCRIBE_H
#define BLM_CLI_DESCRIBE_H
#include "cli.h"
void text_abilities(char *out, size_t room, uint32_t can, const char *between);
void text_promises(char *out, size_t room, uint32_t promises);
void json_abilities(const char *key, uint32_t can);
void json_promises(const char *key, uint32_t promises);
void knob_word(char *out, size_t room, const blm_knobdef *d, double place);
bool knob_now(const blm_filter *f, const blm_knobdef *d,
              uint64_t *value); /* false: it has no field */
/* "a.blm: kind standard cannot delete; ...": with the kinds that can, out of their tables. */
ending cannot(const char *path, const char *kind, blm_can_t what, const char *does);
/* Why its rate is above the promise, "; above the promise..."; "": it is not, as far as three digits tell. */
#define ABOVE_ROOM 160
const char *text_above(char room[ABOVE_ROOM], const blm_filter *f, const blm_info *n);
#endif
