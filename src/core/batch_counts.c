/* batch_counts.c - many keys: deleted and counted while the cells of the next ones are fetched (window.h). */
#include "core/window.h"

/* ---- delete ------------------------------------------------------------------------------------- */

/* A key that is not deleted does not end a batch: its flag tells. */
static blm_err del_flagged(blm_filter *f, const blm_item *it, uint8_t *absent)
{
    blm_err err;
    const uint8_t flag = blm_del_flag(&err, blm_del_item(f, it));
    if (absent && !err) *absent = flag;
    return err;
}

static blm_err del_each(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                        uint8_t *absent, size_t *done)
{
    blm_err err = BLM_OK;
    size_t i = 0;
    for (; i < n && !err; i += !err) {
        const blm_item it = {h[i], NULL, 8, a ? a[i] : BLM_NO_ARG};
        err = del_flagged(f, &it, absent ? absent + i : NULL);
    }
    *done = i;
    return err;
}

/* With an argument for each key: the caller's, else the kind's default. */
static blm_err del_numbered(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n,
                            size_t more, uint8_t *absent, size_t *done)
{
    uint64_t own[BLM_PIECE];
    blm_err err = BLM_OK;
    size_t at = 0, went = 0;
    for (; !err && at < n; at += went) {
        const size_t run = blm_min_size(n - at, BLM_PIECE);
        blm_default_args(f, a ? a + at : NULL, run, own);
        err = f->kind->del_many(f, h + at, own, run, n - at - run + more,
                                absent ? absent + at : NULL, &went);
    }
    *done = at;
    return err;
}

/* `more` hashes follow the n, to be fetched. */
static blm_err del_run(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n, size_t more,
                       uint8_t *absent, size_t *done)
{
    return (f->kind->arg.name ? del_numbered : f->kind->del_many)(f, h, a, n, more, absent, done);
}

static bool deletes_in_batches(const blm_filter *f)
{
    return f->kind->del_many && blm_in_batches(f);
}

blm_err blm_del_many(blm_filter *f, const blm_hash *h, const uint64_t *args, size_t n,
                     uint8_t *absent, size_t *done)
{
    size_t at = 0;
    blm_err err = blm_may_write(f, BLM_DEL);
    if (!err && f->kind->needs & BLM_NEEDS_BYTES) err = BLM_E_CANNOT;
    for (size_t i = 0; !err && args && i < n; i++)
        if (!blm_arg_fits(f, args[i])) err = BLM_E_ARG;
    if (!err && deletes_in_batches(f)) {
        f->kind->prefetch_many(f, h, blm_min_size(n, BLM_AHEAD));
        err = del_run(f, h, args, n, 0, absent, &at);
    } else if (!err)
        err = del_each(f, h, args, n, absent, &at);
    if (done) *done = at;
    return err;
}

static blm_err del_pieces(blm_filter *f, const blm_many *m, size_t n, uint8_t *absent, size_t *done)
{
    blm_window w;
    blm_err err = BLM_OK;
    size_t at = 0, went = 0;
    w.made = w.kept = 0;
    for (; at < n && !err; at += went) {
        const size_t now = blm_window_fill(&w, f, m, n);
        err = del_run(f, w.h, NULL, now, w.behind, absent ? absent + at : NULL, &went);
        blm_window_move(&w, now);
    }
    *done = at;
    return err;
}

static blm_err del_all(blm_filter *f, const blm_many *m, size_t n, uint8_t *absent, size_t *done)
{
    blm_err err = blm_may_write(f, BLM_DEL);
    size_t at = 0;
    if (!err && deletes_in_batches(f)) {
        const size_t sound = m->keys ? blm_sound_keys(f, m->keys, n) : n;
        err = del_pieces(f, m, sound, absent, &at);
        if (!err && sound < n) err = BLM_E_ARG;
    } else {
        uint8_t room[8];
        blm_item it;
        for (; at < n && !err; at += !err) {
            err = blm_many_item(f, m, at, room, &it);
            if (!err) err = del_flagged(f, &it, absent ? absent + at : NULL);
        }
    }
    if (done) *done = at;
    return err;
}

blm_err blm_del_many_keys(blm_filter *f, const blm_key *k, size_t n, uint8_t *absent, size_t *done)
{
    return del_all(f, &(const blm_many){.keys = k}, n, absent, done);
}

blm_err blm_del_many_u64(blm_filter *f, const uint64_t *k, size_t n, uint8_t *absent, size_t *done)
{
    return del_all(f, &(const blm_many){.numbers = k}, n, absent, done);
}

/* ---- count -------------------------------------------------------------------------------------- */

static bool counts_in_batches(const blm_filter *f)
{
    return f->kind->count_many && blm_in_batches(f);
}

blm_err blm_count_many(const blm_filter *f, const blm_hash *h, size_t n, blm_estimate *times)
{
    blm_err err = blm_may_read(f, BLM_COUNT);
    if (!err && f->kind->needs & BLM_NEEDS_BYTES) err = BLM_E_CANNOT;
    if (!err && counts_in_batches(f)) {
        f->kind->prefetch_many(f, h, blm_min_size(n, BLM_AHEAD));
        return f->kind->count_many(f, h, n, 0, times);
    }
    for (size_t i = 0; i < n && !err; i++)
        err = blm_count_item(f, &(const blm_item){h[i], NULL, 8, BLM_NO_ARG}, &times[i]);
    return err;
}

static blm_err count_pieces(const blm_filter *f, const blm_many *m, size_t n, blm_estimate *times)
{
    blm_window w;
    blm_err err = BLM_OK;
    w.made = w.kept = 0;
    for (size_t at = 0, now; at < n && !err; at += now) {
        now = blm_window_fill(&w, f, m, n);
        err = f->kind->count_many(f, w.h, now, w.behind, times + at);
        blm_window_move(&w, now);
    }
    return err;
}

static blm_err count_all(const blm_filter *f, const blm_many *m, size_t n, blm_estimate *times)
{
    blm_err err = blm_may_read(f, BLM_COUNT);
    if (!err && counts_in_batches(f))
        return m->keys && blm_sound_keys(f, m->keys, n) < n ? BLM_E_ARG
                                                            : count_pieces(f, m, n, times);
    for (size_t i = 0; i < n && !err; i++) {
        uint8_t room[8];
        blm_item it;
        err = blm_many_item(f, m, i, room, &it);
        if (!err) err = blm_count_item(f, &it, &times[i]);
    }
    return err;
}

blm_err blm_count_many_keys(const blm_filter *f, const blm_key *k, size_t n, blm_estimate *times)
{
    return count_all(f, &(const blm_many){.keys = k}, n, times);
}

blm_err blm_count_many_u64(const blm_filter *f, const uint64_t *k, size_t n, blm_estimate *times)
{
    return count_all(f, &(const blm_many){.numbers = k}, n, times);
}
