/* field.c - walks over a kind's field table. */
#include <inttypes.h>
#include <string.h>

#include "core/core_internal.h"

uint64_t blm_field_get(const blm_filter *f, const blm_field *d)
{
    const char *at = (const char *)f + d->at;
    uint8_t v1;
    uint16_t v2;
    uint32_t v4;
    uint64_t v8;
    switch (d->width) {
    case 1:
        return memcpy(&v1, at, 1), v1;
    case 2:
        return memcpy(&v2, at, 2), v2;
    case 4:
        return memcpy(&v4, at, 4), v4;
    default:
        return memcpy(&v8, at, 8), v8;
    }
}

void blm_field_set(blm_filter *f, const blm_field *d, uint64_t v)
{
    char *at = (char *)f + d->at;
    const uint8_t v1 = (uint8_t)v;
    const uint16_t v2 = (uint16_t)v;
    const uint32_t v4 = (uint32_t)v;
    switch (d->width) {
    case 1:
        memcpy(at, &v1, 1);
        break;
    case 2:
        memcpy(at, &v2, 2);
        break;
    case 4:
        memcpy(at, &v4, 4);
        break;
    default:
        memcpy(at, &v, 8);
        break;
    }
}

unsigned blm_fields_version(const blm_filter *f)
{
    unsigned version = 1;
    for (size_t i = 0; i < f->kind->nfields; i++) {
        const blm_field *d = &f->kind->fields[i];
        if (d->since > version && blm_field_get(f, d) != d->min) version = d->since;
    }
    return version;
}

blm_err blm_fields_check(const blm_filter *f, blm_report *why)
{
    for (size_t i = 0; i < f->kind->nfields; i++) {
        const blm_field *d = &f->kind->fields[i];
        const uint64_t v = blm_field_get(f, d);
        if (v < d->min || v > d->max)
            return blm_fail(why, BLM_E_ARG,
                            "%s %s %" PRIu64 ": must be between %" PRIu64 " and %" PRIu64,
                            f->kind->name, d->name, v, d->min, d->max);
    }
    return BLM_OK;
}

bool blm_field_named(const blm_filter *f, const char *name, uint64_t *value)
{
    for (size_t i = 0; i < f->kind->nfields; i++)
        if (strcmp(f->kind->fields[i].name, name) == 0) {
            *value = blm_field_get(f, &f->kind->fields[i]);
            return true;
        }
    return false;
}

static blm_field_info describe(const blm_field *d, uint64_t value)
{
    return (blm_field_info){
        d->name, d->doc, value, d->min, d->max, d->width, (d->flags & BLM_F_STATE) != 0};
}

bool blm_field_at(const blm_filter *f, size_t i, blm_field_info *out)
{
    if (i >= f->kind->nfields) return false;
    *out = describe(&f->kind->fields[i], blm_field_get(f, &f->kind->fields[i]));
    return true;
}

bool blm_kind_field_at(const char *kind, size_t i, blm_field_info *out)
{
    const blm_kind *k = blm_kind_find(kind, strlen(kind));
    if (!k || i >= k->nfields) return false;
    *out = describe(&k->fields[i], 0);
    return true;
}
