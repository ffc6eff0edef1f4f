/* Runs a target over inputs, one after another in one process: `replay TARGET FILE...`. A folder
 * stands for its files, and a file NAME.txt for its lines, in which "\\n", "\\xNN" and the like
 * stand for what they do in C. AFL++ runs it with a single file. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static unsigned replayed;

static unsigned digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

/* Undoes the escapes in place; returns the size. */
static size_t unescape(char *line)
{
    char *to = line;
    for (char *at = line; *at; at++) {
        if (*at != '\\') {
            *to++ = *at;
            continue;
        }
        at++;
        if (*at == 'x' && at[1] && at[2]) {
            *to++ = (char)(digit(at[1]) << 4 | digit(at[2]));
            at += 2;
        } else {
            *to++ = *at == 'n' ? '\n' : *at == 'r' ? '\r' : *at == 't' ? '\t' : *at;
        }
    }
    return (size_t)(to - line);
}

static void run(fuzz_target *target, const char *data, size_t size)
{
    /* To its very size, so that a sanitizer sees what reads on. */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        fuzz_fail(NULL, "memory is out");
    memcpy(copy, data, size);
    target(copy, size);
    free(copy);
    replayed++;
}

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
    size_t size = (size_t)ftell(file), length = strlen(path);
    rewind(file);
    char *data = malloc(size + 1);
    if (!data)
        fuzz_fail(NULL, "memory is out");
    size = fread(data, 1, size, file);
    data[size] = '\0';
    fclose(file);
    if (length > 4 && strcmp(path + length - 4, ".txt") == 0) {
        for (char *at = data, *end; (end = strchr(at, '\n')); at = end + 1) {
            *end = '\0';
            if (getenv("BIGROCKS_FUZZ_NAMES"))
                fprintf(stderr, "%s\n", at);
            run(target, at, unescape(at));
        }
    } else {
        run(target, data, size);
    }
    free(data);
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
