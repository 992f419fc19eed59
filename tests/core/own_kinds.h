/* own_kinds.h - five kinds that lean on what the library's own do not, with the table that lists them.
 *
 *   shelf   built whole from sorted rows, with a value per key and a second list; its build can be made to
 *           fail for the first salts
 *   plate   adds one row after the other: value per key, 128-bit hashes, no build
 *   sheet   asks for 128-bit hashes, and for nothing else
 *   book    looks inside its keys: adds nothing but their number
 *   tree    children, as deep as its knob says
 *
 * A test that includes this file is its own list of kinds: table.c is compiled into it, in place of the
 * library's.
 */
#ifndef BLM_TESTS_OWN_KINDS_H
#define BLM_TESTS_OWN_KINDS_H
#define BLM_KINDS_DEF "core/own_kinds.def"
#include "core/table.c"
#include "core/bytes.h"
#include "core/unit.h"

/* ---- shelf and plate: rows of lo, hi, value --------------------------------------------------------- */

enum { ROW = 24 };

typedef struct rack {
    blm_filter base;
    uint64_t rows, held;
    uint32_t four;
    uint16_t two;
} rack;

static const blm_field rack_fields[] = {
    BLM_FIELD(rack, rows, BLM_F_SHAPE, 1, UINT64_C(1) << 60, "room"),
    BLM_FIELD(rack, four, BLM_F_SHAPE, 70000, 70000, "a field of 4 bytes"),
    BLM_FIELD(rack, two, BLM_F_SHAPE, 300, 300, "a field of 2 bytes"),
    BLM_FIELD(rack, held, BLM_F_STATE, 0, UINT64_C(1) << 40, "rows in use"),
};

static blm_err rack_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                         blm_report *r)
{
    rack *s = (rack *)f;
    (void)knobs, (void)r;
    s->rows = wish->bits ? wish->bits / (8 * ROW) : wish->keys;
    if (!s->rows) s->rows = 1; /* it has nothing smaller */
    s->four = 70000;
    s->two = 300;
    return BLM_OK;
}

static blm_err rack_shape(blm_filter *f, uint64_t *size, blm_report *r)
{
    uint64_t end = 0;
    (void)r;
    blm_section(&end, ((const rack *)f)->rows, 8 * ROW, 8);
    *size = end;
    return BLM_OK;
}

static blm_rate rack_fpr(const blm_filter *f, const blm_case *c)
{
    (void)f, (void)c;
    return (blm_rate){0, 0, 0};
}

static blm_err rack_get(const blm_filter *f, blm_hash h, const blm_item *it, uint64_t *value)
{
    const rack *s = (const rack *)f;
    (void)it;
    for (uint64_t i = 0; i < s->held && i < s->rows; i++) {
        const uint8_t *p = f->cells + i * ROW;
        if (blm_le64(p) != h.lo || blm_le64(p + 8) != h.hi) continue;
        *value = blm_le64(p + 16);
        return BLM_OK;
    }
    return BLM_E_ABSENT;
}

static bool rack_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    uint64_t value;
    return rack_get(f, h, it, &value) == BLM_OK;
}

static void rack_put_row(blm_filter *f, blm_hash h, uint64_t value)
{
    uint8_t *p = f->cells + ((rack *)f)->held++ * ROW;
    blm_put64(p, h.lo);
    blm_put64(p + 8, h.hi);
    blm_put64(p + 16, value);
}

static unsigned shelf_fails;         /* this many first salts do not work       */
static unsigned shelf_builds;        /* how often build was called              */
static size_t shelf_out;             /* rows of the second list, last time      */
static blm_err shelf_error = BLM_OK; /* a failure that no salt cures            */

static blm_err shelf_build(blm_filter *f, const blm_rows *lists, blm_report *r)
{
    shelf_builds++;
    shelf_out = lists[1].n;
    if (shelf_error) return blm_fail(r, shelf_error, "told to fail");
    if (f->salt < shelf_fails) return BLM_E_BUILD;
    for (size_t i = 0; i < lists[0].n; i++) {
        if (i) assert_true(lists[0].lo[i - 1] < lists[0].lo[i]); /* sorted, no twins */
        rack_put_row(f, blm_row_hash(&lists[0], i), lists[0].arg[i]);
    }
    return BLM_OK;
}

static blm_err plate_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    rack *s = (rack *)f;
    *fresh = !rack_has(f, h, it);
    if (*fresh && s->held == s->rows) return BLM_E_FULL;
    if (*fresh) rack_put_row(f, h, it->arg);
    return BLM_OK;
}

static const blm_listdef shelf_lists[] = {
    {"out", "keys that are not inside", false, BLM_AGAIN_CONFLICT}};

const blm_kind blm_kind_shelf = {
    .name = "shelf",
    .group = "own",
    .version = 1,
    .size = sizeof(rack),
    .needs = BLM_NEEDS_HASH128,
    .promises = BLM_NO_MISS | BLM_ANY_ORDER,
    .fields = rack_fields,
    .nfields = BLM_LEN(rack_fields),
    .arg = {"value", "the value of a key", .def = 7, .min = 1, .max = 1000},
    .lists = shelf_lists,
    .nlists = BLM_LEN(shelf_lists),
    .plan = rack_plan,
    .shape = rack_shape,
    .fpr = rack_fpr,
    .has = rack_has,
    .get = rack_get,
    .build = shelf_build,
};

const blm_kind blm_kind_plate = {
    .name = "plate",
    .group = "own",
    .version = 1,
    .size = sizeof(rack),
    .needs = BLM_NEEDS_HASH128,
    .promises = BLM_NO_MISS,
    .fields = rack_fields,
    .nfields = BLM_LEN(rack_fields),
    .arg = {"value", "the value of a key", .def = 7, .min = 1, .max = 1000},
    .plan = rack_plan,
    .shape = rack_shape,
    .fpr = rack_fpr,
    .has = rack_has,
    .get = rack_get,
    .add = plate_add,
};

static blm_err book_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    (void)h, (void)it;
    ((rack *)f)->held++;
    *fresh = true;
    return BLM_OK;
}

static bool book_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    (void)h, (void)it;
    return ((const rack *)f)->held > 0;
}

const blm_kind blm_kind_sheet = {
    .name = "sheet",
    .group = "own",
    .version = 1,
    .size = sizeof(rack),
    .needs = BLM_NEEDS_HASH128,
    .promises = BLM_NO_MISS,
    .fields = rack_fields,
    .nfields = BLM_LEN(rack_fields),
    .plan = rack_plan,
    .shape = rack_shape,
    .fpr = rack_fpr,
    .has = book_has,
    .add = book_add,
};

const blm_kind blm_kind_book = {
    .name = "book",
    .group = "own",
    .version = 1,
    .size = sizeof(rack),
    .needs = BLM_NEEDS_BYTES,
    .promises = BLM_NO_MISS,
    .fields = rack_fields,
    .nfields = BLM_LEN(rack_fields),
    .plan = rack_plan,
    .shape = rack_shape,
    .fpr = rack_fpr,
    .has = book_has,
    .add = book_add,
};

/* ---- tree ------------------------------------------------------------------------------------------- */

typedef struct tree {
    blm_filter base;
    uint64_t first; /* keys a leaf */
    uint8_t depth;  /* 1: its children are standard */
} tree;

static const blm_field tree_fields[] = {
    BLM_FIELD(tree, first, BLM_F_SHAPE, 1, UINT64_C(1) << 40, "keys a leaf"),
    BLM_FIELD(tree, depth, BLM_F_SHAPE, 1, 9, "levels of children"),
};
static const blm_knobdef tree_knobs[] = {
    {"depth", "levels of children", BLM_K_NUMBER, .def = 1, .min = 1, .max = 9}};

static blm_err tree_plan(blm_filter *f, const blm_config *wish, const blm_knobs *knobs,
                         blm_report *r)
{
    tree *t = (tree *)f;
    (void)r;
    t->first = wish->keys ? wish->keys : 1;
    t->depth = (uint8_t)knobs->num[0];
    return BLM_OK;
}

static blm_err tree_shape(blm_filter *f, uint64_t *size, blm_report *r)
{
    (void)f, (void)r;
    *size = 0; /* all it has are its children */
    return BLM_OK;
}

static blm_err tree_grow(blm_filter *f, blm_report *r)
{
    const tree *t = (const tree *)f;
    char with[16];
    snprintf(with, sizeof with, "depth=%u", t->depth - 1u);
    return t->depth == 1
               ? blm_child(f, BLM_CONFIG(.kind = "standard", .keys = t->first), f->nchild + 1u, r)
               : blm_child(f, BLM_CONFIG(.kind = "tree", .keys = t->first, .with = with),
                           f->nchild + 1u, r);
}

static blm_err tree_start(blm_filter *f, blm_report *r)
{
    const blm_err err = tree_grow(f, r);
    return err ? err : tree_grow(f, r);
}

static bool tree_has(const blm_filter *f, blm_hash h, const blm_item *it)
{
    for (uint32_t i = 0; i < f->nchild; i++)
        if (blm_child_has(f, i, h, it)) return true;
    return false;
}

static blm_err tree_add(blm_filter *f, blm_hash h, const blm_item *it, bool *fresh)
{
    blm_filter *last = f->child[f->nchild - 1];
    (void)it;
    return blm_add_item(last, &(blm_item){blm_child_hash(last, h), NULL, 8, BLM_NO_ARG}, fresh);
}

const blm_kind blm_kind_tree = {
    .name = "tree",
    .group = "own",
    .version = 1,
    .size = sizeof(tree),
    .promises = BLM_NO_MISS,
    .fields = tree_fields,
    .nfields = BLM_LEN(tree_fields),
    .knobs = tree_knobs,
    .nknobs = BLM_LEN(tree_knobs),
    .plan = tree_plan,
    .shape = tree_shape,
    .start = tree_start,
    .fpr = rack_fpr,
    .has = tree_has,
    .add = tree_add,
    .grow = tree_grow,
};
#endif
