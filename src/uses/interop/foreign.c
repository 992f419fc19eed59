/* foreign.c - formats of other programs: the table, and what all of them have in common. */
#include <inttypes.h>

#include "core/bytes.h"
#include "core/image/open.h"
#include "uses/interop/foreign.h"

static const blm_format formats[] = {
    {{"xor8", "xor", "width=8,shards=1", "xor filter of 8 bits, xor_singleheader"},
     8,
     blm_foreign_xor_head,
     blm_foreign_xor_put},
    {{"xor16", "xor", "width=16,shards=1", "xor filter of 16 bits, xor_singleheader"},
     16,
     blm_foreign_xor_head,
     blm_foreign_xor_put},
    {{"fuse8", "fuse", "width=8,shards=1", "binary fuse filter of 8 bits, xor_singleheader"},
     8,
     blm_foreign_fuse_head,
     blm_foreign_fuse_put},
    {{"fuse16", "fuse", "width=16,shards=1", "binary fuse filter of 16 bits, xor_singleheader"},
     16,
     blm_foreign_fuse_head,
     blm_foreign_fuse_put},
};

bool blm_foreign_at(size_t i, blm_foreign *out)
{
    if (i >= BLM_LEN(formats)) return false;
    *out = formats[i].about;
    return true;
}

static const blm_format *format_named(const char *name, blm_report *why)
{
    const char *names[BLM_LEN(formats)];
    for (size_t i = 0; i < BLM_LEN(formats); i++) {
        names[i] = formats[i].about.name;
        if (strcmp(names[i], name) == 0) return &formats[i];
    }
    const char *near = blm_nearest(name, names, BLM_LEN(names));
    blm_fail(why, BLM_E_ARG,
             near ? "%.40s: no such format; did you mean %s?" : "%.40s: no such format", name,
             near);
    return NULL;
}

uint64_t blm_foreign_get(const blm_filter *f, const char *field)
{
    uint64_t v = 0;
    blm_field_named(f, field, &v);
    return v;
}

void blm_foreign_set(blm_filter *f, const char *field, uint64_t v)
{
    for (size_t i = 0; i < f->kind->nfields; i++)
        if (strcmp(f->kind->fields[i].name, field) == 0) blm_field_set(f, &f->kind->fields[i], v);
}

/* ---- read ------------------------------------------------------------------------------------ */

/* The seed of the only shard stands before its cells. */
static blm_err fill(blm_filter *f, const blm_format *format, const uint8_t *p, size_t n,
                    const blm_open_options *how, blm_report *why)
{
    size_t at = 0, end = 0;
    uint64_t bytes = 0;
    blm_foreign_set(f, "width", format->width);
    blm_foreign_set(f, "shards", 1);
    blm_err err = format->head(f, format, p, n, &at, &end, why);
    f->capacity = f->adds ? f->adds : 1;
    f->target = 1.0 / (double)(UINT64_C(1) << format->width);
    if (!err) err = blm_fields_check(f, why);
    if (!err) err = blm_shape(f, &bytes, why);
    if (err == BLM_E_ARG) err = BLM_E_IMAGE;
    if (err) return err;
    if (how->max_bytes && bytes > how->max_bytes)
        return blm_fail(why, BLM_E_ARG, "needs %" PRIu64 " bytes: above the limit of %" PRIu64,
                        bytes, how->max_bytes);
    err = blm_furnish(f, why);
    if (err) return err;
    memcpy(f->cells, p, 8);
    memcpy(f->cells + 8, p + at, end - at);
    return f->kind->check ? f->kind->check(f, why) : BLM_OK;
}

blm_err blm_foreign_read(blm_filter **out, const char *format, const void *p, size_t n,
                         const blm_open_options *how, blm_report *why)
{
    blm_open_options own;
    blm_err err = blm_open_take(&own, how, why);
    if (err) return err;
    const blm_format *of = format_named(format, why);
    const blm_kind *kind = of ? blm_kind_wanted(of->about.kind, why) : NULL;
    if (!kind) return BLM_E_ARG;
    blm_filter *f = blm_blank(kind, own.alloc);
    if (!f) return blm_fail(why, BLM_E_NOMEM, "no memory for the handle");
    f->hasher = blm_hasher_named("given-64", 8);
    err = fill(f, of, p, n, &own, why);
    if (err) {
        blm_free(f);
        return err;
    }
    blm_settle(f);
    blm_look_again(f);
    *out = f;
    return BLM_OK;
}

/* ---- write ----------------------------------------------------------------------------------- */

static blm_err may_hold(const blm_filter *f, const blm_format *of, blm_report *why)
{
    const char *reason = NULL;
    if (strcmp(f->kind->name, of->about.kind) != 0)
        reason = "this filter is of another kind";
    else if (blm_foreign_get(f, "width") != of->width)
        reason = "this filter has fingerprints of another width";
    else if (blm_foreign_get(f, "shards") != 1)
        reason = "this filter has several shards";
    else if (strcmp(of->about.kind, "fuse") == 0 && blm_foreign_get(f, "arity") != 3)
        reason = "this filter has four cells per key";
    else if (blm_foreign_get(f, "members") > UINT32_MAX || f->bytes > UINT32_MAX)
        reason = "its numbers have 32 bits, and this filter is larger";
    if (reason)
        return blm_fail(why, BLM_E_CANNOT, "format %s: %s; it holds filters of kind %s with %s",
                        of->about.name, reason, of->about.kind, of->about.with);
    return f->hasher && !f->hasher->keyed
               ? BLM_OK
               : blm_fail(why, BLM_E_KEY,
                          "a filter with a secret: another program could not hash its keys");
}

blm_err blm_foreign_write(const blm_filter *f, const char *format, blm_sink to, void *ctx,
                          blm_report *why)
{
    uint8_t head[BLM_FOREIGN_HEAD];
    const blm_format *of = format_named(format, why);
    blm_err err = of ? may_hold(f, of, why) : BLM_E_ARG;
    if (err) return err;
    const uint64_t cells = strcmp(of->about.kind, "xor") == 0
                               ? 3 * blm_foreign_get(f, "block")
                               : (blm_foreign_get(f, "segments") + 2)
                                     << blm_foreign_get(f, "segment");
    const size_t n = of->put_head(f, blm_le64(f->cells) + f->salt * BLM_SALT_STEP, head);
    err = to(ctx, head, n);
    if (!err) err = to(ctx, f->cells + 8, (size_t)(cells * of->width / 8));
    return err ? blm_fail(why, err, "format %s: %s", of->about.name, blm_strerror(err)) : BLM_OK;
}
