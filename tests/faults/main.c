/* main.c - faults [fail|read|zero|kill|together|full|rights]: one of them, or all. */
#include "faults/faults.h"

unsigned faults_checks, faults_broken;

bool faults_check(bool held, const char *what, const char *file, int line)
{
    faults_checks++;
    if (!held) {
        faults_broken++;
        printf("%s:%d: broken: %s\n", file, line, what);
    }
    return held;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {{"fail", test_fail},    {"read", test_read},         {"zero", test_zero},
                 {"kill", test_kill},    {"together", test_together}, {"full", test_full},
                 {"rights", test_rights}};
    setvbuf(stdout, NULL, _IOLBF, 0);
    scene_begin();
    unsigned ran = 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (argc < 2 || strcmp(argv[1], tests[i].name) == 0) tests[i].run(), ran++;
    scene_end();
    printf("%u checks, %u broken\n", faults_checks, faults_broken);
    return faults_broken || !ran;
}
