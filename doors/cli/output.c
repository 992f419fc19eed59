/* output.c - standard output: results only, in large writes, flushed before anyone has to wait. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static char waiting[1 << 16];
static size_t used;
static bool lost;

bool out_pending(void) { return used > 0; }
bool out_failed(void) { return lost; }

static void send(const char *p, size_t n)
{
    while (n && !lost) {
        const ssize_t went = write(STDOUT_FILENO, p, n);
        if (went >= 0) {
            p += went;
            n -= (size_t)went;
        } else if (errno == EAGAIN) {
            struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
            poll(&out, 1, -1);
        } else if (errno != EINTR) {
            lost = true;
            complain("standard output: %s", strerror(errno));
        }
    }
}

void out_flush(void)
{
    send(waiting, used);
    used = 0;
}

void out_bytes(const void *p, size_t n)
{
    if (n > sizeof waiting - used) out_flush();
    if (n >= sizeof waiting) {
        send(p, n);
        return;
    }
    memcpy(waiting + used, p, n);
    used += n;
}

void out_text(const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0) out_bytes(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

ending out_end(ending end)
{
    out_flush();
    return lost ? END_TROUBLE : end;
}
