/* counting.c - counters against bits, in as many bytes: where those of a key share a line, and where they are spread. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { EXTRA_ROUNDS = 4, ASKED_A_RUN = 1 << 21 };

typedef struct against {
    const char *counts, *bits;
    double add, ask; /* what is wanted; 0: the row informs */
} against;

static void name_row(char what[96], const against *a, const char *act, size_t keys)
{
    snprintf(what, 96, "%s %s against %s, %zuM", a->counts, act, a->bits, keys / 1000000);
}

static void counting_of(const against *a, size_t keys)
{
    char what[96];
    const size_t asked = keys > 2000000 ? 1 << 20 : 1 << 17;
    const unsigned passes = (unsigned)(ASKED_A_RUN / asked);
    blm_filter *c = filter_of("%s keys=%zu fpr=1%%", a->counts, keys);
    blm_filter *b = filter_of("%s bits=%" PRIu64 "B fpr=1%%", a->bits, cells_of(c));
    blm_hash *member = draw_hashes(c, MEMBERS, keys), *stranger = draw_hashes(c, STRANGERS, asked);
    probe add[2] = {{c, NULL, member, keys, 1, NULL, false},
                    {b, NULL, member, keys, 1, NULL, false}};
    probe hit[2] = {{c, NULL, member, asked, passes, NULL, false},
                    {b, NULL, member, asked, passes, NULL, false}};
    probe miss[2] = {{c, NULL, stranger, asked, passes, NULL, false},
                     {b, NULL, stranger, asked, passes, NULL, false}};
    versus v = {.what = what,
                .work = keys,
                .wanted = a->add,
                .at_most = true,
                .extra = EXTRA_ROUNDS,
                .floor = bench_floor(cells_of(c), true, VERSUS_ROUNDS),
                .ours = members_side(add_hashes, &add[0]),
                .theirs = members_side(add_hashes, &add[1])};
    name_row(what, a, "add", keys);
    versus_row(&v);
    v.work = asked * passes;
    v.wanted = a->ask;
    v.ours = strangers_side(ask_hashes, &miss[0], keys);
    v.theirs = strangers_side(ask_hashes, &miss[1], keys);
    name_row(what, a, "miss", keys);
    versus_row(&v);
    v.ours = members_side(ask_hashes, &hit[0]);
    v.theirs = members_side(ask_hashes, &hit[1]);
    name_row(what, a, "hit", keys);
    versus_row(&v);
    free(member);
    free(stranger);
    blm_free(b);
    blm_free(c);
}

void rows_counting(void)
{
    static const against line = {"counting layout=line", "blocked", 3, 2},
                         spread = {"counting", "standard", 0, 0};
    rows_braids();
    if (!kind_there("counting", "layout")) return;
    counting_of(&line, 1000000);
    counting_of(&line, 10000000);
    counting_of(&spread, 1000000);
}
