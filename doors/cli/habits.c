/* habits.c - what people type because grep, uniq, cut or another filter program has it: which sentence says what to
 * type here, and which words of ours theirs mean. */
#include <stdio.h>
#include <string.h>

#include "habits.h"

/* ---- letters ---------------------------------------------------------------------------------------- */

typedef struct habit {
    const char *verbs; /* with blanks around each; "": every verb that reads lines */
    const char *letters;
    const char *says;
} habit;

#define PATTERNS "keys are plain text, not patterns; leave it out"

static const habit habits[] = {
    {" grep ", "i", "use --lower, here and when you build the filter, so that A-Z count as a-z"},
    {" grep ", "e",
     "keys are plain text, not patterns: build a filter of the keys, then use bloomery grep FILE "
     "INPUT"},
    {" grep ", "EFGP", PATTERNS},
    {" grep ", "x", "the key is always the whole line, or the field of -f; leave it out"},
    {" grep ", "w", "use -d ' ' -f N to make the N-th word of a line the key"},
    {" grep ", "rR",
     "folders are not searched; use find DIR -type f -exec bloomery grep FILE {} +"},
    {" grep ", "o", "whole lines are printed; use cut to print a field of them"},
    {" grep ", "ABC", "only matching lines are printed, without context; leave it out"},
    {" grep ", "L", "use -c with -H: an INPUT with count 0 has no matching line"},
    {" uniq ", "d", "use --repeated to print only repeated lines, each once"},
    {" uniq ", "D", "use --repeated, which prints each repeated line once"},
    {" uniq ", "i", "use --lower, so that A-Z count as a-z"},
    {" uniq ", "w", "cut the lines first, or use -d and -f N to compare one field"},
    {" top iceberg ", "i", "use --lower, so that A-Z count as a-z"},
    {" rm ", "rR", "bloomery rm removes keys from a filter, not files; leave it out"},
    {" test count ", "v",
     "use bloomery grep -v FILE INPUT to print the lines that are not in the set"},
    {" test ", "c", "use bloomery grep -c FILE INPUT to print how many keys are in the set"},
    {" build ", "i", "the arguments of build are always INPUTs; leave it out"},
    {" build ", "e", "use -p to set the rate of false positives"},
    {" build plan ", "s", "use --seed N for the seed, --set KNOB=VALUE for a setting of the kind"},
    {"", "s", "use --no-key drop to drop lines without that field"},
    {"", "bc", "cut the lines first: cut -c LIST INPUT | bloomery ..."},
    {"", "k", "use -f N to say which field is the key"},
    {"", "0", "use -z for records that end in a NUL byte"},
};

static bool reads_lines(const verb *v)
{
    const option *o;
    for (size_t i = 0; (o = option_at(v, i)); i++)
        if (strcmp(o->name, "field") == 0) return true;
    return false;
}

const char *habit_of_letter(const verb *v, char letter)
{
    char name[32];
    snprintf(name, sizeof name, " %s ", v->name);
    for (size_t i = 0; i < COUNT_OF(habits); i++) {
        const bool here =
            habits[i].verbs[0] ? strstr(habits[i].verbs, name) != NULL : reads_lines(v);
        if (here && strchr(habits[i].letters, letter)) return habits[i].says;
    }
    return NULL;
}

/* ---- words -------------------------------------------------------------------------------------------- */

typedef struct synonyms {
    const char *ours;
    const char *theirs; /* with blanks around each */
} synonyms;

static const synonyms of_verbs[] = {
    {"build", " create make new init generate construct "},
    {"add", " insert append push put update set "},
    {"test", " check query has contains contain exists exist lookup ask member ismember in find "},
    {"rm", " remove delete del erase unset discard "},
    {"uniq", " dedup dedupe deduplicate distinct unique "},
    {"merge", " union or join combine concat unite "},
    {"intersect", " and intersection common "},
    {"grep", " filter search egrep fgrep zgrep match "},
    {"info", " stat stats show describe inspect dump status header "},
    {"kinds", " list types ls kind "},
    {"plan", " size estimate calc calculate advise recommend "},
    {"verify", " validate fsck checksum audit "},
    {"count", " frequency freq times "},
    {"top", " topk heavy frequent hitters "},
    {"admit", " cache lru replay simulate admission "},
    {"overlap", " jaccard similarity compare containment "},
    {"fold", " shrink halve reduce "},
    {"pack", " compress zip deflate "},
    {"unpack", " decompress unzip extract patch apply "},
    {"delta", " diff difference changes "},
    {"explain", " why trace debug "},
    {"deny", " feedback adapt report "},
    {"bench", " benchmark perf speed "},
    {"demo", " tutorial example intro start "},
    {"help", " man usage commands "},
};

static const synonyms of_kinds[] = {
    {"standard", " bloom classic classical plain basic normal simple "},
    {"counting", " cbf counter "},
    {"cuckoo", " cuckoofilter semi-sorted "},
    {"split-block", " parquet sbbf impala splitblock "},
    {"blocked", " cache-line cacheline register "},
    {"count-min", " cms cm-sketch countmin sketch "},
    {"dleft", " d-left "},
    {"quotient", " qf rsqf cqf quotient-filter "},
    {"spectral", " sbf "},
};

static const synonyms of_options[] = {
    {"fpr", " rate error error-rate fp-rate fp false-positive-rate epsilon probability "},
    {"keys", " capacity items elements expected num-keys number size "},
    {"bits", " memory mem "},
    {"out", " output outfile "},
    {"kind", " type filter "},
    {"force", " overwrite replace clobber "},
    {"jobs", " threads parallel cores "},
    {"ram", " memory mem buffer-size "},
    {"hashes", " hash-functions num-hashes "},
    {"zero", " null null-data zero-terminated print0 "},
    {"field", " fields column "},
    {"delimiter", " separator sep field-separator "},
    {"quiet", " silent "},
    {"lower", " ignore-case case-insensitive icase "},
    {"invert", " invert-match not "},
    {"repeated", " duplicates dups all-repeated "},
    {"against", " list keys members "},
    {"inputs", " file files from-file "},
    {"seed", " salt "},
};

static const char *meant(const synonyms *all, size_t n, const char *word)
{
    char name[48];
    if (strlen(word) > sizeof name - 3) return NULL;
    snprintf(name, sizeof name, " %s ", word);
    for (size_t i = 0; i < n; i++)
        if (strstr(all[i].theirs, name)) return all[i].ours;
    return NULL;
}

const char *verb_meant(const char *word) { return meant(of_verbs, COUNT_OF(of_verbs), word); }

/* Two options may share a synonym: the verb has one of them at most. */
const char *option_meant(const verb *v, const char *word)
{
    const option *o;
    for (size_t i = 0; i < COUNT_OF(of_options); i++) {
        if (!meant(&of_options[i], 1, word)) continue;
        for (size_t j = 0; (o = option_at(v, j)); j++)
            if (strcmp(o->name, of_options[i].ours) == 0) return o->name;
    }
    return NULL;
}

ending kind_known(const char *given_by, const char *name)
{
    blm_kind_info k;
    if (blm_kind_named(name, &k)) return END_YES;
    const char *near = meant(of_kinds, COUNT_OF(of_kinds), name);
    if (!near || !blm_kind_named(near, &k)) near = blm_kind_nearest(name);
    return near ? trouble("%s%s: no such kind; did you mean %s?", given_by, name, near)
                : trouble("%s%s: no such kind (bloomery kinds lists them)", given_by, name);
}
