/* help.h - the tables of options as text: help and manual pages. */
#ifndef BLM_CLI_HELP_H
#define BLM_CLI_HELP_H
#include "cli.h"
void help_verb(const verb *v);
void help_all(void);
ending no_such_verb(const char *name); /* complains, with the nearest one */
void show_version(void);
/* The names of the needs that some kind of this build has. */
void needs_listed(char *out, size_t room, const char *between);
#define TEXT_ROOM 4096
const char *verb_text(const verb *v, char room[TEXT_ROOM]); /* with the needs in their place */
extern const char help_numbers[];                           /* how numbers and sizes are written */
extern const char *const help_exit[];                       /* by `ending`, ended by NULL        */
void manual_verb(const verb *v);                            /* bloomery-VERB(1) as roff          */
void manual_all(void);                                      /* bloomery(1)                       */
#endif
