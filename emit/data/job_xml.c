/* The job in its native XML form, urn:bigrocks:job:1, with all the model's data, so that reading it
 * back gives an equal job. Attributes unknown to the model are written as <attribute name value/>
 * children of their owner; a cluster is a <cluster> child. */
#include "emit/write/attributes.h"
#include "emit/data/job_xml.h"
#include "emit/write/outputs.h"
#include "emit/write/times.h"
#include "planner/model/ranges.h"

#include <inttypes.h>

void br_write_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    br_write_text(out, BR_QUOTE_ATTRIBUTE, value);
    putc('"', out);
}

static void open_element(FILE *out, int depth, const char *element)
{
    fprintf(out, "%*s<%s", 2 * depth, "", element);
}

static void close_element(FILE *out, int depth, const char *element)
{
    fprintf(out, "%*s</%s>\n", 2 * depth, "", element);
}

static void data_job_xml_passed_through(FILE *out, const struct br_attributes *by,
                                        enum br_owner owner, uint32_t index, int depth)
{
    uint32_t count;
    const struct br_attribute **run = br_attributes_run(by, owner, index, &count);
    for (uint32_t a = 0; a < count; a++) {
        open_element(out, depth, "attribute");
        br_write_attribute(out, "name", run[a]->name);
        br_write_attribute(out, "value", run[a]->value);
        fputs("/>\n", out);
    }
}

static void data_job_xml_amount(FILE *out, int depth, const char *element, const char *resource,
                                struct br_decimal value, bool fungible, bool generic)
{
    open_element(out, depth, element);
    br_write_attribute(out, "resource", resource);
    fputs(" amount=\"", out);
    br_write_decimal(out, value);
    fputs(fungible ? "\" fungible=\"true\"" : "\"", out);
    fputs(generic ? " slurm=\"gres\"/>\n" : "/>\n", out);
}

static void write_time(FILE *out, const char *name, int64_t ns)
{
    fprintf(out, " %s=\"", name);
    br_write_seconds(out, ns);
    putc('"', out);
}

static void write_span(FILE *out, const struct br_span_of_machines *span,
                       const struct br_span_words *words)
{
    if (words->cls)
        br_write_attribute(out, "class", words->cls->name);
    if (words->index != UINT32_MAX)
        fprintf(out, " index=\"%" PRIu32 "\"", words->index);
    if (span->from_ns)
        write_time(out, "from", span->from_ns);
    if (span->to_ns != BR_FOREVER)
        write_time(out, "to", span->to_ns);
}

static void write_calendar(FILE *out, int depth, const struct br_cluster *cluster)
{
    const struct br_calendar *calendar = cluster->calendar;
    struct br_span_words words;
    for (uint32_t k = 0; k < calendar->unavailables; k++) {
        const struct br_span_of_machines *span = &calendar->unavailable[k].span;
        for (uint32_t part = 0; br_span_part(cluster, span, true, part, &words); part++) {
            open_element(out, depth, "unavailable");
            write_span(out, span, &words);
            fputs("/>\n", out);
        }
    }
    for (uint32_t k = 0; k < calendar->changes; k++) {
        const struct br_change *change = &calendar->change[k];
        for (uint32_t part = 0; br_span_part(cluster, &change->span, false, part, &words); part++) {
            open_element(out, depth, "change");
            br_write_attribute(out, "resource", change->resource);
            write_span(out, &change->span, &words);
            fputs(" amount=\"", out);
            br_write_decimal(out, change->amount);
            fputs("\"/>\n", out);
        }
    }
}

void br_write_cluster_xml(FILE *out, int depth, const struct br_cluster *cluster)
{
    open_element(out, depth, "cluster xmlns=\"urn:bigrocks:cluster:1\"");
    if (cluster->name)
        br_write_attribute(out, "name", cluster->name);
    if (cluster->partition)
        br_write_attribute(out, "partition", cluster->partition);
    if (cluster->account)
        br_write_attribute(out, "account", cluster->account);
    if (cluster->time_factor.mantissa) {
        fputs(" time-factor=\"", out);
        br_write_decimal(out, cluster->time_factor);
        putc('"', out);
    }
    fputs(">\n", out);
    for (uint32_t k = 0; k < cluster->shareds; k++)
        data_job_xml_amount(out, depth + 1, "shared", cluster->shared[k].resource,
                            cluster->shared[k].amount, false, false);
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *cls = &cluster->cls[c];
        open_element(out, depth + 1, "machine");
        br_write_attribute(out, "class", cls->name);
        fprintf(out, " count=\"%" PRIu32 "\"", cls->count);
        if (cls->up && cls->up == cls->down)
            fprintf(out, " network=\"%" PRId64 "\"", cls->up);
        else if (cls->up)
            fprintf(out, " up=\"%" PRId64 "\" down=\"%" PRId64 "\"", cls->up, cls->down);
        if (cls->speed.mantissa != 1 || cls->speed.exponent) {
            fputs(" speed=\"", out);
            br_write_decimal(out, cls->speed);
            putc('"', out);
        }
        fputs(">\n", out);
        for (uint32_t k = 0; k < cls->capacities; k++)
            data_job_xml_amount(out, depth + 2, "capacity", cls->capacity[k].resource,
                                cls->capacity[k].amount,
                                br_cluster_is_fungible(cluster, cls->capacity[k].resource),
                                br_cluster_is_generic(cluster, cls->capacity[k].resource));
        close_element(out, depth + 1, "machine");
    }
    if (cluster->calendar)
        write_calendar(out, depth + 1, cluster);
    close_element(out, depth, "cluster");
}

static void write_outputs(FILE *out, int depth, const struct br_dag *dag, uint32_t s)
{
    const struct br_storage *storage = dag->storage;
    for (uint32_t o = storage->stage_first[s]; o < storage->stage_first[s + 1]; o++) {
        const struct br_output *output = &storage->output[o];
        open_element(out, depth, "output");
        br_write_attribute(out, "id", output->id);
        br_write_attribute(out, "resource", dag->resource[output->resource].name);
        fputs(" amount=\"", out);
        br_write_decimal(out, output->amount);
        putc('"', out);
        if (output->flags & BR_OUTPUT_FROM_END)
            br_write_attribute(out, "from", "end");
        if (output->flags & BR_OUTPUT_UNKEPT)
            br_write_attribute(out, "keep", "no");
        if (output->release)
            br_write_attribute(out, "free", output->release);
        fputs("/>\n", out);
    }
}

/* ---- Alternatives ---- */

static void write_classes(FILE *out, const struct br_dag *dag, const struct br_alternative *way)
{
    const struct br_alternatives *all = dag->alternatives;
    for (uint32_t k = 0; k < way->classes; k++) {
        fputs(k ? " " : " class=\"", out);
        br_write_text(out, BR_QUOTE_ATTRIBUTE, all->class_name[way->first_class + k]);
    }
    fputs(way->classes ? "\"" : "", out);
}

static void write_consumed(FILE *out, int depth, const struct br_dag *dag,
                           const struct br_alternative *way)
{
    for (uint32_t k = way->first_consumed; k < way->first_consumed + way->consumed; k++) {
        const struct br_way_amount *consumed = &dag->alternatives->consumed[k];
        open_element(out, depth, "demand");
        br_write_attribute(out, "resource", dag->resource[consumed->resource].name);
        fputs(" amount=\"", out);
        br_write_decimal(out, consumed->amount);
        fputs("\" consume=\"yes\"/>\n", out);
    }
}

/* The alternatives of a stage, each with all that it demands, or what the stage consumes. */
static void write_ways(FILE *out, int depth, const struct br_dag *dag, uint32_t s)
{
    const struct br_alternatives *all = dag->alternatives;
    const struct br_stage *stage = &dag->stage[s];
    const struct br_alternative *way = &all->alternative[all->stage_first[s]];
    if (!stage->alternatives)
        write_consumed(out, depth, dag, way);
    for (uint32_t a = 0; a < stage->alternatives; a++) {
        open_element(out, depth, "alternative");
        br_write_attribute(out, "id", way[a].id);
        write_classes(out, dag, &way[a]);
        write_time(out, "duration", way[a].duration_ns);
        fputs(">\n", out);
        for (uint32_t k = way[a].first_demand; k < way[a].first_demand + way[a].demands; k++)
            data_job_xml_amount(out, depth + 1, "demand",
                                dag->resource[all->demand[k].resource].name, all->demand[k].amount,
                                false, false);
        write_consumed(out, depth + 1, dag, &way[a]);
        close_element(out, depth, "alternative");
    }
}

/* Durations of single tasks by single alternatives. */
static void write_way_durations(FILE *out, int depth, const struct br_dag *dag, uint32_t s)
{
    const struct br_alternatives *all = dag->alternatives;
    for (uint32_t a = all->stage_first[s]; a < all->stage_first[s + 1]; a++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            const struct br_alternative *way = &all->alternative[a];
            const int64_t ns = all->duration_ns[way->first_duration + i];
            if (ns == way->duration_ns)
                continue;
            open_element(out, depth, "task");
            fprintf(out, " index=\"%" PRIu32 "\"", i);
            br_write_attribute(out, "alternative", way->id);
            write_time(out, "duration", ns);
            fputs("/>\n", out);
        }
}

/* One task, if it is not as its stage says. */
static void write_task(FILE *out, int depth, const struct br_dag *dag, uint32_t s, uint32_t index,
                       const struct br_stage_times *usual)
{
    const struct br_stage *stage = &dag->stage[s];
    const uint32_t task = stage->first_task + index;
    const int64_t release = br_dag_release(dag, task), deadline = br_dag_deadline(dag, task);
    const bool longer = !stage->alternatives && dag->duration_ns[task] != stage->duration_ns;
    if (!longer && release == usual->release_ns && deadline == usual->deadline_ns)
        return;
    open_element(out, depth, "task");
    fprintf(out, " index=\"%" PRIu32 "\"", index);
    if (longer)
        write_time(out, "duration", dag->duration_ns[task]);
    if (release != usual->release_ns)
        write_time(out, "release", release);
    if (deadline != usual->deadline_ns)
        write_time(out, "deadline", deadline);
    fputs("/>\n", out);
}

static void data_job_xml_write_stage(FILE *out, int depth, const struct br_dag *dag, uint32_t s,
                                     const struct br_attributes *by)
{
    const struct br_stage *stage = &dag->stage[s];
    open_element(out, depth, "stage");
    br_write_attribute(out, "id", stage->id);
    fprintf(out, " tasks=\"%" PRIu32 "\" duration=\"", stage->tasks);
    br_write_seconds(out, stage->duration_ns);
    if (stage->spread.mantissa) {
        fputs("\" spread=\"", out);
        br_write_decimal(out, stage->spread);
    }
    if (stage->longest_ns) {
        fputs("\" longest=\"", out);
        br_write_seconds(out, stage->longest_ns);
    }
    putc('"', out);
    const struct br_stage_times usual = br_stage_times(dag, s);
    if (usual.release_ns)
        write_time(out, "release", usual.release_ns);
    if (usual.deadline_ns != INT64_MAX)
        write_time(out, "deadline", usual.deadline_ns);
    if (dag->alternatives && !stage->alternatives)
        write_classes(out, dag, &dag->alternatives->alternative[dag->alternatives->stage_first[s]]);
    fputs(">\n", out);
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
        data_job_xml_amount(out, depth + 1, "demand", dag->resource[dag->demand[d].resource].name,
                            dag->demand[d].amount, false, false);
    if (dag->alternatives)
        write_ways(out, depth + 1, dag, s);
    if (dag->storage)
        write_outputs(out, depth + 1, dag, s);
    for (uint32_t i = 0; i < stage->tasks; i++)
        write_task(out, depth + 1, dag, s, i, &usual);
    if (stage->alternatives)
        write_way_durations(out, depth + 1, dag, s);
    if (stage->command) {
        open_element(out, depth + 1, "command>");
        br_write_text(out, BR_QUOTE_XML, stage->command);
        fputs("</command>\n", out);
    }
    data_job_xml_passed_through(out, by, BR_OWNER_STAGE, s, depth + 1);
    close_element(out, depth, "stage");
}

static void data_job_xml_write_edge(FILE *out, int depth, const struct br_dag *dag, uint32_t e,
                                    const struct br_attributes *by)
{
    const struct br_edge *edge = &dag->edge[e];
    uint32_t attributes;
    br_attributes_run(by, BR_OWNER_EDGE, e, &attributes);
    open_element(out, depth, "edge");
    br_write_attribute(out, "from", dag->stage[edge->parent].id);
    br_write_attribute(out, "to", dag->stage[edge->child].id);
    br_write_attribute(out, "type", br_named_name(&br_edge_types, edge->type));
    if (edge->overlap)
        fprintf(out, " overlap=\"%" PRIu32 "\"", edge->overlap);
    if (edge->bytes)
        fprintf(out, " bytes=\"%" PRId64 "\"", edge->bytes);
    if (dag->storage && !br_edge_reads_all(dag, e)) {
        fputs(" reads=\"", out);
        br_write_reads(out, BR_QUOTE_ATTRIBUTE, dag, e);
        putc('"', out);
    }
    const struct br_wait wait = br_dag_wait(dag, e);
    if (wait.lag_ns)
        write_time(out, "lag", wait.lag_ns);
    if (wait.stream)
        br_write_attribute(out, "stream", "yes");
    if (attributes == 0) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    data_job_xml_passed_through(out, by, BR_OWNER_EDGE, e, depth + 1);
    close_element(out, depth, "edge");
}

enum br_status br_write_job_xml(FILE *out, int depth, const struct br_dag *dag,
                                const struct br_cluster *cluster, struct br_diag *diag)
{
    struct br_attributes by;
    enum br_status status = br_attributes_init(&by, dag, diag);
    if (status)
        return status;
    open_element(out, depth, "job xmlns=\"urn:bigrocks:job:1\"");
    br_write_attribute(out, "name", dag->name);
    fputs(">\n", out);
    data_job_xml_passed_through(out, &by, BR_OWNER_JOB, 0, depth + 1);
    for (uint32_t r = 0; r < dag->resources; r++) {
        open_element(out, depth + 1, "resource");
        br_write_attribute(out, "name", dag->resource[r].name);
        if (dag->resource[r].unit)
            br_write_attribute(out, "unit", dag->resource[r].unit);
        fputs("/>\n", out);
    }
    for (uint32_t s = 0; s < dag->stages && !ferror(out); s++)
        data_job_xml_write_stage(out, depth + 1, dag, s, &by);
    for (uint32_t e = 0; e < dag->edges && !ferror(out); e++)
        data_job_xml_write_edge(out, depth + 1, dag, e, &by);
    if (cluster)
        br_write_cluster_xml(out, depth + 1, cluster);
    close_element(out, depth, "job");
    br_attributes_finish(&by);
    return BR_OK;
}

enum br_status br_emit_job_xml(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    fputs(BR_XML_DECLARATION, out);
    return br_write_job_xml(out, 0, br_dag_written(input->dag), input->cluster, diag);
}
