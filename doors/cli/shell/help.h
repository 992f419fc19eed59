/* help.h - facts that the list of verbs and the manual share. */
#ifndef BLM_CLI_HELP_H
#define BLM_CLI_HELP_H
#include "cli.h"
extern const char help_numbers[];     /* how numbers and sizes are written */
extern const char *const help_exit[]; /* by `ending`, ended by NULL        */
void manual_verb(const verb *v);      /* bloomery-VERB(1) as roff          */
void manual_all(void);                /* bloomery(1)                       */
#endif
