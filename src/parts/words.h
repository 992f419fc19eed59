/* words.h - the bits of a key in machine words: rates and batches. simd/words.h says where the bits are. */
#ifndef BLM_WORDS_H
#define BLM_WORDS_H
#include "parts/blocks.h"
#include "parts/probe.h"
#include "simd/words.h"

enum { BLM_WORDS_WIDTH = 64 }; /* most bits of a word */

/* As a kind's calls of these names. The words and the bits of 32 keys are computed together, by the best vector row. */
void blm_words_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                        size_t more, uint8_t *yes);
blm_err blm_words_add_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                           size_t more, uint8_t *fresh, size_t *done);
void blm_words_has_u64(const blm_filter *f, const uint64_t *key, size_t n, uint8_t *yes);
void blm_words_add_u64(blm_filter *f, const uint64_t *key, size_t n, uint8_t *fresh);

/* By all the cells. */
double blm_words_rate(const blm_block_bits *b);
/* with[i]: words that have i ones. */
double blm_words_rate_of(const blm_block_bits *b, const uint64_t with[BLM_WORDS_WIDTH + 1]);
#endif
