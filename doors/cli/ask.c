/* ask.c - lines against a filter, a batch at a time: all hashes first, then all answers. */
#include <string.h>

#include "cli.h"

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

bool key_item(const image *im, const char *p, size_t n, blm_item *it)
{
    uint64_t number = 0;
    if (im->integers && !key_number(p, n, &number)) return false;
    *it = im->integers ? blm_item_u64(im->f, number, BLM_NO_ARG)
                       : blm_item_of(im->f, p, n, BLM_NO_ARG);
    return true;
}

/* Kinds that look inside a key take no batches of hashes. */
static void ask_bytes(const blm_filter *f, const line *lines, size_t n, uint8_t *yes)
{
    for (size_t i = 0; i < n; i++)
        yes[i] = lines[i].key && blm_has(f, lines[i].key, lines[i].key_length);
}

void ask_lines(const image *im, const line *lines, size_t n, uint8_t *yes)
{
    const blm_filter *f = im->f;
    const bool integers = im->integers;
    if (im->looks_inside) {
        ask_bytes(f, lines, n, yes);
        return;
    }
    blm_hash h[BATCH];
    uint8_t answer[BATCH];
    size_t place[BATCH], asked = 0;
    memset(yes, 0, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t number = 0;
        if (!lines[i].key || (integers && !key_number(lines[i].key, lines[i].key_length, &number)))
            continue;
        h[asked] =
            integers ? blm_hash_u64(f, number) : blm_hash_of(f, lines[i].key, lines[i].key_length);
        place[asked++] = i;
    }
    if (!asked) return;
    blm_has_many(f, h, NULL, asked, answer);
    for (size_t i = 0; i < asked; i++) yes[place[i]] = answer[i];
}
