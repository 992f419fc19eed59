/* words.c - keys that are arguments: which operands they are, and the slip of naming a file instead. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input/input.h"

static size_t first_word(const settings *s) { return s->files ? s->files : 1; }

bool keys_are_words(const settings *s) { return !s->read.inputs && s->operands > first_word(s); }

static ending check_word(const settings *s, const char *word, bool strict)
{
    struct stat st;
    const char *verb_name = s->verb->name;
    if (strcmp(word, "-") == 0) {
        if (strict)
            return trouble(
                "-: leave it out to read standard input, or put it after -- to %s the key \"-\"",
                verb_name);
        complain("note: - is used as a key; leave it out to read standard input");
        return END_YES;
    }
    if (stat(word, &st) != 0) return END_YES;
    if (strict)
        return trouble("%s: this is the name of a file; use -i to read its lines as keys, or put "
                       "it after -- to %s the key \"%s\" itself",
                       word, verb_name, word);
    complain("note: %s is the name of a file, but is used as a key; use -i to read the file, or "
             "put the key after --",
             word);
    return END_YES;
}

ending words_checked(const settings *s, bool strict)
{
    ending end = END_YES;
    for (size_t i = first_word(s); i < s->operands && i < s->literal && !end; i++)
        end = check_word(s, s->operand[i], strict);
    return end;
}

ending words_each(const settings *s, ending (*each)(void *ctx, const line *key), void *ctx)
{
    ending end = END_YES;
    for (size_t i = first_word(s); i < s->operands && !end && !out_failed(); i++) {
        line one;
        char *room = malloc(strlen(s->operand[i]) + 1);
        if (!room) return trouble("no memory");
        end = key_of_word(s, s->operand[i], room, &one) ? each(ctx, &one) : END_TROUBLE;
        free(room);
    }
    return end;
}
