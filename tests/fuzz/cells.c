/* cells.c - any bytes as the cells of every kind: every call ends, and stays inside the region.
 *
 *      byte 0   the kind: each has a byte of its own, and a share of the others
 *      byte 1   its setting: below 192 the default one, or a word of one of its knobs; else one of 16 with drawn knobs
 *      byte 2   how many keys it was planned for, and bits of `extras`: which fields change, whether rates are asked for
 *      byte 3   how the rest paints the cells
 *      rest     numbers of its fields, then paint
 *
 * An input that is an image is the paint for its own kind, so that the goldens serve as they are. The filter is made,
 * holds keys, and is painted where it lies: nobody checks these cells before they are used, as nobody checks those of a
 * mapped file (rule R1 of core/kind.h). Fields change as far as the kind's shape accepts it. Then come all calls that
 * only ask, and all that change, on cells that no add has made.
 *
 *   fuzz_cells --seeds DIR GOLDEN...   makes inputs of goldens: the byte of the kind, fields, cells
 *
 * Half of what libFuzzer tries goes to the kind that was run least (of those in CELLS_KINDS, if it is set), and the
 * runs of each kind are printed at the end.
 */
#include <bloomery/time.h>
#include <time.h>

#include "core/bytes.h"
#include "core/image/image.h"
#include "fuzz/ask.h"
#include "fuzz/made.h"

enum { HEAD = 4, SIZES = 4, KINDS = 256, CPU_SECONDS = 5 };
enum { WORDS = 48, DRAWN = 16, SETTINGS = WORDS + DRAWN, FIRST_DRAWN = 192 /* of byte 1 */ };

/* Bits of byte 2 next to two for the size. */
enum extras { WITH_STATE = 4, WITH_ADDS = 8, ONLY_PARENT = 16, WITH_RATES = 32, WITH_SHAPE = 64 };

/* ---- which kind ------------------------------------------------------------------------------------------ */

static struct {
    size_t n;
    blm_kind_info kind[KINDS];
    uint8_t byte_of[KINDS], kind_of[256];
    unsigned settings[KINDS];
    bool wanted[KINDS];
    uint64_t runs[KINDS];
} all;

static bool word_in(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = words; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == n && strncmp(at, word, n) == 0) return true;
    return false;
}

static void print_runs(void)
{
    for (size_t i = 0; i < all.n; i++)
        fprintf(stderr, "cells: %s %llu\n", all.kind[i].name, (unsigned long long)all.runs[i]);
}

/* Word number `which` of all knobs of words, as "knob=word"; 0 and numbers past the last word are the default. */
static void setting_of(const char *kind, unsigned which, char with[200])
{
    blm_knobdef d;
    unsigned at = 0;
    with[0] = 0;
    for (size_t i = 0; blm_knob_at(kind, i, &d); i++)
        for (const char *w = d.type == BLM_K_WORD ? d.words : ""; *w; w += strspn(w, "|")) {
            const int length = (int)strcspn(w, "|");
            if (++at == which) snprintf(with, 200, "%s=%.*s", d.name, length, w);
            w += length;
        }
}

static unsigned settings_of(const char *kind)
{
    char with[200];
    unsigned n = 1;
    for (setting_of(kind, n, with); with[0] && n < WORDS; setting_of(kind, n, with)) n++;
    return n;
}

/* Each kind takes the first free byte from a hash of its name on, so that kinds which are added leave most inputs what
 * they were; the bytes that are left go to whom choose_kind says. */
static void know_kinds(void)
{
    const char *wanted = getenv("CELLS_KINDS");
    bool taken[256] = {false};
    blm_kind_info k;
    if (all.n) return;
    for (; all.n < KINDS && blm_kind_at(all.n, &k); all.n++) {
        unsigned at = (unsigned)blm_checksum(k.name, strlen(k.name), 0) & 255;
        while (taken[at]) at = (at + 1) & 255;
        taken[at] = true;
        all.kind[all.n] = k;
        all.byte_of[all.n] = (uint8_t)at;
        all.settings[all.n] = settings_of(k.name);
        all.kind_of[at] = (uint8_t)all.n;
        all.wanted[all.n] = !wanted || !*wanted || word_in(wanted, k.name);
    }
    MUST(!blm_kind_at(all.n, &k)); /* no more kinds than bytes */
    for (unsigned b = 0; b < 256; b++)
        if (!taken[b]) all.kind_of[b] = choose_kind(b, &k);
}

/* ---- the filter that is painted ----------------------------------------------------------------------- */

static void add_keys(blm_filter *f, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const key k = key_of(f, i);
        const blm_item it = item_of(f, &k, i);
        any(blm_add_item(f, &it, NULL));
    }
}

/* With some keys; NULL: this setting cannot be planned for so few of them, or takes too much room here. */
static blm_filter *fill(uint8_t kind, unsigned setting, unsigned size)
{
    static const uint64_t keys[SIZES] = {1, 40, 200, 500};
    const unsigned n = size ? 40 : 1;
    wish w = {.kind = all.kind[kind], .kind_number = kind};
    blm_report why = {BLM_OK, ""};
    blm_filter *f = NULL;
    blm_config_init(&w.c);
    w.c.kind = w.kind.name;
    w.c.keys = keys[size];
    w.c.fpr = 0.1;
    if (setting < WORDS) setting_of(w.kind.name, setting, w.with);
    uint64_t state = setting;
    for (unsigned i = 0; i < 3 && setting >= WORDS; i++) add_knob(&w, &state);
    const recipe c = {&w, {0, n}, 0, w.kind.is_static ? BUILT : 0, 0};
    if (cook(&f, &c, NULL, &why)) return NULL;
    if (!w.kind.is_static) add_keys(f, n);
    return f;
}

/* Made once each, and copied for every input. The next smaller size, and at last the default setting, where it cannot
 * be made as asked. */
static const blm_filter *base_of(uint8_t kind, unsigned setting, unsigned size)
{
    static struct {
        bool tried;
        blm_filter *f;
    } shelf[KINDS][SETTINGS][SIZES];
    for (;; size--) {
        if (!shelf[kind][setting][size].tried) {
            shelf[kind][setting][size].tried = true;
            shelf[kind][setting][size].f = fill(kind, setting, size);
        }
        if (shelf[kind][setting][size].f) return shelf[kind][setting][size].f;
        if (size) continue;
        MUST(setting); /* every kind can be made by default */
        setting = 0, size = SIZES;
    }
}

/* ---- paint ----------------------------------------------------------------------------------------------- */

typedef enum paint {
    PAINT_LAY = 0,    /* the bytes of the input, once; what keys left is after them */
    PAINT_REPEAT = 1, /* over and over                                              */
    PAINT_FEW = 2,    /* some places, each two bytes, get one                       */
    PAINT_WORDS = 3,  /* limits: 0, 1, powers of two and one less                   */
    PAINT_NOISE = 4,  /* half of the bits                                           */
    PAINT_SPARSE = 5,
    PAINT_DENSE = 6,
    PAINT_MIXED = 7 /* words of noise among those that keys left */
} paint;

static uint64_t noise(uint64_t *state) { return blm_mix(*state += BLM_SALT_STEP); }

static uint64_t word_of(paint how, uint64_t *state, uint64_t old)
{
    const uint64_t r = noise(state), s = noise(state);
    switch (how) {
    case PAINT_WORDS:
        return r % 4 == 0 ? 0 : r % 4 == 1 ? old : (UINT64_C(1) << (s & 63)) - r % 2;
    case PAINT_SPARSE:
        return r & s;
    case PAINT_DENSE:
        return r | s;
    case PAINT_MIXED:
        return s % 4 ? old : r;
    default:
        return r;
    }
}

static void paint_cells(uint8_t *cells, uint64_t bytes, paint how, input in)
{
    uint64_t state = blm_checksum(in.at, in.left, 0);
    if (how == PAINT_LAY || (how == PAINT_REPEAT && !in.left))
        for (uint64_t i = 0; i < bytes && in.left; i++) cells[i] = (uint8_t)next(&in);
    else if (how == PAINT_REPEAT)
        for (uint64_t i = 0; i < bytes; i++) cells[i] = in.at[i % in.left];
    else if (how == PAINT_FEW)
        while (in.left) {
            const unsigned low = next(&in), at = low | next(&in) << 8;
            cells[at % bytes] = (uint8_t)next(&in);
        }
    else
        for (uint64_t at = 0; at < bytes; at += 8) {
            uint8_t word[8] = {0};
            const size_t n = bytes - at < 8 ? (size_t)(bytes - at) : 8;
            memcpy(word, cells + at, n);
            blm_put64(word, word_of(how, &state, blm_le64(word)));
            memcpy(cells + at, word, n);
        }
}

static void paint_all(blm_filter *f, paint how, input in, unsigned extras)
{
    if (f->bytes) paint_cells(f->cells, f->bytes, how, in);
    for (uint32_t i = 0; i < f->nchild && !(extras & ONLY_PARENT); i++)
        paint_all(f->child[i], how, in, extras);
}

/* ---- fields ---------------------------------------------------------------------------------------------- */

enum { NUMBERS = 64, ANY_NUMBER = 3 };

/* Near an end of the field, near what it is, or any number. */
static uint64_t number_of(const blm_field *d, uint64_t now, input *in)
{
    const unsigned how = next(in), by = next(in);
    uint64_t n = 0;
    for (unsigned i = 0; i < d->width && how % 4 == ANY_NUMBER; i++) n = n << 8 | next(in);
    if (how % 4 != ANY_NUMBER)
        n = how % 4 == 0 ? d->min + by : how % 4 == 1 ? d->max - by : now + by - 128;
    return n < d->min ? d->min : n > d->max ? d->max : n;
}

static bool changes(const blm_field *d, unsigned extras)
{
    return extras & (unsigned)(d->flags & BLM_F_STATE ? WITH_STATE : WITH_SHAPE);
}

/* Fields say how large the region is: then it is made anew, with as many of the old cells as fit. */
static bool resize(blm_filter *f, uint64_t bytes)
{
    if (bytes == f->bytes) return true;
    uint8_t *fresh = bytes && bytes <= 2 * LARGE ? f->alloc.get(f->alloc.ctx, (size_t)bytes) : NULL;
    if (!fresh) return false;
    if (f->bytes) memcpy(fresh, f->cells, (size_t)(bytes < f->bytes ? bytes : f->bytes));
    if (f->cells) f->alloc.put(f->alloc.ctx, f->cells, (size_t)f->bytes);
    f->cells = fresh;
    f->bytes = bytes;
    return true;
}

/* Fields first .. end - 1 get these numbers, unless the shape does not accept that. */
static bool put_numbers(blm_filter *f, const uint64_t *number, size_t first, size_t end)
{
    uint64_t bytes = 0;
    blm_filter *before = malloc(f->kind->size);
    MUST(before);
    memcpy(before, f, f->kind->size);
    for (size_t i = first; i < end; i++) blm_field_set(f, &f->kind->fields[i], number[i]);
    f->can = blm_kind_can(f->kind);
    const bool accepted = !blm_shape(f, &bytes, NULL) && resize(f, bytes);
    if (!accepted) memcpy(f, before, f->kind->size);
    free(before);
    return accepted;
}

/* All of them at once, as a forged header has them; else those that are accepted one by one. */
static void change_fields(blm_filter *f, input *in, unsigned extras)
{
    const size_t n = f->kind->nfields;
    uint64_t number[NUMBERS];
    MUST(n <= NUMBERS);
    for (size_t i = 0; i < n; i++) {
        const blm_field *d = &f->kind->fields[i];
        const uint64_t now = blm_field_get(f, d);
        number[i] = changes(d, extras) ? number_of(d, now, in) : now;
    }
    if (n && put_numbers(f, number, 0, n)) return;
    for (size_t i = 0; i < n; i++) put_numbers(f, number, i, i + 1);
}

static void change_numbers(blm_filter *f, input *in, unsigned extras)
{
    if (extras & (WITH_STATE | WITH_SHAPE)) change_fields(f, in, extras);
    if (extras & WITH_ADDS) {
        const unsigned how = next(in), by = next(in);
        f->adds = how & 1 ? BLM_ADDS_MAX - by : by;
        f->now = how & 2 ? UINT64_MAX - by : by;
    }
    blm_settle(f);
    for (uint32_t i = 0; i < f->nchild && !(extras & ONLY_PARENT); i++)
        change_numbers(f->child[i], in, extras);
}

/* ---- calls ----------------------------------------------------------------------------------------------- */

static void ask_members(const blm_filter *f)
{
    blm_hash h[KEYS];
    uint64_t arg[KEYS];
    blm_estimate times[KEYS];
    uint8_t yes[KEYS];
    for (unsigned i = 0; i < KEYS; i++) {
        const key k = key_of(f, i);
        const blm_item it = item_of(f, &k, i);
        if (i % 8 == 0) ask_one(f, &it);
        h[i] = it.h, arg[i] = it.arg;
    }
    if (f->kind->needs & BLM_NEEDS_BYTES) return;
    blm_has_many(f, h, f->kind->arg.name ? arg : NULL, KEYS, yes);
    any(blm_count_many(f, h, KEYS, times));
}

static uint64_t sum_of(const blm_filter *f, uint64_t sum)
{
    if (f->bytes) sum = blm_checksum(f->cells, (size_t)f->bytes, sum);
    for (uint32_t i = 0; i < f->nchild; i++) sum = sum_of(f->child[i], sum);
    return sum;
}

/* Nothing of it writes. */
static void ask_all(const blm_filter *f, unsigned extras)
{
    const uint64_t before = sum_of(f, 0);
    ask_keys(f);
    ask_members(f);
    ask_whole(f);
    if (extras & WITH_RATES) ask_rates(f);
    MUST(before == sum_of(f, 0));
}

/* Checked, as every image is that is loaded: what passes is the same filter, and may be asked and changed too. */
static bool check(const blm_filter *f, const blm_alloc *alloc)
{
    const saved image = image_of(f);
    blm_filter *g = NULL;
    const blm_open_options how = {.size = sizeof how, .overfill = true, .alloc = alloc};
    const blm_err checked = blm_verify_image(image.at, image.length, NULL);
    const blm_err err = blm_load(&g, image.at, image.length, &how, NULL);
    MUST(err == checked || err == BLM_E_NOMEM);
    if (!err) MUST(blm_equal(f, g));
    blm_free(g);
    free(image.at);
    return !checked;
}

static void change_keys(blm_filter *f)
{
    blm_hash h[FEW];
    uint64_t arg[FEW];
    uint8_t told[FEW];
    bool fresh;
    for (unsigned i = 0; i < FEW; i++) {
        const key k = key_of(f, i * 9);
        const blm_item it = item_of(f, &k, i * 9);
        h[i] = it.h, arg[i] = it.arg;
        any(blm_put_item(f, &it));
        any(blm_add_item(f, &it, &fresh));
        any(blm_deny_item(f, &it));
        if (i % 2) any(blm_del_item(f, &it));
    }
    const uint64_t *args = f->kind->arg.name ? arg : NULL;
    any(blm_add_shared(f, h, FEW, told));
    if (f->kind->needs & BLM_NEEDS_BYTES) return;
    any(blm_add_many(f, h, args, FEW, told, NULL));
    any(blm_del_many(f, h, args, FEW, told, NULL));
    any(blm_add_bulk(f, h, FEW, 1, NULL));
}

static void change_time(blm_filter *f)
{
    any(blm_tick(f, f->now));
    any(blm_tick(f, f->now < UINT64_MAX ? f->now + 1 : f->now));
    any(blm_tick(f, f->now < UINT64_MAX / 2 ? f->now + 1000 : UINT64_MAX));
}

static void ask_pair(const blm_filter *f, const blm_filter *g, unsigned extras)
{
    blm_overlap both;
    blm_filter *half = NULL;
    any(blm_overlap_of(f, g, &both, NULL));
    if (blm_fold(&half, f, 1, NULL) == BLM_OK) {
        ask_all(half, extras & ~(unsigned)WITH_RATES);
        change_keys(half);
    }
    blm_free(half);
}

/* Each on a copy of its own, so that it meets the cells as they were painted. */
static void change_by(const blm_filter *f, const blm_filter *g, unsigned which)
{
    blm_filter *own = NULL;
    blm_estimate keys;
    if (blm_copy(&own, f, NULL)) return;
    switch (which) {
    case 0:
        any(blm_merge(own, g, NULL));
        break;
    case 1:
        any(blm_intersect(own, g, NULL));
        break;
    case 2:
        any(blm_subtract(own, g, NULL));
        break;
    case 3:
        any(blm_adopt(own, f->cells, (size_t)f->bytes, NULL));
        break;
    case 4:
        any(blm_grow(own, NULL));
        break;
    case 5:
        change_time(own);
        break;
    default:
        change_keys(own);
        change_time(own);
        any(blm_grow(own, NULL));
    }
    ask_keys(own);
    change_keys(own);
    any(blm_cardinality(own, &keys));
    blm_free(own);
}

/* Members of a family agree on their fields, which is not for shape to see: where they do not, it can only be asked. */
static void call_all(blm_filter *f, const blm_alloc *alloc, unsigned extras)
{
    blm_filter *g = NULL;
    ask_all(f, extras);
    const bool sound = check(f, alloc);
    if (!sound && f->nchild && extras & (WITH_STATE | WITH_SHAPE)) return;
    if (blm_copy(&g, f, NULL) == BLM_OK) {
        ask_pair(f, g, extras);
        for (unsigned i = 0; i < 7; i++) change_by(f, g, i);
    }
    blm_free(g);
    change_keys(f);
    ask_members(f);
    any(blm_set_note(f, "note", NULL));
    any(blm_clear(f));
    change_keys(f);
    ask_all(f, 0);
}

/* ---- one input ------------------------------------------------------------------------------------------- */

static void put(saved *s, const void *p, size_t n)
{
    if (n) MUST(keep(s, p, n) == BLM_OK);
}

/* The fields and cells of an image, as an input for its kind; of a family the cells of the first child. False: these
 * bytes are no image that can be opened. */
static bool seed_of(const uint8_t *p, size_t n, saved *out)
{
    blm_filter *f = NULL;
    size_t kind = 0;
    if (n < BLM_PRELUDE || memcmp(p, blm_magic, sizeof blm_magic) != 0 ||
        blm_load(&f, p, n, BLM_OPEN(.without_secret = true, .max_bytes = MEMORY), NULL))
        return false;
    while (strcmp(all.kind[kind].name, f->kind->name) != 0) kind++;
    const blm_filter *cells = f->nchild ? f->child[0] : f;
    const unsigned extras = SIZES - 1u + (f->nchild ? 0u : WITH_STATE + WITH_SHAPE);
    const uint8_t head[HEAD] = {all.byte_of[kind], 0, (uint8_t)extras, PAINT_LAY};
    *out = (saved){malloc(n + HEAD + NUMBERS * 10), 0, n + HEAD + NUMBERS * 10};
    MUST(out->at);
    put(out, head, HEAD);
    for (size_t i = 0; i < f->kind->nfields && !f->nchild; i++) {
        const blm_field *d = &f->kind->fields[i];
        uint8_t number[10] = {ANY_NUMBER, 0};
        for (unsigned b = 0; b < d->width; b++)
            number[2 + b] = (uint8_t)(blm_field_get(f, d) >> 8 * (d->width - 1u - b));
        put(out, number, 2u + d->width);
    }
    put(out, cells->cells, (size_t)cells->bytes);
    blm_free(f);
    return true;
}

static void run(input in)
{
    meter m = {.limit = MEMORY};
    const blm_alloc alloc = {meter_get, meter_put, &m};
    blm_filter *f = NULL;
    const clock_t begin = clock();
    const uint8_t kind = all.kind_of[next(&in)];
    const unsigned byte = next(&in), extras = next(&in);
    const unsigned setting = byte < FIRST_DRAWN ? byte % all.settings[kind] : WORDS + byte % DRAWN;
    const paint how = (paint)(next(&in) % 8);
    MUST(!blm_copy_by(&f, base_of(kind, setting, extras % SIZES), &alloc, NULL));
    f->flags |= BLM_OVERFILL; /* judging the fill is slow */
    change_numbers(f, &in, extras);
    paint_all(f, how, in, extras);
    call_all(f, &alloc, extras);
    blm_free(f);
    MUST(m.now == 0);
    all.runs[kind]++;
    MUST((double)(clock() - begin) / CLOCKS_PER_SEC < CPU_SECONDS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    saved seed;
    know_kinds();
    if (seed_of(data, size, &seed)) {
        run((input){seed.at, seed.length});
        free(seed.at);
        return 0;
    }
    uint8_t *exact = malloc(size ? size : 1); /* a step past the end is seen */
    MUST(exact);
    if (size) memcpy(exact, data, size);
    run((input){exact, size});
    free(exact);
    return 0;
}

/* ---- libFuzzer's hooks ------------------------------------------------------------------------------------ */

/* There is none where a target only replays. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    size_t least = all.n;
    know_kinds();
    size = LLVMFuzzerMutate(data, size, room);
    for (size_t i = 0; i < all.n; i++)
        if (all.wanted[i] && (least == all.n || all.runs[i] < all.runs[least])) least = i;
    if (seed & 1 && size && least < all.n) data[0] = all.byte_of[least];
    return size;
}

static void write_seed(const char *folder, const char *path)
{
    char to[1024];
    saved seed, image = {malloc(MEMORY), 0, MEMORY};
    const char *slash = strrchr(path, '/');
    FILE *in = fopen(path, "rb");
    MUST(image.at && in);
    image.length = fread(image.at, 1, MEMORY, in);
    fclose(in);
    if (seed_of(image.at, image.length, &seed)) {
        snprintf(to, sizeof to, "%s/%s", folder, slash ? slash + 1 : path);
        FILE *out = fopen(to, "wb");
        MUST(out && fwrite(seed.at, 1, seed.length, out) == seed.length && fclose(out) == 0);
        free(seed.at);
    }
    free(image.at);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    know_kinds();
    if (*argc < 3 || strcmp((*argv)[1], "--seeds") != 0) return atexit(print_runs);
    for (int i = 3; i < *argc; i++) write_seed((*argv)[2], (*argv)[i]);
    exit(0);
}
