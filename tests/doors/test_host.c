/* test_host.c - doors/host as another door would use it: nothing of the command line is linked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/host.h"

/* A sink of a fixed room: a reply of a server. */
typedef struct reply {
    char text[8192];
    size_t used, room;
    unsigned calls;
} reply;

static blm_err append(void *ctx, const void *p, size_t n)
{
    reply *r = ctx;
    r->calls++;
    if (n > r->room - r->used) return BLM_E_IO;
    memcpy(r->text + r->used, p, n);
    r->used += n;
    r->text[r->used] = 0;
    return BLM_OK;
}

#define REPLY                                                                                      \
    {                                                                                              \
        .room = sizeof((reply *)0)->text - 1                                                       \
    }

/* ---- sentences ------------------------------------------------------------------------------------------------ */

static void spec_becomes_a_filter_or_a_sentence(void **state)
{
    char why[HOST_SENTENCE] = "untouched";
    blm_filter *f = NULL, *none = NULL;
    (void)state;
    assert_int_equal(host_make(&f, "counting keys=1000 fpr=1%", why, sizeof why), BLM_OK);
    assert_string_equal(why, "untouched");
    assert_true(blm_can(f, BLM_DEL));
    blm_free(f);
    assert_int_equal(host_make(&none, "countnig keys=1000", why, sizeof why), BLM_E_ARG);
    assert_null(none);
    assert_non_null(strstr(why, "countnig"));
    assert_non_null(strstr(why, "counting")); /* what was meant */
    assert_int_equal(host_make(&none, "standard keys=1000 \x1b[31m=1", why, sizeof why), BLM_E_ARG);
    assert_null(strchr(why, '\x1b'));
    assert_non_null(strstr(why, "\\x1b[31m"));
}

static void error_becomes_a_sentence(void **state)
{
    char out[HOST_SENTENCE], small[12];
    blm_report why = {BLM_E_FULL, "a.blm: over capacity"};
    (void)state;
    host_sentence(out, sizeof out, NULL, BLM_E_FULL, &why);
    assert_string_equal(out, "a.blm: over capacity");
    host_sentence(out, sizeof out, "a.blm", BLM_E_FULL, &why); /* named already */
    assert_string_equal(out, "a.blm: over capacity");
    host_sentence(out, sizeof out, "b\n.blm", BLM_E_FULL, &why);
    assert_string_equal(out, "b\\x0a.blm: a.blm: over capacity");
    host_sentence(small, sizeof small, "b\n.blm", BLM_E_FULL, &why);
    assert_string_equal(small, "b\\x0a.blm: ");
    /* A report of another code, an empty one, none. */
    const char *words = blm_strerror(BLM_E_NOMEM);
    host_sentence(out, sizeof out, NULL, BLM_E_NOMEM, &why);
    assert_string_equal(out, words);
    why = (blm_report){BLM_E_NOMEM, ""};
    host_sentence(out, sizeof out, NULL, BLM_E_NOMEM, &why);
    assert_string_equal(out, words);
    host_sentence(out, sizeof out, NULL, BLM_E_NOMEM, NULL);
    assert_string_equal(out, words);
}

static void strange_bytes_are_shown_safely(void **state)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
         "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\t\x7f", "\\x09\\x7f"},
        {"\xc2\x9b", "\\xc2\\x9b"},          /* a control of C1 */
        {"\xe2\x80\xae", "\\xe2\\x80\\xae"}, /* turns the direction */
        {"\xc0\xaf\xff", "\\xc0\\xaf\\xff"}, /* too long a form; no UTF-8 */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* half of a pair */
        {"\xe2\x82", "\\xe2\\x82"},          /* cut off */
        {"\\x1b", "\\x1b"},                  /* escaped once is escaped */
    };
    char out[64], room[6];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        host_escape(out, sizeof out, rows[i].in, strlen(rows[i].in));
        assert_string_equal(out, rows[i].out);
    }
    host_escape(room, sizeof room, "ab\ncd", 5); /* no half of an escape */
    assert_string_equal(room, "ab");
}

/* ---- JSON ----------------------------------------------------------------------------------------------------- */

static void values_are_valid_json(void **state)
{
    reply r = REPLY;
    host_json j = {.to = append, .ctx = &r};
    (void)state;
    host_json_open(&j, NULL, '{');
    host_json_text(&j, "text", "a \"b\" \\ \n \xc3\xa9");
    host_json_bytes(&j, "key",
                    "\xff"
                    "ab",
                    3);
    host_json_open(&j, "list", '[');
    host_json_count(&j, NULL, UINT64_MAX);
    host_json_number(&j, NULL, 0.1);
    host_json_number(&j, NULL, NAN);
    host_json_number(&j, NULL, INFINITY);
    host_json_bytes(&j, NULL, "\xff", 1); /* no name, no hex */
    host_json_close(&j, ']');
    host_json_bool(&j, "yes", true);
    host_json_null(&j, "none");
    host_json_close(&j, '}');
    host_json_end_line(&j);
    host_json_open(&j, NULL, '[');
    host_json_close(&j, ']');
    assert_int_equal(j.err, BLM_OK);
    assert_string_equal(r.text, "{\"text\":\"a \\\"b\\\" \\\\ \\u000a \xc3\xa9\","
                                "\"key\":\"\\ufffdab\",\"key_hex\":\"ff6162\","
                                "\"list\":[18446744073709551615,0.1,null,null,\"\\ufffd\"],"
                                "\"yes\":true,\"none\":null}\n[]");
}

/* The shortest text that reads back as the same double. */
static void numbers_come_back(void **state)
{
    static const double values[] = {1.0 / 3, 1e300, 5e-324, 0.001, 123456789.0, -2.5};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        reply r = REPLY;
        host_json j = {.to = append, .ctx = &r};
        double back = 0;
        host_json_number(&j, NULL, values[i]);
        assert_int_equal(sscanf(r.text, "%lf", &back), 1);
        assert_memory_equal(&back, &values[i], sizeof back);
    }
}

static void sink_that_fails_is_not_asked_again(void **state)
{
    reply r = {.room = 4};
    host_json j = {.to = append, .ctx = &r};
    (void)state;
    host_json_open(&j, NULL, '{');
    host_json_text(&j, "name", "value");
    assert_int_equal(j.err, BLM_E_IO);
    const unsigned calls = r.calls;
    host_json_count(&j, "more", 1);
    host_json_close(&j, '}');
    assert_int_equal(r.calls, calls);
    assert_int_equal(j.err, BLM_E_IO);
}

static void info_has_what_the_filter_says(void **state)
{
    char why[HOST_SENTENCE];
    blm_filter *f = NULL;
    reply bare = REPLY, named = REPLY;
    (void)state;
    assert_int_equal(host_make(&f, "counting keys=1000 fpr=1% width=8 seed=7", why, sizeof why), 0);
    assert_int_equal(blm_add(f, "plum", 4), BLM_OK);
    host_json j = {.to = append, .ctx = &bare};
    host_json_open(&j, NULL, '{');
    host_json_info(&j, f, NULL, 0);
    host_json_close(&j, '}');
    assert_int_equal(j.err, BLM_OK);
    assert_ptr_equal(strstr(bare.text, "{\"kind\":\"counting\",\"group\":"), bare.text);
    assert_non_null(strstr(bare.text, "\"seed\":7,\"keyed\":false,\"capacity\":1000,\"keys\":1,"));
    assert_non_null(strstr(bare.text, "\"fpr_target\":0.01,"));
    assert_non_null(strstr(bare.text, "\"fpr_seen\":null,"));
    assert_non_null(strstr(bare.text, "\"knobs\":{\"width\":"));
    assert_null(strstr(bare.text, "\"file"));
    j = (host_json){.to = append, .ctx = &named};
    host_json_open(&j, NULL, '{');
    host_json_info(&j, f, "a\"b.blm", 123);
    host_json_close(&j, '}');
    assert_ptr_equal(strstr(named.text, "{\"file\":\"a\\\"b.blm\",\"kind\":"), named.text);
    assert_non_null(strstr(named.text, "\"file_bytes\":123,"));
    assert_int_equal(named.used, bare.used + strlen("\"file\":\"a\\\"b.blm\",\"file_bytes\":123,"));
    blm_free(f);
}

static void bits_have_names(void **state)
{
    char text[64], cut[8];
    (void)state;
    host_abilities(text, sizeof text, BLM_ADD | BLM_DEL, ", ");
    assert_string_equal(text, "add, del");
    host_abilities(cut, sizeof cut, BLM_ADD | BLM_DEL, ", ");
    assert_string_equal(cut, "add"); /* whole words */
    host_promises(text, sizeof text, 0, " ");
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spec_becomes_a_filter_or_a_sentence),
        cmocka_unit_test(error_becomes_a_sentence),
        cmocka_unit_test(strange_bytes_are_shown_safely),
        cmocka_unit_test(values_are_valid_json),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(sink_that_fails_is_not_asked_again),
        cmocka_unit_test(info_has_what_the_filter_says),
        cmocka_unit_test(bits_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
