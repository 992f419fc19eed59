/* scalable.h - which layer has what size. */
#ifndef BLM_SCALABLE_H
#define BLM_SCALABLE_H
#include "core/kind.h"

enum { BLM_SCALABLE_PARTITIONED, BLM_SCALABLE_BLOCKED }; /* the words of `inner` */
enum { BLM_SCALABLE_LAYERS = 1024 };

typedef struct blm_scalable {
    blm_filter base;
    uint64_t first;          /* n0, keys of layer 0                              */
    uint64_t halvings, step; /* log2 1/P0 and log2 1/r, in 2^-32                 */
    uint64_t max_bytes;      /* of all layers; 0: any                            */
    uint32_t factor;         /* g, in 2^-16                                      */
    uint16_t layers;         /* at most                                          */
    uint8_t inner;
} blm_scalable;

typedef struct blm_layer {
    uint64_t keys;  /* n_i                           */
    uint64_t cells; /* bits per slice, or blocks     */
    uint64_t bits;  /* of its own, not those of words */
    unsigned hashes;
} blm_layer;

/* A walk from layer 0 on. */
typedef struct blm_layer_walk {
    unsigned next;  /* its place                     */
    uint64_t keys;  /* of it, in 2^-8                */
    uint64_t bytes; /* of those before it            */
} blm_layer_walk;

blm_layer_walk blm_layer_begin(const blm_scalable *s);
/* false: there is no such layer, by `layers`, by max_bytes, or because no filter is that large. */
bool blm_layer_next(const blm_scalable *s, blm_layer_walk *w, blm_layer *out);
uint64_t blm_layer_bytes(const blm_layer *l);
bool blm_layer_at(const blm_scalable *s, unsigned i, blm_layer *out);

double blm_layer_rate(const blm_scalable *s, const blm_layer *l, double keys);
/* Asked that many keys, which no other layer takes for members, a layer has taken as many as it has room for. The rest are
 * false positives of its own: they are not counted, and since all their bits were set its rate is that of all keys asked. */
double blm_layer_full(const blm_scalable *s, const blm_layer *l);
/* As the kind's calls of these names, for *c; the layers that there are do not matter. */
blm_rate blm_scalable_rate(const blm_scalable *s, const blm_case *c);
double blm_scalable_lines(const blm_scalable *s, const blm_case *c);
uint64_t blm_scalable_bytes(const blm_filter *f, uint64_t keys);

/* Where the next key goes that no layer takes for a member. */
blm_filter *blm_scalable_active(blm_filter *f);
blm_err blm_scalable_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                              size_t more, uint8_t *fresh, size_t *done);
#endif
