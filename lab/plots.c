/* plots.c - pictures by gnuplot, and the points they are made of. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab.h"

#define CURVES_MAX 16

bool lab_gnuplot_there(void)
{
    char path[LAB_PATH];
    const char *p = getenv("PATH");
    while (p && *p) {
        const size_t n = strcspn(p, ":");
        if (n && n < sizeof path - 16) {
            snprintf(path, sizeof path, "%.*s/gnuplot", (int)n, p);
            if (access(path, X_OK) == 0) return true;
        }
        p += n + (p[n] == ':');
    }
    return false;
}

/* ---- points ----------------------------------------------------------------------------------------- */

typedef bool (*point_taker)(void *ctx, const lab_point *p);

static bool each_point(const lab_result *r, const char *plot, point_taker take, void *ctx)
{
    for (size_t i = 0; i < r->nsheets; i++)
        for (size_t j = 0; j < r->sheets[i].npoints; j++) {
            const lab_point *p = &r->sheets[i].points[j];
            if (strcmp(p->plot, plot) == 0 && !take(ctx, p)) return false;
        }
    return true;
}

typedef struct curves {
    const lab_point *first[CURVES_MAX]; /* one point of each */
    size_t n;
    FILE *out;
    const lab_point *only; /* while points are written: those of this curve */
    const lab_point *last; /* of them, so far                                */
    bool surface;
} curves;

static bool same_curve(const lab_point *a, const lab_point *b)
{
    return a->line == b->line && strcmp(a->curve, b->curve) == 0;
}

static bool know_curve(void *ctx, const lab_point *p)
{
    curves *c = ctx;
    for (size_t i = 0; i < c->n; i++)
        if (same_curve(c->first[i], p)) return true;
    if (c->n == CURVES_MAX) return false;
    c->first[c->n++] = p;
    return true;
}

/* A surface is a line of points for each x, an empty line after it. */
static bool put_point(void *ctx, const lab_point *p)
{
    curves *c = ctx;
    if (!same_curve(p, c->only)) return true;
    const lab_point *last = c->last;
    c->last = p;
    if (!c->surface)
        return fprintf(c->out, "%.10g %.10g %.10g %.10g\n", p->x, p->y, p->low, p->high) > 0;
    return fprintf(c->out, "%s%.10g %.10g %.10g\n", last && last->x < p->x ? "\n" : "", p->x,
                   p->depth, p->y) > 0;
}

static bool put_csv_point(void *ctx, const lab_point *p)
{
    const curves *c = ctx;
    if (c->surface)
        return fprintf(c->out, "\"%s\",formula,%.10g,%.10g,%.10g\n", p->curve, p->x, p->depth,
                       p->y) > 0;
    return fprintf(c->out, "\"%s\",%s,%.10g,%.10g,%.10g,%.10g\n", p->curve,
                   p->line ? "formula" : "measured", p->x, p->y, p->low, p->high) > 0;
}

static bool write_points(const lab_plot *plot, const lab_result *r, const char *path)
{
    curves c = {.out = fopen(path, "w"), .surface = plot->z != NULL};
    if (!c.out) return false;
    fprintf(c.out, c.surface ? "curve,from,x,y,z\n" : "curve,from,x,y,low,high\n");
    const bool whole = each_point(r, plot->name, put_csv_point, &c);
    return !fclose(c.out) && whole;
}

/* ---- gnuplot ---------------------------------------------------------------------------------------- */

/* 'text' of gnuplot: a quote is written twice. */
static void put_quoted(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') putc('\'', out);
        putc(*text, out);
    }
    putc('\'', out);
}

/* A second line of the title: nobody shall take the wide intervals of a quick run for the result. */
static void put_title(FILE *out, const lab_plot *plot, bool quick)
{
    fprintf(out, "set title ");
    put_quoted(out, plot->title);
    fprintf(out, quick ? ".\"\\nquick run: small samples\"\n" : "\n");
}

static void put_setting(FILE *out, const char *name, const char *text)
{
    fprintf(out, "set %s ", name);
    put_quoted(out, text);
    putc('\n', out);
}

static bool has_formula(const curves *c, const lab_point *p)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->first[i]->line && strcmp(c->first[i]->curve, p->curve) == 0) return true;
    return false;
}

/* Formulas are lines, measured points are marks, joined where no formula guides the eye; both of one colour where
 * they have one name. */
static void put_curves(FILE *out, const curves *c)
{
    static const char *const colours[] = {"#0060ad", "#c03028", "#2a8a3a", "#8a4fbf",
                                          "#b07010", "#404040", "#c050a0", "#108080"};
    const char *seen[CURVES_MAX];
    char title[96];
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        const lab_point *p = c->first[i];
        size_t colour = 0;
        while (colour < n && strcmp(seen[colour], p->curve) != 0) colour++;
        if (colour == n) seen[n++] = p->curve;
        fprintf(out, "%s $curve%zu using %s linecolor rgb '%s' title ",
                i            ? ","
                : c->surface ? "splot"
                             : "plot",
                i,
                c->surface ? "1:2:3 with lines linewidth 1.5"
                : p->line  ? "1:2 with lines linewidth 1.5"
                : has_formula(c, p)
                    ? "1:2:3:4 with yerrorbars pointtype 7 pointsize 0.7"
                    : "1:2:3:4 with yerrorlines linewidth 0.7 pointtype 7 pointsize 0.7",
                colours[colour % 8]);
        snprintf(title, sizeof title, "%s, %s", p->curve, p->line ? "formula" : "measured");
        put_quoted(out, title);
    }
    fprintf(out, "\n");
}

static void put_script(FILE *out, const lab_plot *plot, const lab_result *r, curves *c,
                       const char *path, bool svg)
{
    fprintf(out, svg ? "set terminal svg size 760,520 font 'sans-serif,13' background '#ffffff'\n"
                     : "set terminal pngcairo size 1140,780 font 'sans-serif,13'\n");
    put_setting(out, "output", path);
    put_title(out, plot, r->quick);
    put_setting(out, "xlabel", plot->x);
    put_setting(out, "ylabel", plot->y);
    if (plot->z) put_setting(out, "zlabel", plot->z);
    fprintf(out, "set grid back linetype 1 linecolor rgb '#dddddd'\nset key noenhanced\n");
    for (int i = 0; i < 2; i++)
        if (i ? plot->log_y : plot->log_x)
            fprintf(out, "set logscale %c\nset format %c '10^{%%T}'\n", 'x' + i, 'x' + i);
    if (plot->also) fprintf(out, "%s\n", plot->also);
    for (size_t i = 0; i < c->n; i++) {
        c->out = out;
        c->only = c->first[i];
        c->last = NULL;
        fprintf(out, "$curve%zu << EOD\n", i);
        each_point(r, plot->name, put_point, c);
        fprintf(out, "EOD\n");
    }
    put_curves(out, c);
}

static bool draw(const lab_plot *plot, const lab_result *r, const char *path, bool svg)
{
    curves c = {.surface = plot->z != NULL};
    if (!each_point(r, plot->name, know_curve, &c) || !c.n) return false;
    FILE *gnuplot = popen("gnuplot", "w");
    if (!gnuplot) return false;
    put_script(gnuplot, plot, r, &c, path, svg);
    return pclose(gnuplot) == 0;
}

static bool stop_at_point(void *ctx, const lab_point *p)
{
    (void)ctx, (void)p;
    return false;
}

bool lab_write_plots(const lab_experiment *e, const lab_result *r, const char *dir, char why[240])
{
    const bool drawing = lab_gnuplot_there();
    char path[LAB_PATH];
    for (size_t i = 0; e->plots && e->plots[i].name; i++) {
        /* A plot of a whole run always has points: if not, drawing it fails. */
        if (r->partial && each_point(r, e->plots[i].name, stop_at_point, NULL)) continue;
        for (size_t j = 0; j < 3; j++) {
            lab_file_at(e, dir, 1 + 3 * i + j, path);
            errno = 0;
            if (j == 0 ? write_points(&e->plots[i], r, path)
                       : !drawing || draw(&e->plots[i], r, path, j == 1))
                continue;
            snprintf(why, 240, "%.180s: %s", path,
                     j && !errno ? "gnuplot could not draw it" : strerror(errno));
            return false;
        }
    }
    return true;
}
