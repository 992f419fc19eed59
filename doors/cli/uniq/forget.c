/* forget.c - uniq --window -t KIND: a filter whose keys expire, in memory that does not grow.
 *
 * A line comes out if the filter does not have its key; then the key is added, whether or not it came out, so that
 * its time in the window begins anew, as in window.c. Batches are asked twice: all at once, which fetches the cells,
 * and then one by one, so that a repeat within a batch is seen and each line meets the filter as those before it
 * left it.
 *
 * A new line is lost at the filter's rate of that moment, which is asked from time to time.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "habits.h"
#include "image/clock.h"
#include "uniq/uniq.h"

#define NEAR       64u /* keys whose cells are fetched together: they stay in the first cache */
#define WITH_ROOM  (KNOBS_ROOM + 64)
#define LOOK_FIRST 1024u /* lines until the rate is asked again; then twice as many, up to this: */
#define LOOK_LAST  4096u /* or one per 64 bytes of cells */

struct memory {
    blm_filter *f;
    state *kept; /* --state; NULL: not given */
    blm_info plan;
    bool by_ms;
    uint64_t now;             /* in ms, if by_ms */
    uint64_t came, printed;   /* lines */
    uint64_t fresh;           /* of those printed, since the rate was asked */
    uint64_t look, next_look; /* at which `came` it is asked next; after how many more then */
    double rate, lost;
};

/* ---- which filter ------------------------------------------------------------------------------------- */

/* Kinds whose keys age by this clock. */
static void kinds_by(uint32_t clock, char *names, size_t room)
{
    blm_kind_info k;
    size_t used = 0;
    names[0] = 0;
    for (size_t i = 0; blm_kind_at(i, &k) && used < room; i++)
        if (k.clock & clock && !k.bytes)
            used += (size_t)snprintf(names + used, room - used, "%s%s", used ? ", " : "", k.name);
}

static bool has_knob(const char *kind, const char *name)
{
    blm_knobdef d;
    for (size_t i = 0; blm_knob_at(kind, i, &d); i++)
        if (strcmp(d.name, name) == 0) return true;
    return false;
}

static ending kind_fits(const uniq *u, const blm_kind_info *k, bool timed)
{
    char names[512];
    const char *w = u->wish->window;
    kinds_by(timed ? BLM_CLOCK_MS : BLM_CLOCK_ARRIVALS, names, sizeof names);
    if (!(k->clock & (BLM_CLOCK_MS | BLM_CLOCK_ARRIVALS)) || k->bytes || k->is_static)
        return trouble("-t %s: its lines would not expire; use -t with one of: %s", k->name, names);
    if (timed && !(k->clock & BLM_CLOCK_MS))
        return trouble("--window %s: kind %s counts lines and knows no time; give a number of "
                       "lines, or use -t with one of: %s",
                       w, k->name, names);
    if (!timed && !(k->clock & BLM_CLOCK_ARRIVALS))
        return trouble("--window %s: kind %s knows times and does not count lines; give a time "
                       "such as 10m, or use -t with one of: %s",
                       w, k->name, names);
    if (timed && !u->wish->keys)
        return trouble("-t %s: also give -n N: how many distinct lines come within %s?", k->name,
                       w);
    return END_YES;
}

/* Kinds without a knob for it keep as many lines as they are planned for. */
static ending plan_of(const uniq *u, const blm_kind_info *k, const uniq_span *w, blm_config *c,
                      char with[WITH_ROOM])
{
    const uniq_settings *wish = u->wish;
    const char *unit = w->timed ? "ms" : "";
    const bool knob = has_knob(k->name, "window");
    if (!knob && wish->keys && !w->timed)
        return trouble("-n %" PRIu64
                       ": kind %s is planned for the lines of the window; leave -n out",
                       wish->keys, k->name);
    if (knob)
        snprintf(with, WITH_ROOM, "window=%" PRIu64 "%s%s%s", w->length, unit,
                 wish->with[0] ? " " : "", wish->with);
    else
        snprintf(with, WITH_ROOM, "%s", wish->with);
    blm_config_init(c);
    c->kind = k->name;
    c->keys = wish->keys ? wish->keys : w->length;
    c->fpr = wish->fpr;
    c->with = with[0] ? with : NULL;
    /* N lines have at most N keys: of a few the fill is uneven, and no reason to stop. */
    c->overfill = u->s->open.overfill || !wish->keys;
    return END_YES;
}

static ending keeps_window(const uniq *u, const uniq_span *w)
{
    const blm_info *n = &u->m->plan;
    const uint32_t clock = w->timed ? BLM_CLOCK_MS : BLM_CLOCK_ARRIVALS;
    if (n->clock == clock && n->window >= w->length) return END_YES;
    return trouble("--window %s: with these settings kind %s keeps a line for %" PRIu64
                   " %s; use others with --set (see bloomery kinds %s)",
                   u->wish->window, n->kind, n->window, blm_clock_name((blm_clock)n->clock),
                   n->kind);
}

static ending make_filter(uniq *u, const uniq_span *w)
{
    char with[WITH_ROOM];
    blm_kind_info k;
    blm_config c;
    blm_report why = {BLM_OK, ""};
    if (!blm_kind_named(u->wish->kind, &k)) return kind_known("-t ", u->wish->kind);
    if (kind_fits(u, &k, w->timed) || plan_of(u, &k, w, &c, with)) return END_TROUBLE;
    const blm_err err = blm_new(&u->m->f, &c, &why);
    if (err) {
        const ending end = complain_why(NULL, err, &why);
        return err == BLM_E_NOMEM ? END_FULL : end;
    }
    blm_info_of(u->m->f, &u->m->plan);
    return keeps_window(u, w);
}

static ending fits_ram(const uniq *u)
{
    char needs[32], ram[32];
    if (u->m->plan.bytes <= u->ram) return END_YES;
    complain("over capacity: the filter needs %s, but --ram is %s; use a larger --ram or -p, or a "
             "smaller -n",
             text_bytes(needs, u->m->plan.bytes), text_bytes(ram, u->ram));
    return END_FULL;
}

static ending forget_open(uniq *u)
{
    uniq_span w;
    memory *m = u->m = calloc(1, sizeof *m);
    if (!m) return trouble("no memory");
    if (!span_read(u->wish->window, &w)) return END_TROUBLE;
    if (u->s->read.time && !w.timed)
        return trouble("--time: --window %s counts lines; give a time such as 10m",
                       u->wish->window);
    ending end = make_filter(u, &w);
    if (!end) end = fits_ram(u);
    if (!end && u->wish->state) end = state_open(&m->kept, u->s, u->wish->state, &m->f);
    if (end) return end;
    blm_info_of(m->f, &m->plan);
    m->by_ms = m->plan.clock == BLM_CLOCK_MS;
    m->now = m->plan.now;
    m->next_look = m->look = LOOK_FIRST;
    m->rate = blm_fpr(m->f, NULL).high;
    return END_YES;
}

static ending forget_input(uniq *u)
{
    const memory *m = u->m;
    if (u->s->read.time) input_time_from(u->in, m->now);
    if (m->kept) input_halt_with(u->in, state_halt(m->kept));
    return END_YES;
}

static const blm_filter *forget_hasher(const uniq *u) { return u->m->f; }

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* What came since the last look was lost at about the mean of the rate then and now. */
static void look_again(memory *m)
{
    const uint64_t cells = m->plan.bytes / 64, most = cells > LOOK_LAST ? cells : LOOK_LAST;
    const double rate = blm_fpr(m->f, NULL).high, mean = fmin((m->rate + rate) / 2, 0.999999);
    m->lost += (double)m->fresh * mean / (1 - mean);
    m->fresh = 0;
    m->rate = rate;
    m->next_look = m->next_look * 2 < most ? m->next_look * 2 : most;
    m->look = m->came + m->next_look;
}

static blm_err judge_one(memory *m, blm_hash h, uint8_t *print)
{
    const blm_item it = {h, NULL, 8, BLM_NO_ARG};
    const bool is_new = !blm_has_item(m->f, &it);
    const blm_err err = blm_add_item(m->f, &it, NULL);
    if (err) return err;
    *print = is_new;
    m->fresh += is_new;
    m->printed += is_new;
    if (++m->came >= m->look) look_again(m);
    return BLM_OK;
}

/* A wall clock may be set back: then time stands still until it is there again. */
static blm_err tick_to(memory *m, uint64_t ms)
{
    if (!m->by_ms || ms <= m->now) return BLM_OK;
    m->now = ms;
    return blm_tick(m->f, ms);
}

static ending forget_judge(uniq *u, const blm_hash *h, const uint64_t *when, size_t n,
                           uint8_t *print, size_t *done)
{
    memory *m = u->m;
    blm_err err = when ? BLM_OK : tick_to(m, clock_wall());
    *done = 0;
    while (*done < n && !err) {
        const size_t from = *done, some = n - from < NEAR ? n - from : NEAR;
        blm_has_many(m->f, h + from, NULL, some, print + from);
        for (size_t i = from; i < from + some && !err; i++) {
            if (when) err = tick_to(m, when[i]);
            if (!err) err = judge_one(m, h[i], &print[i]);
            *done += !err;
        }
    }
    if (err == BLM_E_FULL) return END_FULL;
    return err ? complain_why(NULL, err, NULL) : END_YES;
}

/* All lines that were judged are out. */
static ending forget_printed(uniq *u)
{
    memory *m = u->m;
    return m->kept ? state_pass(m->kept, m->f) : END_YES;
}

/* ---- the end --------------------------------------------------------------------------------------------- */

static ending forget_end(uniq *u)
{
    const memory *m = u->m;
    if (!u->s->open.overfill) return blm_room(m->f, NULL) ? END_FULL : END_YES;
    const double rate = blm_fpr(m->f, NULL).high;
    if (rate > 2 * m->plan.fpr_target)
        complain("warning: more lines than -n came within the window: the rate is %.3g, promised "
                 "was %.3g",
                 rate, m->plan.fpr_target);
    return END_YES;
}

static ending forget_keep(uniq *u)
{
    memory *m = u->m;
    return m->kept ? state_save(m->kept, m->f) : END_YES;
}

static void forget_full(uniq *u)
{
    const memory *m = u->m;
    complain("over capacity: more than %" PRIu64 " distinct lines came within --window %s, and the "
             "rate has passed twice the promised %.3g; the lines printed so far are correct. Use a "
             "larger -n, or --overfill",
             m->plan.capacity, u->wish->window, m->plan.fpr_target);
}

static void forget_report(const uniq *u, uniq_report *out)
{
    memory *m = u->m;
    blm_info now;
    look_again(m);
    blm_info_of(m->f, &now);
    out->lost = m->lost;
    out->share = m->lost > 0 ? m->lost / (m->lost + (double)m->printed) : 0;
    out->bytes = now.bytes;
    /* Some kinds know only how many came in all. */
    const double distinct = fmin(fmax(0, now.keys.value), (double)now.capacity);
    out->distinct = now.keys.bound ? now.capacity : (uint64_t)distinct;
}

static int forget_close(uniq *u)
{
    int stopped = 0;
    if (!u->m) return 0;
    if (u->m->kept) stopped = state_close(u->m->kept);
    blm_free(u->m->f);
    free(u->m);
    return stopped;
}

const uniq_way uniq_forget = {.open = forget_open,
                              .input = forget_input,
                              .hasher = forget_hasher,
                              .judge = forget_judge,
                              .printed = forget_printed,
                              .end = forget_end,
                              .keep = forget_keep,
                              .full = forget_full,
                              .report = forget_report,
                              .close = forget_close};
