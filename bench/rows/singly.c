/* singly.c - one key at a time against batches of the same keys, in cache (1 MiB) and far out of it (136 MiB). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { ASKED_SMALL = 1 << 17, ASKED_LARGE = 1 << 21, EXTRA_ROUNDS = 6, STRINGS = 1 << 15 };

/* What is wanted of one key at a time: how many times the time of the batch. 0: the row informs. */
typedef struct promise {
    const char *kind;
    uint64_t mib;
    double ask, add, strings, lens;
} promise;

static char what[96];

static versus row_of(const promise *p, const char *act, uint64_t work, double wanted)
{
    snprintf(what, sizeof what, "%s, %s, against its batch, %" PRIu64 " MiB", p->kind, act, p->mib);
    return (versus){.what = what,
                    .work = work,
                    .wanted = wanted,
                    .at_most = true,
                    .extra = p->mib > 1 ? 0 : EXTRA_ROUNDS};
}

static void ask_rows(const promise *p, blm_filter *f, uint64_t keys)
{
    const size_t asked = p->mib > 1 ? ASKED_LARGE : ASKED_SMALL;
    uint64_t *number = draw_numbers(STRANGERS, asked);
    probe miss = {.f = f, .key = number, .n = asked, .passes = (unsigned)(ASKED_LARGE / asked)};
    versus v = row_of(p, "has_u64 one by one", (uint64_t)asked * miss.passes, p->ask);
    v.ours = strangers_side(ask_singly, &miss, keys);
    v.theirs = strangers_side(ask_keys, &miss, keys);
    versus_row(&v);
    v = row_of(p, "lens one by one", (uint64_t)asked * miss.passes, p->lens);
    v.ours = strangers_side(ask_lens, &miss, keys);
    v.theirs = strangers_side(ask_keys, &miss, keys);
    versus_row(&v);
    free(number);
}

static void string_row(const promise *p, blm_filter *f, uint64_t keys)
{
    blm_key *text = draw_strings(STRANGERS, STRINGS);
    probe miss = {.f = f, .text = text, .n = STRINGS, .passes = ASKED_LARGE / STRINGS};
    versus v = row_of(p, "strings one by one", ASKED_LARGE, p->strings);
    v.ours = strangers_side(ask_strings_singly, &miss, keys);
    v.theirs = strangers_side(ask_strings, &miss, keys);
    versus_row(&v);
    drop_strings(text);
}

/* Last: it empties the filter. */
static void add_row(const promise *p, blm_filter *f, uint64_t keys)
{
    uint64_t *number = draw_numbers(MEMBERS, (size_t)keys);
    probe all = {.f = f, .key = number, .n = (size_t)keys, .passes = 1};
    versus v = row_of(p, "add_u64 one by one", keys, p->add);
    v.ours = members_side(add_singly, &all);
    v.theirs = members_side(add_keys, &all);
    versus_row(&v);
    free(number);
}

void rows_singly(void)
{
    static const promise promises[] = {
        {"split-block", 1, 3, 4, 1.6, 1.5}, {"blocked", 1, 3, 4, 1.6, 1.5},
        {"standard", 1, 0, 0, 0, 0},        {"split-block", 136, 6, 0, 0, 0},
        {"blocked", 136, 6, 0, 0, 0},       {"standard", 136, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        const promise *p = &promises[i];
        if (!kind_there(p->kind, NULL)) continue;
        blm_filter *f = filter_of("%s bits=%" PRIu64 "MiB fpr=1%%", p->kind, p->mib);
        const uint64_t keys = capacity_of(f);
        if (p->mib > 1) versus_progress("%s: adding %" PRIu64 "M keys", p->kind, keys / 1000000);
        fill_filter(f, keys);
        ask_rows(p, f, keys);
        string_row(p, f, keys);
        add_row(p, f, keys);
        blm_free(f);
    }
}
