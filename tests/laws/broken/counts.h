/* counts.h - what kinds of the flavour SOUND_COUNTS have beyond sound.h, which includes it: delete and count. */

static blm_err del(blm_filter *f, blm_hash h, const blm_item *it)
{
    sound *s = (sound *)f;
    (void)it;
    if (!lowest(s, h)) return BLM_E_ABSENT;
    for (unsigned i = 0; i < s->hashes; i++) {
        uint8_t *cell = f->cells + place(s, h, i);
        if (!*cell || *cell == 255) continue;
        if (!--*cell) s->ones--;
    }
    if (!WRONG(DEL_EXACT)) blm_put64(f->cells + s->at_sum, blm_le64(f->cells + s->at_sum) - h.lo);
    return BLM_OK;
}

static blm_err count(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n)
{
    const unsigned low = lowest((const sound *)f, h),
                   said = WRONG(COUNT) && low > 4 && low < 100 ? low - 1 : low;
    (void)it;
    *n = (blm_estimate){said, 0, said < 255 ? said : (double)INFINITY, said == 255};
    return BLM_OK;
}

/* Wrong: the 33rd of 33 keys is absent although it is deleted, or has the count of the second. */
static blm_err del_many(blm_filter *f, const blm_hash *h, const uint64_t *a, size_t n, size_t more,
                        uint8_t *absent, size_t *done)
{
    (void)a, (void)more;
    for (size_t i = 0; i < n; i++) {
        const bool none = del(f, h[i], NULL) == BLM_E_ABSENT;
        if (absent) absent[i] = none || (WRONG(BATCH_DEL) && i == 32);
    }
    *done = n;
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

static uint64_t max(const blm_filter *f)
{
    return (void)f, WRONG(MAX_COUNT) ? 255 : WRONG(MODEL) ? 8 : 254;
}
