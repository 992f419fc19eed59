/* recipe.h - how a golden was made, as text, and what it answers.
 *
 *   make SPEC                      the first line but for comments (#) and `secret`; as in blm_make
 *   build SPEC                     instead of make: the adds that follow go into a builder
 *   secret HEX                     16 bytes
 *   made-by-older NAME             these bytes were written before a fix: they are read and asked as ever, but not
 *                                  made again; the golden NAME has the bytes that this recipe makes now
 *   note TEXT                      to the end of the line
 *   form WORDS                     of the keys, to the end of the line
 *   add WORD FROM TO TIMES [ARG]   keys WORD-FROM .. WORD-TO, one after the other, TIMES times over,
 *                                  each with ARG (a weight, a state)
 *   list WORD FROM TO NUMBER       into that list of the builder, 1: the first after the members
 *   del WORD FROM TO [ARG]         keys of which the filter is unsure stay
 *   deny WORD FROM TO              of these keys, those that are taken for members
 *   put WORD FROM TO VALUE         key WORD-i gets VALUE + i
 *   tick NOW
 *   fold TIMES
 *   grow
 *   adopt HEX                      bare cells of others, this byte over and over
 *   ask has|count|get|range8 WORD FROM TO      one query per key; the answers are <name>.answers
 *
 * A key is the text WORD-i; with the word `integer` it is the number i (8 bytes, little-endian).
 * range8 asks for any member in [i, i + 7].
 *
 * An answer is a line "VERB WORD FROM TO ANSWER", one for each run of equal answers: has maybe|no,
 * count N or N+ (a counter is at its ceiling), get N, absent or unsure, range8 maybe|no.
 */
#ifndef BLM_GOLDEN_RECIPE_H
#define BLM_GOLDEN_RECIPE_H
#include <bloomery/bloomery.h>
#include <stdio.h>

typedef struct golden_text { /* bytes of a file, or of an image; zero-ended */
    char *bytes;
    size_t length, room;
} golden_text;
void golden_append(golden_text *t, const void *bytes, size_t n);
/* Goldens are named by a path without suffix; false: there is no such file. */
bool golden_read(golden_text *t, const char *golden, const char *suffix);
blm_err golden_sink(void *text, const void *bytes, size_t n); /* for blm_save */

/* Both end the process with a sentence when the recipe makes no sense. */
blm_filter *golden_make(const char *name, const char *recipe);
void golden_answers(const char *name, const char *recipe, const blm_filter *f, golden_text *out);

/* Copies into `name` the golden that `made-by-older` names; false when the recipe has no such line. */
bool golden_newer(const char *recipe, char name[200]);

/* The secret of a recipe; NULL when it has none. */
const uint8_t *golden_secret(const char *recipe, uint8_t room[16]);
#endif
