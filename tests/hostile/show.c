/* Says exactly with which words it was called: adds a record to the file of its first word's name
 * in the folder SHOW_DIR, each further word as its length, a colon and its bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char path[4096];
    const char *folder = getenv("SHOW_DIR");
    if (!folder || argc < 2)
        return 120;
    snprintf(path, sizeof path, "%s/%s", folder, argv[1]);
    FILE *out = fopen(path, "ae");
    if (!out)
        return 121;
    for (int k = 2; k < argc; k++)
        fprintf(out, "%zu:%s", strlen(argv[k]), argv[k]);
    putc('\n', out);
    return fclose(out) ? 122 : 0;
}
