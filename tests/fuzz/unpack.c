/* unpack.c - any bytes as a packed filter or a delta: rejected within their stated size, or a sound filter.
 *
 * An input that starts with the magic number is taken as it is. Of any other the first byte says what is repaired in the
 * rest, so that the fuzzer gets past the checksum: a custom mutator would have to undo what libFuzzer did.
 */
#include "fuzz/fuzz.h"
#include "uses/wire/stream.h"

#define MEMORY (1u << 20) /* for all that is made */

/* Bits of the first byte. */
enum {
    SEAL = 1,    /* magic, stream 1, checksum                             */
    SIZE = 2,    /* the size of the image, as far as the outermost header says it */
    ON_BASE = 4, /* a delta, on a base of this program                    */
    NO_KEY = 8,  /* opened without a secret, which others have            */
    CODES = 64   /* no stream: the bytes are cells, and codes of cells    */
};

static const uint8_t secret[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

/* The golden gaps.packed has this shape. */
static blm_filter *base_of_deltas(void)
{
    blm_filter *f = NULL;
    MUST(blm_make(&f, "standard keys=2000 fpr=1% seed=3", NULL) == BLM_OK);
    for (uint64_t i = 0; i < 40; i++) MUST(blm_add_u64(f, i) == BLM_OK);
    return f;
}

/* ---- repairs ---------------------------------------------------------------------------------------- */

/* What a filter without children states; with children their sizes are as the directory says. */
static void state_size(uint8_t *p, size_t n)
{
    blm_filter *f = NULL;
    uint64_t cells = 0;
    uint32_t header = blm_le32(p + STREAM_HEADER);
    if (header > n - BLM_PRELUDE - STREAM_SUM || header > BLM_HEADER_MAX) return;
    blm_head head = {.length = BLM_PRELUDE + header};
    if (blm_header_read(&f, p, &head, NULL, NULL)) return;
    if (blm_shape(f, &cells, NULL) == BLM_OK) {
        uint64_t end = blm_layout_of(head.length, cells, head.chunk_log2).end;
        for (uint32_t i = 0; i < head.nchild; i++) {
            const uint64_t bytes = blm_le64(head.children + (size_t)i * 8);
            end = blm_child_at(end, bytes) + bytes;
        }
        blm_put64(p + STREAM_IMAGE, end);
    }
    blm_free(f);
}

static void repair(uint8_t *p, size_t n, unsigned mode, const blm_filter *base)
{
    uint64_t sum = 0;
    if (n < BLM_STREAM_HEAD + STREAM_SUM) return;
    memcpy(p, blm_packed_magic, sizeof blm_packed_magic);
    blm_put16(p + STREAM_VERSION, BLM_STREAM_VERSION);
    MUST(blm_image_sum(base, &sum, NULL) == BLM_OK);
    blm_put16(p + STREAM_WHAT, mode & ON_BASE ? BLM_STREAM_DELTA : BLM_STREAM_WHOLE);
    blm_put64(p + STREAM_BASE, mode & ON_BASE ? sum : 0);
    if (mode & SIZE) state_size(p, n);
    blm_put64(p + n - STREAM_SUM, blm_checksum(p, n - STREAM_SUM, 0));
}

/* ---- what came out ----------------------------------------------------------------------------------- */

static saved stream_of(const blm_filter *base, const blm_filter *f)
{
    saved s = {NULL, 0, (size_t)blm_saved_size(f) + 16};
    s.at = malloc(s.room);
    MUST(s.at);
    MUST((base ? blm_delta(base, f, keep, &s, NULL) : blm_pack(f, keep, &s, NULL)) == BLM_OK);
    return s;
}

static void same_again(const blm_filter *f, const blm_open_options *how)
{
    blm_filter *g = NULL;
    saved s = stream_of(NULL, f);
    MUST(blm_unpack(&g, s.at, s.length, how, NULL) == BLM_OK && blm_equal(f, g));
    free(s.at);
    for (uint64_t i = 0; i < 4; i++) blm_tick(g, i), (void)(blm_add_u64(g, i) == BLM_OK);
    blm_filter *h = NULL;
    s = stream_of(f, g);
    MUST(blm_patch(&h, f, s.at, s.length, how, NULL) == BLM_OK && blm_equal(g, h));
    free(s.at);
    blm_free(g);
    blm_free(h);
}

static void is_sound(const blm_filter *f, uint64_t stated, const blm_open_options *how)
{
    saved image = image_of(f);
    MUST(image.length <= stated); /* tags that this build passes over are gone */
    MUST(blm_verify_image(image.at, image.length, NULL) == BLM_OK);
    free(image.at);
    for (uint64_t i = 0; i < 8; i++) blm_has_u64(f, i * i * i);
    same_again(f, how);
}

static void open_one(const uint8_t *p, size_t n, const blm_filter *base, unsigned mode)
{
    meter m = {.limit = 4 * MEMORY};
    const blm_alloc alloc = {meter_get, meter_put, &m};
    blm_stream_info look;
    blm_report why = {BLM_OK, ""};
    blm_filter *f = NULL;
    const blm_open_options how = {.size = sizeof how,
                                  .secret = mode & NO_KEY ? NULL : secret,
                                  .without_secret = true,
                                  .max_bytes = MEMORY,
                                  .alloc = &alloc};
    const blm_open_options again = {
        .size = sizeof again, .secret = how.secret, .without_secret = true};
    const blm_err looked = blm_stream_look(p, n, &look, NULL);
    const blm_err err =
        mode & ON_BASE ? blm_patch(&f, base, p, n, &how, &why) : blm_unpack(&f, p, n, &how, &why);
    MUST(err == why.code && !err == (f != NULL) && (!err || why.text[0]));
    MUST(!looked || err);
    if (!looked) MUST(m.max <= (look.image_bytes < MEMORY ? look.image_bytes : MEMORY) + 81920);
    if (f) is_sound(f, look.image_bytes, &again);
    blm_free(f);
    MUST(m.now == 0);
}

/* ---- codes ------------------------------------------------------------------------------------------------ */

/* Coded and decoded, the bytes are the same; as codes they are refused, or decoded inside the cells. */
static void code(const uint8_t *p, size_t n)
{
    const size_t room = 3 * n + 2048, bytes = n ? p[0] * 3u : 0;
    uint8_t *out = malloc(room), *back = malloc(n ? n : 1), *cells = malloc(bytes ? bytes : 1);
    MUST(out && back && cells);
    const size_t gaps = blm_gaps_encode(p, n, blm_ones_in(p, n), out, room);
    memset(back, 0, n);
    MUST(!gaps || (blm_gaps_decode(out, gaps, back, n) && memcmp(p, back, n) == 0));
    const size_t all = blm_bytes_encode(p, n, out, room);
    MUST(!n || (all && blm_bytes_decode(out, all, back, n) && memcmp(p, back, n) == 0));
    memset(cells, 0, bytes);
    blm_gaps_decode(p, n, cells, bytes);
    blm_bytes_decode(p, n, cells, bytes);
    free(out);
    free(back);
    free(cells);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned mode = size && data[0] != blm_packed_magic[0] ? data[0] : 0;
    const size_t n = size && mode ? size - 1 : size;
    uint8_t *exact = malloc(n ? n : 1); /* a step past the end is seen */
    MUST(exact);
    if (n) memcpy(exact, data + (size - n), n);
    if (mode & CODES)
        code(exact, n);
    else {
        blm_filter *base = base_of_deltas();
        if (mode & SEAL) repair(exact, n, mode, base);
        open_one(exact, n, base, mode);
        blm_free(base);
    }
    free(exact);
    return 0;
}
