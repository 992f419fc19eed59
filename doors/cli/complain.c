/* complain.c - sentences on standard error, and which exit code an error of the library is. */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const char *speaker;

void complain_as(const char *verb_name) { speaker = verb_name; }

static void say_safe(const char *safe)
{
    flockfile(stderr); /* any thread may complain */
    progress_end();
    fprintf(stderr, "bloomery%s%s: %s\n", speaker ? " " : "", speaker ? speaker : "", safe);
    funlockfile(stderr);
}

static void say(const char *format, va_list args)
{
    char text[4096], safe[8192];
    vsnprintf(text, sizeof text, format, args);
    host_escape(safe, sizeof safe, text, strlen(text));
    say_safe(safe);
}

void complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

ending trouble(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    return END_TROUBLE;
}

ending ending_of(blm_err err)
{
    switch (err) {
    case BLM_OK:
        return END_YES;
    case BLM_E_IMAGE:
    case BLM_E_NEWER:
    case BLM_E_POLLUTED:
        return END_UNSOUND;
    case BLM_E_FULL:
        return END_FULL;
    case BLM_E_MISMATCH:
        return END_UNLIKE;
    case BLM_E_UNSURE:
        return END_UNDECODED;
    default:
        return END_TROUBLE;
    }
}

ending complain_why(const char *name, blm_err err, const blm_report *why)
{
    char sentence[HOST_SENTENCE];
    host_sentence(sentence, sizeof sentence, name, err, why);
    say_safe(sentence);
    return ending_of(err);
}
