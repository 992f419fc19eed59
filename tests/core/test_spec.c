/* test_spec.c - one text makes a filter: words, knobs, and every wish that determines one. */
#include "core/unit.h"
#include "core/core_internal.h"

static blm_filter *f; /* of the current test; NULL in between */

static void refused_spec(const char *spec, const char *word)
{
    f = NULL;
    REFUSED(blm_make(&f, spec, &why), BLM_E_ARG, word);
    assert_null(f);
}

/* ---- words ------------------------------------------------------------------------------------------ */

static void words_in_any_order(void **state)
{
    blm_filter *g = made("counting keys=1000 fpr=1% width=8 seed=5 hashes=4 overfill=yes");
    (void)state;
    f = made("\n\tcounting  overfill=yes width=8\thashes=4 seed=5 fpr=1/100 \n keys=1e3  ");
    assert_true(blm_equal(f, g) && info_of(f).overfill);
    assert_int_equal(info_of(f).seed, 5);
    assert_int_equal(info_of(f).hashes, 4);
    assert_int_equal(field(f, "width"), 8);
    blm_free(f);
    blm_free(g);
    f = made("blocked keys=10 overfill=no");
    assert_false(info_of(f).overfill);
    blm_free(f);
}

static void words_that_make_no_sense(void **state)
{
    (void)state;
    refused_spec("", "empty text");
    refused_spec(" \t\n", "empty text");
    refused_spec("keys=10", "keys=10");
    SAYS("kind name=value");
    refused_spec("standard keys", "keys: a filter is written");
    refused_spec("standard blocked keys=10", "blocked: a filter is written");
    refused_spec("standard keys=0", "keys 0");
    SAYS("must be at least 1");
    refused_spec("standard keys=", "not a count");
    refused_spec("standard keys=-5", "-5: not a count");
    refused_spec("standard keys=1e17", "1e17");
    refused_spec("standard keys=10 fpr=0", "fpr 0: a rate lies between 0 and 1");
    refused_spec("standard keys=10 fpr=1", "did you mean 1% = 0.01");
    refused_spec("standard keys=10 fpr=nan", "fpr nan");
    refused_spec("standard keys=10 fpr=-1", "fpr -1");
    refused_spec("standard keys=10 fnr=2", "2");
    refused_spec("standard bits=0", "bits 0");
    refused_spec("standard bits=0b", "0b");
    refused_spec("standard bits=2e18b", "2^60");
    refused_spec("standard bits=ten", "ten: not a size");
    refused_spec("standard keys=10 hashes=0", "hashes 0: must be from 1 to 64");
    refused_spec("standard keys=10 hashes=65", "hashes 65: must be from 1 to 64");
    refused_spec("standard keys=10 hashes=x", "x: not a count");
    refused_spec("standard keys=10 seed=x", "x: not a count");
    refused_spec("standard keys=10 overfill=maybe", "overfill=maybe: must be yes or no");
    refused_spec("standard fpr=1%", "set the number of keys");
    refused_spec("standard", "set the number of keys");
}

static void sizes_with_and_without_unit(void **state)
{
    (void)state;
    f = made("standard bits=4096 hashes=3");
    assert_int_equal(field(f, "cells"), 4096);
    blm_free(f);
    f = made("standard bits=512B hashes=3");
    assert_int_equal(field(f, "cells"), 4096);
    blm_free(f);
    f = made("standard bits=4k hashes=3"); /* a count of bits */
    assert_int_equal(field(f, "cells"), 4000);
    blm_free(f);
}

static void nearest_word_is_a_slip_away(void **state)
{
    static const char *const words[] = {"build", "add", "merge", "count", "rm"};
    static const char *const far[] = {"memory-optimized"};
    const size_t n = sizeof words / sizeof *words;
    (void)state;
    assert_string_equal(blm_nearest("biuld", words, n), "build");
    assert_string_equal(blm_nearest("mr", words, n), "rm"); /* a swap is one edit, not two */
    assert_string_equal(blm_nearest("cont", words, n), "count");
    assert_string_equal(blm_nearest("merrge", words, n), "merge");
    assert_string_equal(blm_nearest("sdd", words, n), "add");
    assert_null(blm_nearest("explain", words, n));
    assert_string_equal(blm_nearest("memoryoptimizd", far, 1), "memory-optimized");
    assert_null(
        blm_nearest("memorioptimizd", far, 1)); /* 3 edits are no slip, however long the word */
    assert_null(blm_nearest("abcdefghijklmnopqrstuvwxyzabcdefghi", words, n));
    assert_null(blm_nearest("add", words, 0));
}

static void nearest_kind_is_suggested(void **state)
{
    static const struct {
        const char *text, *near;
    } slips[] = {{"standart", "standard"}, {"stadard", "standard"},   {"blokced", "blocked"},
                 {"block", "blocked"},     {"counting2", "counting"}, {"conting", "counting"},
                 {"Standard", "standard"}};
    (void)state;
    for (size_t i = 0; i < COUNT(slips); i++) {
        char spec[64], words[64];
        snprintf(spec, sizeof spec, "%s keys=10", slips[i].text);
        snprintf(words, sizeof words, "%s: no such kind; did you mean %s?", slips[i].text,
                 slips[i].near);
        refused_spec(spec, words);
        assert_string_equal(blm_kind_nearest(slips[i].text), slips[i].near);
    }
    refused_spec("qqq keys=10", "qqq: no such kind");
    assert_null(strstr(why.text, "did you mean"));
    assert_null(blm_kind_nearest("qqq"));
    assert_null(blm_kind_nearest(""));
    assert_null(blm_kind_nearest("a-kind-with-a-name-that-is-far-too-long-for-any"));
    refused_spec("standard-with-a-name-that-is-far-longer-than-any-kind keys=10",
                 "standard-with-a-name");
}

static void long_words_are_refused(void **state)
{
    char spec[2000] = "counting keys=10 ";
    (void)state;
    memset(spec + strlen(spec), 'x', 700);
    refused_spec(spec, "700 bytes");
    strcpy(spec, "counting keys=10");
    for (unsigned i = 0; i < 60; i++) strcat(spec, " width=000000008");
    refused_spec(spec, "longer than");
    strcpy(spec, "counting keys=10");
    for (unsigned i = 0; i < 30; i++)
        strcat(spec, " width=000000008"); /* one byte less than 30 * 16: fits */
    f = made(spec);
    assert_int_equal(field(f, "width"), 8);
    blm_free(f);
}

/* ---- configs ------------------------------------------------------------------------------------------ */

static void config_refused(const blm_config *c, const char *word)
{
    f = NULL;
    REFUSED(blm_new(&f, c, &why), BLM_E_ARG, word);
    assert_null(f);
}

static void configs_that_make_no_sense(void **state)
{
    (void)state;
    config_refused(BLM_CONFIG(.kind = "standard"), "keys 0, bits 0");
    config_refused(BLM_CONFIG(.keys = 10, .fpr = 1),
                   "fpr 1: a rate lies between 0 and 1; did you mean 1% = 0.01?");
    config_refused(BLM_CONFIG(.keys = 10, .fpr = 5), "did you mean 5% = 0.05?");
    config_refused(BLM_CONFIG(.keys = 10, .fpr = 100),
                   "fpr 100: a rate lies between 0 and 1, such as");
    config_refused(BLM_CONFIG(.keys = 10, .fpr = -1), "fpr -1");
    config_refused(BLM_CONFIG(.keys = 10, .fpr = NAN), "nan");
    config_refused(BLM_CONFIG(.keys = 10, .fpr = INFINITY), "inf");
    config_refused(BLM_CONFIG(.keys = 10, .fnr = 1), "fnr 1");
    config_refused(BLM_CONFIG(.keys = 10, .fnr = NAN), "nan");
    config_refused(BLM_CONFIG(.keys = (UINT64_C(1) << 56) + 1),
                   "keys 72057594037927937: at most 2^56");
    config_refused(BLM_CONFIG(.bits = (UINT64_C(1) << 60) + 1),
                   "bits 1152921504606846977: at most 2^60");
    config_refused(BLM_CONFIG(.keys = 10, .hashes = 65), "hashes 65: must be from 1 to 64");
    config_refused(BLM_CONFIG(.kind = "standard", .keys = 10, .with = "width=3"),
                   "standard has no knobs");
    config_refused(BLM_CONFIG(.keys = UINT64_C(1) << 56, .fpr = 1e-9), "2^60 bits");
}

/* A caller's struct may be older and shorter, or newer and longer: what it has counts. */
static void configs_of_other_sizes(void **state)
{
    struct {
        blm_config c;
        char more[64];
    } newer = {
        .c = {.size = sizeof newer, .kind = "standard", .keys = 100, .fpr = 0.01, .seed = 9}};
    blm_config c;
    (void)state;
    memset(newer.more, 0x5a, sizeof newer.more);
    f = made_new(&newer.c);
    assert_int_equal(info_of(f).seed, 9);
    blm_free(f);
    blm_config_init(&c);
    assert_int_equal(c.size, sizeof c);
    c.kind = "standard", c.keys = 100, c.fpr = 0.01, c.seed = 9, c.overfill = true;
    c.size = offsetof(blm_config, seed); /* an older caller knows no seed */
    f = made_new(&c);
    assert_int_equal(info_of(f).seed, 0);
    assert_false(info_of(f).overfill);
    blm_free(f);
    c.size = 0;
    config_refused(&c, "config of 0 bytes");
    c.size = offsetof(blm_config, keys) - 1;
    config_refused(&c, "bytes");
    union {
        blm_config c;
        uint8_t room[4096];
    } newest = {.c = {.size = 4096, .keys = 10}};
    f = made_new(&newest.c);
    blm_free(f);
    c.size = 4097;
    config_refused(&c, "config of 4097 bytes");
    c.size = offsetof(blm_config, keys); /* a kind and nothing else */
    config_refused(&c, "set the number of keys");
    f = made_new(BLM_CONFIG(.keys = 10)); /* no kind: the default */
    assert_string_equal(info_of(f).kind, "blocked");
    assert_true(info_of(f).fpr_target == 0.001);
    blm_free(f);
}

/* ---- knobs ---------------------------------------------------------------------------------------------- */

enum { NUMBER, WORD, SIZE, TIME, NUMBERS };
static const blm_knobdef every_knob[] = {
    [NUMBER] = {"width", "bits a cell", BLM_K_NUMBER, .def = 4, .min = 2, .max = 16},
    [WORD] = {"method", "how", BLM_K_WORD, .def = 1, .words = "select|increase|recur"},
    [SIZE] = {"room", "memory", BLM_K_SIZE, .def = 64, .min = 8, .max = 8192},
    [TIME] = {"window", "how long", BLM_K_TIME, .def = 1000, .min = 1, .max = 864000000},
    [NUMBERS] = {"levels", "one a level", BLM_K_NUMBERS, .def = 0},
};
static const blm_kind knobby = {.name = "knobby", .knobs = every_knob, .nknobs = COUNT(every_knob)};

static void knobs_by_type(void **state)
{
    static const struct {
        const char *with;
        unsigned knob;
        double want;
    } good[] = {
        {"width=8", NUMBER, 8},       {"width=2.5", NUMBER, 2.5},   {"width=2", NUMBER, 2},
        {"width=16", NUMBER, 16},     {"method=select", WORD, 0},   {"method=increase", WORD, 1},
        {"method=recur", WORD, 2},    {"room=1B", SIZE, 8},         {"room=1KiB", SIZE, 8192},
        {"room=100b", SIZE, 100},     {"window=500ms", TIME, 500},  {"window=30s", TIME, 30000},
        {"window=10m", TIME, 600000}, {"window=2h", TIME, 7200000}, {"window=7d", TIME, 604800000},
        {"window=1000", TIME, 1000},  {"window=1.5s", TIME, 1500},  {"width=3,width=5", NUMBER, 5},
        {"  width=3 , ", NUMBER, 3},  {"levels=7:8:9", NUMBERS, 0}};
    blm_knob_values v;
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        OK(blm_knobs_parse(&knobby, good[i].with, &v, &why));
        assert_true(v.num[good[i].knob] == good[i].want);
        const char *unit = good[i].with + strlen(good[i].with) - 1; /* a letter: milliseconds */
        assert_int_equal(v.timed[TIME], good[i].knob == TIME && *unit > '9');
        for (unsigned other = 0; other < COUNT(every_knob); other++)
            if (other != good[i].knob)
                assert_true(v.num[other] == every_knob[other].def && !v.text[other]);
    }
    assert_string_equal(v.text[NUMBERS], "7:8:9");
    OK(blm_knobs_parse(&knobby, "width=3 method=recur", &v, &why));
    assert_string_equal(v.text[NUMBER], "3");
    assert_string_equal(v.text[WORD], "recur");
    OK(blm_knobs_parse(&knobby, NULL, &v, &why));
    OK(blm_knobs_parse(&knobby, "", &v, &why));
    assert_true(v.num[WORD] == 1 && v.num[TIME] == 1000);
}

static void knobs_out_of_range(void **state)
{
    static const struct {
        const char *with, *word;
    } bad[] = {
        {"width=1", "width=1: bits a cell, from 2 to 16"},
        {"width=17", "width=17: bits a cell, from 2 to 16"},
        {"width=nan", "width=nan: bits a cell, from 2 to 16"},
        {"width=-3", "width=-3"},
        {"width=8x", "width=8x: bits a cell, from 2 to 16"},
        {"width=", "width=: bits a cell"},
        {"method=recurring", "method=recurring: must be one of select|increase|recur"},
        {"method=rec", "method=rec: must be one of"},
        {"method=", "must be one of"},
        {"room=7b", "room=7b: memory, from 8 to 8192"},
        {"room=1MiB", "room=1MiB: memory, from 8 to 8192"},
        {"room=12", "room=12: memory"},
        {"window=0s", "window=0s: how long, from 1 to 8.64e+08"},
        {"window=11d", "window=11d"},
        {"window=5w", "window=5w"},
        {"window=s", "window=s"},
        {"width", "width: a knob is written name=value"},
        {"widht=3", "widht: knobby has no such knob; did you mean width?"},
        {"winow=3", "did you mean window?"},
        {"zzz=3", "zzz: knobby has no such knob; it has width, method, room, window, levels"},
        {"width=3 zzz=3", "zzz"}};
    blm_knob_values v;
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++)
        REFUSED(blm_knobs_parse(&knobby, bad[i].with, &v, &why), BLM_E_ARG, bad[i].word);
    char with[600];
    memset(with, ' ', sizeof with);
    with[511] = 0;
    OK(blm_knobs_parse(&knobby, with, &v, &why));
    with[511] = ' ', with[512] = 0;
    REFUSED(blm_knobs_parse(&knobby, with, &v, &why), BLM_E_ARG, "512 bytes: at most 511");
}

/* ---- wishes ---------------------------------------------------------------------------------------------- */

static uint64_t bits_in_use(const blm_filter *g)
{
    const char *kind = info_of(g).kind;
    return strcmp(kind, "blocked") == 0       ? field(g, "blocks") * 512
           : strcmp(kind, "split-block") == 0 ? field(g, "blocks") * 256
           : strcmp(kind, "counting") == 0    ? field(g, "cells") * field(g, "width")
                                              : field(g, "cells");
}

static double rate_at(const blm_filter *g, uint64_t keys)
{
    return blm_fpr(g, &(blm_case){.keys = keys, .arg = BLM_NO_ARG}).high;
}

static void check_wish(const blm_config *c)
{
    f = made_new(c);
    const blm_info i = info_of(f);
    if (c->bits) assert_true(bits_in_use(f) <= c->bits && bits_in_use(f) > c->bits - 512);
    if (c->hashes) assert_int_equal(i.hashes, c->hashes);
    if (c->keys) assert_int_equal(i.capacity, c->keys);
    const bool raw = c->bits && c->fpr == 0 && (c->keys || c->hashes);
    const double promise = c->fpr > 0 ? c->fpr : 0.001, rate = rate_at(f, i.capacity);
    if (raw)
        NEAR(i.fpr_target, rate, 1e-7); /* 24 bits of it */
    else
        assert_true(i.fpr_target == promise && rate <= promise * (1 + 1e-9));
    if (!c->keys) { /* the most that fit */
        blm_config more = *c;
        blm_filter *g = NULL;
        more.keys = i.capacity + 1;
        more.fpr = promise;
        REFUSED(blm_new(&g, &more, &why), BLM_E_ARG, "do not fit");
    }
    blm_free(f);
}

/* Of keys, rate, memory and hashes any that determine a filter: 1000 keys at 1 % in 64 KiB do. */
static void every_combination(void **state)
{
    static const char *const kinds[] = {"standard", "blocked", "counting", "split-block"};
    (void)state;
    for (unsigned i = 0; i < COUNT(kinds); i++)
        for (unsigned set = 0; set < 16; set++) {
            const blm_config c = {.size = sizeof c,
                                  .kind = kinds[i],
                                  .keys = set & 1 ? 1000 : 0,
                                  .fpr = set & 2 ? 0.01 : 0,
                                  .bits = set & 4 ? 524288 : 0,
                                  .hashes = set & 8 ? 8 : 0};
            if (c.keys || c.bits)
                check_wish(&c);
            else
                config_refused(&c, "set the number of keys");
        }
}

static void memory_is_never_exceeded(void **state)
{
    char spec[96];
    (void)state;
    for (unsigned bits = 1; bits < 1400; bits += bits < 200 ? 1 : 37)
        for (unsigned kind = 0; kind < 4; kind++) {
            static const char *const names[] = {"standard", "blocked", "counting", "split-block"};
            static const unsigned min[] = {4, 512, 16, 256};
            f = NULL;
            snprintf(spec, sizeof spec, "%s bits=%ub fpr=30%%", names[kind], bits);
            const blm_err err = blm_make(&f, spec, &why);
            if (err) {
                assert_int_equal(err, BLM_E_ARG);
                assert_true(bits < min[kind]);
                continue;
            }
            assert_true(bits_in_use(f) <= bits);
            assert_true(info_of(f).bits <= (bits + 63) / 64 * 64);
            blm_free(f);
        }
}

static void wishes_that_disagree(void **state)
{
    (void)state;
    refused_spec("standard keys=1000 fpr=1% bits=9000b",
                 "1000 keys at fpr 0.01 do not fit into 9000 bits: the rate would be 0.013");
    SAYS("they hold 937 keys"); /* the exact rate is 0.0099495 at 937, 0.01000005 at 938 */
    refused_spec("standard keys=1000 fpr=1% bits=9600b hashes=1",
                 "keys at the requested rate; omit keys, fpr or bits");
    SAYS("they hold 96 keys"); /* k = 1: 1 - (1 - 1/9600)^96 = 0.00995, ^97 = 0.01005 */
    refused_spec("blocked keys=1e6 fpr=1% bits=1MiB", "do not fit into 8388608 bits");
    refused_spec("counting keys=1e6 fpr=1% bits=2MiB", "do not fit into 16777216 bits");
    refused_spec("standard bits=5b fpr=1e-9", "bits 5: too few for one key at fpr 1e-09");
    f = made("standard keys=1000 fpr=1% bits=9595b"); /* the fewest bits */
    blm_free(f);
    refused_spec("standard keys=1000 fpr=1% bits=9594b", "do not fit");
}

/* Six digits of a rate from libm differ between machines: 24 bits of it do not. */
static void rates_are_rounded_to_24_bits(void **state)
{
    (void)state;
    assert_true(blm_rate_rounded(0.5) == 0.5 && blm_rate_rounded(0) == 0 &&
                blm_rate_rounded(1) == 1);
    assert_true(blm_rate_rounded(ldexp(16777217, -30)) == ldexp(16777218, -30));
    assert_true(blm_rate_rounded(ldexp(33554433, -31)) == ldexp(33554432, -31));
    assert_true(blm_rate_rounded(ldexp(33554435, -31)) == ldexp(33554436, -31));
    assert_true(blm_rate_rounded(nextafter(0.25, 1)) == 0.25);
    assert_true(blm_rate_rounded(0.01) != 0.01);
    NEAR(blm_rate_rounded(0.01), 0.01, 6e-8);
    NEAR(blm_rate_rounded(1e-300), 1e-300, 6e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_in_any_order),
        cmocka_unit_test(words_that_make_no_sense),
        cmocka_unit_test(sizes_with_and_without_unit),
        cmocka_unit_test(nearest_word_is_a_slip_away),
        cmocka_unit_test(nearest_kind_is_suggested),
        cmocka_unit_test(long_words_are_refused),
        cmocka_unit_test(configs_that_make_no_sense),
        cmocka_unit_test(configs_of_other_sizes),
        cmocka_unit_test(knobs_by_type),
        cmocka_unit_test(knobs_out_of_range),
        cmocka_unit_test(every_combination),
        cmocka_unit_test(memory_is_never_exceeded),
        cmocka_unit_test(wishes_that_disagree),
        cmocka_unit_test(rates_are_rounded_to_24_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
