/* wire.c - laws of streams: a packed filter comes back, a delta makes the new filter out of the old one, and nothing else
 * is taken for either. */
#include <inttypes.h>

#include "core/image/image.h"
#include "laws/laws.h"
#include "core/bytes.h"

enum { KEYS = 2500, FEW = 40, CHECKSUM = 8, RECORD_MAX = 16, SLACK = 81920 };

static bool always(const blm_kind_info *k) { return k->name != NULL; }

static blm_err append(void *ctx, const void *p, size_t n)
{
    law_image *im = ctx;
    uint8_t *more = realloc(im->p, im->n + n);
    law_need(more != NULL, "no memory for a stream", NULL);
    memcpy(more + im->n, p, n);
    im->p = more;
    im->n += n;
    return BLM_OK;
}

blm_err (*law_packer)(const blm_filter *f, blm_sink to, void *ctx, blm_report *why) = blm_pack;
blm_err (*law_differ)(const blm_filter *base, const blm_filter *f, blm_sink to, void *ctx,
                      blm_report *why) = blm_delta;

static bool same_filter(const blm_filter *f, const blm_filter *g)
{
    law_image a = law_save(f), b = law_save(g);
    const bool same = law_same_image(&a, &b);
    law_drop(&a);
    law_drop(&b);
    return same;
}

/* ---- packed -------------------------------------------------------------------------------------------- */

static int refuses(const law_image *s, size_t n, const char *what, size_t at)
{
    blm_filter *g = NULL;
    blm_report why = {BLM_OK, ""};
    law_image cut = law_image_copy(s, n); /* ends where malloc's room does */
    const blm_err err = blm_unpack(&g, cut.p, cut.n, NULL, &why);
    DEMAND(err == BLM_E_IMAGE && why.code == err, "%s at %zu: code %d, %s", what, at, err,
           why.text);
    law_drop(&cut);
    return 0;
}

static int refuses_damage(law_image *s)
{
    for (size_t n = 0; n < s->n; n += n < 256 ? 1 : 97)
        if (refuses(s, n, "cut", n)) return 1;
    if (refuses(s, s->n + 1, "a byte appended", s->n)) return 1;
    for (size_t at = 0; at < s->n; at += at < 256 ? 1 : 97) {
        s->p[at] ^= (uint8_t)(1u << at % 8);
        const int taken = refuses(s, s->n, "a flipped bit", at);
        s->p[at] ^= (uint8_t)(1u << at % 8);
        if (taken) return 1;
    }
    return 0;
}

static int comes_back(const blm_filter *f, bool damage)
{
    blm_filter *g = NULL;
    blm_report why = {BLM_OK, ""};
    blm_stream_info look;
    const uint64_t image = blm_saved_size(f);
    law_purse purse = LAW_PURSE;
    const blm_alloc alloc = law_alloc(&purse);
    law_image s = {NULL, 0};
    DEMAND(law_packer(f, append, &s, &why) == BLM_OK, "pack: %s", why.text);
    DEMAND(s.n <= image + 16, "%zu bytes packed, %" PRIu64 " as an image", s.n, image);
    DEMAND(blm_stream_look(s.p, BLM_STREAM_HEAD, &look, &why) == BLM_OK && !look.delta &&
               look.image_bytes == image,
           "its first bytes state %" PRIu64 " bytes: %s", look.image_bytes, why.text);
    DEMAND(blm_unpack(&g, s.p, s.n, BLM_OPEN(.alloc = &alloc, .max_bytes = image), &why) == BLM_OK,
           "unpack: %s", why.text);
    DEMAND(purse.peak <= image + SLACK, "%" PRIu64 " bytes for an image of %" PRIu64, purse.peak,
           image);
    DEMAND(same_filter(f, g), "packed and unpacked: another filter");
    DEMAND(law_answers(f, FEW) == law_answers(g, FEW), "an unpacked filter answers otherwise");
    blm_free(g);
    DEMAND(purse.out == 0, "unpack leaks");
    DEMAND(blm_unpack(&g, s.p, s.n, BLM_OPEN(.max_bytes = image - 1), &why) == BLM_E_ARG &&
               strstr(why.text, "limit"),
           "above the limit: %s", why.text);
    DEMAND(blm_load(&g, s.p, s.n, NULL, &why) == BLM_E_IMAGE && strstr(why.text, "unpack"),
           "loaded: %s", why.text);
    if (damage && refuses_damage(&s)) return 1;
    law_drop(&s);
    return 0;
}

static int law_packed(const char *kind)
{
    blm_filter *none = law_make(kind, "keys=2500 fpr=1%"), *few = law_filled(kind, KEYS, FEW),
               *full = law_filled(kind, KEYS, KEYS);
    blm_report why = {BLM_OK, ""};
    law_need(blm_set_note(few, "a note", &why) == BLM_OK, "note", &why);
    const int broken = comes_back(none, false) || comes_back(few, true) || comes_back(full, false);
    blm_free(none);
    blm_free(few);
    blm_free(full);
    return broken;
}

/* ---- delta ----------------------------------------------------------------------------------------------- */

/* The stream that takes `base` to f; *is_delta: it needs base. */
static int made_again(const blm_filter *base, const blm_filter *f, bool *is_delta, size_t *bytes)
{
    blm_filter *g = NULL;
    blm_report why = {BLM_OK, ""};
    blm_stream_info look = {false, 0, 0};
    law_image s = {NULL, 0}, whole = {NULL, 0};
    DEMAND(law_differ(base, f, append, &s, &why) == BLM_OK, "delta: %s", why.text);
    DEMAND(blm_pack(f, append, &whole, &why) == BLM_OK, "pack: %s", why.text);
    DEMAND(s.n <= whole.n, "a delta of %zu bytes, and packed it has %zu", s.n, whole.n);
    DEMAND(blm_stream_look(s.p, s.n, &look, &why) == BLM_OK, "look: %s", why.text);
    DEMAND(blm_patch(&g, base, s.p, s.n, NULL, &why) == BLM_OK, "patch: %s", why.text);
    DEMAND(same_filter(f, g), "base and delta: another filter");
    blm_free(g);
    if (look.delta) {
        DEMAND(blm_unpack(&g, s.p, s.n, NULL, &why) == BLM_E_MISMATCH, "without a base: %s",
               why.text);
        DEMAND(same_filter(base, f) || blm_patch(&g, f, s.p, s.n, NULL, &why) == BLM_E_MISMATCH,
               "on another base: %s", why.text);
    }
    *is_delta = look.delta;
    *bytes = s.n;
    law_drop(&s);
    law_drop(&whole);
    return 0;
}

static size_t header_of(const blm_filter *f)
{
    law_image im = law_save(f);
    const size_t n = BLM_PRELUDE + blm_le32(im.p + 12);
    law_drop(&im);
    return n;
}

/* What has not changed costs its header, and no more. */
static int same_costs_a_header(const blm_filter *f)
{
    bool is_delta;
    size_t bytes;
    if (made_again(f, f, &is_delta, &bytes)) return 1;
    const size_t most = header_of(f) + CHECKSUM + RECORD_MAX;
    DEMAND(f->nchild || !is_delta || bytes <= most, "%zu bytes for nothing, header %zu", bytes,
           most);
    return 0;
}

static int law_delta(const char *kind)
{
    blm_filter *old = law_filled(kind, KEYS, KEYS / 2), *now = NULL;
    blm_report why = {BLM_OK, ""};
    bool is_delta;
    size_t bytes;
    if (law_may_add(old)) { /* what a peer does: the same filter, some keys later */
        law_need(blm_copy(&now, old, &why) == BLM_OK, "copy", &why);
        law_need(law_add(now, KEYS / 2, FEW) == BLM_OK, "add", NULL);
    } else
        now = law_filled(kind, KEYS, KEYS / 2 + FEW);
    law_need(blm_set_note(now, "newer", &why) == BLM_OK, "note", &why);
    /* Kinds that are built whole may have got another shape for 40 keys more. */
    const bool same = blm_same_make(old, now, &why) == BLM_OK;
    law_need(same || !law_may_add(old), "the same shape", &why);
    const int broken =
        same_costs_a_header(old) || (same && made_again(old, now, &is_delta, &bytes));
    blm_free(old);
    blm_free(now);
    return broken;
}

const law laws_of_wire[] = {
    {"packed", "a packed filter comes back byte for byte, and no other bytes are taken for one",
     always, law_packed},
    {"delta", "a filter and a delta make the newer filter byte for byte, on that base alone",
     always, law_delta},
    {NULL, NULL, NULL, NULL},
};
