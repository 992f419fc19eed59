/* laws.h - what the laws share.
 *
 * A law is a promise that every kind keeps. It knows no kind: it draws keys inside the kind's world, the number of a
 * key as a fixed function of the key, and asks the kind's table which abilities and promises there are.
 */
#ifndef BLM_LAWS_H
#define BLM_LAWS_H
#include <bloomery/bloomery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "slow.h"

typedef struct law {
    const char *name, *about;
    bool (*applies)(const blm_kind_info *kind);
    int (*run)(const char *kind); /* 0: kept; else a sentence stands on stderr */
} law;
extern const law laws_of_answers[], laws_of_batches[], laws_of_images[], laws_of_hostile[],
    laws_of_memory[];
extern const law laws_of_pairs[], laws_of_reading[], laws_of_wishes[], laws_of_theory[],
    laws_of_model[], laws_of_denials[], laws_of_touches[], laws_of_keeping[], laws_of_costs[],
    laws_of_order[], laws_of_sizes[], laws_of_counts[], laws_of_lists[], laws_of_lenses[],
    laws_of_building[], laws_of_growth[], laws_of_wire[], laws_of_ages[];

/* ---- failing ------------------------------------------------------------------------------ */

/* Says where and what on stderr; returns 1. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
int law_broken(const char *file, int line, const char *fmt, ...);
#define DEMAND(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition)) return law_broken(__FILE__, __LINE__, __VA_ARGS__);                      \
    } while (0)
/* For what must work before a law can begin: ends the process. */
void law_need(bool condition, const char *what, const blm_report *why);

/* ---- keys ---------------------------------------------------------------------------------- */

/* Members are 8-byte counters, non-members 16-byte strings; integers: even and odd ones. The two never meet. Numbers
 * from 0 to law_keys_max() - 1. */
typedef enum law_side { LAW_MEMBER = 0, LAW_STRANGER = 1 } law_side;
typedef struct law_key {
    uint8_t bytes[64];
    size_t len;
} law_key;
uint64_t law_keys_max(const blm_filter *f);
blm_item law_item(const blm_filter *f, law_side side, uint64_t i, law_key *room);
/* The hashes of keys first .. first + n - 1, those that law_item gives but made in batches (hi is 0
 * where the kind does not look at it), and their args; arg may be NULL. */
void law_hashes(const blm_filter *f, law_side side, uint64_t first, size_t n, blm_hash *h,
                uint64_t *arg);
uint64_t law_weight(const blm_item *it); /* what a kind that counts adds for it: its arg, or 1 */
/* An estimate that may be wrong on both sides, of a filter that does not promise NEVER_LOW. */
bool law_estimates(const blm_filter *f, const blm_estimate *n);
/* The standard error that an estimate states: its longer side, as the other may be cut off at what is possible. */
double law_standard_error(const blm_estimate *n);
uint64_t law_random(uint64_t *state); /* splitmix64: the same numbers on every machine */

/* ---- filters -------------------------------------------------------------------------------- */

blm_filter *law_make(const char *kind, const char *settings); /* "keys=100 fpr=1%"            */
/* Adds members first .. first + n - 1 in order; the first error. */
blm_err law_add(blm_filter *f, uint64_t first, uint64_t n);
/* A filter made for `keys` keys at fpr 1 % that holds members 0 .. n - 1, by add or by the builder. */
blm_filter *law_filled(const char *kind, uint64_t keys, uint64_t n);
blm_filter *law_filled_by(const char *kind, uint64_t keys, uint64_t n, const blm_alloc *alloc);
/* By the builder: members 0 .. n - 1 in this order; NULL: as they are. */
blm_filter *law_build(const blm_config *c, const uint64_t *order, uint64_t n);
/* How many keys to plan for where each of `keys` comes `times` times: with `copies` each time takes a place, and at least
 * three times as many, because copies crowd the places of few keys. */
uint64_t law_places(const char *kind, uint64_t keys, uint64_t times);
bool law_same_cells(const blm_filter *a, const blm_filter *b); /* children too */
bool law_may_add(const blm_filter *f);
/* Bytes of the handles of f and its children, without notes; *cells: more by the bytes of their cells. */
uint64_t law_handles(const blm_filter *f, uint64_t *cells);

/* Answers to members and non-members 0 .. n - 1: has, count, get, in one number (FNV-1a). */
uint64_t law_answers(const blm_filter *f, uint64_t n);

/* Calls everything that blm_can() allows, each with some keys. Return codes are not judged: every call must
 * end, and stay inside the region. read_only: const calls alone; theory: rates as well, which can take a
 * thousand times longer than the rest. law_const_calls asks for rates too. */
void law_all_calls(blm_filter *f, bool read_only, bool theory);
void law_const_calls(const blm_filter *f);

/* ---- images ---------------------------------------------------------------------------------- */

typedef struct law_image {
    uint8_t *p;
    size_t n;
} law_image;
law_image law_save(const blm_filter *f);
law_image law_image_copy(const law_image *im, size_t n); /* the first n bytes, zeros past its end */
void law_drop(law_image *im);
bool law_same_image(const law_image *a, const law_image *b);
/* Sets all checksums right, children first, as far as the header makes sense. */
void law_repair(uint8_t *p, size_t n);
/* One number of a header, or one byte, becomes what a forger would write; law_repair comes after it. */
void law_forge(law_image *im, uint64_t *state);
/* All cells become zeros, ones, random bits, ...: the pattern is the round's remainder. */
enum { LAW_PATTERNS = 8 };
void law_paint(law_image *im, unsigned round);
/* Calls `with` on the cells of the image and of its children. */
void law_each_cells(uint8_t *p, size_t n, void (*with)(void *ctx, uint8_t *cells, size_t n),
                    void *ctx);
/* blm_load, or what a broken loader makes of it (broken.c). */
blm_err law_load(blm_filter **out, const void *p, size_t n, const blm_open_options *how,
                 blm_report *why);
extern blm_err (*law_loader)(blm_filter **out, const void *p, size_t n, const blm_open_options *how,
                             blm_report *why);

/* blm_pack and blm_delta, or what is broken in their place. */
extern blm_err (*law_packer)(const blm_filter *f, blm_sink to, void *ctx, blm_report *why);
extern blm_err (*law_differ)(const blm_filter *base, const blm_filter *f, blm_sink to, void *ctx,
                             blm_report *why);

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct law_purse { /* an allocator that counts, and fails from the nth call on */
    long left;             /* calls that still succeed; < 0: all                        */
    uint64_t max;          /* bytes of one call, more fail; 0: any                      */
    uint64_t calls, out, peak, largest;
} law_purse;
#define LAW_PURSE ((law_purse){.left = -1, .max = UINT64_C(1) << 28})
blm_alloc law_alloc(law_purse *p);

/* n bytes that end where the next byte faults; copied from p. */
typedef struct law_fence {
    void *map;
    size_t length;
    uint8_t *p;
    size_t n;
} law_fence;
law_fence law_fence_of(const void *p, size_t n);
void law_fence_lock(law_fence *f, bool writable);
void law_fence_drop(law_fence *f);
/* The process is killed by SIGVTALRM when these CPU seconds are over; 0: no limit. */
void law_limit(unsigned seconds);
/* A path for a file of this process; the caller unlinks it. */
const char *law_path(void);

/* ---- rates ------------------------------------------------------------------------------------- */

/* Filters of one size and rate whose false positives are counted. */
typedef struct law_trial {
    const char *kind;
    uint64_t keys;
    double fpr;
    uint64_t seeds;      /* filters that are probed                          */
    double hits;         /* false positives wanted, over all of them         */
    uint64_t probes_max; /* of one filter, if fewer than `hits` come of them */
    uint64_t adds_max;   /* of all filters for the mean rate, in keys                */
    uint64_t bytes_max;  /* of all filters for the mean rate; 0: no limit    */
    bool overload;       /* measure at 1.5 times the keys as well            */
} law_trial;
/* 0: the measured rates are the promised ones; else a sentence stands on stderr. A kind that is
 * law_too_large() passes. */
int law_rates_hold(const law_trial *t);
/* A few rare hits are a Poisson number, which passes mean + 4 sigma far more often than a normal one does.
 * Returns the count that it passes once in 31,000 times: 1 for a mean of 0.005, 7 for 1, 25 for 10. From 50 on: 0. */
double law_rare_max(double mean);
/* The kind wants more than 2^31 bytes. */
bool law_too_large(const law_trial *t);

/* The checks that are too long for `make test`. KIND,KNOB=WORD has been set by law_test(). */
int law_theory_sharp(const char *kind);
int law_intervals_sharp(const char *kind);
int law_theory_large(const char *kind);
int law_theory_huge(const char *kind);
int law_model_long(const char *kind);

/* ---- what the runner says ---------------------------------------------------------------------- */

/* Sets the kind under test and a word of one of its knobs, "layout=line"; "": its defaults. Every filter of
 * that kind is then made with this word. */
void law_test(const char *kind, const char *with);
const char *law_with(const char *kind);
/* "window=1000s" for the knob that takes a time; "": there is none. */
void law_timed_knob(const char *kind, char *out, size_t room);
/* Of a kind with a choice, the clock from here on is one that ticks alone move: nothing fades between an add and its count. */
void law_still(const char *kind);
/* A broken kind meets the laws that it keeps at small sizes (law_small), and the law that must catch it at
 * the sizes of `make test`, also where sanitizers would spare others the long loops (law_catches). */
extern bool law_small, law_catches;
/* Broken kinds: group "broken", named "broken-LAW" after the one law that must catch them. */
void broken_hook(const char *kind);
#endif
