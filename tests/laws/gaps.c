/* gaps.c - the law of kinds whose keys expire: a key is missed at the rate that its age says.
 *
 * A stream of 20 windows, each with as many new keys as the filter is planned for, evenly spread over the window.
 * From the fifth window on, keys of the ages 1, 1/4, 1/2, 1 and 2 windows are asked. With fnr(gap), for the age that each of
 * them has:
 *   0        none is missed
 *   1        it is forgotten: no more of them answer yes than fpr says, by the fill of that moment
 *   else     as many are missed as that, within 4 sigma; where only limits are known, no fewer and no more
 * Of a kind whose keys bring a life of their own, every other key has one, from one unit to a window.
 * A kind that offers two clocks is run by each: a knob of type TIME gets a number with a unit.
 */
#include <inttypes.h>
#include <math.h>

#include "core/core_internal.h"
#include "laws/laws.h"

static bool forgets(const blm_kind_info *k) { return k->clock && k->can & BLM_ADD; }

enum { WINDOWS = 20, WARM = 5, AGES = 5, SEEDS = 3 };

typedef struct stream {
    blm_filter *f;
    uint64_t capacity, window, start;
    uint64_t random;
    double rate; /* fpr by the fill, now and then */
} stream;

typedef struct tally {
    uint64_t asked, missed, gone, gone_yes;
    double low, high, variance; /* misses that are expected */
    double yes;                 /* false positives that are expected of what is forgotten */
} tally;

/* ---- time ------------------------------------------------------------------------------------------------- */

/* Where keys bring their lives, half of them have one of their own. */
static blm_item item_of(const stream *s, uint64_t i, law_key *room)
{
    blm_item it = law_item(s->f, LAW_MEMBER, i, room);
    uint64_t state = i, min, max;
    if (s->f->kind->arg.again != BLM_AGAIN_LONGEST || i % 2) return it;
    law_need(blm_arg_range(s->f, &min, &max), "lives", NULL);
    it.arg = min + law_random(&state) % s->window;
    if (it.arg > max) it.arg = max;
    return it;
}

/* The time right after arrival i. By steps the keys of one window more are there at the same time: a key may come
 * early or late in its step. */
static uint64_t when(const stream *s, uint64_t i)
{
    const double per_window = (double)s->capacity;
    if (s->f->clock == BLM_CLOCK_ARRIVALS) return s->start + i + 1;
    const double long_window = (double)s->window + (s->f->clock == BLM_CLOCK_STEPS);
    return s->start + (uint64_t)((double)i * long_window / per_window);
}

/* Of the arrivals up to i, the last one that is at least that old. */
static uint64_t arrival_of(const stream *s, uint64_t i, uint64_t age)
{
    uint64_t low = 0, high = i;
    while (low < high) {
        const uint64_t mid = low + (high - low + 1) / 2;
        if (when(s, i) - when(s, mid) >= age)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

static int arrive(stream *s, uint64_t i)
{
    law_key room;
    blm_info info;
    if (s->f->clock != BLM_CLOCK_ARRIVALS)
        DEMAND(blm_tick(s->f, when(s, i)) == BLM_OK, "tick to %" PRIu64, when(s, i));
    const blm_item it = item_of(s, i, &room);
    const blm_err err = blm_add_item(s->f, &it, NULL);
    DEMAND(!err, "arrival %" PRIu64 " of a stream with the planned keys per window: %s", i,
           blm_strerror(err));
    blm_info_of(s->f, &info);
    DEMAND(info.now == when(s, i), "it is %" PRIu64 ", the filter says %" PRIu64, when(s, i),
           info.now);
    return 0;
}

/* ---- one question ----------------------------------------------------------------------------------------- */

static int ask(stream *s, uint64_t i, uint64_t wanted, tally *t)
{
    law_key room;
    const uint64_t last = arrival_of(s, i, wanted), age = when(s, i) - when(s, last);
    const uint64_t older = arrival_of(s, i, age + 1); /* one of those that came at the same time */
    const uint64_t j = last - (last > older ? law_random(&s->random) % (last - older) : 0);
    if (!age) return 0;
    const blm_item it = item_of(s, j, &room);
    const blm_case c = {.keys = s->capacity, .gap = age, .arg = it.arg};
    const blm_rate miss = blm_fnr(s->f, &c);
    const bool yes = blm_has_item(s->f, &it);
    DEMAND(miss.low >= 0 && miss.low <= miss.high && miss.high <= 1,
           "fnr of age %" PRIu64 ": %g to %g", age, miss.low, miss.high);
    DEMAND(yes || miss.high > 0, "a key of age %" PRIu64 ", which is never missed, is missed", age);
    if (miss.low >= 1) {
        t->gone++;
        t->gone_yes += yes;
        t->yes += s->rate;
        return 0;
    }
    const double p = miss.high;
    t->asked++;
    t->missed += !yes;
    t->low += miss.low;
    t->high += p;
    t->variance += fmax(p * (1 - p), pow(p * miss.spread, 2));
    return 0;
}

/* One age per arrival, by chance, so that no slice of time is always met at the same place. */
static int ask_some(stream *s, uint64_t i, tally of[AGES])
{
    const uint64_t ages[AGES] = {1, s->window / 4, s->window / 2, s->window, 2 * s->window};
    const uint64_t which = law_random(&s->random) % AGES;
    if (i % 64 == 0) s->rate = blm_fpr(s->f, NULL).high;
    return ages[which] ? ask(s, i, ages[which], &of[which]) : 0;
}

static int judge(const char *kind, const char *with, unsigned age, const tally *t)
{
    static const char *const names[AGES] = {"1", "1/4 of a window", "1/2 of a window", "a window",
                                            "2 windows"};
    const double sigma = sqrt(t->variance), missed = (double)t->missed;
    DEMAND(missed >= t->low - 4 * sigma && missed <= t->high + 4 * sigma,
           "%s %s, age %s: %g of %" PRIu64 " are missed, by theory %g to %g, sigma %g", kind, with,
           names[age], missed, t->asked, t->low, t->high, sigma);
    const double limit = fmax(t->yes + 4 * sqrt(t->yes), law_rare_max(t->yes));
    DEMAND((double)t->gone_yes <= limit,
           "%s %s, age %s: %" PRIu64 " of %" PRIu64 " that are forgotten answer yes, by fpr %g",
           kind, with, names[age], t->gone_yes, t->gone, t->yes);
    return 0;
}

/* ---- one clock -------------------------------------------------------------------------------------------- */

static int run(const char *kind, const char *with, uint64_t keys, uint32_t clock)
{
    tally of[AGES] = {{0}};
    uint64_t asked = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        char settings[160];
        snprintf(settings, sizeof settings, "keys=%" PRIu64 " fpr=1%% seed=%" PRIu64 " %s", keys,
                 seed, with);
        stream s = {.f = law_make(kind, settings), .capacity = keys, .random = seed};
        blm_info info;
        blm_info_of(s.f, &info);
        DEMAND(blm_clock_name((blm_clock)info.clock) && (!clock || info.clock == clock),
               "%s %s: the clock is %" PRIu32 ", not one that the kind offers", kind, with,
               info.clock);
        DEMAND(info.window > 0 && info.window < UINT64_C(1) << 50, "a window of %" PRIu64,
               info.window);
        s.window = info.window;
        if (blm_can(s.f, BLM_TICK)) s.start = 1000000;
        if (s.start) DEMAND(blm_tick(s.f, s.start) == BLM_OK, "the first tick");
        for (uint64_t i = 0; i < WINDOWS * keys; i++) {
            if (arrive(&s, i)) return 1;
            if (i >= WARM * keys && ask_some(&s, i, of)) return 1;
        }
        blm_free(s.f);
    }
    for (unsigned a = 0; a < AGES; a++) {
        if (judge(kind, with, a, &of[a])) return 1;
        asked += of[a].asked + of[a].gone;
    }
    DEMAND(asked > SEEDS * keys, "only %" PRIu64 " questions", asked);
    return 0;
}

static int law_gaps(const char *kind)
{
    const uint64_t keys = law_small || (TEST_SLOW && !law_catches) ? 200 : 1000;
    const uint32_t both = BLM_CLOCK_ARRIVALS | BLM_CLOCK_MS;
    blm_kind_info info;
    char timed[64];
    law_need(blm_kind_named(kind, &info), kind, NULL);
    if (run(kind, "", keys, 0)) return 1;
    if ((info.clock & both) != both) return 0;
    law_timed_knob(kind, timed, sizeof timed);
    DEMAND(timed[0], "two clocks, and no knob of type TIME that chooses one");
    return run(kind, timed, keys, BLM_CLOCK_MS);
}

const law laws_of_ages[] = {
    {"gaps", "a key is missed at the rate that its age says: never too soon, and it does leave",
     forgets, law_gaps},
    {NULL, NULL, NULL, NULL},
};
