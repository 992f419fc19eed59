/* bench.h - what the files of the bench share. */
#ifndef BLM_BENCH_H
#define BLM_BENCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

double bench_now(void);                   /* seconds */
double bench_median(double *v, size_t n); /* sorts v */
uint64_t bench_random(uint64_t *state);   /* splitmix64 */
void bench_keep(uint64_t v);              /* the optimizer may not drop what made v */

/* Nanoseconds for one of many independent random cache lines in `bytes` of memory. */
double bench_floor(uint64_t bytes, bool huge, unsigned runs);
#endif
