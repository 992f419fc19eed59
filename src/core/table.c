/* table.c - the list of kinds, and what can be asked of a kind without a filter. */
#include <string.h>

#include "core/core_internal.h"

#ifndef BLM_KINDS_DEF
#define BLM_KINDS_DEF "kinds/kinds.def"
#endif

#define BLM_KIND(name) extern const blm_kind blm_kind_##name;
#include BLM_KINDS_DEF
#undef BLM_KIND

static const blm_kind *const kinds[] = {
#define BLM_KIND(name) &blm_kind_##name,
#include BLM_KINDS_DEF
#undef BLM_KIND
};

const blm_kind *blm_kind_find(const char *name, size_t len)
{
    for (size_t i = 0; i < BLM_LEN(kinds); i++)
        if (strlen(kinds[i]->name) == len && memcmp(kinds[i]->name, name, len) == 0)
            return kinds[i];
    return NULL;
}

const char *blm_kind_nearest(const char *name)
{
    const char *names[BLM_LEN(kinds)];
    for (size_t i = 0; i < BLM_LEN(kinds); i++) names[i] = kinds[i]->name;
    return blm_nearest(name, names, BLM_LEN(kinds));
}

uint32_t blm_kind_can(const blm_kind *k)
{
    uint32_t can = 0;
    if (k->add) can |= BLM_ADD;
    if (k->del) can |= BLM_DEL;
    if (k->count) can |= BLM_COUNT;
    if (k->count_all) can |= BLM_COUNT_ALL;
    if (k->get) can |= BLM_GET;
    if (k->put) can |= BLM_PUT;
    if (k->which) can |= BLM_WHICH;
    if (k->index) can |= BLM_INDEX;
    if (k->range) can |= BLM_RANGE;
    if (k->part) can |= BLM_PART;
    if (k->deny) can |= BLM_DENY;
    if (k->tick) can |= BLM_TICK;
    if (k->merge) can |= BLM_MERGE;
    if (k->intersect) can |= BLM_INTERSECT;
    if (k->subtract) can |= BLM_SUBTRACT;
    if (k->fold) can |= BLM_FOLD;
    if (k->grow) can |= BLM_GROW;
    if (k->list) can |= BLM_LIST;
    if (k->keys) can |= BLM_CARDINALITY;
    if (blm_is_built(k)) can |= BLM_BUILD;
    if (k->add_shared) can |= BLM_SHARED;
    if (k->overlap) can |= BLM_OVERLAP;
    return can;
}

static void describe(const blm_kind *k, blm_kind_info *out)
{
    *out = (blm_kind_info){
        .name = k->name,
        .group = k->group,
        .arg = k->arg.name,
        .version = k->version,
        .can = blm_kind_can(k),
        .promises = k->promises,
        .is_static = !k->add || k->built_first,
        .misses = k->fnr != NULL,
        .integers = (k->needs & BLM_NEEDS_U64) != 0,
        .bytes = (k->needs & BLM_NEEDS_BYTES) != 0,
        .nknobs = k->nknobs,
        .nlists = k->nlists,
        .clock = k->clock,
    };
}

bool blm_kind_at(size_t i, blm_kind_info *out)
{
    if (i >= BLM_LEN(kinds)) return false;
    describe(kinds[i], out);
    return true;
}

bool blm_kind_named(const char *name, blm_kind_info *out)
{
    const blm_kind *k = blm_kind_find(name, strlen(name));
    if (!k) return false;
    describe(k, out);
    return true;
}

bool blm_knob_at(const char *kind, size_t i, blm_knobdef *out)
{
    const blm_kind *k = blm_kind_find(kind, strlen(kind));
    if (!k || i >= k->nknobs) return false;
    *out = k->knobs[i];
    return true;
}
