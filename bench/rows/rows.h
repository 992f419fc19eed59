/* rows.h - what the library promises of itself, a group of rows a function. */
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
} probe;
double ask_keys(void *self, uint64_t *hits);   /* batches of 64-bit keys, hashed inside */
double ask_singly(void *self, uint64_t *hits); /* the same keys one by one */
double ask_hashes(void *self, uint64_t *hits); /* batches of hashes */
double add_hashes(void *self,
                  uint64_t *hits); /* batches of hashes into the emptied filter; hits = n */

uint64_t cells_of(const blm_filter *f); /* bytes */
/* Side of a row: all of its keys are members, or all are strangers to the `inside` keys of its filter. */
versus_side members_side(double (*run)(void *, uint64_t *), probe *p);
versus_side strangers_side(double (*run)(void *, uint64_t *), probe *p, uint64_t inside);

void rows_singly(void);   /* batches against one by one, far out of cache */
void rows_floor(void);    /* batches against random lines */
void rows_bits(void);     /* bits a key, and the rate that they buy */
void rows_counting(void); /* counters in one line against bits in one line */
void rows_deletes(void);  /* fingerprints against counters, and deletes in batches */
void rows_adaptive(void); /* words that change against words that do not */
void rows_threads(void);  /* adding by two threads, and by four into a small filter */
#endif
