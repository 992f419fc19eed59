/* test_digests.h - MD5, SHA-1 and CRC-32, for the worked example of the survey and for nothing else.
 *
 * Short texts only: one or two blocks of 64 bytes. Straight from RFC 1321, RFC 3174 and IEEE 802.3.
 */
#ifndef BLM_TESTS_DIGESTS_H
#define BLM_TESTS_DIGESTS_H
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t turn(uint32_t x, unsigned by) { return x << by | x >> (32 - by); }

/* The text, a one bit, zeros, and its length in bits in the last 8 bytes. Returns the blocks. */
static inline unsigned padded(uint8_t out[128], const char *text, size_t len, int big_endian)
{
    const unsigned blocks = len + 9 > 64 ? 2 : 1;
    memset(out, 0, 128);
    memcpy(out, text, len);
    out[len] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        out[blocks * 64 - 8 + i] = (uint8_t)((uint64_t)len * 8 >> 8 * (big_endian ? 7 - i : i));
    return blocks;
}

static inline uint32_t word_at(const uint8_t *p, int big_endian)
{
    uint32_t w = 0;
    for (unsigned i = 0; i < 4; i++) w |= (uint32_t)p[i] << 8 * (big_endian ? 3 - i : i);
    return w;
}

static inline void md5_block(uint32_t s[4], const uint8_t *p)
{
    static const unsigned turns[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t a = s[0], b = s[1], c = s[2], d = s[3];
    for (unsigned i = 0; i < 64; i++) {
        uint32_t mixed;
        unsigned from;
        switch (i / 16) {
        case 0:
            mixed = (b & c) | (~b & d), from = i;
            break;
        case 1:
            mixed = (d & b) | (~d & c), from = (5 * i + 1) % 16;
            break;
        case 2:
            mixed = b ^ c ^ d, from = (3 * i + 5) % 16;
            break;
        default:
            mixed = c ^ (b | ~d), from = 7 * i % 16;
        }
        const uint32_t sine = (uint32_t)(fabs(sin(i + 1.0)) * 4294967296.0);
        const uint32_t sum = a + mixed + sine + word_at(p + 4 * from, 0);
        a = d, d = c, c = b, b += turn(sum, turns[i / 16][i % 4]);
    }
    s[0] += a, s[1] += b, s[2] += c, s[3] += d;
}

static inline void md5(const char *text, size_t len, uint8_t out[16])
{
    uint8_t blocks[128];
    uint32_t s[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const unsigned n = padded(blocks, text, len, 0);
    for (unsigned i = 0; i < n; i++) md5_block(s, blocks + 64 * i);
    for (unsigned i = 0; i < 16; i++) out[i] = (uint8_t)(s[i / 4] >> 8 * (i % 4));
}

static inline void sha1_block(uint32_t s[5], const uint8_t *p)
{
    uint32_t w[80], a = s[0], b = s[1], c = s[2], d = s[3], e = s[4];
    for (unsigned i = 0; i < 16; i++) w[i] = word_at(p + 4 * i, 1);
    for (unsigned i = 16; i < 80; i++) w[i] = turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (unsigned i = 0; i < 80; i++) {
        static const uint32_t constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
        const uint32_t mixed = i < 20              ? (b & c) | (~b & d)
                               : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
                                                   : b ^ c ^ d;
        const uint32_t sum = turn(a, 5) + mixed + e + constants[i / 20] + w[i];
        e = d, d = c, c = turn(b, 30), b = a, a = sum;
    }
    s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e;
}

static inline void sha1(const char *text, size_t len, uint8_t out[20])
{
    uint8_t blocks[128];
    uint32_t s[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    const unsigned n = padded(blocks, text, len, 1);
    for (unsigned i = 0; i < n; i++) sha1_block(s, blocks + 64 * i);
    for (unsigned i = 0; i < 20; i++) out[i] = (uint8_t)(s[i / 4] >> 8 * (3 - i % 4));
}

static inline uint32_t crc32(const char *text, size_t len)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < len; i++) {
        crc ^= (uint8_t)text[i];
        for (unsigned bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}
#endif
