/* coder.h - cells in fewer bytes: gaps between ones by Golomb's code, or bytes by their frequencies (rANS).
 *
 * Which one is smaller depends on the cells. Gaps are best for few ones, as they need no table: within 0.7 % of
 * m H(p) below p = 0.1. Bytes are best for all else, within 0.2 % of the entropy of the bytes; a Huffman code
 * cannot give a byte less than one bit, and a byte of a filter that is 1 % full has 0.65.
 *
 * Encoders write at most `room` bytes and return how many, or 0 when that is too little: room below what is already
 * had means "only if smaller". Decoders take any bytes: they stay inside both buffers, end after as many steps as
 * the cells have bits, and say false when the code does not end exactly where its bytes do. The same cells give the same
 * code on every machine.
 */
#ifndef BLM_PARTS_CODER_H
#define BLM_PARTS_CODER_H
#include "parts/bitio.h"

#define BLM_CODER_MAX ((size_t)1 << 24) /* bytes of cells in one call */

/* Ones among the cells. */
uint64_t blm_ones_in(const uint8_t *cells, size_t bytes);

/* ones: how many there are among the cells. Golomb's m and the number of ones come first, by varints. */
size_t blm_gaps_encode(const uint8_t *cells, size_t bytes, uint64_t ones, uint8_t *out,
                       size_t room);
/* The cells are zero when it begins; after false they are undefined. */
bool blm_gaps_decode(const uint8_t *in, size_t n, uint8_t *cells, size_t bytes);

/* A table of frequencies, four states, and words of 32 bits. */
size_t blm_bytes_encode(const uint8_t *cells, size_t bytes, uint8_t *out, size_t room);
bool blm_bytes_decode(const uint8_t *in, size_t n, uint8_t *cells, size_t bytes);

/* Numbers of any size, 7 bits per byte, low bits first; the high bit says that more follow. One way to write each. */
#define BLM_VARINT_MAX 10u
size_t blm_varint_put(uint8_t *p, uint64_t v); /* returns the bytes, at most BLM_VARINT_MAX */
/* Returns the bytes read; 0: it is cut, longer than it needs to be, or above 2^64 - 1. */
size_t blm_varint_get(const uint8_t *p, size_t n, uint64_t *v);
#endif
