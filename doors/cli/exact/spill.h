/* spill.h - what must be exact and does not fit in memory: rows in order on disk (spill.c), a bounded
 * table of keys (keytable.c), the join of the two (join.c), and the keys of a moment ago (recent.c).
 */
#ifndef BLM_CLI_SPILL_H
#define BLM_CLI_SPILL_H
#include "input/input.h"

#define LONG_KEY ((uint64_t)32 << 10) /* longer keys stay on disk and are compared there */

/* The hash of a key again, independent of the one for another salt. */
uint64_t hash_again(uint64_t hash, uint64_t salt);

/* A filter of one block with a secret that nobody knows, for its blm_hash_of(): an attacker cannot
 * choose keys that collide. NULL: it has complained. */
blm_filter *secret_hasher(void);

/* ---- bytes on disk: an unlinked file in TMPDIR, made when the buffer is full for the first time ---- */

typedef struct spool spool;
spool *spool_new(size_t buffer); /* NULL: it has complained */
void spool_write(spool *s, const void *p, size_t n);
bool spool_read(spool *s, uint64_t at, void *p,
                size_t n); /* what was written, in the buffer or not */
bool spool_same(spool *s, uint64_t a, uint64_t b,
                uint64_t n); /* are the n bytes at a and b equal? */
uint64_t spool_bytes(const spool *s);
uint64_t spool_on_disk(const spool *s); /* the buffer not counted */
bool spool_failed(const spool *s);      /* it has complained; END_TROUBLE */
void spool_free(spool *s);              /* NULL is fine */

/* ---- rows ------------------------------------------------------------------------------------------ */

typedef enum row_kind {
    ROW_FIRST,  /* certainly the first with its key; a key of a list */
    ROW_SECOND, /* certainly the second                              */
    ROW_DOUBT,  /* to be decided: number says which doubt it is      */
    ROW_PASSED  /* comes out in its turn; it has no key              */
} row_kind;

typedef struct row {
    row_kind kind;
    bool has_text;
    uint64_t hash, number;
    const char *key;  /* NULL: longer than LONG_KEY, and at key_at of the home spool */
    const char *text; /* only to write */
    uint64_t key_at, key_length, text_at, text_length;
} row;

/* A row of a key that is not yet on disk: its key goes with it, however long. */
void row_write(spool *to, const row *r);
void row_pass(spool *to, const line *l); /* a ROW_PASSED: its text stands where others have a key */
/* A row that was read: without its text, a long key by its place. */
void row_pass_on(spool *to, const row *r);

typedef struct rows { /* reads them back, in order */
    spool *from;
    uint64_t at, end; /* the next row; where they end */
    uint64_t base;    /* of the buffer */
    size_t used, room;
    char *buffer;
} rows;
bool rows_open(rows *r, spool *from, uint64_t end, size_t room);
bool rows_next(rows *r, row *out);                /* false: the end, or from has failed */
void rows_print(rows *r, const row *w, char end); /* its text and the end of a line */
void rows_close(rows *r);

/* ---- a table of distinct keys within a limit ---------------------------------------------------------- */

typedef struct keytable keytable;
keytable *keytable_new(uint64_t max, spool *home); /* NULL: it has complained */
uint8_t *keytable_find(const keytable *t,
                       const row *r); /* the byte stored with the key; NULL: not found */
bool keytable_put(keytable *t, const row *r,
                  uint8_t with); /* a key that is not in the table; false: full */
void keytable_clear(keytable *t);
uint64_t keytable_bytes(const keytable *t); /* of memory */
void keytable_free(keytable *t);

/* ---- the exact join ------------------------------------------------------------------------------------- */

typedef enum join_rule {
    JOIN_FIRST,  /* yes to a doubt that is the first with its key     */
    JOIN_SECOND, /* yes to a doubt that is the second with its key    */
    JOIN_LISTED  /* yes to a doubt whose key stands in an earlier row */
} join_rule;

typedef struct doubts { /* of all rows so far */
    spool *hashes;
    uint64_t count, key_bytes;
    uint64_t others; /* rows that are no doubts, if that is known */
} doubts;
void doubts_note(doubts *d, const row *r);
/* END_FULL with the sentence when there are more than --ram can decide. */
ending doubts_fit(const doubts *d, uint64_t ram);

typedef struct join join;
join *join_new(join_rule rule, const doubts *d, spool *home,
               uint64_t ram);                  /* NULL: it has complained */
bool join_wants(const join *j, uint64_t hash); /* could a doubt have this hash? */
void join_row(join *j, const row *r);          /* in the order of the input     */
bool join_end(join *j);                        /* after the last row; false: it has complained */
bool join_yes(const join *j, uint64_t number);
uint64_t join_bytes(const join *j);  /* written to disk on the way */
uint64_t join_memory(const join *j); /* the most that it had at one time */
void join_free(join *j);

/* ---- the keys of a moment ago ------------------------------------------------------------------------------ */

typedef struct recent recent;
recent *recent_new(uint64_t max); /* NULL: it has complained */
/* The byte stored with a key that is still held; NULL: not held, which means "never put" while it has
 * all, and nothing later. */
uint8_t *recent_find(recent *c, uint64_t hash, const char *key, size_t n);
void recent_put(recent *c, uint64_t hash, const char *key, size_t n, uint8_t with);
/* This hash is asked soon: its place in the index, then its newest entry, are brought nearer. */
void recent_expect(const recent *c, uint64_t hash);
void recent_expect_key(const recent *c, uint64_t hash);
bool recent_has_all(const recent *c);
uint64_t recent_bytes(const recent *c); /* of memory */
void recent_free(recent *c);
#endif
