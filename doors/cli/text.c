/* text.c - bytes of strangers, made safe to show. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static bool is_tail(const char *p, size_t i) { return ((unsigned char)p[i] & 0xc0) == 0x80; }

size_t utf8_next(const char *p, size_t n, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!n) return 0;
    const unsigned char first = (unsigned char)p[0];
    if (first < 0x80) {
        *code = first;
        return 1;
    }
    const size_t length = first >= 0xf0 && first < 0xf8   ? 4
                          : first >= 0xe0 && first < 0xf0 ? 3
                          : first >= 0xc0 && first < 0xe0 ? 2
                                                          : 0;
    if (!length || length > n) return 0;
    uint32_t c = first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (!is_tail(p, i)) return 0;
        c = c << 6 | ((unsigned char)p[i] & 0x3fu);
    }
    if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 0;
    *code = c;
    return length;
}

/* Controls (C0, C1), zero-width and direction marks: a name must not move the cursor or read
 * otherwise than it is written. */
static bool shows(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return false;
    return !((c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
             (c >= 0x2060 && c <= 0x206f) || c == 0xfeff);
}

void text_escape(char *out, size_t room, const char *p, size_t n)
{
    size_t used = 0;
    while (n) {
        uint32_t code = 0;
        const size_t length = utf8_next(p, n, &code), bytes = length ? length : 1;
        const bool plain = length && shows(code);
        if (used + (plain ? bytes : 4 * bytes) + 1 > room) break;
        if (plain)
            memcpy(out + used, p, bytes), used += bytes;
        else
            for (size_t i = 0; i < bytes; i++)
                used += (size_t)snprintf(out + used, room - used, "\\x%02x",
                                         (unsigned)(unsigned char)p[i]);
        p += bytes;
        n -= bytes;
    }
    out[used] = 0;
}

const char *text_bytes(char room[32], uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double v = (double)bytes;
    size_t i = 0;
    for (; v >= 1024 && i + 1 < COUNT_OF(units); i++) v /= 1024;
    snprintf(room, 32, i ? "%.1f %s" : "%.0f %s", v, units[i]);
    return room;
}

int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    const char low = (char)(c | 0x20);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}
