/* test_family.c - filters with children: made, copied, cleared, saved, mapped, checked, forged. */
#include "core/image/image.h"
#include "core/own_kinds.h"
#include "core/forge.h"

static blm_filter *tree_of(const char *spec, uint64_t n)
{
    blm_filter *f = made(spec);
    add_run(f, 0, n);
    return f;
}

static void children_have_places(void **state)
{
    blm_filter *f = made("tree keys=100 seed=9");
    (void)state;
    assert_int_equal(info_of(f).children, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(f->child[i]->salt, i + 1);
        assert_int_equal(f->child[i]->seed, 9);
        assert_ptr_equal(f->child[i]->hasher, f->hasher);
    }
    OK(blm_grow(f, &why));
    assert_int_equal(info_of(f).children, 3);
    add_run(f, 0, 100);
    assert_true(has_run(f, 0, 100));
    assert_int_equal(f->child[2]->adds, 100);
    assert_true(f->child[0]->adds == 0 && f->child[1]->adds == 0);
    blm_free(f);
}

/* What a parent is by its secret, its seed and its caller's wish, its children are too. */
static void children_inherit(void **state)
{
    static const uint8_t secret[16] = {1, 2, 3};
    blm_filter *f =
        made_new(BLM_CONFIG(.kind = "tree", .keys = 10, .secret = secret, .overfill = true));
    (void)state;
    for (uint32_t i = 0; i < f->nchild; i++) {
        assert_true(info_of(f->child[i]).keyed && info_of(f->child[i]).overfill);
        assert_true(f->child[i]->key_check == f->key_check && f->key_check != 0);
        assert_memory_equal(f->child[i]->secret, secret, sizeof secret);
    }
    add_run(f, 0, 300); /* past every capacity */
    assert_true(has_run(f, 0, 300));
    blm_free(f);
}

static void copies_and_clears_are_deep(void **state)
{
    blm_filter *f = tree_of("tree keys=100 depth=3", 50), *g = NULL,
               *fresh = made("tree keys=100 depth=3");
    (void)state;
    OK(blm_set_note(f, "kept", &why));
    OK(blm_copy(&g, f, &why));
    assert_true(blm_equal(f, g));
    assert_int_equal(blm_add_u64(g, 999), BLM_OK);
    assert_false(blm_equal(f, g)); /* its own cells, three levels down */
    assert_true(has_run(g, 0, 50));
    OK(blm_grow(g, &why));
    assert_false(blm_equal(f, g));
    assert_int_equal(blm_clear(g), BLM_OK);
    assert_int_equal(info_of(g).children, 2);
    assert_false(blm_has_u64(g, 1));
    assert_string_equal(info_of(g).note, "kept");
    OK(blm_set_note(g, "", &why));
    assert_true(blm_equal(g, fresh));
    assert_true(has_run(f, 0, 50));
    blm_free(f);
    blm_free(g);
    blm_free(fresh);
}

static void families_without_memory(void **state)
{
    bool whole = false;
    (void)state;
    for (uint64_t refuse = 1; !whole; refuse++) {
        purse p = {.refuse_at = refuse};
        const blm_alloc a = {purse_get, purse_put, &p};
        blm_filter *f = NULL, *g = NULL;
        blm_err err = blm_new(
            &f, BLM_CONFIG(.kind = "tree", .keys = 30, .with = "depth=2", .alloc = &a), &why);
        if (!err) {
            add_run(f, 0, 10);
            const uint32_t before = f->nchild;
            err = blm_grow(f, &why);
            assert_int_equal(f->nchild, before + !err);
        }
        if (!err) err = blm_set_note(f, "note", &why);
        if (!err) err = blm_copy(&g, f, &why);
        if (!err) assert_true(blm_equal(f, g));
        if (!err) {
            err = blm_clear(g);
            assert_int_equal(blm_equal(f, g), err != BLM_OK); /* cleared, or as it was */
        }
        assert_true(err == BLM_OK || err == BLM_E_NOMEM);
        blm_free(f);
        blm_free(g);
        assert_int_equal(p.held, 0);
        whole = p.calls < refuse;
    }
}

/* ---- images of families ---------------------------------------------------------------------------------- */

static void families_are_saved_and_mapped(void **state)
{
    static const char *const specs[] = {"tree keys=20", "tree keys=20 depth=4", "tree keys=5000",
                                        "tree keys=60000 depth=2"};
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        blm_filter *f = tree_of(specs[i], 15), *g = NULL, *v = NULL;
        const blob image = image_of(f);
        OK(blm_verify_image(image.p, image.n, &why));
        OK(blm_load(&g, image.p, image.n, NULL, &why));
        assert_true(blm_equal(f, g) && has_run(g, 0, 15));
        assert_int_equal(blm_add_u64(g, 77), BLM_OK);
        OK(blm_view(&v, image.p, image.n, BLM_OPEN(.check = BLM_CHECK_TOUCHED), &why));
        assert_true(blm_equal(f, v) && has_run(v, 0, 15) && !blm_has_u64(v, 77));
        assert_int_equal(blm_add_u64(v, 77), BLM_E_READONLY);
        REFUSED(blm_grow(v, &why), BLM_E_READONLY, "read-only");
        assert_int_equal(blm_clear(v), BLM_E_READONLY);
        blm_free(f);
        blm_free(g);
        blm_free(v);
        free(image.p);
    }
}

/* Children stand where DESIGN says: at the next multiple of 4096 of their parent, of 8 when smaller. */
static void children_stand_at_their_offsets(void **state)
{
    static const struct {
        const char *spec;
        uint64_t step;
    } table[] = {{"tree keys=20", 8}, {"tree keys=5000", 4096}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        blm_filter *f = tree_of(table[i].spec, 15);
        const blob image = image_of(f);
        uint64_t at = 32 + blm_le32(image.p + 12); /* after the header: a tree has no cells */
        for (uint32_t c = 0; c < 2; c++) {
            const blob child = image_of(f->child[c]);
            at = (at + table[i].step - 1) / table[i].step * table[i].step;
            assert_true(child.n >= 4096 || table[i].step == 8);
            assert_memory_equal(image.p + at, child.p, child.n);
            at += child.n;
            free(child.p);
        }
        assert_int_equal(at, image.n);
        blm_free(f);
        free(image.p);
    }
}

static void damage_in_the_first_child_is_found(void **state)
{
    blm_filter *f = tree_of("tree keys=5000", 15), *g = NULL;
    const blob image = image_of(f);
    (void)state;
    OK(blm_view(&g, image.p, image.n, NULL, &why));
    uint8_t *cells = image.p + (g->child[0]->cells - image.p);
    const blm_item it = blm_item_u64(g, 3, BLM_NO_ARG);
    assert_int_equal(blm_check_item(g, &it, &why), BLM_OK);
    cells[0] ^= 1;
    REFUSED(blm_check_item(g, &it, &why), BLM_E_IMAGE, "damaged");
    blm_free(g);
    blm_free(f);
    free(image.p);
}

static void damage_in_a_child_is_found(void **state)
{
    blm_filter *f = tree_of("tree keys=5000", 15), *g = NULL;
    const blob image = image_of(f);
    (void)state;
    image.p[image.n - 20] ^= 1; /* cells or sums of the last child */
    REFUSED(blm_load(&g, image.p, image.n, NULL, &why), BLM_E_IMAGE, "damaged");
    REFUSED(blm_verify_image(image.p, image.n, &why), BLM_E_IMAGE, "damaged");
    OK(blm_view(&g, image.p, image.n, BLM_OPEN(.check = BLM_CHECK_TOUCHED), &why));
    const blm_item it = blm_item_u64(g, 3, BLM_NO_ARG);
    REFUSED(blm_check_item(g, &it, &why), BLM_E_IMAGE, "damaged");
    assert_true(blm_has_u64(g, 3) && blm_has_u64(g, 123456)); /* in doubt: yes */
    blm_free(g);
    image.p[image.n - 20] ^= 1;
    OK(blm_view(&g, image.p, image.n, BLM_OPEN(.check = BLM_CHECK_TOUCHED), &why));
    assert_int_equal(blm_check_item(g, &it, &why), BLM_OK);
    assert_false(blm_has_u64(g, 123456));
    blm_free(g);
    blm_free(f);
    free(image.p);
}

/* A kind that does not tell what it reads: all of its chunks are looked at. One that does not tell how full
 * it is cannot be too full. */
static void kinds_that_do_not_tell(void **state)
{
    blm_filter *f = made("plate keys=20"), *t = made("tree keys=20"), *g = NULL;
    (void)state;
    assert_int_equal(blm_add(f, "x", 1), BLM_OK);
    const blob image = image_of(f), family = image_of(t);
    const blm_item it = blm_item_of(f, "x", 1, BLM_NO_ARG);
    OK(blm_view(&g, image.p, image.n, BLM_OPEN(.check = BLM_CHECK_TOUCHED), &why));
    assert_int_equal(blm_touched(g, &it, NULL, 0), 0);
    assert_int_equal(blm_check_item(g, &it, NULL), BLM_OK);
    image.p[image.n - 9] ^= 1; /* the last byte of its cells */
    REFUSED(blm_check_item(g, &it, &why), BLM_E_IMAGE, "checksum 1 of 1");
    assert_true(blm_has(g, "stranger", 8));
    blm_free(g);
    OK(blm_load(&g, family.p, family.n, BLM_OPEN(.max_fill = 0.5), &why));
    blm_free(g);
    blm_free(f);
    blm_free(t);
    free(image.p);
    free(family.p);
}

/* The directory of children is the last tag here: two sizes of 8 bytes at the end of the header. */
static void forged_directories_are_refused(void **state)
{
    blm_filter *f = tree_of("tree keys=20", 15), *g = NULL;
    const blob image = image_of(f);
    uint8_t *const last = image.p + 32 + blm_le32(image.p + 12) - 8;
    const uint64_t size = blm_le64(last);
    (void)state;
    blm_put64(last, size + 8);
    seal(image.p);
    REFUSED(blm_load(&g, image.p, image.n, NULL, &why), BLM_E_IMAGE,
            "child 1 runs past its parent");
    blm_put64(last, UINT64_MAX - 100);
    seal(image.p);
    REFUSED(blm_load(&g, image.p, image.n, NULL, &why), BLM_E_IMAGE,
            "child 1 runs past its parent");
    blm_put64(last, size - 8);
    seal(image.p);
    REFUSED(blm_load(&g, image.p, image.n, NULL, &why), BLM_E_IMAGE, "should have");
    blm_put64(last, 0);
    seal(image.p);
    REFUSED(blm_load(&g, image.p, image.n, NULL, &why), BLM_E_IMAGE, "not a Bloomery filter");
    blm_put64(last, size);
    blm_put64(last - 8, blm_le64(last - 8) - 8);
    seal(image.p);
    REFUSED(blm_load(&g, image.p, image.n, NULL, &why), BLM_E_IMAGE, "should have");
    blm_free(f);
    free(image.p);
}

/* One child fewer in the directory: then the bytes of the last one belong to nobody. */
static void forgotten_children_are_refused(void **state)
{
    blm_filter *f = tree_of("tree keys=20", 15), *g = NULL;
    const blob image = image_of(f);
    const uint32_t header = blm_le32(image.p + 12);
    (void)state;
    blob less = {malloc(image.n), 0, image.n};
    assert_non_null(less.p);
    memcpy(less.p, image.p, 32 + header - 8);
    blm_put32(less.p + 12, header - 8);
    blm_put32(less.p + 32 + header - 16 - 4, 8); /* the tag's length: one child */
    const uint64_t old = (32 + header + 7) / 8 * 8, now = (32 + header - 8 + 7) / 8 * 8;
    memset(less.p + 32 + header - 8, 0, (size_t)(now - (32 + header - 8)));
    memcpy(less.p + now, image.p + old, image.n - (size_t)old);
    less.n = image.n - 8;
    blm_put64(less.p + 16, less.n);
    seal(less.p);
    REFUSED(blm_load(&g, less.p, less.n, NULL, &why), BLM_E_IMAGE, "longer than its contents");
    blm_free(f);
    free(image.p);
    free(less.p);
}

/* A tree of this hash with one child and `none` children of no bytes; the child's image is spent. */
static blob tree_with(const char *hash, blob child, unsigned none)
{
    static forge w;
    uint8_t sizes[16] = {0};
    begin(&w);
    say_name(&w, "tree");
    say(&w, 2, 1);
    say_name(&w, hash);
    say(&w, 8, 0);
    say(&w, 8, hash[0] == 's'); /* some key's check value */
    say_numbers(&w, 0, 20, 0.01, 0);
    say(&w, 8, 20); /* first */
    say(&w, 1, 1);  /* depth */
    say(&w, 1, 16);
    write_le(sizes, 8, child.n);
    say_tag(&w, 2, 0, sizes, 8 + 8 * (size_t)none);
    const size_t header = w.n - 32;
    w.n = round_up(w.n, 8); /* where the child stands */
    blob b = {calloc(1, w.n + child.n), w.n + child.n, w.n + child.n};
    assert_non_null(b.p);
    memcpy(b.p, w.head, w.n);
    memcpy(b.p + w.n, child.p, child.n);
    write_le(b.p + 12, 4, header);
    write_le(b.p + 16, 8, b.n);
    seal(b.p);
    free(child.p);
    return b;
}

/* A child gets the hashes of its parent's keys: it may not want more than those. */
static void children_of_another_world_are_refused(void **state)
{
    static const struct {
        const char *hash, *child;
        bool fits;
    } table[] = {{"xxh3-64", "standard keys=20", true}, {"xxh3-64", "tree keys=1", true},
                 {"xxh3-64", "plate keys=20", false},   {"xxh3-128", "plate keys=20", false},
                 {"xxh3-64", "sheet keys=20", false},   {"xxh3-128", "sheet keys=20", true},
                 {"sip24-128", "sheet keys=20", true},  {"xxh3-64", "book keys=20", false}};
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        blm_filter *child = made(table[i].child), *f = NULL;
        const blob b = tree_with(table[i].hash, image_of(child), 0);
        const blm_open_options *how = BLM_OPEN(.without_secret = true);
        for (unsigned view = 0; view < 2; view++) {
            blank_why();
            const blm_err err =
                view ? blm_view(&f, b.p, b.n, how, &why) : blm_load(&f, b.p, b.n, how, &why);
            if (table[i].fits) {
                check_ok(err, table[i].child, __FILE__, __LINE__);
                blm_free(f);
            } else
                check_refused(err, BLM_E_IMAGE, "hashes keys differently", table[i].child, __FILE__,
                              __LINE__);
        }
        blm_free(child);
        free(b.p);
    }
}

static void a_child_of_no_bytes_is_none(void **state)
{
    blm_filter *child = made("standard keys=20"), *f = NULL;
    const blob b = tree_with("xxh3-64", image_of(child), 1);
    (void)state;
    REFUSED(blm_load(&f, b.p, b.n, NULL, &why), BLM_E_IMAGE, "not a Bloomery filter");
    blm_free(child);
    free(b.p);
}

/* A page for a child that fills one, and eight bytes for all others; the directory must be understood. */
static void where_children_stand(void **state)
{
    (void)state;
    assert_int_equal(blm_child_at(100, 4095), 104);
    assert_int_equal(blm_child_at(100, 4096), 4096);
    assert_int_equal(blm_child_at(4096, 4096), 4096);
    assert_int_equal(blm_child_at(4097, 5000), 8192);
    assert_int_equal(blm_child_at(104, 8), 104);
    blm_filter *f = made("tree keys=20");
    const blob image = image_of(f);
    const uint8_t *tag = image.p + 32 + blm_le32(image.p + 12) - 2 * 8 - 8;
    assert_true(read_le(tag, 2) == 2 && read_le(tag + 2, 2) == 0 && read_le(tag + 4, 4) == 16);
    blm_free(f);
    free(image.p);
}

/* Between the header and a child that stands at a page. */
static void padding_before_children_is_zero(void **state)
{
    blm_filter *f = tree_of("tree keys=5000", 15), *g = NULL;
    const blob image = image_of(f);
    (void)state;
    for (size_t at = 32 + blm_le32(image.p + 12); at < 4096; at += 97) {
        image.p[at] = 1;
        REFUSED(blm_load(&g, image.p, image.n, NULL, &why), BLM_E_IMAGE, "padding");
        image.p[at] = 0;
    }
    OK(blm_verify_image(image.p, image.n, &why));
    blm_free(f);
    free(image.p);
}

/* Two keys with one hash would be an error for a kind that asked for 128 bits of it. */
static void narrow_hashes_are_refused(void **state)
{
    blm_filter *f = made("plate keys=20"), *g = NULL;
    const blob image = image_of(f);
    static forge w;
    (void)state;
    begin(&w);
    say_bytes(&w, image.p + 32, 1 + 5 + 2);
    say_name(&w, "xxh3-64");
    const size_t rest = 32 + 1 + 5 + 2 + 9; /* behind "xxh3-128" */
    say_bytes(&w, image.p + rest, 32 + blm_le32(image.p + 12) - rest);
    size_t n;
    w.cells = blm_cells(f, &n);
    w.ncells = n;
    const blob b = finish(&w);
    REFUSED(blm_load(&g, b.p, b.n, NULL, &why), BLM_E_IMAGE, "narrower than the kind needs");
    blm_free(f);
    free(image.p);
    free(b.p);
}

/* Four levels of children are read; five are not, however sound. */
static void depth_has_a_limit(void **state)
{
    blm_filter *f = tree_of("tree keys=20 depth=4", 5), *g = NULL;
    blob image = image_of(f);
    (void)state;
    OK(blm_load(&g, image.p, image.n, NULL, &why));
    blm_free(f);
    blm_free(g);
    free(image.p);
    f = tree_of("tree keys=20 depth=5", 5);
    image = image_of(f);
    REFUSED(blm_load(&g, image.p, image.n, NULL, &why), BLM_E_IMAGE, "at most 4 deep");
    blm_free(f);
    free(image.p);
}

/* Loads with an allocator that keeps count: never more than the image's bytes and 80 KiB. */
static blm_err open_counted(const blob *image, uint32_t children, bool view)
{
    purse p = {0};
    const blm_alloc a = {purse_get, purse_put, &p};
    blm_filter *g = NULL;
    blank_why();
    const blm_open_options *how = BLM_OPEN(.alloc = &a);
    const blm_err err = view ? blm_view(&g, image->p, image->n, how, &why)
                             : blm_load(&g, image->p, image->n, how, &why);
    if (!err) assert_int_equal(info_of(g).children, children);
    blm_free(g);
    assert_true(p.max <= image->n + 81920);
    assert_int_equal(p.held, 0);
    return err;
}

/* A view has no cells of its own, but knows the bytes below: with tiny leaves it needs more than a load. */
static blm_err load_counted(const blob *image, uint32_t children)
{
    const blm_err viewed = open_counted(image, children, true);
    const blm_err loaded = open_counted(image, children, false);
    assert_true(viewed == loaded || viewed == BLM_E_IMAGE);
    return loaded;
}

/* 1024 children can be saved, one more cannot. */
static void numbers_have_limits(void **state)
{
    blm_filter *f = made("tree keys=1"), *twin = NULL;
    (void)state;
    while (f->nchild < 1024) OK(blm_grow(f, &why));
    const blob image = image_of(f);
    OK(load_counted(&image, 1024));
    OK(blm_copy(&twin, f, &why));
    assert_true(blm_equal(f, twin));
    blm_free(twin);
    OK(blm_grow(f, &why));
    blob none = {NULL, 0, 0};
    REFUSED(blm_save(f, to_bytes, &none, &why), BLM_E_CANNOT, "1025 children");
    SAYS("1024");
    REFUSED(blm_write(f, "family-that-is-none.blm", BLM_WRITE_NEW, &why), BLM_E_CANNOT, "1025");
    FILE *file = fopen("family-that-is-none.blm", "rb");
    assert_null(file); /* no half of an image */
    assert_int_equal(blm_save(f, to_bytes, &none, NULL), BLM_E_CANNOT);
    OK(blm_copy(&twin, f, &why));
    assert_false(blm_equal(f, twin)); /* no image, no equality */
    blm_free(twin);
    blm_free(f);
    free(image.p);
}

/* Leaves of one key are smaller than their handles (of 64-bit machines): six thousand of them would cost more memory than the
 * image has bytes, which is what a forger would want. */
static void memory_has_a_limit(void **state)
{
    blm_filter *f = made("tree keys=1 depth=2");
    (void)state;
    while (f->nchild < 6) OK(blm_grow(f, &why));
    for (uint32_t i = 0; i < 6; i++)
        while (f->child[i]->nchild < 1024) OK(blm_grow(f->child[i], &why));
    const blob image = image_of(f);
    const blm_filter *leaf = f->child[0]->child[0];
    if (leaf->kind->size + sizeof leaf > blm_saved_size(leaf) + 13) /* 80 KiB over 6144 leaves */
        REFUSED(load_counted(&image, 6), BLM_E_IMAGE, "more memory than the image has bytes");
    else /* pointers of 32 bits */
        OK(load_counted(&image, 6));
    blm_free(f);
    free(image.p);
}

/* Every allocation of a load fails in turn. */
static void loading_without_memory(void **state)
{
    blm_filter *f = tree_of("tree keys=20 depth=2", 15);
    const blob image = image_of(f);
    bool whole = false;
    (void)state;
    for (uint64_t refuse = 1; !whole; refuse++) {
        purse p = {.refuse_at = refuse};
        const blm_alloc a = {purse_get, purse_put, &p};
        for (unsigned view = 0; view < 2; view++) {
            blm_filter *g = NULL;
            p = (purse){.refuse_at = refuse};
            const blm_open_options *how = BLM_OPEN(.alloc = &a);
            const blm_err err = view ? blm_view(&g, image.p, image.n, how, &why)
                                     : blm_load(&g, image.p, image.n, how, &why);
            assert_true(err == BLM_OK || (err == BLM_E_NOMEM && why.code == BLM_E_NOMEM));
            assert_int_equal(g != NULL, !err);
            blm_free(g);
            assert_int_equal(p.held, 0);
            whole = p.calls < refuse;
        }
    }
    blm_free(f);
    free(image.p);
}

/* Hash and fields are those of the header, children and all: two trees of other leaves do not mix. */
static void other_families_are_other_filters(void **state)
{
    blm_filter *f = tree_of("tree keys=20", 5), *g = tree_of("tree keys=20", 5),
               *h = tree_of("tree keys=21", 5);
    (void)state;
    assert_true(blm_equal(f, g));
    assert_false(blm_equal(f, h));
    for (uint32_t i = 0; i < 2; i++) {
        g->child[i]->adds++;
        assert_false(blm_equal(f, g));
        g->child[i]->adds--;
    }
    REFUSED(blm_merge(f, g, &why), BLM_E_CANNOT, "tree has no merge");
    blm_free(f);
    blm_free(g);
    blm_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_have_places),
        cmocka_unit_test(children_inherit),
        cmocka_unit_test(copies_and_clears_are_deep),
        cmocka_unit_test(families_without_memory),
        cmocka_unit_test(families_are_saved_and_mapped),
        cmocka_unit_test(children_stand_at_their_offsets),
        cmocka_unit_test(damage_in_the_first_child_is_found),
        cmocka_unit_test(damage_in_a_child_is_found),
        cmocka_unit_test(kinds_that_do_not_tell),
        cmocka_unit_test(forged_directories_are_refused),
        cmocka_unit_test(forgotten_children_are_refused),
        cmocka_unit_test(children_of_another_world_are_refused),
        cmocka_unit_test(a_child_of_no_bytes_is_none),
        cmocka_unit_test(where_children_stand),
        cmocka_unit_test(padding_before_children_is_zero),
        cmocka_unit_test(narrow_hashes_are_refused),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(numbers_have_limits),
        cmocka_unit_test(memory_has_a_limit),
        cmocka_unit_test(loading_without_memory),
        cmocka_unit_test(other_families_are_other_filters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
