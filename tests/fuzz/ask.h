/* ask.h - what any filter can be asked, whatever its cells are; nothing of it may write. */
#ifndef BLM_TESTS_ASK_H
#define BLM_TESTS_ASK_H
#include "core/kind.h"
#include "fuzz/fuzz.h"

enum { FEW = 8 };

/* A status that may be any: the point is that the call comes back and touches nothing else. */
static inline void any(blm_err status) { MUST(status <= BLM_E_POLLUTED && blm_strerror(status)); }

/* What is counted is there, unless it has faded so far that it is forgotten. What is only estimated may be 0 of a key that
 * is there. */
static inline bool counted_as_has(const blm_filter *f, bool has, const blm_estimate *times)
{
    return times->value > 0 ? has || f->clock : !has || !(f->kind->promises & BLM_NEVER_LOW);
}

static inline void ask_one(const blm_filter *f, const blm_item *it)
{
    static const uint64_t sets[FEW] = {0, 1, 2, 3, 1 << 20, UINT64_MAX - 1, UINT64_MAX, 7};
    blm_touch touches[BLM_TOUCH_MAX];
    blm_estimate times;
    uint64_t number, offsets[FEW];
    uint8_t yes[FEW];
    size_t n = FEW;
    bool enough;
    const bool sound = blm_check_item(f, it, NULL) == BLM_OK, has = blm_has_item(f, it);
    MUST(sound || f->back);
    if (sound && blm_count_item(f, it, &times) == BLM_OK) MUST(counted_as_has(f, has, &times));
    blm_at_least(f, "plum", 4, 2, &enough);
    blm_get_item(f, it, &number);
    blm_which(f, it, sets, FEW, yes);
    blm_index(f, it, &number);
    blm_part(f, it, offsets, &n);
    blm_touched(f, it, touches, BLM_TOUCH_MAX);
}

static inline void ask_keys(const blm_filter *f)
{
    blm_item items[FEW];
    blm_hash hashes[FEW];
    blm_estimate times[FEW];
    uint8_t yes[FEW];
    for (uint64_t i = 0; i < FEW; i++) {
        items[i] = blm_item_u64(f, i * i * i, BLM_NO_ARG);
        hashes[i] = items[i].h;
        ask_one(f, &items[i]);
    }
    blm_has(f, "plum", 4);
    blm_count_all(f, items, FEW, times);
    blm_has_many(f, hashes, NULL, FEW, yes);
    for (size_t i = 0; i < FEW; i++) MUST(yes[i] == blm_has_hash(f, hashes[i]));
    blm_range(f, 3, 1000);
}

static inline void ask_whole(const blm_filter *f)
{
    blm_field_info field;
    blm_estimate keys;
    blm_item items[FEW];
    size_t n = FEW, bytes;
    for (size_t i = 0; blm_field_at(f, i, &field); i++) MUST(field.value <= field.max);
    if (blm_cardinality(f, &keys) == BLM_OK)
        MUST(keys.low <= keys.value && keys.value <= keys.high);
    blm_list(f, items, &n, NULL);
    MUST(blm_cells(f, &bytes) || !bytes);
}

/* What may take a hundred times as long as all else. */
static inline void ask_rates(const blm_filter *f)
{
    blm_info info;
    blm_info_of(f, &info);
    MUST(info.fill <= 1 && info.fpr_now.high >= info.fpr_now.low);
    blm_fnr(f, NULL);
}
#endif
