/* traceback.c - IP traceback: a packet carries the filter, every router on its way adds its address, the victim walks
 * back from neighbour to neighbour. The attacker chooses the first bits.
 *
 * Graphs of our own, since the paper has none: 1000 routers, each tied to an earlier one, 2000 links in all; the packet's
 * way back from the victim is a walk that meets no router twice, of 16 hops unless it comes to a dead end.
 */
#include <bloomery/trace.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generalized.h"

enum { ROUTERS = 1000, LINKS = 2000, HOPS = 16, DEPTH = 32, NEIGHBOURS = 64, STEPS = 20000 };
enum { WALKS = 400, WALKS_WILD = 200, FULLY = 5 }; /* FULLY: a full run has this many times more */

typedef struct network {
    unsigned short next[ROUTERS][NEIGHBOURS];
    unsigned char links[ROUTERS];
    blm_item address[ROUTERS];
    unsigned path[HOPS], hops, victim; /* path[0] is the victim's neighbour */
    bool accused[ROUTERS];
} network;

static unsigned pick(uint64_t *state, unsigned limit)
{
    return (unsigned)((lab_random(state) >> 32) * limit >> 32);
}

static bool link_routers(network *w, unsigned a, unsigned b)
{
    if (a == b || w->links[a] == NEIGHBOURS || w->links[b] == NEIGHBOURS) return false;
    for (unsigned i = 0; i < w->links[a]; i++)
        if (w->next[a][i] == b) return false;
    w->next[a][w->links[a]++] = (unsigned short)b;
    w->next[b][w->links[b]++] = (unsigned short)a;
    return true;
}

static void draw_path(network *w, uint64_t *state)
{
    bool seen[ROUTERS] = {false};
    unsigned at = w->victim = pick(state, ROUTERS);
    for (w->hops = 0; w->hops < HOPS; w->hops++) {
        unsigned fresh[NEIGHBOURS], n = 0;
        seen[at] = true;
        for (unsigned i = 0; i < w->links[at]; i++)
            if (!seen[w->next[at][i]]) fresh[n++] = w->next[at][i];
        if (!n) return;
        at = w->path[w->hops] = fresh[pick(state, n)];
    }
}

static void draw_network(network *w, const blm_filter *f, uint64_t *state)
{
    unsigned links = 0;
    memset(w, 0, sizeof *w);
    for (unsigned i = 1; i < ROUTERS; i++) links += link_routers(w, i, pick(state, i));
    while (links < LINKS) links += link_routers(w, pick(state, ROUTERS), pick(state, ROUTERS));
    for (unsigned i = 0; i < ROUTERS; i++)
        w->address[i] = blm_item_u64(f, lab_random(state), BLM_NO_ARG);
    do {
        draw_path(w, state);
    } while (!w->hops);
}

/* ---- the way back -------------------------------------------------------------------------------------- */

static void walk_plain(network *w, const blm_filter *f)
{
    unsigned stack[ROUTERS + 1], n = 0;
    stack[n++] = w->victim;
    while (n) {
        const unsigned at = stack[--n];
        for (unsigned i = 0; i < w->links[at]; i++) {
            const unsigned to = w->next[at][i];
            if (to == w->victim || w->accused[to] || !blm_has_item(f, &w->address[to])) continue;
            w->accused[to] = true;
            stack[n++] = to;
        }
    }
}

typedef struct way { /* from the victim to here */
    unsigned router[DEPTH + 1];
    blm_item later[DEPTH];
    unsigned n; /* of later */
    uint64_t steps;
} way;

/* Whoever is on the way added later than a router beyond it: its positions prove nothing of that one. */
static void walk_wild(network *w, const blm_filter *f, way *from)
{
    const unsigned at = from->router[from->n];
    if (from->n == DEPTH || from->steps++ > STEPS) return;
    for (unsigned i = 0; i < w->links[at]; i++) {
        const unsigned to = w->next[at][i];
        bool behind = false;
        for (unsigned j = 0; j <= from->n; j++) behind |= from->router[j] == to;
        if (behind || !blm_has_wildcard(f, &w->address[to], from->later, from->n)) continue;
        w->accused[to] = true;
        from->later[from->n++] = w->address[to];
        from->router[from->n] = to;
        walk_wild(w, f, from);
        from->n--;
    }
}

/* ---- trials --------------------------------------------------------------------------------------------- */

typedef struct trace_run {
    unsigned m, k0, k1;
    double p0; /* 1: zeros, 0: ones */
    bool wild;
    double innocents, sd, kept, found, exact; /* sd: of the innocents of a walk */
} trace_run;

/* What another program found in OTHER_WALKS walks on graphs of the same law. It knows neither the library nor its hashes:
 * positions are drawn, all different. Where all bits are ones, a standard filter accuses everybody. */
#define OTHER_WALKS 3000
static const trace_run runs[GEN_TRACEBACK] = {
    {256, 0, 4, 1, false, 0.106, 0.334, 1, 1, 0.902},
    {256, 0, 4, 0, false, 984.9, 0, 1, 1, 0},
    {4096, 0, 4, 0, false, 984.9, 0, 1, 1, 0},
    {256, 2, 2, 1, false, 0.21, 0.488, 0.4916, 0.176, 0.1267},
    {256, 2, 2, 0, false, 0.2067, 0.5, 0.4945, 0.1697, 0.123},
    {256, 2, 2, 0.5, false, 1.932, 2.095, 0.5004, 0.1713, 0.0537},
    {1024, 2, 2, 0, false, 0.034, 0.187, 0.7869, 0.5253, 0.4637},
    {1024, 2, 2, 0.5, false, 2.9533, 2.574, 0.793, 0.5343, 0.071},
    {1024, 3, 3, 0.5, false, 0.479, 0.771, 0.6199, 0.2807, 0.1443},
    {4096, 3, 3, 0.5, false, 0.6353, 0.898, 0.8611, 0.6813, 0.3473},
    {256, 2, 2, 0, true, 1.399, 1.516, 1, 1, 0.355},
    {256, 2, 2, 0.5, true, 7.9887, 6.131, 1, 1, 0.062},
    {256, 3, 3, 0, true, 0.6123, 0.904, 1, 1, 0.593},
    {256, 3, 3, 0.5, true, 2.5327, 2.359, 1, 1, 0.2137},
    {256, 4, 4, 0.5, true, 1.1773, 1.373, 1, 1, 0.4063},
    {512, 4, 4, 0.5, true, 0.496, 0.758, 1, 1, 0.633},
};

typedef struct traces {
    double trials, innocents, innocents2, kept, kept2, hops, hops2, both;
    uint64_t found, exact;
} traces;

static void count_trace(const network *w, traces *t)
{
    unsigned kept = 0, accused = 0;
    for (unsigned i = 0; i < w->hops; i++) kept += w->accused[w->path[i]];
    for (unsigned i = 0; i < ROUTERS; i++) accused += w->accused[i];
    const double innocents = accused - kept, hops = w->hops;
    t->trials++;
    t->innocents += innocents;
    t->innocents2 += innocents * innocents;
    t->kept += kept;
    t->kept2 += (double)kept * kept;
    t->hops += hops;
    t->hops2 += hops * hops;
    t->both += kept * hops;
    t->found += w->accused[w->path[w->hops - 1]];
    t->exact += kept == w->hops && accused == kept;
}

static bool one_trace(lab_sheet *s, const trace_run *r, blm_filter *f, network *w, uint64_t *state,
                      traces *t)
{
    const gen_setting is = {r->k0, r->k1, r->m, 0, r->p0};
    draw_network(w, f, state);
    if (!gen_start(s, f, &is, state)) return false;
    for (unsigned i = w->hops; i-- > 0;) /* from the source to the victim */
        if (blm_add_item(f, &w->address[w->path[i]], NULL))
            return lab_stuck(s, "a router", "it could not be added"), false;
    if (r->wild) {
        way from = {.router = {w->victim}};
        walk_wild(w, f, &from);
    } else {
        walk_plain(w, f);
    }
    count_trace(w, t);
    return true;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* None at all may be luck: 1 / trials is then the variance. */
static lab_number about(double mean, double variance, double trials)
{
    const double one = sqrt(fmax(1 / trials, variance) / trials);
    return (lab_number){mean, mean - 2.576 * one, mean + 2.576 * one, mean - 3.891 * one,
                        mean + 3.891 * one};
}

#define SIGMAS   3.9  /* of the other program's walks; those of the lab are in the interval */
#define KEPT_OFF 0.03 /* 3.3 of them, of routers kept: one sigma is 0.9 % */

static void say_share(lab_sheet *s, const char *name, const char *of, lab_hits h, double expected)
{
    char what[64];
    snprintf(what, sizeof what, "%s: %s", name, of);
    if (expected == 1) /* in every trial */
        lab_say(s, what, &(lab_claim){.expected = 1, .within = 1e-9}, 1,
                lab_exactly((double)h.hits / (double)h.trials));
    else if (expected == 0)
        lab_say(s, what, &(lab_claim){0}, 0, lab_exactly((double)h.hits / (double)h.trials));
    else
        lab_say(s, what,
                &(lab_claim){.expected = expected,
                             .within = SIGMAS * sqrt((1 - expected) / expected / OTHER_WALKS)},
                NAN, lab_share(h, 0));
}

static void say_traces(lab_sheet *s, const trace_run *r, const traces *t)
{
    const double n = t->trials, innocents = t->innocents / n, kept = t->kept / t->hops;
    const double hops = t->hops / n;
    const double spread =
        (t->kept2 - 2 * kept * t->both + kept * kept * t->hops2) / n / (hops * hops);
    char name[48], what[64];
    snprintf(name, sizeof name, "%u, %u in %u bits, %s%s", r->k0, r->k1, r->m,
             r->p0 > 0.9   ? "zeros"
             : r->p0 > 0.1 ? "half zeros"
                           : "ones",
             r->wild ? ", wild" : "");
    snprintf(what, sizeof what, "%s: innocents", name);
    if (r->innocents > 900) /* everybody else */
        lab_say(s, what, &(lab_claim){.expected = r->innocents, .within = 0.01}, ROUTERS - 1 - hops,
                lab_exactly(innocents));
    else
        lab_say(s, what,
                &(lab_claim){.expected = r->innocents,
                             .within = SIGMAS * r->sd / r->innocents / sqrt(OTHER_WALKS)},
                NAN, about(innocents, t->innocents2 / n - innocents * innocents, n));
    snprintf(what, sizeof what, "%s: routers kept", name);
    if (r->kept == 1)
        lab_say(s, what, &(lab_claim){.expected = 1, .within = 1e-9}, 1, lab_exactly(kept));
    else
        lab_say(s, what, &(lab_claim){.expected = r->kept, .within = KEPT_OFF}, NAN,
                about(kept, spread, n));
    say_share(s, name, "source found", (lab_hits){t->found, (uint64_t)n}, r->found);
    say_share(s, name, "exact path", (lab_hits){t->exact, (uint64_t)n}, r->exact);
}

void gen_traceback(lab_sheet *s, size_t i)
{
    const trace_run *r = &runs[i];
    const unsigned trials = (unsigned)((r->wild ? WALKS_WILD : WALKS) * (s->quick ? 1 : FULLY));
    traces t = {.trials = 0};
    uint64_t state = 20000 + i;
    network *w = malloc(sizeof *w);
    const gen_setting is = {r->k0, r->k1, r->m, 0, r->p0};
    blm_filter *f = gen_make(s, &is, "");
    bool whole = w && f;
    s->lost |= !w;
    for (unsigned j = 0; whole && j < trials; j++) whole = one_trace(s, r, f, w, &state, &t);
    if (whole) say_traces(s, r, &t);
    blm_free(f);
    free(w);
}
