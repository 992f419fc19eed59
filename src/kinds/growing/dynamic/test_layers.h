/* test_layers.h - what the tests of layers share. */
#ifndef BLM_TEST_LAYERS_H
#define BLM_TEST_LAYERS_H
#include "kinds/counters.h"

static inline uint64_t keys_in(const blm_filter *f, uint32_t layer)
{
    return f->child[layer]->adds;
}

#endif
