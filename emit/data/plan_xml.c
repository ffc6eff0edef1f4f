/* The plan as XML, urn:bigrocks:plan:1: the figures as attributes of <plan>, then the job with its
 * cluster in their native forms, the methods tried, and one <task> per task by rank. Only the JSON
 * form has the course of the search in each part. */
#include "emit/data/job_xml.h"
#include "emit/write/outputs.h"
#include "planner/instance/completions.h"

#include <inttypes.h>

static void plan_xml_seconds(FILE *out, const char *name, int64_t ns)
{
    fprintf(out, " %s=\"", name);
    br_write_seconds(out, ns);
    putc('"', out);
}

static void ratio(FILE *out, const char *name, int64_t numerator, int64_t denominator)
{
    fprintf(out, " %s=\"", name);
    br_write_ratio(out, numerator, denominator);
    putc('"', out);
}

static void plan_xml_write_head(FILE *out, const struct br_plan *plan)
{
    fputs(BR_XML_DECLARATION "<plan xmlns=\"urn:bigrocks:plan:1\"", out);
    br_write_attribute(out, "method", plan->method);
    fprintf(out, " seed=\"%" PRIu64 "\"", plan->seed);
    plan_xml_seconds(out, "makespan", plan->makespan_ns);
    plan_xml_seconds(out, "lower-bound", plan->lower_bound_ns);
    if (plan->network_bound_ns)
        plan_xml_seconds(out, "network-bound", plan->network_bound_ns);
    if (plan->objective != BR_OBJECTIVE_MAKESPAN) {
        br_write_attribute(out, "objective",
                           br_named_name(&br_objectives, (uint32_t)plan->objective));
        plan_xml_seconds(out, "mean-completion", plan->mean_ns);
        plan_xml_seconds(out, "mean-bound", plan->mean_bound_ns);
    }
    if (plan->lower_bound_ns > 0)
        ratio(out, "gap", plan->makespan_ns - plan->lower_bound_ns, plan->lower_bound_ns);
    else if (plan->makespan_ns == 0)
        ratio(out, "gap", 0, 1);
    br_write_attribute(out, "bound-method", plan->bound_method);
    if (plan->note)
        br_write_attribute(out, "note", plan->note);
    fputs(">\n", out);
}

enum br_status br_emit_plan_xml(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    const struct br_plan *plan = input->plan;
    plan_xml_write_head(out, plan);
    enum br_status status = br_write_job_xml(out, 1, input->dag, input->cluster, diag);
    if (status)
        return status;
    for (uint32_t k = 0; k < plan->trials; k++) {
        fputs("  <trial", out);
        br_write_attribute(out, "method", plan->trial[k].method);
        plan_xml_seconds(out, "makespan", plan->trial[k].makespan_ns);
        fputs("/>\n", out);
    }
    for (uint32_t k = 0; plan->network && k < plan->carried.transfers && !ferror(out); k++) {
        const struct br_transfer *t = &plan->carried.transfer[k];
        fputs("  <transfer", out);
        br_write_attribute(out, "from", input->dag->stage[t->parent].id);
        br_write_attribute(out, "to", input->dag->stage[t->child].id);
        if (t->index != BR_TRANSFER_ALL)
            fprintf(out, " index=\"%" PRIu32 "\"", t->index);
        fputs(" source=\"", out);
        br_write_machine(out, BR_QUOTE_ATTRIBUTE, input->cluster, t->from);
        fputs("\" target=\"", out);
        br_write_machine(out, BR_QUOTE_ATTRIBUTE, input->cluster, t->to);
        fprintf(out, "\" bytes=\"%" PRId64 "\"", t->bytes);
        plan_xml_seconds(out, "start", br_transfer_start(&plan->carried, k));
        plan_xml_seconds(out, "end", br_transfer_end(&plan->carried, k));
        fputs("/>\n", out);
    }
    for (uint32_t k = 0; k < plan->tasks && !ferror(out); k++) {
        uint32_t task = plan->order[k];
        fputs("  <task id=\"", out);
        br_write_task(out, BR_QUOTE_ATTRIBUTE, input->dag, task);
        putc('"', out);
        plan_xml_seconds(out, "start", plan->start_ns[task]);
        plan_xml_seconds(out, "end", plan->end_ns[task]);
        fputs(" machine=\"", out);
        br_write_machine(out, BR_QUOTE_ATTRIBUTE, input->cluster, plan->machine[task]);
        fprintf(out, "\" rank=\"%" PRIu32 "\"", k + 1);
        ratio(out, "priority", (int64_t)plan->tasks - k, plan->tasks);
        fprintf(out, " subset=\"%c\"", plan->subset[task]);
        const char *way =
            plan->alternative
                ? br_dag_alternative_id(input->dag, br_dag_task_stage(input->dag, task),
                                        plan->alternative[task])
                : NULL;
        if (way)
            br_write_attribute(out, "alternative", way);
        fputs("/>\n", out);
    }
    fputs("</plan>\n", out);
    return BR_OK;
}
