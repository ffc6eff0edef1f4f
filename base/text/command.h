/* A stage's command: from its text to the words that a process is started with. */
#ifndef BR_BASE_TEXT_COMMAND_H
#define BR_BASE_TEXT_COMMAND_H

#include <bigrocks/diag.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"

struct br_command {
    uint32_t words;    /* 0: there is no command */
    const char **word; /* with "{index}" where it stands for the task's index */
};

/* Splits the text into words: blanks (and line ends) separate, '...' and "..." hold together, \
 * takes what follows as it is (between "..." only \ and "). Nothing else has a meaning, and what
 * would have one to a shell (| & ; < > ( ) $ ` * ? [) is refused unless quoted. With `shell` the
 * whole text is a script for /bin/sh. Texts come from the arena. BR_BAD_INPUT, BR_SYSTEM. */
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
