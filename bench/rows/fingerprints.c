/* fingerprints.c - tables of fingerprints: batches against one by one, and bits per key. */
#include <bloomery/bloomery.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"

enum { MANY = 10000000, ASKED = 1 << 21, STRANGERS_ASKED = 20000000 };

/* ---- cuckoo ------------------------------------------------------------------------------------------ */

static void cuckoo_batches(void)
{
    blm_filter *f = filter_of("cuckoo keys=%d fpr=1%%", MANY);
    uint64_t *member = draw_numbers(MEMBERS, MANY), *stranger = draw_numbers(STRANGERS, ASKED);
    probe all = {.f = f, .key = member, .n = MANY, .passes = 1};
    probe miss = {.f = f, .key = stranger, .n = ASKED, .passes = 1};
    versus v = {.what = "cuckoo query, batch against one by one, 10M u64",
                .work = ASKED,
                .wanted = 3,
                .extra = VERSUS_ROUNDS,
                .floor = bench_floor(cells_of(f), true, VERSUS_ROUNDS)};
    versus_progress("cuckoo: adding %dM keys, several times", MANY / 1000000);
    fill_filter(f, MANY);
    v.ours = strangers_side(ask_keys, &miss, MANY);
    v.theirs = strangers_side(ask_singly, &miss, MANY);
    versus_row(&v);
    v.what = "cuckoo add, batch against one by one, 10M u64";
    v.work = MANY;
    v.wanted = 1.5;
    v.extra = 0;
    v.ours = members_side(add_keys, &all);
    v.theirs = members_side(add_singly, &all);
    versus_row(&v);
    free(member);
    free(stranger);
    blm_free(f);
}

/* Full with the planned keys: the bits of each, the rate that non-members meet, and the share of the slots in use. */
static double cuckoo_bits_row(const char *form, double bits_wanted, const uint64_t *stranger)
{
    char what[96], ours[24], theirs[24], wanted[24];
    uint64_t hits = 0;
    blm_info info;
    blm_filter *f = filter_of("cuckoo form=%s keys=%d fpr=0.19%%", form, MANY);
    fill_filter(f, MANY);
    probe p = {f, stranger, NULL, STRANGERS_ASKED, 1, NULL, false};
    const versus_side right = strangers_side(ask_keys, &p, MANY);
    ask_keys(&p, &hits);
    if (hits < right.low || hits > right.high)
        versus_stop(1, "cuckoo form=%s: %" PRIu64 " of %d non-members got a maybe", form, hits,
                    STRANGERS_ASKED);
    blm_info_of(f, &info);
    blm_free(f);
    const double bits = (double)info.bits / MANY, rate = (double)hits / STRANGERS_ASKED;
    snprintf(what, sizeof what, "cuckoo form=%s bits per key at %.4f %%, %.1f %% of slots", form,
             100 * rate, 100 * info.fill);
    snprintf(ours, sizeof ours, "%.3f", bits);
    snprintf(theirs, sizeof theirs, "9.040"); /* log2(1 / 0.19 %) */
    snprintf(wanted, sizeof wanted, "<= %g", bits_wanted);
    versus_show(
        &(versus_figures){.what = what,
                          .ours = ours,
                          .theirs = theirs,
                          .wanted = wanted,
                          .ratio = bits / 9.040,
                          .pass = bits <= bits_wanted && rate <= 0.0019 && info.fill >= 0.9499});
    return bits;
}

static void cuckoo_bits(void)
{
    uint64_t *stranger = draw_numbers(STRANGERS, STRANGERS_ASKED);
    const double plain = cuckoo_bits_row("plain", 12.8, stranger);
    cuckoo_bits_row("sorted", plain - 1, stranger);
    free(stranger);
}

static void cuckoo_rows(void)
{
    if (!kind_there("cuckoo", NULL)) return;
    cuckoo_batches();
    cuckoo_bits();
}

void rows_fingerprints(void)
{
    cuckoo_rows();
    rows_quotient();
}
