/* batches.c - laws of many keys at once: however they are brought, the answers and the bytes are those of one by
 * one. The law of hashes in batches is in answers.c. */
#include <pthread.h>

#include "laws/laws.h"
#include "core/bytes.h"
#include "core/kind.h"

static bool adds(const blm_kind_info *k) { return (k->can & BLM_ADD) != 0; }
static bool never_adds(const blm_kind_info *k) { return !adds(k); }
static bool del_or_count(const blm_kind_info *k)
{
    return adds(k) && k->can & (BLM_DEL | BLM_COUNT);
}
static bool shares(const blm_kind_info *k) { return adds(k) && k->can & BLM_SHARED; }

enum { MAX = 1000 };

/* Lengths around a vector, a piece of keys and the keys that are fetched after it. */
static const size_t lengths[] = {0, 1, 31, 32, 33, 100, 255, 256, 257, 287, 288, 289, 545, MAX};

typedef struct crowd {
    law_key room[MAX];
    blm_key key[MAX];
    uint64_t number[MAX]; /* the same keys, where all have 8 bytes */
    blm_hash h[MAX];
    uint64_t arg[MAX];
    bool numbers;
    uint8_t one[MAX + 1], many[MAX + 1];
    blm_estimate once[MAX], times[MAX + 1];
} crowd;

static crowd *crowd_new(void)
{
    crowd *c = calloc(1, sizeof *c);
    law_need(c != NULL, "no memory", NULL);
    return c;
}

/* Every `strange`-th key is a non-member; 0: none. */
static void gather(crowd *c, const blm_filter *f, size_t n, size_t strange)
{
    c->numbers = true;
    for (size_t i = 0; i < n; i++) {
        const law_side side = strange && i % strange == 0 ? LAW_STRANGER : LAW_MEMBER;
        c->h[i] = law_item(f, side, i, &c->room[i]).h;
        c->key[i] = (blm_key){c->room[i].bytes, c->room[i].len};
        c->number[i] = blm_le64(c->room[i].bytes);
        c->numbers = c->numbers && c->room[i].len == 8;
    }
    memset(c->many, 7, sizeof c->many);
}

/* One by one: who was new? */
static int add_each(crowd *c, blm_filter *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const blm_item it = blm_item_of(f, c->key[i].key, c->key[i].len, BLM_NO_ARG);
        bool fresh = false;
        DEMAND(blm_add_item(f, &it, &fresh) == BLM_OK, "add within capacity");
        c->one[i] = fresh;
    }
    return 0;
}

static int same_answers(const crowd *c, size_t n, const char *call)
{
    DEMAND(memcmp(c->one, c->many, n) == 0, "%s of %zu answers unlike one by one", call, n);
    DEMAND(c->many[n] == 7, "%s of %zu writes past its end", call, n);
    return 0;
}

/* ---- batch_keys ----------------------------------------------------------------------------------- */

static int add_forms(crowd *c, const char *kind, size_t n)
{
    blm_filter *one = law_filled(kind, MAX, 0), *keys = law_filled(kind, MAX, 0),
               *numbers = law_filled(kind, MAX, 0);
    size_t done = 77;
    gather(c, one, n, 0);
    if (add_each(c, one, n)) return 1;
    DEMAND(blm_add_many_keys(keys, c->key, n, c->many, &done) == BLM_OK, "add_many_keys");
    DEMAND(done == n, "add_many_keys of %zu: %zu done", n, done);
    if (same_answers(c, n, "add_many_keys")) return 1;
    DEMAND(blm_equal(one, keys), "add_many_keys of %zu gives other bytes", n);
    memset(c->many, 7, sizeof c->many);
    done = 77;
    if (c->numbers) {
        DEMAND(blm_add_many_u64(numbers, c->number, n, c->many, &done) == BLM_OK, "add_many_u64");
        DEMAND(done == n, "add_many_u64 of %zu: %zu done", n, done);
        if (same_answers(c, n, "add_many_u64")) return 1;
        DEMAND(blm_equal(one, numbers), "add_many_u64 of %zu gives other bytes", n);
    }
    blm_free(keys);
    blm_free(numbers);
    keys = law_filled(kind, MAX, 0), numbers = law_filled(kind, MAX, 0);
    for (size_t i = 0; i < n; i++) {
        DEMAND(blm_add(keys, c->key[i].key, c->key[i].len) == BLM_OK, "add within capacity");
        DEMAND(!c->numbers || blm_add_u64(numbers, c->number[i]) == BLM_OK, "add_u64");
    }
    DEMAND(blm_equal(one, keys), "add of %zu keys gives other bytes than add_item", n);
    DEMAND(!c->numbers || blm_equal(one, numbers), "add_u64 of %zu gives other bytes", n);
    blm_free(one);
    blm_free(keys);
    blm_free(numbers);
    return 0;
}

/* f has the first half of the members. */
static int has_forms(crowd *c, const blm_filter *f, size_t n, size_t strange)
{
    gather(c, f, n, strange);
    for (size_t i = 0; i < n; i++) {
        const blm_item it = blm_item_of(f, c->key[i].key, c->key[i].len, BLM_NO_ARG);
        c->one[i] = blm_has(f, c->key[i].key, c->key[i].len);
        DEMAND(c->one[i] == blm_has_item(f, &it), "key %zu: has answers unlike has_item", i);
    }
    blm_has_many_keys(f, c->key, n, c->many);
    if (same_answers(c, n, "has_many_keys")) return 1;
    for (size_t i = 0; i < n; i++) c->one[i] = blm_has_u64(f, c->number[i]);
    memset(c->many, 7, sizeof c->many);
    blm_has_many_u64(f, c->number, n, c->many);
    return same_answers(c, n, "has_many_u64");
}

static int law_batch_keys(const char *kind)
{
    crowd *c = crowd_new();
    blm_filter *f = law_filled(kind, MAX, MAX / 2);
    int broken = 0;
    for (size_t i = 0; !broken && i < sizeof lengths / sizeof *lengths; i++)
        broken = add_forms(c, kind, lengths[i]) || has_forms(c, f, lengths[i], 2) ||
                 has_forms(c, f, lengths[i], 0);
    blm_free(f);
    free(c);
    return broken;
}

/* ---- batch_built ---------------------------------------------------------------------------------- */

static int law_batch_built(const char *kind)
{
    crowd *c = crowd_new();
    blm_filter *f = law_filled(kind, MAX, MAX / 2);
    int broken = 0;
    for (size_t i = 0; !broken && i < sizeof lengths / sizeof *lengths; i++) {
        const size_t n = lengths[i];
        for (size_t strange = 0; !broken && strange < 4; strange++)
            broken = has_forms(c, f, n, strange);
        for (size_t j = 0; j < n; j++) c->one[j] = blm_has_hash(f, c->h[j]);
        memset(c->many, 7, sizeof c->many);
        blm_has_many(f, c->h, NULL, n, c->many);
        broken = broken || same_answers(c, n, "has_many");
    }
    blm_free(f);
    free(c);
    return broken;
}

/* ---- batch_counts ----------------------------------------------------------------------------------- */

/* A third are strangers, and a seventh come a second time in a row; of the members a quarter was added twice. */
static void gather_multiset(crowd *c, const blm_filter *f, size_t n)
{
    gather(c, f, n, 3);
    for (size_t i = 6; i < n; i += 7) {
        c->room[i] = c->room[i - 1];
        c->key[i].len = c->room[i].len;
        c->number[i] = c->number[i - 1];
        c->h[i] = c->h[i - 1];
    }
    for (size_t i = 0; i < n; i++) {
        law_key room;
        c->arg[i] = law_item(f, LAW_MEMBER, i - (i % 7 == 6), &room).arg;
    }
}

static blm_filter *multiset(const char *kind, size_t n)
{
    blm_filter *f = law_filled(kind, (uint64_t)2 * MAX, n);
    law_need(law_add(f, 0, n / 4) == BLM_OK, "add within capacity", NULL);
    return f;
}

/* One by one: who was not deleted, and why? With the numbers of the keys, or with the kind's own. */
static int del_each(crowd *c, blm_filter *f, size_t n, bool numbered)
{
    for (size_t i = 0; i < n; i++) {
        const blm_item it = {c->h[i], c->key[i].key, c->key[i].len,
                             numbered ? c->arg[i] : BLM_NO_ARG};
        const blm_err err = blm_del_item(f, &it);
        DEMAND(!err || err == BLM_E_ABSENT || err == BLM_E_UNSURE, "delete");
        c->one[i] = err == BLM_E_ABSENT ? BLM_WAS_ABSENT : err ? BLM_WAS_UNSURE : BLM_WAS_DELETED;
    }
    memset(c->many, 7, sizeof c->many);
    return 0;
}

typedef enum form { BY_HASHES, BY_HASHES_ALONE, BY_KEYS, BY_NUMBERS, FORMS } form;
static const char *const del_calls[FORMS] = {"del_many", "del_many without flags", "del_many_keys",
                                             "del_many_u64"};

static int del_form(crowd *c, const char *kind, size_t n, form how)
{
    blm_filter *one = multiset(kind, n), *many = multiset(kind, n);
    size_t done = 77;
    if (del_each(c, one, n, how == BY_HASHES)) return 1;
    const blm_err err = how == BY_HASHES ? blm_del_many(many, c->h, c->arg, n, c->many, &done)
                        : how == BY_HASHES_ALONE ? blm_del_many(many, c->h, NULL, n, NULL, NULL)
                        : how == BY_KEYS ? blm_del_many_keys(many, c->key, n, c->many, &done)
                                         : blm_del_many_u64(many, c->number, n, c->many, &done);
    DEMAND(err == BLM_OK, "%s", del_calls[how]);
    if (how != BY_HASHES_ALONE) {
        DEMAND(done == n, "%s of %zu: %zu done", del_calls[how], n, done);
        if (same_answers(c, n, del_calls[how])) return 1;
    }
    DEMAND(blm_equal(one, many), "%s of %zu gives other bytes", del_calls[how], n);
    blm_free(one);
    blm_free(many);
    return 0;
}

static int same_counts(crowd *c, size_t n, const char *call)
{
    for (size_t i = 0; i < n; i++) {
        const blm_estimate *a = &c->once[i], *b = &c->times[i];
        DEMAND(a->value == b->value && a->low == b->low && a->high == b->high &&
                   a->bound == b->bound,
               "%s of %zu counts unlike one by one", call, n);
    }
    DEMAND(c->times[n].value == -7, "%s of %zu writes past its end", call, n);
    for (size_t i = 0; i <= n; i++) c->times[i].value = -7;
    return 0;
}

static int count_forms(crowd *c, const blm_filter *f, size_t n)
{
    for (size_t i = 0; i <= n; i++) c->times[i].value = -7;
    for (size_t i = 0; i < n; i++)
        DEMAND(blm_count(f, c->key[i].key, c->key[i].len, &c->once[i]) == BLM_OK, "count");
    DEMAND(blm_count_many(f, c->h, n, c->times) == BLM_OK, "count_many");
    if (same_counts(c, n, "count_many")) return 1;
    DEMAND(blm_count_many_keys(f, c->key, n, c->times) == BLM_OK, "count_many_keys");
    if (same_counts(c, n, "count_many_keys")) return 1;
    if (!c->numbers) return 0;
    DEMAND(blm_count_many_u64(f, c->number, n, c->times) == BLM_OK, "count_many_u64");
    return same_counts(c, n, "count_many_u64");
}

static int law_batch_counts(const char *kind)
{
    crowd *c = crowd_new();
    int broken = 0;
    for (size_t i = 0; !broken && i < sizeof lengths / sizeof *lengths; i++) {
        blm_filter *f = multiset(kind, lengths[i]);
        gather_multiset(c, f, lengths[i]);
        if (blm_can(f, BLM_COUNT)) broken = count_forms(c, f, lengths[i]);
        for (form how = BY_HASHES; !broken && blm_can(f, BLM_DEL) && how < FORMS; how++)
            if (how != BY_NUMBERS || c->numbers) broken = del_form(c, kind, lengths[i], how);
        blm_free(f);
    }
    free(c);
    return broken;
}

/* ---- bulk ------------------------------------------------------------------------------------------ */

/* As many as two threads are begun for. */
static int law_bulk(const char *kind)
{
    enum { KEYS = 150000 };
    blm_filter *one = law_filled(kind, KEYS, 0), *many = law_filled(kind, KEYS, 0);
    blm_hash *h = malloc(KEYS * sizeof *h);
    law_key room;
    size_t done = 77;
    law_need(h != NULL, "no memory", NULL);
    for (size_t i = 0; i < KEYS; i++) h[i] = law_item(one, LAW_MEMBER, i, &room).h;
    const blm_err err = blm_add_many(one, h, NULL, KEYS, NULL, NULL);
    DEMAND(blm_add_bulk(many, h, KEYS, 2, &done) == err, "add_bulk is unlike add_many");
    DEMAND(err || done == KEYS, "add_bulk: %zu done", done);
    DEMAND(blm_equal(one, many), "add_bulk by two threads gives other bytes than one");
    free(h);
    blm_free(one);
    blm_free(many);
    return 0;
}

/* ---- shared ---------------------------------------------------------------------------------------- */

typedef struct adder {
    blm_filter *f;
    const blm_hash *h;
    size_t n;
    blm_err err;
} adder;

static void *bring(void *arg)
{
    adder *a = arg;
    a->err = blm_add_shared(a->f, a->h, a->n, NULL);
    return NULL;
}

/* Two threads, half of the keys each. */
static int halves(const crowd *c, blm_filter *f, size_t n)
{
    adder a[2] = {{f, c->h, n / 2, BLM_OK}, {f, c->h + n / 2, n - n / 2, BLM_OK}};
    pthread_t other;
    law_need(pthread_create(&other, NULL, bring, &a[1]) == 0, "no thread", NULL);
    bring(&a[0]);
    pthread_join(other, NULL);
    DEMAND(!a[0].err && !a[1].err, "add_shared within capacity");
    return 0;
}

/* All keys twice: the second time none is new. */
static int shared_of(crowd *c, const char *kind, size_t n)
{
    blm_filter *one = law_filled(kind, MAX, 0), *shared = law_filled(kind, MAX, 0),
               *both = law_filled(kind, MAX, 0);
    gather(c, one, n, 0);
    for (unsigned round = 0; round < 2; round++) {
        memset(c->many, 7, sizeof c->many);
        if (add_each(c, one, n)) return 1;
        DEMAND(blm_add_shared(shared, c->h, n, c->many) == BLM_OK, "add_shared");
        if (same_answers(c, n, "add_shared") || halves(c, both, n)) return 1;
        DEMAND(blm_equal(one, shared), "add_shared of %zu gives other bytes than add", n);
        DEMAND(blm_equal(one, both), "add_shared of %zu by two threads loses keys", n);
    }
    blm_free(one);
    blm_free(shared);
    blm_free(both);
    return 0;
}

static int law_shared(const char *kind)
{
    crowd *c = crowd_new();
    int broken = 0;
    for (size_t i = 0; !broken && i < sizeof lengths / sizeof *lengths; i++)
        broken = shared_of(c, kind, lengths[i]);
    free(c);
    return broken;
}

const law laws_of_batches[] = {
    {"batch_keys", "keys and integers in batches = one by one", adds, law_batch_keys},
    {"batch_built", "no adds: questions in batches = one by one", never_adds, law_batch_built},
    {"batch_counts", "deletes and counts in batches = one by one", del_or_count, law_batch_counts},
    {"bulk", "very many by several threads = by one", adds, law_bulk},
    {"shared", "from many threads = one by one", shares, law_shared},
    {NULL, NULL, NULL, NULL},
};
