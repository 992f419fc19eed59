/* batch.c - many keys: hashed in pieces, asked while the next ones are on their way.
 *
 *      keys  |....piece....|....piece....|           256 keys are hashed,
 *      cells       <--- asked ---|-fetched-|          then asked, while those of the next 64
 *                                                     are being fetched: no wait between pieces
 *
 * Kinds that look at a world of keys or inside the bytes are asked key by key, and so are questions where an argument is
 * none of the kind's.
 */
#include "core/window.h"

bool blm_is_plain(const blm_filter *f) { return blm_in_batches(f) && !f->kind->arg.name; }

/* ---- has ---------------------------------------------------------------------------------------- */

/* Are the arguments of all keys ones that the kind has, or none? */
static bool all_fit(const blm_filter *f, const uint64_t *args, size_t n)
{
    uint64_t min, max;
    size_t i = 0;
    if (!args || !blm_arg_range(f, &min, &max)) return true;
    while (i < n && (args[i] == BLM_NO_ARG || (args[i] >= min && args[i] <= max))) i++;
    return i == n;
}

void blm_has_many(const blm_filter *f, const blm_hash *h, const uint64_t *args, size_t n,
                  uint8_t *yes)
{
    const bool plain = f->hasher && blm_in_batches(f) && !(f->flags & BLM_TOUCH_CHECK);
    if (plain && all_fit(f, args, n)) {
        f->kind->prefetch_many(f, h, blm_min_size(n, BLM_AHEAD));
        f->kind->has_many(f, h, args, n, 0, yes);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const blm_item it = {h[i], NULL, 8, args ? args[i] : BLM_NO_ARG};
        yes[i] = f->kind->needs & BLM_NEEDS_BYTES ? true : blm_has_item(f, &it);
    }
}

static void has_pieces(const blm_filter *f, const blm_many *m, size_t n, uint8_t *yes)
{
    blm_window w;
    w.made = w.kept = 0;
    for (size_t at = 0; at < n;) {
        const size_t now = blm_window_fill(&w, f, m, n);
        f->kind->has_many(f, w.h, NULL, now, w.behind, yes + at);
        blm_window_move(&w, now);
        at += now;
    }
}

void blm_has_many_keys(const blm_filter *f, const blm_key *k, size_t n, uint8_t *yes)
{
    const bool plain = f->hasher && blm_in_batches(f) && !(f->flags & BLM_TOUCH_CHECK);
    for (size_t at = 0; at < n;) {
        const size_t sound = plain ? blm_sound_keys(f, k + at, n - at) : 0;
        if (sound) has_pieces(f, &(const blm_many){.keys = k + at}, sound, yes + at);
        at += sound;
        if (at < n) yes[at] = blm_has(f, k[at].key, k[at].len), at++;
    }
}

void blm_has_many_u64(const blm_filter *f, const uint64_t *k, size_t n, uint8_t *yes)
{
    const bool plain = f->hasher && blm_in_batches(f) && !(f->flags & BLM_TOUCH_CHECK);
    if (plain && f->kind->has_u64 && blm_hash_is_plain(f))
        f->kind->has_u64(f, k, n, yes);
    else if (plain)
        has_pieces(f, &(const blm_many){.numbers = k}, n, yes);
    else
        for (size_t i = 0; i < n; i++) yes[i] = blm_has_u64(f, k[i]);
}

/* ---- add ---------------------------------------------------------------------------------------- */

/* Without a batch of its own a kind is asked key by key; kinds that need bytes have no batches of hashes. */
static blm_err add_each(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                        uint8_t *fresh, size_t *done)
{
    blm_err err = BLM_OK;
    size_t i = 0;
    for (; i < n; i++) {
        const blm_item it = {h[i], NULL, 8, a ? a[i] : BLM_NO_ARG};
        if (!blm_in_world(f, &it)) err = BLM_E_ARG;
        const blm_item own = blm_default_item(f, &it);
        bool is_new = false;
        if (!err) err = f->kind->add(f, own.h, &own, &is_new);
        if (err) break;
        if (fresh) fresh[i] = is_new;
    }
    *done = i;
    return err;
}

/* With an argument for each key: the caller's, else the kind's default. */
static blm_err add_numbered(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                            size_t more, uint8_t *fresh, size_t *done)
{
    uint64_t own[BLM_PIECE];
    blm_err err = BLM_OK;
    size_t at = 0;
    while (!err && at < n) {
        const size_t run = blm_min_size(n - at, BLM_PIECE);
        size_t went = 0;
        blm_default_args(f, a ? a + at : NULL, run, own);
        err = f->kind->add_many(f, h + at, own, run, n - at - run + more, fresh ? fresh + at : NULL,
                                &went);
        at += went;
    }
    *done = at;
    return err;
}

/* Runs up to where the fill is judged. `more` hashes follow the n, to be fetched. */
static blm_err add_runs(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n, size_t more,
                        uint8_t *fresh, size_t *done)
{
    blm_err err = BLM_OK;
    size_t at = 0;
    while (!err && at < n) {
        if (f->adds >= f->look && (err = blm_judge(f))) break;
        const uint64_t until = f->look > f->adds ? f->look - f->adds : 1;
        const size_t run = until < n - at ? (size_t)until : n - at;
        const uint64_t *args = a ? a + at : NULL;
        uint8_t *news = fresh ? fresh + at : NULL;
        size_t went = 0;
        const size_t behind = n - at - run + more;
        if (!f->kind->add_many || !blm_in_batches(f))
            err = add_each(f, h + at, args, run, news, &went);
        else
            err = (f->kind->arg.name ? add_numbered : f->kind->add_many)(f, h + at, args, run,
                                                                         behind, news, &went);
        blm_count_adds(f, went);
        at += went;
    }
    *done = at;
    return err;
}

blm_err blm_add_many(blm_filter *f, const blm_hash *h, const uint64_t *args, size_t n,
                     uint8_t *fresh, size_t *done)
{
    size_t at = 0;
    blm_err err = blm_may_write(f, BLM_ADD);
    if (!err && f->kind->needs & BLM_NEEDS_BYTES) err = BLM_E_CANNOT;
    for (size_t i = 0; !err && args && i < n; i++)
        if (!blm_arg_fits(f, args[i])) err = BLM_E_ARG;
    if (!err && blm_in_batches(f)) f->kind->prefetch_many(f, h, blm_min_size(n, BLM_AHEAD));
    if (!err) err = add_runs(f, h, args, n, 0, fresh, &at);
    if (done) *done = at;
    return err;
}

/* Integers that the kind hashes itself, in runs up to where the fill is judged. */
static blm_err add_numbers(blm_filter *f, const uint64_t *k, size_t n, uint8_t *fresh, size_t *done)
{
    blm_err err = BLM_OK;
    size_t at = 0;
    while (at < n) {
        if (f->adds >= f->look && (err = blm_judge(f))) break;
        const uint64_t until = f->look > f->adds ? f->look - f->adds : 1;
        const size_t run = until < n - at ? (size_t)until : n - at;
        f->kind->add_u64(f, k + at, run, fresh ? fresh + at : NULL);
        blm_count_adds(f, run);
        at += run;
    }
    *done = at;
    return err;
}

static blm_err add_pieces(blm_filter *f, const blm_many *m, size_t n, uint8_t *fresh, size_t *done)
{
    blm_window w;
    blm_err err = BLM_OK;
    size_t at = 0, went = 0;
    w.made = w.kept = 0;
    for (; at < n && !err; at += went) {
        const size_t now = blm_window_fill(&w, f, m, n);
        err = add_runs(f, w.h, NULL, now, w.behind, fresh ? fresh + at : NULL, &went);
        blm_window_move(&w, now);
    }
    *done = at;
    return err;
}

static blm_err add_one(blm_filter *f, const blm_many *m, size_t i, bool *is_new)
{
    uint8_t room[8];
    blm_item it;
    const blm_err err = blm_many_item(f, m, i, room, &it);
    return err ? err : blm_add_item(f, &it, is_new);
}

static blm_err add_all(blm_filter *f, const blm_many *m, size_t n, uint8_t *fresh, size_t *done)
{
    blm_err err = blm_may_write(f, BLM_ADD);
    size_t at = 0;
    if (!err && m->numbers && f->kind->add_u64 && blm_is_plain(f) && blm_hash_is_plain(f))
        err = add_numbers(f, m->numbers, n, fresh, &at);
    else if (!err && blm_in_batches(f) && f->kind->add_many) {
        const size_t sound = m->keys ? blm_sound_keys(f, m->keys, n) : n;
        err = add_pieces(f, m, sound, fresh, &at);
        if (!err && sound < n) err = BLM_E_ARG;
    } else {
        bool is_new = false;
        for (; at < n && !err && !(err = add_one(f, m, at, &is_new)); at++)
            if (fresh) fresh[at] = is_new;
    }
    if (done) *done = at;
    return err;
}

blm_err blm_add_many_keys(blm_filter *f, const blm_key *k, size_t n, uint8_t *fresh, size_t *done)
{
    return add_all(f, &(const blm_many){.keys = k}, n, fresh, done);
}

blm_err blm_add_many_u64(blm_filter *f, const uint64_t *k, size_t n, uint8_t *fresh, size_t *done)
{
    return add_all(f, &(const blm_many){.numbers = k}, n, fresh, done);
}
