/* doc_tables.c - the kinds' tables as Markdown, for tools/docs.sh.
 *
 *   doc_tables kinds            one line a kind: name, group, abilities, with tabs between
 *   doc_tables fields           the image fields of every kind
 *   doc_tables promises         the bits of `lost` and who promises them
 *   doc_tables page KIND        knobs, abilities, promises and fields of one kind
 */
#include <bloomery/bloomery.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/core_internal.h"

/* 2^51 says more than 2251799813685248, and 2^64-1 than 18446744073709551615. */
static const char *number(uint64_t v, char text[24])
{
    unsigned log2 = 0;
    while (log2 < 63 && UINT64_C(1) << log2 < v) log2++;
    if (log2 > 16 && v == UINT64_C(1) << log2)
        snprintf(text, 24, "2^%u", log2);
    else if (v == UINT64_MAX)
        snprintf(text, 24, "2^64-1");
    else
        snprintf(text, 24, "%" PRIu64, v);
    return text;
}

static void print_names(uint32_t bits, bool promises)
{
    const char *between = "";
    for (unsigned i = 0; i < 32; i++) {
        if (!(bits >> i & 1)) continue;
        printf("%s%s", between,
               promises ? blm_promise_name((blm_promise)(1u << i))
                        : blm_ability_name((blm_ability)(1u << i)));
        between = ", ";
    }
}

static void print_kinds(void)
{
    blm_kind_info k;
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        printf("%s\t%s\t", k.name, k.group);
        print_names(k.can, false);
        putchar('\n');
    }
}

static void print_fields(const char *kind)
{
    const blm_kind *k = blm_kind_find(kind, strlen(kind));
    blm_field_info f;
    char low[24], high[24], later[32] = "";
    puts("| field | type | from | to | | |\n|---|---|---|---|---|---|");
    for (size_t i = 0; blm_kind_field_at(kind, i, &f); i++) {
        const unsigned since = k->fields[i].since;
        if (since > 1) snprintf(later, sizeof later, "; from version %u on", since);
        printf("| `%s` | `u%u` | %s | %s | %s | %s%s |\n", f.name, f.width * 8, number(f.min, low),
               number(f.max, high), f.state ? "state" : "shape", f.doc, later);
    }
}

static const char *hash_need(const char *kind)
{
    const uint32_t needs = blm_kind_find(kind, strlen(kind))->needs;
    if (needs & BLM_NEEDS_U64) return "Keys are integers, and `lo` is the key itself.";
    return needs & BLM_NEEDS_HASH128 ? "Needs 128 bits of hash." : "Needs 64 bits of hash.";
}

static void print_all_fields(void)
{
    blm_kind_info k;
    for (size_t i = 0; blm_kind_at(i, &k); i++) {
        printf("%s### `%s`, version %u\n\n%s\n\n", i ? "\n" : "", k.name, k.version,
               hash_need(k.name));
        print_fields(k.name);
    }
}

static void print_promises(void)
{
    blm_kind_info k;
    puts("| bit | promise | kinds |\n|---|---|---|");
    for (unsigned bit = 0; bit < 32 && blm_promise_name((blm_promise)(1u << bit)); bit++) {
        const char *between = "";
        printf("| %u | `%s` | ", bit, blm_promise_name((blm_promise)(1u << bit)));
        for (size_t i = 0; blm_kind_at(i, &k); i++)
            if (k.promises >> bit & 1) printf("%s%s", between, k.name), between = ", ";
        puts(" |");
    }
}

/* "one|two|three" with a comma for each bar: a bar would end the table's cell. */
static void print_words(const blm_knobdef *d)
{
    const char *def = d->words;
    for (double i = d->def; i > 0 && def; i--)
        if ((def = strchr(def, '|'))) def++;
    def = def ? def : "";
    printf("| `%s` | %.*s | ", d->name, (int)strcspn(def, "|"), def);
    for (const char *p = d->words; *p; p++) *p == '|' ? fputs(", ", stdout) : putchar(*p);
    printf(" | %s |\n", d->doc);
}

static void print_knobs(const blm_kind_info *k)
{
    blm_knobdef knob;
    if (!k->nknobs) puts("None of its own: `keys`, `fpr`, `bits`, `hashes` and `seed` say it all.");
    if (k->nknobs) puts("| knob | default | legal | |\n|---|---|---|---|");
    for (size_t i = 0; blm_knob_at(k->name, i, &knob); i++) {
        if (knob.type == BLM_K_WORD)
            print_words(&knob);
        else if (knob.def < knob.min)
            printf("| `%s` | - | %g to %g | %s |\n", knob.name, knob.min, knob.max, knob.doc);
        else
            printf("| `%s` | %g | %g to %g | %s |\n", knob.name, knob.def, knob.min, knob.max,
                   knob.doc);
    }
}

static int print_page(const char *kind)
{
    blm_kind_info k;
    if (!blm_kind_named(kind, &k)) return fprintf(stderr, "%s: no such kind\n", kind), 2;
    puts("## Knobs\n");
    print_knobs(&k);
    printf("\n## What it can\n\n");
    print_names(k.can, false);
    if (k.clock) {
        printf(". Its keys expire: their age is measured in ");
        const char *between = "";
        for (unsigned i = 0; i < 32; i++)
            if (k.clock >> i & 1)
                printf("%s%s", between, blm_clock_name((blm_clock)(1u << i))), between = " or ";
    }
    printf(".\n\n## What it promises\n\n");
    print_names(k.promises, true);
    printf(".\n\n## What its image keeps\n\n%s\n\n", hash_need(kind));
    print_fields(kind);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "kinds") == 0) return print_kinds(), 0;
    if (strcmp(what, "fields") == 0) return print_all_fields(), 0;
    if (strcmp(what, "promises") == 0) return print_promises(), 0;
    if (strcmp(what, "page") == 0 && argc == 3) return print_page(argv[2]);
    return fputs("doc_tables kinds | fields | promises | page KIND\n", stderr), 2;
}
