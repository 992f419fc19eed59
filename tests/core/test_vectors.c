/* test_vectors.c - the figures of docs/format.md: hash words, positions, and how small an image is.
 *
 * The numbers were computed by tests/reader/vectors.py, which shares no code with the library; a
 * door compares the page, this file and that program with each other.
 */
#include <bloomery/bloomery.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/core_internal.h"
#include "core/bytes.h"
#include "parts/probe.h"

#define CELLS     1000003
#define BLOCKS    1009
#define KEY_CHECK UINT64_C(0x7352FA74D94F65B8)

typedef struct hash_row {
    size_t length;
    uint64_t seed, xxh64, mixed, xxh128_lo, xxh128_hi, sip_lo, sip_hi;
} hash_row;
static const hash_row hash_rows[] = {
    {0, 0, 0x2D06800538D394C2, 0x45A7DA599A3A55B0, 0x6001C324468D497F, 0x99AA06D3014798D8,
     0xE6A825BA047F81A3, 0x930255C71472F66D},
    {1, 0, 0x13E608BC156DEFED, 0x0C4867ACD2EC6970, 0x13E608BC156DEFED, 0x22BBB76B211A39BA,
     0x36B0711E80D82E15, 0x2E82C952F7FD3690},
    {3, 0, 0xA9088DDA485B481C, 0x34A549CEB60E1746, 0xA9088DDA485B481C, 0xCE31763CBF8245A5,
     0x1CD505C9377CD8CB, 0xD527F9E2893A0744},
    {4, 0, 0x6D9253B16C8B1ED3, 0x3A26F503585D0F40, 0x788A609154B0FE20, 0x47197970590746B1,
     0x6428E7A06A36388E, 0x459ACB985DCA0A4D},
    {8, 0, 0x60539DB630471163, 0xC9D0FCCB151964E2, 0x3CD024E3D63A1588, 0xE3BC8A5F46171555,
     0x873DD6A977678BC3, 0x58CE0F1782152EA6},
    {9, 0, 0xFEFF668361D723A8, 0x642102B8F8851A0F, 0xEAFAB1C7F123109F, 0xC72C88247A9A56D7,
     0x48BA83A1A1791145, 0x306D359618FAB268},
    {16, 0, 0xB8C859B0F030B585, 0xCE324DAC9134CBB7, 0x60D75C5E47D40A24, 0xCE0B9647AB24F884,
     0xB772B044BD29E7E3, 0xBD65AE2EA4BAF482},
    {17, 0, 0x714A04408E79B80F, 0x8A3D2AAC71247D63, 0xEEED7654312A26D7, 0xBFD327EDCC2FBD12,
     0x57B677001D7AFEF8, 0xEE672A55AF4C54C1},
    {128, 0, 0x67425A03650261BF, 0xE847C2901505CDB4, 0xC580008B6C92AC53, 0x1B1962A096BAC78B,
     0x43820D9385271960, 0x0AA0BC0014E85260},
    {129, 0, 0xC664BF3311C6ABC4, 0x8723F3BCD97BD22A, 0xBD91CE7ACE4D385B, 0x293E4968C4619023,
     0x91DE316225C4A711, 0x6A767367B39250E5},
    {240, 0, 0x64556DC6B462A6CF, 0xED86766DD767DE55, 0x04E0B5F034BEE80B, 0xAD46C1021B076BC7,
     0xBEF17301F3AA2FDF, 0x45B065CFD3849132},
    {241, 0, 0x8BEADD3A8874FE17, 0x991EA19A1C294820, 0x8BEADD3A8874FE17, 0xAC6C3492C3D6B45D,
     0x41C4486C0565F345, 0x5D009BCA6179B691},
    {1000, 0, 0x6C4F14BD97BD9E82, 0x980BE16DD1CA854F, 0x6C4F14BD97BD9E82, 0x6BCC7EFF62DA44C2,
     0x2962C461A68BA585, 0x808BC6716E539488},
    {0, 42, 0xB029411FF43D84D2, 0x1B76A593D2B3058E, 0x3C1D09E9FE249164, 0x16C20ACD33F7AF2F,
     0xFDA04CE74B37CCA0, 0x6E34DDC3D3598E40},
    {1, 42, 0xD0C83C4BDEED078B, 0xABB11D8BA9129C9D, 0xD0C83C4BDEED078B, 0x456C76EBD2FBCC9D,
     0xEACDB6D65442BF99, 0xAB0A9658326A360F},
    {3, 42, 0x3A6EB7A191052C81, 0xCAD0936BBDCF6076, 0x3A6EB7A191052C81, 0x916A24E287718A05,
     0xCE8FD042784A7485, 0x4894BEC7188E1EB8},
    {4, 42, 0x5D8DDB4735733BAB, 0xAD2920EEA67D177F, 0xDFF3A47766A9FB6E, 0xDB46401F70CBD3B1,
     0xE1372C435ACB2437, 0x5B7C7626E9169E55},
    {8, 42, 0x53A895CA319FAB31, 0x0E85A9AFB1B963D3, 0xFCEF9D87275ABD57, 0xDB7AAF40CD2508FD,
     0x8CAB50B8D7ACD6CF, 0x92B0CB2BE783758D},
    {9, 42, 0x43F019F90F24F866, 0xD96956BFD61F8109, 0x0928C2B6057EF6EE, 0xBAFED0F8241CD8B5,
     0xE1191FB8FA95ABFE, 0xC2A0DC9E530ECE8E},
    {16, 42, 0x6B1B54F65D114C69, 0x5763C4F599D093DA, 0xCD35A6B186E354D5, 0xCA2421404D5D2D31,
     0xC005DE7CF6E11761, 0x4D0ECF598C58A1E6},
    {17, 42, 0x148ADA809B3845DD, 0x858F02FF3EED4E24, 0xAB7E53C43BC0F6E2, 0xAC27ED7CEE3AA089,
     0x21C8FD7074DDABCE, 0x1946EC03F951A204},
    {128, 42, 0xEEF663431A9BF01D, 0xBD9D1178904B4238, 0x1CB9668694F68262, 0xD70D224D20EF2502,
     0xC1321EE979246A57, 0x6D7E09003D93D78E},
    {129, 42, 0x4DF9521149F6F8C5, 0x72479FEF12E956A0, 0xFB7085AC3A0F3F76, 0xCC78A6CBA21DFA7B,
     0x0C7E6BEEC547D135, 0xED2B3FCD7CE2510F},
    {240, 42, 0x722964F8A7F16DE3, 0x742B1C288F7B24D1, 0x86F083BFA5CD536E, 0x769E935F5F439775,
     0xF3EB741E16A847CF, 0x7AD384137543D362},
    {241, 42, 0x59FDC74E63A7AEE7, 0x4C43DA2C77CFF064, 0x59FDC74E63A7AEE7, 0x8B37B620CFECEFE5,
     0x8BEC4CA5181F475E, 0xB8315C1780A86968},
    {1000, 42, 0xF0F163846CBF0C33, 0xD105220F42D6191B, 0xF0F163846CBF0C33, 0xC281146F104D47F7,
     0xE5740B65CA480D42, 0x842922E04ED8B320},
};

typedef struct place_row {
    size_t length;
    uint64_t seed, word0, word1, at[4], block, place[8];
} place_row;
static const place_row place_rows[] = {
    {0,
     0,
     0x7663F5D1438928B5,
     0x6DC619631D5A1DDD,
     {462464, 428805, 507768, 258176},
     177,
     {181, 148, 226, 40, 349, 287, 473, 477}},
    {1,
     0,
     0x594841B5892F3E18,
     0x1A9FD044EE26E055,
     {348759, 104001, 428660, 433133},
     78,
     {24, 415, 75, 177, 27, 66, 357, 85}},
    {3,
     0,
     0x56FB3D17E6B13C43,
     0x800ECD8E2F97F927,
     {339772, 500227, 491948, 205221},
     666,
     {67, 158, 428, 252, 465, 473, 347, 295}},
    {4,
     0,
     0xF3956FC8437DB470,
     0xC173876B7670B18C,
     {951501, 755671, 155871, 379916},
     431,
     {112, 218, 223, 264, 252, 171, 462, 396}},
    {8,
     0,
     0x0C4C5E6749DD78FC,
     0xDDA4461763BA39F3,
     {48040, 865790, 271872, 227578},
     379,
     {252, 188, 119, 233, 486, 98, 49, 499}},
    {9,
     0,
     0x5F88D949B53EE5B2,
     0x8BA406D63CA94BFE,
     {373183, 545473, 268645, 657652},
     1005,
     {434, 370, 335, 310, 404, 70, 382, 510}},
    {16,
     0,
     0xE929075BB4A57A12,
     0xEF4A6215B69C44E2,
     {910785, 934731, 618944, 87647},
     728,
     {18, 189, 297, 374, 117, 328, 420, 226}},
    {17,
     0,
     0x87953C82130E84F7,
     0x1C6F1B4F89FE5CD1,
     {529622, 111070, 508066, 820099},
     446,
     {247, 322, 195, 66, 456, 169, 30, 209}},
    {128,
     0,
     0x77582C673228910D,
     0x1B86AD57B7E18BFB,
     {466190, 107524, 34508, 558004},
     406,
     {269, 72, 138, 230, 198, 193, 477, 507}},
    {129,
     0,
     0x390BEA7A9704ECF0,
     0x6FC9E400EBBD903F,
     {222838, 436675, 661482, 317260},
     781,
     {240, 118, 449, 338, 167, 95, 228, 63}},
    {240,
     0,
     0x86B327DB87B495AE,
     0x131E8E4A555D41ED,
     {526172, 74685, 129996, 720188},
     395,
     {430, 74, 493, 368, 125, 409, 26, 493}},
    {241,
     0,
     0x6ABD247166C58824,
     0x1ED79A46665B90A7,
     {416949, 120477, 766143, 470748},
     551,
     {36, 196, 433, 44, 71, 489, 426, 167}},
    {1000,
     0,
     0x59F4B14260236295,
     0x8576101B6F417F8B,
     {351391, 521334, 800835, 889282},
     426,
     {149, 433, 8, 76, 276, 421, 359, 395}},
    {0,
     42,
     0x58E7E1BFF20EAA20,
     0xCBD0A7E4271EE422,
     {347289, 796154, 857427, 853971},
     694,
     {32, 341, 131, 510, 27, 319, 355, 34}},
    {1,
     42,
     0xF4D36BF1606D5CF6,
     0x08D97AED8DED6CAE,
     {956353, 34568, 92110, 162111},
     822,
     {246, 174, 27, 44, 191, 155, 467, 174}},
    {3,
     42,
     0xFF36FBA1275656FC,
     0x83240C96DC168D4F,
     {996935, 512270, 840824, 150145},
     230,
     {252, 299, 469, 36, 442, 439, 508, 335}},
    {4,
     42,
     0x29659D533CA4700C,
     0x2D6604788F2F09FF,
     {161707, 177338, 573567, 276646},
     368,
     {12, 56, 297, 103, 469, 300, 165, 511}},
    {8,
     42,
     0xEF8153C1D0D74C4A,
     0x60B1FD2043EE08DD,
     {935569, 377717, 277761, 247912},
     329,
     {74, 422, 53, 58, 316, 10, 446, 221}},
    {9,
     42,
     0xE053102BE4BF53B5,
     0x0B7A7B618A6B1814,
     {876270, 44837, 616355, 977404},
     267,
     {437, 425, 303, 380, 258, 152, 385, 20}},
    {16,
     42,
     0x0E9994865DEEA0B2,
     0x1129B4B40D1F1AD8,
     {57031, 67042, 210051, 492303},
     422,
     {178, 336, 379, 203, 328, 204, 58, 216}},
    {17,
     42,
     0xC2209C501B1A35B1,
     0xB31FEC33641348C6,
     {758312, 699707, 347482, 804602},
     80,
     {433, 282, 198, 3, 453, 260, 264, 198}},
    {128,
     42,
     0xA4115462E1A7E298,
     0x2AFF1160A48E7958,
     {640891, 167955, 722869, 570765},
     941,
     {152, 497, 105, 92, 326, 138, 144, 344}},
    {129,
     42,
     0xD2E10CE14BAC6957,
     0xE374046367832B6B,
     {823748, 888491, 22611, 618651},
     307,
     {343, 52, 235, 41, 206, 264, 331, 363}},
    {240,
     42,
     0x746BB2FE75DB6C6F,
     0xE096C35BA578945E,
     {454769, 877303, 288938, 186741},
     449,
     {111, 438, 374, 462, 303, 349, 465, 94}},
    {241,
     42,
     0x61B697EC58F5E599,
     0x86A5F1304A9A194B,
     {381693, 525971, 975462, 954533},
     354,
     {409, 242, 61, 395, 382, 436, 390, 331}},
    {1000,
     42,
     0x85575EBA3A489E27,
     0x3F22367868D2EF5F,
     {520865, 246616, 942867, 540087},
     949,
     {39, 79, 146, 327, 491, 186, 21, 351}},
};

typedef struct lane_row {
    uint64_t length, seed, block, bit[8];
} lane_row;
static const lane_row lane_rows[] = {
    {0, 0, 177, {18, 3, 5, 0, 0, 10, 8, 7}},
    {1, 0, 78, {24, 21, 17, 25, 1, 4, 23, 11}},
    {3, 0, 666, {18, 13, 13, 28, 9, 17, 11, 17}},
    {4, 0, 431, {29, 17, 0, 27, 24, 24, 11, 28}},
    {8, 0, 379, {9, 8, 7, 25, 29, 7, 27, 24}},
    {9, 0, 1005, {29, 25, 13, 13, 15, 7, 8, 30}},
    {16, 0, 728, {30, 2, 15, 26, 25, 6, 8, 12}},
    {17, 0, 446, {16, 27, 24, 14, 17, 1, 21, 29}},
    {128, 0, 406, {5, 10, 23, 1, 17, 25, 25, 5}},
    {129, 0, 781, {24, 6, 27, 24, 17, 18, 20, 13}},
    {240, 0, 395, {31, 7, 6, 8, 29, 22, 3, 11}},
    {241, 0, 551, {8, 14, 16, 4, 19, 12, 16, 9}},
    {1000, 0, 426, {23, 0, 13, 8, 6, 13, 13, 29}},
    {0, 42, 694, {18, 30, 20, 7, 3, 11, 20, 1}},
    {1, 42, 822, {19, 29, 10, 3, 17, 30, 20, 5}},
    {3, 42, 230, {15, 6, 26, 6, 25, 12, 3, 25}},
    {4, 42, 368, {2, 17, 3, 20, 0, 19, 30, 19}},
    {8, 42, 329, {31, 3, 20, 24, 3, 15, 1, 6}},
    {9, 42, 267, {28, 9, 15, 5, 13, 23, 6, 20}},
    {16, 42, 422, {14, 28, 9, 27, 13, 3, 24, 14}},
    {17, 42, 80, {22, 24, 13, 24, 0, 19, 8, 16}},
    {128, 42, 941, {3, 9, 0, 21, 29, 4, 3, 24}},
    {129, 42, 307, {11, 7, 26, 14, 1, 5, 13, 2}},
    {240, 42, 449, {22, 27, 28, 29, 14, 25, 22, 11}},
    {241, 42, 354, {23, 12, 1, 16, 16, 21, 6, 19}},
    {1000, 42, 949, {7, 25, 18, 17, 1, 18, 3, 17}},
};

typedef struct salt_row {
    uint64_t salt, lo, hi;
} salt_row;
static const salt_row salt_rows[] = {
    {1, 0xCCDC5696D1AE32F1, 0x84EDCB642AAEFACC},
    {2, 0xBCF1BDC2B894F01A, 0xE6ED44CD71AF24E9},
};

static const uint8_t secret[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static const uint8_t *key_of(size_t length)
{
    static uint8_t key[1000];
    assert_true(length <= sizeof key);
    for (size_t i = 0; i < length; i++) key[i] = (uint8_t)(7 * i + 3);
    return key;
}

static blm_filter *made(const blm_config *c)
{
    blm_filter *f = NULL;
    blm_report why = {BLM_OK, ""};
    if (blm_new(&f, c, &why)) fail_msg("%s", why.text);
    return f;
}

/* Both words under a row of the hash table, for a kind that needs 128 bits. */
static blm_hash wide_hash(const char *name, const blm_filter *f, const uint8_t *key, size_t length)
{
    const blm_hasher *row = blm_hasher_named(name, strlen(name));
    blm_kind wide = *f->kind;
    blm_filter twin = *f;
    wide.needs = BLM_NEEDS_HASH128;
    twin.kind = &wide;
    assert_non_null(row);
    return row->hash(&twin, key, length);
}

static void hash_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < BLM_LEN(hash_rows); i++) {
        const hash_row *r = &hash_rows[i];
        const uint8_t *key = key_of(r->length);
        blm_filter *plain = made(BLM_CONFIG(.kind = "standard", .keys = 9, .seed = r->seed));
        blm_filter *keyed =
            made(BLM_CONFIG(.kind = "standard", .keys = 9, .seed = r->seed, .secret = secret));
        const blm_hash h = blm_hash_of(plain, key, r->length);
        assert_int_equal(h.lo, r->xxh64);
        assert_int_equal(h.hi, r->mixed);
        const blm_hash both = wide_hash("xxh3-128", plain, key, r->length);
        assert_int_equal(both.lo, r->xxh128_lo);
        assert_int_equal(both.hi, r->xxh128_hi);
        const blm_hash sip = wide_hash("sip24-128", keyed, key, r->length);
        assert_int_equal(sip.lo, r->sip_lo);
        assert_int_equal(sip.hi, r->sip_hi);
        const blm_hash narrow = blm_hash_of(keyed, key, r->length);
        assert_int_equal(narrow.lo, r->sip_lo);
        assert_int_equal(narrow.hi, blm_hash_widen(r->sip_lo).hi);
        blm_free(plain);
        blm_free(keyed);
    }
}

static void key_check_value(void **state)
{
    (void)state;
    assert_int_equal(blm_key_check(secret), KEY_CHECK);
}

static void integers_are_eight_bytes(void **state)
{
    (void)state;
    blm_filter *f = made(BLM_CONFIG(.kind = "standard", .keys = 9));
    const blm_hash h = blm_hash_u64(f, UINT64_C(0x342d261f18110a03)); /* 03 0a 11 18 1f 26 2d 34 */
    assert_int_equal(h.lo, hash_rows[4].xxh64);
    blm_free(f);
}

static void positions(void **state)
{
    (void)state;
    for (size_t i = 0; i < BLM_LEN(place_rows); i++) {
        const place_row *r = &place_rows[i];
        blm_touch touched[8];
        blm_filter *f = made(
            BLM_CONFIG(.kind = "standard", .keys = 9, .bits = CELLS, .hashes = 4, .seed = r->seed));
        blm_filter *g = made(BLM_CONFIG(.kind = "blocked", .keys = 9, .bits = BLOCKS * 512,
                                        .hashes = 8, .seed = r->seed));
        const blm_item it = blm_item_of(f, key_of(r->length), r->length, BLM_NO_ARG);
        assert_int_equal(blm_word(it.h, 0), r->word0);
        assert_int_equal(blm_word(it.h, 1), r->word1);
        assert_int_equal(blm_touched(f, &it, touched, 8), 4);
        for (unsigned k = 0; k < 4; k++) assert_int_equal(touched[k].cell, r->at[k]);
        assert_int_equal(blm_touched(g, &it, touched, 8), 8);
        for (unsigned k = 0; k < 8; k++)
            assert_int_equal(touched[k].cell, r->block * 512 + r->place[k]);
        blm_free(f);
        blm_free(g);
    }
}

static void lanes(void **state)
{
    (void)state;
    for (size_t i = 0; i < BLM_LEN(lane_rows); i++) {
        const lane_row *r = &lane_rows[i];
        blm_touch touched[8];
        blm_filter *f = made(
            BLM_CONFIG(.kind = "split-block", .keys = 9, .bits = BLOCKS * 256, .seed = r->seed));
        const blm_item it = blm_item_of(f, key_of(r->length), r->length, BLM_NO_ARG);
        assert_int_equal(blm_touched(f, &it, touched, 8), 8);
        for (unsigned k = 0; k < 8; k++)
            assert_int_equal(touched[k].cell, r->block * 256 + 32 * k + r->bit[k]);
        blm_free(f);
    }
}

static void salts(void **state)
{
    (void)state;
    const blm_hash h = {hash_rows[4].xxh64, hash_rows[4].mixed};
    for (size_t i = 0; i < BLM_LEN(salt_rows); i++) {
        const blm_hash salted = blm_resalt(h, salt_rows[i].salt);
        assert_int_equal(salted.lo, salt_rows[i].lo);
        assert_int_equal(salted.hi, salt_rows[i].hi);
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

typedef struct seen {
    uint64_t image, header; /* bytes */
} seen;

static blm_err measure(void *ctx, const void *bytes, size_t n)
{
    seen *s = ctx;
    if (s->image == 0 && n >= 32) s->header = blm_le32((const uint8_t *)bytes + 12);
    s->image += n;
    return BLM_OK;
}

/* Prelude, header and sums have at most 160 bytes, and what else there is is padding of the least
 * that puts cells and sums where they belong: for every size of cells up to 4 KiB. */
static void small_images(void **state)
{
    static const char *const kinds[] = {"standard", "blocked", "split-block", "counting"};
    static const uint64_t steps[] = {64, 512, 256, 64};
    (void)state;
    for (size_t k = 0; k < BLM_LEN(kinds); k++)
        for (uint64_t bits = steps[k]; bits <= 4096 * 8; bits += steps[k]) {
            blm_filter *f = made(BLM_CONFIG(.kind = kinds[k], .keys = 9, .bits = bits, .hashes = 8,
                                            .secret = secret));
            seen s = {0, 0};
            size_t cells;
            blm_cells(f, &cells);
            assert_int_equal(cells, bits / 8);
            assert_int_equal(blm_save(f, measure, &s, NULL), BLM_OK);
            const uint64_t head = 32 + s.header, step = cells == 4096 ? 4096 : cells < 64 ? 8 : 64;
            assert_in_range(head + 8, 32, 160);
            assert_int_equal(s.image, (head + step - 1) / step * step + cells + 8);
            assert_int_equal(blm_saved_size(f), s.image);
            blm_free(f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_words),
        cmocka_unit_test(key_check_value),
        cmocka_unit_test(integers_are_eight_bytes),
        cmocka_unit_test(positions),
        cmocka_unit_test(lanes),
        cmocka_unit_test(salts),
        cmocka_unit_test(small_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
