/* complain.c - sentences on standard error, and which exit code an error of the library is. */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const char *speaker;

void complain_as(const char *verb_name) { speaker = verb_name; }

static void say(const char *format, va_list args)
{
    char text[4096], safe[8192];
    vsnprintf(text, sizeof text, format, args);
    text_escape(safe, sizeof safe, text, strlen(text));
    flockfile(stderr); /* any thread may complain */
    progress_end();
    fprintf(stderr, "bloomery%s%s: %s\n", speaker ? " " : "", speaker ? speaker : "", safe);
    funlockfile(stderr);
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
    const char *text = why && why->code == err && why->text[0] ? why->text : blm_strerror(err);
    /* The library names the path where it opens one. */
    if (name && strncmp(text, name, strlen(name)) != 0)
        complain("%s: %s", name, text);
    else
        complain("%s", text);
    return ending_of(err);
}
