/* heavy.c - which hosts sent a hundredth of all bytes or more? One pass, 34 KiB however many hosts there are.
 *
 * The filter knows hosts by their hashes. To get names, keep those of the hosts that it lists.
 */
#include <bloomery/bloomery.h>
#include <stdio.h>

enum { PACKETS = 200000, HOSTS = 50000 };

static unsigned next(unsigned *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }

/* One packet in four is of one of five large hosts; the others come from anywhere. */
static size_t packet(unsigned *state, char name[16], unsigned *bytes)
{
    const unsigned any = next(state), host = any % 4 ? any / 4 % HOSTS : any / 4 % 5;
    *bytes = 40 + next(state) % 1461;
    return (size_t)snprintf(name, 16, "host-%u", host);
}

int main(void)
{
    blm_filter *f;
    blm_report why;
    blm_item heavy[500];
    size_t n = 500;
    unsigned state = 1, bytes;
    char name[16];
    /* about 770 bytes a packet, 154 MB in all: a hundredth is 1.5 MB */
    if (blm_make(&f, "count-min keys=50000 threshold=1.5e6 total=1.54e8 flows=500", &why))
        return fprintf(stderr, "%s\n", why.text), 1;
    for (unsigned i = 0; i < PACKETS; i++) {
        const size_t len = packet(&state, name, &bytes);
        const blm_item it = blm_item_of(f, name, len, bytes);
        if (blm_add_item(f, &it, NULL)) return 1;
    }
    if (blm_list(f, heavy, &n, &why)) return fprintf(stderr, "%s\n", why.text), 1;
    printf("%zu heavy hosts\n", n);
    for (unsigned host = 0; host < HOSTS; host++) {
        const size_t len = (size_t)snprintf(name, sizeof name, "host-%u", host);
        const blm_item it = blm_item_of(f, name, len, BLM_NO_ARG);
        blm_estimate sent;
        if (blm_count_item(f, &it, &sent) || sent.low <= 0) continue; /* not in the table */
        printf("%s: from %.0f to %.0f bytes\n", name, sent.low, sent.high);
    }
    blm_free(f); /* or blm_clear(f): the next interval */
    return n != 5;
}
