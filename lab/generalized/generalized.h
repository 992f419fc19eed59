/* generalized.h - the parts of the experiment generalized, and the paper's way to measure (rounds.c).
 *
 * A round draws new hash functions of the universal class h(x) = (c x + d) mod z, z = 2100000011, gives the array
 * its first bits, adds n elements of 1 .. (z-1)/2, asks for elements of the other half (false positives) and for all that
 * were added (misses). A kind takes one hash of 64 bits and makes its positions of it: two such functions are that hash.
 */
#ifndef BLM_LAB_GENERALIZED_H
#define BLM_LAB_GENERALIZED_H
#include "lab.h"

extern const lab_experiment lab_experiment_generalized;

/* ---- rounds.c ------------------------------------------------------------------------------------- */

#define GEN_PRIME 2100000011u
#define GEN_BYTES 16384 /* of the largest array                     */
#define GEN_KEYS  1024  /* most of a round that is asked for misses */

typedef struct gen_setting {
    unsigned k0, k1;
    uint64_t m, n; /* bits, keys               */
    double p0;     /* share of zeros at first  */
} gen_setting;

typedef struct gen_functions { /* of a round */
    uint64_t c[2], d[2];
} gen_functions;
gen_functions gen_draw(uint64_t *state);
blm_hash gen_hash(const gen_functions *u, uint64_t x);
uint64_t gen_element(uint64_t *state, bool other_half);

/* Hits in that many trials, round by round: rounds are independent, trials of one round are not. */
typedef struct gen_sum {
    uint64_t rounds, trials, hits;
    double squares; /* of the hits of a round */
} gen_sum;
void gen_count(gen_sum *s, uint64_t hits, uint64_t trials);
lab_number gen_number(const gen_sum *s);

/* k0 = 0: a standard filter where it may have that many hashes. Positions may repeat, as in the equations. NULL: a row
 * says why. */
blm_filter *gen_make(lab_sheet *s, const gen_setting *t, const char *more);
/* The first bits, each a zero with chance p0; false: a row says why. */
bool gen_start(lab_sheet *s, blm_filter *f, const gen_setting *t, uint64_t *state);
bool gen_add(lab_sheet *s, blm_filter *f, const gen_functions *u, const uint64_t *x, size_t n);
uint64_t gen_yes(const blm_filter *f, const gen_functions *u, const uint64_t *x, size_t n);

typedef struct gen_found {
    gen_sum fp, fn, last; /* last: the newest key, denied */
    double zeros;         /* mean share at the end        */
} gen_found;
/* All filters get the same elements and the same non-members. */
bool gen_rounds(lab_sheet *s, blm_filter *const *f, size_t filters, const gen_setting *t,
                uint64_t rounds, uint64_t strangers, uint64_t seed, gen_found *out);
/* Keys come one after the other; each is asked for when n more have come. */
bool gen_stream(lab_sheet *s, blm_filter *f, const gen_setting *t, uint64_t rounds, uint64_t keys,
                uint64_t seed, gen_sum *out);

/* ---- parts ------------------------------------------------------------------------------------------ */

void gen_table(lab_sheet *s, size_t i); /* tables.c; the number is that of the part's name */
void gen_literal(lab_sheet *s, size_t i);
#define GEN_TABLE   5
#define GEN_LITERAL 5

void gen_figure_2(lab_sheet *s, size_t i); /* fills.c */
void gen_figure_3(lab_sheet *s, size_t i);
void gen_figure_5(lab_sheet *s, size_t i);
void gen_figure_6(lab_sheet *s, size_t i);
void gen_figure_10(lab_sheet *s, size_t i);
void gen_figure_11(lab_sheet *s, size_t i);
#define GEN_FIGURE_2  4
#define GEN_FIGURE_3  5
#define GEN_FIGURE_5  8
#define GEN_FIGURE_6  4
#define GEN_FIGURE_10 8
#define GEN_FIGURE_11 5

void gen_figure_7(lab_sheet *s, size_t i); /* misses.c */
void gen_figure_8(lab_sheet *s, size_t i);
void gen_figure_9(lab_sheet *s, size_t i);
void gen_figure_12a(lab_sheet *s, size_t i);
void gen_figure_12b(lab_sheet *s, size_t i);
#define GEN_FIGURE_7   8
#define GEN_FIGURE_8   4
#define GEN_FIGURE_9   4
#define GEN_FIGURE_12A 5
#define GEN_FIGURE_12B 6

void gen_attack(lab_sheet *s, size_t i); /* attack.c */
void gen_chosen(lab_sheet *s, size_t i);
void gen_starts(lab_sheet *s, size_t i);
#define GEN_ATTACK 1
#define GEN_CHOSEN 1
#define GEN_STARTS 3

void gen_traceback(lab_sheet *s, size_t i); /* traceback.c */
#define GEN_TRACEBACK 16
#endif
