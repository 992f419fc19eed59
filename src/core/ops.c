/* ops.c - one key: core looks at abilities, worlds and capacity, the kind at its cells. */
#include <bloomery/text.h>
#include <bloomery/time.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core_internal.h"
#include "core/bytes.h"

bool blm_can(const blm_filter *f, blm_ability what)
{
    return (f->can & (uint32_t)what) == (uint32_t)what;
}

/* ---- who may ask what ------------------------------------------------------------------- */

blm_err blm_may_write(const blm_filter *f, blm_ability what)
{
    if (!(f->can & (uint32_t)what)) return BLM_E_CANNOT;
    if (f->flags & BLM_MAPPED) return BLM_E_READONLY;
    return f->hasher ? BLM_OK : BLM_E_KEY;
}

blm_err blm_may_read(const blm_filter *f, blm_ability what)
{
    if (!(f->can & (uint32_t)what)) return BLM_E_CANNOT;
    return f->hasher ? BLM_OK : BLM_E_KEY;
}

/* Is this a key of the kind's world? */
bool blm_in_world(const blm_filter *f, const blm_item *it)
{
    const uint32_t needs = f->kind->needs;
    if (blm_of_integers(f) && it->len != 8) return false;
    if (needs & BLM_NEEDS_BYTES && !it->key && it->len) return false;
    if (!f->kind->world) return true;
    uint64_t min = 0, max = UINT64_MAX;
    f->kind->world(f, &min, &max);
    const uint64_t v = needs & BLM_NEEDS_U64 ? it->h.lo : it->len;
    return v >= min && v <= max;
}

bool blm_arg_range(const blm_filter *f, uint64_t *min, uint64_t *max)
{
    const blm_kind *k = f->kind;
    if (!k->arg.name) return false;
    *min = k->arg.min;
    *max = k->arg.max;
    if (k->args) k->args(f, min, max);
    return true;
}

bool blm_arg_fits(const blm_filter *f, uint64_t arg)
{
    uint64_t min, max;
    return arg == BLM_NO_ARG || !blm_arg_range(f, &min, &max) || (arg >= min && arg <= max);
}

uint64_t blm_default_arg(const blm_filter *f)
{
    uint64_t min, max;
    if (!blm_arg_range(f, &min, &max)) return BLM_NO_ARG;
    return f->kind->arg.def < max ? f->kind->arg.def : max;
}

/* A write means the kind's default argument where the caller gave none. */
blm_item blm_default_item(const blm_filter *f, const blm_item *it)
{
    blm_item own = *it;
    if (own.arg == BLM_NO_ARG) own.arg = blm_default_arg(f);
    return own;
}

/* ---- capacity ---------------------------------------------------------------------------- */

static double estimated_keys(const blm_filter *f, bool *bound)
{
    blm_estimate n = {0, 0, 0, false};
    const bool told = f->kind->keys && !f->kind->keys(f, &n);
    if (bound) *bound = told && n.bound;
    return told ? n.value : (double)f->adds;
}

uint64_t blm_capacity_now(const blm_filter *f)
{
    const uint64_t room = f->kind->room ? f->kind->room(f) : f->capacity;
    return room < BLM_KEYS_MAX ? room : BLM_KEYS_MAX;
}

/* The promise of the plan, for as long as theory keeps it at the room that f has now. */
double blm_promise_now(const blm_filter *f)
{
    const blm_case full = {.keys = blm_capacity_now(f), .arg = BLM_NO_ARG};
    if (!f->kind->room || full.keys == f->capacity) return f->target;
    return fmax(f->target, blm_rate_rounded(f->kind->fpr(f, &full).high));
}

bool blm_is_bounded(const blm_filter *f)
{
    return f->kind->fpr_ceiling && f->kind->fpr_ceiling(f) < 1;
}

/* The next look: half the way to capacity while there is room, else a 64th of it. The rate grows at
 * most by (1 + 1/64)^20 = 1.36 in between, at 10^-6. A rate that has a bound is never looked at. */
void blm_look_again(blm_filter *f)
{
    f->judged = 0; /* callers have changed the cells */
    const double capacity = (double)blm_capacity_now(f);
    const double room = (capacity - estimated_keys(f, NULL)) / 2, min = capacity / 64;
    const double step = fmax(1, fmax(room, min));
    const bool never = step > 9e18 || f->adds > UINT64_MAX - (uint64_t)step || blm_is_bounded(f);
    f->look = never ? UINT64_MAX : f->adds + (uint64_t)step;
}

void blm_grown(blm_filter *f) { blm_look_again(f); }

blm_err blm_room(const blm_filter *f, blm_report *why)
{
    const blm_rate now = f->kind->fpr(f, NULL);
    const double promise = blm_promise_now(f);
    if (!(now.high > 2 * promise)) return BLM_OK;
    /* The promise is a mean over seeds. A tiny filter lies off it by its spread, without one key too
     * many: 4 sigma are chance. At 10^6 keys they are a hundredth. */
    const blm_case full = {.keys = blm_capacity_now(f), .arg = BLM_NO_ARG};
    if (!(now.high > 2 * promise * (1 + 4 * f->kind->fpr(f, &full).spread))) return BLM_OK;
    bool bound;
    const double inside = estimated_keys(f, &bound);
    return blm_fail(why, BLM_E_FULL,
                    "over capacity: planned for %" PRIu64
                    " keys at fpr %.3g, now it holds %s %.0f keys and the "
                    "rate is %.3g, more than twice the promise",
                    full.keys, promise, bound ? "more than" : "about", inside, now.high);
}

blm_err blm_why_full(const blm_filter *f, const blm_item *it, blm_report *why)
{
    if (!(f->flags & BLM_OVERFILL) && blm_room(f, why)) return BLM_E_FULL;
    if (f->kind->full && f->hasher && it && blm_in_world(f, it))
        return f->kind->full(f, it->h, it, why);
    return blm_fail(why, BLM_E_FULL, "no room: all places for keys of this %s filter are taken",
                    f->kind->name);
}

#define LARGE (UINT64_C(1) << 20) /* bytes whose ones are not counted without need */

/* Cheap test that a large filter is not full: the O(1) key estimate already keeps the promise. It tells the rate only
 * if chance has spread the keys: then it is the number of adds, within 4 sigma. Keys that came twice, hashes
 * that are not uniform and cells of others take the long way. */
static bool surely_room(const blm_filter *f, const blm_estimate *n)
{
    if (f->bytes < LARGE || n->value > (double)blm_capacity_now(f)) return false;
    if (fabs(n->value - (double)f->adds) > 4 * (n->value - n->low)) return false;
    const blm_case now = {.keys = (uint64_t)n->value, .arg = BLM_NO_ARG};
    return f->kind->fpr(f, &now).high <= 1.1 * blm_promise_now(f);
}

enum { JUDGED_STEPS = 4096, JUDGED_AGAIN = JUDGED_STEPS / 128 };

/* As f->judged keeps it: at least 1, and 0 where the number is too large to be kept. */
static uint16_t in_steps(const blm_filter *f, const blm_estimate *n)
{
    const double steps = n->value / (double)blm_capacity_now(f) * JUDGED_STEPS;
    return steps < UINT16_MAX && !n->bound ? (uint16_t)fmax(1, steps) : 0;
}

/* Cheap test that nothing has happened since the cells were last counted: the key estimate has moved by less than
 * half of what a stream of new keys moves it between two looks. Keys that are in the set already
 * do not move it, so streams of them are never counted twice. */
static bool hardly_moved(const blm_filter *f, const blm_estimate *n)
{
    const uint16_t now = in_steps(f, n);
    return f->judged && now && abs((int)now - (int)f->judged) < JUDGED_AGAIN;
}

blm_err blm_judge(blm_filter *f)
{
    blm_estimate n = {0, 0, 0, false};
    if (f->flags & BLM_OVERFILL || blm_is_bounded(f)) {
        f->look = UINT64_MAX;
        return BLM_OK;
    }
    const bool told = f->kind->keys && !f->kind->keys(f, &n);
    uint16_t judged = f->judged;
    if (!told || !(hardly_moved(f, &n) || surely_room(f, &n))) {
        const blm_err err = blm_room(f, NULL);
        if (err) return err;
        judged = told ? in_steps(f, &n) : 0;
    }
    blm_look_again(f);
    f->judged = judged;
    return BLM_OK;
}

/* ---- add ---------------------------------------------------------------------------------- */

blm_err blm_add_item(blm_filter *f, const blm_item *it, bool *fresh)
{
    blm_err err = blm_may_write(f, BLM_ADD);
    if (err) return err;
    if (!blm_in_world(f, it) || !blm_arg_fits(f, it->arg)) return BLM_E_ARG;
    if (f->adds >= f->look && (err = blm_judge(f))) return err;
    const blm_item own = blm_default_item(f, it);
    bool is_new = false;
    err = f->kind->add(f, own.h, &own, &is_new);
    if (err) return err;
    blm_count_adds(f, 1);
    if (fresh) *fresh = is_new;
    return BLM_OK;
}

blm_err blm_any_add(blm_filter *f, const void *key, size_t len)
{
    if (!key && len) return BLM_E_ARG;
    const blm_item it = blm_item_of(f, key, len, BLM_NO_ARG);
    return blm_add_item(f, &it, NULL);
}

blm_err blm_any_add_u64(blm_filter *f, uint64_t key)
{
    uint8_t b[8];
    blm_put64(b, key);
    return blm_any_add(f, b, sizeof b);
}

blm_err blm_add(blm_filter *f, const void *key, size_t len) { return f->one->add(f, key, len); }
blm_err blm_add_u64(blm_filter *f, uint64_t key) { return f->one->add_u64(f, key); }

/* ---- has ----------------------------------------------------------------------------------- */

bool blm_has_item(const blm_filter *f, const blm_item *it)
{
    if (!f->hasher) return true;
    if (!blm_in_world(f, it) || !blm_arg_fits(f, it->arg)) return false;
    if (f->flags & BLM_TOUCH_CHECK && blm_check_item(f, it, NULL)) return true;
    return f->kind->has(f, it->h, it);
}

static bool any_has(const blm_filter *f, const void *key, size_t len)
{
    if (!key && len) return false;
    const blm_item it = blm_item_of(f, key, len, BLM_NO_ARG);
    return blm_has_item(f, &it);
}

static bool any_has_u64(const blm_filter *f, uint64_t key)
{
    uint8_t b[8];
    blm_put64(b, key);
    return any_has(f, b, sizeof b);
}

/* For every kind and every setting. */
const blm_one blm_one_any = {any_has, any_has_u64, blm_any_add, blm_any_add_u64};

void blm_settle(blm_filter *f)
{
    const blm_kind *k = f->kind;
    const bool plain = k->one && blm_hash_is_plain(f) && !(f->flags & BLM_TOUCH_CHECK) &&
                       (f->can & BLM_ADD || !k->add) && blm_is_plain(f);
    const blm_one *fast = plain ? k->one(f) : NULL;
    f->one = fast ? fast : &blm_one_any;
    if (f->flags & BLM_MAPPED)
        f->look = 0; /* no row adds a key: each calls core, which says READONLY */
}

bool blm_has(const blm_filter *f, const void *key, size_t len) { return f->one->has(f, key, len); }
bool blm_has_u64(const blm_filter *f, uint64_t key) { return f->one->has_u64(f, key); }

bool blm_has_hash(const blm_filter *f, blm_hash h)
{
    if (f->kind->needs & BLM_NEEDS_BYTES)
        return true; /* it would have to look at the bytes: in doubt, yes */
    const blm_item it = {h, NULL, 8, BLM_NO_ARG};
    return blm_has_item(f, &it);
}

size_t blm_touched(const blm_filter *f, const blm_item *it, blm_touch *out, size_t cap)
{
    if (!f->kind->touch || !f->hasher || !blm_in_world(f, it)) return 0;
    return f->kind->touch(f, it->h, it, out, cap);
}

bool blm_range(const blm_filter *f, uint64_t lo, uint64_t hi)
{
    if (!(f->can & BLM_RANGE)) return true; /* a kind that cannot tell */
    uint64_t min = 0, max = UINT64_MAX;
    if (f->kind->world) f->kind->world(f, &min, &max);
    if (lo > hi || hi < min || lo > max) return false;
    return f->kind->range(f, lo < min ? min : lo, hi > max ? max : hi);
}

/* ---- delete, count ---------------------------------------------------------------------------- */

blm_err blm_del_item(blm_filter *f, const blm_item *it)
{
    const blm_err err = blm_may_write(f, BLM_DEL);
    if (err) return err;
    if (!blm_in_world(f, it) || !blm_arg_fits(f, it->arg)) return BLM_E_ARG;
    const blm_item own = blm_default_item(f, it);
    return f->kind->del(f, own.h, &own);
}

blm_err blm_del(blm_filter *f, const void *key, size_t len)
{
    if (!key && len) return BLM_E_ARG;
    const blm_item it = blm_item_of(f, key, len, BLM_NO_ARG);
    return blm_del_item(f, &it);
}

blm_err blm_count_item(const blm_filter *f, const blm_item *it, blm_estimate *times)
{
    const blm_err err = blm_may_read(f, BLM_COUNT);
    if (err) return err;
    return blm_in_world(f, it) ? f->kind->count(f, it->h, it, times) : BLM_E_ARG;
}

blm_err blm_count(const blm_filter *f, const void *key, size_t len, blm_estimate *times)
{
    if (!key && len) return BLM_E_ARG;
    const blm_item it = blm_item_of(f, key, len, BLM_NO_ARG);
    return blm_count_item(f, &it, times);
}

blm_err blm_count_all(const blm_filter *f, const blm_item *it, size_t n, blm_estimate *times)
{
    const blm_err err = blm_may_read(f, BLM_COUNT_ALL);
    if (err) return err;
    for (size_t i = 0; i < n; i++)
        if (!blm_in_world(f, &it[i])) return BLM_E_ARG;
    return f->kind->count_all(f, it, n, times);
}

blm_err blm_at_least(const blm_filter *f, const void *key, size_t len, uint64_t times, bool *yes)
{
    blm_estimate n;
    const blm_err err = blm_count(f, key, len, &n);
    if (err) return err;
    if (n.bound && n.value < (double)times) return BLM_E_UNSURE;
    *yes = n.value >= (double)times;
    return BLM_OK;
}

/* ---- maps, text, time --------------------------------------------------------------------------- */

blm_err blm_get_item(const blm_filter *f, const blm_item *it, uint64_t *value)
{
    const blm_err err = blm_may_read(f, BLM_GET);
    if (err) return err;
    return blm_in_world(f, it) ? f->kind->get(f, it->h, it, value) : BLM_E_ABSENT;
}

blm_err blm_get(const blm_filter *f, const void *key, size_t len, uint64_t *value)
{
    if (!key && len) return BLM_E_ARG;
    const blm_item it = blm_item_of(f, key, len, BLM_NO_ARG);
    return blm_get_item(f, &it, value);
}

blm_err blm_put_item(blm_filter *f, const blm_item *it)
{
    const blm_err err = blm_may_write(f, BLM_PUT);
    if (err) return err;
    if (!blm_in_world(f, it) || !blm_arg_fits(f, it->arg)) return BLM_E_ARG;
    const blm_item own = blm_default_item(f, it);
    return f->kind->put(f, own.h, &own);
}

blm_err blm_put(blm_filter *f, const void *key, size_t len, uint64_t value)
{
    if (!key && len) return BLM_E_ARG;
    const blm_item it = blm_item_of(f, key, len, value);
    return blm_put_item(f, &it);
}

blm_err blm_which(const blm_filter *f, const blm_item *it, const uint64_t *sets, size_t n,
                  uint8_t *yes)
{
    if (!f->kind->arg.name) return BLM_E_CANNOT;
    if (!f->hasher) return BLM_E_KEY;
    if (f->can & BLM_WHICH) return f->kind->which(f, it->h, it, sets, n, yes);
    for (size_t i = 0; i < n; i++) {
        blm_item one = *it;
        one.arg = sets[i];
        yes[i] = blm_has_item(f, &one);
    }
    return BLM_OK;
}

blm_err blm_index(const blm_filter *f, const blm_item *it, uint64_t *dense)
{
    const blm_err err = blm_may_read(f, BLM_INDEX);
    return err ? err : f->kind->index(f, it->h, dense);
}

blm_err blm_list(const blm_filter *f, blm_item *out, size_t *n, blm_report *why)
{
    if (!(f->can & BLM_LIST))
        return blm_fail(why, BLM_E_CANNOT, "%s cannot list its keys", f->kind->name);
    return f->kind->list(f, out, n, why);
}

blm_err blm_part(const blm_filter *f, const blm_item *it, uint64_t *offsets, size_t *n)
{
    const blm_err err = blm_may_read(f, BLM_PART);
    return err ? err : f->kind->part(f, it, offsets, n);
}

blm_err blm_deny_item(blm_filter *f, const blm_item *it)
{
    if (f->flags & BLM_MAPPED) return BLM_E_READONLY;
    if (!f->hasher) return BLM_E_KEY;
    if (!blm_in_world(f, it) || !blm_arg_fits(f, it->arg)) return BLM_E_ARG;
    const blm_item own = blm_default_item(f, it);
    if (!f->kind->has(f, own.h, &own)) return BLM_E_ABSENT;
    blm_err err = blm_label_make(f);
    if (!err && f->can & BLM_DENY) err = f->kind->deny(f, own.h, &own);
    if (!err) blm_reports_add(f, 1, 0);
    return err;
}

blm_err blm_deny(blm_filter *f, const void *key, size_t len)
{
    if (!key && len) return BLM_E_ARG;
    const blm_item it = blm_item_of(f, key, len, BLM_NO_ARG);
    return blm_deny_item(f, &it);
}

blm_err blm_report_queries(blm_filter *f, uint64_t yes, uint64_t no)
{
    if (f->flags & BLM_MAPPED) return BLM_E_READONLY;
    const blm_err err = blm_label_make(f);
    if (!err) blm_reports_add(f, yes, no);
    return err;
}

blm_err blm_tick(blm_filter *f, uint64_t now)
{
    const blm_err err = blm_may_write(f, BLM_TICK);
    if (err) return err;
    if (now < f->now) return BLM_E_CLOCK;
    const blm_err did = f->kind->tick(f, now);
    if (!did) f->now = now;
    return did;
}
