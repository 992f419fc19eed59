/* when.c - times as people write them: ISO 8601, or a number of seconds or milliseconds since 1970. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "input/input.h"

#define DAY_MS      UINT64_C(86400000)
#define WHEN_MAX    UINT64_C(253402300799999) /* the last one of the year 9999 */
#define MS_FROM     UINT64_C(100000000000)    /* a number from here on is milliseconds: 1973 */
#define SIGNIFICANT 17                        /* digits of a number */

typedef struct text {
    const char *p, *end;
} text;

static bool take_char(text *t, const char *any)
{
    const bool yes = t->p < t->end && *t->p && strchr(any, *t->p);
    t->p += yes;
    return yes;
}

/* Exactly n digits. */
static bool take_digits(text *t, size_t n, uint64_t *v)
{
    if ((size_t)(t->end - t->p) < n) return false;
    for (*v = 0; n; n--, t->p++) {
        if (*t->p < '0' || *t->p > '9') return false;
        *v = *v * 10 + (uint64_t)(*t->p - '0');
    }
    return true;
}

/* Digits after a point: the first three of them as milliseconds. None at all is false. */
static bool take_fraction(text *t, uint64_t *ms)
{
    const char *from = t->p;
    uint64_t digit, unit = 100;
    for (*ms = 0; take_digits(t, 1, &digit); unit /= 10) *ms += digit * unit;
    return t->p > from;
}

/* Days since 1970 of a day of the Gregorian calendar; false: there is none such. */
static bool days_of(uint64_t year, uint64_t month, uint64_t day, uint64_t *days)
{
    static const uint64_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (year < 1970 || month < 1 || month > 12 || day < 1) return false;
    if (day > before[month] - before[month - 1] + (leap && month == 2)) return false;
    const uint64_t past = year - 1; /* leap days come at the end of whole years */
    *days = (year - 1970) * 365 + past / 4 - past / 100 + past / 400 - 477 + before[month - 1] +
            day - 1 + (leap && month > 2);
    return true;
}

/* Z, +01, +0100, +01:00 or nothing, which is UTC: minutes to the east. */
static bool take_zone(text *t, uint64_t *minutes, bool *east)
{
    uint64_t hours = 0, more = 0;
    *minutes = 0;
    if (t->p == t->end || take_char(t, "Zz")) return true;
    *east = *t->p == '+';
    if (!take_char(t, "+-") || !take_digits(t, 2, &hours)) return false;
    if (t->p < t->end) {
        (void)take_char(t, ":");
        if (!take_digits(t, 2, &more)) return false;
    }
    *minutes = hours * 60 + more;
    return hours < 24 && more < 60;
}

/* hh:mm, hh:mm:ss or hh:mm:ss.fff, and the zone. */
static bool take_clock(text *t, uint64_t *ms, uint64_t *minutes, bool *east)
{
    uint64_t h = 0, m = 0, s = 0, part = 0;
    if (!take_digits(t, 2, &h) || !take_char(t, ":") || !take_digits(t, 2, &m)) return false;
    if (take_char(t, ":")) {
        if (!take_digits(t, 2, &s)) return false;
        if (take_char(t, ".,") && !take_fraction(t, &part)) return false;
    }
    *ms = ((h * 60 + m) * 60 + s) * 1000 + part;
    return h < 25 && m < 60 && s < 61 && *ms <= DAY_MS + 999 && take_zone(t, minutes, east);
}

static bool read_date(text t, uint64_t *ms)
{
    uint64_t year, month, day, days, of_day = 0, minutes = 0;
    bool east = false;
    if (!take_digits(&t, 4, &year) || !take_char(&t, "-") || !take_digits(&t, 2, &month) ||
        !take_char(&t, "-") || !take_digits(&t, 2, &day) || !days_of(year, month, day, &days))
        return false;
    if (t.p < t.end && (!take_char(&t, "Tt ") || !take_clock(&t, &of_day, &minutes, &east)))
        return false;
    const uint64_t there = days * DAY_MS + of_day, shift = minutes * 60000;
    if (t.p < t.end || (east && shift > there)) return false;
    *ms = east ? there - shift : there + shift;
    return true;
}

static bool read_number(text t, uint64_t *ms)
{
    const char *from = t.p;
    uint64_t v = 0, digit, part = 0;
    while (t.p - from < SIGNIFICANT && take_digits(&t, 1, &digit)) v = v * 10 + digit;
    if (t.p == from || (take_char(&t, ".") && !take_fraction(&t, &part))) return false;
    *ms = v < MS_FROM ? v * 1000 + part : v;
    return t.p == t.end;
}

bool when_read(const char *p, size_t n, uint64_t *ms)
{
    text t = {p, p + n};
    uint64_t v = 0;
    while (t.p < t.end && strchr(" \t", *t.p) && *t.p) t.p++;
    while (t.end > t.p && strchr(" \t\r", t.end[-1]) && t.end[-1]) t.end--;
    if ((!read_number(t, &v) && !read_date(t, &v)) || v > WHEN_MAX) return false;
    *ms = v;
    return true;
}

const char *when_text(char room[WHEN_ROOM], uint64_t ms)
{
    uint64_t day = ms / DAY_MS, year = 1970, month = 1, length;
    const uint64_t of_day = ms % DAY_MS;
    if (ms > WHEN_MAX) {
        snprintf(room, WHEN_ROOM, "%" PRIu64 " ms", ms);
        return room;
    }
    while (days_of(year + 1, 1, 1, &length) && length <= day) year++;
    while (month < 12 && days_of(year, month + 1, 1, &length) && length <= day) month++;
    days_of(year, month, 1, &length);
    const int used = snprintf(
        room, WHEN_ROOM,
        "%04" PRIu64 "-%02" PRIu64 "-%02" PRIu64 "T%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, year,
        month, day - length + 1, of_day / 3600000, of_day / 60000 % 60, of_day / 1000 % 60);
    snprintf(room + used, WHEN_ROOM - (size_t)used, ms % 1000 ? ".%03" PRIu64 "Z" : "Z", ms % 1000);
    return room;
}
