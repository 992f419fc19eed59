/* report.c - codes, names and sentences. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* strerror_r that returns the text */
#endif
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/core_internal.h"

#define TEXT(number)    #number
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)
const char *blm_version(void)
{
    return DOTTED(BLM_VERSION_MAJOR, BLM_VERSION_MINOR, BLM_VERSION_PATCH);
}

blm_err blm_fail(blm_report *why, blm_err code, const char *fmt, ...)
{
    if (why) {
        va_list args;
        va_start(args, fmt);
        why->code = code;
        vsnprintf(why->text, sizeof why->text, fmt, args);
        va_end(args);
    }
    return code;
}

blm_err blm_io_fail(blm_report *why, const char *path, const char *what)
{
    char words[80] = "";
    const char *text = strerror_r(errno, words, sizeof words);
    return blm_fail(why, BLM_E_IO, "%.140s: %s: %.60s", path, what, text);
}

const char *blm_strerror(blm_err e)
{
    static const char *const words[] = {
        [BLM_OK] = "success",
        [BLM_E_ARG] = "a parameter is out of range",
        [BLM_E_NOMEM] = "out of memory",
        [BLM_E_FULL] = "over capacity",
        [BLM_E_CANNOT] = "this filter cannot do that",
        [BLM_E_ABSENT] = "the key is not in the filter",
        [BLM_E_IMAGE] = "not a sound image",
        [BLM_E_NEWER] = "the image was written by a newer version",
        [BLM_E_MISMATCH] = "these filters cannot be combined",
        [BLM_E_UNSURE] = "the filter cannot tell",
        [BLM_E_CONFLICT] = "a key has two different values",
        [BLM_E_BUILD] = "no seed worked",
        [BLM_E_CLOCK] = "time went backwards",
        [BLM_E_KEY] = "the secret key is missing or wrong",
        [BLM_E_IO] = "input or output failed",
        [BLM_E_READONLY] = "the filter is read-only",
        [BLM_E_POLLUTED] = "too full to be trusted",
    };
    return (unsigned)e < BLM_LEN(words) ? words[e] : "unknown error";
}

/* The place of a lone bit, or 32. */
static unsigned place_of(uint32_t one)
{
    return one && !(one & (one - 1)) ? (unsigned)__builtin_ctz(one) : 32;
}

const char *blm_ability_name(blm_ability one)
{
    static const char *const names[] = {
        "add",   "del",  "count",       "count_all", "get",    "put",       "which",    "index",
        "range", "part", "deny",        "tick",      "merge",  "intersect", "subtract", "fold",
        "grow",  "list", "cardinality", "build",     "shared", "overlap"};
    const unsigned i = place_of((uint32_t)one);
    return i < BLM_LEN(names) ? names[i] : NULL;
}

const char *blm_clock_name(blm_clock one)
{
    static const char *const names[] = {"arrivals", "ms", "steps"};
    const unsigned i = place_of((uint32_t)one);
    return i < BLM_LEN(names) ? names[i] : NULL;
}

const char *blm_promise_name(blm_promise one)
{
    static const char *const names[] = {"no_miss",    "no_false",    "never_low",  "any_order",
                                        "idempotent", "merge_exact", "fold_exact", "del_exact"};
    const unsigned i = place_of((uint32_t)one);
    return i < BLM_LEN(names) ? names[i] : NULL;
}
