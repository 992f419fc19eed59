/* habits.h - what other programs taught the people who use this one. */
#ifndef BLM_CLI_HABITS_H
#define BLM_CLI_HABITS_H
#include "cli.h"
/* What to type in place of a letter that this verb does not have, "use --repeated ..."; NULL: nothing is known. */
const char *habit_of_letter(const verb *v, char letter);
/* Our word for one of theirs (create: build), or NULL; an option only if the verb has it. */
const char *verb_meant(const char *word);
const char *option_meant(const verb *v, const char *word);
/* END_YES: there is such a kind. Else it has complained, with the kind that was meant; given_by: "-t ", or "". */
ending kind_known(const char *given_by, const char *name);
#endif
