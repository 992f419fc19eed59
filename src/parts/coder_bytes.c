/* coder_bytes.c - bytes by their frequencies: range asymmetric numeral systems (Duda 2013).
 *
 * A state x of 64 bits holds the bytes that are coded so far. A byte that comes f times in 2^n takes it to
 *
 *     x = (x / f) * 2^n + first + x % f          which is log2(2^n / f) bits longer
 *
 * and the decoder finds the byte by x % 2^n, whose place among the frequencies it is. A state stays in
 * [2^31, 2^63): before it would leave, its low 32 bits go out as a word. Four states take turns, byte i being in state
 * i % 4, so that four chains of arithmetic run side by side. What is encoded last is decoded first: the encoder
 * goes from the last byte to the first and fills its room from the end.
 *
 *     byte      n: frequencies sum to 2^n, 9 to 16
 *     bits      256 frequencies f, each as f + 1 by Elias' gamma code: as many zeros as it has bits after its highest
 *               one, that one, those bits; zeros up to a byte
 *     4 * 8     the states
 *     4 * ...   the words, in the order in which the decoder wants them
 *
 * Every byte that occurs has a frequency of at least 1. n is near log2 of the bytes: what occurs once in a
 * million bytes costs 16 bits instead of 20, and all others 0.1 % more.
 */
#include "core/mul128.h"
#include "parts/coder.h"

enum {
    SYMBOLS = 256,
    STATES = 4,
    SCALE_MIN = 9,
    SCALE_MAX = 16,
    STATES_BYTES = STATES * 8,
    WORDS_BYTES = STATES * 4
};
#define LOWEST   (UINT64_C(1) << 31)
#define HEAD_MAX (1 + SYMBOLS * (2 * SCALE_MAX + 1) / 8 + 1)

/* ---- frequencies -------------------------------------------------------------------------------------- */

typedef struct frequencies {
    uint32_t f[SYMBOLS];
} frequencies;

/* Four tables: equal bytes in a row would wait for each other's sum. */
static void count(const uint8_t *p, size_t n, frequencies *of)
{
    uint32_t part[4][SYMBOLS] = {{0}};
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        const uint64_t w = blm_le64(p + i);
        for (unsigned j = 0; j < 4; j++) part[j][w >> 8 * j & 255]++;
        for (unsigned j = 0; j < 4; j++) part[j][w >> (8 * j + 32) & 255]++;
    }
    for (; i < n; i++) part[0][p[i]]++;
    for (unsigned s = 0; s < SYMBOLS; s++)
        of->f[s] = part[0][s] + part[1][s] + part[2][s] + part[3][s];
}

static unsigned scale_for(size_t n)
{
    unsigned scale = SCALE_MIN;
    while (scale < SCALE_MAX && n >> (scale + 1)) scale++;
    return scale;
}

/* From counts of n bytes, n > 0, to frequencies that sum to 2^scale. What rounding leaves over is the most frequent
 * byte's: it has enough of it, as there are at most 256 roundings by a half and it has 1/256 of 2^scale, or more. */
static void normalize(frequencies *of, size_t n, unsigned scale)
{
    uint32_t sum = 0;
    unsigned most = 0;
    for (unsigned s = 0; s < SYMBOLS; s++) {
        const uint64_t exact = ((uint64_t)of->f[s] << (scale + 1)) / n; /* twice */
        if (of->f[s]) of->f[s] = exact < 2 ? 1 : (uint32_t)((exact + 1) / 2);
        if (of->f[s] > of->f[most]) most = s;
        sum += of->f[s];
    }
    for (; sum > UINT32_C(1) << scale;
         sum--) { /* many rare bytes that count 1: from the largest, one by one */
        of->f[most]--;
        for (unsigned s = 0; s < SYMBOLS; s++)
            if (of->f[s] > of->f[most]) most = s;
    }
    of->f[most] += (UINT32_C(1) << scale) - sum;
}

static size_t put_frequencies(const frequencies *of, unsigned scale, uint8_t *out)
{
    blm_bit_writer w = {.p = out, .room = HEAD_MAX, .at = 1};
    out[0] = (uint8_t)scale;
    for (unsigned s = 0; s < SYMBOLS; s++) {
        const uint32_t v = of->f[s] + 1;
        const unsigned more = 31u - (unsigned)__builtin_clz(v);
        blm_bits_put(&w, UINT64_C(1) << more, more + 1);
        blm_bits_put(&w, v & ((UINT32_C(1) << more) - 1), more);
    }
    return blm_bits_end(&w);
}

/* Returns the bytes that were read; 0: they are no table. */
static size_t get_frequencies(const uint8_t *in, size_t n, frequencies *of, unsigned *scale)
{
    uint64_t sum = 0;
    if (!n || in[0] < SCALE_MIN || in[0] > SCALE_MAX) return 0;
    *scale = in[0];
    blm_bit_reader r = {.p = in + 1, .n = n - 1 < HEAD_MAX ? n - 1 : HEAD_MAX};
    for (unsigned s = 0; s < SYMBOLS && !r.over; s++) {
        const uint64_t more = blm_bits_get_zeros(&r);
        if (more > SCALE_MAX) return 0;
        of->f[s] = (uint32_t)(blm_bits_get(&r, (unsigned)more) + (UINT64_C(1) << more) - 1);
        sum += of->f[s];
    }
    if (r.over || sum != UINT64_C(1) << *scale || (r.held & ((1u << r.bits % 8) - 1))) return 0;
    return 1 + r.at - r.bits / 8;
}

/* ---- encoding ------------------------------------------------------------------------------------------- */

/* x / f is high(x, inverse) >> shift, exactly, for x < 2^63: a division would take ten times as long. For f = 1 the
 * product gives x - 1, which `first` makes up for. */
typedef struct coding {
    uint64_t limit;   /* x from here on gives up a word first */
    uint64_t inverse; /* ceil(2^(63 + ceil(log2 f)) / f)      */
    uint32_t first, rest, shift;
} coding;

static coding coding_of(uint32_t f, uint32_t first, unsigned scale)
{
    coding c = {.limit = (LOWEST >> scale << 32) * f,
                .rest = (UINT32_C(1) << scale) - f,
                .first = first,
                .inverse = UINT64_MAX};
    if (f < 2) {
        c.first = first + (UINT32_C(1) << scale) - 1;
        return c;
    }
    const unsigned up = 32u - (unsigned)__builtin_clz(f - 1);
    const uint64_t high = UINT64_C(1) << (up + 31); /* the division, in two halves */
    c.inverse = ((high % f << 32) + f - 1) / f + (high / f << 32);
    c.shift = up - 1;
    return c;
}

static inline uint64_t encode(uint64_t x, const coding *c, uint8_t **out)
{
    const uint64_t full = x >= c->limit;
    blm_put32(*out - 4, (uint32_t)x); /* stays there if it was full */
    *out -= 4 * full;
    x >>= 32 * full;
    return x + c->first + (blm_mul(x, c->inverse).hi >> c->shift) * c->rest;
}

static void codings_of(const frequencies *of, unsigned scale, coding *c)
{
    for (uint32_t s = 0, first = 0; s < SYMBOLS; first += of->f[s++])
        c[s] = coding_of(of->f[s], first, scale);
}

/* From the last byte to the first; returns where the words begin, or NULL: they would come below `floor`. */
static uint8_t *encode_all(const uint8_t *p, size_t n, const coding *c, uint64_t x[STATES],
                           uint8_t *floor, uint8_t *out)
{
    uint64_t a = LOWEST, b = LOWEST, d = LOWEST, e = LOWEST;
    uint64_t *const last[STATES] = {&a, &b, &d, &e};
    for (; n % STATES; n--) {
        if (out - floor < 4) return NULL;
        *last[(n - 1) % STATES] = encode(*last[(n - 1) % STATES], &c[p[n - 1]], &out);
    }
    for (; n; n -= STATES) {
        if (out - floor < WORDS_BYTES) return NULL;
        const uint32_t w = blm_le32(p + n - STATES);
        e = encode(e, &c[w >> 24], &out);
        d = encode(d, &c[w >> 16 & 255], &out);
        b = encode(b, &c[w >> 8 & 255], &out);
        a = encode(a, &c[w & 255], &out);
    }
    for (unsigned i = 0; i < STATES; i++) x[i] = *last[i];
    return out;
}

size_t blm_bytes_encode(const uint8_t *cells, size_t bytes, uint8_t *out, size_t room)
{
    frequencies of;
    coding c[SYMBOLS];
    uint8_t head[HEAD_MAX + 8];
    uint64_t x[STATES];
    if (!bytes || bytes > BLM_CODER_MAX) return 0;
    const unsigned scale = scale_for(bytes);
    count(cells, bytes, &of);
    normalize(&of, bytes, scale);
    const size_t n = put_frequencies(&of, scale, head);
    if (room < n + STATES_BYTES) return 0;
    codings_of(&of, scale, c);
    uint8_t *const body = out + n + STATES_BYTES;
    const uint8_t *words = encode_all(cells, bytes, c, x, body, out + room);
    if (!words) return 0;
    const size_t length = (size_t)(out + room - words);
    memmove(body, words, length);
    memcpy(out, head, n);
    for (size_t i = 0; i < STATES; i++) blm_put64(out + n + 8 * i, x[i]);
    return n + STATES_BYTES + length;
}

/* ---- decoding ----------------------------------------------------------------------------------------------- */

typedef struct decoding {
    uint8_t symbol[1 << SCALE_MAX]; /* of each place among the frequencies */
    struct {
        uint32_t f, first;
    } of[SYMBOLS];
    unsigned scale;
} decoding;

static size_t decoding_of(decoding *d, const uint8_t *in, size_t n)
{
    frequencies of;
    const size_t length = get_frequencies(in, n, &of, &d->scale);
    if (!length) return 0;
    for (uint32_t s = 0, first = 0; s < SYMBOLS; first += of.f[s++]) {
        d->of[s].f = of.f[s];
        d->of[s].first = first;
        memset(d->symbol + first, (int)s, of.f[s]);
    }
    return length;
}

static inline uint64_t decode(uint64_t x, const decoding *d, uint64_t mask, uint8_t *out)
{
    const uint64_t place = x & mask;
    const uint8_t s = d->symbol[place];
    *out = s;
    return d->of[s].f * (x >> d->scale) + place - d->of[s].first;
}

/* There are four more bytes of words. Without a branch: which state is low is a matter of chance, and a branch would be
 * guessed wrongly at each word: 528 instead of 633 MB/s at a fill of 30 %. */
static inline uint64_t refill(uint64_t x, const uint8_t **in)
{
    const uint64_t low = (x - LOWEST) >> 63; /* x is below 2^63 */
    *in += 4 * low;
    return x << 32 * low | (blm_le32(*in - 4 * low) & (0 - low));
}

/* A group of four at a time while there are words for all of them. Returns how many bytes it has decoded. */
static size_t decode_groups(const decoding *d, uint64_t x[STATES], const uint8_t **words,
                            const uint8_t *end, uint8_t *cells, size_t bytes)
{
    uint64_t a = x[0], b = x[1], c = x[2], e = x[3];
    const uint64_t mask = (UINT64_C(1) << d->scale) - 1;
    const uint8_t *in = *words;
    size_t i = 0;
    for (; bytes - i >= STATES && end - in >= WORDS_BYTES; i += STATES) {
        a = decode(a, d, mask, cells + i);
        b = decode(b, d, mask, cells + i + 1);
        c = decode(c, d, mask, cells + i + 2);
        e = decode(e, d, mask, cells + i + 3);
        a = refill(a, &in);
        b = refill(b, &in);
        c = refill(c, &in);
        e = refill(e, &in);
    }
    x[0] = a, x[1] = b, x[2] = c, x[3] = e;
    *words = in;
    return i;
}

bool blm_bytes_decode(const uint8_t *in, size_t n, uint8_t *cells, size_t bytes)
{
    decoding d;
    uint64_t x[STATES];
    const size_t head = decoding_of(&d, in, n);
    if (!head || n - head < STATES_BYTES) return false;
    const uint8_t *words = in + head + STATES_BYTES, *const end = in + n;
    for (size_t i = 0; i < STATES; i++) {
        x[i] = blm_le64(in + head + 8 * i);
        if (x[i] < LOWEST || x[i] >> 63) return false;
    }
    const uint64_t mask = (UINT64_C(1) << d.scale) - 1;
    for (size_t i = decode_groups(&d, x, &words, end, cells, bytes); i < bytes; i++) {
        x[i % STATES] = decode(x[i % STATES], &d, mask, cells + i);
        if (x[i % STATES] >= LOWEST) continue;
        if (end - words < 4) return false;
        x[i % STATES] = refill(x[i % STATES], &words);
    }
    for (unsigned i = 0; i < STATES; i++)
        if (x[i] != LOWEST) return false;
    return words == end;
}
