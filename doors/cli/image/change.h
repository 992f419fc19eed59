/* change.h - what add, rm and deny share: a file that is read, changed and written under one lock. */
#ifndef BLM_CLI_CHANGE_H
#define BLM_CLI_CHANGE_H
#include "image/image.h"

typedef struct change {
    settings *s;
    const char *path; /* FILE; "-": from standard input to standard output   */
    blm_update *held; /* NULL: no lock, it is a pipe                         */
    image im;         /* a copy that may change; its info is from before     */
    input *in; /* the keys, with their hashes where the kind takes them; NULL: they are words */
    uint64_t words; /* that were taken so far */
} change;

/* Replacing a file takes no right to write it, and root has every right: the mode of FILE says what its owner wants.
 * way_out: what a user can do about a read-only one; NULL: that was done. */
ending change_allowed(const char *path, const char *way_out);
/* FILE is the first operand; the others are KEYs or, with -i, files that have them. needs 0: nothing. */
ending change_begin(change *c, settings *s, blm_ability needs, const char *does);
/* The same without keys: FILE is the only operand, and its time stays. */
ending change_begin_alone(change *c, settings *s, blm_ability needs, const char *does);
/* Calls `each` with every key, of words or lines, until one fails. */
typedef ending (*change_key)(void *ctx, const line *key, const blm_item *it);
ending change_each(change *c, change_key each, void *ctx);
uint64_t change_keys(const change *c); /* that came so far */
blm_item change_item(const change *c, const line *l);
ending change_write(change *c);
/* The common part of the summary; `head` is what was done, json_* calls precede it with --json. */
void change_report(const change *c, const char *head);
void change_close(change *c); /* what was not written stays as it was */
#endif
