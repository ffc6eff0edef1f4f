#include "parsers/reader/cores.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A word of the shell's, without the quotation marks around it. */
struct word {
    const char *text;
    size_t size;
};

/* One of the commands that the shell runs, as far as it is read. */
struct told {
    bool compiles, jobs_program, is_cmake, wants_number;
    uint32_t link, jobs; /* cores; 0: nothing is said */
};

static bool word_is(struct word word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.text, text, word.size) == 0;
}

/* Does the word begin so? The rest is *value. */
static bool word_begins(struct word word, const char *with, struct word *value)
{
    const size_t size = strlen(with);
    if (word.size < size || memcmp(word.text, with, size) != 0)
        return false;
    *value = (struct word){word.text + size, word.size - size};
    return true;
}

/* A number of cores; 0: it is none. */
static uint32_t cores_of(struct word value)
{
    uint32_t number = 0;
    struct word rest;
    if (word_is(value, "auto") || word_begins(value, "$(nproc", &rest) ||
        word_begins(value, "`nproc", &rest))
        return BR_CORES_ALL;
    for (size_t k = 0; k < value.size; k++) {
        if (value.text[k] < '0' || value.text[k] > '9' || number > 100000)
            return 0;
        number = 10 * number + (uint32_t)(value.text[k] - '0');
    }
    return number;
}

static uint32_t more_cores(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The program without its folder. */
static struct word word_program(struct word word)
{
    for (size_t k = word.size; k > 0; k--)
        if (word.text[k - 1] == '/')
            return (struct word){word.text + k, word.size - k};
    return word;
}

static bool is_jobs_program(struct word word)
{
    static const char *const programs[] = {"make", "gmake", "ninja", "ninja-build",
                                           "samu", "ctest", "scons", "cargo"};
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
        if (word_is(word_program(word), programs[k]))
            return true;
    return false;
}

static void told_word(struct told *told, struct word word)
{
    static const char *const links[] = {
        "-flto=", "-flto-jobs=", "-Wl,--thinlto-jobs=", "--thinlto-jobs="};
    static const char *const jobs[] = {"-j", "--jobs=", "--parallel="};
    struct word value;
    if (told->wants_number)
        told->jobs = more_cores(told->jobs, cores_of(word));
    told->wants_number =
        word_is(word, "-j") || word_is(word, "--jobs") || word_is(word, "--parallel");
    told->compiles |= word_is(word, "-c") || word_is(word, "-S") || word_is(word, "-E");
    told->jobs_program |= is_jobs_program(word) || (told->is_cmake && word_is(word, "--build"));
    told->is_cmake |= word_is(word_program(word), "cmake");
    for (size_t k = 0; k < sizeof links / sizeof *links; k++)
        if (word_begins(word, links[k], &value))
            told->link = more_cores(told->link, cores_of(value));
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++)
        if (word_begins(word, jobs[k], &value))
            told->jobs = more_cores(told->jobs, cores_of(value));
}

static uint32_t told_cores(const struct told *told)
{
    const uint32_t link = told->compiles ? 0 : told->link;
    return more_cores(link, told->jobs_program ? told->jobs : 0);
}

uint32_t br_command_cores(const char *command)
{
    struct told told = {0};
    uint32_t most = 1;
    for (const char *at = command; *at;) {
        at += strspn(at, " \t\"'");
        if (*at && strchr(";&|\n", *at)) {
            most = more_cores(most, told_cores(&told));
            told = (struct told){0};
            at += strspn(at, ";&|\n");
            continue;
        }
        struct word word = {at, strcspn(at, " \t\"';&|\n")};
        if (word.size > 0)
            told_word(&told, word);
        at += word.size;
    }
    return more_cores(most, told_cores(&told));
}
