/* foreign.h - one row per format of other programs: how a filter is read out of it, and written. */
#ifndef BLM_FOREIGN_H
#define BLM_FOREIGN_H
#include <bloomery/interop.h>

#include "core/core_internal.h"

typedef struct blm_format {
    blm_foreign about;
    unsigned width; /* bits of a cell */
    /* Sets the fields of f, which is blank; the cells are at *at to *end. Fails with IMAGE. */
    blm_err (*head)(blm_filter *f, const struct blm_format *format, const uint8_t *p, size_t n,
                    size_t *at, size_t *end, blm_report *why);
    /* The bytes before the cells of f; returns how many, at most BLM_FOREIGN_HEAD. */
    size_t (*put_head)(const blm_filter *f, uint64_t seed, uint8_t *p);
} blm_format;

enum { BLM_FOREIGN_HEAD = 32 };

/* A field by its name. */
uint64_t blm_foreign_get(const blm_filter *f, const char *field);
void blm_foreign_set(blm_filter *f, const char *field, uint64_t v);

/* xor_fuse.c */
blm_err blm_foreign_xor_head(blm_filter *f, const blm_format *format, const uint8_t *p, size_t n,
                             size_t *at, size_t *end, blm_report *why);
size_t blm_foreign_xor_put(const blm_filter *f, uint64_t seed, uint8_t *p);
blm_err blm_foreign_fuse_head(blm_filter *f, const blm_format *format, const uint8_t *p, size_t n,
                              size_t *at, size_t *end, blm_report *why);
size_t blm_foreign_fuse_put(const blm_filter *f, uint64_t seed, uint8_t *p);
#endif
