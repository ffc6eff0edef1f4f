#include "cli/common/whole.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16 };

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
    return BR_OK;
}

enum br_status cli_whole_read(const char *path, size_t most, char **text, size_t *size,
                              bool *has_nul, struct br_diag *diag)
{
    const bool standard = strcmp(path, "-") == 0;
    *text = NULL;
    *size = 0;
    *has_nul = false;
    br_diag_file(diag, standard ? "<stdin>" : path);
    FILE *in = standard ? stdin : fopen(path, "re");
    errno = in ? 0 : errno;
    enum br_status status = in ? read_on(in, most, text, size, has_nul, diag) : BR_OK;
    if (!status && (!in || ferror(in)))
        status = br_fail(diag, BR_SYSTEM, NULL, "cannot be read: %s", strerror(errno));
    if (in && in != stdin)
        fclose(in);
    return status;
}
