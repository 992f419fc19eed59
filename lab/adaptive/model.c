/* model.c - the model of the paper (equations 3 to 10) against the filter itself: figures 4 and 5, more groups,
 * check, decimation. N keys, A non-members, each queried ten times on average, in random order. */
#include <bloomery/theory/adaptive.h>
#include <bloomery/theory/words.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "adaptive.h"

#define TIMES 10

typedef struct synthetic { /* figures by A/N = 1, 2, 5, 10 */
    unsigned keys, hashes; /* keys a word */
    double plain;          /* Bloom-1 in 64 bits, by formula */
    double model[10];      /* equation 10, S = 2, A/N = 1 to 10, full adaptation without check */
    /* Ten rounds of an independent simulation: S = 2 with check, S = 4, S = 4 with check, S = 8; and how many words
     * changed a question, of the two with check. */
    double rate[4][4], changes[4][2];
} synthetic;

static const synthetic settings_of[ADAPTIVE_MODEL] = {
    {8,
     3,
     .0376028,
     {.016683, .0222775, .025696, .0279852, .0296189, .0308405, .0317867, .0325404, .0331544,
      .0336638},
     {{.0163208, .00834106, .00795898, .00660156},
      {.0215393, .0134894, .0130945, .00986145},
      {.0289622, .0228843, .0224851, .019},
      {.0331021, .0298091, .0294766, .027915}},
     {{.0136096, .00793701}, {.0189563, .0130762}, {.0264446, .0224583}, {.0304957, .0294482}}},
    {8,
     4,
     .0335332,
     {.0152127, .0201111, .023075, .0250599, .0264818, .0275504, .0283828, .0290496, .0295957,
      .0300512},
     {{.0146277, .00759277, .00730713, .00637451},
      {.0196887, .0121991, .0118188, .00928833},
      {.0257834, .0206177, .020251, .0175745},
      {.0289777, .0259438, .0256316, .0244459}},
     {{.0122424, .00729248}, {.017146, .0117963}, {.0232754, .0202168}, {.0266366, .0255851}}},
    {8,
     5,
     .0341872,
     {.0166179, .0215915, .0245012, .0264165, .0277755, .0287912, .02958, .0302106, .0307265,
      .0311567},
     {{.0154626, .00895264, .00846802, .00696167},
      {.0205969, .0139227, .0134662, .0108063},
      {.0264026, .02204, .0216526, .0193357},
      {.0293884, .0267047, .0263228, .0256371}},
     {{.0128052, .00839111}, {.0175592, .0134424}, {.0236172, .0216042}, {.0266277, .0262438}}},
    {12,
     3,
     .0889226,
     {.0631001, .0748616, .0799785, .0827847, .0845428, .085743, .0866125, .0872706, .0877857,
      .0881996},
     {{.0592651, .0429142, .0411401, .0325675},
      {.0720085, .0624544, .0605611, .0544869},
      {.081305, .0798018, .0786151, .0778755},
      {.0855461, .0861579, .085197, .0867207}},
     {{.0481201, .0407471}, {.0603605, .0601774}, {.0697438, .0782314}, {.0742581, .0848521}}},
    {12,
     4,
     .0916417,
     {.0673216, .0787159, .0836282, .0863278, .0880257, .0891889, .0900344, .0906762, .0911795,
      .0915848},
     {{.0629671, .0470435, .0449064, .0370296},
      {.0738188, .0659167, .063724, .0590409},
      {.0839756, .0820076, .0804826, .0810415},
      {.088411, .0885196, .0873062, .0893149}},
     {{.0501644, .044445}, {.0606201, .0631641}, {.0704943, .0798244}, {.0748573, .0867018}}},
    {12,
     5,
     .102916,
     {.0795343, .0911122, .0959691, .0986153, .100274, .10141, .102235, .102861, .103353, .103749},
     {{.0737964, .0587622, .0557365, .0475741},
      {.0851453, .077828, .0749174, .0717399},
      {.0949022, .09282, .0905942, .0928999},
      {.0991405, .0998379, .098056, .100865}},
     {{.0568677, .054908}, {.0670007, .0738375}, {.0769963, .0894412}, {.0809217, .0969185}}},
};

/* ---- measuring ------------------------------------------------------------------------------------------------ */

typedef struct asked {
    adaptive_rounds rate, changes; /* shares of the questions */
} asked;

/* One round: new keys, new non-members. */
static bool ask_round(lab_sheet *s, blm_filter *f, blm_hash *stranger, uint64_t keys,
                      uint64_t strangers, uint64_t round, asked *out)
{
    const uint64_t first = round << 32, questions = TIMES * strangers;
    uint64_t yes = 0, state = round + 1;
    blm_clear(f);
    if (!lab_add(s, f, first, keys)) return false;
    for (uint64_t i = 0; i < strangers; i++)
        stranger[i] = blm_hash_u64(f, lab_member(first + keys + i));
    for (uint64_t i = 0; i < questions; i++)
        yes += adaptive_asks(f, stranger[(lab_random(&state) >> 32) * strangers >> 32]);
    adaptive_note(&out->rate, (double)yes / (double)questions);
    adaptive_note(&out->changes, lab_field(f, "adapted") / (double)questions);
    return true;
}

/* The number of queries is the same for every A/N: there are fewer rounds where there are more non-members. */
static bool ask(lab_sheet *s, const synthetic *c, unsigned strangers_a_key, adaptive_form v,
                asked *out)
{
    const uint64_t keys = (uint64_t)c->keys * ADAPTIVE_WORDS, strangers = strangers_a_key * keys;
    const unsigned rounds = (s->quick ? 20 : 120) / strangers_a_key;
    blm_hash *hash = malloc((size_t)strangers * sizeof *hash);
    blm_filter *f = hash ? adaptive_make(s, v, c->hashes, 1) : NULL;
    bool whole = f != NULL;
    if (!hash) lab_stuck(s, "non-members", "no memory");
    *out = (asked){0};
    for (unsigned i = 0; whole && i < rounds; i++)
        whole = ask_round(s, f, hash, keys, strangers, i, out);
    blm_free(f);
    free(hash);
    return whole;
}

static double model_of(const synthetic *c, unsigned strangers_a_key, adaptive_form v)
{
    static const unsigned selector[] = {0, 0, 1, 0, 2, 0, 0, 0, 3};
    const uint64_t keys = (uint64_t)c->keys * ADAPTIVE_WORDS;
    if (v.groups == 1) return blm_rate_word(64, ADAPTIVE_WORDS, 1, c->hashes, keys);
    return blm_rate_adaptive((blm_adaptive){.words = ADAPTIVE_WORDS,
                                            .keys = keys,
                                            .non_members = strangers_a_key * keys,
                                            .width = 64 - selector[v.groups],
                                            .groups = v.groups,
                                            .hashes = c->hashes,
                                            .every = v.every,
                                            .times = TIMES});
}

/* The model is high by some percent ("tends to be larger", section IV): the measured lies between low and high times
 * the model, so the model between the measured / high and / low. */
static lab_number beside_model(lab_number n, double low, double high)
{
    n.lowest /= high;
    n.highest /= low;
    return n;
}

/* ---- figures 4 and 5: S = 2 ------------------------------------------------------------------------------------ */

static const char *const figure_of[ADAPTIVE_MODEL] = {"fig4-k3", "fig4-k4", "fig4-k5",
                                                      "fig5-k3", "fig5-k4", "fig5-k5"};

/* What the curves do: they rise towards Bloom-1 in 63 bits, from far below it. */
static void shape_of(lab_sheet *s, const synthetic *c, const adaptive_rounds mean[2])
{
    const uint64_t keys = (uint64_t)c->keys * ADAPTIVE_WORDS;
    const double narrow = blm_rate_word(63, ADAPTIVE_WORDS, 1, c->hashes, keys);
    const adaptive_rounds *plain = &mean[0], *two = &mean[1];
    bool rises = two->n > 1;
    char what[64];
    for (size_t i = 1; i < two->n; i++) rises = rises && two->value[i] > two->value[i - 1];
    snprintf(what, sizeof what, "N = %uM, k = %u: it rises with A/N", c->keys, c->hashes);
    lab_say(s, what, &(lab_claim){.expected = 1}, NAN, lab_exactly(rises));
    if (!two->n) return;
    snprintf(what, sizeof what, "N = %uM, k = %u: Bloom-1 / ABF at A/N = 1", c->keys, c->hashes);
    lab_say(s, what, &(lab_claim){.at_least = c->keys == 8 ? 2 : 1.25}, NAN,
            lab_exactly(plain->value[0] / two->value[0]));
    snprintf(what, sizeof what, "N = %uM, k = %u: ABF / Bloom-1 of 63 bits, last", c->keys,
             c->hashes);
    lab_say(s, what, &(lab_claim){.at_most = 1}, NAN, lab_exactly(two->value[two->n - 1] / narrow));
}

void adaptive_model(lab_sheet *s, size_t i)
{
    static const adaptive_form form[2] = {{1, false, 1}, {2, false, 1}};
    static const char *const name[2] = {"Bloom-1", "ABF"};
    const synthetic *c = &settings_of[i];
    adaptive_rounds mean[2] = {{0}, {0}};
    asked *a = malloc(sizeof *a);
    if (!a) lab_stuck(s, "rounds", "no memory");
    for (unsigned x = 1; a && x <= 10; x++)
        for (int j = 0; j < 2; j++) {
            const double model = model_of(c, x, form[j]);
            char what[64];
            lab_line_at(s, figure_of[i], name[j], x, model);
            if ((s->quick && x != 1 && x != 5) || !ask(s, c, x, form[j], a)) continue;
            const lab_number n = adaptive_mean(&a->rate);
            lab_mark_at(s, figure_of[i], name[j], x, n);
            adaptive_note(&mean[j], n.value);
            snprintf(what, sizeof what, "N = %uM, k = %u, A/N = %u, %s", c->keys, c->hashes, x,
                     name[j]);
            if (j)
                lab_say(s, what, &(lab_claim){.expected = c->model[x - 1], .within = 1e-4}, model,
                        beside_model(n, 0.93, 1.02));
            else if (x == 1)
                lab_say(s, what, &(lab_claim){.expected = c->plain, .within = 1e-4}, model, n);
        }
    free(a);
    shape_of(s, c, mean);
}

/* ---- more groups, and a look before a change --------------------------------------------------------------------- */

/* Ten rounds of the other simulation are its error: 6 %. */
#define ROUNDS_OFF 0.06

/* Reports the rate against the other simulation's and against the model, or against the same without check. */
static void say_form(lab_sheet *s, const synthetic *c, unsigned strangers, adaptive_form v,
                     const double *expected, const asked *a, const adaptive_rounds *without)
{
    const lab_number n = adaptive_mean(&a->rate);
    char what[64];
    const int length =
        snprintf(what, sizeof what, "N = %uM, k = %u, A/N = %u, S = %u%s%s", c->keys, c->hashes,
                 strangers, v.groups, v.check ? ", check" : "", v.every > 1 ? ", d = 5" : "");
    char *end = what + length;
    const size_t left = sizeof what - (size_t)length;
    if (expected)
        lab_say(s, what, &(lab_claim){.expected = *expected, .within = ROUNDS_OFF}, NAN,
                adaptive_as_is(n));
    snprintf(end, left, v.check ? " / without" : ", model");
    if (v.check)
        lab_say(s, what, &(lab_claim){.at_most = 1}, NAN, adaptive_beside(&a->rate, without));
    else
        lab_say(s, what, &(lab_claim){0}, model_of(c, strangers, v), beside_model(n, 0.86, 1.02));
}

/* How many words changed: with check fewer than there were false positives, else as many. */
static void say_changes(lab_sheet *s, const synthetic *c, unsigned strangers, adaptive_form v,
                        const double *expected, const asked *a)
{
    char what[64];
    snprintf(what, sizeof what, "N = %uM, k = %u, A/N = %u, S = %u%s, changes", c->keys, c->hashes,
             strangers, v.groups, v.check ? ", check" : "");
    const double all = adaptive_mean(&a->rate).value;
    lab_say(s, what,
            &(lab_claim){.expected = expected ? *expected : all,
                         .within = expected ? ROUNDS_OFF : 1e-12},
            NAN, adaptive_as_is(adaptive_mean(&a->changes)));
}

void adaptive_groups(lab_sheet *s, size_t i)
{
    enum { FORMS = 7 };
    static const adaptive_form form[FORMS] = {{2, false, 1}, {2, true, 1},  {4, false, 1},
                                              {4, true, 1},  {8, false, 1}, {8, true, 1},
                                              {2, false, 5}};
    static const int known[FORMS] = {-1, 0, 1, 2, 3, -1, -1}; /* its place in the table; -1: none */
    static const unsigned ratios[] = {1, 2, 5, 10};
    const synthetic *c = &settings_of[i];
    asked *a = malloc(2 * sizeof *a); /* of this form, and of the last without check */
    if (!a) lab_stuck(s, "rounds", "no memory");
    for (unsigned x = 0; a && x < (s->quick ? 1 : 4); x++)
        for (int j = 0; j < FORMS; j++) {
            const adaptive_form v = form[j];
            const double *rate = known[j] < 0 ? NULL : &c->rate[x][known[j]];
            if (!ask(s, c, ratios[x], v, a)) break;
            if (!v.check) a[1] = a[0];
            if (j) say_form(s, c, ratios[x], v, rate, a, &a[1].rate); /* S = 2: figures 4 and 5 */
            if (j == 0 || j == 1 || j == 3)
                say_changes(s, c, ratios[x], v, j ? &c->changes[x][j / 2] : NULL, a);
        }
    free(a);
}
