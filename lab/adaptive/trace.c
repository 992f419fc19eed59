/* trace.c - packets of flows, as on a link: few flows have most packets, and a flow's packets come in a burst.
 *
 * The traces of the paper are not to be had. Sizes here are a bounded Pareto law; a flow starts anywhere and lasts a
 * random part of the trace, `burst` on average. Those bursts decide how much adaptation gains, and they were chosen
 * so that the gain at N = 8M looks like that of the three traces: levels agree by choice, only how they change
 * with S and N/M is evidence.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adaptive.h"

#define SEED    20140320
#define ALPHA   0.9
#define LARGEST 10000
#define TICKS                                                                                      \
    (UINT32_C(1)                                                                                   \
     << 23) /* of the whole trace: packets of one tick are in the order of their flows */

static double unit(uint64_t *state) { return (double)(lab_random(state) >> 11) * 0x1p-53; }

/* Returns the packets of all flows. */
static uint32_t draw_sizes(adaptive_law law, uint32_t *size, uint64_t *state)
{
    const double alpha = law.alpha > 0 ? law.alpha : ALPHA, tail = pow(LARGEST, -alpha);
    uint32_t packets = 0;
    for (uint32_t i = 0; i < ADAPTIVE_FLOWS; i++) {
        size[i] = (uint32_t)(law.zipf ? fmax(1, 1e5 * pow(i + 1.0, -1 / alpha))
                                      : pow(1 - unit(state) * (1 - tail), -1 / alpha));
        packets += size[i];
    }
    return packets;
}

/* Twice the same packets: counted by tick, then put in order. next: TICKS numbers, zero at first. */
static void walk(const adaptive_link *l, double burst, uint64_t state, uint32_t *next, bool put)
{
    for (uint32_t i = 0; i < ADAPTIVE_FLOWS; i++) {
        const double from = burst > 0 ? unit(&state) : 0;
        const double lasts = burst > 0 ? fmin(-burst * log1p(-unit(&state)), 1 - from) : 1;
        for (uint32_t j = 0; j < l->size[i]; j++) {
            uint32_t tick = (uint32_t)((from + lasts * unit(&state)) * TICKS);
            if (tick >= TICKS) tick = TICKS - 1;
            if (put)
                l->order[next[tick]++] = i;
            else
                next[tick]++;
        }
    }
}

static void put_in_order(const adaptive_link *l, double burst, uint64_t state, uint32_t *next)
{
    uint32_t before = 0;
    memset(next, 0, TICKS * sizeof *next);
    walk(l, burst, state, next, false);
    for (uint32_t i = 0; i < TICKS; i++) {
        const uint32_t here = next[i];
        next[i] = before;
        before += here;
    }
    walk(l, burst, state, next, true);
}

bool adaptive_link_new(lab_sheet *s, adaptive_law law, adaptive_link *l)
{
    uint64_t state = SEED;
    *l = (adaptive_link){.size = malloc(ADAPTIVE_FLOWS * sizeof *l->size),
                         .is_member = malloc(ADAPTIVE_FLOWS),
                         .hash = malloc(ADAPTIVE_FLOWS * sizeof *l->hash)};
    uint32_t *next = malloc(TICKS * sizeof *next);
    if (l->size) l->packets = draw_sizes(law, l->size, &state);
    if (l->packets) l->order = malloc(l->packets * sizeof *l->order);
    if (l->packets) l->ask = malloc(l->packets * sizeof *l->ask);
    const bool whole = next && l->order && l->ask && l->is_member && l->hash;
    if (whole)
        put_in_order(l, law.burst, state, next);
    else
        lab_stuck(s, "a trace of packets", "no memory");
    free(next);
    if (!whole) adaptive_link_free(l);
    return whole;
}

void adaptive_link_free(adaptive_link *l)
{
    free(l->size);
    free(l->order);
    free(l->is_member);
    free(l->hash);
    free(l->ask);
    *l = (adaptive_link){0};
}

/* ---- some flows are members, the packets of all others ask ---------------------------------------------------- */

void adaptive_draw(adaptive_link *l, uint64_t seed, uint32_t members)
{
    memset(l->is_member, 0, ADAPTIVE_FLOWS);
    while (members) {
        const uint32_t flow = (uint32_t)((lab_random(&seed) >> 32) * ADAPTIVE_FLOWS >> 32);
        members -= !l->is_member[flow];
        l->is_member[flow] = 1;
    }
}

/* Packets ask some 40 filters of a draw. Their hashes are brought into the order of asking once: looked up for each
 * filter, one packet at a time, that was a fifth of the whole experiment's time. */
void adaptive_hash(adaptive_link *l, const blm_filter *f)
{
    for (uint32_t i = 0; f && i < ADAPTIVE_FLOWS; i++) l->hash[i] = blm_hash_u64(f, lab_member(i));
    l->asking = 0;
    for (uint32_t i = 0; i < l->packets; i++) {
        const uint32_t flow = l->order[i];
        if (!l->is_member[flow]) l->ask[l->asking++] = l->hash[flow];
    }
}

bool adaptive_add(lab_sheet *s, const adaptive_link *l, blm_filter *f)
{
    for (uint32_t i = 0; f && i < ADAPTIVE_FLOWS; i++) {
        const blm_err err =
            l->is_member[i] ? blm_add_many(f, &l->hash[i], NULL, 1, NULL, NULL) : BLM_OK;
        if (err) return lab_stuck(s, "adding flows", blm_strerror(err)), false;
    }
    return f != NULL;
}

double adaptive_by_flow(const adaptive_link *l, const blm_filter *f)
{
    uint64_t yes = 0, all = 0;
    for (uint32_t i = 0; i < ADAPTIVE_FLOWS; i++) {
        if (l->is_member[i]) continue;
        all += l->size[i];
        if (blm_has_hash(f, l->hash[i])) yes += l->size[i];
    }
    return (double)yes / (double)all;
}

double adaptive_by_packet(const adaptive_link *l, blm_filter *f)
{
    uint64_t yes = 0;
    for (uint32_t i = 0; i < l->asking; i++) yes += adaptive_asks(f, l->ask[i]);
    return (double)yes / (double)l->asking;
}

/* ---- figure 6: how many flows have a given number of packets ------------------------------------------------- */

void adaptive_sizes(lab_sheet *s, size_t i)
{
    static const double flows[4] = {611631, 69062, 9476, 1202};
    uint32_t bins[4] = {0}, packets = 0;
    uint64_t state = SEED;
    uint32_t *size = malloc(ADAPTIVE_FLOWS * sizeof *size);
    (void)i;
    if (!size) {
        lab_stuck(s, "sizes of flows", "no memory");
        return;
    }
    packets = draw_sizes((adaptive_law){.alpha = ALPHA}, size, &state);
    for (uint32_t j = 0; j < ADAPTIVE_FLOWS; j++)
        bins[(size[j] > 10) + (size[j] > 100) + (size[j] > 1000)]++;
    free(size);
    for (int b = 0; b < 4; b++) {
        const double max = pow(10, b + 1);
        char what[64];
        snprintf(what, sizeof what, "flows of %.0f to %.0f packets", b ? max / 10 + 1 : 1, max);
        lab_say(s, what, &(lab_claim){.expected = flows[b]}, NAN, lab_exactly(bins[b]));
        lab_mark_at(s, "fig6", "synthetic trace", max, lab_exactly(bins[b]));
    }
    lab_say(s, "packets", &(lab_claim){.expected = 9220126}, NAN, lab_exactly(packets));
}
