/* ask.c - lines against a filter, a batch at a time: all hashes first, then all answers. */
#include <string.h>

#include "image/image.h"

bool key_item(const image *im, const line *l, blm_item *it)
{
    uint64_t number = 0;
    if (im->integers && !key_number(l->key, l->key_length, &number)) return false;
    *it = im->integers ? blm_item_u64(im->f, number, l->arg)
                       : blm_item_of(im->f, l->key, l->key_length, l->arg);
    return true;
}

/* Kinds that look inside a key take no batches of hashes. */
static void ask_bytes(const image *im, const line *lines, size_t n, uint8_t *yes)
{
    blm_item it;
    for (size_t i = 0; i < n; i++)
        yes[i] = lines[i].key && key_item(im, &lines[i], &it) && blm_has_item(im->f, &it);
}

/* Kinds of numbers take a number: a key that is not one is certainly not in the set. */
static bool hash_of_line(const image *im, const line *l, blm_hash *h)
{
    uint64_t number = 0;
    if (!im->integers) {
        *h = blm_hash_of(im->f, l->key, l->key_length);
        return true;
    }
    if (!key_number(l->key, l->key_length, &number)) return false;
    *h = blm_hash_u64(im->f, number);
    return true;
}

static void ask_batch(const image *im, bool hashed, const line *lines, size_t n, uint8_t *yes)
{
    blm_hash h[BATCH];
    uint8_t answer[BATCH];
    uint64_t arg[BATCH];
    size_t place[BATCH], asked = 0;
    bool numbered = false;
    memset(yes, 0, n);
    for (size_t i = 0; i < n; i++) {
        if (!lines[i].key) continue;
        if (hashed)
            h[asked] = lines[i].h;
        else if (!hash_of_line(im, &lines[i], &h[asked]))
            continue;
        numbered |= lines[i].arg != BLM_NO_ARG;
        arg[asked] = lines[i].arg;
        place[asked++] = i;
    }
    if (!asked) return;
    blm_has_many(im->f, h, numbered ? arg : NULL, asked, answer);
    for (size_t i = 0; i < asked; i++) yes[place[i]] = answer[i];
}

void ask_lines(const image *im, const line *lines, size_t n, uint8_t *yes)
{
    if (im->looks_inside)
        ask_bytes(im, lines, n, yes);
    else
        ask_batch(im, false, lines, n, yes);
}

void ask_all(asker ask, const image *im, const line *lines, size_t n, uint8_t *yes)
{
    for (size_t from = 0; from < n; from += BATCH)
        ask(im, lines + from, n - from < BATCH ? n - from : BATCH, yes + from);
}

asker ask_input(const image *im, input *in)
{
    if (im->looks_inside || im->integers) return ask_lines;
    input_hash_with(in, im->f, false);
    return ask_hashed;
}

void ask_hashed(const image *im, const line *lines, size_t n, uint8_t *yes)
{
    ask_batch(im, true, lines, n, yes);
}
