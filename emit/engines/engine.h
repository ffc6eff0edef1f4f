/* Shared by the files for workflow engines: names that every engine takes, commands, demands as
 * engines know them, and the header that says what the engine leaves out of the plan.
 *
 * A barrier between two stages of many tasks would be very many edges. For most engines a joint
 * stands for it: a task without work after all tasks of the parent. */
#ifndef BR_EMIT_ENGINES_ENGINE_H
#define BR_EMIT_ENGINES_ENGINE_H

#include "base/text/command.h"
#include "emit/engines/limits.h"
#include "emit/analysis/parents.h"
#include "emit/write/input.h"
#include "emit/write/write.h"
#include "planner/instance/handover.h"

/* Demands of one task of a stage. */
struct br_engine_need {
    uint32_t cpus;     /* whole ones, rounded up; at least 1 */
    int64_t mem_bytes; /* rounded up; 0: none known */
};

struct br_engine {
    const struct br_emit_input *input;
    const struct br_dag *dag;
    struct br_engine_need *need; /* by stage */
    struct br_parents parents;
    struct br_command *command; /* by stage; "true" if it has none */
    struct br_arena arena;      /* of the commands */
    bool *has_joint; /* by stage: it has several tasks, and so has a stage that waits for all of
                        them */
    uint32_t idle;   /* tasks without a command */
    uint32_t most_at_once; /* tasks, as planned */
    uint32_t cpus;         /* of the largest machine, whole ones; 0: unknown */
    int64_t mem_bytes;     /* of the largest machine; 0: unknown */
    struct br_limits limits;
    struct br_chain chain;        /* empty until br_engine_chain */
    struct br_handovers handover; /* empty until br_engine_hand_over */
    /* Set by engines that keep further resources if the user sets these up: the place to do so.
     * Amounts are those of all machines together, but by machine for resources that the engine
     * counts on each machine as it does cores. NULL: none. */
    const char *others_where;
    bool (*is_counted)(const struct br_engine *engine, const struct br_limit *limit);
};

/* Fills the engine without the commands. */
enum br_status br_engine_init(struct br_engine *engine, const struct br_emit_input *input,
                              struct br_diag *diag);
/* With the commands; the error names a stage with a command that `run` would refuse, too. */
enum br_status br_engine_init_commands(struct br_engine *engine, const struct br_emit_input *input,
                                       struct br_diag *diag);
void br_engine_finish(struct br_engine *engine);

/* The unit of the job's memory, which is also that of the machines; NULL: bytes. */
const char *br_engine_mem_unit(const struct br_dag *dag);

/* Fills engine->chain. */
enum br_status br_engine_chain(struct br_engine *engine, enum br_chain_place place, unsigned keeps,
                               struct br_diag *diag);

/* Fills engine->handover, so that outputs are kept within their limits by what tasks wait for.
 * BR_BAD_INPUT, with `who` ("the format dask") in words, for what that does not keep: commands that
 * free outputs, cores and memory that machines share, and what br_handover_init refuses. */
enum br_status br_engine_hand_over(struct br_engine *engine, const char *who, struct br_diag *diag);
/* Do outputs take the resource? Then what tasks wait for keeps its limit. O(outputs). */
bool br_engine_is_held(const struct br_engine *engine, uint32_t resource);

/* Writes a comment: the plan, how to run the file, the limits that a run of it keeps, the limits
 * that can run short and are not kept (these also become the input's note), and what else is not
 * honoured. `usage` and `left_out` end with NULL. */
void br_engine_header(FILE *out, const char *comment, const struct br_engine *engine,
                      const char *const *usage, unsigned keeps, const char *const *left_out);
/* Writes only the note. */
void br_engine_note(const struct br_engine *engine, unsigned keeps);

/* Writes the tasks for which this one waits since it takes their room, like br_engine_parents;
 * `before` stands in front if there are any. */
void br_engine_chained(FILE *out, const struct br_engine *engine, uint32_t task, const char *before,
                       const char *separator, const char *quote);

/* Writes the tasks for which this one waits since they hold its room, in the same way. */
void br_engine_handed(FILE *out, const struct br_engine *engine, uint32_t task, const char *before,
                      const char *separator, const char *quote);

/* Is there a joint between the two? */
bool br_engine_is_joined(const struct br_dag *dag, const struct br_edge *edge);
/* "net", or "r3_net" if an engine could misread the name; unique. */
void br_engine_resource(FILE *out, const struct br_engine *engine, const struct br_limit *limit);
/* "t12_map_3" and "s2_map": letters, digits and underscores; all are unique. */
void br_engine_task(FILE *out, const struct br_engine *engine, uint32_t task);
void br_engine_stage(FILE *out, const struct br_engine *engine, uint32_t stage);
/* "s2_map_done": the joint after all tasks of the stage. */
void br_engine_joint(FILE *out, const struct br_engine *engine, uint32_t stage);
/* The tasks that a joint waits for: all of its stage, written as br_engine_parents does. */
void br_engine_joined(FILE *out, const struct br_engine *engine, uint32_t stage,
                      const char *separator, const char *quote);
/* The parents of the task, tasks and joints by the names above, with `separator` between them and
 * `quote` ("" for none) on both sides of each. */
void br_engine_parents(FILE *out, const struct br_engine *engine, uint32_t task,
                       const char *separator, const char *quote);

/* The command of a task of the stage as one line for a POSIX shell, on the heap. It has neither
 * line breaks nor carriage returns, and $$, $(, ${ and {{ only at places where the line itself
 * needs them. The shell becomes the program: names of builtins mean programs, and status and
 * signals are the program's own. `index` replaces {index} as it is. */
enum br_status br_engine_line(const struct br_engine *engine, uint32_t stage, const char *index,
                              char **line, struct br_diag *diag);
/* The command of one task. */
enum br_status br_engine_task_line(const struct br_engine *engine, uint32_t task, char **line,
                                   struct br_diag *diag);

#endif
