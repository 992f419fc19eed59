/* lens_avx512.c - the inline queries of a lens as a caller with -mavx512f -mavx512vl compiles them. */
#include "laws/lens_ask.h"

#ifdef BLM_LENS_AVX512
static bool avx512_here(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
}
#else
static bool avx512_here(void) { return false; }
#endif

LENS_ASK(avx512)
