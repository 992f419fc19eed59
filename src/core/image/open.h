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
} blm_opening;

blm_err blm_open_take(blm_open_options *own, const blm_open_options *given, blm_report *why);
blm_err blm_image_open(blm_filter **out, const blm_image *in, blm_opening *o, unsigned depth,
                       blm_report *why);
blm_err blm_image_take(blm_filter **out, const blm_image *in, const blm_open_options *how,
                       bool in_place, blm_report *why);
#endif
