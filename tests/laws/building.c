/* building.c - laws of kinds that take numbers with their keys, and of the builder: a key that comes again. */
#include <inttypes.h>
#include <math.h>

#include "core/core_internal.h"
#include "laws/laws.h"

/* ---- built_as_added ---------------------------------------------------------------------------------- */

enum { BUILT = 500, CAME = BUILT * 2, LISTED = 20 };

typedef struct came { /* a row for the builder; list 0: members, else non-members of that list */
    uint64_t key, arg;
    unsigned list;
} came;

/* Key i comes once to three times: all of them, then those that come again, some of them twice in a row. few: where each
 * copy takes a place, a twelfth of them alone comes again. */
static uint64_t arrivals(uint64_t order[CAME], bool few)
{
    uint64_t n = 0;
    for (uint64_t i = 0; few && i < BUILT; i++)
        for (uint64_t twin = 0; twin < 1 + (i % 12 == 4); twin++) order[n++] = i;
    if (few) return n;
    for (uint64_t i = 0; i < BUILT; i++)
        for (uint64_t twin = 0; twin < 1 + (i % 6 == 4); twin++) order[n++] = i;
    for (uint64_t times = 1; times < 3; times++)
        for (uint64_t i = 0; i < BUILT; i++)
            if (i % 3 >= times && (times < 2 || i % 6 != 4) && n < CAME) order[n++] = i;
    return n;
}

/* The number with which a key comes for the turn-th time: another one, where the kind allows that. */
static uint64_t arg_again(const blm_filter *like, blm_again again, uint64_t key, uint64_t turn)
{
    law_key room;
    const uint64_t other = again == BLM_AGAIN_CONFLICT ? 0 : turn;
    return law_item(like, LAW_MEMBER, key + other * 1000003, &room).arg;
}

/* A filter without keys, to hash with. */
static blm_filter *hasher_of(const blm_config *c)
{
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    blm_config sized = *c;
    sized.keys = BUILT;
    law_need(blm_new(&f, &sized, &why) == BLM_OK, "filter", &why);
    return f;
}

static blm_err build_came(blm_filter **out, const blm_config *c, const came *rows, uint64_t n)
{
    blm_builder *b = NULL;
    blm_report why = {BLM_OK, ""};
    law_key room;
    blm_filter *like = hasher_of(c);
    law_need(blm_builder_new(&b, c, &why) == BLM_OK, "builder", &why);
    for (uint64_t i = 0; i < n; i++) {
        const came *r = &rows[i];
        const uint64_t at = r->list ? ((uint64_t)r->list << 40) + r->key : r->key;
        const blm_item it = law_item(like, r->list ? LAW_STRANGER : LAW_MEMBER, at, &room);
        law_need(blm_builder_add(b, r->list, it.key, it.len, r->arg) == BLM_OK, "row", NULL);
    }
    blm_free(like);
    return blm_build(out, b, &why);
}

/* Another number, or where a kind can only estimate one that is three standard errors away. */
static bool counts_differ(const blm_filter *a, const blm_filter *b, const blm_item *it)
{
    blm_estimate x = {0, 0, 0, false}, y = {0, 0, 0, false};
    if (blm_count_item(a, it, &x) || blm_count_item(b, it, &y)) return false;
    const bool sure = !law_estimates(a, &x) && !law_estimates(b, &y);
    return fabs(x.value - y.value) >
           (sure ? 0 : 3 * hypot(law_standard_error(&x), law_standard_error(&y)));
}

/* Members are found alike. Where the order of adds shows in the cells, counts may differ for keys that meet others:
 * both err on 1 % of the keys, so that 10 of 500 are off with a sigma of 3.2; 23 are 4 sigma. */
static int alike(const blm_filter *built, const blm_filter *added, bool any_order)
{
    uint64_t off = 0;
    law_key room;
    DEMAND(built->adds == added->adds, "built with %" PRIu64 " adds, added %" PRIu64, built->adds,
           added->adds);
    DEMAND(!any_order || law_answers(built, BUILT) == law_answers(added, BUILT),
           "built: other answers than added");
    for (uint64_t i = 0; i < BUILT; i++)
        for (uint64_t turn = 0; turn < 3; turn++) {
            blm_item it = law_item(added, LAW_MEMBER, i, &room);
            it.arg = arg_again(added, added->kind->arg.again, i, turn);
            DEMAND(blm_has_item(built, &it) == blm_has_item(added, &it),
                   "key %" PRIu64 " answers otherwise when it is built", i);
            off += !turn && counts_differ(built, added, &it);
        }
    DEMAND(off <= (any_order ? 0 : 23), "%" PRIu64 " of %d keys are counted otherwise when built",
           off, BUILT);
    return 0;
}

/* ---- kinds that are built whole ------------------------------------------------------------------------ */

/* The rows that must do instead of all those that came: one per key, or per key and number, members in reverse. Rows of one
 * key are few, so that each is compared with the others by hand. */
static uint64_t reduced(const blm_kind *k, const came *rows, uint64_t n, came *out)
{
    uint64_t kept = 0;
    for (uint64_t i = n; i-- > 0;) {
        const blm_again again = rows[i].list ? k->lists[rows[i].list - 1].again : k->arg.again;
        uint64_t j = 0;
        while (j < kept && !(out[j].key == rows[i].key && out[j].list == rows[i].list &&
                             (again != BLM_AGAIN_EACH || out[j].arg == rows[i].arg)))
            j++;
        if (j == kept)
            out[kept++] = rows[i];
        else if (again == BLM_AGAIN_SUM && rows[i].arg != BLM_NO_ARG)
            out[j].arg += rows[i].arg;
    }
    return kept;
}

/* Members as they came, then the keys of each list, all of them twice. */
static uint64_t rows_of(const blm_kind *k, const blm_filter *like, came *rows)
{
    uint64_t order[CAME], n = 0, turn[BUILT] = {0};
    const uint64_t members = arrivals(order, k->copies);
    for (; n < members; n++)
        rows[n] = (came){order[n], arg_again(like, k->arg.again, order[n], turn[order[n]]++), 0};
    for (unsigned list = 1; list <= k->nlists; list++)
        for (uint64_t i = 0; i < 2 * LISTED; i++)
            rows[n++] = (came){
                i % LISTED,
                !k->lists[list - 1].keyed
                    ? BLM_NO_ARG
                    : 1 + (i + i / LISTED * (k->lists[list - 1].again != BLM_AGAIN_CONFLICT)) %
                              LISTED,
                list};
    return n;
}

/* Answers to all members, and to all keys of the lists: with every number that came. */
static int same_answers(const blm_filter *a, const blm_filter *b, const came *rows, uint64_t n)
{
    law_key room;
    DEMAND(law_answers(a, BUILT) == law_answers(b, BUILT),
           "built of keys that come again: other answers");
    for (uint64_t i = 0; i < n; i++) {
        uint64_t x = 0, y = 0;
        const uint64_t at =
            rows[i].list ? ((uint64_t)rows[i].list << 40) + rows[i].key : rows[i].key;
        blm_item it = law_item(a, rows[i].list ? LAW_STRANGER : LAW_MEMBER, at, &room);
        const bool asks = !rows[i].list && a->kind->arg.again != BLM_AGAIN_SUM;
        it.arg = asks ? rows[i].arg : BLM_NO_ARG;
        const bool same = blm_get_item(a, &it, &x) == blm_get_item(b, &it, &y) && x == y;
        DEMAND(same && blm_has_item(a, &it) == blm_has_item(b, &it),
               "row %" PRIu64 " of list %u answers otherwise when rows of one key are joined first",
               i, rows[i].list);
        DEMAND(rows[i].list || !(a->kind->promises & ~a->lost & BLM_NO_MISS) ||
                   blm_has_item(a, &it),
               "member %" PRIu64 " is missing with number %" PRIu64, rows[i].key, it.arg);
    }
    return 0;
}

/* A value that comes again and is another one. */
static int conflicts(const blm_config *c, const blm_kind *k, const blm_filter *like)
{
    uint64_t min, max;
    blm_filter *f = NULL;
    if (!blm_arg_range(like, &min, &max) || min == max || k->arg.again != BLM_AGAIN_CONFLICT)
        return 0;
    const came rows[] = {{0, min, 0}, {1, min, 0}, {0, max, 0}};
    DEMAND(build_came(&f, c, rows, 2) == BLM_OK, "two keys cannot be built");
    blm_free(f);
    f = NULL;
    DEMAND(build_came(&f, c, rows, 3) == BLM_E_CONFLICT && !f,
           "one key with two values is not refused as a conflict");
    return 0;
}

static int built_again(const blm_config *c, const blm_kind *k)
{
    enum { ROWS = CAME + 2 * LISTED * 8 };
    static came rows[ROWS], joined[ROWS];
    blm_filter *like = hasher_of(c), *all = NULL, *once = NULL;
    const uint64_t n = rows_of(k, like, rows), kept = reduced(k, rows, n, joined);
    law_need(k->nlists <= 8 && kept < n, "too many lists, or nothing came again", NULL);
    DEMAND(build_came(&all, c, rows, n) == BLM_OK, "building of keys that come again");
    DEMAND(build_came(&once, c, joined, kept) == BLM_OK, "building of keys that come once");
    int broken = same_answers(once, all, rows, n);
    if (!broken) broken = conflicts(c, k, like);
    blm_free(like);
    blm_free(all);
    blm_free(once);
    return broken;
}

static int law_built_as_added(const char *kind)
{
    const blm_kind *k = blm_kind_find(kind, strlen(kind));
    static came rows[CAME], joined[CAME];
    law_key room;
    blm_report why = {BLM_OK, ""};
    blm_filter *added = NULL, *built = NULL;
    blm_config c = {.size = sizeof c, .kind = kind, .fpr = 0.01, .with = law_with(kind)};
    if (blm_is_built(k)) return built_again(&c, k);
    blm_kind members = *k;
    blm_filter *like = hasher_of(&c);
    members.nlists = 0;
    const uint64_t n = rows_of(&members, like, rows), distinct = reduced(k, rows, n, joined);
    blm_free(like);
    law_need(build_came(&built, &c, rows, n) == BLM_OK, "build", NULL);
    /* Where each copy takes a place, all that came are planned for. */
    const bool copies = k->copies && (k->counts_by.knob || built->kind->max_count(built) > 1);
    c.keys = copies ? n : distinct;
    c.overfill = true;
    law_need(blm_new(&added, &c, &why) == BLM_OK, "new", &why);
    for (uint64_t i = 0; i < n; i++) {
        blm_item it = law_item(added, LAW_MEMBER, rows[i].key, &room);
        it.arg = rows[i].arg;
        DEMAND(blm_add_item(added, &it, NULL) == BLM_OK, "add within capacity");
    }
    DEMAND(built->capacity == c.keys, "built of %" PRIu64 " keys, planned for %" PRIu64, c.keys,
           built->capacity);
    const bool any_order = built->kind->promises & ~built->lost & BLM_ANY_ORDER;
    const int broken = alike(built, added, any_order);
    blm_free(built);
    blm_free(added);
    return broken;
}

/* ---- built_in_parts ---------------------------------------------------------------------------------- */

/* Twice as many hashes as 1 MiB has room for while they are sorted. */
enum { IN_PARTS = 140000, PIECE = 1000 };

typedef struct way { /* how the same keys come, and are built */
    unsigned threads, times;
    bool reversed, spooled;
} way;

static blm_err build_large(blm_filter **out, const blm_config *c, const way *w, blm_report *why)
{
    static blm_hash h[PIECE];
    blm_builder *b = NULL;
    const blm_config sized = {.size = sizeof sized, .kind = c->kind, .keys = IN_PARTS, .fpr = 0.01};
    blm_filter *like = hasher_of(&sized);
    law_need(blm_builder_new(&b, c, why) == BLM_OK, "builder", why);
    blm_builder_threads(b, w->threads);
    if (w->spooled)
        law_need(blm_builder_ram(b, UINT64_C(1) << 20, "/tmp", why) == BLM_OK, "a spool", why);
    for (unsigned time = 0; time < w->times; time++)
        for (uint64_t at = 0; at < IN_PARTS; at += PIECE) {
            law_hashes(like, LAW_MEMBER, w->reversed ? IN_PARTS - PIECE - at : at, PIECE, h, NULL);
            for (size_t i = 0; w->reversed && i < PIECE / 2; i++) {
                const blm_hash other = h[i];
                h[i] = h[PIECE - 1 - i];
                h[PIECE - 1 - i] = other;
            }
            law_need(blm_builder_add_many(b, h, PIECE, NULL) == BLM_OK, "rows", NULL);
        }
    blm_free(like);
    return blm_build(out, b, why);
}

static int in_parts(blm_config *c)
{
    static const way ways[] = {
        {1, 1, false, false}, {3, 1, true, false}, {1, 3, false, true}, {2, 1, true, true}};
    char number[32];
    blm_report why = {BLM_OK, ""};
    law_image first = {NULL, 0};
    c->keys = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        blm_filter *f = NULL;
        DEMAND(build_large(&f, c, &ways[i], &why) == BLM_OK, "%s", why.text);
        DEMAND(f->capacity == IN_PARTS, "built of %d keys, planned for %" PRIu64, IN_PARTS,
               f->capacity);
        law_image im = law_save(f);
        DEMAND(!i || law_same_image(&first, &im),
               "%u threads, %s, each key %u times, %s: other bytes", ways[i].threads,
               ways[i].reversed ? "reversed" : "in order", ways[i].times,
               ways[i].spooled ? "spooled" : "in memory");
        if (i)
            law_drop(&im);
        else
            first = im;
        blm_free(f);
    }
    law_drop(&first);
    c->keys = IN_PARTS - 1;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i += 3) {
        blm_filter *f = NULL;
        DEMAND(build_large(&f, c, &ways[i], &why) == BLM_E_FULL && !f,
               "one key more than planned is not refused as full");
        snprintf(number, sizeof number, "plan for %d keys", IN_PARTS);
        DEMAND(strstr(why.text, number), "one key too many: \"%s\" does not say \"%s\"", why.text,
               number);
    }
    return 0;
}

/* In as many parts as planned, and in three. */
static int law_built_in_parts(const char *kind)
{
    char with[300];
    blm_config c = {.size = sizeof c, .kind = kind, .fpr = 0.01, .with = law_with(kind)};
    int broken = c.with[0] ? 0 : in_parts(&c);
    if (broken) return broken;
    snprintf(with, sizeof with, "%s%sshards=3", c.with, c.with[0] ? "," : "");
    c.with = with;
    return in_parts(&c);
}

static bool is_in_parts(const blm_kind_info *k)
{
    return blm_kind_find(k->name, strlen(k->name))->parts != NULL;
}

/* ---- args ---------------------------------------------------------------------------------------------- */

/* Refused by each way in, and nothing changes. */
static int refused(blm_filter *f, const blm_config *c, uint64_t arg)
{
    law_key room;
    blm_builder *b = NULL;
    blm_item it = law_item(f, LAW_MEMBER, 7, &room);
    it.arg = arg;
    law_image before = law_save(f);
    DEMAND(blm_add_item(f, &it, NULL) == BLM_E_ARG, "number %" PRIu64 " is added", arg);
    DEMAND(blm_add_many(f, &it.h, &arg, 1, NULL, NULL) == BLM_E_ARG,
           "number %" PRIu64 " is added in a batch", arg);
    DEMAND(!blm_has_item(f, &it), "a key with number %" PRIu64 " is found", arg);
    law_image after = law_save(f);
    DEMAND(law_same_image(&before, &after), "a refused number changes the filter");
    law_drop(&before);
    law_drop(&after);
    law_need(blm_builder_new(&b, c, NULL) == BLM_OK, "builder", NULL);
    DEMAND(blm_builder_add(b, 0, it.key, it.len, arg) == BLM_E_ARG,
           "number %" PRIu64 " is taken by the builder", arg);
    blm_builder_free(b);
    return 0;
}

static int taken(const char *kind, uint64_t arg)
{
    law_key room;
    blm_filter *f = law_make(kind, "keys=100 fpr=1%");
    blm_item it = law_item(f, LAW_MEMBER, 7, &room);
    it.arg = arg;
    DEMAND(blm_add_item(f, &it, NULL) == BLM_OK, "legal number %" PRIu64 " is refused", arg);
    it.arg = f->kind->arg.again == BLM_AGAIN_SUM ? BLM_NO_ARG : arg;
    DEMAND(!arg || blm_has_item(f, &it), "a key with number %" PRIu64 " is missing", arg);
    blm_free(f);
    return 0;
}

static int law_args(const char *kind)
{
    uint64_t min, max, large_min, large_max;
    const blm_kind *k = blm_kind_find(kind, strlen(kind));
    const blm_config c = {
        .size = sizeof c, .kind = kind, .fpr = 0.01, .keys = 100, .with = law_with(kind)};
    blm_filter *f = law_make(kind, "keys=100 fpr=1%"), *large = law_make(kind, "keys=9999 fpr=1%");
    law_need(blm_arg_range(f, &min, &max), "no range", NULL);
    DEMAND(min <= max && min >= k->arg.min && max <= k->arg.max,
           "numbers from %" PRIu64 " to %" PRIu64 ", which its table does not have", min, max);
    DEMAND(k->arg.def >= min && k->arg.def <= k->arg.max,
           "a key without a number gets %" PRIu64 ", which is none of %" PRIu64 " to %" PRIu64,
           k->arg.def, min, max);
    DEMAND(blm_arg_range(large, &large_min, &large_max) && large_min == min && large_max == max,
           "a larger filter takes other numbers");
    int broken = 0;
    if (law_may_add(f)) {
        if (min > 0) broken = refused(f, &c, min - 1);
        if (!broken && max < BLM_NO_ARG - 1) broken = refused(f, &c, max + 1);
        if (!broken) broken = taken(kind, min);
        if (!broken) broken = taken(kind, max);
    }
    blm_free(f);
    blm_free(large);
    return broken;
}

static bool always(const blm_kind_info *k) { return k != NULL; }
static bool numbered(const blm_kind_info *k) { return k->arg != NULL; }

const law laws_of_building[] = {
    {"built_as_added", "built, with keys unknown and some that come again = added one by one",
     always, law_built_as_added},
    {"built_in_parts", "fixed sets: threads, memory, order and repeats change no byte; FULL",
     is_in_parts, law_built_in_parts},
    {"args", "numbers of keys: those of the setting are taken, all others refused", numbered,
     law_args},
    {NULL, NULL, always, NULL},
};
