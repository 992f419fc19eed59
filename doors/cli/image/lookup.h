/* lookup.h - what count, get and which share: one answer per key, from arguments or lines; or all answers at once. */
#ifndef BLM_CLI_LOOKUP_H
#define BLM_CLI_LOOKUP_H
#include "image/image.h"

typedef struct lookup lookup;
/* it NULL: keys are numbers here and this one is not, so it cannot be in the set. */
typedef ending (*lookup_answer)(lookup *l, const line *key, const blm_item *it);

/* Answers n lines, those with a key; lines[i].h is the hash. */
typedef ending (*lookup_answers)(lookup *l, const line *lines, size_t n);

struct lookup {
    const settings *s;
    const char *path;
    image im;
    bool careful; /* a large image: only the chunks that a query reads are checked, before it */
    bool any_no;
    lookup_answer answer;
    lookup_answers answers; /* NULL: none; else for lines of kinds that take batches of hashes */
    const void *own;        /* the verb's */
};

/* FILE is the first operand, the keys are the others, or lines of standard input. */
ending lookup_run(settings *s, blm_ability needs, const char *does, lookup_answer answer,
                  lookup_answers answers, const void *own);
/* All distinct keys of the INPUTs that follow FILE are counted together, and then shown in the order of their first lines. */
typedef void (*lookup_told)(lookup *l, const line *key, const blm_estimate *times);
ending lookup_together(settings *s, lookup_told show);
/* "KEY<tab>TEXT", or with --json {"key":..., and the rest is the caller's. */
void lookup_show(const lookup *l, const line *key, const char *text);
void lookup_json(const line *key);
#endif
