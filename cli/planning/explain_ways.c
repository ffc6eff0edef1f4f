#include "cli/planning/explain_ways.h"

#include <inttypes.h>

#include "base/text/diag.h"
#include "cli/terminal/say.h"
#include "planner/modes/reasons.h"

/* Groups that are printed, and the largest job of which machines are searched for room. */
enum { GROUPS_MOST = 30, TASKS_MOST = 2000 };

/* Tasks of a stage by one alternative. */
struct ways_group {
    uint32_t stage, alternative;
    uint32_t tasks, first;
};

static void print_reason(FILE *out, const struct br_reason *reason)
{
    char lasts[CLI_SECONDS_TEXT], ends[CLI_SECONDS_TEXT];
    if (reason->why == BR_WHY_NOWHERE) {
        fputs("no machine has room for it\n", out);
        return;
    }
    fprintf(out, "it takes %s s", cli_seconds(reason->lasts_ns, lasts));
    if (reason->ends_ns == INT64_MAX)
        fputs(", and its machines are busy", out);
    else
        fprintf(out, " and would end at %s s", cli_seconds(reason->ends_ns, ends));
    static const char *const words[] = {
        [BR_WHY_LONGER] = "",
        [BR_WHY_BUSY] = ", since its machines are busy until then",
        [BR_WHY_BUDGET] = ", but what it consumes is needed by other tasks",
        [BR_WHY_IDLE] = ", and nothing waits for that",
        [BR_WHY_SEARCH] = ", but no shorter plan was found with it",
    };
    fputs(reason->ends_ns == INT64_MAX ? "" : words[reason->why], out);
    fputc('\n', out);
}

static bool print_group(FILE *out, const struct br_modes *modes, const struct br_plan *plan,
                        const struct ways_group *group)
{
    const struct br_dag *dag = modes->dag;
    const uint32_t alternatives = br_dag_alternative_count(dag, group->stage), t = group->first;
    char text[CLI_SECONDS_TEXT], name[300];
    fputs("  ", out);
    cli_print_text(out, dag->stage[group->stage].id);
    fputs(": ", out);
    cli_print_count(out, group->tasks, "task", "tasks");
    fputs(" by ", out);
    cli_print_text(out, br_dag_alternative_id(dag, group->stage, group->alternative));
    if (dag->stage[group->stage].tasks > 1) {
        br_dag_task_id(dag, t, name, sizeof name);
        fputs(", ", out);
        cli_print_text(out, name);
    }
    fprintf(out, " in %s s", cli_seconds(plan->end_ns[t] - plan->start_ns[t], text));
    fprintf(out, " until %s s\n", cli_seconds(plan->end_ns[t], text));
    for (uint32_t a = 0; a < alternatives && dag->tasks <= TASKS_MOST; a++) {
        struct br_reason reason;
        if (a == group->alternative)
            continue;
        if (!br_why_not(modes, plan, t, a, &reason))
            return false;
        fputs("    not by ", out);
        cli_print_text(out, br_dag_alternative_id(dag, group->stage, a));
        fputs(": ", out);
        print_reason(out, &reason);
    }
    return true;
}

/* The stage's tasks by the alternative; the first of them by rank. */
static struct ways_group find_group(const struct br_dag *dag, const struct br_plan *plan,
                                    uint32_t stage, uint32_t alternative)
{
    struct ways_group group = {stage, alternative, 0, 0};
    const struct br_stage *of = &dag->stage[stage];
    for (uint32_t t = of->first_task; t < of->first_task + of->tasks; t++)
        if (plan->alternative[t] == alternative &&
            (!group.tasks++ || plan->rank[t] < plan->rank[group.first]))
            group.first = t;
    return group;
}

enum br_status cli_explain_ways(FILE *out, const struct br_plan *plan, const struct br_dag *dag,
                                const struct br_cluster *cluster, struct br_diag *diag)
{
    struct br_modes *modes;
    uint32_t printed = 0, more = 0;
    bool ok = true;
    if (!plan->alternative)
        return BR_OK;
    const enum br_status status = br_modes_create(dag, cluster, &modes, diag);
    if (status)
        return status;
    fputs("\nalternatives, if all other tasks stayed as they are planned\n", out);
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t a = 0; a < br_dag_alternative_count(dag, s) && ok; a++) {
            const struct ways_group group = find_group(dag, plan, s, a);
            if (!group.tasks)
                continue;
            if (printed < GROUPS_MOST)
                ok = print_group(out, modes, plan, &group);
            more += printed++ >= GROUPS_MOST;
        }
    if (more)
        fprintf(out, "  and %" PRIu32 " more\n", more);
    br_modes_destroy(modes);
    return ok ? BR_OK : br_fail_memory(diag);
}
