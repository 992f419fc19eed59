/* codes.c - the numbers of all codes, listed by the preprocessor.
 *
 * CODES_LAST_c(x) has x with each last number from c on; CODES_PAIR_b(x) with each last two, and CODES_TRIPLE_a(x) three:
 * those that begin with this number, then those that begin with a higher one.
 */
#include "codes.h"

#define CODES_LAST_15(x) (x) | 15u << 12
#define CODES_LAST_14(x) (x) | 14u << 12, CODES_LAST_15(x)
#define CODES_LAST_13(x) (x) | 13u << 12, CODES_LAST_14(x)
#define CODES_LAST_12(x) (x) | 12u << 12, CODES_LAST_13(x)
#define CODES_LAST_11(x) (x) | 11u << 12, CODES_LAST_12(x)
#define CODES_LAST_10(x) (x) | 10u << 12, CODES_LAST_11(x)
#define CODES_LAST_9(x)  (x) | 9u << 12, CODES_LAST_10(x)
#define CODES_LAST_8(x)  (x) | 8u << 12, CODES_LAST_9(x)
#define CODES_LAST_7(x)  (x) | 7u << 12, CODES_LAST_8(x)
#define CODES_LAST_6(x)  (x) | 6u << 12, CODES_LAST_7(x)
#define CODES_LAST_5(x)  (x) | 5u << 12, CODES_LAST_6(x)
#define CODES_LAST_4(x)  (x) | 4u << 12, CODES_LAST_5(x)
#define CODES_LAST_3(x)  (x) | 3u << 12, CODES_LAST_4(x)
#define CODES_LAST_2(x)  (x) | 2u << 12, CODES_LAST_3(x)
#define CODES_LAST_1(x)  (x) | 1u << 12, CODES_LAST_2(x)
#define CODES_LAST_0(x)  (x) | 0u << 12, CODES_LAST_1(x)

#define CODES_PAIR_15(x) CODES_LAST_15((x) | 15u << 8)
#define CODES_PAIR_14(x) CODES_LAST_14((x) | 14u << 8), CODES_PAIR_15(x)
#define CODES_PAIR_13(x) CODES_LAST_13((x) | 13u << 8), CODES_PAIR_14(x)
#define CODES_PAIR_12(x) CODES_LAST_12((x) | 12u << 8), CODES_PAIR_13(x)
#define CODES_PAIR_11(x) CODES_LAST_11((x) | 11u << 8), CODES_PAIR_12(x)
#define CODES_PAIR_10(x) CODES_LAST_10((x) | 10u << 8), CODES_PAIR_11(x)
#define CODES_PAIR_9(x)  CODES_LAST_9((x) | 9u << 8), CODES_PAIR_10(x)
#define CODES_PAIR_8(x)  CODES_LAST_8((x) | 8u << 8), CODES_PAIR_9(x)
#define CODES_PAIR_7(x)  CODES_LAST_7((x) | 7u << 8), CODES_PAIR_8(x)
#define CODES_PAIR_6(x)  CODES_LAST_6((x) | 6u << 8), CODES_PAIR_7(x)
#define CODES_PAIR_5(x)  CODES_LAST_5((x) | 5u << 8), CODES_PAIR_6(x)
#define CODES_PAIR_4(x)  CODES_LAST_4((x) | 4u << 8), CODES_PAIR_5(x)
#define CODES_PAIR_3(x)  CODES_LAST_3((x) | 3u << 8), CODES_PAIR_4(x)
#define CODES_PAIR_2(x)  CODES_LAST_2((x) | 2u << 8), CODES_PAIR_3(x)
#define CODES_PAIR_1(x)  CODES_LAST_1((x) | 1u << 8), CODES_PAIR_2(x)
#define CODES_PAIR_0(x)  CODES_LAST_0((x) | 0u << 8), CODES_PAIR_1(x)

#define CODES_TRIPLE_15(x) CODES_PAIR_15((x) | 15u << 4)
#define CODES_TRIPLE_14(x) CODES_PAIR_14((x) | 14u << 4), CODES_TRIPLE_15(x)
#define CODES_TRIPLE_13(x) CODES_PAIR_13((x) | 13u << 4), CODES_TRIPLE_14(x)
#define CODES_TRIPLE_12(x) CODES_PAIR_12((x) | 12u << 4), CODES_TRIPLE_13(x)
#define CODES_TRIPLE_11(x) CODES_PAIR_11((x) | 11u << 4), CODES_TRIPLE_12(x)
#define CODES_TRIPLE_10(x) CODES_PAIR_10((x) | 10u << 4), CODES_TRIPLE_11(x)
#define CODES_TRIPLE_9(x)  CODES_PAIR_9((x) | 9u << 4), CODES_TRIPLE_10(x)
#define CODES_TRIPLE_8(x)  CODES_PAIR_8((x) | 8u << 4), CODES_TRIPLE_9(x)
#define CODES_TRIPLE_7(x)  CODES_PAIR_7((x) | 7u << 4), CODES_TRIPLE_8(x)
#define CODES_TRIPLE_6(x)  CODES_PAIR_6((x) | 6u << 4), CODES_TRIPLE_7(x)
#define CODES_TRIPLE_5(x)  CODES_PAIR_5((x) | 5u << 4), CODES_TRIPLE_6(x)
#define CODES_TRIPLE_4(x)  CODES_PAIR_4((x) | 4u << 4), CODES_TRIPLE_5(x)
#define CODES_TRIPLE_3(x)  CODES_PAIR_3((x) | 3u << 4), CODES_TRIPLE_4(x)
#define CODES_TRIPLE_2(x)  CODES_PAIR_2((x) | 2u << 4), CODES_TRIPLE_3(x)
#define CODES_TRIPLE_1(x)  CODES_PAIR_1((x) | 1u << 4), CODES_TRIPLE_2(x)
#define CODES_TRIPLE_0(x)  CODES_PAIR_0((x) | 0u << 4), CODES_TRIPLE_1(x)

const uint16_t blm_cuckoo_numbers[BLM_CUCKOO_CODES] = {
    CODES_TRIPLE_0(0u),   CODES_TRIPLE_1(1u),   CODES_TRIPLE_2(2u),   CODES_TRIPLE_3(3u),
    CODES_TRIPLE_4(4u),   CODES_TRIPLE_5(5u),   CODES_TRIPLE_6(6u),   CODES_TRIPLE_7(7u),
    CODES_TRIPLE_8(8u),   CODES_TRIPLE_9(9u),   CODES_TRIPLE_10(10u), CODES_TRIPLE_11(11u),
    CODES_TRIPLE_12(12u), CODES_TRIPLE_13(13u), CODES_TRIPLE_14(14u), CODES_TRIPLE_15(15u)};
