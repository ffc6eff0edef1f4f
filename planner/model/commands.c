/* The attribute shell="true" of a stage decides, else that of the job. */
#include "planner/model/commands.h"

#include <string.h>

#include "base/text/diag.h"
#include "planner/model/source.h"

static bool model_commands_is_true(const char *value)
{
    return strcmp(value, "true") == 0 || strcmp(value, "1") == 0 || strcmp(value, "yes") == 0;
}

bool *br_dag_scripts(struct br_arena *arena, const struct br_dag *dag, bool shell)
{
    bool *script = br_arena_array(arena, dag->stages, sizeof *script);
    for (uint32_t s = 0; script && s < dag->stages; s++)
        script[s] = shell;
    for (int stages = 0; stages < 2 && script && !shell; stages++) /* the job's first */
        for (uint32_t a = 0; a < dag->attributes; a++) {
            const struct br_attribute *it = &dag->attribute[a];
            if (strcmp(it->name, "shell") != 0)
                continue;
            if (stages && it->owner == BR_OWNER_STAGE)
                script[it->index] = model_commands_is_true(it->value);
            for (uint32_t s = 0; s < dag->stages && !stages && it->owner == BR_OWNER_JOB; s++)
                script[s] = model_commands_is_true(it->value);
        }
    return script;
}

enum br_status br_dag_commands(struct br_arena *arena, const struct br_dag *dag, bool shell,
                               struct br_command **command, struct br_diag *diag)
{
    bool *script = br_dag_scripts(arena, dag, shell);
    *command = br_arena_array(arena, dag->stages, sizeof **command);
    if (!script || !*command)
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        struct br_diag why = {0};
        enum br_status status = br_command_parse(arena, stage->command ? stage->command : "",
                                                 script[s], &(*command)[s], &why);
        if (status == BR_SYSTEM)
            return br_fail_memory(diag);
        if (status) {
            br_dag_blame(dag, diag);
            return br_fail_at(diag, stage->pos, status, why.hint, "stage '%s': %s", stage->id,
                              why.what);
        }
    }
    return BR_OK;
}
