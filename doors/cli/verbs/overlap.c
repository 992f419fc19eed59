/* overlap.c - bloomery overlap: how much two filters share, each figure with its interval. */
#include <math.h>
#include <string.h>

#include "describe.h"
#include "image/pair.h"

#define CONFIDENCE 0.95
#define SIGMAS     1.96 /* standard errors to each side: 95 % of a normal distribution */

typedef struct interval {
    double value, low, high;
    bool bound; /* the filter is full: the value is only a lower bound */
} interval;

/* The library gives one standard error, cut off at what is possible: the longer side is the whole. */
static interval widen(const blm_estimate *e, double max)
{
    const double sd = fmax(e->value - e->low, e->high - e->value);
    return (interval){e->value, fmax(0, e->value - SIGMAS * sd), fmin(max, e->value + SIGMAS * sd),
                      e->bound};
}

typedef struct figure {
    const char *name, *label;
    interval v;
    bool share; /* of 1, else keys */
} figure;

#define FIGURES 7
static void figures_of(const blm_overlap *o, figure out[FIGURES])
{
    out[0] = (figure){"a", "keys in A", widen(&o->a, INFINITY), false};
    out[1] = (figure){"b", "keys in B", widen(&o->b, INFINITY), false};
    out[2] = (figure){"union", "in A or B", widen(&o->both_sets, INFINITY), false};
    out[3] = (figure){"intersection", "in A and B",
                      widen(&o->common, fmin(out[0].v.high, out[1].v.high)), false};
    out[4] = (figure){"jaccard", "Jaccard", widen(&o->jaccard, 1), true};
    out[5] = (figure){"a_in_b", "of A in B", widen(&o->a_in_b, 1), true};
    out[6] = (figure){"b_in_a", "of B in A", widen(&o->b_in_a, 1), true};
}

/* Its ends are certain, unlike those of the figures above. */
static void show_join(const blm_estimate *join)
{
    const char *sign = join->bound ? "at least" : join->high <= join->value ? "at most" : "about";
    if (join->value < 0) return;
    out_text("  %-11s %-8s %12.0f  (", "join size", sign, join->value);
    if (isfinite(join->high))
        out_text("certain: %.0f to %.0f)\n", join->low, join->high);
    else
        out_text("no upper limit is known)\n");
}

static void show_subset(const char *part, const char *whole, bool may_be)
{
    if (may_be)
        out_text("  every key of %s may be in %s\n", part, whole);
    else
        out_text("  some key of %s is certainly not in %s\n", part, whole);
}

static void show_text(const settings *s, const blm_overlap *o)
{
    figure list[FIGURES];
    char name[2][ESCAPED_NAME];
    figures_of(o, list);
    for (size_t i = 0; i < 2; i++) {
        host_escape(name[i], sizeof name[i], s->operand[i], strlen(s->operand[i]));
        out_text("%c  %s\n", "AB"[i], name[i]);
    }
    for (size_t i = 0; i < FIGURES; i++) {
        const interval *v = &list[i].v;
        const char *sign = v->bound ? "at least" : "about";
        if (list[i].share)
            out_text("  %-11s %-8s %12.4f  (95 %%: %.4f to %.4f)\n", list[i].label, sign, v->value,
                     v->low, v->high);
        else
            out_text("  %-11s %-8s %12.0f  (95 %%: %.0f to %.0f)\n", list[i].label, sign, v->value,
                     v->low, v->high);
    }
    show_join(&o->join);
    show_subset("A", "B", o->a_may_be_subset);
    show_subset("B", "A", o->b_may_be_subset);
}

static void json_figure(const char *name, double value, double low, double high, bool at_least)
{
    json_open(name, '{');
    json_number("value", value);
    json_number("low", low);
    json_number("high", high);
    json_bool("at_least", at_least);
    json_close('}');
}

static void show_json(const settings *s, const blm_overlap *o)
{
    figure list[FIGURES];
    figures_of(o, list);
    json_open(NULL, '{');
    json_text("file_a", s->operand[0]);
    json_text("file_b", s->operand[1]);
    json_number("confidence", CONFIDENCE);
    for (size_t i = 0; i < FIGURES; i++)
        json_figure(list[i].name, list[i].v.value, list[i].v.low, list[i].v.high, list[i].v.bound);
    if (o->join.value >= 0)
        json_figure("join", o->join.value, o->join.low, o->join.high, o->join.bound);
    json_number("intersection_raw", o->common_raw);
    json_count("cells_in_both", o->dot);
    json_bool("a_may_be_subset", o->a_may_be_subset);
    json_bool("b_may_be_subset", o->b_may_be_subset);
    json_close('}');
    json_end_line();
}

/* An intersection has cells that no one key set. Other kinds lose this promise by their settings. */
static void warn_not_exact(const char *path, const image *im)
{
    if (im->info.lost & BLM_MERGE_EXACT && blm_can(im->f, BLM_INTERSECT))
        complain("warning: %s is an intersection, which has more cells set than its keys need; its "
                 "figures are too high",
                 path);
}

/* Its kind cannot, or its settings forbid it, as a threshold of count-min does. */
static ending not_compared(const char *path, const char *kind)
{
    blm_kind_info k;
    if (!blm_kind_named(kind, &k) || !(k.can & BLM_OVERLAP))
        return cannot(path, kind, BLM_OVERLAP, "be compared");
    return trouble("%s: %s with these settings cannot be compared: see `bloomery kinds %s`", path,
                   kind, kind);
}

static ending compare(const settings *s, const image *a, const image *b)
{
    blm_overlap o;
    blm_report why = {BLM_OK, ""};
    if (!blm_can(a->f, BLM_OVERLAP)) return not_compared(s->operand[0], a->info.kind);
    const blm_err err = blm_overlap_of(a->f, b->f, &o, &why);
    if (err) return complain_pair(s->operand[1], a->f, b->f, err, &why, false);
    warn_not_exact(s->operand[0], a);
    warn_not_exact(s->operand[1], b);
    if (s->json)
        show_json(s, &o);
    else
        show_text(s, &o);
    return END_YES;
}

static ending run_overlap(settings *s) { return with_pair(s, compare); }

static const option overlap_options[] = {OPTION_KEY, OPTION_TRUST, OPTION_JSON, OPTION_END};

const verb verb_overlap = {
    .name = "overlap",
    .about = "estimate how much two filters share: sizes, Jaccard, containment",
    .usage = "overlap A B",
    .text =
        "Both filters must have the same kind, size and seed. The figures are estimates from "
        "the cells, each\n"
        "with a 95 % interval (1.96 standard errors to each side). If it says that some key of "
        "one filter is\n"
        "not in the other, that is certain. Of two count-min filters it also tells the size of a "
        "join: the sum\n"
        "over all keys of the count in A times the count in B, with limits that are certain.",
    .options = overlap_options,
    .examples = {"bloomery overlap monday.blm tuesday.blm",
                 "bloomery overlap --json a.blm b.blm | jq .jaccard.value"},
    .endings = "0 shown, 2 usage or I/O, or a kind that cannot be compared, 3 not a sound image, 5 "
               "incompatible filters",
    .min_operands = 2,
    .max_operands = 2,
    .run = run_overlap,
};
