/* host.h - what every door of the library needs: the command line, and one in a server or a database.
 *
 * A door takes untrusted text, gives it to the library, and shows what came of it. Three things are the same for all of
 * them and are done here once: a filter of a text, a sentence of an error, a filter's facts as JSON. It sees the public
 * headers only, keeps no state, prints nothing and never exits.
 *
 *      char why[HOST_SENTENCE];
 *      blm_filter *f = NULL;
 *      if (host_make(&f, "counting keys=1M fpr=0.1%", why, sizeof why)) return reply_error(client, why);
 *
 *      host_json j = {.to = append, .ctx = reply};          append(ctx, bytes, n): a blm_sink
 *      host_json_open(&j, NULL, '{');
 *      host_json_info(&j, f, NULL, 0);
 *      host_json_close(&j, '}');
 *      if (j.err) ...                                       what append returned, the first time that it failed
 */
#ifndef BLM_HOST_H
#define BLM_HOST_H
#include <bloomery/bloomery.h>

/* ---- sentences (sentence.c) ----------------------------------------------------------------------------------- */

#define HOST_SENTENCE 8192 /* bytes: any sentence of the library, and a path before it */

/* One code point of valid UTF-8: its length, or 0. */
size_t host_utf8(const char *p, size_t n, uint32_t *code);
/* Makes n bytes safe for a terminal or a log: control, invisible and wrong bytes become \xNN. The result is ended by a
 * zero and cut to room; what is escaped once stays as it is when it is escaped again. */
void host_escape(char *out, size_t room, const char *p, size_t n);
/* The sentence of a failed call, escaped: that of why, or, if it has none (why NULL too), the few words of the code. name:
 * what it is about, such as a path or a key, put before it unless it stands there; NULL: nothing. */
void host_sentence(char *out, size_t room, const char *name, blm_err err, const blm_report *why);
/* A new filter of a spec (see blm_make). On failure *out is not written, and the sentence is in why. */
blm_err host_make(blm_filter **out, const char *spec, char *why, size_t room);

/* ---- JSON into a sink (json.c); name NULL inside an array --------------------------------------------------------- */

typedef struct host_json {
    blm_sink to;
    void *ctx;
    bool comma;  /* something stands before the next value */
    blm_err err; /* of the sink, the first one; nothing is written after it */
} host_json;

void host_json_open(host_json *j, const char *name, char bracket); /* '{' or '[' */
void host_json_close(host_json *j, char bracket);
void host_json_text(host_json *j, const char *name, const char *text);
/* Bytes that are not UTF-8 become U+FFFD, and NAME_hex is added with all of them. */
void host_json_bytes(host_json *j, const char *name, const char *p, size_t n);
void host_json_count(host_json *j, const char *name, uint64_t n);
void host_json_number(host_json *j, const char *name, double v); /* NaN and infinity: null */
void host_json_bool(host_json *j, const char *name, bool v);
void host_json_null(host_json *j, const char *name);
void host_json_end_line(host_json *j);

/* ---- what a filter is (info.c) ------------------------------------------------------------------------------------- */

enum {
    HOST_LAYERS = 64
}; /* filters inside a filter that are described, each by one page of its image */

/* Names of bits of blm_ability and blm_promise: as text with `between`, as many as fit, and as an array. */
void host_abilities(char *out, size_t room, uint32_t can, const char *between);
void host_promises(char *out, size_t room, uint32_t promises, const char *between);
void host_clocks(char *out, size_t room, uint32_t clocks, const char *between);
void host_json_abilities(host_json *j, const char *name, uint32_t can);
void host_json_promises(host_json *j, const char *name, uint32_t promises);
void host_json_clocks(host_json *j, const char *name, uint32_t clocks);
/* The word of a knob of words at a place, from 0. */
void host_knob_word(char *out, size_t room, const blm_knobdef *d, double place);
/* What a knob was set to, for a knob of words its place; false: no field keeps it. */
bool host_knob_now(const blm_filter *f, const blm_knobdef *d, uint64_t *value);
/* The rate that users saw, by their reports; negative: nobody said among how many questions. */
double host_rate_seen(const blm_info *info);
/* All that blm_info_of, fields and knobs say, as members of the object that is open. file: where the image lies and how
 * long it is; NULL: both are left out. */
void host_json_info(host_json *j, const blm_filter *f, const char *file, uint64_t file_bytes);
#endif
