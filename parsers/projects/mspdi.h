/* A project of Microsoft Project's, as its file has it: before summary tasks are dissolved. */
#ifndef BR_PARSERS_PROJECTS_MSPDI_H
#define BR_PARSERS_PROJECTS_MSPDI_H

#include "base/collections/arena.h"
#include "base/numbers/decimal.h"
#include "parsers/reader/input.h"

#define MSPDI_NO_UID INT64_MIN

/* What a link means: the ends that it ties. */
enum mspdi_link_type {
    MSPDI_FINISH_FINISH,
    MSPDI_FINISH_START,
    MSPDI_START_FINISH,
    MSPDI_START_START,
};

struct mspdi_task {
    int64_t uid;
    const char *name;
    int64_t ns;
    uint32_t level, stage; /* UINT32_MAX: none */
    bool summary, empty, inactive, constrained;
    struct br_pos pos;
};

struct mspdi_link {
    uint32_t task; /* in the file */
    int64_t before;
    int64_t type, lag, format;
    struct br_pos pos;
};

struct mspdi_resource {
    int64_t uid;
    const char *name;
    struct br_decimal units, most; /* of it, and of an assignment */
    int64_t type;
};

struct mspdi_assignment {
    int64_t task, resource;
    struct br_decimal units;
    struct br_pos pos;
};

struct mspdi {
    struct br_diag *diag;
    struct br_arena arena;
    enum { MSPDI_NOTHING, MSPDI_TASKS, MSPDI_RESOURCES, MSPDI_ASSIGNMENTS } part;
    bool in_link; /* the element that is open at the fourth depth */
    const char *name;
    uint32_t tasks, task_room, links, link_room, resources, resource_room, assignments,
        assignment_room;
    struct mspdi_task *task;
    struct mspdi_link *link;
    struct mspdi_resource *resource;
    struct mspdi_assignment *assignment;
};

/* Makes stages, edges, demands and the machine of what was read; the dag is there, and empty. */
enum br_status br_mspdi_build(struct mspdi *project, struct br_input *input);

#endif
