/* power.c - 2^x for x in [0, 1) by integers alone: exp2() differs between machines, and cells may not. */
#include "cells.h"

enum { POWER_STEPS = 64, POWER_TERMS = 6 };

/* floor(2^(63 + j / 64)), made with 60 decimal digits; test.c makes each of them again. */
static const uint64_t power_steps[POWER_STEPS] = {
    UINT64_C(0x8000000000000000), UINT64_C(0x8164d1f3bc030773), UINT64_C(0x82cd8698ac2ba1d7),
    UINT64_C(0x843a28c3acde4046), UINT64_C(0x85aac367cc487b14), UINT64_C(0x871f61969e8d1010),
    UINT64_C(0x88980e8092da8527), UINT64_C(0x8a14d575496efd9a), UINT64_C(0x8b95c1e3ea8bd6e6),
    UINT64_C(0x8d1adf5b7e5ba9e5), UINT64_C(0x8ea4398b45cd53c0), UINT64_C(0x9031dc431466b1dc),
    UINT64_C(0x91c3d373ab11c336), UINT64_C(0x935a2b2f13e6e92b), UINT64_C(0x94f4efa8fef70961),
    UINT64_C(0x96942d3720185a00), UINT64_C(0x9837f0518db8a96f), UINT64_C(0x99e0459320b7fa64),
    UINT64_C(0x9b8d39b9d54e5538), UINT64_C(0x9d3ed9a72cffb750), UINT64_C(0x9ef5326091a111ad),
    UINT64_C(0xa0b0510fb9714fc2), UINT64_C(0xa27043030c496818), UINT64_C(0xa43515ae09e6809e),
    UINT64_C(0xa5fed6a9b15138ea), UINT64_C(0xa7cd93b4e9653569), UINT64_C(0xa9a15ab4ea7c0ef8),
    UINT64_C(0xab7a39b5a93ed337), UINT64_C(0xad583eea42a14ac6), UINT64_C(0xaf3b78ad690a4374),
    UINT64_C(0xb123f581d2ac258f), UINT64_C(0xb311c412a9112489), UINT64_C(0xb504f333f9de6484),
    UINT64_C(0xb6fd91e328d17791), UINT64_C(0xb8fbaf4762fb9ee9), UINT64_C(0xbaff5ab2133e45fb),
    UINT64_C(0xbd08a39f580c36be), UINT64_C(0xbf1799b67a731082), UINT64_C(0xc12c4cca66709456),
    UINT64_C(0xc346ccda24976407), UINT64_C(0xc5672a115506dadd), UINT64_C(0xc78d74c8abb9b15c),
    UINT64_C(0xc9b9bd866e2f27a2), UINT64_C(0xcbec14fef2727c5c), UINT64_C(0xce248c151f8480e3),
    UINT64_C(0xd06333daef2b2594), UINT64_C(0xd2a81d91f12ae45a), UINT64_C(0xd4f35aabcfedfa1f),
    UINT64_C(0xd744fccad69d6af4), UINT64_C(0xd99d15c278afd7b5), UINT64_C(0xdbfbb797daf23755),
    UINT64_C(0xde60f4825e0e9123), UINT64_C(0xe0ccdeec2a94e111), UINT64_C(0xe33f8972be8a5a51),
    UINT64_C(0xe5b906e77c8348a8), UINT64_C(0xe8396a503c4bdc68), UINT64_C(0xeac0c6e7dd24392e),
    UINT64_C(0xed4f301ed9942b84), UINT64_C(0xefe4b99bdcdaf5cb), UINT64_C(0xf281773c59ffb139),
    UINT64_C(0xf5257d152486cc2c), UINT64_C(0xf7d0df730ad13bb8), UINT64_C(0xfa83b2db722a033a),
    UINT64_C(0xfd3e0c0cf486c174),
};

/* floor(2^64 (ln 2 / 64)^i / i!), i from 1: the series of 2^(u / 64) - 1, u in [0, 1). The next term is below 2^-57. */
static const uint64_t power_terms[POWER_TERMS] = {
    UINT64_C(0x2c5c85fdf473de6), UINT64_C(0x3d7f7bff058b1), UINT64_C(0x38d611ae094),
    UINT64_C(0x276556df7),       UINT64_C(0x15d87fe),       UINT64_C(0xa184)};

/* Every product is rounded down: the result is at most 2^x, and by less than 2^-55 of it below. */
uint64_t blm_decay_power(uint64_t x)
{
    const uint64_t step = power_steps[x >> 58], u = x << 6;
    uint64_t more = power_terms[POWER_TERMS - 1];
    for (unsigned i = POWER_TERMS - 1; i > 0; i--) more = power_terms[i - 1] + blm_mul(more, u).hi;
    return step + blm_mul(step, blm_mul(more, u).hi).hi;
}

/* floor(2^(62 + L) / half), L being the number of bits of half: between 2^62 and 2^63. */
uint64_t blm_decay_reciprocal(uint64_t half)
{
    const unsigned bits = 64 - (unsigned)__builtin_clzll(half);
    uint64_t quotient = 0, rest = 0;
    for (unsigned i = 0; i <= 62 + bits; i++) {
        rest = rest << 1 | (i == 0);
        quotient = quotient << 1 | (rest >= half);
        if (rest >= half) rest -= half;
    }
    return quotient;
}
