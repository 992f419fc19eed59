/* adaptive.c - words that can change against words that cannot, as many of both: a query looks at one cache line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

enum { EXTRA_ROUNDS = 4, ASKED_A_RUN = 1 << 21, TOUCHED_KEYS = 10000 };

static uint64_t fast_of(const blm_filter *f)
{
    blm_field_info d;
    for (size_t i = 0; blm_field_at(f, i, &d); i++)
        if (strcmp(d.name, "fast") == 0) return d.value;
    versus_stop(2, "adaptive has no field for its fast memory");
}

/* Of the cells that questions read: the most cache lines of one of them, and none outside the fast memory. */
static void lines_row(const blm_filter *f, const blm_hash *hash)
{
    const uint64_t fast = fast_of(f);
    uint64_t max = 0, outside = 0;
    char ours[24], theirs[24];
    for (size_t i = 0; i < TOUCHED_KEYS; i++) {
        blm_touch t[BLM_TOUCH_MAX];
        const blm_item it = {.h = hash[i], .arg = BLM_NO_ARG};
        const size_t n = blm_touched(f, &it, t, BLM_TOUCH_MAX);
        uint64_t lines = n > 0;
        for (size_t j = 0; j < n; j++) {
            lines += j && t[j].byte / 64 != t[j - 1].byte / 64;
            outside += t[j].byte >= fast;
        }
        if (lines > max) max = lines;
    }
    snprintf(ours, sizeof ours, "%" PRIu64, max);
    snprintf(theirs, sizeof theirs, "%" PRIu64 " slow", outside);
    versus_show(&(versus_figures){.what = "adaptive: one cache line per query",
                                  .ours = ours,
                                  .theirs = theirs,
                                  .wanted = "1, 0 slow",
                                  .pass = max == 1 && outside == 0});
}

/* One change for ten words, by non-members that are not asked later: selectors as after use. */
static void use(blm_filter *f, const blm_hash *hash, size_t n)
{
    uint64_t left = fast_of(f) / 8 / 10;
    for (size_t i = 0; i < n && left; i++) {
        const blm_item it = {.h = hash[i], .arg = BLM_NO_ARG};
        left -= blm_deny_item(f, &it) == BLM_OK;
    }
    if (left) versus_stop(1, "adaptive: %" PRIu64 " false positives are too few to adapt to", left);
}

static void adaptive_of(size_t keys)
{
    char what[80];
    const size_t asked = keys > 2000000 ? 1 << 20 : 1 << 17;
    const unsigned passes = (unsigned)(ASKED_A_RUN / asked);
    blm_filter *a = filter_of("adaptive keys=%zu fpr=3%%", keys);
    blm_filter *w = filter_of("word bits=%" PRIu64 "B keys=%zu", fast_of(a), keys);
    fill_filter(a, keys);
    fill_filter(w, keys);
    const size_t others = fast_of(a) / 2; /* 3 % of them are twice as many as are needed */
    blm_hash *member = draw_hashes(a, MEMBERS, asked);
    blm_hash *stranger = draw_hashes(a, STRANGERS, asked + others);
    use(a, stranger + asked, others);
    probe hit[2] = {{a, NULL, member, asked, passes, NULL, false},
                    {w, NULL, member, asked, passes, NULL, false}};
    probe miss[2] = {{a, NULL, stranger, asked, passes, NULL, false},
                     {w, NULL, stranger, asked, passes, NULL, false}};
    lines_row(a, stranger);
    versus v = {.what = what,
                .work = asked * passes,
                .wanted = 2,
                .at_most = true,
                .extra = EXTRA_ROUNDS,
                .floor = bench_floor(fast_of(a), true, VERSUS_ROUNDS),
                .ours = strangers_side(ask_hashes, &miss[0], keys),
                .theirs = strangers_side(ask_hashes, &miss[1], keys)};
    snprintf(what, sizeof what, "adaptive miss against word, %zuM", keys / 1000000);
    versus_row(&v);
    v.ours = members_side(ask_hashes, &hit[0]);
    v.theirs = members_side(ask_hashes, &hit[1]);
    snprintf(what, sizeof what, "adaptive hit against word, %zuM", keys / 1000000);
    versus_row(&v);
    free(member);
    free(stranger);
    blm_free(a);
    blm_free(w);
}

void rows_adaptive(void)
{
    if (!kind_there("adaptive", "groups")) return;
    adaptive_of(1000000);
    adaptive_of(10000000);
}
