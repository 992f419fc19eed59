/* lab.c - bloomery lab: what the papers claim, measured again; lab/ does the measuring. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"
#include "lab.h"

typedef struct lab_settings {
    settings base;
    const char *dir, *part;
    bool rapid, huge;
} lab_settings;

static const lab_settings *own(const settings *s) { return (const lab_settings *)s; }

typedef struct reading {
    const settings *s;
    const lab_experiment *e;
    const lab_part *part; /* of the last row */
    uint64_t verdicts[LAB_VERDICTS];
    bool lost;
} reading;

/* ---- what is printed ---------------------------------------------------------------------------- */

/* "-": none; a band as its two ends. */
static void show_number(int width, double low, double high)
{
    char text[32] = "-";
    if (low < high)
        snprintf(text, sizeof text, "%.2g-%.2g", low, high);
    else if (!isnan(low))
        snprintf(text, sizeof text, "%.4g", low);
    out_text(" %*s", width, text);
}

static void show_row(const lab_row *r)
{
    const lab_claim *c = &r->claim;
    char expected[32] = "-", interval[48] = "-";
    if (c->expected != 0)
        snprintf(expected, sizeof expected, "%.4g", c->expected);
    else if (c->at_most != 0)
        snprintf(expected, sizeof expected, "<= %.4g", c->at_most);
    else if (c->at_least != 0)
        snprintf(expected, sizeof expected, ">= %.4g", c->at_least);
    if (!isnan(r->measured.low))
        snprintf(interval, sizeof interval, "[%.4g, %.4g]", r->measured.low, r->measured.high);
    out_text("%-57s %10s", r->what, expected);
    show_number(12, r->formula[0], r->formula[1]);
    show_number(10, r->measured.value, r->measured.value);
    out_text("  %-22s %s%s%s\n", interval, lab_verdict_name(r->verdict),
             r->verdict == LAB_KNOWN ? " " : "", r->verdict == LAB_KNOWN ? c->known.id : "");
    if (r->verdict == LAB_KNOWN)
        out_text("    %s; %s: %.5g times what the paper says, within %g %%\n", r->why, c->known.id,
                 c->known.size, 100 * c->known.tolerance);
    else if (r->verdict == LAB_FAILS)
        out_text("    %s\n", r->why);
}

static void show_part(const lab_part *p)
{
    out_text("\n%s: %s\n%-57s %10s %12s %10s  %-22s %s\n", p->name, p->claim, "ROW", "EXPECTED",
             "FORMULA", "MEASURED", "99 % INTERVAL", "VERDICT");
}

static void json_row(const reading *v, const lab_row *r)
{
    const lab_claim *c = &r->claim;
    json_open(NULL, '{');
    json_text("experiment", v->e->name);
    json_text("part", v->part->name);
    json_text("row", r->what);
    json_number("expected", c->expected != 0 ? c->expected : NAN);
    json_number("at_least", c->at_least != 0 ? c->at_least : NAN);
    json_number("at_most", c->at_most != 0 ? c->at_most : NAN);
    json_number("formula_low", r->formula[0]);
    json_number("formula_high", r->formula[1]);
    json_number("measured", r->measured.value);
    json_number("low", r->measured.low);
    json_number("high", r->measured.high);
    json_text("verdict", lab_verdict_name(r->verdict));
    if (r->verdict == LAB_KNOWN) {
        json_text("known", c->known.id);
        json_number("size", c->known.size);
        json_number("tolerance", c->known.tolerance);
    }
    if (r->why[0]) json_text("why", r->why);
    json_close('}');
    json_end_line();
}

static void on_sheet(void *ctx, const lab_sheet *sheet)
{
    reading *v = ctx;
    progress_end();
    if (sheet->nrows && v->part != sheet->part) {
        if (!v->s->json) show_part(sheet->part);
        v->part = sheet->part;
    }
    v->lost |= sheet->lost;
    for (size_t i = 0; i < sheet->nrows; i++) {
        v->verdicts[sheet->rows[i].verdict]++;
        if (v->s->json)
            json_row(v, &sheet->rows[i]);
        else
            show_row(&sheet->rows[i]);
    }
    out_flush(); /* each part as soon as it is known */
}

static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx, (void)total;
    progress_at(done);
}

static ending show_list(const settings *s)
{
    for (size_t i = 0; lab_experiments[i]; i++) {
        const lab_experiment *e = lab_experiments[i];
        if (!s->json) {
            out_text("%s  %s\n", e->name, e->about);
            for (const lab_part *p = e->parts; p->name; p++)
                out_text("    %-20s %s\n", p->name, p->claim);
            continue;
        }
        json_open(NULL, '{');
        json_text("name", e->name);
        json_text("about", e->about);
        json_open("parts", '[');
        for (const lab_part *p = e->parts; p->name; p++) json_text(NULL, p->name);
        json_close(']');
        json_close('}');
        json_end_line();
    }
    return END_YES;
}

/* ---- the folder of -o --------------------------------------------------------------------------------- */

static ending folder_ready(const char *dir)
{
    char path[LAB_PATH];
    if (!dir[0] || strlen(dir) >= sizeof path - 128)
        return trouble("-o %.60s: not a valid folder name", dir);
    for (size_t i = 1; i <= strlen(dir); i++) {
        if (dir[i] != '/' && dir[i]) continue;
        snprintf(path, sizeof path, "%.*s", (int)i, dir);
        if (mkdir(path, 0777) && errno != EEXIST) return trouble("-o %s: %s", dir, strerror(errno));
    }
    snprintf(path, sizeof path, "%s/.", dir);
    return access(path, W_OK) ? trouble("-o %s: %s", dir, strerror(errno)) : END_YES;
}

static ending files_free(const settings *s, const lab_experiment *e)
{
    char path[LAB_PATH];
    for (size_t i = 0; !s->save.force && lab_file_at(e, own(s)->dir, i, path); i++)
        if (access(path, F_OK) == 0) return trouble("%s: file exists (use -F to replace it)", path);
    return END_YES;
}

static ending write_files(const settings *s, const lab_experiment *e, const lab_result *r)
{
    const char *dir = own(s)->dir;
    char why[240] = "";
    if (!lab_write_csv(e, r, dir, why) || !lab_write_plots(e, r, dir, why))
        return trouble("%s", why);
    if (!lab_gnuplot_there() && !s->quiet)
        complain("no plots, because gnuplot is not in PATH; their points are in %s/%s-*.csv", dir,
                 e->name);
    return END_YES;
}

/* ---- the verb ---------------------------------------------------------------------------------------- */

static void show_head(const settings *s, const lab_experiment *e)
{
    if (s->json) return;
    out_text("%s: %s\n", e->name, e->about);
    out_text("A row FAILS if the formula is outside the 99.99 %% interval of the measured value, "
             "or if a bound is exceeded.\n");
    out_flush();
}

static ending run_one(const settings *s, const lab_experiment *e, const lab_part *only)
{
    reading v = {.s = s, .e = e};
    lab_result r;
    uint64_t cases = 0;
    for (const lab_part *p = e->parts; p->name; p++)
        if (!only || p == only) cases += p->cases;
    progress_start(s, cases, "cases");
    show_head(s, e);
    const double from = seconds_now();
    const lab_job job = {.what = e,
                         .only = only,
                         .quick = own(s)->rapid,
                         .huge = own(s)->huge,
                         .threads = jobs_of(s),
                         .ctx = &v,
                         .ready = on_sheet,
                         .progress = on_progress};
    if (!lab_run(&job, &r)) return trouble("no memory");
    progress_end();
    if (!s->json)
        out_text("\n%" PRIu64 " hold, %" PRIu64 " known, %" PRIu64 " FAIL, %.0f s\n",
                 v.verdicts[LAB_HOLDS], v.verdicts[LAB_KNOWN], v.verdicts[LAB_FAILS],
                 seconds_now() - from);
    ending end = v.lost ? trouble("no memory for all rows") : END_YES;
    if (!end && own(s)->dir) end = write_files(s, e, &r);
    lab_result_free(&r);
    if (end) return end;
    return v.verdicts[LAB_FAILS] ? END_NO : END_YES;
}

static ending no_such_experiment(const char *name)
{
    const char *names[64];
    size_t n = 0;
    while (n < COUNT_OF(names) && lab_experiments[n]) names[n] = lab_experiments[n]->name, n++;
    const char *near = blm_nearest(name, names, n);
    return near ? trouble("%s: no such experiment; did you mean %s?", name, near)
                : trouble("%s: no such experiment (bloomery lab list lists them)", name);
}

/* Finds the part that --part names; *only stays NULL without that option. */
static ending part_of(const char *part, const lab_experiment *e, const lab_part **only)
{
    const char *names[64];
    size_t n = 0;
    for (const lab_part *p = e->parts; part && p->name; p++) {
        if (strcmp(p->name, part) == 0) *only = p;
        if (n < COUNT_OF(names)) names[n++] = p->name;
    }
    if (!part || *only) return END_YES;
    const char *near = blm_nearest(part, names, n);
    return near ? trouble("--part %s: %s has no such part; did you mean %s?", part, e->name, near)
                : trouble("--part %s: %s has no such part (bloomery lab list lists them)", part,
                          e->name);
}

/* Every argument is checked before anything is measured. */
static ending run_named(const settings *s, const char *name)
{
    const bool all = strcmp(name, "all") == 0;
    const lab_part *only = NULL;
    bool found = false;
    if (own(s)->rapid && own(s)->huge)
        return trouble("--quick and --huge contradict each other; give one of them");
    if (all && own(s)->part)
        return trouble("--part %s: name one experiment instead of all", own(s)->part);
    ending end = own(s)->dir ? folder_ready(own(s)->dir) : END_YES;
    for (size_t i = 0; !end && lab_experiments[i]; i++) {
        if (!all && strcmp(lab_experiments[i]->name, name) != 0) continue;
        found = true;
        end = part_of(own(s)->part, lab_experiments[i], &only);
        if (!end && own(s)->dir) end = files_free(s, lab_experiments[i]);
    }
    if (end) return end;
    if (!found) return no_such_experiment(name);
    for (size_t i = 0; lab_experiments[i] && !out_failed(); i++) {
        if (!all && strcmp(lab_experiments[i]->name, name) != 0) continue;
        const ending one = run_one(s, lab_experiments[i], only);
        if (one > end) end = one; /* trouble is worse than a claim that fails */
    }
    return end;
}

static ending run_lab(settings *s)
{
    static const char *const words[] = {"list", "run"};
    const char *word = s->operand[0];
    if (strcmp(word, "list") == 0)
        return s->operands == 1 ? show_list(s)
                                : trouble("%s: unexpected argument (list takes none); use bloomery "
                                          "lab run to run an experiment",
                                          s->operand[1]);
    if (strcmp(word, "run") == 0)
        return s->operands == 2 ? run_named(s, s->operand[1])
                                : trouble("missing argument: bloomery lab run NAME, or run all "
                                          "(bloomery lab list lists the names)");
    const char *near = blm_nearest(word, words, COUNT_OF(words));
    return near
               ? trouble("%s: must be list or run; did you mean %s?", word, near)
               : trouble("%s: must be list or run (bloomery lab list lists the experiments)", word);
}

static const option lab_options[] = {
    {'o', "dir", "DIR", "write the rows (CSV) and the plots (CSV, SVG, PNG) to this folder",
     TAKE_TEXT, offsetof(lab_settings, dir), 0, 0},
    {0, "part", "PART",
     "run only this part of the experiment; -o then writes only its rows and plots", TAKE_TEXT,
     offsetof(lab_settings, part), 0, 0},
    {0, "quick", NULL, "use smaller samples: seconds instead of minutes, wider intervals",
     TAKE_FLAG, offsetof(lab_settings, rapid), 0, 0},
    {0, "huge", NULL, "also measure what takes minutes and gigabytes (10^8 keys)", TAKE_FLAG,
     offsetof(lab_settings, huge), 0, 0},
    OPTION_FORCE,
    OPTION_JSON,
    OPTION_END,
};

const verb verb_lab = {
    .name = "lab",
    .about = "repeat the measurements of the papers: tables, verdicts, plots",
    .usage = "lab list|run [NAME|all] [--part PART] [-o DIR] [--quick|--huge] [-F] [--json]",
    .text = "list shows the experiments and their parts. run runs one of them, or all. Each row "
            "has the figure of\n"
            "the paper, the value of the formula, the measured value with its 99 % interval, and a "
            "verdict:\n"
            "holds, known (a disagreement of the size that docs/lab.md lists under this id) or "
            "FAILS. Seeds are\n"
            "fixed: two runs print the same, times apart. Plots need gnuplot.",
    .options = lab_options,
    .examples = {"bloomery lab list", "bloomery lab run survey-variants -o results"},
    .endings = "0 every row holds or is known, 1 some row FAILS, 2 usage or I/O",
    .min_operands = 1,
    .max_operands = 2,
    .size = sizeof(lab_settings),
    .run = run_lab,
};
