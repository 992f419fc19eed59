/* rows.h - what the library promises of itself: one function for each group of rows. */
#ifndef BLM_ROWS_H
#define BLM_ROWS_H
#include <bloomery/core.h>

#include "versus.h"

/* A run of questions or adds: n keys, as numbers or hashes, `passes` times. */
typedef struct probe {
    blm_filter *f;
    const uint64_t *key;
    const blm_hash *hash;
    size_t n;
    unsigned passes;
    const blm_key *text; /* or as strings */
    bool again;          /* adds: the keys are in the filter already, which is not emptied */
} probe;
double ask_keys(void *self, uint64_t *hits);   /* batches of 64-bit keys, hashed on the way */
double ask_singly(void *self, uint64_t *hits); /* the same keys one by one */
double ask_hashes(void *self, uint64_t *hits); /* batches of hashes */
double add_hashes(void *self,
                  uint64_t *hits); /* batches of hashes into the emptied filter; hits = n */

double add_keys(void *self, uint64_t *hits);           /* batches of 64-bit keys; hits = n */
double add_singly(void *self, uint64_t *hits);         /* the same keys one by one */
double ask_strings(void *self, uint64_t *hits);        /* batches of strings */
double ask_strings_singly(void *self, uint64_t *hits); /* the same one by one */
double ask_lens(void *self, uint64_t *hits); /* 64-bit keys by a lens (bloomery/inline.h) */

uint64_t cells_of(const blm_filter *f); /* bytes */
uint64_t capacity_of(const blm_filter *f);
/* Side of a row: all of its keys are members, or none is; its filter has `inside` keys. */
versus_side members_side(double (*run)(void *, uint64_t *), probe *p);
versus_side strangers_side(double (*run)(void *, uint64_t *), probe *p, uint64_t inside);

void rows_singly(void);       /* one key at a time against batches, in cache and out of it */
void rows_adds(void);         /* batches of adds against batches of questions */
void rows_floor(void);        /* batches against random lines */
void rows_bits(void);         /* bits per key, and the rate that they buy */
void rows_counting(void);     /* counters in one line against bits in one line */
void rows_braids(void);       /* counts of a whole list, called by rows_counting */
void rows_deletes(void);      /* fingerprints against counters, and deletes in batches */
void rows_fingerprints(void); /* tables of fingerprints: batches, and bits per key */
void rows_quotient(
    void); /* a sorted table by its load, and its bits, called by rows_fingerprints */
void rows_adaptive(void); /* words that change against words that do not */
void rows_columns(void);  /* many sets side by side against one set */
void rows_window(void);   /* slices of time side by side, the tick that empties one, stamps */
void rows_growth(void);   /* a filter that grows against one of the right size */
void rows_fixed(void);    /* sets that are built once: bits, questions, builds, memory */
void rows_wire(void);     /* packing and unpacking against copying */
void rows_threads(void);  /* adding by two threads, and by four into a small filter */
#endif
