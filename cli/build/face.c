/* Ninja takes options until the first -t; a letter's value follows at once or as the next word.
 * Options that differ from ours are rewritten: -k, whose number may be left out here; -d explain;
 * -j0. */
#include "cli/build/face.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/builders/ninja_program.h"
#include "cli/terminal/say.h"

struct face {
    int count, next;
    char *const *argument;
    char **list; /* room for three words for each */
    char *flags; /* copies of flags that stand before a letter with a value */
    int words;
    char *folder, *file; /* of -C and -f so far; NULL if not given */
    struct br_diag *diag;
};

static void put(struct face *face, const char *word)
{
    assert(face->words <= 3 * face->count);
    face->list[face->words++] = (char *)word;
}

static bool is_number(const char *text)
{
    return text && *text && !text[strspn(text, "0123456789")];
}

/* Replaces this process by ninja, with these words after -C and -f. Returns only on failure. */
static enum br_status become_ninja(const struct face *face, const char *option, char *const *rest)
{
    char ninja[PATH_MAX];
    size_t words = 0, more = 0;
    cli_ninja_program(face->folder ? face->folder : ".", ninja);
    while (rest[more])
        more++;
    const char **list = calloc(more + 8, sizeof *list);
    if (!list)
        return br_fail_memory(face->diag);
    list[words++] = ninja;
    if (face->folder) {
        list[words++] = "-C";
        list[words++] = face->folder;
    }
    if (face->file) {
        list[words++] = "-f";
        list[words++] = face->file;
    }
    list[words++] = option;
    for (size_t k = 0; k < more; k++)
        list[words++] = rest[k];
    fflush(NULL);
    execvp(ninja, (char *const *)list);
    int error = errno;
    free(list);
    return br_fail(face->diag, BR_SYSTEM, "install it (ninja-build), or name it by NINJA",
                   "cannot start ninja, which does '%s': %s", option, strerror(error));
}

static enum br_status take_debug(struct face *face, const char *mode)
{
    char *const list[] = {(char *)mode, NULL};
    if (strcmp(mode, "list") == 0)
        return become_ninja(face, "-d", list);
    if (strcmp(mode, "explain") == 0)
        put(face, "--explain");
    else if (strcmp(mode, "keeprsp") != 0 && strcmp(mode, "keepdepfile") != 0) /* they are kept */
        return br_fail(face->diag, BR_USAGE, "leave it out; SIGUSR1 prints the state of a build",
                       "'-d %.40s' is not known here; explain, keeprsp and keepdepfile are", mode);
    return BR_OK;
}

/* A letter of ninja's that takes a value. */
static enum br_status take_value(struct face *face, char letter, char *value)
{
    char *const list[] = {value, NULL};
    switch (letter) {
    case 'd':
        return take_debug(face, value);
    case 'w':
        if (strcmp(value, "list") == 0)
            return become_ninja(face, "-w", list);
        cli_say("-w %.80s has no effect: ninja is asked with the warnings that it has by default",
                value);
        return BR_OK;
    case 'l':
        cli_say("-l %.20s has no effect: --capacity and -j say how much runs at once", value);
        return BR_OK;
    case 'C':
        face->folder = value;
        break;
    case 'f':
        face->file = value;
        break;
    default:
        break;
    }
    put(face, letter == 'C' ? "-C" : letter == 'f' ? "--file" : "-j");
    put(face, value);
    return BR_OK;
}

/* -k, -kN, or -k followed by a number. */
static void take_failures(struct face *face, const char *value)
{
    put(face, "--keep-going");
    if (is_number(value))
        put(face, value);
    else if (face->next < face->count && is_number(face->argument[face->next]))
        put(face, face->argument[face->next++]);
    else
        put(face, "0");
}

/* Everything after -t belongs to the tool. */
static enum br_status take_tool(struct face *face, char *name)
{
    assert(face->next <= face->count);
    const size_t more = (size_t)(face->count - face->next);
    char **rest = calloc(more + 2, sizeof *rest);
    if (!rest)
        return br_fail_memory(face->diag);
    rest[0] = name;
    memcpy(rest + 1, face->argument + face->next, more * sizeof *rest);
    enum br_status status = become_ninja(face, "-t", rest);
    free(rest);
    return status;
}

/* The letters of one word: flags, and perhaps one that takes a value. */
static enum br_status take_letters(struct face *face, char *word)
{
    char *letter = word + 1 + strcspn(word + 1, "tkCfjldw"), *value = letter + 1;
    if (!*letter || letter > word + 1) {
        put(face, face->flags);
        face->flags +=
            snprintf(face->flags, strlen(word) + 1, "%.*s", (int)(letter - word), word) + 1;
    }
    if (!*letter)
        return BR_OK;
    if (*letter == 'k') {
        take_failures(face, value);
        return BR_OK;
    }
    if (!*value && face->next == face->count)
        return br_fail(face->diag, BR_USAGE, NULL, "option '-%c' needs a value", *letter);
    if (!*value)
        value = face->argument[face->next++];
    return *letter == 't' ? take_tool(face, value) : take_value(face, *letter, value);
}

static enum br_status take_long(struct face *face, const char *word, bool own)
{
    char *const none[] = {NULL};
    if (own && strcmp(word, "--version") == 0)
        return become_ninja(face, word, none);
    put(face, word);
    if (strcmp(word, "--keep-going") == 0)
        put(face, "0");
    return BR_OK;
}

enum br_status cli_build_face(int count, char *const *argument, bool own,
                              struct cli_face_words *words, struct br_diag *diag)
{
    struct face face = {.count = count, .argument = argument, .diag = diag};
    enum br_status status = BR_OK;
    size_t size = 1;
    for (int k = 0; k < count; k++)
        size += strlen(argument[k]) + 1;
    words->list = face.list = calloc((size_t)count * 3 + 2, sizeof *face.list);
    words->flags = face.flags = malloc(size);
    if (!face.list || !face.flags)
        return br_fail_memory(diag);
    put(&face, "build");
    while (face.next < count && !status) {
        char *word = argument[face.next++];
        if (strcmp(word, "--") == 0) {
            face.next--;
            break;
        }
        if (word[0] == '-' && word[1] == '-')
            status = take_long(&face, word, own);
        else if (word[0] == '-' && word[1])
            status = take_letters(&face, word);
        else
            put(&face, word);
    }
    while (face.next < count)
        put(&face, argument[face.next++]);
    words->count = face.words;
    return status;
}

void cli_face_words_finish(struct cli_face_words *words)
{
    free(words->list);
    free(words->flags);
}

bool cli_is_ninja(const char *program)
{
    return program && cli_is_own_ninja(program);
}
