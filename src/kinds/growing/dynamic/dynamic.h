/* dynamic.h - equal layers: which of them take a key, and what they become together.
 *
 * A layer is a child with salt 0, so that a key has the same places in all of them. How many keys it has is its `adds`: calls of
 * add that it got, less the deletes.
 */
#ifndef BLM_DYNAMIC_H
#define BLM_DYNAMIC_H
#include "core/kind.h"

typedef struct blm_dynamic {
    blm_filter base;
    uint64_t cells; /* m, of a layer */
    uint8_t hashes; /* k */
    uint8_t inner;  /* a DYNAMIC_... word */
    uint32_t
        active; /* all layers before it are full, so add looks here first; it is not in the image */
} blm_dynamic;

enum { DYNAMIC_COUNTING, DYNAMIC_STANDARD };
enum { DYNAMIC_WIDTH = 4 }; /* bits of a counter */
/* An image lists 1024 children. But a handle takes some 100 bytes more than the header that an image has for it, and an image may
 * take 80 KiB more than its own size to load. */
enum { DYNAMIC_LAYERS = 512 };

/* Layers with no key, n of them or none. FULL or NOMEM: nothing has changed. */
blm_err blm_dynamic_append(blm_filter *f, uint32_t n, blm_report *why);
/* The first layer with room, or a new one. An error: nothing has changed. */
blm_err blm_dynamic_room(blm_filter *f, uint32_t *layer);
/* The share of the members of which a delete is sure, as the layers are. */
double blm_dynamic_sure(const blm_filter *f);
/* Deletes the key from layer i, unless that says no. Where there are fewer layers after it, two have become one. */
blm_err blm_dynamic_del_from(blm_filter *f, uint32_t i, blm_hash h, const blm_item *it);

/* As the kind's calls of these names. */
blm_err blm_dynamic_merge(blm_filter *f, const blm_filter *g, blm_report *why);
blm_err blm_dynamic_del(blm_filter *f, blm_hash h, const blm_item *it);
blm_err blm_dynamic_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                             size_t more, uint8_t *fresh, size_t *done);
blm_err blm_dynamic_del_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                             size_t more, uint8_t *absent, size_t *done);
blm_err blm_dynamic_count_many(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                               blm_estimate *times);
#endif
