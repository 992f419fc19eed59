/* json.c - JSON on standard output, one object per line. */
#include "cli.h"

static blm_err to_output(void *ctx, const void *p, size_t n)
{
    (void)ctx;
    out_bytes(p, n);
    return BLM_OK; /* out_failed() knows */
}

static host_json on_output = {.to = to_output};

host_json *json_output(void) { return &on_output; }

void json_open(const char *name, char bracket) { host_json_open(&on_output, name, bracket); }
void json_close(char bracket) { host_json_close(&on_output, bracket); }
void json_text(const char *name, const char *text) { host_json_text(&on_output, name, text); }
void json_bytes(const char *name, const char *p, size_t n)
{
    host_json_bytes(&on_output, name, p, n);
}
void json_count(const char *name, uint64_t n) { host_json_count(&on_output, name, n); }
void json_number(const char *name, double v) { host_json_number(&on_output, name, v); }
void json_bool(const char *name, bool v) { host_json_bool(&on_output, name, v); }
void json_null(const char *name) { host_json_null(&on_output, name); }
void json_end_line(void) { host_json_end_line(&on_output); }
