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

#if SOUND_ESTIMATES
/* Off by up to 0.9, as the key will have it: a standard error of 0.9 / sqrt(3). Wrong: and 0.3 too high. */
static blm_err count(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n)
{
    const unsigned low = lowest((const sound *)f, h);
    const double off = 1.8 * (double)(h.lo >> 40) * 0x1p-24 - 0.9, sd = 0.9 / sqrt(3);
    const double said = low + off + (WRONG(ESTIMATES) ? 0.3 : 0);
    (void)it;
    *n = (blm_estimate){low, low, low ? (double)INFINITY : 0, low == 255};
    if (low && low < 255) *n = (blm_estimate){said, said - sd, said + sd, false};
    return BLM_OK;
}
#elif !SOUND_COPIES
static blm_err count(const blm_filter *f, blm_hash h, const blm_item *it, blm_estimate *n)
{
    const unsigned low = lowest((const sound *)f, h),
                   said = WRONG(COUNT) && low > 4 && low < 100 ? low - 1 : low;
    (void)it;
    *n = (blm_estimate){said, 0, said < 255 ? said : (double)INFINITY, said == 255};
    return BLM_OK;
}
#endif

#if !SOUND_COPIES
static blm_err count_many(const blm_filter *f, const blm_hash *h, size_t n, size_t more,
                          blm_estimate *times)
{
    (void)more;
    for (size_t i = 0; i < n; i++)
        count(f, h[WRONG(BATCH_COUNTS) && i == 32 ? 1 : i], NULL, &times[i]);
    return BLM_OK;
}
#endif

#if SOUND_GROWS
/* The same cells for twice the keys, at a higher rate. Wrong: counters start again from one. */
static blm_err grow(blm_filter *f, blm_report *why)
{
    sound *s = (sound *)f;
    if (s->growths == 8) return blm_fail(why, BLM_E_FULL, "grown 8 times");
    for (uint64_t i = 0; i < s->cells; i++) f->cells[i] = f->cells[i] > 0;
    s->growths++;
    return BLM_OK;
}
#endif

static uint64_t max(const blm_filter *f)
{
    return (void)f, WRONG(MAX_COUNT) ? 255 : SOUND_COPIES ? 50 : WRONG(MODEL) ? 8 : 254;
}

#if SOUND_LISTS
/* What is left of a cell, and the keys of the list that have it and are not counted yet. */
typedef struct rest {
    uint32_t value, keys;
} rest;

/* Takes key h, if its count is known by a cell that no other key has, off its cells. */
static bool count_alone(const sound *s, rest *cell, blm_hash h, blm_estimate *n)
{
    for (unsigned i = 0; i < s->hashes; i++) {
        const uint32_t value = cell[place(s, h, i)].value;
        if (cell[place(s, h, i)].keys != 1) continue;
        for (unsigned j = 0; j < s->hashes; j++) {
            cell[place(s, h, j)].value -= value;
            cell[place(s, h, j)].keys--;
        }
        *n = (blm_estimate){value, value, value, false};
        return true;
    }
    return false;
}

/* A key that came before in the list: its place there, or i. */
static size_t first_of(const blm_item *it, size_t i)
{
    size_t j = 0;
    while (it[j].h.lo != it[i].h.lo) j++;
    return j;
}

/* Cells with one key tell its count, which makes others such cells. What is left over in the end belongs to a key that the
 * list lacks. Wrong: nobody looks whether anything is left over. */
static blm_err peel(const sound *s, rest *cell, const blm_item *it, size_t n, blm_estimate *own)
{
    bool more = true, full = false;
    for (uint64_t c = 0; c < s->cells; c++) {
        cell[c].value = s->base.cells[c];
        full |= cell[c].value == 255;
    }
    for (size_t i = 0; i < n; i++) {
        own[i] = (blm_estimate){lowest(s, it[i].h), 0, INFINITY, true};
        for (unsigned j = 0; j < s->hashes && first_of(it, i) == i; j++)
            cell[place(s, it[i].h, j)].keys++;
    }
    while (more) {
        more = false;
        for (size_t i = 0; i < n; i++)
            more |= own[i].bound && first_of(it, i) == i && count_alone(s, cell, it[i].h, &own[i]);
    }
    for (size_t i = 0; i < n; i++) own[i] = own[first_of(it, i)];
    for (uint64_t c = 0; c < s->cells; c++)
        if (full || (cell[c].value && !cell[c].keys && !WRONG(COUNT_ALL))) return BLM_E_UNSURE;
    for (size_t i = 0; i < n; i++)
        if (own[i].bound) return BLM_E_UNSURE;
    return BLM_OK;
}

static blm_err count_all(const blm_filter *f, const blm_item *it, size_t n, blm_estimate *times)
{
    const sound *s = (const sound *)f;
    const size_t all = s->cells * sizeof(rest), list = (n + 1) * sizeof(blm_estimate);
    rest *cell = f->alloc.get(f->alloc.ctx, all);
    blm_estimate *own = f->alloc.get(f->alloc.ctx, list);
    const blm_err err = cell && own ? peel(s, cell, it, n, own) : BLM_E_NOMEM;
    if (!err) memcpy(times, own, n * sizeof *own);
    if (cell) f->alloc.put(f->alloc.ctx, cell, all);
    if (own) f->alloc.put(f->alloc.ctx, own, list);
    return err;
}
#endif
