/* Runs a target over files, one after another in one process: `replay TARGET FILE...`; a folder
 * stands for its files. AFL++ runs it with a single file. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static unsigned replayed;

static int replay(fuzz_target *target, const char *path)
{
    char inner[4096];
    struct dirent **entry;
    int count = scandir(path, &entry, NULL, alphasort);
    if (count >= 0) {
        int failed = 0;
        for (int k = 0; k < count; k++) {
            snprintf(inner, sizeof inner, "%s/%s", path, entry[k]->d_name);
            if (entry[k]->d_name[0] != '.')
                failed |= replay(target, inner);
            free(entry[k]);
        }
        free(entry);
        return failed;
    }
    FILE *file = fopen(path, "re");
    if (!file) {
        perror(path);
        return 1;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc((size_t)size + 1);
    size = data ? (long)fread(data, 1, (size_t)size, file) : 0;
    fclose(file);
    if (getenv("BIGROCKS_FUZZ_NAMES"))
        fprintf(stderr, "%s\n", path);
    if (data)
        target(data, (size_t)size);
    free(data);
    replayed++;
    return 0;
}

int main(int arguments, char **argument)
{
    int failed = 0;
    fuzz_target *target = arguments > 1 ? fuzz_find(argument[1]) : NULL;
    if (arguments > 1 && strcmp(argument[1], "list") == 0) {
        for (const struct fuzz_row *row = fuzz_rows; row->name; row++)
            puts(row->name);
        return 0;
    }
    if (!target) {
        fprintf(stderr, "usage: %s TARGET FILE... | list\n", argument[0]);
        return 2;
    }
    for (int k = 2; k < arguments; k++)
        failed |= replay(target, argument[k]);
    printf("%s: %u inputs\n", argument[1], replayed);
    return failed;
}
