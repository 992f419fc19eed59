/* number.c - numbers as people write them, whatever the locale.
 *
 *   counts  1000000  1e6  1.5M  10k  2G      rates  0.001  1e-3  0.1%  1/1000
 *   sizes   128B  64KiB  2GiB  10MB  1024b (bits)
 *
 * strtod() reads "0,1" in half of Europe and stops at the dot: so the digits are read here. Up to 19
 * digits and |exponent| <= 22 the result is the nearest double (both factors are exact).
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/core_internal.h"

static bool digit(const char *p, const char *end) { return p < end && *p >= '0' && *p <= '9'; }

/* "e-6" at *p, or nothing. An exponent of more than 4 digits saturates: pow() makes it inf or 0. */
static int exponent(const char **p, const char *end)
{
    const char *q = *p;
    if (q >= end || (*q != 'e' && *q != 'E')) return 0;
    q++;
    const bool minus = q < end && *q == '-';
    if (q < end && (*q == '-' || *q == '+')) q++;
    if (!digit(q, end)) return 0;
    int e = 0;
    for (; digit(q, end); q++) e = e < 9999 ? e * 10 + (*q - '0') : e;
    *p = q;
    return minus ? -e : e;
}

bool blm_number(const char **at, const char *end, double *out)
{
    const char *p = *at;
    uint64_t whole = 0;
    int scale = 0, digits = 0;
    bool any = false, point = false;
    for (; p < end; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (!digit(p, end)) break;
        any = true;
        if (digits < 19) {
            whole = whole * 10 + (uint64_t)(*p - '0');
            digits += whole > 0;
            scale -= point;
        } else
            scale += !point;
    }
    if (!any) return false;
    scale += exponent(&p, end);
    const double w = (double)whole;
    *out = whole == 0     ? 0
           : scale < -300 ? w * pow(10, -300) * pow(10, scale + 300)
           : scale < 0    ? w / pow(10, -scale)
                          : w * pow(10, scale);
    *at = p;
    return true;
}

/* A number, then one of the words; *scale is that word's factor. */
typedef struct unit {
    const char *word;
    double factor;
} unit;

static bool with_unit(const char *text, const unit *units, size_t n, double *out)
{
    const char *p = text, *end = text + strlen(text);
    if (!blm_number(&p, end, out)) return false;
    for (size_t i = 0; i < n; i++)
        if (strcmp(p, units[i].word) == 0) {
            *out *= units[i].factor;
            return true;
        }
    return false;
}

blm_err blm_parse_count(const char *text, uint64_t *n, blm_report *why)
{
    static const unit units[] = {{"", 1},    {"k", 1e3}, {"K", 1e3},
                                 {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
    double v;
    if (!with_unit(text, units, BLM_LEN(units), &v))
        return blm_fail(why, BLM_E_ARG, "%.60s: not a count; write 1000000, 1e6, 10M or 2G", text);
    if (!(v < 9007199254740992.0)) /* 2^53: every integer below it is exact */
        return blm_fail(why, BLM_E_ARG, "%.60s: a count is below 2^53, about 9e15", text);
    const double whole = v == floor(v) ? v : floor(v + 0.5);
    if (fabs(v - whole) <= v * 4.5e-16)
        v = whole; /* 1.005k is 1005: the product is off by a rounding */
    if (v != whole) return blm_fail(why, BLM_E_ARG, "%.60s: a count is a whole number", text);
    *n = (uint64_t)v;
    return BLM_OK;
}

static blm_err bad_rate(const char *text, double v, blm_report *why)
{
    if (v >= 1 && v < 100)
        return blm_fail(why, BLM_E_ARG,
                        "fpr %.60s: a rate lies between 0 and 1; did you mean %g%% = %g?", text, v,
                        v / 100);
    return blm_fail(why, BLM_E_ARG,
                    "fpr %.60s: a rate lies between 0 and 1, such as 0.001, 0.1%% or 1/1000", text);
}

blm_err blm_parse_rate(const char *text, double *p, blm_report *why)
{
    const char *at = text, *end = text + strlen(text);
    double v, under = 1;
    if (!blm_number(&at, end, &v)) return bad_rate(text, -1, why);
    if (*at == '%' && !at[1])
        v /= 100, at++;
    else if (*at == '/') {
        at++;
        if (!blm_number(&at, end, &under)) return bad_rate(text, -1, why);
        v /= under;
    }
    if (*at || !(v > 0 && v < 1)) return bad_rate(text, *at || strchr(text, '%') ? -1 : v, why);
    *p = v;
    return BLM_OK;
}

blm_err blm_parse_bits(const char *text, uint64_t *bits, blm_report *why)
{
    static const unit units[] = {{"b", 1},
                                 {"B", 8},
                                 {"KiB", 8192.0},
                                 {"MiB", 8388608.0},
                                 {"GiB", 8589934592.0},
                                 {"TiB", 8796093022208.0},
                                 {"kB", 8e3},
                                 {"KB", 8e3},
                                 {"MB", 8e6},
                                 {"GB", 8e9},
                                 {"TB", 8e12},
                                 {"K", 8192.0},
                                 {"M", 8388608.0},
                                 {"G", 8589934592.0}};
    double v;
    if (!with_unit(text, units, BLM_LEN(units), &v)) {
        const bool bare = text[0] && strspn(text, "0123456789") == strlen(text);
        return bare ? blm_fail(why, BLM_E_ARG,
                               "%.60s: bits or bytes? write %.60sb for bits, %.60sB for bytes",
                               text, text, text)
                    : blm_fail(why, BLM_E_ARG,
                               "%.60s: not a size; write 128B, 64KiB, 2GiB or 1024b (bits)", text);
    }
    if (!(v >= 1 && v <= (double)BLM_BITS_MAX))
        return blm_fail(why, BLM_E_ARG, "%.60s: a size lies between 1b and 2^60 bits (128 PiB)",
                        text);
    *bits = (uint64_t)v;
    return BLM_OK;
}
