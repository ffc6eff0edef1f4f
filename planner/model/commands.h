/* The commands of a job. Everything that runs them reads them alike: a command is words, split here
 * and run without a shell, or a script for /bin/sh if the job says shell="true". */
#ifndef BR_PLANNER_MODEL_COMMANDS_H
#define BR_PLANNER_MODEL_COMMANDS_H

#include "base/text/command.h"
#include "planner/model/dag.h"

/* By stage, whether its command is a script; [stage], from the arena, NULL if memory is out. */
bool *br_dag_scripts(struct br_arena *arena, const struct br_dag *dag, bool shell);
/* The commands of all stages; [stage], from the arena; a stage without a command has no words. With
 * `shell` all of them are scripts. The error names the stage with a bad command. */
enum br_status br_dag_commands(struct br_arena *arena, const struct br_dag *dag, bool shell,
                               struct br_command **command, struct br_diag *diag);

#endif
