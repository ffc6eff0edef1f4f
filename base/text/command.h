/* A stage's command: from its text to the words of a process. */
#ifndef BR_BASE_TEXT_COMMAND_H
#define BR_BASE_TEXT_COMMAND_H

#include <bigrocks/diag.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"

struct br_command {
    uint32_t words;    /* 0: there is no command */
    const char **word; /* with "{index}" for the task's index */
};

/* Splits the text into words: blanks (and line ends) separate, '...' and "..." hold together, \
 * makes the next character literal (between "..." only \ and "). Nothing else has a meaning, and
 * characters with a meaning for a shell (| & ; < > ( ) $ ` * ? [) are refused unless quoted. With
 * `shell` the whole text is a script for /bin/sh. Texts come from the arena. BR_BAD_INPUT,
 * BR_SYSTEM. */
enum br_status br_command_parse(struct br_arena *arena, const char *text, bool shell,
                                struct br_command *command, struct br_diag *diag);

/* The words of one task, ready for an exec call. Reused from task to task. */
struct br_words {
    char **word; /* NULL-terminated; valid until the next call */
    uint32_t room;
    char *text;
    uint32_t text_room;
};
/* Puts the index in. False when memory is out. */
bool br_command_words(const struct br_command *command, uint32_t index, struct br_words *words);
void br_words_finish(struct br_words *words);

#endif
