/* versus.c - rounds, ratios and rows. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "versus.h"

static unsigned passed, fell_short;

void versus_stop(int code, const char *sentence, ...)
{
    va_list args;
    va_start(args, sentence);
    fflush(stdout);
    vfprintf(stderr, sentence, args);
    fputc('\n', stderr);
    va_end(args);
    exit(code);
}

void versus_progress(const char *sentence, ...)
{
    va_list args;
    va_start(args, sentence);
    fputs("... ", stderr);
    vfprintf(stderr, sentence, args);
    fputc('\n', stderr);
    va_end(args);
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static void print_row(const char *what, const char *ours, const char *theirs, const char *ratio,
                      const char *wanted, const char *floor, const char *verdict)
{
    printf("%-58s %10s %10s %8s %9s %8s  %s\n", what, ours, theirs, ratio, wanted, floor, verdict);
    fflush(stdout); /* each row as soon as it is known */
}

void versus_head(void)
{
    print_row("WHAT", "OURS", "THEIRS", "RATIO", "WANTED", "FLOOR", "VERDICT");
}

static const char *verdict_of(bool informs, bool pass)
{
    if (informs) return "-";
    *(pass ? &passed : &fell_short) += 1;
    return pass ? "PASS" : "SHORT";
}

void versus_show(const versus_figures *r)
{
    char ratio[16] = "-";
    if (r->ratio > 0) snprintf(ratio, sizeof ratio, "%.2fx", r->ratio);
    print_row(r->what, r->ours, r->theirs, ratio, r->wanted, "-", verdict_of(r->informs, r->pass));
}

void versus_end(void) { printf("%u PASS, %u SHORT\n", passed, fell_short); }

/* ---- rounds --------------------------------------------------------------------------------------- */

static double run_side(const char *what, const char *side, const versus_side *s)
{
    uint64_t hits = 0;
    const double spent = s->run(s->self, &hits);
    if (hits < s->low || hits > s->high)
        versus_stop(1,
                    "%s: %s answered %" PRIu64 " times yes, %" PRIu64 " to %" PRIu64
                    " are right: its time means nothing",
                    what, side, hits, s->low, s->high);
    return spent;
}

void versus_row(const versus *v)
{
    double ours[VERSUS_ROUNDS_MAX], theirs[VERSUS_ROUNDS_MAX], ratio[VERSUS_ROUNDS_MAX];
    const unsigned rounds = VERSUS_ROUNDS + v->extra;
    for (unsigned i = 0; i < rounds; i++) {
        if (i % 2) theirs[i] = run_side(v->what, "the other side", &v->theirs);
        ours[i] = run_side(v->what, "our side", &v->ours);
        if (i % 2 == 0) theirs[i] = run_side(v->what, "the other side", &v->theirs);
        ratio[i] = v->at_most ? ours[i] / theirs[i] : theirs[i] / ours[i];
    }
    char text[5][24] = {"", "", "", "-", "-"};
    const double reached = bench_median(ratio, rounds), scale = 1e9 / (double)v->work;
    snprintf(text[0], 24, "%.2f ns", bench_median(ours, rounds) * scale);
    snprintf(text[1], 24, "%.2f ns", bench_median(theirs, rounds) * scale);
    snprintf(text[2], 24, "%.2fx", reached);
    if (v->wanted > 0) snprintf(text[3], 24, "%s %gx", v->at_most ? "<=" : ">=", v->wanted);
    if (v->floor > 0) snprintf(text[4], 24, "%.2f ns", v->floor);
    const bool pass = v->at_most ? reached <= v->wanted : reached >= v->wanted;
    print_row(v->what, text[0], text[1], text[2], text[3], text[4],
              verdict_of(!(v->wanted > 0), pass));
}
