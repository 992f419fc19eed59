/* load.c - bytes back into a filter: copied (load) or in place (view, map).
 *
 * Nothing is allocated by a number out of the bytes until that number agrees with the length in
 * hand. shape() is the same function that new runs: there is no second opinion on size.
 */
#include <inttypes.h>
#include <string.h>

#include "core/image/open.h"
#include "core/bytes.h"

void blm_open_init(blm_open_options *o)
{
    memset(o, 0, sizeof *o);
    o->size = sizeof *o;
}

blm_err blm_open_take(blm_open_options *own, const blm_open_options *given, blm_report *why)
{
    memset(own, 0, sizeof *own);
    if (!given) return BLM_OK;
    if (given->size < offsetof(blm_open_options, without_secret) || given->size > 4096)
        return blm_fail(
            why, BLM_E_ARG,
            "blm_open_options of %zu bytes: set size with BLM_OPEN() or blm_open_init()",
            given->size);
    memcpy(own, given, given->size < sizeof *own ? given->size : sizeof *own);
    return BLM_OK;
}

static bool all_zero(const uint8_t *p, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (p[i]) return false;
    return true;
}

static blm_err check_cells(const blm_filter *f, const uint8_t *image, const blm_layout *l,
                           const blm_head *head, blm_report *why)
{
    if (!all_zero(image + head->length, l->cells_at - head->length) ||
        !all_zero(image + l->cells_at + l->cells, l->sums_at - l->cells_at - l->cells))
        return blm_fail(why, BLM_E_IMAGE, "damaged: its padding is not zero");
    for (uint64_t i = 0; i < l->sums; i++)
        if (blm_chunk_sum(image + l->cells_at, l->cells, head->chunk_log2, i) !=
            blm_le64(image + l->sums_at + i * 8))
            return blm_fail(why, BLM_E_IMAGE,
                            "damaged: checksum %" PRIu64 " of %" PRIu64 " differs", i + 1, l->sums);
    const blm_err err = f->kind->check ? f->kind->check(f, why) : BLM_OK;
    return blm_image_fault(err, why);
}

/* What the secret opens. */
static blm_err unlock(blm_filter *f, const blm_open_options *how, blm_report *why)
{
    if (!(f->flags & BLM_KEYED))
        return how->secret ? blm_fail(why, BLM_E_KEY, "this image was made without a secret key")
                           : BLM_OK;
    if (!how->secret && how->without_secret) {
        f->hasher = NULL;
        return BLM_OK;
    }
    if (!how->secret) return blm_fail(why, BLM_E_KEY, "this image needs its secret key");
    if (blm_key_check(how->secret) != f->key_check)
        return blm_fail(why, BLM_E_KEY,
                        "wrong secret key: this image was made with a different one");
    memcpy(f->secret, how->secret, sizeof f->secret);
    return BLM_OK;
}

/* Handles count as well: an image of many tiny children may not cost more memory than it has bytes. */
static blm_err spend(blm_opening *o, uint64_t bytes, blm_report *why)
{
    if (bytes > o->budget)
        return blm_fail(why, BLM_E_IMAGE,
                        "forged: it would need more memory than the image has bytes");
    o->budget -= bytes;
    return BLM_OK;
}

static blm_err attach_view(blm_filter *f, const uint8_t *image, const blm_layout *l,
                           const blm_head *head, blm_report *why)
{
    blm_backing *back = blm_take(&f->alloc, sizeof *back);
    if (!back) return blm_fail(why, BLM_E_NOMEM, "no memory for the handle");
    *back = (blm_backing){
        .sums = image + l->sums_at, .sums_count = l->sums, .chunk_log2 = head->chunk_log2};
    const uint8_t *cells = image + l->cells_at;
    memcpy(&f->cells, &cells,
           sizeof cells); /* const is cast away once; BLM_MAPPED keeps writers out */
    f->bytes = l->cells;
    f->back = back;
    f->flags |= BLM_MAPPED;
    return BLM_OK;
}

blm_err blm_open_cells(blm_filter *f, uint64_t bytes, blm_opening *o, blm_report *why)
{
    const blm_err err = spend(o, bytes, why);
    if (err || !bytes) return err;
    f->cells = blm_take(&f->alloc, bytes);
    if (!f->cells)
        return blm_fail(why, BLM_E_NOMEM, "no memory for %" PRIu64 " bytes of cells", bytes);
    f->bytes = bytes;
    return BLM_OK;
}

static blm_err attach_copy(blm_filter *f, const uint8_t *image, const blm_layout *l, blm_opening *o,
                           blm_report *why)
{
    const blm_err err = blm_open_cells(f, l->cells, o, why);
    if (!err && l->cells) memcpy(f->cells, image + l->cells_at, (size_t)l->cells);
    return err;
}

bool blm_open_fits(const blm_filter *child, const blm_filter *parent)
{
    const uint32_t more = child->kind->needs & ~(parent->kind->needs | BLM_NEEDS_LO);
    const bool wide = !parent->hasher || parent->hasher->width == 128;
    if (parent->kind->needs & ~child->kind->needs & BLM_NEEDS_LO) return false; /* no h.hi */
    return !(more & ~(uint32_t)(wide ? BLM_NEEDS_HASH128 : 0)) && !child->kind->world &&
           (!child->kind->arg.name || parent->kind->arg.name);
}

blm_err blm_open_places(blm_filter *f, const blm_head *head, blm_opening *o, unsigned depth,
                        blm_report *why)
{
    if (!head->nchild) return BLM_OK;
    if (depth >= BLM_DEPTH_MAX || (o->family += head->nchild) > BLM_FAMILY_MAX)
        return blm_fail(why, BLM_E_IMAGE, "forged: children are at most %u deep and %u in all",
                        BLM_DEPTH_MAX, BLM_FAMILY_MAX);
    f->child = blm_take(&f->alloc, head->nchild * sizeof(blm_filter *));
    if (!f->child) return blm_fail(why, BLM_E_NOMEM, "no memory for %u children", head->nchild);
    _Static_assert(BLM_HEADER_MAX / 8 <= UINT16_MAX, "a header lists no more children");
    f->nchild = f->places =
        (uint16_t)head->nchild; /* unfilled places are NULL, which blm_free takes */
    return BLM_OK;
}

static blm_err open_children(blm_filter *f, const uint8_t *image, uint64_t end,
                             const blm_head *head, blm_opening *o, unsigned depth, blm_report *why)
{
    uint64_t at = end;
    const blm_err bad = blm_open_places(f, head, o, depth, why);
    if (bad) return bad;
    for (uint32_t i = 0; i < head->nchild; i++) {
        const uint64_t bytes = blm_le64(head->children + (size_t)i * 8),
                       start = blm_child_at(at, bytes);
        if (start > head->image_bytes || bytes > head->image_bytes - start)
            return blm_fail(why, BLM_E_IMAGE, "forged: child %u runs past its parent", i);
        if (!o->quick && !all_zero(image + at, start - at))
            return blm_fail(why, BLM_E_IMAGE, "damaged: its padding is not zero");
        const blm_image in = {image + start, bytes, image + start, (size_t)bytes};
        const blm_err err = blm_image_open(&f->child[i], &in, o, depth + 1, why);
        if (err) return err;
        if (!blm_open_fits(f->child[i], f))
            return blm_fail(why, BLM_E_IMAGE,
                            "forged: child %u hashes keys differently than its parent", i);
        at = start + bytes;
    }
    return at == head->image_bytes
               ? BLM_OK
               : blm_fail(why, BLM_E_IMAGE, "forged: it is longer than its contents");
}

static blm_err furnish(blm_filter *f, const blm_image *in, const blm_head *head, blm_opening *o,
                       unsigned depth, blm_report *why)
{
    uint64_t cells = 0;
    blm_err err = blm_shape(f, &cells, why);
    if (err) return blm_image_fault(err, why);
    const blm_layout l = blm_layout_of(head->length, cells, head->chunk_log2);
    if (l.end > in->length)
        return blm_fail(why, BLM_E_IMAGE,
                        "forged: its fields need %" PRIu64 " bytes, but it has %" PRIu64, l.end,
                        in->length);
    err = o->in_place ? attach_view(f, in->bytes, &l, head, why)
                      : attach_copy(f, in->bytes, &l, o, why);
    if (!err) err = open_children(f, in->bytes, l.end, head, o, depth, why);
    if (!err && !o->quick) err = check_cells(f, in->bytes, &l, head, why);
    return err;
}

blm_err blm_open_begin(blm_filter **out, const uint8_t *p, blm_head *head, blm_opening *o,
                       blm_report *why)
{
    blm_filter *f = NULL;
    blm_err err = blm_header_read(&f, p, head, o->how.alloc, why);
    if (err) return err;
    err = spend(o,
                f->kind->size + (o->in_place ? sizeof(blm_backing) : 0) +
                    (uint64_t)head->nchild * sizeof(blm_filter *) + blm_label_bytes(f),
                why);
    if (!err) err = unlock(f, &o->how, why);
    if (err)
        blm_free(f);
    else
        *out = f;
    return err;
}

void blm_open_end(blm_filter *f, const blm_opening *o)
{
    f->flags |= (o->how.overfill ? BLM_OVERFILL : 0u) | (o->touch_check ? BLM_TOUCH_CHECK : 0u) |
                (o->quick ? BLM_UNCHECKED : 0u) | (o->quiet ? BLM_QUIET : 0u);
    blm_settle(f);
}

blm_err blm_image_open(blm_filter **out, const blm_image *in, blm_opening *o, unsigned depth,
                       blm_report *why)
{
    blm_head head;
    blm_err err = blm_prelude_check(in->head, in->head_length, &head, why);
    if (err) return err;
    if (head.image_bytes != in->length)
        return blm_fail(why, BLM_E_IMAGE,
                        "damaged: it has %" PRIu64 " bytes but should have %" PRIu64 " (%s)",
                        in->length, head.image_bytes,
                        in->length < head.image_bytes ? "truncated" : "something was appended");
    blm_filter *f = NULL;
    err = blm_open_begin(&f, in->head, &head, o, why);
    if (err) return err;
    err = furnish(f, in, &head, o, depth, why);
    if (err) {
        blm_free(f);
        return err;
    }
    blm_open_end(f, o);
    *out = f;
    return BLM_OK;
}

blm_err blm_open_police(blm_filter **out, blm_filter *f, const blm_open_options *how,
                        blm_report *why)
{
    const double fill = f->kind->fill ? f->kind->fill(f) : 0;
    if (how->max_fill > 0 && fill > how->max_fill) {
        blm_free(f);
        return blm_fail(why, BLM_E_POLLUTED,
                        "a fraction %.3g of its cells is set, but the limit is %.3g", fill,
                        how->max_fill);
    }
    *out = f;
    return BLM_OK;
}

blm_err blm_open_afford(blm_opening *o, uint64_t image_bytes, blm_report *why)
{
    if (o->how.max_bytes && image_bytes > o->how.max_bytes)
        return blm_fail(why, BLM_E_ARG, "an image of %" PRIu64 " bytes: the limit is %" PRIu64,
                        image_bytes, o->how.max_bytes);
    o->budget =
        image_bytes + 81920 - 4096; /* a handle and a note are taken before they are counted */
    return BLM_OK;
}

blm_err blm_image_take(blm_filter **out, const blm_image *in, const blm_open_options *given,
                       bool in_place, blm_report *why)
{
    blm_opening o = {.in_place = in_place};
    blm_err err = blm_open_take(&o.how, given, why);
    if (err) return err;
    err = blm_open_afford(&o, in->length, why);
    if (err) return err;
    o.quiet = in_place && in->length > BLM_QUIET_BYTES;
    o.quick = in_place && o.how.check != BLM_CHECK_ALL;
    o.touch_check = in_place && o.how.check == BLM_CHECK_TOUCHED;
    blm_filter *f = NULL;
    err = blm_image_open(&f, in, &o, 0, why);
    return err ? err : blm_open_police(out, f, &o.how, why);
}

blm_err blm_load(blm_filter **out, const void *p, size_t n, const blm_open_options *how,
                 blm_report *why)
{
    const blm_image in = {p, n, p, n};
    return blm_image_take(out, &in, how, false, why);
}

blm_err blm_view(blm_filter **out, const void *p, size_t n, const blm_open_options *how,
                 blm_report *why)
{
    const blm_image in = {p, n, p, n};
    return blm_image_take(out, &in, how, true, why);
}

blm_err blm_image_size(const void *p, size_t n, uint64_t *bytes, blm_report *why)
{
    const uint8_t *b = p;
    if (n < BLM_PRELUDE || memcmp(b, blm_magic, sizeof blm_magic) != 0)
        return blm_no_image(b, n, why);
    *bytes = blm_le64(b + 16);
    return BLM_OK;
}

blm_err blm_verify_image(const void *p, size_t n, blm_report *why)
{
    blm_filter *f = NULL;
    const blm_err err =
        blm_view(&f, p, n, BLM_OPEN(.check = BLM_CHECK_ALL, .without_secret = true), why);
    if (!err) blm_free(f);
    return err;
}

/* ---- chunks that one query reads ---------------------------------------------------------------- */

static bool chunk_sound(const blm_filter *f, uint64_t chunk)
{
    return chunk >= f->back->sums_count ||
           blm_chunk_sum(f->cells, f->bytes, f->back->chunk_log2, chunk) ==
               blm_le64(f->back->sums + chunk * 8);
}

blm_err blm_check_item(const blm_filter *f, const blm_item *it, blm_report *why)
{
    blm_touch t[BLM_TOUCH_MAX];
    if (!f->back) return BLM_OK;
    const size_t n = blm_touched(f, it, t, BLM_TOUCH_MAX);
    const bool all = n == 0 || n > BLM_TOUCH_MAX; /* the kind does not tell: look at everything */
    const uint64_t looks = all ? f->back->sums_count : n;
    for (uint64_t i = 0; i < looks; i++) {
        /* A cell of up to 8 bytes may end in the next chunk. */
        const uint64_t first = all ? i : t[i].byte >> f->back->chunk_log2;
        const uint64_t last = all ? i : (t[i].byte + 7) >> f->back->chunk_log2;
        for (uint64_t chunk = first; chunk <= last; chunk++)
            if (!chunk_sound(f, chunk))
                return blm_fail(why, BLM_E_IMAGE,
                                "damaged: checksum %" PRIu64 " of %" PRIu64 " differs", chunk + 1,
                                f->back->sums_count);
    }
    for (uint32_t i = 0; i < f->nchild; i++) {
        const blm_item own = blm_inner_item(f, i, it);
        const blm_err err = blm_check_item(f->child[i], &own, why);
        if (err) return err;
    }
    return BLM_OK;
}

/* ---- bare cells --------------------------------------------------------------------------------- */

blm_err blm_adopt(blm_filter *f, const void *cells, size_t bytes, blm_report *why)
{
    if (f->flags & BLM_MAPPED) return blm_fail(why, BLM_E_READONLY, "a mapped filter is read-only");
    if (!f->kind->adopt)
        return blm_fail(why, BLM_E_CANNOT, "%s cannot adopt bare cells", f->kind->name);
    if (bytes != f->bytes)
        return blm_fail(why, BLM_E_ARG, "%zu bytes of cells: this filter needs %" PRIu64, bytes,
                        f->bytes);
    const blm_err err = f->kind->adopt(f, cells, why);
    if (!err) blm_look_again(f);
    return err;
}
