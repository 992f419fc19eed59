/* adds.c - batches of adds against batches of questions, of known keys against new ones, into more than a gigabyte, and
 * questions at two rates. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { ASKED = 1 << 17, ASKED_RUN = 1 << 21, EXTRA_ROUNDS = 6, ADDED = 1 << 24 };

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

/* ---- large filters ------------------------------------------------------------------------------ */

static double seconds_of_adds(probe *p)
{
    uint64_t added;
    const double spent = add_keys(p, &added);
    if (added != p->n) versus_stop(1, "adding within capacity failed");
    return spent;
}

/* The first few thousand keys touch all pages of a new filter. The system clears each, and a hypervisor finds memory for it; what
 * this costs depends on who used these pages before, so it is shown once and is no part of a goal. */
static void first_touch_row(probe *untouched, uint64_t mib)
{
    char what[96], ours[24], theirs[24];
    untouched->again = true; /* emptying would touch all pages */
    const double first = seconds_of_adds(untouched);
    untouched->again = false;
    const double later = seconds_of_adds(untouched);
    snprintf(what, sizeof what, "blocked, first 2^24 adds into %" PRIu64 " MiB, against later",
             mib);
    snprintf(ours, sizeof ours, "%.3f s", first);
    snprintf(theirs, sizeof theirs, "%.3f s", later);
    versus_show(&(const versus_figures){.what = what,
                                        .ours = ours,
                                        .theirs = theirs,
                                        .wanted = "-",
                                        .ratio = first / later,
                                        .informs = true});
}

/* 2^24 keys into a filter for 10^9 against one for 3 * 10^8. */
static void size_rows(const uint64_t *member)
{
    char what[96];
    blm_filter *f = filter_of("blocked keys=1e9 fpr=1%%"),
               *third = filter_of("blocked keys=3e8 fpr=1%%");
    const uint64_t mib = cells_of(f) >> 20, less = cells_of(third) >> 20;
    probe large = {.f = f, .key = member, .n = ADDED, .passes = 1}, small = large;
    small.f = third;
    versus_progress("blocked: adding to %" PRIu64 " MiB", mib);
    first_touch_row(&large, mib);
    seconds_of_adds(&small);
    snprintf(what, sizeof what, "blocked, batch add, %" PRIu64 " MiB against %" PRIu64 " MiB", mib,
             less);
    versus v = {.what = what,
                .work = ADDED,
                .wanted = 1.3,
                .at_most = true,
                .floor = bench_floor(cells_of(f), true, VERSUS_ROUNDS)};
    v.ours = members_side(add_keys, &large);
    v.theirs = members_side(add_keys, &small);
    versus_row(&v);
    blm_free(f);
    blm_free(third);
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
    if (kind_there("blocked", NULL)) {
        size_rows(member);
        rate_row(other);
    }
    free(member);
    free(other);
}
