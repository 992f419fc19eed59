/* grow.c - uniq without -n: the 64-bit hashes of all distinct lines, some 11 bytes each.
 *
 * A line is lost when its hash came before although it did not: of n distinct lines n(n-1)/2 / 2^64 in
 * expectation, 0.0000027 of 10^7 lines and one of 6 * 10^9.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "uniq/uniq.h"

struct memory {
    blm_builder *once;
    blm_builder *twice; /* --repeated: those that came again */
};

static uint64_t bytes_of(const uniq *u)
{
    return blm_builder_memory(u->m->once) + (u->m->twice ? blm_builder_memory(u->m->twice) : 0);
}

double hash_lost(double n) { return n > 1 ? ldexp(n * (n - 1) / 2, -64) : 0; }

static double expected(uint64_t n) { return hash_lost((double)n); }

static ending grow_open(uniq *u)
{
    blm_report why = {BLM_OK, ""};
    u->m = calloc(1, sizeof *u->m);
    if (!u->m) return trouble("no memory");
    blm_err err = blm_builder_new(&u->m->once, BLM_CONFIG(.kind = "standard"), &why);
    if (!err && u->wish->repeated)
        err = blm_builder_new(&u->m->twice, BLM_CONFIG(.kind = "standard"), &why);
    return err ? complain_why(NULL, err, &why) : END_YES;
}

static const blm_filter *grow_hasher(const uniq *u) { return blm_builder_hasher(u->m->once); }

static const char *exact_word(const uniq *u)
{
    return uniq_offers(u, "exact") ? ", or use --exact, which uses the disk" : "";
}

/* No room for more: what to do, with the numbers. */
static void say_ram(const uniq *u)
{
    char ram[32];
    const unsigned filters =
        u->wish->repeated ? 2 : 1; /* which share both the memory and the loss */
    const double fits = floor(plan_lines(u->ram / filters, u->lost / filters));
    complain("over capacity: %" PRIu64
             " distinct lines fill the memory of --ram (%s); the lines printed so far are correct. "
             "Use a larger --ram, or -n N --lost %g, which fits up to -n %.0f%s",
             blm_builder_keys(u->m->once), text_bytes(ram, u->ram), u->lost, fits, exact_word(u));
}

static void say_lost(const uniq *u)
{
    const uint64_t n = blm_builder_keys(u->m->once);
    complain("over capacity: %" PRIu64
             " distinct lines so far, and %.3g of them are expected to be lost, more than --lost "
             "%g; the lines printed so far are correct. Use a larger --lost%s",
             n, expected(n), u->lost, exact_word(u));
}

static bool too_many(const uniq *u) { return expected(blm_builder_keys(u->m->once)) > u->lost; }

static void grow_full(uniq *u)
{
    if (too_many(u))
        say_lost(u);
    else
        say_ram(u);
}

/* The way of adding: all hashes, or those of a share. */
static blm_err add(blm_builder *b, const blm_hash *h, size_t n, uint8_t *fresh, unsigned share,
                   unsigned shares)
{
    return shares == 1 ? blm_builder_add_many(b, h, n, fresh)
                       : blm_builder_add_share(b, h, n, fresh, share, shares);
}

static blm_err judge_again(uniq *u, const blm_hash *h, size_t n, uint8_t *print, unsigned share,
                           unsigned shares)
{
    blm_hash again[BATCH] = {{0, 0}};
    uint8_t second[BATCH];
    size_t of[BATCH], count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!print[i]) of[count] = i, again[count++] = h[i];
        print[i] = 0;
    }
    const blm_err err = add(u->m->twice, again, count, second, share, shares);
    for (size_t i = 0; i < count && !err; i++) print[of[i]] = second[i];
    return err;
}

static ending grow_share(uniq *u, const blm_hash *h, size_t n, uint8_t *print, unsigned share,
                         unsigned shares)
{
    blm_err err = add(u->m->once, h, n, print, share, shares);
    if (!err && u->m->twice) err = judge_again(u, h, n, print, share, shares);
    if (err == BLM_E_NOMEM) return END_FULL;
    return err ? complain_why(NULL, err, NULL) : END_YES;
}

/* While it takes a batch a sixteenth of the set may be held twice, the second time 1.6 times as large: 10 %
 * more. */
static bool no_room(const uniq *u) { return bytes_of(u) > u->ram - u->ram / 10; }

static ending grow_judge(uniq *u, const blm_hash *h, const uint64_t *when, size_t n, uint8_t *print,
                         size_t *done)
{
    (void)when;
    *done = 0;
    if (no_room(u) || too_many(u)) return END_FULL;
    const ending end = grow_share(u, h, n, print, 0, 1);
    if (!end) *done = n;
    return end;
}

/* Several threads do not check the limits: either these are far away, even if all n lines are new, or one
 * thread judges. A set takes at most 25 bytes per line while it grows. */
static unsigned grow_shares(const uniq *u, size_t n)
{
    const uint64_t lines = blm_builder_keys(u->m->once) + n, sets = u->m->twice ? 2 : 1;
    if (expected(lines) > u->lost || sets * (25 * lines + (1 << 18)) > u->ram - u->ram / 10)
        return 1;
    return blm_builder_shares(u->m->once, n);
}

static ending grow_end(uniq *u)
{
    (void)u;
    return END_YES;
}

static void grow_report(const uniq *u, uniq_report *out)
{
    out->distinct = blm_builder_keys(u->m->once);
    out->lost = expected(out->distinct);
    out->bytes = bytes_of(u);
}

static int grow_close(uniq *u)
{
    if (!u->m) return 0;
    blm_builder_free(u->m->once);
    blm_builder_free(u->m->twice);
    free(u->m);
    return 0;
}

const uniq_way uniq_grow = {.open = grow_open,
                            .hasher = grow_hasher,
                            .judge = grow_judge,
                            .judge_share = grow_share,
                            .shares = grow_shares,
                            .end = grow_end,
                            .full = grow_full,
                            .report = grow_report,
                            .close = grow_close};
