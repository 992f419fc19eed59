/* replay_protection.c - a nonce is accepted once within its validity.
 *
 * Requests carry a nonce and the time at which they were signed. Those older than five minutes are rejected by their time
 * alone. The filter remembers the others for as long as they could come again, in memory that does not grow.
 *
 *     first time, and fresh        accepted
 *     again within five minutes    rejected: always
 *     another one that is fresh    rejected by chance, once in a million: the client signs anew
 *
 * Nobody but the server may know the secret, else a client could choose nonces that make those of others look used.
 */
#include <bloomery/bloomery.h>
#include <stdio.h>
#include <string.h>

enum { VALID_MS = 5 * 60 * 1000 };

typedef enum verdict { ACCEPTED, REPLAYED, TOO_OLD, FAILED } verdict;

/* One request: `now` is the server's clock, in ms. */
static verdict receive(blm_filter *seen, const char *nonce, uint64_t signed_at, uint64_t now)
{
    bool fresh = false;
    if (signed_at > now || now - signed_at >= VALID_MS) return TOO_OLD;
    const uint64_t life = VALID_MS - (now - signed_at);
    const blm_item it = blm_item_of(seen, nonce, strlen(nonce), life);
    blm_err err =
        blm_tick(seen, now); /* BLM_E_CLOCK: it was set back; wait until it has caught up */
    if (!err) err = blm_add_item(seen, &it, &fresh); /* BLM_E_FULL: more requests than planned */
    return err ? FAILED : fresh ? ACCEPTED : REPLAYED;
}

int main(void)
{
    static const uint8_t secret[16] = "from /dev/random";
    static const char *const names[] = {"accepted", "replayed", "too old", "failed"};
    static const struct {
        const char *nonce;
        uint64_t signed_at, now; /* s */
        verdict right;
    } requests[] = {
        {"6f1a", 1000, 1001, ACCEPTED}, {"6f1a", 1000, 1002, REPLAYED}, /* at once */
        {"c0de", 1100, 1101, ACCEPTED}, {"6f1a", 1000, 1299, REPLAYED}, /* at the last moment */
        {"6f1a", 1000, 1300, TOO_OLD},  {"c0de", 1100, 1399, REPLAYED},
        {"beef", 1390, 1399, ACCEPTED}, {"beef", 1390, 1398, FAILED}, /* the clock went back */
        {"beef", 1390, 1600, REPLAYED},
    };
    blm_filter *seen;
    blm_report why;
    int wrong = 0;
    /* 5 slices of a minute, and room for minutes with twice their share of 10^5 requests. */
    if (blm_new(&seen,
                BLM_CONFIG(.kind = "window", .keys = 100000, .fpr = 1e-6, .secret = secret,
                           .with = "window=5m slices=5"),
                &why))
        return fprintf(stderr, "%s\n", why.text), 1;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        const verdict v =
            receive(seen, requests[i].nonce, requests[i].signed_at * 1000, requests[i].now * 1000);
        printf("%s, %3us old: %s\n", requests[i].nonce,
               (unsigned)(requests[i].now - requests[i].signed_at), names[v]);
        wrong += v != requests[i].right;
    }
    blm_free(seen);
    return wrong;
}
