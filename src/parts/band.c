/* band.c - slots of a band, solved from the last to the first. */
#include "parts/band.h"

#define BAND_INLINE __attribute__((always_inline)) static inline

/* The columns of the slots after the one that is solved: bit i belongs to the i-th slot after it. */
typedef struct band_window {
    uint64_t low[BLM_BAND_COLUMNS_MAX], high[BLM_BAND_COLUMNS_MAX];
} band_window;

/* One slot whose bits are `right` and those that its row has under its coefficients. */
BAND_INLINE void band_solve_64(band_window *w, unsigned columns, uint64_t low, uint64_t right,
                               bool counts)
{
    for (unsigned j = 0; j < columns; j++) {
        const uint64_t after = w->low[j] << 1;
        w->low[j] = after | ((blm_parity(after & low, counts) ^ right >> j) & 1);
    }
}

BAND_INLINE void band_solve_128(band_window *w, unsigned columns, uint64_t low, uint64_t high,
                                uint64_t right, bool counts)
{
    for (unsigned j = 0; j < columns; j++) {
        const uint64_t after = w->low[j] << 1, far = w->high[j] << 1 | w->low[j] >> 63;
        w->low[j] = after | ((blm_parity((after & low) ^ (far & high), counts) ^ right >> j) & 1);
        w->high[j] = far;
    }
}

BAND_INLINE void band_solve(const blm_band *b, const blm_band_shape *s, uint64_t noise,
                            uint8_t *cells, bool counts)
{
    band_window w = {{0}, {0}};
    for (uint64_t block = s->blocks; block-- > 0;) {
        const unsigned columns = blm_band_columns(s, block);
        for (uint64_t i = BLM_BAND_BLOCK; i-- > 0;) {
            const uint64_t at = block * BLM_BAND_BLOCK + i, low = b->low[at];
            const uint64_t right =
                low || !noise ? b->right[at] : blm_stream(noise + at * BLM_STREAM_STEP, 0);
            if (b->high)
                band_solve_128(&w, columns, low, b->high[at], right, counts);
            else
                band_solve_64(&w, columns, low, right, counts);
        }
        uint8_t *words = cells + blm_band_words(s, block) * 8;
        for (size_t j = 0; j < columns; j++) blm_put64(words + j * 8, w.low[j]);
    }
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) static void
band_solve_counting(const blm_band *b, const blm_band_shape *s, uint64_t noise, uint8_t *cells)
{
    band_solve(b, s, noise, cells, true);
}
#endif

void blm_band_solve_plain(const blm_band *b, const blm_band_shape *s, uint64_t noise,
                          uint8_t *cells)
{
    band_solve(b, s, noise, cells, false);
}

void blm_band_solve(const blm_band *b, const blm_band_shape *s, uint64_t noise, uint8_t *cells)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt")) {
        band_solve_counting(b, s, noise, cells);
        return;
    }
#endif
    blm_band_solve_plain(b, s, noise, cells);
}
