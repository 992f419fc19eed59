/* header.c - prelude and header, both ways, by walking tables.
 *
 * Every number in a header is inside the checksum, and the checksum is compared before any of them
 * is believed: a flipped bit is always "damaged". Against forgers, who repair checksums, each
 * number is checked against its range before it is used.
 */
#include <inttypes.h>
#include <string.h>

#include "core/image/image.h"
#include "core/bytes.h"

/* A high byte, CR LF, ^Z and LF, as PNG has them: text-mode damage shows. */
const uint8_t blm_magic[8] = {0x89, 'B', 'L', 'M', '\r', '\n', 0x1a, '\n'};
const uint8_t blm_packed_magic[8] = {0x89, 'B', 'L', 'P', '\r', '\n', 0x1a, '\n'};

enum { AT_FORMAT = 8, AT_ZERO = 10, AT_HEADER = 12, AT_IMAGE = 16, AT_SUM = 24 };

/* ---- layout ------------------------------------------------------------------------------ */

static uint64_t up(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }

blm_layout blm_layout_of(uint64_t head, uint64_t cells, unsigned chunk_log2)
{
    const uint64_t chunk = UINT64_C(1) << chunk_log2;
    blm_layout l = {.cells = cells, .sums = (cells + chunk - 1) >> chunk_log2};
    l.cells_at = up(head, cells >= 4096 ? 4096 : cells >= 64 ? 64 : 8);
    l.sums_at = up(l.cells_at + cells, 8);
    l.end = l.sums_at + l.sums * 8;
    return l;
}

uint64_t blm_child_at(uint64_t end, uint64_t bytes) { return up(end, bytes >= 4096 ? 4096 : 8); }

uint64_t blm_chunk_sum(const uint8_t *cells, uint64_t bytes, unsigned chunk_log2, uint64_t chunk)
{
    const uint64_t at = chunk << chunk_log2, size = UINT64_C(1) << chunk_log2;
    return blm_checksum(cells + at, (size_t)(bytes - at < size ? bytes - at : size), chunk);
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct pen { /* p NULL: only measures */
    uint8_t *p;
    size_t at;
} pen;

static void put(pen *w, unsigned width, uint64_t v)
{
    if (w->p) blm_put_n(w->p + w->at, width, v);
    w->at += width;
}

static void put_bytes(pen *w, const void *b, size_t n)
{
    if (w->p && n) memcpy(w->p + w->at, b, n);
    w->at += n;
}

static void put_name(pen *w, const char *name)
{
    put(w, 1, strlen(name));
    put_bytes(w, name, strlen(name));
}

static void put_tag(pen *w, blm_tag type, unsigned flags, size_t bytes)
{
    put(w, 2, (uint64_t)type);
    put(w, 2, flags);
    put(w, 4, bytes);
}

static void put_tags(pen *w, const blm_filter *f, const uint64_t *child_bytes)
{
    const size_t note = strlen(blm_note(f));
    if (note) {
        put_tag(w, BLM_TAG_NOTE, BLM_TAG_SKIP, note);
        put_bytes(w, blm_note(f), note);
    }
    if (f->nchild) put_tag(w, BLM_TAG_CHILDREN, 0, (size_t)f->nchild * 8);
    for (uint32_t i = 0; i < f->nchild; i++) put(w, 8, child_bytes ? child_bytes[i] : 0);
    if (f->salt) put_tag(w, BLM_TAG_SALT, 0, 8), put(w, 8, f->salt);
    if (f->now) put_tag(w, BLM_TAG_NOW, 0, 8), put(w, 8, f->now);
    if (f->label && (f->label->denied || f->label->noes)) {
        put_tag(w, BLM_TAG_SEEN, BLM_TAG_SKIP, 16);
        put(w, 8, f->label->denied);
        put(w, 8, f->label->noes);
    }
    /* Not to be passed over: who asks with keys of another form gets a certain no that is wrong. */
    const size_t form = strlen(blm_key_form(f));
    if (form) {
        put_tag(w, BLM_TAG_FORM, 0, form);
        put_bytes(w, blm_key_form(f), form);
    }
}

static uint64_t bits_of(double d)
{
    uint64_t v;
    memcpy(&v, &d, sizeof v);
    return v;
}

static const char *hash_name(const blm_filter *f)
{
    return f->hasher ? f->hasher->name : blm_hasher_for(f->kind->needs, true)->name;
}

size_t blm_header_write(const blm_filter *f, const uint64_t *child_bytes, uint64_t image_bytes,
                        uint8_t *p)
{
    pen w = {p, BLM_PRELUDE};
    const unsigned version = blm_fields_version(f);
    put_name(&w, f->kind->name);
    put(&w, 2, version);
    put_name(&w, hash_name(f));
    put(&w, 8, f->seed);
    put(&w, 8, f->key_check);
    put(&w, 8, f->adds);
    put(&w, 8, f->capacity);
    put(&w, 8, bits_of(f->target));
    put(&w, 4, f->lost);
    for (size_t i = 0; i < f->kind->nfields; i++)
        if (f->kind->fields[i].since <= version)
            put(&w, f->kind->fields[i].width, blm_field_get(f, &f->kind->fields[i]));
    put(&w, 1, BLM_CHUNK_LOG2);
    put_tags(&w, f, child_bytes);
    if (!p) return w.at;
    memcpy(p, blm_magic, sizeof blm_magic);
    blm_put16(p + AT_FORMAT, BLM_FORMAT);
    blm_put16(p + AT_ZERO, 0);
    blm_put32(p + AT_HEADER, (uint32_t)(w.at - BLM_PRELUDE));
    blm_put64(p + AT_IMAGE, image_bytes);
    blm_put64(p + AT_SUM, 0);
    blm_put64(p + AT_SUM, blm_checksum(p, w.at, 0));
    return w.at;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The checksum as if its own word were zero: the prelude is copied, then the header follows. */
static bool sound(const uint8_t *p, size_t n)
{
    uint8_t copy[BLM_PRELUDE + BLM_HEADER_MAX];
    memcpy(copy, p, n);
    blm_put64(copy + AT_SUM, 0);
    return blm_checksum(copy, n, 0) == blm_le64(p + AT_SUM);
}

blm_err blm_no_image(const uint8_t *p, size_t n, blm_report *why)
{
    if (n >= sizeof blm_packed_magic && memcmp(p, blm_packed_magic, sizeof blm_packed_magic) == 0)
        return blm_fail(why, BLM_E_IMAGE, "a packed filter: unpack it first");
    return blm_fail(why, BLM_E_IMAGE,
                    "not a Bloomery filter: it does not start with Bloomery's magic number");
}

blm_err blm_prelude_check(const uint8_t *p, size_t n, blm_head *head, blm_report *why)
{
    if (n < BLM_PRELUDE || memcmp(p, blm_magic, sizeof blm_magic) != 0)
        return blm_no_image(p, n, why);
    const uint32_t header = blm_le32(p + AT_HEADER);
    if (header > BLM_HEADER_MAX || header > n - BLM_PRELUDE)
        return blm_fail(why, BLM_E_IMAGE, "damaged or truncated: it ends inside its header");
    if (!sound(p, BLM_PRELUDE + header))
        return blm_fail(why, BLM_E_IMAGE, "damaged: the header's checksum differs");
    const unsigned format = blm_le16(p + AT_FORMAT);
    if (format > BLM_FORMAT || blm_le16(p + AT_ZERO))
        return blm_fail(why, BLM_E_NEWER,
                        "written by a newer version: format %u, this build reads up to %u", format,
                        BLM_FORMAT);
    if (format < 1) return blm_fail(why, BLM_E_IMAGE, "forged: there is no format 0");
    head->length = BLM_PRELUDE + header;
    head->image_bytes = blm_le64(p + AT_IMAGE);
    return BLM_OK;
}

typedef struct reader {
    const uint8_t *p;
    size_t at, end;
    unsigned version; /* of the kind's fields                   */
    bool over;        /* something would have lain past the end */
} reader;

static uint64_t take(reader *r, unsigned width)
{
    if (width > r->end - r->at) {
        r->over = true;
        return 0;
    }
    r->at += width;
    return blm_le_n(r->p + r->at - width, width);
}

static const char *take_bytes(reader *r, size_t n)
{
    if (n > r->end - r->at) {
        r->over = true;
        return NULL;
    }
    r->at += n;
    return (const char *)(r->p + r->at - n);
}

static blm_err forged(blm_report *why, const char *what)
{
    return blm_fail(why, BLM_E_IMAGE, "forged: %s", what);
}

static const blm_kind *take_kind(reader *r, blm_err *err, blm_report *why)
{
    const size_t n = (size_t)take(r, 1);
    const char *name = take_bytes(r, n);
    r->version = (unsigned)take(r, 2);
    if (r->over || !n) {
        *err = forged(why, "the header ends inside the kind's name");
        return NULL;
    }
    const blm_kind *kind = blm_kind_find(name, n);
    char shown[24] = "";
    for (size_t i = 0; i < n && i + 1 < sizeof shown; i++)
        shown[i] = name[i] >= '!' && name[i] <= '~' ? name[i] : '?';
    if (!kind || r->version > kind->version)
        *err = blm_fail(why, BLM_E_NEWER,
                        "written by a newer version: this build does not know kind %s version %u",
                        shown, r->version);
    else if (r->version < 1)
        *err = forged(why, "there is no version 0 of a kind");
    return *err ? NULL : kind;
}

static blm_err take_hash(reader *r, blm_filter *f, blm_report *why)
{
    const size_t n = (size_t)take(r, 1);
    const char *name = take_bytes(r, n);
    f->seed = take(r, 8);
    f->key_check = take(r, 8);
    if (r->over) return forged(why, "the header ends inside the hash");
    f->hasher = blm_hasher_named(name, n);
    if (!f->hasher)
        return blm_fail(why, BLM_E_NEWER,
                        "written by a newer version: this build does not know its hash");
    if (f->hasher->width < blm_hasher_for(f->kind->needs, false)->width)
        return forged(why, "the hash is narrower than the kind needs");
    if (f->hasher->given && !f->kind->parts)
        return forged(why, "only a fixed set can have hashes of another program");
    if (f->hasher->keyed != (f->key_check != 0))
        return forged(why, "the hash and the key check value do not match");
    if (f->hasher->keyed) f->flags |= BLM_KEYED;
    return BLM_OK;
}

static blm_err take_numbers(reader *r, blm_filter *f, blm_report *why)
{
    f->adds = take(r, 8);
    f->capacity = take(r, 8);
    const uint64_t target = take(r, 8);
    memcpy(&f->target, &target, sizeof target);
    f->lost = (uint32_t)take(r, 4);
    for (size_t i = 0; i < f->kind->nfields; i++) {
        const blm_field *d = &f->kind->fields[i];
        blm_field_set(f, d, d->since <= r->version ? take(r, d->width) : d->min);
    }
    if (r->over) return forged(why, "the header ends inside its numbers");
    if (f->adds > BLM_ADDS_MAX) return forged(why, "the number of adds is out of range");
    if (f->capacity < 1 || f->capacity > BLM_KEYS_MAX)
        return forged(why, "the capacity is out of range");
    if (!(f->target >= 0 && f->target <= 1)) return forged(why, "the rate is not between 0 and 1");
    if (f->lost & ~f->kind->promises)
        return forged(why, "it has lost a promise that its kind never made");
    return blm_fields_check(f, why);
}

static blm_err take_reports(blm_filter *f, const char *bytes, size_t n, blm_report *why)
{
    const uint64_t denied = n == 16 ? blm_le64(bytes) : 0, noes = n == 16 ? blm_le64(bytes + 8) : 0;
    if ((!denied && !noes) || denied > BLM_ADDS_MAX || noes > BLM_ADDS_MAX)
        return forged(why, "the recorded reports must be two numbers, not both 0");
    if (blm_label_make(f)) return blm_fail(why, BLM_E_NOMEM, "no memory for what users reported");
    blm_reports_add(f, denied, noes);
    return BLM_OK;
}

static blm_err take_tag(reader *r, blm_filter *f, unsigned type, unsigned flags, size_t n,
                        blm_head *head, blm_report *why)
{
    const char *bytes = take_bytes(r, n);
    if (!bytes) return forged(why, "a tag runs past the header");
    const uint64_t number = n == 8 ? blm_le64(bytes) : 0;
    switch (type) {
    case BLM_TAG_NOTE:
        if (!n || n > BLM_NOTE_MAX || memchr(bytes, 0, n))
            return forged(why, "a note has 1 to 1024 bytes, none zero");
        return blm_note_copy(f, bytes, n) ? blm_fail(why, BLM_E_NOMEM, "no memory for the note")
                                          : BLM_OK;
    case BLM_TAG_CHILDREN:
        if (!n || n % 8 || n / 8 > BLM_CHILDREN_MAX)
            return forged(why, "a filter has 1 to 1024 children");
        head->children = (const uint8_t *)bytes;
        head->nchild = (uint32_t)(n / 8);
        return BLM_OK;
    case BLM_TAG_SALT:
        f->salt = number;
        return number ? BLM_OK : forged(why, "a salt must not be 0");
    case BLM_TAG_NOW:
        f->now = number;
        return number ? BLM_OK : forged(why, "a tick must not be 0");
    case BLM_TAG_SEEN:
        return take_reports(f, bytes, n, why);
    case BLM_TAG_FORM:
        if (!blm_form_legal(bytes, n))
            return forged(why, "a key form must be 1 to 32 bytes of words in ascending order");
        return blm_form_copy(f, bytes, n) ? blm_fail(why, BLM_E_NOMEM, "no memory for the key form")
                                          : BLM_OK;
    default:
        return flags & BLM_TAG_SKIP ? BLM_OK
                                    : blm_fail(why, BLM_E_NEWER,
                                               "written by a newer version: this build does not "
                                               "know tag %u, which is required",
                                               type);
    }
}

static blm_err take_tags(reader *r, blm_filter *f, blm_head *head, blm_report *why)
{
    unsigned last = 0;
    while (r->at < r->end) {
        const unsigned type = (unsigned)take(r, 2), flags = (unsigned)take(r, 2);
        const size_t n = (size_t)take(r, 4);
        if (r->over || type <= last) return forged(why, "its tags are out of order");
        const blm_err err = take_tag(r, f, type, flags, n, head, why);
        if (err) return err;
        last = type;
    }
    return BLM_OK;
}

blm_err blm_header_read(blm_filter **out, const uint8_t *p, blm_head *head, const blm_alloc *alloc,
                        blm_report *why)
{
    reader r = {p, BLM_PRELUDE, head->length, 0, false};
    blm_err err = BLM_OK;
    const blm_kind *kind = take_kind(&r, &err, why);
    if (!kind) return err;
    blm_filter *f = blm_blank(kind, alloc);
    if (!f) return blm_fail(why, BLM_E_NOMEM, "no memory for the handle");
    head->nchild = 0;
    err = take_hash(&r, f, why);
    if (!err) err = take_numbers(&r, f, why);
    head->chunk_log2 = (unsigned)take(&r, 1);
    if (!err && (r.over || head->chunk_log2 < 12 || head->chunk_log2 > 24))
        err = forged(why, "a chunk has 2^12 to 2^24 bytes");
    if (!err) err = take_tags(&r, f, head, why);
    if (err) {
        blm_free(f);
        return blm_image_fault(err, why);
    }
    *out = f;
    return BLM_OK;
}
