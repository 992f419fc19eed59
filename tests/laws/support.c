/* support.c - keys, filters and answers for the laws. */
#include <inttypes.h>
#include <stdarg.h>

#include "core/core_internal.h"
#include "laws/laws.h"
#include "core/bytes.h"

bool law_small = false, law_catches = false;
static const char *tested = "", *setting = "";

void law_test(const char *kind, const char *with) { tested = kind, setting = with; }

const char *law_with(const char *kind) { return strcmp(kind, tested) == 0 ? setting : ""; }

void law_timed_knob(const char *kind, char *out, size_t room)
{
    blm_knobdef d;
    out[0] = 0;
    for (size_t i = 0; blm_knob_at(kind, i, &d); i++)
        if (d.type == BLM_K_TIME && !out[0]) snprintf(out, room, "%s=1000s", d.name);
}

void law_still(const char *kind)
{
    static char still[200];
    char timed[64];
    blm_kind_info info;
    law_need(blm_kind_named(kind, &info), kind, NULL);
    if (!(info.clock & BLM_CLOCK_ARRIVALS && info.clock & BLM_CLOCK_MS)) return;
    law_timed_knob(kind, timed, sizeof timed);
    if (strstr(law_with(kind), timed)) return;
    snprintf(still, sizeof still, "%s %s", law_with(kind), timed);
    law_test(kind, still);
}

int law_broken(const char *file, int line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    return 1;
}

void law_need(bool condition, const char *what, const blm_report *why)
{
    if (condition) return;
    fprintf(stderr, "%s%s%s\n", what, why && why->text[0] ? ": " : "", why ? why->text : "");
    exit(1);
}

uint64_t law_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static void world_of(const blm_filter *f, uint64_t *min, uint64_t *max)
{
    *min = 0;
    *max = UINT64_MAX;
    if (f->kind->world) f->kind->world(f, min, max);
}

uint64_t law_keys_max(const blm_filter *f)
{
    uint64_t min, max;
    if (!(f->kind->needs & BLM_NEEDS_U64)) return UINT64_MAX;
    world_of(f, &min, &max);
    return (max - min) / 2 + (max - min) % 2;
}

static uint64_t arg_of(const blm_filter *f, uint64_t i)
{
    const bool weighs = f->kind->arg.again == BLM_AGAIN_SUM;
    const bool lives = f->kind->arg.again == BLM_AGAIN_LONGEST; /* the law of gaps has others */
    uint64_t state = i, min, max;
    if (lives || !blm_arg_range(f, &min, &max)) return BLM_NO_ARG;
    if (weighs && f->kind->clock) return f->kind->arg.def; /* heavier keys would stay longer */
    uint64_t span = max - min + 1;                         /* 0: all 2^64 but BLM_NO_ARG */
    if (weighs && span - 1 > 7) span = 8;                  /* large ones only meet ceilings */
    const uint64_t some = weighs && !min;                  /* and a weight of 0 adds nothing */
    return min + some + law_random(&state) % (span ? span - some : UINT64_MAX);
}

/* Writes key i into a room of zeros. */
static void write_key(const blm_filter *f, law_side side, uint64_t i, law_key *room)
{
    uint64_t min, max;
    world_of(f, &min, &max);
    if (f->kind->needs & BLM_NEEDS_U64) {
        room->len = 8;
        blm_put64(room->bytes, min + 2 * i + (side == LAW_STRANGER));
    } else {
        const bool lengths = f->kind->needs & BLM_NEEDS_BYTES && f->kind->world;
        room->len = side == LAW_MEMBER ? 8 : 16;
        if (lengths && room->len < min) room->len = (size_t)min;
        if (lengths && room->len > max) room->len = (size_t)max;
        law_need(room->len >= 8 && room->len <= sizeof room->bytes, "no key of such a length",
                 NULL);
        blm_put64(room->bytes, i);
        if (side == LAW_STRANGER) memcpy(room->bytes + room->len - 2, "?!", 2);
    }
}

blm_item law_item(const blm_filter *f, law_side side, uint64_t i, law_key *room)
{
    memset(room, 0, sizeof *room);
    write_key(f, side, i, room);
    return blm_item_of(f, room->bytes, room->len, arg_of(f, 2 * i + (side == LAW_STRANGER)));
}

/* The last key of a call is compared with law_item, so that the two cannot drift apart. */
void law_hashes(const blm_filter *f, law_side side, uint64_t first, size_t n, blm_hash *h,
                uint64_t *arg)
{
    enum { PIECE = 128 };
    law_key rooms[PIECE];
    blm_key keys[PIECE];
    memset(rooms, 0,
           sizeof rooms); /* keys of one side are equally long: no rests of the last piece */
    for (size_t at = 0; at < n; at += PIECE) {
        const size_t run = n - at < PIECE ? n - at : PIECE;
        for (size_t i = 0; i < run; i++) {
            write_key(f, side, first + at + i, &rooms[i]);
            keys[i] = (blm_key){rooms[i].bytes, rooms[i].len};
        }
        blm_hash_many(f, keys, run, h + at);
    }
    for (size_t i = 0; arg && i < n; i++)
        arg[i] = arg_of(f, 2 * (first + i) + (side == LAW_STRANGER));
    if (!n) return;
    const blm_item last = law_item(f, side, first + n - 1, &rooms[0]);
    const bool wide = !(f->kind->needs & BLM_NEEDS_LO);
    law_need(h[n - 1].lo == last.h.lo && (!wide || h[n - 1].hi == last.h.hi) &&
                 (!arg || arg[n - 1] == last.arg),
             "law_hashes and law_item disagree", NULL);
}

uint64_t law_weight(const blm_item *it) { return it->arg == BLM_NO_ARG ? 1 : it->arg; }

/* ---- filters --------------------------------------------------------------------------------- */

bool law_may_add(const blm_filter *f) { return blm_can(f, BLM_ADD); }

blm_filter *law_make(const char *kind, const char *settings)
{
    char text[256];
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    snprintf(text, sizeof text, "%s %s %s", kind, settings, law_with(kind));
    law_need(blm_make(&f, text, &why) == BLM_OK, text, &why);
    return f;
}

bool law_estimates(const blm_filter *f, const blm_estimate *n)
{
    return !(f->kind->promises & ~f->lost & BLM_NEVER_LOW) && n->low < n->value &&
           n->value < n->high;
}

double law_standard_error(const blm_estimate *n)
{
    return n->value - n->low > n->high - n->value ? n->value - n->low : n->high - n->value;
}

static blm_err add_batches(blm_filter *f, uint64_t first, uint64_t n)
{
    enum { BATCH = 1024 };
    blm_hash h[BATCH];
    uint64_t arg[BATCH];
    uint64_t *args = f->kind->arg.name ? arg : NULL;
    for (uint64_t at = 0; at < n; at += BATCH) {
        const size_t run = n - at < BATCH ? (size_t)(n - at) : BATCH;
        law_hashes(f, LAW_MEMBER, first + at, run, h, args);
        const blm_err err = blm_add_many(f, h, args, run, NULL, NULL);
        if (err) return err;
    }
    return BLM_OK;
}

blm_err law_add(blm_filter *f, uint64_t first, uint64_t n)
{
    law_key room;
    if (n > 10000 && !(f->kind->needs & BLM_NEEDS_BYTES)) return add_batches(f, first, n);
    for (uint64_t i = 0; i < n; i++) {
        const blm_item it = law_item(f, LAW_MEMBER, first + i, &room);
        const blm_err err = blm_add_item(f, &it, NULL);
        if (err) return err;
    }
    return BLM_OK;
}

/* Lists other than the members get up to 20 non-members, each list its own: a kind that must tell
 * them from members may need a salt for each. */
blm_filter *law_build(const blm_config *c, const uint64_t *order, uint64_t n)
{
    blm_builder *b = NULL;
    blm_filter *f = NULL, *like = NULL;
    blm_report why = {BLM_OK, ""};
    blm_kind_info info;
    law_key room;
    blm_config sized = *c;
    if (!sized.keys) sized.keys = n ? n : 1;
    law_need(blm_kind_named(c->kind, &info), c->kind, NULL);
    law_need(blm_builder_new(&b, c, &why) == BLM_OK, "builder", &why);
    law_need(blm_new(&like, &sized, &why) == BLM_OK, "filter", &why);
    for (unsigned list = 0; list <= info.nlists; list++)
        for (uint64_t i = 0; i < n && (!list || i < 20); i++) {
            const law_side side = list ? LAW_STRANGER : LAW_MEMBER;
            const uint64_t at = list ? ((uint64_t)list << 40) + i : order ? order[i] : i;
            const blm_item it = law_item(like, side, at, &room);
            law_need(blm_builder_add(b, list, it.key, it.len, it.arg) == BLM_OK, "row", NULL);
        }
    blm_free(like);
    law_need(blm_build(&f, b, &why) == BLM_OK, "build", &why);
    return f;
}

blm_filter *law_filled_by(const char *kind, uint64_t keys, uint64_t n, const blm_alloc *alloc)
{
    blm_kind_info info;
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    const blm_config c = {.size = sizeof c,
                          .kind = kind,
                          .keys = keys,
                          .fpr = 0.01,
                          .with = law_with(kind),
                          .alloc = alloc};
    law_need(blm_kind_named(kind, &info), kind, NULL);
    if (info.is_static) return law_build(&c, NULL, n);
    law_need(blm_new(&f, &c, &why) == BLM_OK, "new", &why);
    law_need(law_add(f, 0, n) == BLM_OK, "adding within capacity", NULL);
    return f;
}

uint64_t law_places(const char *kind, uint64_t keys, uint64_t times)
{
    return blm_kind_find(kind, strlen(kind))->copies ? keys * (times > 3 ? times : 3) : keys;
}

blm_filter *law_filled(const char *kind, uint64_t keys, uint64_t n)
{
    return law_filled_by(kind, keys, n, NULL);
}

bool law_same_cells(const blm_filter *a, const blm_filter *b)
{
    if (a->bytes != b->bytes || a->nchild != b->nchild) return false;
    if (a->bytes && memcmp(a->cells, b->cells, (size_t)a->bytes) != 0) return false;
    for (uint32_t i = 0; i < a->nchild; i++)
        if (!law_same_cells(a->child[i], b->child[i])) return false;
    return true;
}

uint64_t law_handles(const blm_filter *f, uint64_t *cells)
{
    uint64_t bytes = f->kind->size + f->nchild * sizeof(blm_filter *);
    *cells += f->bytes;
    for (uint32_t i = 0; i < f->nchild; i++) bytes += law_handles(f->child[i], cells);
    return bytes;
}

static void stir(uint64_t *sum, uint64_t v)
{
    *sum = (*sum ^ v) * UINT64_C(0x100000001b3);
    *sum ^= *sum >> 29;
}

uint64_t law_answers(const blm_filter *f, uint64_t n)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    law_key room;
    for (uint64_t i = 0; i < 2 * n; i++) {
        const blm_item it = law_item(f, i % 2 ? LAW_STRANGER : LAW_MEMBER, i / 2, &room);
        blm_estimate times = {0, 0, 0, false};
        uint64_t value = 0;
        stir(&sum, blm_has_item(f, &it));
        stir(&sum, (uint64_t)blm_count_item(f, &it, &times));
        stir(&sum, (uint64_t)times.value);
        stir(&sum, (uint64_t)blm_get_item(f, &it, &value));
        stir(&sum, value);
    }
    return sum;
}
