/* open.h - what load, view and map share. */
#ifndef BLM_CORE_IMAGE_OPEN_H
#define BLM_CORE_IMAGE_OPEN_H
#include "core/image/image.h"

typedef struct
    blm_image { /* head: the first bytes, read already; bytes: all of it, perhaps mapped */
    const uint8_t *bytes;
    uint64_t length;
    const uint8_t *head;
    size_t head_length;
} blm_image;

typedef struct blm_opening {
    blm_open_options how;
    uint64_t budget; /* bytes that may still be allocated        */
    uint32_t family; /* children so far                          */
    bool in_place;   /* cells stay where they are                */
    bool quick;      /* header only: no checksums of cells       */
    bool touch_check;
    bool quiet; /* mapped and large, all of it          */
} blm_opening;

blm_err blm_open_take(blm_open_options *own, const blm_open_options *given, blm_report *why);
/* ---- one filter, in the order of the calls; children between places and end ---------------------- */
/* Limits first: fails for images above max_bytes, and gives others a budget. */
blm_err blm_open_afford(blm_opening *o, uint64_t image_bytes, blm_report *why);
/* The header at p, checked: a filter without cells, with its secret. The children that it lists are in head. */
blm_err blm_open_begin(blm_filter **out, const uint8_t *p, blm_head *head, blm_opening *o,
                       blm_report *why);
blm_err blm_open_cells(blm_filter *f, uint64_t bytes, blm_opening *o, blm_report *why); /* zeroed */
/* Places for the children, after depth and number are checked. */
blm_err blm_open_places(blm_filter *f, const blm_head *head, blm_opening *o, unsigned depth,
                        blm_report *why);
/* A parent hands its own hash to its children, whose has() trusts what core checked for the parent. */
bool blm_open_fits(const blm_filter *child, const blm_filter *parent);
void blm_open_end(blm_filter *f, const blm_opening *o);
/* Import policy: an untrusted filter that is nearly all ones answers yes to everything. It frees f then. */
blm_err blm_open_police(blm_filter **out, blm_filter *f, const blm_open_options *how,
                        blm_report *why);

/* ---- a whole image --------------------------------------------------------------------------------- */
blm_err blm_image_open(blm_filter **out, const blm_image *in, blm_opening *o, unsigned depth,
                       blm_report *why);
blm_err blm_image_take(blm_filter **out, const blm_image *in, const blm_open_options *how,
                       bool in_place, blm_report *why);
#endif
