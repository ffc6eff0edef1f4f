/* Building a job: arrays that grow, and indices that find stages by id and edges by their ends. */
#include "base/collections/memory.h"
#include "planner/model/dag_build.h"
#include "planner/model/waves.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/roles.h"

static const struct br_named edge_types[] = {
    [BR_BARRIER] = {"barrier", "every task of the child waits for every task of the parent"},
    [BR_ONE_TO_ONE] = {"one-to-one", "task i of the child waits for task i of the parent"},
    [BR_RANGE] = {"range", "task i of the child waits for consecutive tasks of the parent"},
};
const struct br_names br_edge_types = {BR_NAMES(edge_types)};

static uint64_t dag_hash_stage(const void *dag, uint32_t stage)
{
    return br_hash_text(((const struct br_dag *)dag)->stage[stage].id);
}

static bool is_stage(const void *dag, uint32_t stage, const void *id)
{
    return strcmp(((const struct br_dag *)dag)->stage[stage].id, id) == 0;
}

static const struct br_index_keys stage_keys = {dag_hash_stage, is_stage};

static uint64_t hash_ends(uint32_t parent, uint32_t child)
{
    return br_hash_number((uint64_t)parent << 32 | child);
}

static uint64_t hash_edge(const void *dag, uint32_t edge)
{
    const struct br_edge *e = &((const struct br_dag *)dag)->edge[edge];
    return hash_ends(e->parent, e->child);
}

static bool is_edge(const void *dag, uint32_t edge, const void *ends)
{
    const struct br_edge *e = &((const struct br_dag *)dag)->edge[edge];
    return e->parent == ((const uint32_t *)ends)[0] && e->child == ((const uint32_t *)ends)[1];
}

static const struct br_index_keys edge_keys = {hash_edge, is_edge};

struct br_dag *br_dag_create(const char *name)
{
    struct br_dag *dag = br_calloc(1, sizeof *dag);
    if (!dag)
        return NULL;
    dag->build = br_calloc(1, sizeof *dag->build);
    dag->name = br_arena_text(&dag->arena, name ? name : "");
    if (!dag->build || !dag->name) {
        br_dag_destroy(dag);
        return NULL;
    }
    dag->build->last_edge = UINT32_MAX;
    return dag;
}

/* Frees everything but the job itself, its memory and the room for `build`. */
static void dag_empty(struct br_dag *dag)
{
    BR_IN_MEMORY(dag);
    if (dag->build) {
        br_index_finish(&dag->build->by_id);
        br_index_finish(&dag->build->by_ends);
        br_free(dag->build->override);
    }
    br_free(dag->resource);
    br_free(dag->stage);
    br_free(dag->demand);
    br_free(dag->edge);
    br_free(dag->attribute);
    br_free(dag->doubt);
    br_free(dag->duration_ns);
    br_free(dag->topological);
    br_storage_destroy(dag->storage);
    br_times_destroy(dag->times);
    br_alternatives_destroy(dag->alternatives);
    br_waves_destroy(dag->waves);
    br_dag_destroy(dag->written);
    br_arena_finish(&dag->arena);
}

void br_dag_destroy(struct br_dag *dag)
{
    if (!dag)
        return;
    dag_empty(dag);
    if (dag->memory)
        br_memory_finish(dag->memory);
    br_free(dag->memory);
    br_free(dag->build);
    br_free(dag);
}

enum br_status br_dag_reset(struct br_dag *dag, const char *name, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    struct br_dag_build *build = dag->build;
    struct br_memory *memory = dag->memory ? dag->memory : br_calloc(1, sizeof *memory);
    if (!memory)
        return br_fail_memory(diag);
    dag->memory = memory;
    dag_empty(dag);
    br_memory_reset(memory);
    *build = (struct br_dag_build){.last_edge = UINT32_MAX};
    *dag = (struct br_dag){.name = "", .build = build, .memory = memory};
    BR_IN_MEMORY(dag);
    const char *copy = br_arena_text(&dag->arena, name ? name : "");
    if (!copy)
        return br_fail_memory(diag);
    dag->name = copy;
    return BR_OK;
}

enum br_status br_dag_refuse_finished(const struct br_dag *dag, struct br_diag *diag)
{
    if (dag->finished)
        return br_fail(diag, BR_USAGE, "change the job before br_dag_finish",
                       "the job is already finished");
    return BR_OK;
}

enum br_status br_dag_refuse_stage(const struct br_dag *dag, uint32_t stage, struct br_diag *diag)
{
    enum br_status status = br_dag_refuse_finished(dag, diag);
    if (status)
        return status;
    if (stage >= dag->stages)
        return br_fail(diag, BR_USAGE, NULL, "there is no stage number %" PRIu32, stage);
    return BR_OK;
}

/* Amounts in bytes of a resource that is counted in a multiple of bytes. */
static enum br_status refuse_bytes(const struct br_resource *resource, const char *unit,
                                   struct br_diag *diag)
{
    if (!resource->in_bytes || !br_role_is_multiple(unit))
        return BR_OK;
    return br_fail(diag, BR_BAD_INPUT, "write demands without a suffix, in the resource's own unit",
                   "%.80s is in %.40s in this job, and a demand of it is in bytes", resource->name,
                   unit);
}

/* The number of the resource, which is added if it is new. */
static enum br_status intern_resource(struct br_dag *dag, const char *name, uint32_t *resource,
                                      struct br_diag *diag)
{
    for (*resource = 0; *resource < dag->resources; ++*resource)
        if (strcmp(dag->resource[*resource].name, name) == 0)
            return BR_OK;
    if (dag->resources == BR_MAX_RESOURCES)
        return br_fail(diag, BR_BAD_INPUT, "merge resources that are demanded together",
                       "resource '%s' is one more than %u, the most that are planned", name,
                       BR_MAX_RESOURCES);
    char *copy = br_arena_text(&dag->arena, name);
    if (!copy ||
        !br_grow(&dag->resource, dag->resources, &dag->build->resource_room, sizeof *dag->resource))
        return br_fail_memory(diag);
    dag->resource[dag->resources++] = (struct br_resource){.name = copy};
    return BR_OK;
}

enum br_status br_dag_demand_resource(struct br_dag *dag, const char *name, const char *amount,
                                      uint32_t *resource, struct br_diag *diag)
{
    enum br_status status = intern_resource(dag, name, resource, diag);
    if (status)
        return status;
    struct br_resource *r = &dag->resource[*resource];
    r->in_bytes |= br_role_is_in_bytes(amount);
    return refuse_bytes(r, r->unit, diag);
}

enum br_status br_dag_add_resource(struct br_dag *dag, const char *name, const char *unit,
                                   struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    enum br_status status = br_dag_refuse_finished(dag, diag);
    if (status)
        return status;
    if (!name || !*name)
        return br_fail(diag, BR_BAD_INPUT, "give it a name", "a resource has no name");
    uint32_t r;
    status = intern_resource(dag, name, &r, diag);
    if (status)
        return status;
    if (dag->resource[r].declared)
        return br_fail(diag, BR_BAD_INPUT, "declare each resource once",
                       "resource '%s' is declared twice", name);
    status = refuse_bytes(&dag->resource[r], unit, diag);
    if (status)
        return status;
    if (unit && !(dag->resource[r].unit = br_arena_text(&dag->arena, unit)))
        return br_fail_memory(diag);
    dag->resource[r].declared = true;
    return BR_OK;
}

uint32_t br_dag_find_stage(const struct br_dag *dag, const char *id)
{
    return br_index_find(&dag->build->by_id, &stage_keys, dag, id, br_hash_text(id));
}

enum br_status br_dag_add_stage(struct br_dag *dag, const char *id, uint32_t tasks,
                                int64_t duration_ns, uint32_t *stage, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    enum br_status status = br_dag_refuse_finished(dag, diag);
    if (status)
        return status;
    if (!id || !*id)
        return br_fail(diag, BR_BAD_INPUT, "give every stage an id", "a stage has no id");
    if (tasks == 0)
        return br_fail(diag, BR_BAD_INPUT, "a stage has at least one task",
                       "stage '%s' has no tasks", id);
    if (duration_ns < 0)
        return br_fail(diag, BR_BAD_INPUT, "durations are 0 or more", "stage '%s' lasts %g s", id,
                       (double)duration_ns / 1e9);
    if (tasks > BR_MAX_TASKS || dag->tasks > BR_MAX_TASKS - tasks)
        return br_fail(diag, BR_BAD_INPUT, "split the job",
                       "stage '%s' takes the job over %u tasks, the most that are planned", id,
                       BR_MAX_TASKS);
    if (dag->stages == BR_MAX_STAGES)
        return br_fail(diag, BR_BAD_INPUT, "put equal tasks into one stage",
                       "stage '%s' is one more than %u, the most that are planned", id,
                       BR_MAX_STAGES);
    uint32_t other = br_dag_find_stage(dag, id);
    if (other != UINT32_MAX) {
        if (dag->stage[other].pos.line)
            return br_fail(diag, BR_BAD_INPUT, "give every stage an id of its own",
                           "stage '%s' is there twice, first in line %" PRIu32, id,
                           dag->stage[other].pos.line);
        return br_fail(diag, BR_BAD_INPUT, "give every stage an id of its own",
                       "stage '%s' is there twice", id);
    }
    char *copy = br_arena_text(&dag->arena, id);
    if (!copy || !br_grow(&dag->stage, dag->stages, &dag->build->stage_room, sizeof *dag->stage))
        return br_fail_memory(diag);
    dag->stage[dag->stages] = (struct br_stage){
        .id = copy, .duration_ns = duration_ns, .tasks = tasks, .first_task = dag->tasks};
    if (!br_index_add(&dag->build->by_id, &stage_keys, dag, dag->stages))
        return br_fail_memory(diag);
    dag->tasks += tasks;
    if (stage)
        *stage = dag->stages;
    dag->stages++;
    return BR_OK;
}

enum br_status br_dag_add_demand(struct br_dag *dag, uint32_t stage, const char *resource,
                                 const char *amount, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    enum br_status status = br_dag_refuse_stage(dag, stage, diag);
    if (status)
        return status;
    const char *id = dag->stage[stage].id;
    if (!resource || !*resource)
        return br_fail(diag, BR_BAD_INPUT, "name the resource",
                       "a demand of stage '%s' names no resource", id);
    struct br_decimal value;
    switch (amount ? br_decimal_parse_suffixed(amount, &value) : BR_DECIMAL_FORM) {
    case BR_DECIMAL_FORM:
        return br_fail(diag, BR_BAD_INPUT,
                       "write a number such as 2 or 0.59, or with a suffix, such as 4GiB",
                       "stage '%s' demands '%s' of %s, which is not a number", id,
                       amount ? amount : "", resource);
    case BR_DECIMAL_RANGE:
        return br_fail(diag, BR_BAD_INPUT, "choose a unit that keeps amounts within 18 digits",
                       "stage '%s' demands '%s' of %s, which has too many digits", id, amount,
                       resource);
    case BR_DECIMAL_OK:
        break;
    }
    if (value.mantissa < 0)
        return br_fail(diag, BR_BAD_INPUT, "demands are 0 or more",
                       "stage '%s' demands %s of %s, which is negative", id, amount, resource);
    for (uint32_t d = dag->demands; d-- > 0 && dag->demand[d].stage == stage;)
        if (strcmp(dag->resource[dag->demand[d].resource].name, resource) == 0)
            return br_fail(diag, BR_BAD_INPUT, "give each resource once per stage",
                           "stage '%s' demands %s twice", id, resource);
    uint32_t r;
    status = br_dag_demand_resource(dag, resource, amount, &r, diag);
    if (status)
        return status;
    if (!br_grow(&dag->demand, dag->demands, &dag->build->demand_room, sizeof *dag->demand))
        return br_fail_memory(diag);
    dag->demand[dag->demands++] = (struct br_demand){stage, r, value};
    return BR_OK;
}

enum br_status br_dag_set_duration(struct br_dag *dag, uint32_t stage, uint32_t index,
                                   int64_t duration_ns, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    enum br_status status = br_dag_refuse_stage(dag, stage, diag);
    if (status)
        return status;
    if (index >= dag->stage[stage].tasks)
        return br_fail(diag, BR_BAD_INPUT, "indices count from 0",
                       "stage '%s' has %" PRIu32 " tasks, there is none with index %" PRIu32,
                       dag->stage[stage].id, dag->stage[stage].tasks, index);
    if (duration_ns < 0)
        return br_fail(diag, BR_BAD_INPUT, "durations are 0 or more",
                       "task %s[%" PRIu32 "] lasts %g s", dag->stage[stage].id, index,
                       (double)duration_ns / 1e9);
    struct br_dag_build *build = dag->build;
    if (!br_grow(&build->override, build->overrides, &build->override_room,
                 sizeof *build->override))
        return br_fail_memory(diag);
    build->override[build->overrides++] = (struct br_override){index, stage, duration_ns};
    return BR_OK;
}

enum br_status br_dag_set_command(struct br_dag *dag, uint32_t stage, const char *command,
                                  struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    enum br_status status = br_dag_refuse_stage(dag, stage, diag);
    if (status)
        return status;
    dag->stage[stage].command = command ? br_arena_text(&dag->arena, command) : NULL;
    return command && !dag->stage[stage].command ? br_fail_memory(diag) : BR_OK;
}

enum br_status br_dag_add_edge(struct br_dag *dag, uint32_t parent, uint32_t child,
                               enum br_edge_type type, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    enum br_status status = br_dag_refuse_stage(dag, parent, diag);
    if (!status)
        status = br_dag_refuse_stage(dag, child, diag);
    if (status)
        return status;
    if (type != BR_BARRIER && type != BR_ONE_TO_ONE && type != BR_RANGE)
        return br_fail(diag, BR_USAGE, "take a value of enum br_edge_type",
                       "there is no type %d of edges", (int)type);
    const struct br_stage *a = &dag->stage[parent], *b = &dag->stage[child];
    if (type == BR_ONE_TO_ONE && a->tasks != b->tasks)
        return br_fail(diag, BR_BAD_INPUT, "use type range or barrier, or give both as many tasks",
                       "a one-to-one edge joins '%s' with %" PRIu32 " tasks and '%s' with %" PRIu32,
                       a->id, a->tasks, b->id, b->tasks);
    struct br_dag_build *build = dag->build;
    uint32_t ends[2] = {parent, child};
    uint32_t edge = br_index_find(&build->by_ends, &edge_keys, dag, ends, hash_ends(parent, child));
    build->ranges |= type == BR_RANGE;
    if (edge != UINT32_MAX) {
        if (type == BR_BARRIER || dag->edge[edge].type == BR_ONE_TO_ONE)
            dag->edge[edge].type = type;
        build->last_edge = edge;
        return BR_OK;
    }
    if (dag->edges == BR_MAX_EDGES)
        return br_fail(diag, BR_BAD_INPUT, "let groups of stages meet in one that lasts 0 s",
                       "the edge from '%s' to '%s' is one more than %u, the most that are planned",
                       a->id, b->id, BR_MAX_EDGES);
    if (!br_grow(&dag->edge, dag->edges, &build->edge_room, sizeof *dag->edge))
        return br_fail_memory(diag);
    dag->edge[dag->edges] = (struct br_edge){.parent = parent, .child = child, .type = type};
    if (!br_index_add(&build->by_ends, &edge_keys, dag, dag->edges))
        return br_fail_memory(diag);
    build->last_edge = dag->edges++;
    return BR_OK;
}

enum br_status br_dag_edge_between(const struct br_dag *dag, uint32_t parent, uint32_t child,
                                   const char *what, uint32_t *edge, struct br_diag *diag)
{
    enum br_status status = br_dag_refuse_stage(dag, parent, diag);
    if (!status)
        status = br_dag_refuse_stage(dag, child, diag);
    if (status)
        return status;
    uint32_t ends[2] = {parent, child};
    *edge = br_index_find(&dag->build->by_ends, &edge_keys, dag, ends, hash_ends(parent, child));
    if (*edge == UINT32_MAX)
        return br_fail(diag, BR_BAD_INPUT, "add the edge first",
                       "%s from '%s' to '%s', which no edge joins", what, dag->stage[parent].id,
                       dag->stage[child].id);
    return BR_OK;
}

enum br_status br_dag_set_edge_overlap(struct br_dag *dag, uint32_t parent, uint32_t child,
                                       uint32_t overlap, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    uint32_t e;
    enum br_status status = br_dag_edge_between(dag, parent, child, "an overlap goes", &e, diag);
    if (status)
        return status;
    struct br_edge *edge = &dag->edge[e];
    if (edge->type == BR_ONE_TO_ONE)
        return br_fail(diag, BR_BAD_INPUT, "give the edge the type range",
                       "the edge from '%s' to '%s' has an overlap, and is no range",
                       dag->stage[parent].id, dag->stage[child].id);
    if (overlap > edge->overlap)
        edge->overlap = overlap;
    return BR_OK;
}

enum br_status br_dag_set_edge_bytes(struct br_dag *dag, uint32_t parent, uint32_t child,
                                     int64_t bytes, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    uint32_t e;
    enum br_status status = br_dag_edge_between(dag, parent, child, "bytes go", &e, diag);
    if (status)
        return status;
    const char *from = dag->stage[parent].id, *to = dag->stage[child].id;
    struct br_edge *edge = &dag->edge[e];
    if (bytes < 0)
        return br_fail(diag, BR_BAD_INPUT, "bytes are 0 or more",
                       "the edge from '%s' to '%s' carries %" PRId64 " bytes", from, to, bytes);
    if (bytes <= edge->bytes)
        return BR_OK;
    if (bytes > BR_MAX_BYTES || dag->bytes - edge->bytes > BR_MAX_BYTES - bytes)
        return br_fail(diag, BR_BAD_INPUT, "check the sizes",
                       "the edge from '%s' to '%s' takes the job over 10^18 bytes, the most that "
                       "are planned",
                       from, to);
    dag->bytes += bytes - edge->bytes;
    edge->bytes = bytes;
    return BR_OK;
}

enum br_status br_dag_set_source(struct br_dag *dag, const char *file, struct br_diag *diag)
{
    dag->source = br_arena_text(&dag->arena, file);
    return dag->source ? BR_OK : br_fail_memory(diag);
}

enum br_status br_dag_set_name(struct br_dag *dag, const char *name, struct br_diag *diag)
{
    const char *copy = br_arena_text(&dag->arena, name);
    if (!copy)
        return br_fail_memory(diag);
    dag->name = copy;
    return dag->written ? br_dag_set_name(dag->written, name, diag) : BR_OK;
}

void br_dag_set_stage_pos(struct br_dag *dag, uint32_t stage, struct br_pos pos)
{
    dag->stage[stage].pos = pos;
}

void br_dag_set_stage_spread(struct br_dag *dag, uint32_t stage, struct br_decimal spread,
                             int64_t longest_ns)
{
    assert(longest_ns >= 0);
    while (spread.mantissa % 10 == 0 && spread.mantissa != 0) {
        spread.mantissa /= 10;
        spread.exponent++;
    }
    dag->stage[stage].spread = spread.mantissa ? spread : (struct br_decimal){0};
    dag->stage[stage].longest_ns = longest_ns;
}

void br_dag_set_stage_duration(struct br_dag *dag, uint32_t stage, int64_t duration_ns)
{
    dag->stage[stage].duration_ns = duration_ns;
}

/* Replaces the same tasks' duration in the job as written. */
static void dag_replace_written(struct br_dag *dag, uint32_t stage, uint32_t index,
                                int64_t duration_ns)
{
    struct br_dag *written = dag->written;
    const uint32_t to = br_dag_task_stage(written, dag->stage[stage].first_task);
    const bool whole = written->stage[to].tasks == dag->stage[stage].tasks;
    if (!whole)
        index = dag->stage[stage].first_task - written->stage[to].first_task;
    br_dag_replace_duration(written, to, index, duration_ns);
}

void br_dag_replace_duration(struct br_dag *dag, uint32_t stage, uint32_t index,
                             int64_t duration_ns)
{
    struct br_stage *s = &dag->stage[stage];
    assert(dag->finished && duration_ns >= 0);
    if (dag->written)
        dag_replace_written(dag, stage, index, duration_ns);
    if (index == UINT32_MAX) {
        s->duration_ns = duration_ns;
        s->by_hand = true;
    }
    for (uint32_t i = 0; i < s->tasks; i++)
        if (index == UINT32_MAX || index == i) {
            dag->duration_ns[s->first_task + i] = duration_ns;
            br_alternatives_replace_duration(dag, stage, i, duration_ns);
        }
}

void br_dag_longest(const struct br_dag *dag, int64_t *longest_ns)
{
    const struct br_dag_build *build = dag->build;
    for (uint32_t s = 0; s < dag->stages; s++)
        longest_ns[s] = dag->stage[s].duration_ns;
    for (uint32_t k = 0; k < build->overrides; k++) {
        const struct br_override *o = &build->override[k];
        if (o->duration_ns > longest_ns[o->stage])
            longest_ns[o->stage] = o->duration_ns;
    }
}

void br_dag_set_edge_pos(struct br_dag *dag, struct br_pos pos)
{
    uint32_t edge = dag->build->last_edge;
    if (edge != UINT32_MAX && dag->edge[edge].pos.line == 0)
        dag->edge[edge].pos = pos;
}

uint32_t br_dag_last_edge(const struct br_dag *dag)
{
    return dag->build->last_edge;
}

enum br_status br_dag_add_attribute(struct br_dag *dag, enum br_owner owner, uint32_t index,
                                    const char *name, const char *value, struct br_diag *diag)
{
    enum br_status status = br_dag_refuse_finished(dag, diag);
    if (status)
        return status;
    if (dag->attributes == BR_MAX_ATTRIBUTES)
        return br_fail(diag, BR_BAD_INPUT, "leave some out",
                       "the job has more than %u attributes, the most that are kept",
                       BR_MAX_ATTRIBUTES);
    char *n = br_arena_text(&dag->arena, name), *v = br_arena_text(&dag->arena, value);
    if (!n || !v ||
        !br_grow(&dag->attribute, dag->attributes, &dag->build->attribute_room,
                 sizeof *dag->attribute))
        return br_fail_memory(diag);
    dag->attribute[dag->attributes++] = (struct br_attribute){owner, index, n, v};
    return BR_OK;
}

enum br_status br_dag_add_doubt(struct br_dag *dag, struct br_diag *diag, const char *format, ...)
{
    char text[400];
    va_list args;
    BR_IN_MEMORY(dag);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *copy = br_arena_text(&dag->arena, text);
    if (!copy || !br_grow(&dag->doubt, dag->doubts, &dag->build->doubt_room, sizeof *dag->doubt))
        return br_fail_memory(diag);
    dag->doubt[dag->doubts++] = copy;
    return BR_OK;
}
