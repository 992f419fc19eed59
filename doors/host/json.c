/* json.c - JSON into a sink; names are ours and need no escape, values are anyone's. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host.h"

static void put(host_json *j, const char *p, size_t n)
{
    if (n && !j->err) j->err = j->to(j->ctx, p, n);
}

static void put_text(host_json *j, const char *text) { put(j, text, strlen(text)); }

static void begin(host_json *j, const char *name)
{
    if (j->comma) put_text(j, ",");
    j->comma = true;
    if (!name) return;
    put_text(j, "\"");
    put_text(j, name);
    put_text(j, "\":");
}

void host_json_open(host_json *j, const char *name, char bracket)
{
    begin(j, name);
    put(j, &bracket, 1);
    j->comma = false;
}

void host_json_close(host_json *j, char bracket)
{
    put(j, &bracket, 1);
    j->comma = true;
}

void host_json_end_line(host_json *j)
{
    put_text(j, "\n");
    j->comma = false;
}

/* What stands in a string for this code point; "": itself. */
static const char *escaped(char room[8], size_t length, uint32_t code)
{
    room[0] = 0;
    if (!length)
        snprintf(room, 8, "\\ufffd");
    else if (code == '"' || code == '\\')
        snprintf(room, 8, "\\%c", (char)code);
    else if (code < 0x20 || code == 0x7f)
        snprintf(room, 8, "\\u%04x", (unsigned)(code & 0xff));
    return room;
}

static void put_hex(host_json *j, const char *p, size_t n)
{
    char two[4];
    for (size_t i = 0; i < n; i++) {
        snprintf(two, sizeof two, "%02x", (unsigned)(unsigned char)p[i]);
        put(j, two, 2);
    }
}

void host_json_bytes(host_json *j, const char *name, const char *p, size_t n)
{
    bool sound = true;
    size_t plain = 0; /* from here on nothing is out yet, and needs no escape */
    char room[8];
    begin(j, name);
    put_text(j, "\"");
    for (size_t i = 0; i < n;) {
        uint32_t code = 0;
        const size_t length = host_utf8(p + i, n - i, &code), next = i + (length ? length : 1);
        sound = sound && length;
        if (*escaped(room, length, code)) {
            put(j, p + plain, i - plain);
            put_text(j, room);
            plain = next;
        }
        i = next;
    }
    put(j, p + plain, n - plain);
    put_text(j, "\"");
    if (sound || !name) return;
    put_text(j, ",\"");
    put_text(j, name);
    put_text(j, "_hex\":\"");
    put_hex(j, p, n);
    put_text(j, "\"");
}

void host_json_text(host_json *j, const char *name, const char *text)
{
    host_json_bytes(j, name, text, strlen(text));
}

void host_json_count(host_json *j, const char *name, uint64_t n)
{
    char text[24];
    begin(j, name);
    snprintf(text, sizeof text, "%" PRIu64, n);
    put_text(j, text);
}

/* The shortest of 15 to 17 digits that reads back as the same double. */
void host_json_number(host_json *j, const char *name, double v)
{
    char text[40] = "null";
    begin(j, name);
    for (int digits = 15; isfinite(v) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v) break;
    }
    put_text(j, text);
}

void host_json_bool(host_json *j, const char *name, bool v)
{
    begin(j, name);
    put_text(j, v ? "true" : "false");
}

void host_json_null(host_json *j, const char *name)
{
    begin(j, name);
    put_text(j, "null");
}
