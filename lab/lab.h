/* lab.h - experiments that measure again what the papers claim.
 *
 * An experiment is a folder of lab/ and a line of experiments.def. It has parts (a claim each), a part has
 * cases, and a case runs by itself: it makes filters by the public calls, measures, and writes rows and points
 * on a sheet of its own. So cases run on several threads, and the table is the same whatever their number.
 *
 *     static void some_case(lab_sheet *s, size_t i)
 *     {
 *         blm_filter *f = lab_make(s, "standard bits=%d hashes=7 seed=1", 10000);
 *         lab_add(s, f, 0, 1000);
 *         lab_rate(s, "standard, 10 bits", &(lab_claim){.expected = 8.2e-3, .within = 0.01},
 *                  lab_theory(f, 1000), lab_ask(f, 1000000));
 *         blm_free(f);
 *     }
 *
 * A row says what the paper expects, what the formula gives at the sizes of this run, what was measured and its
 * 99 % interval, and a verdict. lab/ sees include/ only.
 */
#ifndef BLM_LAB_H
#define BLM_LAB_H
#include <bloomery/bloomery.h>

#if defined(__GNUC__)
#define LAB_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LAB_PRINTF(text, first)
#endif

/* ---- rows ---------------------------------------------------------------------------------------- */

typedef enum lab_verdict {
    LAB_HOLDS,
    LAB_KNOWN, /* it does not hold, but differs by the size that its claim states; docs/lab.md says why */
    LAB_FAILS,
    LAB_SHOWN, /* no verdict: a measurement that decides nothing, and is not counted */
    LAB_VERDICTS
} lab_verdict;
const char *lab_verdict_name(lab_verdict v); /* "holds", "known", "FAILS", "shown" */

/* A disagreement with the paper that docs/lab.md describes. All three are given, or none: a row with an id but without a
 * size and a tolerance FAILS. */
typedef struct lab_known {
    const char *id;
    double size;      /* what we find / what the paper says (its figure, or else its bound) */
    double tolerance; /* how far that quotient may lie from the size: 0.01 = 1 %            */
} lab_known;

/* What is claimed; zero: nothing of the sort. All that is claimed must hold, and a row that claims nothing and has no
 * formula FAILS. */
typedef struct lab_claim {
    double expected; /* the figure that is printed in the paper, or follows from it             */
    double within; /* how far the formula (without one: the measured) may lie from it: 0.01 = 1 % */
    double at_most, at_least; /* the whole 99 % interval lies on this side                        */
    lab_known known;          /* the row FAILS when what we find is not of this size              */
} lab_claim;

/* A number with its 99 % interval, and a wider one: a row is wrong when it lies outside 99.99 %, so that
 * a sound table of 100 rows has a wrong one in 1 % of all worlds, not in 63 %. */
typedef struct lab_number {
    double value, low, high, lowest, highest;
} lab_number;

typedef struct lab_row {
    char what[64];
    lab_claim claim;
    double
        formula[2]; /* low and high: one number, or a band where theory knows no more; NAN: none */
    lab_number measured;
    lab_verdict verdict;
    char why[240]; /* of a FAILS or known: what was wrong, else empty */
} lab_row;

typedef struct lab_point { /* of a plot */
    const char *plot, *curve;
    bool line;
    double x, y, low, high; /* low and high: of what was measured, else y */
    double depth;           /* of a surface: where on its second axis; y is its height */
} lab_point;

struct lab_part;
typedef struct lab_sheet {
    const struct lab_part *part;
    bool quick;
    bool huge; /* as lab_job */
    bool lost; /* memory was short: rows are missing */
    lab_row *rows;
    size_t nrows;
    lab_point *points;
    size_t npoints;
} lab_sheet;

typedef struct lab_hits {
    uint64_t hits, trials;
} lab_hits;

/* spread: relative standard deviation between filters, apart from the sampling error of the queries. */
lab_number lab_share(lab_hits h, double spread);
/* Of two independent shares; spreads as above. */
lab_number lab_quotient(lab_hits a, double spread_a, lab_hits b, double spread_b);
lab_number lab_exactly(double value);

/* Sets verdict and why of a row. They depend on its claim, formula and measured number alone. */
void lab_judge(lab_row *r);
/* formula NAN: none. */
void lab_say(lab_sheet *s, const char *what, const lab_claim *c, double formula, lab_number n);
/* The share of hits against theory: mean, or a band of means, and spread. */
void lab_rate(lab_sheet *s, const char *what, const lab_claim *c, blm_rate theory, lab_hits h);
/* A measurement without a verdict, where the sample cannot decide the claim. */
void lab_show(lab_sheet *s, const char *what, lab_number n);
/* Something could not be measured at all: a row that FAILS. */
void lab_stuck(lab_sheet *s, const char *what, const char *why);
/* Of a curve by formula, drawn as a line; of a measured one, marks with their intervals. */
void lab_line_at(lab_sheet *s, const char *plot, const char *curve, double x, double y);
void lab_mark_at(lab_sheet *s, const char *plot, const char *curve, double x, lab_number y);
/* Of a surface by formula: its points in order of x. */
void lab_surface_at(lab_sheet *s, const char *plot, const char *curve, double x, double y,
                    double z);

/* ---- measuring (sample.c) -------------------------------------------------------------------------- */

/* A filter by a spec of blm_make, past its capacity too; NULL: a row says why. */
blm_filter *lab_make(lab_sheet *s, const char *spec, ...) LAB_PRINTF(2, 3);
/* Member i: a number that no non-member has. */
uint64_t lab_member(uint64_t i);
/* Non-member i: a number that no member has. */
uint64_t lab_stranger(uint64_t i);
/* The members first, first + 1, ...; false: a row says why. f NULL is fine, here and below. */
bool lab_add(lab_sheet *s, blm_filter *f, uint64_t first, uint64_t n);
/* Members that are denied. */
uint64_t lab_missed(const blm_filter *f, uint64_t first, uint64_t n);
/* Queries non-members, all different; the same ones in each run. */
lab_hits lab_ask(const blm_filter *f, uint64_t strangers);
/* That many turns: f is emptied, filled with n members that it has not had, and queried for non-members of that turn.
 * The spread between filters then counts 1 / sqrt(turns). */
lab_hits lab_turns(lab_sheet *s, blm_filter *f, uint64_t n, uint64_t turns, uint64_t strangers);
blm_rate lab_theory(const blm_filter *f, uint64_t keys); /* at that many keys, by the fields */
double lab_bits(const blm_filter *f);                    /* of all cells */
double lab_field(const blm_filter *f, const char *name); /* NAN: the kind has no such field */
uint64_t lab_random(uint64_t *state);                    /* splitmix64 */

/* ---- experiments ------------------------------------------------------------------------------------ */

typedef struct lab_part {
    const char *name, *claim;
    size_t cases;
    void (*run)(lab_sheet *s, size_t i); /* i < cases */
} lab_part;

typedef struct lab_plot {
    const char *name, *title, *x, *y;
    bool log_y, log_x;
    const char *also; /* lines of gnuplot: arrows, labels; or NULL */
    const char *z;    /* surfaces over x and y: their height; or NULL */
} lab_plot;

typedef struct lab_experiment {
    const char *name, *about;
    const lab_part *parts; /* ended by a part without a name */
    const lab_plot *plots; /* ended by a plot without a name; its curves are those of the points */
} lab_experiment;
extern const lab_experiment *const lab_experiments[]; /* ended by NULL */

typedef struct lab_job {
    const lab_experiment *what;
    const lab_part *only; /* one of its parts; NULL: all of them */
    bool quick;
    bool huge;        /* also what takes minutes and gigabytes; not together with quick */
    unsigned threads; /* 1 or more */
    void *ctx;
    /* Sheets in order, as soon as they are there; done of total cases. From any thread, one at a time. */
    void (*ready)(void *ctx, const lab_sheet *s);
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
} lab_job;

typedef struct lab_result {
    lab_sheet *sheets; /* one a case, in order */
    size_t nsheets;
    bool partial; /* of one part only: plots without points are not drawn */
    bool quick;   /* the plots say so */
} lab_result;
bool lab_run(const lab_job *job, lab_result *out); /* false: no memory, nothing to free */
void lab_result_free(lab_result *r);

/* ---- files (files.c, plots.c): DIR/NAME.csv, and DIR/NAME-PLOT.svg and .png -------------------------- */

#define LAB_PATH 1024
/* The i-th file that a run writes; false past the last. */
bool lab_file_at(const lab_experiment *e, const char *dir, size_t i, char path[LAB_PATH]);
/* False: why has the sentence. */
bool lab_write_csv(const lab_experiment *e, const lab_result *r, const char *dir, char why[240]);
bool lab_gnuplot_there(void); /* in PATH */
bool lab_write_plots(const lab_experiment *e, const lab_result *r, const char *dir, char why[240]);
#endif
