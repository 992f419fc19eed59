/* adaptive.h - the parts of the experiment adaptive. */
#ifndef BLM_LAB_ADAPTIVE_H
#define BLM_LAB_ADAPTIVE_H
#include "lab.h"

extern const lab_experiment lab_experiment_adaptive;

/* ---- filters (forms.c): 1024 words of 64 bits in the fast memory, as in the paper ---------------------- */

#define ADAPTIVE_WORDS 1024

typedef struct adaptive_form {
    unsigned groups; /* S; 1: word, which is Bloom-1      */
    bool check;      /* look before a word changes        */
    unsigned every;  /* d: each so-many-th yes changes it */
} adaptive_form;

/* NULL: a row says why. */
blm_filter *adaptive_make(lab_sheet *s, adaptive_form v, unsigned hashes, uint64_t seed);
/* Queries a non-member; if the answer is yes, reports to the filter that this was wrong and returns true. */
static inline bool adaptive_asks(blm_filter *f, blm_hash h)
{
    const blm_item it = {.h = h, .arg = BLM_NO_ARG};
    return blm_deny_item(f, &it) == BLM_OK; /* ABSENT: the filter said no */
}

/* Numbers of several rounds, and their mean with Student's intervals. */
#define ADAPTIVE_ROUNDS 400
typedef struct adaptive_rounds {
    size_t n;
    double value[ADAPTIVE_ROUNDS];
} adaptive_rounds;
void adaptive_note(adaptive_rounds *r, double value);
lab_number adaptive_mean(const adaptive_rounds *r);
double
adaptive_errors(size_t n); /* standard errors of a mean of n that are half its 99 % interval */
/* The quotient of two means, round by round of the same keys. */
lab_number adaptive_beside(const adaptive_rounds *a, const adaptive_rounds *b);
/* The mean alone is judged, as the tolerances of the literature are of means; the interval is shown. */
lab_number adaptive_as_is(lab_number n);

/* ---- traces of packets (trace.c) -------------------------------------------------------------------------- */

#define ADAPTIVE_FLOWS 691371
typedef struct adaptive_law {
    double burst; /* mean duration of a flow, of the whole trace; 0: packets in any order */
    double alpha; /* of the sizes: Pareto's law up to 10^4 packets; 0: 0.9                */
    bool zipf;    /* or 10^5 rank^(-1/alpha), 1 at least                                  */
} adaptive_law;
typedef struct adaptive_link {
    uint32_t *size;     /* packets of each flow                   */
    uint32_t *order;    /* the flow of each packet, as they come  */
    uint8_t *is_member; /* of each flow, as drawn: 1 or 0         */
    blm_hash *hash;     /* of each flow                           */
    blm_hash *ask;      /* of each packet of a non-member, as they come */
    uint32_t packets, asking;
} adaptive_link;
/* False: a row says why. */
bool adaptive_link_new(lab_sheet *s, adaptive_law law, adaptive_link *l);
void adaptive_link_free(adaptive_link *l);
/* So many flows, all different, become the members. */
void adaptive_draw(adaptive_link *l, uint64_t seed, uint32_t members);
/* The hashes that f and all of its seed and width use, of flows and of packets that ask: after adaptive_draw. f NULL
 * is fine. */
void adaptive_hash(adaptive_link *l, const blm_filter *f);
bool adaptive_add(lab_sheet *s, const adaptive_link *l, blm_filter *f); /* false: a row says why */
/* The share of yes among the packets of all who are not members: each flow asked once, since a filter that
 * does not change answers all its packets alike; or packet by packet, and each yes denied. */
double adaptive_by_flow(const adaptive_link *l, const blm_filter *f);
double adaptive_by_packet(const adaptive_link *l, blm_filter *f);

/* ---- parts ------------------------------------------------------------------------------------------------- */

void adaptive_model(lab_sheet *s, size_t i);    /* model.c  */
void adaptive_groups(lab_sheet *s, size_t i);   /* model.c  */
void adaptive_sizes(lab_sheet *s, size_t i);    /* trace.c  */
void adaptive_tails(lab_sheet *s, size_t i);    /* tails.c  */
void adaptive_packets(lab_sheet *s, size_t i);  /* packets.c */
void adaptive_cuckoo(lab_sheet *s, size_t i);   /* cuckoo.c */
void adaptive_sequence(lab_sheet *s, size_t i); /* words.c  */
void adaptive_zipf(lab_sheet *s, size_t i);     /* zipf.c   */

#define ADAPTIVE_MODEL    6
#define ADAPTIVE_GROUPS   6
#define ADAPTIVE_PACKETS  4
#define ADAPTIVE_TAILS    2
#define ADAPTIVE_CUCKOO   4
#define ADAPTIVE_SEQUENCE 2
#define ADAPTIVE_ZIPF     3
#endif
