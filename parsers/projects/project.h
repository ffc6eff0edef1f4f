/* The common ground of PSPLIB and Patterson files: numbered jobs, one pool of renewable resources
 * R1, R2, ..., and successors that are named before they appear. */
#ifndef BR_PARSERS_PROJECTS_PROJECT_H
#define BR_PARSERS_PROJECTS_PROJECT_H

#include "parsers/reader/formats.h"

struct br_successor {
    uint32_t parent, child; /* job numbers */
    struct br_pos pos;
};

struct br_project {
    struct br_input *input; /* gets the dag and the cluster as they grow */
    uint32_t successors, room;
    struct br_successor *successor;
};

/* Begins a project with the given name; the cluster is one machine named "pool". */
enum br_status br_project_init(struct br_project *project, struct br_input *input, const char *name,
                               struct br_diag *diag);
void br_project_finish(struct br_project *project);

/* The pool holds `amount` of resource R<number>, counted from 1. */
enum br_status br_project_capacity(struct br_project *project, uint32_t number, uint64_t amount,
                                   struct br_diag *diag);
/* Job number `number`, a stage of one task; the place is where faults of it are. */
enum br_status br_project_job(struct br_project *project, uint32_t number, int64_t duration_ns,
                              struct br_pos pos, uint32_t *stage, struct br_diag *diag);
/* The whole project has `amount` of resource N<number>, counted from 1, which jobs consume. */
enum br_status br_project_budget(struct br_project *project, uint32_t number, uint64_t amount,
                                 struct br_diag *diag);
/* Mode `mode` of the job: an alternative by that number. */
enum br_status br_project_mode(struct br_project *project, uint32_t stage, uint32_t mode,
                               int64_t duration_ns, struct br_pos pos, uint32_t *alternative,
                               struct br_diag *diag);
/* What the mode demands of R<number>, or consumes of N<number>; an amount of 0 is none. */
enum br_status br_project_use(struct br_project *project, uint32_t stage, uint32_t alternative,
                              bool consumed, uint32_t number, uint64_t amount,
                              struct br_diag *diag);
/* A demand for R<number>; an amount of 0 is none. */
enum br_status br_project_demand(struct br_project *project, uint32_t stage, uint32_t number,
                                 uint64_t amount, struct br_diag *diag);
/* The child waits for the parent; both may come later. */
enum br_status br_project_successor(struct br_project *project, uint32_t parent, uint32_t child,
                                    struct br_pos pos, struct br_diag *diag);
/* Adds the edges, once all jobs are there. */
enum br_status br_project_link(struct br_project *project, struct br_diag *diag);

#endif
