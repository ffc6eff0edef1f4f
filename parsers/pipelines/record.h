/* The jobs of one run of a pipeline, as the API of GitHub or GitLab tells them (JSON). */
#ifndef BR_PARSERS_PIPELINES_RECORD_H
#define BR_PARSERS_PIPELINES_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "base/text/diag.h"

struct br_forge_job {
    const char *name;
    int64_t started_ns, ended_ns; /* since 1970; -1: not told */
    int64_t duration_ns;          /* -1: it did not run */
    bool taken;                   /* by a stage */
};

struct br_forge_run {
    struct br_arena arena; /* of the names */
    uint32_t jobs, room;
    struct br_forge_job *job;
};

/* Reads the file into the zeroed run, if it is JSON; else leaves it empty. To be finished in any
 * case. */
enum br_status br_forge_run_read(const char *path, struct br_forge_run *run, struct br_diag *diag);
void br_forge_run_finish(struct br_forge_run *run);

#endif
