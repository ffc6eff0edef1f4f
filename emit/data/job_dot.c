/* The job in its native DOT form (docs/formats.md): the model's data as attributes of nodes and
 * edges, and attributes that passed through. A cluster has no place in it. */
#include "emit/write/attributes.h"
#include "emit/write/outputs.h"
#include "emit/write/times.h"
#include "emit/write/write.h"
#include "planner/model/ranges.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* A word that DOT takes without quotation marks: a name that is no keyword. */
static bool is_bare(const char *value)
{
    static const char *const keywords[] = {"node",    "edge",     "graph",
                                           "digraph", "subgraph", "strict"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    if (!*value || (*value >= '0' && *value <= '9') || value[strspn(value, letters)])
        return false;
    for (size_t k = 0; k < sizeof keywords / sizeof keywords[0]; k++)
        if (strcasecmp(value, keywords[k]) == 0)
            return false;
    return true;
}

static void job_dot_word(FILE *out, const char *value)
{
    if (is_bare(value)) {
        fputs(value, out);
        return;
    }
    putc('"', out);
    br_write_text(out, BR_QUOTE_DOT, value);
    putc('"', out);
}

/* DOT knows texts in angle brackets, which have to balance, besides those in quotation marks. */
static bool is_html(const char *value)
{
    size_t depth = 0;
    for (const char *p = value; *p; p++) {
        if (*p == '"' || *p == '\\')
            return false; /* would be escaped, which such texts do not know */
        depth += *p == '<';
        depth -= *p == '>' && depth > 0;
        if (depth == 0)
            return p > value && !p[1];
    }
    return false;
}

#define STAGE_WORDS                                                                                \
    "tasks", "duration", "durations", "command", "outputs", "release", "deadline", "releases",     \
        "deadlines", "alternatives", "classes", "consumes"
enum { OWN = 12 };

/* Names of the form itself: an attribute with such a name cannot pass through. */
static bool job_dot_is_taken(const struct br_dag *dag, enum br_owner owner, const char *name)
{
    static const char *const words[][OWN + 1] = {
        [BR_OWNER_JOB] = {"resources", "units"},
        [BR_OWNER_STAGE] = {STAGE_WORDS},
        [BR_OWNER_EDGE] = {"type", "overlap", "bytes", "reads", "lag", "stream"},
    };
    if (owner == BR_OWNER_STAGE && strncmp(name, "free ", 5) == 0)
        return true;
    for (size_t k = 0; words[owner][k]; k++)
        if (strcmp(words[owner][k], name) == 0)
            return true;
    for (uint32_t r = 0; owner == BR_OWNER_STAGE && r < dag->resources; r++)
        if (strcmp(dag->resource[r].name, name) == 0)
            return true;
    return false;
}

/* before, after: the text around each. */
static void job_dot_passed_through(FILE *out, const struct br_dag *dag,
                                   const struct br_attributes *by, enum br_owner owner,
                                   uint32_t index, const char *before, const char *after)
{
    uint32_t count;
    const struct br_attribute **run = br_attributes_run(by, owner, index, &count);
    for (uint32_t a = 0; a < count; a++) {
        if (job_dot_is_taken(dag, owner, run[a]->name))
            continue;
        fputs(before, out);
        job_dot_word(out, run[a]->name);
        putc('=', out);
        if (is_html(run[a]->value))
            br_write_text(out, BR_QUOTE_BRACKETS, run[a]->value);
        else
            job_dot_word(out, run[a]->value);
        fputs(after, out);
    }
}

/* Would reading give another name? Graphviz cannot read a single backslash before a quotation mark
 * or at the end of a line or text, and takes names that begin with % for its own. */
static bool is_sayable(const char *id)
{
    bool odd = false;
    for (const char *p = id; *p; p++) {
        if (odd && (*p == '"' || *p == '\n'))
            return false;
        odd = *p == '\\' && !odd;
    }
    return !odd && *id != '%';
}

/* Names in lists of alternatives end at these. */
static bool is_listed(const char *name)
{
    return !name[strcspn(name, ";,:= \t\r\n")] && is_sayable(name);
}

/* A name of an alternative, a class or a resource that stands for something else in the list; NULL:
 * none. */
static const char *unsayable_way(const struct br_dag *dag)
{
    static const char *const words[] = {"class", "duration", "durations"};
    const struct br_alternatives *all = dag->alternatives;
    for (uint32_t r = 0; r < dag->resources; r++) {
        const char *name = dag->resource[r].name;
        if (!is_listed(name))
            return name;
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (strcmp(words[k], name) == 0)
                return name;
    }
    for (uint32_t a = 0; a < all->count; a++) {
        const struct br_alternative *way = &all->alternative[a];
        if (way->id && !is_listed(way->id))
            return way->id;
        for (uint32_t k = 0; k < way->classes; k++)
            if (!is_listed(all->class_name[way->first_class + k]))
                return all->class_name[way->first_class + k];
    }
    return NULL;
}

static enum br_status refuse_names(const struct br_dag *dag, struct br_diag *diag)
{
    static const char *const words[] = {STAGE_WORDS};
    for (uint32_t r = 0; r < dag->resources; r++) {
        const struct br_resource *resource = &dag->resource[r];
        /* Names and units stand in lists, split at commas, names also at blanks. */
        bool bad = resource->name[strcspn(resource->name, ", \t\r\n")] ||
                   (resource->unit && strchr(resource->unit, ','));
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
            bad |= strcmp(words[k], resource->name) == 0;
        if (bad)
            return br_fail(diag, BR_BAD_INPUT, "rename it, or write the XML form",
                           "DOT cannot name the resource '%s' (%s)", resource->name,
                           resource->unit ? resource->unit : "no unit");
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        if (!is_sayable(dag->stage[s].id))
            return br_fail(diag, BR_BAD_INPUT, "rename it, or write the XML form",
                           "DOT cannot name the stage '%.80s'", dag->stage[s].id);
    const char *way = dag->alternatives ? unsayable_way(dag) : NULL;
    if (way)
        return br_fail(diag, BR_BAD_INPUT, "rename it, or write the XML form",
                       "DOT cannot name '%.80s' in alternatives", way);
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++)
        if (strcmp(dag->storage->output[o].id, "-") == 0 || !is_sayable(dag->storage->output[o].id))
            return br_fail(diag, BR_BAD_INPUT, "rename it, or write the XML form",
                           "DOT cannot name the output '%.80s'", dag->storage->output[o].id);
    return BR_OK;
}

/* As statements, "resources=..;": readers such as networkx drop "graph [resources=..]". */
static void job_dot_write_resources(FILE *out, const struct br_dag *dag)
{
    bool units = false;
    for (uint32_t r = 0; r < dag->resources; r++) {
        fputs(r ? "," : "  resources=\"", out);
        br_write_text(out, BR_QUOTE_DOT, dag->resource[r].name);
        units |= dag->resource[r].unit != NULL;
    }
    fputs(dag->resources ? "\";\n" : "  resources=\"\";\n", out);
    for (uint32_t r = 0; units && r < dag->resources; r++) {
        fputs(r ? "," : "  units=\"", out);
        br_write_text(out, BR_QUOTE_DOT, dag->resource[r].unit ? dag->resource[r].unit : "");
    }
    fputs(units ? "\";\n" : "", out);
}

static void write_outputs(FILE *out, const struct br_dag *dag, uint32_t s)
{
    const struct br_storage *storage = dag->storage;
    const uint32_t first = storage->stage_first[s], end = storage->stage_first[s + 1];
    for (uint32_t o = first; o < end; o++) {
        const struct br_output *output = &storage->output[o];
        fputs(o > first ? ", " : ", outputs=\"", out);
        br_write_text(out, BR_QUOTE_DOT, output->id);
        putc(' ', out);
        br_write_text(out, BR_QUOTE_DOT, dag->resource[output->resource].name);
        putc(' ', out);
        br_write_decimal(out, output->amount);
        fputs(output->flags & BR_OUTPUT_FROM_END ? " end" : "", out);
        fputs(output->flags & BR_OUTPUT_UNKEPT ? " unkept" : "", out);
    }
    fputs(first < end ? "\"" : "", out);
    for (uint32_t o = first; o < end; o++) {
        if (!storage->output[o].release)
            continue;
        fputs(", \"free ", out);
        br_write_text(out, BR_QUOTE_DOT, storage->output[o].id);
        fputs("\"=", out);
        job_dot_word(out, storage->output[o].release);
    }
}

static void write_time(FILE *out, const char *name, int64_t ns)
{
    fprintf(out, ", %s=", name);
    br_write_seconds(out, ns);
}

/* Those of tasks that have others than their stage. */
static void write_own_times(FILE *out, const struct br_dag *dag, uint32_t s, const char *name,
                            int64_t (*time_of)(const struct br_dag *dag, uint32_t task),
                            int64_t usual)
{
    const struct br_stage *stage = &dag->stage[s];
    bool first = true;
    for (uint32_t i = 0; i < stage->tasks; i++) {
        const int64_t ns = time_of(dag, stage->first_task + i);
        if (ns == usual)
            continue;
        if (first)
            fprintf(out, ", %s=\"%" PRIu32 ":", name, i);
        else
            fprintf(out, ",%" PRIu32 ":", i);
        br_write_seconds(out, ns);
        first = false;
    }
    fputs(first ? "" : "\"", out);
}

static int64_t release_of(const struct br_dag *dag, uint32_t task)
{
    return br_dag_release(dag, task);
}

static int64_t deadline_of(const struct br_dag *dag, uint32_t task)
{
    return br_dag_deadline(dag, task);
}

static void write_times(FILE *out, const struct br_dag *dag, uint32_t s)
{
    const struct br_stage_times usual = br_stage_times(dag, s);
    if (usual.release_ns)
        write_time(out, "release", usual.release_ns);
    write_own_times(out, dag, s, "releases", release_of, usual.release_ns);
    if (usual.deadline_ns != INT64_MAX)
        write_time(out, "deadline", usual.deadline_ns);
    write_own_times(out, dag, s, "deadlines", deadline_of, usual.deadline_ns);
}

/* What an edge reads, if it does not read all, and how its child waits. */
static void write_wait(FILE *out, const struct br_dag *dag, uint32_t e)
{
    const struct br_storage *storage = dag->storage;
    const struct br_wait wait = br_dag_wait(dag, e);
    if (storage && !br_edge_reads_all(dag, e)) {
        fputs(", reads=\"", out);
        if (storage->edge_first[e] == storage->edge_first[e + 1])
            putc('-', out);
        else
            br_write_reads(out, BR_QUOTE_DOT, dag, e);
        putc('"', out);
    }
    if (wait.lag_ns)
        write_time(out, "lag", wait.lag_ns);
    fputs(wait.stream ? ", stream=yes" : "", out);
}

/* " name=amount" of each. */
static void write_ways_amounts(FILE *out, const struct br_dag *dag, const char *before,
                               const struct br_way_amount *amount, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        fprintf(out, " %s", before);
        br_write_text(out, BR_QUOTE_DOT, dag->resource[amount[k].resource].name);
        putc('=', out);
        br_write_decimal(out, amount[k].amount);
    }
}

static void write_ways_classes(FILE *out, const struct br_dag *dag,
                               const struct br_alternative *way, char between)
{
    for (uint32_t k = 0; k < way->classes; k++) {
        if (k)
            putc(between, out);
        br_write_text(out, BR_QUOTE_DOT, dag->alternatives->class_name[way->first_class + k]);
    }
}

static void write_one_way(FILE *out, const struct br_dag *dag, const struct br_alternative *way)
{
    const struct br_alternatives *all = dag->alternatives;
    bool first = true;
    br_write_text(out, BR_QUOTE_DOT, way->id);
    fputs(" duration=", out);
    br_write_seconds(out, way->duration_ns);
    for (uint32_t i = 0; i < dag->stage[way->stage].tasks; i++) {
        const int64_t ns = all->duration_ns[way->first_duration + i];
        if (ns == way->duration_ns)
            continue;
        fprintf(out, "%s%" PRIu32 ":", first ? " durations=" : ",", i);
        br_write_seconds(out, ns);
        first = false;
    }
    fputs(way->classes ? " class=" : "", out);
    write_ways_classes(out, dag, way, ',');
    write_ways_amounts(out, dag, "", br_way_demands(all, way), way->demands);
    write_ways_amounts(out, dag, "consume:", br_way_consumes(all, way), way->consumed);
}

/* The stage's alternatives with all that they demand, or its classes and what it consumes. */
static void job_dot_write_ways(FILE *out, const struct br_dag *dag, uint32_t s)
{
    const struct br_alternatives *all = dag->alternatives;
    const struct br_alternative *way = &all->alternative[all->stage_first[s]];
    for (uint32_t a = 0; a < dag->stage[s].alternatives; a++) {
        fputs(a ? "; " : ", alternatives=\"", out);
        write_one_way(out, dag, &way[a]);
    }
    if (dag->stage[s].alternatives) {
        putc('"', out);
        return;
    }
    if (way->classes) {
        fputs(", classes=\"", out);
        write_ways_classes(out, dag, way, ' ');
        putc('"', out);
    }
    if (way->consumed) {
        fputs(", consumes=\"", out);
        write_ways_amounts(out, dag, "", br_way_consumes(all, way), way->consumed);
        putc('"', out);
    }
}

static void job_dot_write_stage(FILE *out, const struct br_dag *dag, uint32_t s,
                                const struct br_attributes *by)
{
    const struct br_stage *stage = &dag->stage[s];
    fputs("  ", out);
    job_dot_word(out, stage->id);
    fprintf(out, " [tasks=%" PRIu32 ", duration=", stage->tasks);
    br_write_seconds(out, stage->duration_ns);
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++) {
        fputs(", ", out);
        job_dot_word(out, dag->resource[dag->demand[d].resource].name);
        putc('=', out);
        br_write_decimal(out, dag->demand[d].amount);
    }
    bool first = true;
    for (uint32_t i = 0; i < stage->tasks && !stage->alternatives; i++) {
        int64_t duration_ns = dag->duration_ns[stage->first_task + i];
        if (duration_ns == stage->duration_ns)
            continue;
        fprintf(out, "%s%" PRIu32 ":", first ? ", durations=\"" : ",", i);
        br_write_seconds(out, duration_ns);
        first = false;
    }
    fputs(first ? "" : "\"", out);
    if (dag->storage)
        write_outputs(out, dag, s);
    if (dag->times)
        write_times(out, dag, s);
    if (dag->alternatives)
        job_dot_write_ways(out, dag, s);
    if (stage->command) {
        fputs(", command=", out);
        job_dot_word(out, stage->command);
    }
    job_dot_passed_through(out, dag, by, BR_OWNER_STAGE, s, ", ", "");
    fputs("];\n", out);
}

enum br_status br_emit_job_dot(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    const struct br_dag *dag = br_dag_written(input->dag);
    struct br_attributes by;
    enum br_status status = refuse_names(dag, diag);
    if (!status)
        status = br_attributes_init(&by, dag, diag);
    if (status)
        return status;
    fputs("digraph ", out);
    job_dot_word(out, dag->name);
    fputs(" {\n", out);
    job_dot_write_resources(out, dag);
    job_dot_passed_through(out, dag, &by, BR_OWNER_JOB, 0, "  ", ";\n");
    for (uint32_t s = 0; s < dag->stages && !ferror(out); s++)
        job_dot_write_stage(out, dag, s, &by);
    for (uint32_t e = 0; e < dag->edges && !ferror(out); e++) {
        fputs("  ", out);
        job_dot_word(out, dag->stage[dag->edge[e].parent].id);
        fputs(" -> ", out);
        job_dot_word(out, dag->stage[dag->edge[e].child].id);
        fputs(" [type=", out);
        job_dot_word(out, br_named_name(&br_edge_types, dag->edge[e].type));
        if (dag->edge[e].overlap)
            fprintf(out, ", overlap=%" PRIu32, dag->edge[e].overlap);
        if (dag->edge[e].bytes)
            fprintf(out, ", bytes=%" PRId64, dag->edge[e].bytes);
        write_wait(out, dag, e);
        job_dot_passed_through(out, dag, &by, BR_OWNER_EDGE, e, ", ", "");
        fputs("];\n", out);
    }
    fputs("}\n", out);
    br_attributes_finish(&by);
    return BR_OK;
}
