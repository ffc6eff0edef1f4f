/* Traces that asking make leaves in its answer, in commands that hold $(PATH) or $(MAKEFLAGS). */
#include "cli/builders/make_clean.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/launch.h"

/* Stands after the letters of MAKEFLAGS; variables from the command line follow. */
static const char flags[] = " --debug=b --trace", flags_of_4_2[] = " --trace --debug=b";

static bool make_clean_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Do these letters, perhaps after a '-', contain those of the dry run? */
static bool is_dry(const char *from, const char *at)
{
    bool letters = true;
    from += from < at && *from == '-';
    for (const char *letter = from; letter < at; letter++)
        letters &= make_clean_is_letter(*letter);
    size_t size = (size_t)(at - from);
    return letters && memchr(from, 'n', size) && memchr(from, 'p', size) && memchr(from, 'w', size);
}

/* The end of the letters: other options may follow them ("npw -Idir --debug=b"). */
static const char *letters_end(const char *from, const char *at)
{
    for (;;) {
        const char *word = at;
        while (word > from && word[-1] != ' ')
            word--;
        if (word == from || *word != '-' || is_dry(word, at))
            return at;
        at = word - 1;
    }
}

/* Writes [*from, at) without the letters of the dry run at its end, and a '-' before them if none
 * is left. */
static void write_letters(const char *from, const char *at, FILE *out)
{
    const char *flags_at = at, *begin = at = letters_end(from, at);
    bool left = false;
    while (begin > from && make_clean_is_letter(begin[-1]))
        begin--;
    for (const char *letter = begin; letter < at; letter++)
        left |= !strchr("Bnpw", *letter);
    const char *end = begin > from && begin[-1] == '-' && !left ? begin - 1 : begin;
    fwrite(from, 1, (size_t)(end - from), out);
    for (; begin < at; begin++)
        if (!strchr("Bnpw", *begin))
            putc(*begin, out);
    fwrite(at, 1, (size_t)(flags_at - at), out);
}

static void write_clean(const char *text, const char *folder, const char *make, FILE *out)
{
    char script[PATH_MAX + 16];
    size_t length = strlen(folder);
    int size = snprintf(script, sizeof script, "%s/make", folder);
    const char *from = text, *at = text;
    for (; *at; at++) {
        bool flagged = *at == ' ' && (strncmp(at, flags, sizeof flags - 1) == 0 ||
                                      strncmp(at, flags_of_4_2, sizeof flags - 1) == 0);
        if (!flagged && (*at != '/' || strncmp(at, folder, length) != 0))
            continue;
        if (flagged) {
            write_letters(from, at, out);
            from = at + sizeof flags - 1;
        } else if (strncmp(at, script, (size_t)size) == 0) {
            fwrite(from, 1, (size_t)(at - from), out);
            fputs(make, out);
            from = at + size;
        } else {
            fwrite(from, 1, (size_t)(at - from), out);
            from = at + length;
            from += *from == ':' || *from == ' ';
        }
        at = from - 1;
    }
    fwrite(from, 1, (size_t)(at - from), out);
}

static char *make_clean_read_all(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END), used = 0;
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);
    ssize_t got = 1;
    while (text && used < size && got > 0) {
        got = pread(fd, text + used, (size_t)(size - used), used);
        used += got > 0 ? got : 0;
    }
    if (text)
        text[used] = '\0';
    return text;
}

enum br_status cli_make_clean(int *fd, const char *folder, const char *make, struct br_diag *diag)
{
    int clean = br_unnamed_file(), written = clean < 0 ? -1 : dup(clean);
    FILE *out = written < 0 ? NULL : fdopen(written, "w");
    char *text = make_clean_read_all(*fd);
    bool good = out && text;
    if (good)
        write_clean(text, folder, make, out);
    good = (!out || fclose(out) == 0) && good;
    free(text);
    if (!good) {
        if (clean >= 0)
            close(clean);
        return br_fail(diag, BR_SYSTEM, "set TMPDIR", "cannot keep the output of make: %s",
                       strerror(errno));
    }
    close(*fd);
    *fd = clean;
    return BR_OK;
}
