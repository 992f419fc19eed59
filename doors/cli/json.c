/* json.c - one object a line; names are ours and need no escape, values are anyone's. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static bool comma;

static void begin(const char *name)
{
    if (comma) out_text(",");
    if (name) out_text("\"%s\":", name);
    comma = true;
}

void json_open(const char *name, char bracket)
{
    begin(name);
    out_bytes(&bracket, 1);
    comma = false;
}

void json_close(char bracket)
{
    out_bytes(&bracket, 1);
    comma = true;
}

void json_end_line(void)
{
    out_text("\n");
    comma = false;
}

static void put_code(const char *p, size_t length, uint32_t code)
{
    if (code == '"' || code == '\\')
        out_text("\\%c", (char)code);
    else if (code < 0x20 || code == 0x7f)
        out_text("\\u%04x", (unsigned)code);
    else
        out_bytes(p, length);
}

void json_bytes(const char *name, const char *p, size_t n)
{
    bool sound = true;
    begin(name);
    out_text("\"");
    for (size_t i = 0; i < n;) {
        uint32_t code = 0;
        const size_t length = utf8_next(p + i, n - i, &code);
        if (length)
            put_code(p + i, length, code);
        else
            out_text("\\ufffd"), sound = false;
        i += length ? length : 1;
    }
    out_text("\"");
    if (sound || !name) return;
    out_text(",\"%s_hex\":\"", name);
    for (size_t i = 0; i < n; i++) out_text("%02x", (unsigned)(unsigned char)p[i]);
    out_text("\"");
}

void json_text(const char *name, const char *text) { json_bytes(name, text, strlen(text)); }

void json_count(const char *name, uint64_t n)
{
    begin(name);
    out_text("%" PRIu64, n);
}

/* The shortest of 15 to 17 digits that reads back as the same double. */
void json_number(const char *name, double v)
{
    char text[40];
    begin(name);
    if (!isfinite(v)) {
        out_text("null");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v) break;
    }
    out_text("%s", text);
}

void json_bool(const char *name, bool v)
{
    begin(name);
    out_text(v ? "true" : "false");
}

void json_null(const char *name)
{
    begin(name);
    out_text("null");
}
