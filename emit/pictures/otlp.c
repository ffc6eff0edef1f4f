/* The plan as a trace of OpenTelemetry, in the JSON of OTLP: a span for the job, one in it for each
 * task, and links from a task to those that it waits for. Of a parent stage behind a barrier the
 * link leads to the task that ends last.
 *
 * Plans begin at 0, and traces at a time of day: here with the year 2000, so that equal plans give
 * equal bytes. Ids of spans are numbers, the id of the trace is a hash of the plan. */
#include "emit/analysis/analysis.h"
#include "emit/analysis/parents.h"
#include "emit/write/outputs.h"
#include "emit/write/write.h"

#include <inttypes.h>

#include "base/collections/memory.h"

#define EPOCH_NS (UINT64_C(946684800) * 1000000000)

struct otlp {
    FILE *out;
    const struct br_emit_input *input;
    uint64_t trace[2];
    uint32_t *last; /* by stage: the task that ends last */
};

/* FNV-1a, over numbers. */
static void otlp_mix(uint64_t *hash, uint64_t value)
{
    for (int k = 0; k < 8; k++, value >>= 8)
        *hash = (*hash ^ (value & 0xff)) * UINT64_C(1099511628211);
}

static void otlp_hash(struct otlp *otlp)
{
    const struct br_plan *plan = otlp->input->plan;
    otlp->trace[0] = UINT64_C(14695981039346656037);
    for (const char *p = otlp->input->dag->name; *p; p++)
        otlp_mix(&otlp->trace[0], (unsigned char)*p);
    otlp->trace[1] = otlp->trace[0];
    for (uint32_t t = 0; t < plan->tasks; t++) {
        otlp_mix(&otlp->trace[1], (uint64_t)plan->start_ns[t]);
        otlp_mix(&otlp->trace[1], plan->machine[t]);
    }
}

static void find_last(struct otlp *otlp)
{
    const struct br_plan *plan = otlp->input->plan;
    for (uint32_t s = 0; s < otlp->input->dag->stages; s++) {
        const struct br_stage *stage = &otlp->input->dag->stage[s];
        otlp->last[s] = stage->first_task;
        for (uint32_t i = 1; i < stage->tasks; i++)
            if (plan->end_ns[stage->first_task + i] > plan->end_ns[otlp->last[s]])
                otlp->last[s] = stage->first_task + i;
    }
}

/* "traceId": ..., "spanId": ... Number 1 is the job's, the others are tasks'. */
static void write_ids(const struct otlp *otlp, uint32_t span)
{
    fprintf(otlp->out,
            "\"traceId\": \"%016" PRIx64 "%016" PRIx64 "\", \"spanId\": \"%016" PRIx32 "\"",
            otlp->trace[0], otlp->trace[1], span);
}

static void write_span_times(const struct otlp *otlp, int64_t start_ns, int64_t end_ns)
{
    fprintf(otlp->out,
            ", \"kind\": 1, \"startTimeUnixNano\": \"%" PRIu64 "\", \"endTimeUnixNano\": \"%" PRIu64
            "\", \"attributes\": [",
            EPOCH_NS + (uint64_t)(start_ns > 0 ? start_ns : 0),
            EPOCH_NS + (uint64_t)(end_ns > 0 ? end_ns : 0));
}

/* "{"key": "bigrocks.KEY", "value": {"KIND": ", after `before`. */
static void otlp_begin_value(FILE *out, const char *before, const char *key, const char *kind)
{
    fprintf(out, "%s{\"key\": \"bigrocks.%s\", \"value\": {\"%sValue\": ", before, key, kind);
}

static void write_seconds_value(FILE *out, const char *key, int64_t ns)
{
    otlp_begin_value(out, ", ", key, "double");
    br_write_seconds(out, ns);
    fputs("}}", out);
}

static void write_job_span(const struct otlp *otlp)
{
    FILE *out = otlp->out;
    const struct br_plan *plan = otlp->input->plan;
    fputs("{", out);
    write_ids(otlp, 1);
    fputs(", \"name\": \"", out);
    br_write_text(out, BR_QUOTE_JSON, otlp->input->dag->name);
    fputs("\"", out);
    write_span_times(otlp, 0, plan->makespan_ns);
    otlp_begin_value(out, "", "tasks", "int");
    fprintf(out, "\"%" PRIu32 "\"}}", plan->tasks);
    write_seconds_value(out, "makespan", plan->makespan_ns);
    if (plan->lower_bound_ns > 0)
        write_seconds_value(out, "lower_bound", plan->lower_bound_ns);
    fputs("]}", out);
}

static void otlp_write_links(const struct otlp *otlp, const struct br_parents *parents,
                             uint32_t task)
{
    FILE *out = otlp->out;
    const struct br_dag *dag = otlp->input->dag;
    const uint32_t s = br_dag_task_stage(dag, task);
    const uint32_t edges = parents->first[s + 1] - parents->first[s];
    fputs(edges ? ", \"links\": [" : "", out);
    for (uint32_t k = parents->first[s]; k < parents->first[s + 1]; k++) {
        const struct br_edge *edge = &dag->edge[parents->edge[k]];
        const uint32_t parent = edge->type == BR_ONE_TO_ONE ? dag->stage[edge->parent].first_task +
                                                                  task - dag->stage[s].first_task
                                                            : otlp->last[edge->parent];
        fputs(k == parents->first[s] ? "{" : ", {", out);
        write_ids(otlp, parent + 2);
        putc('}', out);
    }
    fputs(edges ? "]" : "", out);
}

static void write_task_span(const struct otlp *otlp, const struct br_analysis *analysis,
                            const struct br_parents *parents, uint32_t task)
{
    FILE *out = otlp->out;
    const struct br_dag *dag = otlp->input->dag;
    const struct br_plan *plan = otlp->input->plan;
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, task)];
    fputs(",\n{", out);
    write_ids(otlp, task + 2);
    fputs(", \"parentSpanId\": \"0000000000000001\", \"name\": \"", out);
    br_write_task(out, BR_QUOTE_JSON, dag, task);
    fputs("\"", out);
    write_span_times(otlp, plan->start_ns[task], plan->end_ns[task]);
    otlp_begin_value(out, "", "stage", "string");
    putc('"', out);
    br_write_text(out, BR_QUOTE_JSON, stage->id);
    fputs("\"}}", out);
    if (stage->chosen) {
        otlp_begin_value(out, ", ", "alternative", "string");
        putc('"', out);
        br_write_text(out, BR_QUOTE_JSON, stage->chosen);
        fputs("\"}}", out);
    }
    otlp_begin_value(out, ", ", "machine", "string");
    putc('"', out);
    br_write_machine(out, BR_QUOTE_JSON, otlp->input->cluster, plan->machine[task]);
    fputs("\"}}", out);
    otlp_begin_value(out, ", ", "rank", "int");
    fprintf(out, "\"%" PRIu32 "\"}}", plan->rank[task]);
    otlp_begin_value(out, ", ", "critical", "bool");
    fprintf(out, "%s}}", analysis->on_chain[task] ? "true" : "false");
    write_seconds_value(out, "planned_start", plan->start_ns[task]);
    if (analysis->slack)
        write_seconds_value(out, "slack", analysis->slack[task].total_ns);
    for (uint32_t d = 0; d < stage->demands; d++) {
        const struct br_demand *demand = &dag->demand[stage->first_demand + d];
        fputs(", {\"key\": \"bigrocks.demand.", out);
        br_write_text(out, BR_QUOTE_JSON, dag->resource[demand->resource].name);
        fputs("\", \"value\": {\"doubleValue\": ", out);
        br_write_decimal(out, demand->amount);
        fputs("}}", out);
    }
    putc(']', out);
    otlp_write_links(otlp, parents, task);
    putc('}', out);
}

enum br_status br_emit_otlp(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    struct otlp otlp = {.out = out, .input = input};
    struct br_analysis analysis;
    struct br_parents parents = {0};
    enum br_status status = br_analysis_init(&analysis, input, diag);
    otlp.last = br_malloc(((size_t)input->dag->stages + 1) * sizeof *otlp.last);
    if (!status && !otlp.last)
        status = br_fail_memory(diag);
    if (!status)
        status = br_parents_init(&parents, input->dag, diag);
    if (!status) {
        find_last(&otlp);
        otlp_hash(&otlp);
        fputs("{\"resourceSpans\": [{\"resource\": {\"attributes\": [{\"key\": \"service.name\", "
              "\"value\": {\"stringValue\": \"bigrocks\"}}]}, \"scopeSpans\": [{\"scope\": "
              "{\"name\": \"bigrocks\"}, \"spans\": [\n",
              out);
        write_job_span(&otlp);
        for (uint32_t k = 0; k < input->plan->tasks && !ferror(out); k++)
            write_task_span(&otlp, &analysis, &parents, input->plan->order[k]);
        fputs("\n]}]}]}\n", out);
    }
    br_parents_finish(&parents);
    br_free(otlp.last);
    br_analysis_finish(&analysis);
    return status;
}
