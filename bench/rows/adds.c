/* adds.c - batches of adds against batches of questions, of known keys against new ones, and questions at two rates. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { ASKED = 1 << 17, ASKED_RUN = 1 << 21, EXTRA_ROUNDS = 6 };

static void add_rows(const char *kind, size_t n, double wanted, const uint64_t *member,
                     const uint64_t *other)
{
    char what[96];
    blm_filter *f = filter_of("%s keys=%zu fpr=1%%", kind, n);
    if (n > 10000000) versus_progress("%s: adding %zuM keys, several times", kind, n / 1000000);
    fill_filter(f, n);
    probe all = {.f = f, .key = member, .n = n, .passes = 1};
    probe miss = {.f = f, .key = other, .n = n, .passes = 1}, known = all;
    known.again = true;
    versus v = {.what = what,
                .work = n,
                .wanted = wanted,
                .at_most = true,
                .extra = n > 1000000 ? 0 : EXTRA_ROUNDS};
    snprintf(what, sizeof what, "%s, batch add, against questions, %zuM u64", kind, n / 1000000);
    v.ours = members_side(add_keys, &all);
    v.theirs = strangers_side(ask_keys, &miss, n);
    versus_row(&v);
    snprintf(what, sizeof what, "%s, adding known keys, against new, %zuM u64", kind, n / 1000000);
    v.wanted = 1.2;
    v.ours = members_side(add_keys, &known);
    v.theirs = members_side(add_keys, &all);
    versus_row(&v);
    blm_free(f);
}

/* Nine bits per key instead of six. */
static void rate_row(const uint64_t *other)
{
    blm_filter *sharp = filter_of("blocked keys=1e6 fpr=0.1%%"),
               *f = filter_of("blocked keys=1e6 fpr=1%%");
    fill_filter(sharp, 1000000);
    fill_filter(f, 1000000);
    probe nine = {.f = sharp, .key = other, .n = ASKED, .passes = ASKED_RUN / ASKED}, six = nine;
    six.f = f;
    versus v = {.what = "blocked, batch of u64, at 0.1 % against 1 %, 1M keys",
                .work = ASKED_RUN,
                .wanted = 1.5,
                .at_most = true,
                .extra = EXTRA_ROUNDS};
    v.ours = strangers_side(ask_keys, &nine, 1000000);
    v.theirs = strangers_side(ask_keys, &six, 1000000);
    versus_row(&v);
    blm_free(sharp);
    blm_free(f);
}

void rows_adds(void)
{
    static const size_t sizes[] = {1000000, 10000000, 100000000};
    static const struct {
        const char *kind;
        double wanted;
    } kinds[] = {{"split-block", 1.3}, {"blocked", 2.2}};
    uint64_t *member = draw_numbers(MEMBERS, sizes[2]), *other = draw_numbers(STRANGERS, sizes[2]);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; kind_there(kinds[i].kind, NULL) && j < 3; j++)
            add_rows(kinds[i].kind, sizes[j], kinds[i].wanted, member, other);
    if (kind_there("blocked", NULL)) rate_row(other);
    free(member);
    free(other);
}
