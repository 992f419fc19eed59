/* text.c - small words: sizes, hex digits, numbers. */
#include <stdio.h>

#include "cli.h"

const char *text_bytes(char room[32], uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double v = (double)bytes;
    size_t i = 0;
    for (; v >= 1024 && i + 1 < COUNT_OF(units); i++) v /= 1024;
    snprintf(room, 32, i ? "%.1f %s" : "%.0f %s", v, units[i]);
    return room;
}

const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    const char low = (char)(c | 0x20);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

bool key_number(const char *p, size_t n, uint64_t *value)
{
    uint64_t v = 0;
    if (!n) return false;
    for (size_t i = 0; i < n; i++) {
        const uint64_t digit = (uint64_t)(unsigned char)p[i] - '0';
        if (digit > 9 || v > (UINT64_MAX - digit) / 10) return false;
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}
