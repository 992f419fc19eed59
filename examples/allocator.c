/* allocator.c - the caller decides where a filter's memory comes from.
 *
 * Here it comes from a budget. A filter that does not fit fails with a sentence, and nothing leaks.
 */
#include <bloomery/bloomery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct budget {
    size_t left, min;
} budget;

static void *get(void *ctx, size_t bytes)
{
    budget *b = ctx;
    const size_t whole = (bytes + 63) / 64 * 64; /* zeroed, and aligned to 64 */
    void *p = bytes && bytes <= b->left ? aligned_alloc(64, whole) : NULL;
    if (!p) return NULL;
    b->left -= bytes;
    if (b->left < b->min) b->min = b->left;
    return memset(p, 0, whole);
}

static void put(void *ctx, void *p, size_t bytes)
{
    ((budget *)ctx)->left += bytes;
    free(p);
}

int main(void)
{
    budget b = {1 << 20, 1 << 20};
    const blm_alloc from_budget = {get, put, &b};
    blm_filter *f;
    blm_report why;
    if (blm_new(&f, BLM_CONFIG(.keys = 10000000, .alloc = &from_budget), &why) != BLM_E_NOMEM)
        return 1;
    printf("ten million keys: %s\n", why.text);
    if (blm_new(&f, BLM_CONFIG(.keys = 100000, .alloc = &from_budget), &why)) return 1;
    printf("a hundred thousand keys: %zu bytes in use\n", ((size_t)1 << 20) - b.min);
    blm_free(f);
    return b.left != 1 << 20;
}
