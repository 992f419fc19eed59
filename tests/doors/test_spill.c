/* test_spill.c - the parts of uniq --exact and grep --confirm with keys whose hashes are equal in all
 * 64 bits. No input can make them, for the hash has a secret; they must be told apart by their bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exact/spill.h"
/* after the above */
#include <cmocka.h>

#define SAME UINT64_C(0x0123456789abcdef)

/* What the parts want of the rest of the program. */
void complain(const char *format, ...) { print_message("%s\n", format); }
ending complain_why(const char *name, blm_err err, const blm_report *why)
{
    complain("%s", name ? name : why->text);
    return ending_of(err);
}
ending ending_of(blm_err err) { return err ? END_TROUBLE : END_YES; }
bool out_failed(void) { return false; }
void out_bytes(const void *p, size_t n) { (void)p, (void)n; }

static row row_of(const char *key)
{
    return (row){.hash = SAME, .key = key, .key_length = strlen(key)};
}

static void table_tells_keys_apart(void **state)
{
    (void)state;
    spool *home = spool_new(1 << 16);
    keytable *t = keytable_new(1 << 20, home);
    char key[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(key, sizeof key, "%04d", i);
        const row r = row_of(key);
        assert_true(!keytable_find(t, &r));
        assert_true(keytable_put(t, &r, (uint8_t)(i % 200)));
    }
    for (int i = 0; i < 3000; i++) {
        snprintf(key, sizeof key, "%04d", i);
        const row r = row_of(key);
        const uint8_t *with = keytable_find(t, &r);
        assert_true(with && *with == i % 200);
    }
    keytable_free(t);
    spool_free(home);
}

/* Three long keys on disk: the first two are equal, the third differs in its last byte. */
static void long_keys_are_compared_on_disk(void **state)
{
    (void)state;
    static char key[LONG_KEY + 100];
    spool *home = spool_new(1 << 12);
    keytable *t = keytable_new(1 << 20, home);
    row r[3];
    for (int i = 0; i < 3; i++) {
        memset(key, 'a', sizeof key);
        key[sizeof key - 1] = i == 2 ? 'z' : 'a';
        r[i] = (row){.hash = SAME, .key_at = spool_bytes(home), .key_length = sizeof key};
        spool_write(home, key, sizeof key);
    }
    assert_true(keytable_put(t, &r[0], 5));
    assert_true(keytable_find(t, &r[1]) != NULL);
    assert_true(!keytable_find(t, &r[2]));
    row shorter = r[0];
    shorter.key_length--;
    assert_true(!keytable_find(t, &shorter));
    keytable_free(t);
    spool_free(home);
}

static void recent_keys_are_compared_and_forgotten(void **state)
{
    (void)state;
    recent *c = recent_new(1 << 18);
    recent_put(c, SAME, "plum", 4, 1);
    recent_put(c, SAME, "pear", 4, 2);
    uint8_t *plum = recent_find(c, SAME, "plum", 4), *pear = recent_find(c, SAME, "pear", 4);
    assert_true(plum && pear && *plum == 1 && *pear == 2);
    assert_true(!recent_find(c, SAME, "peas", 4));
    assert_true(!recent_find(c, SAME, "pea", 3));
    char key[32];
    for (int i = 0; i < 100000; i++) {
        snprintf(key, sizeof key, "%d", i);
        recent_put(c, (uint64_t)i, key, strlen(key), 3);
    }
    assert_true(!recent_find(c, SAME, "plum", 4) && !recent_has_all(c));
    assert_true(recent_find(c, 99999, "99999", 5) != NULL);
    recent_free(c);
}

static void a_join(join_rule rule, const char *yes)
{
    static const char *const keys[] = {"a", "b", "a", "c", "b", "c", "a"};
    spool *home = spool_new(1 << 16);
    doubts d = {.hashes = spool_new(1 << 16)};
    row all[7];
    for (size_t i = 0; i < 7; i++) {
        all[i] = row_of(keys[i]);
        all[i].kind = i ? ROW_DOUBT : ROW_FIRST;
        all[i].number = d.count;
        if (i) doubts_note(&d, &all[i]);
    }
    join *j = join_new(rule, &d, home, (1 << 20));
    for (size_t i = 0; i < 7; i++) join_row(j, &all[i]);
    assert_true(join_end(j));
    for (size_t i = 0; i < 6; i++) assert_true(join_yes(j, i) == (yes[i] == '1'));
    join_free(j);
    spool_free(d.hashes);
    spool_free(home);
}

/* Rows a b a c b c a of one hash, all but the first in doubt: which doubts are the first (second) with
 * their key, and which are in the list "a"? */
static void join_by_bytes(void **state)
{
    (void)state;
    a_join(JOIN_FIRST, "101000");
    a_join(JOIN_SECOND, "010110");
    a_join(JOIN_LISTED, "010001");
}

/* 1 MiB has a table of 384 KiB of keys: 13 keys of 30,000 bytes, not 14. A short key that would fit
 * after them must not make the table look as if it had room: the 14th would be "not in the list". */
static void a_full_table_stays_full(void **state)
{
    (void)state;
    static char key[30000];
    spool *home = spool_new(1 << 16);
    doubts d = {.hashes = spool_new(1 << 16)};
    row asked = {.kind = ROW_DOUBT, .hash = 14, .key = key, .key_length = sizeof key};
    doubts_note(&d, &asked);
    join *j = join_new(JOIN_LISTED, &d, home, (1 << 20));
    assert_non_null(j);
    for (char i = 1; i <= 14; i++) {
        memset(key, i, sizeof key);
        const row r = {.hash = (uint64_t)i, .key = key, .key_length = sizeof key};
        join_row(j, &r);
    }
    const row small = {.hash = 99, .key = "small", .key_length = 5};
    join_row(j, &small);
    join_row(j, &asked);
    assert_true(join_end(j) && join_yes(j, 0));
    join_free(j);
    spool_free(d.hashes);
    spool_free(home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_tells_keys_apart),
        cmocka_unit_test(long_keys_are_compared_on_disk),
        cmocka_unit_test(recent_keys_are_compared_and_forgotten),
        cmocka_unit_test(join_by_bytes),
        cmocka_unit_test(a_full_table_stays_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
