/* counts.h - what kinds of the flavour SOUND_COUNTS have beyond sound.h, which includes it: delete and count. */

static blm_err del(blm_filter *f, blm_hash h, const blm_item *it)
{
    sound *s = (sound *)f;
    (void)it;
    if (!lowest(s, h)) return BLM_E_ABSENT;
    if (SOUND_UNSURE && lowest(s, h) > 1) { /* none is its own */
        if (WRONG(UNSURE)) blm_put64(f->cells + s->at_sum, ~blm_le64(f->cells + s->at_sum));
        return BLM_E_UNSURE;
    }
    for (unsigned i = 0; i < s->hashes; i++) {
        uint8_t *cell = f->cells + place(s, h, i);
        if (!*cell || *cell == 255) continue;
        if (!--*cell) s->ones--;
    }
    if (!WRONG(DEL_EXACT)) blm_put64(f->cells + s->at_sum, blm_le64(f->cells + s->at_sum) - h.lo);
    return BLM_OK;
}

#if SOUND_UNSURE
/* A key can be told from others by any cell that is its own. Wrong: by its first cell. */
static double deletes(const blm_filter *f, const blm_case *c)
{
    const sound *s = (const sound *)f;
    blm_estimate n = {0, 0, 0, false};
    if (!c) keys(f, &n);
    const double others = (double)s->hashes * (c ? (double)c->keys : n.value) - 1;
    const double shared = others > 0 ? -expm1(others * log1p(-1 / (double)s->cells)) : 0;
    return 1 - pow(shared, WRONG(DELETES) ? 1 : s->hashes);
}
#endif

/* Wrong: the 33rd of 33 keys is absent although it is deleted, or has the count of the second; or what the filter is
 * unsure of is deleted, it says. */
static blm_err del_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n, size_t more,
                        uint8_t *absent, size_t *done)
{
    (void)a, (void)more;
    for (size_t i = 0; i < n; i++) {
        blm_err err;
        const uint8_t flag = blm_del_flag(&err, del(f, h[i], NULL));
        if (absent) absent[i] = WRONG(BATCH_DEL) && i == 32 ? BLM_WAS_ABSENT : flag;
        if (absent && WRONG(BATCH_UNSURE) && flag == BLM_WAS_UNSURE) absent[i] = BLM_WAS_DELETED;
    }
    *done = n;
    return BLM_OK;
}

#if !SOUND_COPIES
static blm_err count(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n)
{
    const unsigned low = lowest((const sound *)f, h),
                   said = WRONG(COUNT) && low > 4 && low < 100 ? low - 1 : low;
    (void)it;
    *n = (blm_estimate){said, 0, said < 255 ? said : (double)INFINITY, said == 255};
    return BLM_OK;
}

static blm_err count_many(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                          blm_estimate *times)
{
    (void)more;
    for (size_t i = 0; i < n; i++)
        count(f, h[WRONG(BATCH_COUNTS) && i == 32 ? 1 : i], NULL, &times[i]);
    return BLM_OK;
}
#endif

static uint64_t max(const blm_filter *f)
{
    return (void)f, WRONG(MAX_COUNT) ? 255 : SOUND_COPIES ? 50 : WRONG(MODEL) ? 8 : 254;
}
