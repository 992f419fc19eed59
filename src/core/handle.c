/* handle.c - filters come and go. */
#define _DEFAULT_SOURCE 1
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include <sodium/utils.h>

#include "core/core_internal.h"

blm_filter *blm_blank(const blm_kind *kind, const blm_alloc *alloc)
{
    const blm_alloc a = alloc ? *alloc : blm_alloc_default;
    blm_filter *f = blm_take(&a, kind->size);
    if (!f) return NULL;
    f->kind = kind;
    f->one = &blm_one_any;
    f->alloc = a;
    return f;
}

blm_err blm_shape(blm_filter *f, uint64_t *bytes, blm_report *why)
{
    f->can = blm_kind_can(f->kind);
    f->clock = f->kind->clock;
    const blm_err err = f->kind->shape(f, bytes, why);
    if (err) return err;
    if (*bytes > BLM_BITS_MAX / 8)
        return blm_fail(why, BLM_E_ARG, "%s of %" PRIu64 " bytes: at most 2^57 (2^60 bits)",
                        f->kind->name, *bytes);
    return BLM_OK;
}

blm_err blm_furnish(blm_filter *f, blm_report *why)
{
    uint64_t bytes = 0;
    const blm_err err = blm_shape(f, &bytes, why);
    if (err) return err;
    if (bytes && !(f->cells = blm_take(&f->alloc, bytes)))
        return blm_fail(why, BLM_E_NOMEM, "no memory for %" PRIu64 " bytes of cells", bytes);
    f->bytes = bytes;
    return BLM_OK;
}

blm_err blm_key_in(blm_filter *f, const uint8_t *secret, blm_report *why)
{
    f->hasher = blm_hasher_for(f->kind->needs, secret != NULL);
    if (!secret) return BLM_OK;
    if (f->kind->needs & BLM_NEEDS_U64)
        return blm_fail(why, BLM_E_ARG,
                        "%s stores integers without hashing them: a secret would hide nothing; "
                        "leave it out",
                        f->kind->name);
    if (sodium_is_zero(secret, sizeof f->secret))
        return blm_fail(why, BLM_E_ARG, "the secret must not be all zeros; use 16 random bytes");
    memcpy(f->secret, secret, sizeof f->secret);
    f->flags |= BLM_KEYED;
    f->key_check = blm_key_check(secret);
    return BLM_OK;
}

const blm_kind *blm_kind_wanted(const char *name, blm_report *why)
{
    const char *want = name ? name : BLM_KIND_DEFAULT;
    const blm_kind *kind = blm_kind_find(want, strlen(want));
    if (!kind) {
        const char *near = blm_kind_nearest(want);
        blm_fail(why, BLM_E_ARG,
                 near ? "%.40s: no such kind; did you mean %s?" : "%.40s: no such kind", want,
                 near);
    }
    return kind;
}

static blm_err begin_at(blm_filter *f, uint64_t now, blm_report *why)
{
    if (!(f->can & BLM_TICK))
        return blm_fail(why, BLM_E_CANNOT, "now: keys of kind %s do not expire by ticks",
                        f->kind->name);
    const blm_err err = f->kind->tick(f, now);
    if (err) return blm_fail(why, err, "now: %s", blm_strerror(err));
    f->now = now;
    return BLM_OK;
}

blm_err blm_new(blm_filter **out, const blm_config *given, blm_report *why)
{
    blm_config c;
    blm_err err = blm_config_take(&c, given, why);
    if (err) return err;
    const blm_kind *kind = blm_kind_wanted(c.kind, why);
    if (!kind) return BLM_E_ARG;
    blm_filter *f = blm_blank(kind, c.alloc);
    if (!f) return blm_fail(why, BLM_E_NOMEM, "no memory for the handle");
    f->seed = c.seed;
    f->flags = c.overfill ? BLM_OVERFILL : 0;
    err = blm_key_in(f, c.secret, why);
    if (!err) err = blm_plan_fields(f, &c, why);
    if (!err) err = blm_furnish(f, why);
    if (!err && kind->start) err = kind->start(f, why);
    if (!err && c.now) err = begin_at(f, c.now, why);
    if (err) {
        blm_free(f);
        return err;
    }
    f->look = f->capacity;
    blm_settle(f);
    *out = f;
    return BLM_OK;
}

void blm_free(blm_filter *f)
{
    if (!f) return;
    const blm_alloc a = f->alloc;
    for (uint32_t i = 0; i < f->nchild; i++) blm_free(f->child[i]);
    blm_put_back(&a, f->child, f->places * sizeof(blm_filter *));
    if (!(f->flags & BLM_MAPPED)) blm_put_back(&a, f->cells, f->bytes);
    if (f->back) {
        if (f->back->mapping) munmap(f->back->mapping, f->back->mapping_length);
        blm_put_back(&a, f->back, sizeof *f->back);
    }
    blm_put_back(&a, f->label, blm_label_bytes(f));
    blm_put_handle(&a, f);
}

void blm_put_handle(const blm_alloc *a, blm_filter *f)
{
    if (!f) return;
    /* Whoever gets this memory next need not know it. */
    sodium_memzero(f->secret, sizeof f->secret);
    blm_put_back(a, f, f->kind->size);
}

blm_err blm_note_copy(blm_filter *f, const char *text, size_t len)
{
    blm_label *own = NULL, *old = f->label;
    if (len || (old && (old->denied || old->noes || old->form[0]))) {
        own = blm_take(&f->alloc, sizeof *own + len + 1);
        if (!own) return BLM_E_NOMEM;
        if (old) *own = *old;
        if (len) memcpy(own->note, text, len);
    }
    blm_put_back(&f->alloc, old, blm_label_bytes(f));
    f->label = own;
    return BLM_OK;
}

blm_err blm_label_make(blm_filter *f)
{
    if (!f->label) f->label = blm_take(&f->alloc, sizeof *f->label + 1);
    return f->label ? BLM_OK : BLM_E_NOMEM;
}

void blm_reports_add(blm_filter *f, uint64_t denied, uint64_t noes)
{
    f->label->denied = blm_sum_below(f->label->denied, denied, BLM_ADDS_MAX);
    f->label->noes = blm_sum_below(f->label->noes, noes, BLM_ADDS_MAX);
}

blm_err blm_reports_copy(blm_filter *f, const blm_filter *from)
{
    if (!from->label || (!from->label->denied && !from->label->noes)) return BLM_OK;
    const blm_err err = blm_label_make(f);
    if (!err) blm_reports_add(f, from->label->denied, from->label->noes);
    return err;
}

void blm_reports_forget(blm_filter *f)
{
    if (f->label) f->label->denied = f->label->noes = 0;
}

/* ---- the form of keys ------------------------------------------------------------------------------- */

/* Of two words at the same place: is the first one smaller? The shorter one is, when it begins the other. */
static bool word_before(const char *a, size_t na, const char *b, size_t nb)
{
    const int order = memcmp(a, b, na < nb ? na : nb);
    return order < 0 || (order == 0 && na < nb);
}

/* One way to write each form, so that equal forms are equal bytes. */
bool blm_form_legal(const char *text, size_t len)
{
    const char *last = NULL;
    size_t last_len = 0;
    if (!len || len > BLM_FORM_MAX) return false;
    for (size_t at = 0; at <= len;) {
        size_t n = 0;
        while (at + n < len &&
               ((text[at + n] >= 'a' && text[at + n] <= 'z') ||
                (text[at + n] >= '0' && text[at + n] <= '9') || text[at + n] == '-'))
            n++;
        if (!n || (at + n < len && text[at + n] != ' ')) return false;
        if (last && !word_before(last, last_len, text + at, n)) return false;
        last = text + at;
        last_len = n;
        at += n + 1;
    }
    return true;
}

blm_err blm_form_copy(blm_filter *f, const char *text, size_t len)
{
    if (!len && !f->label) return BLM_OK;
    if (blm_label_make(f)) return BLM_E_NOMEM;
    memset(f->label->form, 0, sizeof f->label->form);
    if (len) memcpy(f->label->form, text, len);
    return BLM_OK;
}

const char *blm_key_form(const blm_filter *f) { return f->label ? f->label->form : ""; }

blm_err blm_set_key_form(blm_filter *f, const char *form, blm_report *why)
{
    const size_t n = strlen(form);
    if (f->flags & BLM_MAPPED) return blm_fail(why, BLM_E_READONLY, "a mapped filter is read-only");
    if (n && !blm_form_legal(form, n))
        return blm_fail(
            why, BLM_E_ARG,
            "key form %.40s: must be words of a-z, 0-9 and -, in ascending order, separated by "
            "one space, at most %u bytes",
            form, BLM_FORM_MAX);
    return blm_form_copy(f, form, n) ? blm_fail(why, BLM_E_NOMEM, "no memory for the key form")
                                     : BLM_OK;
}

/* What a filter that is made from f inherits of its label: its users are yet to come, so no reports. */
static blm_err label_inherit(blm_filter *g, const blm_filter *f)
{
    const char *form = blm_key_form(f);
    const blm_err err = blm_note_copy(g, blm_note(f), strlen(blm_note(f)));
    return err ? err : blm_form_copy(g, form, strlen(form));
}

blm_err blm_set_note(blm_filter *f, const char *text, blm_report *why)
{
    if (f->flags & BLM_MAPPED) return blm_fail(why, BLM_E_READONLY, "a mapped filter is read-only");
    if (strlen(text) > BLM_NOTE_MAX)
        return blm_fail(why, BLM_E_ARG, "a note of %zu bytes: at most %u", strlen(text),
                        BLM_NOTE_MAX);
    return blm_note_copy(f, text, strlen(text))
               ? blm_fail(why, BLM_E_NOMEM, "no memory for the note")
               : BLM_OK;
}

/* Cells that nobody has looked at may be asked, but what is made from them must be possible. */
blm_err blm_possible(const blm_filter *f, blm_report *why)
{
    if (!(f->flags & BLM_UNCHECKED) || !f->kind->check) return BLM_OK;
    const blm_err err = f->kind->check(f, why);
    return err == BLM_E_ARG ? blm_fail(why, BLM_E_IMAGE, "its cells contradict its fields") : err;
}

/* All that a filter owns comes from one allocator. */
static blm_err copy_children(blm_filter *g, const blm_filter *f, blm_report *why)
{
    if (!f->nchild) return BLM_OK;
    g->child = blm_take(&g->alloc, f->nchild * sizeof(blm_filter *));
    if (!g->child) return blm_fail(why, BLM_E_NOMEM, "no memory for %u children", f->nchild);
    g->nchild = g->places = f->nchild; /* unfilled places are NULL, which blm_free takes */
    for (uint32_t i = 0; i < f->nchild; i++) {
        const blm_err err = blm_copy_by(&g->child[i], f->child[i], &g->alloc, why);
        if (err) return err;
    }
    return BLM_OK;
}

/* The whole struct is copied: kinds keep only numbers in theirs. What it owns is made anew. */
static blm_filter *twin(const blm_filter *f, const blm_alloc *alloc)
{
    blm_filter *g = blm_take(alloc, f->kind->size);
    if (!g) return NULL;
    memcpy(g, f, f->kind->size);
    g->alloc = *alloc;
    g->cells = NULL;
    g->child = NULL;
    g->back = NULL;
    g->label = NULL;
    g->nchild = g->places = 0;
    g->flags &= (uint32_t)(BLM_KEYED | BLM_OVERFILL);
    return g;
}

blm_err blm_copy_by(blm_filter **out, const blm_filter *f, const blm_alloc *alloc, blm_report *why)
{
    blm_err err = blm_possible(f, why);
    if (err) return err;
    blm_filter *g = twin(f, alloc);
    if (!g) return blm_fail(why, BLM_E_NOMEM, "no memory for the handle");
    err = copy_children(g, f, why);
    if (!err && (label_inherit(g, f) || blm_reports_copy(g, f)))
        err = blm_fail(why, BLM_E_NOMEM, "no memory for the note");
    if (!err && f->bytes && !(g->cells = blm_take(&g->alloc, f->bytes)))
        err = blm_fail(why, BLM_E_NOMEM, "no memory for %" PRIu64 " bytes of cells", f->bytes);
    if (err) {
        blm_free(g);
        return err;
    }
    if (f->bytes) memcpy(g->cells, f->cells, (size_t)f->bytes);
    blm_settle(g);
    *out = g;
    return BLM_OK;
}

blm_err blm_copy(blm_filter **out, const blm_filter *f, blm_report *why)
{
    return blm_copy_by(out, f, &f->alloc, why);
}

static blm_err fold_once(blm_filter **out, const blm_filter *f, blm_report *why)
{
    blm_filter *g = twin(f, &f->alloc);
    if (!g) return blm_fail(why, BLM_E_NOMEM, "no memory for the handle");
    blm_err err = f->kind->half(g, why);
    if (!err) err = blm_furnish(g, why);
    if (!err && label_inherit(g, f)) err = blm_fail(why, BLM_E_NOMEM, "no memory for the note");
    if (err) {
        blm_free(g);
        return err;
    }
    f->kind->fold(g, f);
    const blm_case full = {.keys = g->capacity, .arg = BLM_NO_ARG};
    g->target = blm_rate_rounded(f->kind->fpr(g, &full).high);
    blm_look_again(g);
    blm_settle(g);
    *out = g;
    return BLM_OK;
}

blm_err blm_fold(blm_filter **out, const blm_filter *f, unsigned times, blm_report *why)
{
    if (!(f->can & BLM_FOLD))
        return blm_fail(why, BLM_E_CANNOT, "%s cannot be folded", f->kind->name);
    if (!times) return blm_copy(out, f, why);
    if (times > 60) return blm_fail(why, BLM_E_ARG, "fold %u times: at most 60", times);
    blm_filter *at = NULL;
    blm_err err = blm_possible(f, why);
    if (err) return err;
    for (unsigned i = 0; i < times; i++) {
        blm_filter *next = NULL;
        err = fold_once(&next, i ? at : f, why);
        blm_free(at);
        if (err) return err;
        at = next;
    }
    *out = at;
    return BLM_OK;
}

static void forget_state(blm_filter *f)
{
    for (size_t i = 0; i < f->kind->nfields; i++)
        if (f->kind->fields[i].flags & BLM_F_STATE)
            blm_field_set(f, &f->kind->fields[i], f->kind->fields[i].min);
    f->adds = f->now = 0;
    blm_reports_forget(f);
    f->lost = 0;
    f->look = f->capacity;
    f->judged = 0;
}

/* A kind with first cells or children, or whose STATE says how large it is, starts again on a second body, so that a
 * failed clear leaves the filter as it was. */
static blm_err clear_by_twin(blm_filter *f)
{
    blm_filter *g = twin(f, &f->alloc);
    if (!g) return BLM_E_NOMEM;
    forget_state(g);
    blm_err err = blm_furnish(g, NULL);
    if (!err && f->kind->start) err = f->kind->start(g, NULL);
    if (!err) err = label_inherit(g, f);
    if (!err) {
        blm_filter *old = blm_take(&f->alloc, f->kind->size);
        if (old) {
            memcpy(old, f, f->kind->size);
            memcpy(f, g, f->kind->size);
            memcpy(g, old, f->kind->size);
            blm_put_handle(&f->alloc, old);
        } else
            err = BLM_E_NOMEM;
    }
    blm_free(g);
    return err;
}

blm_err blm_clear(blm_filter *f)
{
    if (f->flags & BLM_MAPPED) return BLM_E_READONLY;
    if (f->kind->start || f->kind->grow || f->kind->room || f->nchild) return clear_by_twin(f);
    uint64_t bytes;
    forget_state(f);
    if (f->bytes) memset(f->cells, 0, (size_t)f->bytes);
    return blm_shape(f, &bytes, NULL); /* what this setting does not promise */
}

uint64_t blm_section(uint64_t *end, uint64_t count, unsigned width_bits, unsigned align)
{
    if (*end > UINT64_MAX - align || (count && width_bits > (UINT64_MAX - 7) / count))
        return *end = UINT64_MAX;
    const uint64_t at = (*end + align - 1) / align * align, bytes = (count * width_bits + 7) / 8;
    *end = at > UINT64_MAX - bytes ? UINT64_MAX : at + bytes;
    return at;
}

blm_err blm_recell(blm_filter *f, blm_region *fresh, uint64_t bytes)
{
    if (bytes > BLM_BITS_MAX / 8) return BLM_E_ARG;
    fresh->cells = blm_take(&f->alloc, bytes);
    fresh->bytes = bytes;
    return fresh->cells ? BLM_OK : BLM_E_NOMEM;
}

void blm_commit(blm_filter *f, blm_region *fresh)
{
    blm_put_back(&f->alloc, f->cells, f->bytes);
    f->cells = fresh->cells;
    f->bytes = fresh->bytes;
    fresh->cells = NULL;
}
