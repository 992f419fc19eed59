/* lens_avx2.c - the inline queries of a lens as a caller with -mavx2 compiles them (tests/CMakeLists.txt). */
#include "laws/lens_ask.h"

#ifdef __AVX2__
static bool avx2_here(void) { return __builtin_cpu_supports("avx2"); }
#else
static bool avx2_here(void) { return false; }
#endif

LENS_ASK(avx2)
