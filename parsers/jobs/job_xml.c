/* The native job form. Elements may come in any order: edges wait until their stages are known.
 */
#include "parsers/reader/formats.h"
#include "parsers/jobs/job_reader.h"
#include "parsers/jobs/job_ways.h"
#include "parsers/jobs/native.h"
#include "parsers/text/value.h"
#include "parsers/text/xml_rule.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/text/text.h"

/* What an edge has beyond its ends. */
struct edge_extras {
    const char *reads; /* NULL: all */
    int64_t lag_ns;
    bool stream;
};

/* An edge that came before one of its stages, or after such an edge (the order is kept). */
struct waiting_edge {
    const char *from, *to; /* the arena's */
    enum br_edge_type type;
    uint32_t overlap;
    int64_t bytes;
    struct edge_extras extras;
    struct br_pos pos;
};

struct waiting_attribute {
    uint32_t edge; /* in reader.edge */
    const char *name, *value;
};

/* <job>, <stage>, <alternative>, <demand>; the last one has no children. */
enum { KNOWN_DEPTH = 4 };

struct br_job_reader {
    struct br_dag *dag;
    struct br_cluster_reader cluster;
    bool in_cluster;
    uint32_t outside;                                /* elements around <job> */
    const struct br_xml_rule *open[KNOWN_DEPTH + 1]; /* by depth */
    uint32_t stage;                                  /* the open one */
    uint32_t edge; /* the open one, in the dag; UINT32_MAX: the last waiting one */
    uint32_t near; /* the stage at an end of the last edge */

    struct br_arena arena;
    uint32_t edges, edge_room, attributes, attribute_room;
    struct waiting_edge *waiting;
    struct waiting_attribute *attribute;
    uint32_t alones, alone_room;
    uint32_t *alone; /* edges of the dag with extras, ascending: no other edge joins their stages */
    struct br_job_ways ways;
    struct br_source *source;
    int64_t default_duration_ns;
};

static enum br_status jobs_xml_missing(const struct br_xml *xml, const char *attribute)
{
    char hint[100];
    snprintf(hint, sizeof hint, "write <%.30s %s=\"...\">", xml->name, attribute);
    return br_fail(xml->diag, BR_BAD_INPUT, hint, "<%.30s> has no attribute '%s'", xml->name,
                   attribute);
}

/* Are the commands scripts for a shell? The attribute `shell` of the job or the stage. */
static enum br_status take_shell(struct br_job_reader *reader, enum br_owner owner, uint32_t index,
                                 struct br_xml *xml)
{
    const char *shell = br_xml_attribute(xml, "shell");
    if (!shell)
        return BR_OK;
    if (strcmp(shell, "true") != 0 && strcmp(shell, "false") != 0)
        return br_fail(xml->diag, BR_BAD_INPUT, "write shell=\"true\" or shell=\"false\"",
                       "<%s> has shell=\"%.40s\"", xml->name, shell);
    return br_dag_add_attribute(reader->dag, owner, index, "shell", shell, xml->diag);
}

static enum br_status xml_start_job(void *context, struct br_xml *xml)
{
    struct br_job_reader *reader = context;
    const char *name = br_xml_attribute(xml, "name");
    char stem[256];
    if (!name)
        name = br_source_stem(reader->source, "job", stem, sizeof stem);
    reader->dag = br_dag_create(name);
    return reader->dag ? take_shell(reader, BR_OWNER_JOB, 0, xml) : br_fail_memory(xml->diag);
}

static enum br_status start_resource(void *context, struct br_xml *xml)
{
    struct br_job_reader *reader = context;
    return br_dag_add_resource(reader->dag, br_xml_attribute(xml, "name"),
                               br_xml_attribute(xml, "unit"), xml->diag);
}

/* The spread of durations: the attributes `spread` and `longest` of the stage. */
static enum br_status take_spread(struct br_job_reader *reader, const char *owner,
                                  struct br_xml *xml)
{
    const char *text = br_xml_attribute(xml, "spread");
    const char *longest = br_xml_attribute(xml, "longest");
    struct br_decimal spread = {0};
    int64_t longest_ns = 0;
    enum br_status status = BR_OK;
    if (text && (br_decimal_parse(text, &spread) != BR_DECIMAL_OK || spread.mantissa < 0 ||
                 br_decimal_compare(spread, (struct br_decimal){BR_SPREAD_MAX, 0}) > 0))
        return br_fail(xml->diag, BR_BAD_INPUT,
                       "write the standard deviation of the durations' logarithm, such as 0.3",
                       "spread '%.80s' of %s is not a number within 0 and %d", text, owner,
                       BR_SPREAD_MAX);
    if (longest)
        status = br_value_seconds(longest, "longest", owner, &longest_ns, xml->diag);
    if (!status && longest && longest_ns == 0)
        status = br_fail(xml->diag, BR_BAD_INPUT, "leave it out if nothing is known",
                         "longest '%.80s' of %s leaves its tasks no time", longest, owner);
    if (!status)
        br_dag_set_stage_spread(reader->dag, reader->stage, spread, longest_ns);
    return status;
}

/* The attributes `release` and `deadline`, of the task with that index or of all tasks of the stage
 * (UINT32_MAX). */
static enum br_status take_times(struct br_job_reader *reader, uint32_t index, const char *owner,
                                 struct br_xml *xml)
{
    const char *release = br_xml_attribute(xml, "release");
    const char *deadline = br_xml_attribute(xml, "deadline");
    int64_t ns;
    enum br_status status = BR_OK;
    if (release)
        status = br_value_seconds(release, "release", owner, &ns, xml->diag);
    if (!status && release)
        status = br_dag_set_release(reader->dag, reader->stage, index, ns, xml->diag);
    if (!status && deadline)
        status = br_value_seconds(deadline, "deadline", owner, &ns, xml->diag);
    if (!status && deadline)
        status = br_dag_set_deadline(reader->dag, reader->stage, index, ns, xml->diag);
    return status;
}

static enum br_status jobs_xml_start_stage(void *context, struct br_xml *xml)
{
    struct br_job_reader *reader = context;
    const char *id = br_xml_attribute(xml, "id"), *tasks = br_xml_attribute(xml, "tasks");
    const char *duration = br_xml_attribute(xml, "duration");
    uint32_t count = 1;
    int64_t ns = reader->default_duration_ns;
    char owner[100];
    if (!id)
        return jobs_xml_missing(xml, "id");
    snprintf(owner, sizeof owner, "stage '%.80s'", id);
    enum br_status status = BR_OK;
    if (tasks)
        status = br_value_count(tasks, "tasks", owner, &count, xml->diag);
    if (!status && duration)
        status = br_value_seconds(duration, "duration", owner, &ns, xml->diag);
    if (!status)
        status = br_dag_add_stage(reader->dag, id, count, ns, &reader->stage, xml->diag);
    if (!status)
        br_dag_set_stage_pos(reader->dag, reader->stage, xml->pos);
    if (!status)
        status = br_job_ways_classes(reader->dag, reader->stage, BR_WHOLE_STAGE, xml);
    if (!status)
        status = take_spread(reader, owner, xml);
    return status ? status : take_times(reader, UINT32_MAX, owner, xml);
}

static enum br_status start_demand(void *context, struct br_xml *xml)
{
    struct br_job_reader *reader = context;
    return br_job_ways_demand(reader->dag, reader->stage, BR_WHOLE_STAGE, xml);
}

static enum br_status start_alternative(void *context, struct br_xml *xml)
{
    struct br_job_reader *reader = context;
    return br_job_ways_start(&reader->ways, reader->dag, reader->stage, xml);
}

static enum br_status start_way_demand(void *context, struct br_xml *xml)
{
    struct br_job_reader *reader = context;
    return br_job_ways_demand(reader->dag, reader->stage, reader->ways.alternative, xml);
}

static enum br_status start_output(void *context, struct br_xml *xml)
{
    struct br_job_reader *reader = context;
    const char *id = br_xml_attribute(xml, "id"), *from = br_xml_attribute(xml, "from");
    const char *keep = br_xml_attribute(xml, "keep"), *release = br_xml_attribute(xml, "free");
    bool from_start = true, kept = true;
    char owner[200];
    if (!id)
        return jobs_xml_missing(xml, "id");
    snprintf(owner, sizeof owner, "output '%.80s' of stage '%.80s'", id,
             br_dag_stage_id(reader->dag, reader->stage));
    enum br_status status = BR_OK;
    if (from)
        status = br_value_choice(from, "from", owner, "start", "end", &from_start, xml->diag);
    if (!status && keep)
        status = br_value_choice(keep, "keep", owner, "yes", "no", &kept, xml->diag);
    if (!status)
        status = br_dag_add_output(
            reader->dag, reader->stage, id, br_xml_attribute(xml, "resource"),
            br_xml_attribute(xml, "amount"),
            (from_start ? 0 : BR_OUTPUT_FROM_END) | (kept ? 0 : BR_OUTPUT_UNKEPT), xml->diag);
    if (!status && release)
        status = br_dag_set_output_free(reader->dag, reader->stage, id, release, xml->diag);
    return status;
}

static enum br_status jobs_xml_start_task(void *context, struct br_xml *xml)
{
    struct br_job_reader *reader = context;
    const char *index = br_xml_attribute(xml, "index");
    const char *duration = br_xml_attribute(xml, "duration");
    const char *alternative = br_xml_attribute(xml, "alternative");
    uint32_t number;
    int64_t ns = 0;
    char owner[100];
    if (alternative && !duration)
        return jobs_xml_missing(xml, "duration");
    if (!duration && !br_xml_attribute(xml, "release") && !br_xml_attribute(xml, "deadline"))
        return BR_OK; /* it holds only extensions */
    if (!index)
        return jobs_xml_missing(xml, "index");
    snprintf(owner, sizeof owner, "a task of '%.80s'", br_dag_stage_id(reader->dag, reader->stage));
    enum br_status status = br_value_count(index, "index", owner, &number, xml->diag);
    if (!status && duration)
        status = br_value_seconds(duration, "duration", owner, &ns, xml->diag);
    if (!status && alternative)
        status = br_job_ways_duration(&reader->ways, &reader->arena, reader->dag, reader->stage,
                                      number, ns, xml);
    else if (!status && duration)
        status = br_dag_set_duration(reader->dag, reader->stage, number, ns, xml->diag);
    if (!status && number == UINT32_MAX) /* stands for all tasks */
        status = br_fail(xml->diag, BR_BAD_INPUT, "indices count from 0",
                         "%s has the index %s, which is too large", owner, index);
    return status ? status : take_times(reader, number, owner, xml);
}

static enum br_status start_command(void *context, struct br_xml *xml)
{
    struct br_job_reader *reader = context;
    if (reader->dag->stage[reader->stage].command)
        return br_fail(xml->diag, BR_BAD_INPUT, "join them by && in one command",
                       "stage '%.80s' has two commands",
                       br_dag_stage_id(reader->dag, reader->stage));
    br_xml_keep_text(xml);
    return take_shell(reader, BR_OWNER_STAGE, reader->stage, xml);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* What an edge reads and how it waits would be lost if it was merged with another. */
static enum br_status refuse_merged(const struct br_job_reader *reader,
                                    const struct edge_extras *own, uint32_t parent, uint32_t child,
                                    struct br_diag *diag)
{
    const uint32_t edge = br_dag_last_edge(reader->dag);
    if (!own &&
        (!reader->alones || !bsearch(&edge, reader->alone, reader->alones, sizeof edge, by_number)))
        return BR_OK;
    return br_fail(diag, BR_BAD_INPUT, "join the stages by one edge",
                   "two edges go from '%.80s' to '%.80s', and one of them has reads, lag or stream",
                   br_dag_stage_id(reader->dag, parent), br_dag_stage_id(reader->dag, child));
}

static enum br_status add_extras(struct br_job_reader *reader, const struct edge_extras *extras,
                                 uint32_t parent, uint32_t child, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    if (!br_grow(&reader->alone, reader->alones, &reader->alone_room, sizeof *reader->alone))
        return br_fail_memory(diag);
    reader->alone[reader->alones++] = br_dag_last_edge(reader->dag);
    if (extras->reads)
        status = br_dag_set_edge_reads(reader->dag, parent, child, extras->reads, diag);
    if (!status && extras->lag_ns)
        status = br_dag_set_edge_lag(reader->dag, parent, child, extras->lag_ns, diag);
    if (!status && extras->stream)
        status = br_dag_set_edge_stream(reader->dag, parent, child, diag);
    return status;
}

static enum br_status jobs_xml_add_edge(struct br_job_reader *reader,
                                        const struct waiting_edge *edge, uint32_t parent,
                                        uint32_t child, struct br_diag *diag)
{
    const uint32_t before = reader->dag->edges;
    const struct edge_extras *extras =
        edge->extras.reads || edge->extras.lag_ns || edge->extras.stream ? &edge->extras : NULL;
    enum br_status status = br_dag_add_edge(reader->dag, parent, child, edge->type, diag);
    if (!status)
        br_dag_set_edge_pos(reader->dag, edge->pos);
    if (!status && edge->overlap)
        status = br_dag_set_edge_overlap(reader->dag, parent, child, edge->overlap, diag);
    if (!status && edge->bytes)
        status = br_dag_set_edge_bytes(reader->dag, parent, child, edge->bytes, diag);
    if (!status && reader->dag->edges == before)
        status = refuse_merged(reader, extras, parent, child, diag);
    return !status && extras ? add_extras(reader, extras, parent, child, diag) : status;
}

/* The stage of this id. Edges are usually in the order of their stages, so a stage near the last
 * one is tried before a search of all, whose memory is scattered. */
static uint32_t find_near(struct br_job_reader *reader, const char *id)
{
    for (uint32_t near = reader->near; near < reader->near + 2; near++)
        if (near < reader->dag->stages && strcmp(reader->dag->stage[near].id, id) == 0)
            return reader->near = near;
    const uint32_t found = br_dag_find_stage(reader->dag, id);
    if (found != UINT32_MAX)
        reader->near = found;
    return found;
}

/* The attributes `overlap`, `bytes`, `reads`, `lag` and `stream`. */
static enum br_status take_extras(struct waiting_edge *edge, const char *from, const char *to,
                                  struct br_xml *xml)
{
    const char *bytes = br_xml_attribute(xml, "bytes"), *lag = br_xml_attribute(xml, "lag");
    const char *stream = br_xml_attribute(xml, "stream");
    const char *overlap = br_xml_attribute(xml, "overlap");
    enum br_status status = BR_OK;
    edge->extras.reads = br_xml_attribute(xml, "reads");
    if (!bytes && !lag && !stream && !overlap)
        return BR_OK;
    char owner[220];
    snprintf(owner, sizeof owner, "the edge from '%.80s' to '%.80s'", from, to);
    if (overlap && edge->type != BR_RANGE)
        return br_fail(xml->diag, BR_BAD_INPUT, "write type=\"range\", or leave overlap out",
                       "%s has an overlap, and is no range", owner);
    if (overlap)
        status = br_value_count(overlap, "overlap", owner, &edge->overlap, xml->diag);
    if (!status && bytes)
        status = br_value_bytes(bytes, owner, &edge->bytes, xml->diag);
    if (!status && lag)
        status = br_value_seconds(lag, "lag", owner, &edge->extras.lag_ns, xml->diag);
    if (!status && stream)
        status =
            br_value_choice(stream, "stream", owner, "yes", "no", &edge->extras.stream, xml->diag);
    return status;
}

static enum br_status start_edge(void *context, struct br_xml *xml)
{
    struct br_job_reader *reader = context;
    const char *from = br_xml_attribute(xml, "from"), *to = br_xml_attribute(xml, "to");
    const char *type = br_xml_attribute(xml, "type");
    uint32_t kind = type ? br_named_find(&br_edge_types, type) : BR_BARRIER;
    struct waiting_edge edge = {.type = (enum br_edge_type)kind, .pos = xml->pos};
    if (!from || !to)
        return jobs_xml_missing(xml, from ? "to" : "from");
    if (kind == BR_NO_ROW)
        return br_fail(xml->diag, BR_BAD_INPUT,
                       "write type=\"barrier\", type=\"one-to-one\" or type=\"range\"",
                       "the edge from '%.80s' to '%.80s' has the unknown type '%.80s'", from, to,
                       type);
    enum br_status status = take_extras(&edge, from, to, xml);
    if (status)
        return status;
    if (!reader->edges) {
        uint32_t parent = find_near(reader, from);
        uint32_t child = find_near(reader, to);
        if (parent != UINT32_MAX && child != UINT32_MAX) {
            status = jobs_xml_add_edge(reader, &edge, parent, child, xml->diag);
            reader->edge = br_dag_last_edge(reader->dag);
            return status;
        }
    }
    if (reader->edges == BR_MAX_EDGES)
        return br_fail(xml->diag, BR_BAD_INPUT, "put stages before their edges",
                       "more than %u edges wait for their stages", BR_MAX_EDGES);
    edge.from = br_arena_text(&reader->arena, from);
    edge.to = br_arena_text(&reader->arena, to);
    if (edge.extras.reads)
        edge.extras.reads = br_arena_text(&reader->arena, edge.extras.reads);
    if (!edge.from || !edge.to || (br_xml_attribute(xml, "reads") && !edge.extras.reads) ||
        !br_grow(&reader->waiting, reader->edges, &reader->edge_room, sizeof *reader->waiting))
        return br_fail_memory(xml->diag);
    reader->waiting[reader->edges++] = edge;
    reader->edge = UINT32_MAX;
    return BR_OK;
}

static enum br_status start_attribute(void *context, struct br_xml *xml)
{
    struct br_job_reader *reader = context;
    const char *name = br_xml_attribute(xml, "name"), *value = br_xml_attribute(xml, "value");
    const char *owner = reader->open[xml->depth - reader->outside - 1]->name;
    if (!name || !value)
        return jobs_xml_missing(xml, name ? "value" : "name");
    if (strcmp(owner, "job") == 0)
        return br_dag_add_attribute(reader->dag, BR_OWNER_JOB, 0, name, value, xml->diag);
    if (strcmp(owner, "stage") == 0)
        return br_dag_add_attribute(reader->dag, BR_OWNER_STAGE, reader->stage, name, value,
                                    xml->diag);
    if (reader->edge != UINT32_MAX)
        return br_dag_add_attribute(reader->dag, BR_OWNER_EDGE, reader->edge, name, value,
                                    xml->diag);
    if (reader->attributes == BR_MAX_ATTRIBUTES)
        return br_fail(xml->diag, BR_BAD_INPUT, "leave some out",
                       "the job has more than %u attributes, the most that are kept",
                       BR_MAX_ATTRIBUTES);
    assert(reader->edges > 0);
    struct waiting_attribute attribute = {.edge = reader->edges - 1,
                                          .name = br_arena_text(&reader->arena, name),
                                          .value = br_arena_text(&reader->arena, value)};
    if (!attribute.name || !attribute.value ||
        !br_grow(&reader->attribute, reader->attributes, &reader->attribute_room,
                 sizeof *reader->attribute))
        return br_fail_memory(xml->diag);
    reader->attribute[reader->attributes++] = attribute;
    return BR_OK;
}

static enum br_status jobs_xml_start_cluster(void *context, struct br_xml *xml)
{
    struct br_job_reader *reader = context;
    if (reader->cluster.cluster)
        return br_fail(xml->diag, BR_BAD_INPUT, "keep one of them", "the job carries two clusters");
    reader->in_cluster = true;
    return br_cluster_reader_start(&reader->cluster, xml);
}

/* In any order; the first one is the root. */
static const struct br_xml_rule rules[] = {
    {"job", "", BR_JOB_SPACE, NULL, {"name", "shell"}, xml_start_job},
    {"stage",
     "job",
     BR_JOB_SPACE,
     NULL,
     {"id", "tasks", "duration", "spread", "longest", "release", "deadline", "class"},
     jobs_xml_start_stage},
    {"demand", "stage", BR_JOB_SPACE, NULL, {"resource", "amount", "consume"}, start_demand},
    {"alternative", "stage", BR_JOB_SPACE, NULL, {"id", "class", "duration"}, start_alternative},
    {"demand",
     "alternative",
     BR_JOB_SPACE,
     NULL,
     {"resource", "amount", "consume"},
     start_way_demand},
    {"output",
     "stage",
     BR_JOB_SPACE,
     NULL,
     {"id", "resource", "amount", "from", "keep", "free"},
     start_output},
    {"task",
     "stage",
     BR_JOB_SPACE,
     NULL,
     {"index", "duration", "release", "deadline", "alternative"},
     jobs_xml_start_task},
    {"edge",
     "job",
     BR_JOB_SPACE,
     NULL,
     {"from", "to", "type", "overlap", "bytes", "reads", "lag", "stream"},
     start_edge},
    {"command", "stage", BR_JOB_SPACE, NULL, {"shell"}, start_command},
    {"resource", "job", BR_JOB_SPACE, NULL, {"name", "unit"}, start_resource},
    {"attribute", "job", BR_JOB_SPACE, NULL, {"name", "value"}, start_attribute},
    {"attribute", "stage", BR_JOB_SPACE, NULL, {"name", "value"}, start_attribute},
    {"attribute", "edge", BR_JOB_SPACE, NULL, {"name", "value"}, start_attribute},
    {"cluster",
     "job",
     BR_CLUSTER_SPACE,
     BR_JOB_SPACE,
     {"name", "partition", "account", "time-factor"},
     jobs_xml_start_cluster},
};

static enum br_status jobs_xml_check_root(struct br_xml *xml)
{
    static const char hint[] = "write <job xmlns=\"" BR_JOB_SPACE "\">";
    if (strcmp(xml->name, "job") != 0)
        return br_fail(xml->diag, BR_BAD_INPUT, hint, "the root element is <%.80s>, not <job>",
                       xml->name);
    if (!*xml->space)
        return br_fail(xml->diag, BR_BAD_INPUT, hint, "the root element <job> has no namespace");
    if (strcmp(xml->space, BR_JOB_SPACE) != 0)
        return br_fail(xml->diag, BR_BAD_INPUT, hint,
                       "the root element <job> is in the unknown namespace '%.120s'", xml->space);
    return BR_OK;
}

enum br_status br_job_reader_start(struct br_job_reader *reader, struct br_xml *xml)
{
    if (reader->in_cluster)
        return br_cluster_reader_start(&reader->cluster, xml);
    assert(xml->depth > reader->outside);
    const uint32_t depth = xml->depth - reader->outside;
    const char *parent = depth > 1 ? reader->open[depth - 1]->name : "";
    enum br_status status = depth == 1 ? jobs_xml_check_root(xml) : BR_OK;
    const struct br_xml_rule *rule = NULL;
    if (!status)
        status = br_xml_apply(rules, sizeof rules / sizeof *rules, parent, reader, xml, &rule);
    assert(!rule || depth <= KNOWN_DEPTH);
    if (rule)
        reader->open[depth] = rule; /* no rule has a parent deeper than this */
    return status;
}

enum br_status br_job_reader_end(struct br_job_reader *reader, struct br_xml *xml, const char *text)
{
    if (reader->in_cluster) {
        if (xml->depth > reader->cluster.depth)
            return BR_OK;
        reader->in_cluster = false;
        return br_cluster_reader_end(&reader->cluster, xml);
    }
    if (text)
        return br_dag_set_command(reader->dag, reader->stage, text, xml->diag);
    return BR_OK;
}

/* The stage at one end of a waiting edge. */
static enum br_status find_end(const struct br_job_reader *reader, const struct waiting_edge *edge,
                               const char *id, uint32_t *stage, struct br_diag *diag)
{
    *stage = br_dag_find_stage(reader->dag, id);
    if (*stage != UINT32_MAX)
        return BR_OK;
    return br_fail_at(diag, edge->pos, BR_BAD_INPUT, "add that stage, or remove the edge",
                      "the edge from '%.80s' to '%.80s' names a stage '%.80s', which the job does "
                      "not have",
                      edge->from, edge->to, id);
}

static enum br_status resolve_edges(struct br_job_reader *reader, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    uint32_t next = 0;
    for (uint32_t e = 0; e < reader->edges && !status; e++) {
        const struct waiting_edge *edge = &reader->waiting[e];
        uint32_t parent, child;
        br_value_place(diag, edge->pos);
        status = find_end(reader, edge, edge->from, &parent, diag);
        if (!status)
            status = find_end(reader, edge, edge->to, &child, diag);
        if (!status)
            status = jobs_xml_add_edge(reader, edge, parent, child, diag);
        for (; !status && next < reader->attributes && reader->attribute[next].edge == e; next++)
            status = br_dag_add_attribute(reader->dag, BR_OWNER_EDGE, br_dag_last_edge(reader->dag),
                                          reader->attribute[next].name,
                                          reader->attribute[next].value, diag);
    }
    assert(status || next == reader->attributes);
    return status;
}

struct br_job_reader *br_job_reader_create(struct br_source *source, uint32_t outside,
                                           int64_t default_duration_ns)
{
    struct br_job_reader *reader = calloc(1, sizeof *reader);
    if (reader) {
        reader->source = source;
        reader->outside = outside;
        reader->default_duration_ns = default_duration_ns;
    }
    return reader;
}

enum br_status br_job_reader_finish(struct br_job_reader *reader, struct br_input *input,
                                    struct br_diag *diag)
{
    enum br_status status = resolve_edges(reader, diag);
    if (!status)
        status = br_job_ways_finish(&reader->ways, reader->dag, diag);
    *input = (struct br_input){.dag = reader->dag, .cluster = reader->cluster.cluster};
    reader->dag = NULL;
    reader->cluster.cluster = NULL;
    return status;
}

void br_job_reader_destroy(struct br_job_reader *reader)
{
    if (!reader)
        return;
    br_dag_destroy(reader->dag);
    br_cluster_destroy(reader->cluster.cluster);
    br_arena_finish(&reader->arena);
    free(reader->waiting);
    free(reader->attribute);
    free(reader->alone);
    br_free(reader->ways.duration);
    free(reader);
}

static enum br_status jobs_xml_on_start(void *context, struct br_xml *xml)
{
    return br_job_reader_start(context, xml);
}

static enum br_status jobs_xml_on_end(void *context, struct br_xml *xml, const char *text)
{
    return br_job_reader_end(context, xml, text);
}

enum br_status br_read_job_xml(struct br_source *source, const struct br_parse_options *options,
                               struct br_input *input, struct br_diag *diag)
{
    static const struct br_xml_handler handler = {
        .start = jobs_xml_on_start, .end = jobs_xml_on_end, .only_known = true};
    struct br_job_reader *reader = br_job_reader_create(source, 0, options->default_duration_ns);
    if (!reader)
        return br_fail_memory(diag);
    enum br_status status = br_xml_read(source, &handler, reader, diag);
    if (!status)
        status = br_job_reader_finish(reader, input, diag);
    br_job_reader_destroy(reader);
    return status;
}

static enum br_status choose_xml(const struct br_source *source,
                                 const struct br_parse_options *options, br_read_job **read,
                                 struct br_diag *diag)
{
    (void)source, (void)options, (void)diag;
    *read = br_read_job_xml;
    return BR_OK;
}

enum br_status br_parse_job_xml(const char *path, struct br_input *input, struct br_diag *diag)
{
    return br_read_whole_job(path, NULL, choose_xml, input, diag);
}
