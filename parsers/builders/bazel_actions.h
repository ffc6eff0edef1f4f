/* The actions of Bazel's log of executed actions, whichever form it has: an action waits for those
 * that wrote what it reads, so the log has the whole DAG of what was built. */
#ifndef BR_PARSERS_BUILDERS_BAZEL_ACTIONS_H
#define BR_PARSERS_BUILDERS_BAZEL_ACTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "base/collections/index.h"
#include "parsers/reader/input.h"
#include "planner/model/dag.h"

#define BAZEL_NONE UINT32_MAX

struct bazel_file {
    const char *path;
    uint32_t writer; /* the stage that wrote it last, or BAZEL_NONE */
    uint32_t target; /* the file that it is a symbolic link to, or BAZEL_NONE */
};

struct bazel {
    struct br_diag *diag;
    const struct br_parse_options *options;
    struct br_dag *dag;
    struct br_arena arena; /* of the paths */
    struct br_index index; /* of files, by path */
    uint32_t files, file_room;
    struct bazel_file *file;
    char first[256]; /* output of the action whose stage comes next */
    uint32_t failed, cached;
};

struct bazel_action {
    char label[204], mnemonic[84], memory[24]; /* memory: in bytes; "" if nothing is known */
    int64_t ns;
    struct br_pos pos;
};

/* The file of that path, new or old; the path is copied. */
enum br_status bazel_file(struct bazel *bazel, const char *path, uint32_t *file);
/* The action whose stage comes next writes the file. */
void bazel_writes(struct bazel *bazel, uint32_t file);
/* Makes a stage of the action, and begins the next action. */
enum br_status bazel_add(struct bazel *bazel, const struct bazel_action *action);

/* When all actions are known: the stage has read the file. Calls for one stage follow each other,
 * so that each pair of stages gets one edge. */
enum br_status bazel_wait(struct bazel *bazel, uint32_t stage, uint32_t file);

#endif
