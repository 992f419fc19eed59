/* lru.h - a disk cache that evicts what was asked for longest ago, exactly; only its index, no bytes of objects. */
#ifndef BLM_CLI_LRU_H
#define BLM_CLI_LRU_H
#include "cli.h"

typedef struct lru lru;

typedef struct lru_sum {
    uint64_t objects, max_objects; /* on the disk: now, and at any time             */
    uint64_t written, room_taken;  /* puts, and their sizes together                */
    uint64_t read;                 /* puts that were asked for before they had to go */
    uint64_t bytes;                /* of memory, at any time                        */
} lru_sum;

/* A disk of that much room, in at most ram bytes of memory. NULL: no memory. */
lru *lru_new(uint64_t room, uint64_t ram);
void lru_free(lru *c);
/* Is the object on the disk? If so, it is the last one to go from now on. */
bool lru_ask(lru *c, uint64_t key);
/* Writes an object that is not on the disk and not larger than it; the oldest ones go until it fits. False: no memory,
 * or more than ram; nothing has changed. */
bool lru_put(lru *c, uint64_t key, uint64_t size);
lru_sum lru_sums(const lru *c);
#endif
