/* The plan, or a run of it, as a trace of OpenTelemetry in the JSON of OTLP: a span for the job,
 * one in it for each task or attempt at one, and links from a task to those that it waits for. Of a
 * parent stage behind a barrier the link leads to the task that ends last. In a run the spans have
 * the times of the run, and what was planned stands beside them as attributes.
 *
 * Plans begin at 0, and traces at a time of day: here with the year 2000, so that equal plans give
 * equal bytes. Ids of spans are numbers, the id of the trace is a hash of the plan. */
#include "emit/analysis/analysis.h"
#include "emit/analysis/parents.h"
#include "emit/write/outputs.h"
#include "emit/write/write.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"

#define EPOCH_NS (UINT64_C(946684800) * 1000000000)

struct otlp {
    FILE *out;
    const struct br_emit_input *input;
    struct br_analysis analysis;
    struct br_parents parents;
    uint64_t trace[2];
    struct br_run_attempt *attempt; /* of the run, by start; NULL: the plan is written */
    uint32_t attempts;
    uint32_t *span;  /* by task: its span, of its last attempt; 0: it has none */
    int64_t *end_ns; /* by task: the end of that span */
    uint32_t *last;  /* by stage: the task that ends last, if any of them has a span */
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
    for (uint32_t k = 0; k < otlp->attempts; k++) {
        otlp_mix(&otlp->trace[1], (uint64_t)otlp->attempt[k].start_ns);
        otlp_mix(&otlp->trace[1], (uint64_t)otlp->attempt[k].end_ns);
    }
}

static int compare_attempts(const void *a, const void *b)
{
    const struct br_run_attempt *one = a, *other = b;
    if (one->start_ns != other->start_ns)
        return one->start_ns < other->start_ns ? -1 : 1;
    if (one->task != other->task)
        return one->task < other->task ? -1 : 1;
    return (one->number > other->number) - (one->number < other->number);
}

/* Numbers the spans: 1 is the job's. */
static void otlp_number(struct otlp *otlp)
{
    const struct br_plan *plan = otlp->input->plan;
    for (uint32_t t = 0; t < plan->tasks && !otlp->attempt; t++) {
        otlp->span[t] = t + 2;
        otlp->end_ns[t] = plan->end_ns[t];
    }
    for (uint32_t k = 0; k < otlp->attempts; k++) {
        const struct br_run_attempt *attempt = &otlp->attempt[k];
        assert(attempt->task < plan->tasks);
        otlp->span[attempt->task] = k + 2;
        otlp->end_ns[attempt->task] = attempt->end_ns;
    }
}

static enum br_status otlp_take_run(struct otlp *otlp, const struct br_run_attempts *run,
                                    struct br_diag *diag)
{
    otlp->attempt = br_malloc(((size_t)run->attempts + 1) * sizeof *otlp->attempt);
    if (!otlp->attempt)
        return br_fail_memory(diag);
    otlp->attempts = run->attempts;
    for (uint32_t k = 0; k < run->attempts; k++)
        otlp->attempt[k] = run->attempt[k];
    br_sort_by(otlp->attempt, otlp->attempts, sizeof *otlp->attempt, compare_attempts);
    return BR_OK;
}

static void find_last(struct otlp *otlp)
{
    for (uint32_t s = 0; s < otlp->input->dag->stages; s++) {
        const struct br_stage *stage = &otlp->input->dag->stage[s];
        uint32_t last = stage->first_task;
        for (uint32_t t = last + 1; t < stage->first_task + stage->tasks; t++)
            if (otlp->span[t] && (!otlp->span[last] || otlp->end_ns[t] > otlp->end_ns[last]))
                last = t;
        otlp->last[s] = last;
    }
}

/* "traceId": ..., "spanId": ... */
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

static void otlp_write_text(FILE *out, const char *before, const char *key, const char *text)
{
    otlp_begin_value(out, before, key, "string");
    putc('"', out);
    br_write_text(out, BR_QUOTE_JSON, text);
    fputs("\"}}", out);
}

static void otlp_write_count(FILE *out, const char *before, const char *key, int64_t count)
{
    otlp_begin_value(out, before, key, "int");
    fprintf(out, "\"%" PRId64 "\"}}", count);
}

/* The end of the run; of a plan its makespan. */
static int64_t otlp_end(const struct otlp *otlp)
{
    int64_t end_ns = otlp->attempt ? 0 : otlp->input->plan->makespan_ns;
    for (uint32_t k = 0; k < otlp->attempts; k++)
        if (otlp->attempt[k].end_ns > end_ns)
            end_ns = otlp->attempt[k].end_ns;
    return end_ns;
}

static void write_job_span(const struct otlp *otlp)
{
    FILE *out = otlp->out;
    const struct br_plan *plan = otlp->input->plan;
    uint32_t not_run = 0;
    fputs("{", out);
    write_ids(otlp, 1);
    fputs(", \"name\": \"", out);
    br_write_text(out, BR_QUOTE_JSON, otlp->input->dag->name);
    fputs("\"", out);
    write_span_times(otlp, 0, otlp_end(otlp));
    otlp_write_count(out, "", "tasks", plan->tasks);
    write_seconds_value(out, "makespan", plan->makespan_ns);
    if (plan->lower_bound_ns > 0)
        write_seconds_value(out, "lower_bound", plan->lower_bound_ns);
    for (uint32_t t = 0; t < plan->tasks; t++)
        not_run += otlp->span[t] == 0;
    if (otlp->attempt) {
        write_seconds_value(out, "ran", otlp_end(otlp));
        otlp_write_count(out, ", ", "attempts", otlp->attempts);
        otlp_write_count(out, ", ", "not_run", not_run);
    }
    fputs("]}", out);
}

static void otlp_write_links(const struct otlp *otlp, uint32_t task)
{
    FILE *out = otlp->out;
    const struct br_dag *dag = otlp->input->dag;
    const struct br_parents *parents = &otlp->parents;
    const uint32_t s = br_dag_task_stage(dag, task);
    const char *before = ", \"links\": [{";
    for (uint32_t k = parents->first[s]; k < parents->first[s + 1]; k++) {
        const struct br_edge *edge = &dag->edge[parents->edge[k]];
        const uint32_t parent = edge->type == BR_ONE_TO_ONE ? dag->stage[edge->parent].first_task +
                                                                  task - dag->stage[s].first_task
                                                            : otlp->last[edge->parent];
        if (otlp->span[parent] == 0)
            continue;
        fputs(before, out);
        write_ids(otlp, otlp->span[parent]);
        putc('}', out);
        before = ", {";
    }
    fputs(strcmp(before, ", {") == 0 ? "]" : "", out);
}

/* What the plan says of the task. */
static void otlp_write_planned(const struct otlp *otlp, uint32_t task)
{
    FILE *out = otlp->out;
    const struct br_dag *dag = otlp->input->dag;
    const struct br_plan *plan = otlp->input->plan;
    const struct br_analysis *analysis = &otlp->analysis;
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, task)];
    otlp_write_text(out, "", "stage", stage->id);
    if (stage->chosen)
        otlp_write_text(out, ", ", "alternative", stage->chosen);
    otlp_begin_value(out, ", ", "machine", "string");
    putc('"', out);
    br_write_machine(out, BR_QUOTE_JSON, otlp->input->cluster, plan->machine[task]);
    fputs("\"}}", out);
    otlp_write_count(out, ", ", "rank", plan->rank[task]);
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
}

/* What the run says of the attempt beyond its times. */
static void otlp_write_ran(const struct otlp *otlp, const struct br_run_attempt *attempt)
{
    FILE *out = otlp->out;
    const struct br_plan *plan = otlp->input->plan;
    write_seconds_value(out, "planned_end", plan->end_ns[attempt->task]);
    write_seconds_value(out, "late", attempt->start_ns - plan->start_ns[attempt->task]);
    otlp_write_count(out, ", ", "attempt", attempt->number);
    otlp_write_text(out, ", ", "outcome", attempt->outcome);
    otlp_write_count(out, ", ", "code", attempt->code);
    if (attempt->machine)
        otlp_write_text(out, ", ", "ran_on", attempt->machine);
    if (attempt->user_ns >= 0)
        write_seconds_value(out, "user", attempt->user_ns);
    if (attempt->system_ns >= 0)
        write_seconds_value(out, "system", attempt->system_ns);
    if (attempt->peak_bytes >= 0)
        otlp_write_count(out, ", ", "peak", attempt->peak_bytes);
}

/* 1: it ended well; 2: it failed, for which viewers have a mark. */
static void otlp_write_status(FILE *out, const struct br_run_attempt *attempt)
{
    if (br_run_attempt_is_done(attempt)) {
        fputs(", \"status\": {\"code\": 1}", out);
        return;
    }
    fputs(", \"status\": {\"code\": 2, \"message\": \"", out);
    br_write_text(out, BR_QUOTE_JSON, attempt->outcome);
    fprintf(out, " %" PRId64 "\"}", attempt->code);
}

/* A task of the plan, or an attempt of the run. */
static void write_task_span(const struct otlp *otlp, uint32_t task,
                            const struct br_run_attempt *attempt)
{
    FILE *out = otlp->out;
    const struct br_plan *plan = otlp->input->plan;
    fputs(",\n{", out);
    write_ids(otlp, attempt ? (uint32_t)(attempt - otlp->attempt) + 2 : otlp->span[task]);
    fputs(", \"parentSpanId\": \"0000000000000001\", \"name\": \"", out);
    br_write_task(out, BR_QUOTE_JSON, otlp->input->dag, task);
    fputs("\"", out);
    write_span_times(otlp, attempt ? attempt->start_ns : plan->start_ns[task],
                     attempt ? attempt->end_ns : plan->end_ns[task]);
    otlp_write_planned(otlp, task);
    if (attempt)
        otlp_write_ran(otlp, attempt);
    putc(']', out);
    otlp_write_links(otlp, task);
    if (attempt)
        otlp_write_status(out, attempt);
    putc('}', out);
}

static enum br_status otlp_init(struct otlp *otlp, struct br_diag *diag)
{
    const struct br_emit_input *input = otlp->input;
    enum br_status status = br_analysis_init(&otlp->analysis, input, diag);
    otlp->last = br_malloc(((size_t)input->dag->stages + 1) * sizeof *otlp->last);
    otlp->span = br_calloc((size_t)input->plan->tasks + 1, sizeof *otlp->span);
    otlp->end_ns = br_calloc((size_t)input->plan->tasks + 1, sizeof *otlp->end_ns);
    if (!status && (!otlp->last || !otlp->span || !otlp->end_ns))
        status = br_fail_memory(diag);
    if (!status)
        status = br_parents_init(&otlp->parents, input->dag, diag);
    if (!status && input->run)
        status = otlp_take_run(otlp, input->run, diag);
    if (status)
        return status;
    otlp_number(otlp);
    find_last(otlp);
    otlp_hash(otlp);
    return BR_OK;
}

static void otlp_finish(struct otlp *otlp)
{
    br_parents_finish(&otlp->parents);
    br_free(otlp->last);
    br_free(otlp->span);
    br_free(otlp->end_ns);
    br_free(otlp->attempt);
    br_analysis_finish(&otlp->analysis);
}

enum br_status br_emit_otlp(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    struct otlp otlp = {.out = out, .input = input};
    enum br_status status = otlp_init(&otlp, diag);
    if (!status) {
        fputs("{\"resourceSpans\": [{\"resource\": {\"attributes\": [{\"key\": \"service.name\", "
              "\"value\": {\"stringValue\": \"bigrocks\"}}]}, \"scopeSpans\": [{\"scope\": "
              "{\"name\": \"bigrocks\"}, \"spans\": [\n",
              out);
        write_job_span(&otlp);
        for (uint32_t k = 0; k < input->plan->tasks && !otlp.attempt && !ferror(out); k++)
            write_task_span(&otlp, input->plan->order[k], NULL);
        for (uint32_t k = 0; k < otlp.attempts && !ferror(out); k++)
            write_task_span(&otlp, otlp.attempt[k].task, &otlp.attempt[k]);
        fputs("\n]}]}]}\n", out);
    }
    otlp_finish(&otlp);
    return status;
}
