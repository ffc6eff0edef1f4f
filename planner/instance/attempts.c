/* A run of a plan as data. */
#include "planner/instance/attempts.h"

#include <string.h>

#include "base/collections/memory.h"

bool br_run_attempt_is_done(const struct br_run_attempt *attempt)
{
    return strcmp(attempt->outcome, "done") == 0;
}

void br_run_attempts_finish(struct br_run_attempts *attempts)
{
    br_free(attempts->attempt);
    br_arena_finish(&attempts->arena);
    *attempts = (struct br_run_attempts){0};
}
