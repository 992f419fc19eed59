/* codes.h - four numbers below 16 in rising order, as one of 3876 codes of 12 bits.
 *
 * A code is the place of its four numbers among all of them, by the first number, then by the second, and so on:
 *
 *     code      0     1          15    16        3874  3875
 *     numbers   0000  0001  ...  000f  0011 ...  efff  ffff
 */
#ifndef BLM_CUCKOO_CODES_H
#define BLM_CUCKOO_CODES_H
#include <stdint.h>

enum { BLM_CUCKOO_CODES = 3876, BLM_CUCKOO_CODE = 12 /* bits */ };

/* The numbers of a code, the first one in the low 4 bits. */
extern const uint16_t blm_cuckoo_numbers[BLM_CUCKOO_CODES];

/* Of number[0] <= ... <= number[3]: how many come before, as a sum of what each of them adds to it. */
static inline unsigned blm_cuckoo_code(const unsigned number[4])
{
    static const uint16_t first[16] = {0,    680,  1240, 1695, 2059, 2345, 2565, 2730,
                                       2850, 2934, 2990, 3025, 3045, 3055, 3059, 3060};
    static const uint16_t second[16] = {0,   120, 225, 316, 394, 460, 515, 560,
                                        596, 624, 645, 660, 670, 676, 679, 680};
    static const uint16_t third[16] = {0,  15, 29,  42,  54,  65,  75,  84,
                                       92, 99, 105, 110, 114, 117, 119, 120};
    return (unsigned)first[number[0]] + second[number[1]] + third[number[2]] + number[3];
}
#endif
