/* completion.h - what the scripts of the three shells are made from. */
#ifndef BLM_CLI_COMPLETION_H
#define BLM_CLI_COMPLETION_H
#include "cli.h"

typedef enum follows { /* what can be offered after an option, or as an operand */
                       FOLLOWS_NOTHING,
                       FOLLOWS_FILES,
                       FOLLOWS_FOLDERS,
                       FOLLOWS_KINDS,
                       FOLLOWS_KNOBS, /* KNOB= of the kind that was named before it */
                       FOLLOWS_VERBS,
                       FOLLOWS_WORDS, /* one of a few words, given with it          */
                       FOLLOWS_LIST   /* some of them, with commas between          */
} follows;

#define WORDS_ROOM 4096 /* the names of all kinds, and more */
/* Of WORDS and LIST: the words, with blanks between; else words is empty. */
follows follows_option(const option *o, char words[WORDS_ROOM]);
follows follows_verb(const verb *v, char words[WORDS_ROOM]); /* operands, by its usage */

#define EACH_OPTION(v, o) (size_t i_ = 0; ((o) = option_at(v, i_)); i_++)

void each_kind(const char *format); /* prints every kind's name by that format */
/* Prints every knob of a kind (NULL: of all): "width=", or "method=word" for each of its words. */
void each_knob(const char *kind, const char *format);

void completion_bash(void);
void completion_zsh(void);
void completion_fish(void);
#endif
