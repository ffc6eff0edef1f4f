#include "cli/inputs/whole.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16 };

static enum br_status cannot_be_read(struct br_diag *diag)
{
    return br_fail(diag, BR_SYSTEM, NULL, "cannot be read: %s", strerror(errno));
}

/* Reads until a NUL byte, the end, or one byte more than the limit. */
static enum br_status read_on(FILE *in, size_t most, char **text, size_t *size, bool *has_nul,
                              struct br_diag *diag)
{
    size_t room = 0;
    *size = 0;
    do {
        if (room - *size < 2) {
            room = room ? 2 * room : ROOM;
            char *larger = realloc(*text, room);
            if (!larger)
                return br_fail_memory(diag);
            *text = larger;
        }
        const size_t n = fread(*text + *size, 1, room - *size - 1, in);
        const char *nul = memchr(*text + *size, '\0', n);
        *has_nul = nul != NULL;
        *size = nul ? (size_t)(nul - *text) : *size + n;
        (*text)[*size] = '\0';
        if (*size > most)
            return br_fail(diag, BR_BAD_INPUT, "is this the file that you meant?",
                           "the file is larger than %zu MiB", most >> 20);
    } while (!*has_nul && !feof(in) && !ferror(in));
    return ferror(in) ? cannot_be_read(diag) : BR_OK;
}

enum br_status cli_whole_read(const char *path, size_t most, char **text, size_t *size,
                              bool *has_nul, struct br_diag *diag)
{
    const bool standard = strcmp(path, "-") == 0;
    *text = NULL;
    *size = 0;
    *has_nul = false;
    br_diag_file(diag, standard ? "<stdin>" : path);
    if (standard)
        return read_on(stdin, most, text, size, has_nul, diag);
    FILE *in = fopen(path, "re");
    if (!in)
        return cannot_be_read(diag);
    enum br_status status = read_on(in, most, text, size, has_nul, diag);
    fclose(in);
    return status;
}
