/* The linear program over the order of coflows, by bigrocks-bound. */
#ifndef BR_LP_CLIENT_COFLOWS_H
#define BR_LP_CLIENT_COFLOWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/process/stop.h"

struct br_coflow_talk {
    const char *problem; /* in JSON, as lp/solver/coflow_problem.h has it; `size` bytes, borrowed */
    size_t size;
    int64_t limit_ns;           /* of its work; 0: a fixed amount, within a minute */
    const struct br_stop *stop; /* may be NULL; ends the program */

    char *answer; /* what it has written, `answer_size` bytes and a NUL; free(); NULL: nothing */
    size_t answer_size;
    char why[256]; /* if there is no answer */
};

/* Starts the program with the problem and waits for its answer, which nobody has checked. */
void br_bound_coflows(struct br_coflow_talk *talk);

#endif
