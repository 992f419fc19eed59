/* counting.c - counters that share a line against bits that share a line, in as many bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { EXTRA_ROUNDS = 4, ASKED_A_RUN = 1 << 21 };

static void counting_of(size_t keys)
{
    char what[80];
    const size_t asked = keys > 2000000 ? 1 << 20 : 1 << 17;
    const unsigned passes = (unsigned)(ASKED_A_RUN / asked);
    blm_filter *c = filter_of("counting layout=line keys=%zu fpr=1%%", keys);
    blm_filter *b = filter_of("blocked bits=%" PRIu64 "B fpr=1%%", cells_of(c));
    blm_hash *member = draw_hashes(c, MEMBERS, keys), *stranger = draw_hashes(c, STRANGERS, asked);
    probe add[2] = {{c, NULL, member, keys, 1, NULL, false},
                    {b, NULL, member, keys, 1, NULL, false}};
    probe hit[2] = {{c, NULL, member, asked, passes, NULL, false},
                    {b, NULL, member, asked, passes, NULL, false}};
    probe miss[2] = {{c, NULL, stranger, asked, passes, NULL, false},
                     {b, NULL, stranger, asked, passes, NULL, false}};
    versus v = {.what = what,
                .work = keys,
                .wanted = 3,
                .at_most = true,
                .extra = EXTRA_ROUNDS,
                .floor = bench_floor(cells_of(c), true, VERSUS_ROUNDS),
                .ours = members_side(add_hashes, &add[0]),
                .theirs = members_side(add_hashes, &add[1])};
    snprintf(what, sizeof what, "counting layout=line add against blocked, %zuM", keys / 1000000);
    versus_row(&v);
    v.work = asked * passes;
    v.wanted = 2;
    v.ours = strangers_side(ask_hashes, &miss[0], keys);
    v.theirs = strangers_side(ask_hashes, &miss[1], keys);
    snprintf(what, sizeof what, "counting layout=line miss against blocked, %zuM", keys / 1000000);
    versus_row(&v);
    v.ours = members_side(ask_hashes, &hit[0]);
    v.theirs = members_side(ask_hashes, &hit[1]);
    snprintf(what, sizeof what, "counting layout=line hit against blocked, %zuM", keys / 1000000);
    versus_row(&v);
    free(member);
    free(stranger);
    blm_free(b);
    blm_free(c);
}

void rows_counting(void)
{
    if (!kind_there("counting", "layout")) return;
    counting_of(1000000);
    counting_of(10000000);
}
