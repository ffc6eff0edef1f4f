/* The commands of a job. One meaning for all that runs them: a command is words, split here
 * and run without a shell, or a script for /bin/sh where the job says shell="true". */
#ifndef BR_PLANNER_MODEL_COMMANDS_H
#define BR_PLANNER_MODEL_COMMANDS_H

#include "base/text/command.h"
#include "planner/model/dag.h"

/* By stage, whether its command is a script; [stage], from the arena, NULL when memory is out. */
bool *br_dag_scripts(struct br_arena *arena, const struct br_dag *dag, bool shell);
/* The commands of all stages; [stage], from the arena, without words where a stage has none. With
 * `shell` all of them are scripts. Names the stage that has a bad one. */
enum br_status br_dag_commands(struct br_arena *arena, const struct br_dag *dag, bool shell,
                               struct br_command **command, struct br_diag *diag);

#endif
