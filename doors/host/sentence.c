/* sentence.c - words for people: what failed, what was meant, and untrusted bytes made safe to show. */
#include <stdio.h>
#include <string.h>

#include "host/host.h"

/* ---- untrusted bytes --------------------------------------------------------------------------------------------- */

static bool is_tail(const char *p, size_t i) { return ((unsigned char)p[i] & 0xc0) == 0x80; }

size_t host_utf8(const char *p, size_t n, uint32_t *code)
{
    static const uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
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
    if (c < min[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 0;
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

void host_escape(char *out, size_t room, const char *p, size_t n)
{
    size_t used = 0;
    while (n) {
        uint32_t code = 0;
        const size_t length = host_utf8(p, n, &code), bytes = length ? length : 1;
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

/* ---- errors ------------------------------------------------------------------------------------------------------- */

void host_sentence(char *out, size_t room, const char *name, blm_err err, const blm_report *why)
{
    const char *text = why && why->code == err && why->text[0] ? why->text : blm_strerror(err);
    size_t used = 0;
    /* The library names the path where it opens one. */
    if (name && strncmp(text, name, strlen(name)) != 0) {
        host_escape(out, room, name, strlen(name));
        used = strlen(out);
        host_escape(out + used, room - used, ": ", 2);
        used += strlen(out + used);
    }
    host_escape(out + used, room - used, text, strlen(text));
}

blm_err host_make(blm_filter **out, const char *spec, char *why, size_t room)
{
    blm_report report = {BLM_OK, ""};
    const blm_err err = blm_make(out, spec, &report);
    if (err) host_sentence(why, room, NULL, err, &report);
    return err;
}
