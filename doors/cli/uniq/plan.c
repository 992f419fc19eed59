/* plan.c - uniq -n: a standard Bloom filter for N distinct lines.
 *
 * A new line is lost when the filter has all its k bits already: with the chance u^k at fill u. From one
 * new line to the next du = (1 - u) k/m, so all lines on the way from an empty filter to the fill U lose
 *
 *      integral of u^k dn = (m/k) integral of u^k / (1 - u) du = (m/k) (U^(k+1)/(k+1) + U^(k+2)/(k+2) + ...)
 *
 * At N lines U = 1 - e^(-kN/m). The last line's chance times N would be k/3 times as much: 10^8 lines with
 * 1000 lost need 19.4 bits each, not 24. When the input ends U is read off the filter: no plan is believed.
 * Lines with equal hashes are lost in addition: 0.03 of 10^9, 2.7 of 10^10.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/image.h"
#include "uniq/uniq.h"

#define BITS_MIN  4096.0             /* below, the fill is too uneven for the formula */
#define BITS_MAX  9007199254740992.0 /* 2^53 */
#define FILL_MAX  0.9
#define HASHES    48u
#define PLANS_MAX 5.0
#define PATIENCE  3u /* seconds to read on for the number of lines */

struct memory {
    blm_filter *once, *twice; /* twice: --repeated, those that came again */
    blm_info plan;
    uint64_t fresh;
    bool warned;
};

/* ---- the formula ----------------------------------------------------------------------------------- */

static double lost_until(double m, unsigned k, double fill)
{
    double power = pow(fill, k), sum = 0;
    for (unsigned j = k + 1; j < k + 2000; j++) {
        power *= fill;
        sum += power / j;
        if (power / j < 1e-15 * sum) break;
    }
    return m / k * sum;
}

static double lost_of(double n, double m, unsigned k)
{
    const double fill = -expm1(-(double)k * n / m);
    return fill > FILL_MAX ? INFINITY : lost_until(m, k, fill);
}

static double bits_with(double n, double lost, unsigned k)
{
    double low = n * k / 40, high = BITS_MAX; /* at low the fill is 1 */
    if (!(low < high) || lost_of(n, high, k) > lost) return 0;
    for (unsigned i = 0; i < 60 && high > low * (1 + 1e-9); i++) {
        const double m = sqrt(low * high);
        if (lost_of(n, m, k) > lost)
            low = m;
        else
            high = m;
    }
    return high;
}

double plan_bits(double n, double lost, unsigned *hashes)
{
    double best = 0;
    lost -= hash_lost(n);
    for (unsigned k = 1; k <= HASHES && lost > 0; k++) {
        const double m = bits_with(n, lost, k);
        if (m > 0 && (best <= 0 || m < best)) best = m, *hashes = k;
    }
    return best > 0 && best < BITS_MIN ? BITS_MIN : ceil(best);
}

double plan_lines(uint64_t bytes, double lost)
{
    unsigned k;
    double low = 1, high = (double)bytes * 8;
    for (unsigned i = 0; i < 40 && high > low * 1.0001; i++) {
        const double n = sqrt(low * high), m = plan_bits(n, lost, &k);
        if (m > 0 && m <= (double)bytes * 8)
            low = n;
        else
            high = n;
    }
    return low;
}

/* The smallest loss of n lines that is possible in that many bytes. */
static double plan_lost(double n, uint64_t bytes)
{
    double best = INFINITY;
    for (unsigned k = 1; k <= HASHES; k++) best = fmin(best, lost_of(n, (double)bytes * 8, k));
    return best + hash_lost(n);
}

/* ---- the filter --------------------------------------------------------------------------------------- */

static ending too_large(const uniq *u, uint64_t share, uint64_t filters, double bits)
{
    char need[32], ram[32];
    const double n = (double)u->wish->keys, min = plan_lost(n, share) * (double)filters;
    text_bytes(need, bits > 0 && bits < 1e18 ? (uint64_t)(bits / 8) * filters : UINT64_MAX);
    if (hash_lost(n) >= u->lost / (double)filters) {
        complain("over capacity: of -n %" PRIu64
                 " lines, %.3g are expected to have the 64-bit hash of an earlier line, and --lost "
                 "is %g; use a larger --lost, or --exact",
                 u->wish->keys, hash_lost(n) * (double)filters, u->lost);
        return END_FULL;
    }
    complain("over capacity: -n %" PRIu64
             " with --lost %g needs %s, but --ram is %s; -n %.0f would fit",
             u->wish->keys, u->lost, need, text_bytes(ram, u->ram),
             floor(plan_lines(share, u->lost / (double)filters)));
    if (isfinite(min)) complain("so would --lost %.3g, or a larger --ram", min * 1.01);
    return END_FULL;
}

static ending plan_open(uniq *u)
{
    blm_report why = {BLM_OK, ""};
    const uint64_t filters = u->wish->repeated ? 2 : 1, share = u->ram / filters;
    unsigned k = 0;
    const double bits = plan_bits((double)u->wish->keys, u->lost / (double)filters, &k);
    if (!(bits > 0) || bits > (double)share * 8) return too_large(u, share, filters, bits);
    u->m = calloc(1, sizeof *u->m);
    if (!u->m) return trouble("no memory");
    const blm_config *c =
        BLM_CONFIG(.kind = "standard", .keys = u->wish->keys, .bits = (uint64_t)bits, .hashes = k,
                   .overfill = u->s->open.overfill);
    blm_err err = blm_new(&u->m->once, c, &why);
    if (!err && u->wish->repeated) err = blm_new(&u->m->twice, c, &why);
    if (err) return complain_why(NULL, err, &why);
    blm_info_of(u->m->once, &u->m->plan);
    return END_YES;
}

static const blm_filter *plan_hasher(const uniq *u) { return u->m->once; }

/* Past PLANS_MAX times the plan almost no bit is 0, and the fill says little about what came: a million
 * lines in a filter for 20,000 lose 9.2e5, but 1.35e5 by the formula. NaN then. */
static double lost_by(const blm_filter *f)
{
    blm_info i;
    if (!f) return 0;
    blm_info_of(f, &i);
    if (i.keys.bound || i.keys.value > PLANS_MAX * (double)i.capacity) return NAN;
    return lost_until((double)i.bits, i.hashes, i.fill);
}

static void plan_report(const uniq *u, uniq_report *out)
{
    out->lost = lost_by(u->m->once) + lost_by(u->m->twice) + hash_lost((double)u->m->fresh);
    out->bytes = u->m->plan.bytes * (u->m->twice ? 2 : 1);
    out->distinct = u->m->fresh;
}

#define GOES_ON                                                                                    \
    "more than %" PRIu64 " lines came: use -n %" PRIu64 ", leave -n out, or use --overfill"

static char last_words[160];

/* A pipe that stays open without a line would keep us waiting. All that was printed is out. */
static void give_up(int sig)
{
    (void)sig;
    const ssize_t went = write(STDERR_FILENO, last_words, strlen(last_words));
    (void)went;
    _exit(END_FULL);
}

/* Said at once; then it reads on for the number of lines, as long as somebody may wait for it. */
static void plan_full(uniq *u)
{
    line lines[BATCH];
    uniq_report r;
    char lost[96];
    size_t n = 1;
    plan_report(u, &r);
    complain("over capacity: planned for %" PRIu64 " distinct lines, %" PRIu64
             " came, %s by now; the lines printed so far are correct",
             u->wish->keys, r.distinct, lost_text(u, r.lost, lost));
    uint64_t count = input_count(u->in);
    snprintf(last_words, sizeof last_words, "bloomery uniq: " GOES_ON "\n", count, 2 * count);
    signal(SIGALRM, give_up);
    alarm(PATIENCE + 1);
    const double until = seconds_now() + PATIENCE;
    while (seconds_now() < until && (n = input_lines(u->in, lines)) > 0) continue;
    alarm(0);
    count = input_count(u->in);
    if (!n && !input_failed(u->in))
        complain("the input has %" PRIu64 " lines: use -n %" PRIu64
                 ", leave -n out, or use --overfill",
                 count, count);
    else
        complain(GOES_ON, count, 2 * count);
}

static blm_err judge_again(uniq *u, const blm_hash *h, size_t n, uint8_t *print)
{
    blm_hash again[BATCH] = {{0, 0}};
    uint8_t second[BATCH];
    size_t of[BATCH], count = 0, done = 0;
    for (size_t i = 0; i < n; i++) {
        if (!print[i]) of[count] = i, again[count++] = h[i];
        print[i] = 0;
    }
    const blm_err err = blm_add_many(u->m->twice, again, NULL, count, second, &done);
    for (size_t i = 0; i < done && i < count; i++) print[of[i]] = second[i];
    return err;
}

static ending plan_judge(uniq *u, const blm_hash *h, const uint64_t *when, size_t n, uint8_t *print,
                         size_t *done)
{
    (void)when;
    blm_err err = blm_add_many(u->m->once, h, NULL, n, print, done);
    for (size_t i = 0; i < *done; i++) u->m->fresh += print[i];
    if (u->m->twice) {
        const blm_err other = judge_again(u, h, *done, print);
        if (!err) err = other;
    }
    if (err == BLM_E_FULL) return END_FULL;
    if (err) return complain_why(NULL, err, NULL);
    warn_capacity(&u->m->plan, u->m->once, (double)u->m->fresh, &u->m->warned);
    return END_YES;
}

/* The library looks at the fill from time to time; the last look is ours. */
static ending plan_end(uniq *u)
{
    const bool past = u->m->fresh > u->m->plan.capacity && !u->s->open.overfill;
    return past && blm_room(u->m->once, NULL) ? END_FULL : END_YES;
}

static int plan_close(uniq *u)
{
    if (!u->m) return 0;
    blm_free(u->m->once);
    blm_free(u->m->twice);
    free(u->m);
    return 0;
}

const uniq_way uniq_plan = {.open = plan_open,
                            .hasher = plan_hasher,
                            .judge = plan_judge,
                            .end = plan_end,
                            .full = plan_full,
                            .report = plan_report,
                            .close = plan_close};
