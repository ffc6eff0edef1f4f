/* The plan as JSON, "bigrocks-plan/1": self-contained, with the job and the cluster, so that
 * rendering and running need no second file. Written piece by piece; the memory does not grow with
 * the number of tasks. Numbers are plain decimals without loss: seconds with up to nine places,
 * amounts as exact as the job had them. A reader that makes doubles of them is exact up to 15
 * significant digits. The form is described by docs/schema/plan-1.schema.json. */
#include "emit/write/attributes.h"
#include "emit/data/certificate_json.h"
#include "emit/data/plan_json.h"
#include "emit/write/outputs.h"
#include "emit/write/row.h"
#include "emit/write/slack.h"
#include "emit/write/times.h"
#include "emit/write/write.h"
#include "planner/instance/completions.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static void text(struct br_row *out, const char *value)
{
    br_row_char(out, '"');
    br_row_text(out, value);
    br_row_char(out, '"');
}

#define INLINE                                                                                     \
    __attribute__((always_inline)) static inline /* so that lengths of keys are known              \
                                                  */

INLINE void write_key(struct br_row *out, const char *before, const char *key)
{
    br_row_say(out, before);
    br_row_char(out, '"');
    br_row_say(out, key);
    br_row_say(out, "\": ");
}

INLINE void text_key(struct br_row *out, const char *before, const char *key, const char *value)
{
    write_key(out, before, key);
    text(out, value);
}

INLINE void seconds_key(struct br_row *out, const char *before, const char *key, int64_t ns)
{
    write_key(out, before, key);
    br_row_seconds(out, ns);
}

INLINE void count_key(struct br_row *out, const char *before, const char *key, uint64_t count)
{
    write_key(out, before, key);
    br_row_count(out, count);
}

/* Scores lie in 0..1; nine decimals, and null for "none". */
static void score_key(struct br_row *out, const char *before, const char *key, double score)
{
    write_key(out, before, key);
    if (isfinite(score) && fabs(score) < 1e9)
        br_row_seconds(out, llround(score * 1e9));
    else
        br_row_say(out, "null");
}

static void write_attributes(struct br_row *out, const char *before, const struct br_attributes *by,
                             enum br_owner owner, uint32_t index)
{
    uint32_t count;
    const struct br_attribute **run = br_attributes_run(by, owner, index, &count);
    if (count == 0)
        return;
    write_key(out, before, "attributes");
    br_row_char(out, '{');
    for (uint32_t a = 0; a < count; a++) {
        br_row_say(out, a ? ", " : "");
        text(out, run[a]->name);
        br_row_say(out, ": ");
        text(out, run[a]->value);
    }
    br_row_char(out, '}');
}

static void data_plan_json_write_amount(struct br_row *out, bool first, const char *resource,
                                        struct br_decimal value)
{
    br_row_say(out, first ? "" : ", ");
    text(out, resource);
    br_row_say(out, ": ");
    br_row_decimal(out, value);
}

static void data_plan_json_write_resources(struct br_row *out, const struct br_dag *dag)
{
    br_row_say(out, ",\n \"resources\": [");
    for (uint32_t r = 0; r < dag->resources; r++) {
        text_key(out, r ? ",\n  {" : "\n  {", "name", dag->resource[r].name);
        if (dag->resource[r].unit)
            text_key(out, ", ", "unit", dag->resource[r].unit);
        br_row_char(out, '}');
    }
    br_row_char(out, ']');
}

static void write_outputs(struct br_row *out, const struct br_dag *dag, uint32_t s)
{
    const struct br_storage *storage = dag->storage;
    const uint32_t first = storage->stage_first[s], end = storage->stage_first[s + 1];
    for (uint32_t o = first; o < end; o++) {
        const struct br_output *output = &storage->output[o];
        text_key(out, o > first ? ", {" : ", \"outputs\": [{", "id", output->id);
        text_key(out, ", ", "resource", dag->resource[output->resource].name);
        write_key(out, ", ", "amount");
        br_row_decimal(out, output->amount);
        if (output->flags & BR_OUTPUT_FROM_END)
            text_key(out, ", ", "from", "end");
        if (output->flags & BR_OUTPUT_UNKEPT)
            text_key(out, ", ", "keep", "no");
        if (output->release)
            text_key(out, ", ", "free", output->release);
        br_row_char(out, '}');
    }
    br_row_say(out, first < end ? "]" : "");
}

/* Releases and deadlines: those of the stage, then those of tasks that have others. */
static void write_times(struct br_row *out, const struct br_dag *dag, uint32_t s)
{
    const struct br_stage *stage = &dag->stage[s];
    const struct br_stage_times usual = br_stage_times(dag, s);
    bool first = true;
    if (usual.release_ns)
        seconds_key(out, ", ", "release", usual.release_ns);
    if (usual.deadline_ns != INT64_MAX)
        seconds_key(out, ", ", "deadline", usual.deadline_ns);
    for (uint32_t i = 0; i < stage->tasks; i++) {
        const int64_t release_ns = br_dag_release(dag, stage->first_task + i);
        const int64_t deadline_ns = br_dag_deadline(dag, stage->first_task + i);
        if (release_ns == usual.release_ns && deadline_ns == usual.deadline_ns)
            continue;
        count_key(out, first ? ", \"times\": [{" : ", {", "index", i);
        if (release_ns != usual.release_ns)
            seconds_key(out, ", ", "release", release_ns);
        if (deadline_ns != usual.deadline_ns)
            seconds_key(out, ", ", "deadline", deadline_ns);
        br_row_char(out, '}');
        first = false;
    }
    br_row_say(out, first ? "" : "]");
}

/* What an edge reads, if it does not read all, and how its child waits. */
static void write_wait(struct br_row *out, const struct br_dag *dag, uint32_t e)
{
    const struct br_storage *storage = dag->storage;
    const struct br_wait wait = br_dag_wait(dag, e);
    if (storage && !br_edge_reads_all(dag, e)) {
        write_key(out, ", ", "reads");
        br_row_char(out, '[');
        for (uint32_t k = storage->edge_first[e]; k < storage->edge_first[e + 1]; k++) {
            br_row_say(out, k > storage->edge_first[e] ? ", " : "");
            text(out, storage->output[storage->reads[k]].id);
        }
        br_row_char(out, ']');
    }
    if (wait.lag_ns)
        seconds_key(out, ", ", "lag", wait.lag_ns);
    if (wait.stream)
        text_key(out, ", ", "stream", "yes");
}

static void write_way_amounts(struct br_row *out, const struct br_dag *dag, const char *key,
                              const struct br_way_amount *run, uint32_t count)
{
    write_key(out, ", ", key);
    br_row_char(out, '{');
    for (uint32_t k = 0; k < count; k++)
        data_plan_json_write_amount(out, k == 0, dag->resource[run[k].resource].name,
                                    run[k].amount);
    br_row_char(out, '}');
}

/* What is consumed, and the classes. */
static void write_way(struct br_row *out, const struct br_dag *dag,
                      const struct br_alternative *way)
{
    const struct br_alternatives *all = dag->alternatives;
    if (way->consumed)
        write_way_amounts(out, dag, "consumed", br_way_consumes(all, way), way->consumed);
    for (uint32_t k = 0; k < way->classes; k++) {
        br_row_say(out, k ? ", " : ", \"classes\": [");
        text(out, all->class_name[way->first_class + k]);
    }
    br_row_say(out, way->classes ? "]" : "");
}

/* How the tasks of a stage run: by alternatives, or what the stage itself says. */
static void write_ways(struct br_row *out, const struct br_dag *dag, uint32_t s)
{
    const struct br_stage *stage = &dag->stage[s];
    const struct br_alternatives *all = dag->alternatives;
    const struct br_alternative *way = &all->alternative[all->stage_first[s]];
    if (!stage->alternatives)
        write_way(out, dag, way);
    for (uint32_t a = 0; a < stage->alternatives; a++) {
        bool first = true;
        text_key(out, a ? ", {" : ", \"alternatives\": [{", "id", way[a].id);
        seconds_key(out, ", ", "duration", way[a].duration_ns);
        write_way_amounts(out, dag, "demands", br_way_demands(all, &way[a]), way[a].demands);
        write_way(out, dag, &way[a]);
        for (uint32_t i = 0; i < stage->tasks; i++) {
            const int64_t duration_ns = all->duration_ns[way[a].first_duration + i];
            if (duration_ns == way[a].duration_ns)
                continue;
            count_key(out, first ? ", \"durations\": [{" : ", {", "index", i);
            seconds_key(out, ", ", "duration", duration_ns);
            br_row_char(out, '}');
            first = false;
        }
        br_row_say(out, first ? "}" : "]}");
    }
    br_row_say(out, stage->alternatives ? "]" : "");
}

static void data_plan_json_write_stage(struct br_row *out, const struct br_dag *dag, uint32_t s,
                                       const struct br_attributes *by)
{
    const struct br_stage *stage = &dag->stage[s];
    text_key(out, s ? ",\n  {" : "\n  {", "id", stage->id);
    count_key(out, ", ", "tasks", stage->tasks);
    seconds_key(out, ", ", "duration", stage->duration_ns);
    br_row_say(out, ", \"demands\": {");
    for (uint32_t d = 0; d < stage->demands; d++) {
        const struct br_demand *demand = &dag->demand[stage->first_demand + d];
        data_plan_json_write_amount(out, d == 0, dag->resource[demand->resource].name,
                                    demand->amount);
    }
    br_row_char(out, '}');
    if (dag->alternatives)
        write_ways(out, dag, s);
    bool first = true;
    for (uint32_t i = 0; i < stage->tasks && !stage->alternatives; i++) {
        int64_t duration_ns = dag->duration_ns[stage->first_task + i];
        if (duration_ns == stage->duration_ns)
            continue;
        count_key(out, first ? ", \"durations\": [{" : ", {", "index", i);
        seconds_key(out, ", ", "duration", duration_ns);
        br_row_char(out, '}');
        first = false;
    }
    br_row_say(out, first ? "" : "]");
    if (dag->storage)
        write_outputs(out, dag, s);
    if (dag->times)
        write_times(out, dag, s);
    if (stage->command)
        text_key(out, ", ", "command", stage->command);
    write_attributes(out, ", ", by, BR_OWNER_STAGE, s);
    br_row_char(out, '}');
}

static void data_plan_json_write_stages(struct br_row *out, const struct br_dag *dag,
                                        const struct br_attributes *by)
{
    br_row_say(out, ",\n \"stages\": [");
    for (uint32_t s = 0; s < dag->stages && !ferror(out->out); s++)
        data_plan_json_write_stage(out, dag, s, by);
    br_row_say(out, "],\n \"edges\": [");
    for (uint32_t e = 0; e < dag->edges && !ferror(out->out); e++) {
        const struct br_edge *edge = &dag->edge[e];
        text_key(out, e ? ",\n  {" : "\n  {", "from", dag->stage[edge->parent].id);
        text_key(out, ", ", "to", dag->stage[edge->child].id);
        text_key(out, ", ", "type", br_named_name(&br_edge_types, edge->type));
        if (edge->bytes)
            count_key(out, ", ", "bytes", (uint64_t)edge->bytes);
        if (dag->storage || dag->times)
            write_wait(out, dag, e);
        write_attributes(out, ", ", by, BR_OWNER_EDGE, e);
        br_row_char(out, '}');
    }
    br_row_char(out, ']');
}

static void write_span(struct br_row *out, const struct br_span_of_machines *span,
                       const struct br_span_words *words)
{
    seconds_key(out, "", "from", span->from_ns);
    if (span->to_ns != BR_FOREVER)
        seconds_key(out, ", ", "to", span->to_ns);
    if (words->cls)
        text_key(out, ", ", "class", words->cls->name);
    if (words->index != UINT32_MAX)
        count_key(out, ", ", "index", words->index);
}

static void write_calendar(struct br_row *out, const struct br_cluster *cluster)
{
    const struct br_calendar *calendar = cluster->calendar;
    struct br_span_words words;
    bool first = true;
    for (uint32_t k = 0; k < calendar->unavailables; k++) {
        const struct br_span_of_machines *span = &calendar->unavailable[k].span;
        for (uint32_t part = 0; br_span_part(cluster, span, true, part, &words); part++) {
            br_row_say(out, first ? ",\n \"unavailable\": [{" : ", {");
            write_span(out, span, &words);
            br_row_char(out, '}');
            first = false;
        }
    }
    br_row_say(out, first ? "" : "]");
    first = true;
    for (uint32_t k = 0; k < calendar->changes; k++) {
        const struct br_change *change = &calendar->change[k];
        for (uint32_t part = 0; br_span_part(cluster, &change->span, false, part, &words); part++) {
            br_row_say(out, first ? ",\n \"changes\": [{" : ", {");
            write_span(out, &change->span, &words);
            text_key(out, ", ", "resource", change->resource);
            write_key(out, ", ", "amount");
            br_row_decimal(out, change->amount);
            br_row_char(out, '}');
            first = false;
        }
    }
    br_row_say(out, first ? "" : "]");
}

static void write_cluster(struct br_row *out, const struct br_cluster *cluster)
{
    br_row_say(out, ",\n \"cluster\": {");
    if (cluster->name)
        text_key(out, "", "name", cluster->name);
    write_key(out, cluster->name ? ", " : "", "classes");
    br_row_char(out, '[');
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *cls = &cluster->cls[c];
        text_key(out, c ? ",\n  {" : "\n  {", "class", cls->name);
        count_key(out, ", ", "count", cls->count);
        if (cls->up) {
            count_key(out, ", ", "up", (uint64_t)cls->up);
            count_key(out, ", ", "down", (uint64_t)cls->down);
        }
        if (cluster->speeds) {
            write_key(out, ", ", "speed");
            br_row_decimal(out, cls->speed);
        }
        br_row_say(out, ", \"capacities\": {");
        for (uint32_t k = 0; k < cls->capacities; k++)
            data_plan_json_write_amount(out, k == 0, cls->capacity[k].resource,
                                        cls->capacity[k].amount);
        br_row_say(out, "}}");
    }
    br_row_char(out, ']');
    for (uint32_t k = 0; k < cluster->shareds; k++) {
        br_row_say(out, k ? "" : ", \"shared\": {");
        data_plan_json_write_amount(out, k == 0, cluster->shared[k].resource,
                                    cluster->shared[k].amount);
    }
    br_row_say(out, cluster->shareds ? "}" : "");
    if (cluster->calendar)
        write_calendar(out, cluster);
    for (uint32_t k = 0; k < cluster->fungibles; k++) {
        br_row_say(out, k ? ", " : ", \"fungible\": [");
        text(out, cluster->fungible[k]);
    }
    br_row_say(out, cluster->fungibles ? "]" : "");
    for (uint32_t k = 0; k < cluster->generics; k++) {
        br_row_say(out, k ? ", " : ", \"generic\": [");
        text(out, cluster->generic[k]);
    }
    br_row_say(out, cluster->generics ? "]" : "");
    if (cluster->partition)
        text_key(out, ", ", "partition", cluster->partition);
    if (cluster->account)
        text_key(out, ", ", "account", cluster->account);
    if (cluster->time_factor.mantissa) {
        br_row_say(out, ", \"time-factor\": \"");
        br_row_decimal(out, cluster->time_factor);
        br_row_char(out, '"');
    }
    br_row_char(out, '}');
}

static void write_search(struct br_row *out, const struct br_plan *plan)
{
    br_row_say(out, ",\n \"trials\": [");
    for (uint32_t k = 0; k < plan->trials; k++) {
        text_key(out, k ? ",\n  {" : "\n  {", "method", plan->trial[k].method);
        seconds_key(out, ", ", "makespan", plan->trial[k].makespan_ns);
        br_row_char(out, '}');
    }
    br_row_say(out, "],\n \"parts\": [");
    for (uint32_t k = 0; k < plan->parts && !ferror(out->out); k++) {
        const struct br_plan_part *part = &plan->part[k];
        count_key(out, k ? ",\n  {" : "\n  {", "stages", part->stages);
        count_key(out, ", ", "tasks", part->tasks);
        if (!plan->network) { /* else the search's bound, before its tasks waited for bytes */
            seconds_key(out, ", ", "start", part->start_ns);
            seconds_key(out, ", ", "makespan", part->makespan_ns);
        }
        seconds_key(out, ", ", "lower_bound", part->lower_bound_ns);
        if (part->method)
            text_key(out, ", ", "method", part->method);
        if (part->bypass)
            text_key(out, ", ", "bypass", part->bypass);
        if (part->order)
            text_key(out, ", ", "order", part->order);
        score_key(out, ", ", "long_score", part->long_score);
        score_key(out, ", ", "frag_score", part->frag_score);
        count_key(out, ", \"subsets\": {", "T", part->t);
        count_key(out, ", ", "S", part->s);
        count_key(out, ", ", "P", part->p);
        count_key(out, ", ", "C", part->c);
        count_key(out, "}, ", "pairs", part->pairs);
        count_key(out, ", ", "distinct", part->distinct);
        count_key(out, ", ", "duplicate", part->duplicate);
        count_key(out, ", ", "pruned", part->pruned);
        count_key(out, ", ", "variants", part->variants);
        br_row_char(out, '}');
    }
    br_row_char(out, ']');
}

static void write_noise(struct br_row *out, const struct br_plan *plan)
{
    for (uint32_t k = 0; k < plan->noises; k++) {
        count_key(out, k ? ", {" : ",\n \"noise\": [{", "percent", plan->noise[k].percent);
        count_key(out, ", ", "runs", plan->noise[k].runs);
        seconds_key(out, ", ", "makespan", plan->noise[k].mean_ns);
        br_row_char(out, '}');
    }
    br_row_say(out, plan->noises ? "]" : "");
}

/* The stage of each task, precomputed since consecutive tasks are of many stages; NULL when memory
 * is out. */
static uint32_t *stages_of(const struct br_dag *dag)
{
    uint32_t *stage = malloc(dag->tasks * sizeof *stage);
    for (uint32_t s = 0, t = 0; stage && s < dag->stages; s++)
        while (t < dag->stage[s].first_task + dag->stage[s].tasks)
            stage[t++] = s;
    return stage;
}

/* By task: its stage; its slack, or NULL if there is none. */
static void data_plan_json_write_tasks(struct br_row *out, const struct br_emit_input *input,
                                       const uint32_t *stage, const struct br_task_slack *slack)
{
    const struct br_plan *plan = input->plan;
    br_row_say(out, ",\n \"tasks\": [");
    for (uint32_t k = 0; k < plan->tasks && !ferror(out->out); k++) {
        uint32_t task = plan->order[k];
        br_row_say(out, k ? ",\n  {\"id\": \"" : "\n  {\"id\": \"");
        br_row_task(out, &input->dag->stage[stage[task]], task);
        seconds_key(out, "\", ", "start", plan->start_ns[task]);
        seconds_key(out, ", ", "end", plan->end_ns[task]);
        br_row_say(out, ", \"machine\": \"");
        br_row_machine(out, input->cluster, plan->machine[task]);
        br_row_char(out, '"');
        const char *way = plan->alternative ? br_dag_alternative_id(input->dag, stage[task],
                                                                    plan->alternative[task])
                                            : NULL;
        if (way)
            text_key(out, ", ", "alternative", way);
        count_key(out, ", ", "rank", k + 1);
        br_row_say(out, ", \"priority\": ");
        br_row_ratio(out, (int64_t)plan->tasks - k, plan->tasks);
        br_row_say(out, ", \"subset\": \"");
        br_row_char(out, plan->subset[task]);
        br_row_char(out, '"');
        if (slack) {
            seconds_key(out, ", ", "slack", slack[task].total_ns);
            seconds_key(out, ", ", "free_slack", slack[task].free_ns);
        }
        br_row_char(out, '}');
    }
    br_row_char(out, ']');
}

static void machine_key(struct br_row *out, const char *key, const struct br_cluster *cluster,
                        uint32_t machine)
{
    write_key(out, ", ", key);
    br_row_char(out, '"');
    br_row_machine(out, cluster, machine);
    br_row_char(out, '"');
}

static void data_plan_json_write_transfers(struct br_row *out, const struct br_emit_input *input)
{
    const struct br_transfers *all = &input->plan->carried;
    br_row_say(out, ",\n \"transfers\": [");
    for (uint32_t k = 0; k < all->transfers && !ferror(out->out); k++) {
        const struct br_transfer *t = &all->transfer[k];
        text_key(out, k ? ",\n  {" : "\n  {", "from", input->dag->stage[t->parent].id);
        text_key(out, ", ", "to", input->dag->stage[t->child].id);
        if (t->index != BR_TRANSFER_ALL)
            count_key(out, ", ", "index", t->index);
        machine_key(out, "source", input->cluster, t->from);
        machine_key(out, "target", input->cluster, t->to);
        count_key(out, ", ", "bytes", (uint64_t)t->bytes);
        seconds_key(out, ", ", "start", br_transfer_start(all, k));
        seconds_key(out, ", ", "end", br_transfer_end(all, k));
        br_row_say(out, ", \"rates\": [");
        for (uint32_t i = t->first_piece; i < t->first_piece + t->pieces; i++) {
            seconds_key(out, i > t->first_piece ? ", {" : "{", "start", all->piece[i].start_ns);
            seconds_key(out, ", ", "end", all->piece[i].end_ns);
            count_key(out, ", ", "rate", (uint64_t)all->piece[i].rate);
            br_row_char(out, '}');
        }
        br_row_say(out, "]}");
    }
    br_row_char(out, ']');
}

static void data_plan_json_write_job(struct br_row *out, const struct br_emit_input *input,
                                     const struct br_attributes *by)
{
    write_attributes(out, ",\n ", by, BR_OWNER_JOB, 0);
    data_plan_json_write_resources(out, input->dag);
    data_plan_json_write_stages(out, input->dag, by);
    write_cluster(out, input->cluster);
}

enum br_status br_emit_bound(const struct br_emit_input *input, const struct br_emit_bound *bound,
                             FILE *file, struct br_diag *diag)
{
    struct br_row row = {.out = file}, *out = &row;
    struct br_attributes by;
    enum br_status status = br_attributes_init(&by, input->dag, diag);
    if (status)
        return status;
    text_key(out, "{", "format", "bigrocks-bound/1");
    text_key(out, ",\n ", "job", input->dag->name);
    count_key(out, ",\n ", "tasks", input->dag->tasks);
    seconds_key(out, ",\n ", "lower_bound", bound->lower_bound_ns);
    text_key(out, ",\n ", "method", bound->method);
    text_key(out, ",\n ", "bound_status", bound->certificate ? "proven" : "unproven");
    if (bound->at_most_ns > bound->lower_bound_ns)
        seconds_key(out, ",\n ", "optimum_at_most", bound->at_most_ns);
    seconds_key(out, ",\n \"core\": {", "lower_bound", bound->core_ns);
    text_key(out, ", ", "method", bound->core_method);
    br_row_say(out, "},\n \"lp\": {");
    if (bound->lp_note) {
        text_key(out, "", "note", bound->lp_note);
    } else {
        seconds_key(out, "", "lower_bound", bound->lp_ns);
        text_key(out, ", ", "method", bound->lp_method);
        if (bound->lp_status[0])
            text_key(out, ", ", "status", bound->lp_status);
    }
    br_row_char(out, '}');
    if (bound->certificate) {
        br_row_say(out, ",\n \"certificate\": ");
        br_row_flush(out);
        status = br_write_certificate(file, input->dag, bound->certificate, diag);
    }
    data_plan_json_write_job(out, input, &by);
    br_row_say(out, "\n}\n");
    br_row_flush(out);
    br_attributes_finish(&by);
    return status;
}

enum br_status br_emit_json(const struct br_emit_input *input, FILE *file, struct br_diag *diag)
{
    const struct br_plan *plan = input->plan;
    struct br_row row = {.out = file}, *out = &row;
    struct br_attributes by;
    struct br_task_slack *slack;
    uint32_t *stage = stages_of(input->dag);
    enum br_status status = br_emit_slack(input, &slack, diag);
    if (!status)
        status = stage ? br_attributes_init(&by, input->dag, diag) : br_fail_memory(diag);
    if (status) {
        free(stage);
        free(slack);
        return status;
    }
    text_key(out, "{", "format", "bigrocks-plan/1");
    text_key(out, ",\n ", "job", input->dag->name);
    text_key(out, ",\n ", "method", plan->method);
    count_key(out, ",\n ", "seed", plan->seed);
    seconds_key(out, ",\n ", "makespan", plan->makespan_ns);
    seconds_key(out, ",\n ", "lower_bound", plan->lower_bound_ns);
    if (plan->network_bound_ns)
        seconds_key(out, ",\n ", "network_bound", plan->network_bound_ns);
    if (plan->objective != BR_OBJECTIVE_MAKESPAN) {
        text_key(out, ",\n ", "objective",
                 br_named_name(&br_objectives, (uint32_t)plan->objective));
        seconds_key(out, ",\n ", "mean_completion", plan->mean_ns);
        seconds_key(out, ",\n ", "mean_bound", plan->mean_bound_ns);
    }
    br_row_say(out, ",\n \"gap\": ");
    if (plan->lower_bound_ns > 0)
        br_row_ratio(out, plan->makespan_ns - plan->lower_bound_ns, plan->lower_bound_ns);
    else /* an infinite gap means that nothing is known, unless there is no work */
        br_row_say(out, plan->makespan_ns == 0 ? "0" : "null");
    text_key(out, ",\n ", "bound_method", plan->bound_method);
    text_key(out, ",\n ", "bound_status", plan->certificate ? "proven" : "unproven");
    if (plan->certificate) {
        br_row_say(out, ",\n \"certificate\": ");
        br_row_flush(out);
        status = br_write_certificate(file, input->dag, plan->certificate, diag);
    }
    count_key(out, ",\n ", "placements", plan->placements);
    if (plan->note)
        text_key(out, ",\n ", "note", plan->note);
    write_noise(out, plan);
    data_plan_json_write_job(out, input, &by);
    write_search(out, plan);
    if (plan->network)
        data_plan_json_write_transfers(out, input);
    data_plan_json_write_tasks(out, input, stage, slack);
    br_row_say(out, "\n}\n");
    br_row_flush(out);
    br_attributes_finish(&by);
    free(stage);
    free(slack);
    return status;
}
