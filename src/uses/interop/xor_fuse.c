/* xor_fuse.c - xor and fuse filters as the C library xor_singleheader serializes them.
 *
 *     xor8, xor16     u64 seed, u64 cells of a block, then three blocks
 *     fuse8, fuse16   u64 seed, u32 keys, u32 L, u32 segments in which a key may begin, u32 cells in these, u32 cells,
 *                     then the cells, and after those of fuse16 at times 4 bytes that nothing is written to: the
 *                     library counts a number that it does not write. They are not kept
 *
 * Numbers are little-endian. Our places within a shard are theirs, so that cells are copied as they are. The number of
 * keys of an xor filter is not told: it is read off the size, which n keys have as 32 + 1.23 n cells in three blocks.
 */
#include <inttypes.h>

#include "core/bytes.h"
#include "uses/interop/foreign.h"

enum { XOR_HEAD = 16, FUSE_HEAD = 28, FUSE_LOG_MAX = 18, FUSE16_SPARE = 4 };

static blm_err no_such(blm_report *why, const blm_format *format, const char *what)
{
    return blm_fail(why, BLM_E_IMAGE, "not a filter of format %s: %s", format->about.name, what);
}

static blm_err check_length(const blm_format *format, size_t n, uint64_t want, size_t *end,
                            blm_report *why)
{
    *end = (size_t)want;
    return n == want
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE,
                          "not a filter of format %s: %zu bytes, its header asks for %" PRIu64,
                          format->about.name, n, want);
}

/* ---- xor ------------------------------------------------------------------------------------- */

/* As many keys as have blocks of this size, at most. */
static uint64_t keys_of_block(uint64_t block)
{
    const uint64_t cells = 3 * block + 2;
    return cells < 33 ? 0 : ((cells - 32) * 100 + 99) / 123;
}

blm_err blm_foreign_xor_head(blm_filter *f, const blm_format *format, const uint8_t *p, size_t n,
                             size_t *at, size_t *end, blm_report *why)
{
    if (n < XOR_HEAD) return no_such(why, format, "it ends inside the header");
    const uint64_t block = blm_le64(p + 8);
    if (!block || block > UINT32_MAX) return no_such(why, format, "the size of its blocks");
    const uint64_t keys = keys_of_block(block);
    blm_foreign_set(f, "block", block);
    blm_foreign_set(f, "members", keys);
    f->adds = keys;
    *at = XOR_HEAD;
    return check_length(format, n, XOR_HEAD + 3 * block * format->width / 8, end, why);
}

size_t blm_foreign_xor_put(const blm_filter *f, uint64_t seed, uint8_t *p)
{
    blm_put64(p, seed);
    blm_put64(p + 8, blm_foreign_get(f, "block"));
    return XOR_HEAD;
}

/* ---- fuse ------------------------------------------------------------------------------------ */

blm_err blm_foreign_fuse_head(blm_filter *f, const blm_format *format, const uint8_t *p, size_t n,
                              size_t *at, size_t *end, blm_report *why)
{
    if (n < FUSE_HEAD) return no_such(why, format, "it ends inside the header");
    const uint64_t keys = blm_le32(p + 8), length = blm_le32(p + 12), segments = blm_le32(p + 16),
                   begin = blm_le32(p + 20), cells = blm_le32(p + 24);
    if (!length || length & (length - 1) || length < 4 || length > 1u << FUSE_LOG_MAX)
        return no_such(why, format, "the length of its segments is no power of 2 from 4 to 2^18");
    if (!segments || segments * length != begin || begin + 2 * length != cells)
        return no_such(why, format, "its segments and cells contradict each other");
    blm_foreign_set(f, "arity", 3);
    blm_foreign_set(f, "segment", (uint64_t)__builtin_ctzll(length));
    blm_foreign_set(f, "segments", segments);
    blm_foreign_set(f, "members", keys);
    f->adds = keys;
    *at = FUSE_HEAD;
    const uint64_t want = FUSE_HEAD + cells * format->width / 8;
    const bool spare = format->width == 16 && n == want + FUSE16_SPARE;
    return check_length(format, spare ? (size_t)want : n, want, end, why);
}

size_t blm_foreign_fuse_put(const blm_filter *f, uint64_t seed, uint8_t *p)
{
    const uint64_t segments = blm_foreign_get(f, "segments"),
                   length = UINT64_C(1) << blm_foreign_get(f, "segment");
    blm_put64(p, seed);
    blm_put32(p + 8, (uint32_t)blm_foreign_get(f, "members"));
    blm_put32(p + 12, (uint32_t)length);
    blm_put32(p + 16, (uint32_t)segments);
    blm_put32(p + 20, (uint32_t)(segments * length));
    blm_put32(p + 24, (uint32_t)((segments + 2) * length));
    return FUSE_HEAD;
}
