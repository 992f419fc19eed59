/* columns.c - eight filters side by side against one filter of as many bytes: k reads, whatever the number of sets. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { EXTRA_ROUNDS = 4, ASKED_A_RUN = 1 << 21 };

static void columns_of(size_t keys)
{
    char what[80];
    const size_t asked = keys > 2000000 ? 1 << 20 : 1 << 17;
    const unsigned passes = (unsigned)(ASKED_A_RUN / asked);
    blm_filter *c = filter_of("split parts=8 keys=%zu fpr=1%%", keys);
    blm_filter *s = filter_of("standard bits=%" PRIu64 "B keys=%zu", cells_of(c), keys);
    fill_filter(c, keys);
    fill_filter(s, keys);
    blm_hash *member = draw_hashes(c, MEMBERS, asked), *stranger = draw_hashes(c, STRANGERS, asked);
    probe hit[2] = {{c, NULL, member, asked, passes, NULL, false},
                    {s, NULL, member, asked, passes, NULL, false}};
    probe miss[2] = {{c, NULL, stranger, asked, passes, NULL, false},
                     {s, NULL, stranger, asked, passes, NULL, false}};
    versus v = {.what = what,
                .work = asked * passes,
                .wanted = 2,
                .at_most = true,
                .extra = EXTRA_ROUNDS,
                .floor = bench_floor(cells_of(c), true, VERSUS_ROUNDS),
                .ours = strangers_side(ask_hashes, &miss[0], keys),
                .theirs = strangers_side(ask_hashes, &miss[1], keys)};
    snprintf(what, sizeof what, "split miss, 8 rows, against standard, %zuM", keys / 1000000);
    versus_row(&v);
    v.ours = members_side(ask_hashes, &hit[0]);
    v.theirs = members_side(ask_hashes, &hit[1]);
    snprintf(what, sizeof what, "split hit, 8 rows, against standard, %zuM", keys / 1000000);
    versus_row(&v);
    free(member);
    free(stranger);
    blm_free(c);
    blm_free(s);
}

void rows_columns(void)
{
    if (!kind_there("split", "parts")) return;
    columns_of(1000000);
    columns_of(10000000);
}
