/* The plan as a precedence order, for shell scripts and spreadsheets: a header line, then one task
 * a line by rank, fields between tabs; with a column of alternatives if the job has some. Tabs,
 * line breaks and backslashes inside names are written as \t, \n, \r and \\, and a character that
 * would begin a formula as \u003d and the like. */
#include "emit/write/outputs.h"
#include "emit/write/write.h"

#include <inttypes.h>

/* Nothing for tasks of stages without alternatives. */
static void order_write_alternative(FILE *out, const struct br_emit_input *input, uint32_t task)
{
    const char *id = br_dag_alternative_id(input->dag, br_dag_task_stage(input->dag, task),
                                           br_plan_alternative(input->plan, task));
    putc('\t', out);
    if (id)
        br_write_text(out, BR_QUOTE_TABS, id);
}

enum br_status br_emit_order(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    const struct br_plan *plan = input->plan;
    fprintf(out, "rank\tid\tpriority\tstart\tend\tmachine\tsubset%s\n",
            plan->alternative ? "\talternative" : "");
    for (uint32_t k = 0; k < plan->tasks && !ferror(out); k++) {
        uint32_t task = plan->order[k];
        fprintf(out, "%" PRIu32 "\t", k + 1);
        br_write_task(out, BR_QUOTE_TABS, input->dag, task);
        putc('\t', out);
        br_write_ratio(out, (int64_t)plan->tasks - k, plan->tasks);
        putc('\t', out);
        br_write_seconds(out, plan->start_ns[task]);
        putc('\t', out);
        br_write_seconds(out, plan->end_ns[task]);
        putc('\t', out);
        br_write_machine(out, BR_QUOTE_TABS, input->cluster, plan->machine[task]);
        fprintf(out, "\t%c", plan->subset[task]);
        if (plan->alternative)
            order_write_alternative(out, input, task);
        putc('\n', out);
    }
    return BR_OK;
}
