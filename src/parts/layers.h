/* layers.h - filters in a row: a key is in one of them, and all are asked.
 *
 *      | layer 0 | layer 1 |   layer 2   | ... |     newest     |       asked from the newest on: it has the most keys
 *
 * The layers are the children of a filter, each with a salt of its own or all with none. A batch asks the newest layer for
 * all keys, and every older one only for those that are still at "no". What reads may meet children of any kind and
 * state: an image may be mapped unchecked.
 */
#ifndef BLM_LAYERS_H
#define BLM_LAYERS_H
#include "core/kind.h"

/* As the kind's calls of these names. */
bool blm_layers_has(const blm_filter *f, blm_hash h, const blm_item *it);
void blm_layers_prefetch_many(const blm_filter *f, const blm_hash *h, size_t n);
void blm_layers_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                         size_t more, uint8_t *yes);
size_t blm_layers_touch(const blm_filter *f, blm_hash h, const blm_item *it, blm_touch *out,
                        size_t cap);
double blm_layers_fill(const blm_filter *f); /* of all cells of all layers */
uint64_t blm_layers_room(const blm_filter *f);
/* 1 - (1 - p0) (1 - p1) ... by the fills of the layers. */
blm_rate blm_layers_rate(const blm_filter *f);
/* Cache lines for a non-member, which asks all of them, by their fills. */
double blm_layers_lines(const blm_filter *f);
/* The keys of layer i, by its fill, or by its adds where the kind does not tell. */
blm_estimate blm_layers_keys_of(const blm_filter *f, uint32_t i);
#endif
