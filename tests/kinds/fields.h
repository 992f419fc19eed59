/* fields.h - fields as no plan would set them, for tests of what shape() refuses. */
#ifndef BLM_TESTS_FIELDS_H
#define BLM_TESTS_FIELDS_H
#include "core/core_internal.h"
#include "core/unit.h"

static inline void set_field(blm_filter *f, const char *name, uint64_t value)
{
    for (size_t i = 0; i < f->kind->nfields; i++)
        if (strcmp(f->kind->fields[i].name, name) == 0)
            blm_field_set(f, &f->kind->fields[i], value);
}
#endif
