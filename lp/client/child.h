/* One talk with a child process: a text goes in, an answer comes out, all within limits. */
#ifndef BR_LP_CLIENT_CHILD_H
#define BR_LP_CLIENT_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "base/process/stop.h"

enum br_talk_ending {
    BR_TALK_ENDED,   /* the child has ended by itself */
    BR_TALK_LATE,    /* it was killed at the limit */
    BR_TALK_STOPPED, /* it was killed since the flag was raised */
};

struct br_talk {
    const char *program; /* its path */
    const char *const *argv;
    const char *text; /* its standard input, borrowed; `size` bytes */
    size_t size;
    int64_t limit_ns;           /* on the clock */
    uint64_t processor_seconds; /* a limit on its processor time, should this program be killed */
    const struct br_stop *stop; /* may be NULL */

    /* The outcome. */
    enum br_talk_ending ending;
    int state;    /* as waitpid has it; -1: nobody knows */
    char *answer; /* its standard output, `answer_size` bytes and a NUL; NULL: nothing */
    size_t answer_size;
    char *complaint; /* the beginning of its standard error, NUL-terminated; NULL: nothing */
};

/* Starts the child and talks to it; then it has ended, with all of its process group. Writing and
 * reading go on together, so that neither side waits for the other. Its memory is limited to half
 * of what the machine has. Returns 0, or the errno of what failed before it ran. Signals of this
 * program stay as they are. To be finished in any case. */
int br_talk(struct br_talk *talk);
/* Releases what the child has said. */
void br_talk_finish(struct br_talk *talk);

#endif
