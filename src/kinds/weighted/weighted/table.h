/* table.h - the classes of a weighted filter: from the lists of a wish to the k of each. */
#ifndef BLM_WEIGHTED_TABLE_H
#define BLM_WEIGHTED_TABLE_H
#include "parts/classes.h"
#include "parts/flat.h"

enum { WEIGHTED_CLASSES = 16 };
enum { WEIGHTED_ASKED, WEIGHTED_SIZE, WEIGHTED_HELD, WEIGHTED_LISTS };

typedef struct blm_weighted {
    blm_flat flat;   /* hashes: those of a mean member, rounded */
    uint8_t classes; /* how many; what follows is 0 from there on */
    uint8_t k[WEIGHTED_CLASSES];
    uint32_t asked[WEIGHTED_CLASSES]; /* share of the queries for non-members, in 2^-32 */
    uint32_t held[WEIGHTED_CLASSES];  /* share of the members                           */
} blm_weighted;

/* Reads the lists, "99:1" or NULL, and sets classes, asked and held. */
blm_err blm_weighted_read(blm_weighted *w, const char *const lists[WEIGHTED_LISTS],
                          blm_report *why);
/* Have all classes the same k? */
bool blm_weighted_even(const blm_weighted *w);
/* The table as the part takes it; returns how many classes there are. */
size_t blm_weighted_table(const blm_weighted *w, blm_class out[WEIGHTED_CLASSES]);
/* Sets the best k of each class for that many bits, and flat.hashes. mean: hashes of a mean member; 0: the best. */
void blm_weighted_choose(blm_weighted *w, uint64_t cells, uint64_t keys, unsigned mean);
/* All k become that of standard. */
void blm_weighted_flatten(blm_weighted *w, unsigned k);
/* Do the fields belong together? */
bool blm_weighted_sound(const blm_weighted *w);
#endif
