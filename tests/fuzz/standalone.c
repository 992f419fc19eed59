/* standalone.c - a fuzz target without a fuzzer: runs the files that it is given, once each. */
#include "fuzz/fuzz.h"

static int run_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in || fseek(in, 0, SEEK_END) != 0) return perror(path), 1;
    const long length = ftell(in);
    rewind(in);
    uint8_t *bytes = length < 0 ? NULL : malloc((size_t)length); /* exact: a step past it is seen */
    const bool read = bytes && fread(bytes, 1, (size_t)length, in) == (size_t)length;
    if (read)
        LLVMFuzzerTestOneInput(bytes, (size_t)length);
    else
        perror(path);
    free(bytes);
    fclose(in);
    return !read;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) failed += run_file(argv[i]);
    printf("%d inputs\n", argc - 1 - failed);
    return failed || argc < 2;
}
