/* each.h - tasks 0 .. n - 1 by several threads, each taken by whichever thread is ready. */
#ifndef BLM_EACH_H
#define BLM_EACH_H
#include <stdint.h>

#define BLM_THREADS_MAX 64u
/* Returns when all are done. The caller's thread is one of them; where no other can be had, it does all. */
void blm_each(unsigned threads, uint64_t n, void (*task)(void *ctx, uint64_t i), void *ctx);
#endif
