/* tally.h - counters of 2, 4, 8 or 16 bits, all those of a key in one cache line.
 *
 * A line is 64 bytes, 512 / width counters. Word i of the key's hash chooses as many of them as its
 * 64 bits hold: a place is log2(512 / width) bits, the lowest first.
 *
 *     width                    2     4     8    16
 *     counters per line      256   128    64    32
 *     bits per place           8     7     6     5
 *     places per word          8     9    10    12
 *
 * No branch depends on a counter: of non-members, each probe that could end the question
 * early is a coin, and a wrong guess costs as much as four probes.
 */
#ifndef BLM_TALLY_H
#define BLM_TALLY_H
#include <stdbool.h>
#include "core/bytes.h"
#include "core/kind.h"
#include "parts/counters.h"
#include "parts/probe.h"

enum { BLM_TALLY_BITS = 512, BLM_TALLY_BYTES = BLM_TALLY_BITS / 8 };

static inline unsigned blm_tally_place_bits(unsigned width)
{
    return 9 - (unsigned)__builtin_ctz(width);
}

/* Where the line of a key begins, in bytes. */
static inline uint64_t blm_tally_start(blm_hash h, uint64_t lines)
{
    return blm_reduce(h.lo, lines) * BLM_TALLY_BYTES;
}

/* Counter i of a key inside its line. */
static inline unsigned blm_tally_place(blm_hash h, unsigned i, unsigned width)
{
    const unsigned bits = blm_tally_place_bits(width), a_word = 64 / bits;
    return (unsigned)(blm_word(h, i / a_word) >> i % a_word * bits) & (BLM_TALLY_BITS / width - 1);
}

/* The place in the low bits of a word, as a cell of 16 bits that has it whole. */
typedef struct blm_tally_at {
    unsigned byte, shift;
} blm_tally_at;

static inline blm_tally_at blm_tally_find(uint64_t word, unsigned width)
{
    const unsigned bit = ((unsigned)word & (BLM_TALLY_BITS / width - 1)) * width;
    return (blm_tally_at){bit / 16 * 2, bit % 16};
}

/* Are all k counters above zero? v - 1 has its top bit for v = 0 alone. */
static inline bool blm_tally_has(const uint8_t *line, blm_hash h, unsigned k, unsigned width)
{
    const unsigned bits = blm_tally_place_bits(width), a_word = 64 / bits;
    const uint32_t top = (UINT32_C(1) << width) - 1;
    uint32_t zero = 0;
    for (unsigned i = 0; k; i++) {
        uint64_t word = blm_word(h, i);
        unsigned n = k < a_word ? k : a_word;
        for (k -= n; n; n--, word >>= bits) {
            const blm_tally_at at = blm_tally_find(word, width);
            zero |= ((uint32_t)blm_le16(line + at.byte) >> at.shift & top) - 1;
        }
    }
    return !(zero >> 31);
}

/* Raises the k counters by one, not past the ceiling, and each once although two probes meet in it: the
 * new value is made of the old line, so that it may be written twice. */
static inline blm_census blm_tally_add(uint8_t *line, blm_hash h, unsigned k, unsigned width)
{
    const unsigned bits = blm_tally_place_bits(width), a_word = 64 / bits;
    const uint32_t top = (UINT32_C(1) << width) - 1;
    uint8_t old[BLM_TALLY_BYTES];
    blm_census sum = {0, 0};
    memcpy(old, line, sizeof old);
    for (unsigned i = 0; k; i++) {
        uint64_t word = blm_word(h, i);
        unsigned n = k < a_word ? k : a_word;
        for (k -= n; n; n--, word >>= bits) {
            const blm_tally_at at = blm_tally_find(word, width);
            const uint32_t was = (uint32_t)blm_le16(old + at.byte) >> at.shift & top;
            const uint32_t cell = blm_le16(line + at.byte), now = cell >> at.shift & top;
            const uint32_t next = was + (was < top);
            blm_put16(line + at.byte, (uint16_t)(cell ^ (now ^ next) << at.shift));
            sum.used += now == 0;
            sum.stuck += (next == top) & (now != top);
        }
    }
    return sum;
}

/* Lowers the k counters by one, each once and none that is stuck; none of them is zero. How many are zero after it. */
static inline uint64_t blm_tally_lower(uint8_t *line, blm_hash h, unsigned k, unsigned width)
{
    const unsigned bits = blm_tally_place_bits(width), a_word = 64 / bits;
    const uint32_t top = (UINT32_C(1) << width) - 1;
    uint8_t old[BLM_TALLY_BYTES];
    uint64_t gone = 0;
    memcpy(old, line, sizeof old);
    for (unsigned i = 0; k; i++) {
        uint64_t word = blm_word(h, i);
        unsigned n = k < a_word ? k : a_word;
        for (k -= n; n; n--, word >>= bits) {
            const blm_tally_at at = blm_tally_find(word, width);
            const uint32_t was = (uint32_t)blm_le16(old + at.byte) >> at.shift & top;
            const uint32_t cell = blm_le16(line + at.byte), now = cell >> at.shift & top;
            const uint32_t next = was - (was < top);
            blm_put16(line + at.byte, (uint16_t)(cell ^ (now ^ next) << at.shift));
            gone += (next == 0) & (now != 0);
        }
    }
    return gone;
}

/* Lines and hashes for a wish. */
blm_err blm_tally_plan(const blm_config *wish, unsigned width, uint64_t *lines, unsigned *k,
                       blm_report *why);
/* How many lines the fields make, if they can be fields of lines. */
blm_err blm_tally_shape(uint64_t cells, unsigned width, uint64_t *lines, blm_report *why);
/* A non-member is as likely to fall into each line: the mean over lines of (used / counters per line)^k. */
double blm_tally_rate(const uint8_t *cells, uint64_t lines, unsigned width, unsigned k);
#endif
