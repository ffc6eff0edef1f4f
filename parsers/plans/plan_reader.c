/* The common part of files with plans or with bounds and their jobs: the job and the cluster
 * inside.
 */
#include "parsers/plans/plan_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/text/source.h"

/* A task takes some 170 bytes, and no job has more than 2e7. */
static const size_t TEXT_LIMIT = (size_t)4 << 30;

/* The stage that the next string names. */
bool br_plan_stage_named(struct br_plan_reader *r, const char *what, uint32_t *stage)
{
    if (!br_json_string(&r->json, what))
        return false;
    *stage = br_dag_find_stage(r->dag, r->json.text);
    if (*stage == UINT32_MAX)
        return br_json_fail(&r->json, r->json.at - 1, BR_PLAN_REWRITE, "there is no stage '%s'",
                            r->json.text);
    return true;
}

bool br_plan_index_classes(struct br_plan_reader *r)
{
    return br_class_names_init(&r->classes, r->cluster) ||
           br_json_take(&r->json, r->json.at, br_fail_memory(r->diag));
}

bool br_plan_task_named(struct br_plan_reader *r, const struct br_json_field *field, uint32_t *task)
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field) || !br_json_string(json, "a task's id"))
        return false;
    *task = br_find_task_named(r->dag, json->text);
    return *task != UINT32_MAX ||
           br_json_fail(json, field->at, BR_PLAN_REWRITE, "the job has no task '%s'", json->text);
}

bool br_plan_machine_named(struct br_plan_reader *r, const struct br_json_field *field,
                           uint32_t *machine)
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field) || !br_json_string(json, "a machine's name"))
        return false;
    *machine = br_find_machine_named(&r->classes, json->text);
    return *machine != UINT32_MAX || br_json_fail(json, field->at, BR_PLAN_REWRITE,
                                                  "the cluster has no machine '%s'", json->text);
}

static bool read_attributes(struct br_plan_reader *r, const struct br_json_field *field,
                            enum br_owner owner, uint32_t index)
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field))
        return !json->status;
    br_json_object(json, "the attributes");
    while (br_json_member(json)) {
        if (br_json_string(json, "an attribute's value"))
            br_json_take(
                json, json->at,
                br_dag_add_attribute(r->dag, owner, index, json->key, json->text, r->diag));
    }
    return !json->status;
}

static bool plan_reader_read_resource(void *context, uint32_t k)
{
    struct br_plan_reader *r = context;
    struct br_json *json = &r->json;
    struct br_json_field f[] = {{"name", true, NULL}, {"unit", false, NULL}};
    if (!br_json_fields(json, "a resource", f, 2))
        return false;
    const char *after = json->at;
    char *unit = NULL;
    if (br_json_go(json, &f[1]) && br_json_string(json, "unit") && !(unit = strdup(json->text)))
        br_json_take(json, json->at, br_fail_memory(r->diag));
    if (br_json_go(json, &f[0]) && br_json_string(json, "name"))
        br_json_take(json, f[0].at, br_dag_add_resource(r->dag, json->text, unit, r->diag));
    free(unit);
    json->at = after;
    return !json->status;
}

static bool plan_reader_read_durations(struct br_plan_reader *r, uint32_t stage,
                                       const struct br_json_field *field)
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field))
        return !json->status;
    br_json_array(json, "the durations");
    while (br_json_item(json)) {
        struct br_json_field f[] = {{"index", true, NULL}, {"duration", true, NULL}};
        uint64_t index = 0;
        int64_t duration_ns = 0;
        br_json_fields(json, "a duration", f, 2);
        const char *after = json->at;
        if (br_json_optional_count(&r->json, &f[0], UINT32_MAX, &index) &&
            br_json_optional_seconds(&r->json, &f[1], &duration_ns))
            br_json_take(json, f[0].at,
                         br_dag_set_duration(r->dag, stage, (uint32_t)index, duration_ns, r->diag));
        json->at = after;
    }
    return !json->status;
}

/* A word in place of another, such as "end" for "start"; false after a fault. */
static bool is_word(struct br_plan_reader *r, const struct br_json_field *field, const char *first,
                    const char *second, bool *is_first)
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field))
        return !json->status;
    if (!br_json_string(json, field->name))
        return false;
    *is_first = strcmp(json->text, first) == 0;
    return *is_first || strcmp(json->text, second) == 0 ||
           br_json_fail(json, field->at, BR_PLAN_REWRITE, "%s '%.40s' is neither %s nor %s",
                        field->name, json->text, first, second);
}

struct stage_of {
    struct br_plan_reader *reader;
    uint32_t stage;
};

/* A copy of the string at the field, to be freed; NULL if there is none, or after a fault. */
static char *copy_string(struct br_plan_reader *r, const struct br_json_field *field)
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field))
        return NULL;
    char *copy = NULL;
    const bool is_text = strcmp(field->name, "amount") == 0 ? br_json_scalar(json, field->name)
                                                            : br_json_string(json, field->name);
    if (is_text && !(copy = strdup(json->text)))
        br_json_take(json, field->at, br_fail_memory(r->diag));
    return copy;
}

static bool read_output(void *context, uint32_t k)
{
    struct stage_of *of = context;
    struct br_plan_reader *r = of->reader;
    enum { ID, RESOURCE, AMOUNT, FROM, KEEP, FREE, FIELDS };
    struct br_json *json = &r->json;
    struct br_json_field f[FIELDS] = {
        [ID] = {"id", true, NULL},         [RESOURCE] = {"resource", true, NULL},
        [AMOUNT] = {"amount", true, NULL}, [FROM] = {"from", false, NULL},
        [KEEP] = {"keep", false, NULL},    [FREE] = {"free", false, NULL},
    };
    bool from_end = false, kept = true;
    if (!br_json_fields(json, "an output", f, FIELDS))
        return false;
    const char *after = json->at;
    char *id = copy_string(r, &f[ID]), *resource = copy_string(r, &f[RESOURCE]);
    char *amount = copy_string(r, &f[AMOUNT]), *release = copy_string(r, &f[FREE]);
    if (!json->status && is_word(r, &f[FROM], "end", "start", &from_end) &&
        is_word(r, &f[KEEP], "yes", "no", &kept))
        br_json_take(
            json, f[ID].at,
            br_dag_add_output(r->dag, of->stage, id, resource, amount,
                              (from_end ? BR_OUTPUT_FROM_END : 0) | (kept ? 0 : BR_OUTPUT_UNKEPT),
                              r->diag));
    if (!json->status && release)
        br_json_take(json, f[FREE].at,
                     br_dag_set_output_free(r->dag, of->stage, id, release, r->diag));
    free(id);
    free(resource);
    free(amount);
    free(release);
    json->at = after;
    return !json->status;
}

/* The release and the deadline of a task, or of all tasks of the stage (UINT32_MAX). */
static bool read_release(struct br_plan_reader *r, uint32_t stage, uint32_t index,
                         const struct br_json_field f[2])
{
    struct br_json *json = &r->json;
    int64_t ns = 0;
    if (f[0].at && br_json_optional_seconds(json, &f[0], &ns))
        br_json_take(json, f[0].at, br_dag_set_release(r->dag, stage, index, ns, r->diag));
    if (!json->status && f[1].at && br_json_optional_seconds(json, &f[1], &ns))
        br_json_take(json, f[1].at, br_dag_set_deadline(r->dag, stage, index, ns, r->diag));
    return !json->status;
}

static bool read_time(void *context, uint32_t k)
{
    struct stage_of *of = context;
    struct br_json *json = &of->reader->json;
    struct br_json_field f[] = {
        {"index", true, NULL}, {"release", false, NULL}, {"deadline", false, NULL}};
    uint64_t index = 0;
    if (!br_json_fields(json, "a task's times", f, 3))
        return false;
    const char *after = json->at;
    if (br_json_optional_count(json, &f[0], UINT32_MAX - 1, &index))
        read_release(of->reader, of->stage, (uint32_t)index, &f[1]);
    json->at = after;
    return !json->status;
}

static bool plan_reader_read_stage(void *context, uint32_t k)
{
    struct br_plan_reader *r = context;
    enum {
        ID,
        COUNT,
        DURATION,
        DEMANDS,
        DURATIONS,
        OUTPUTS,
        RELEASE,
        DEADLINE,
        TIMES,
        COMMAND,
        STAGE_ATTRIBUTES,
        WAYS,
        FIELDS = WAYS + BR_PLAN_WAYS
    };
    struct br_json *json = &r->json;
    struct br_json_field f[FIELDS] = {
        [ID] = {"id", true, NULL},
        [COUNT] = {"tasks", true, NULL},
        [DURATION] = {"duration", true, NULL},
        [DEMANDS] = {"demands", false, NULL},
        [DURATIONS] = {"durations", false, NULL},
        [OUTPUTS] = {"outputs", false, NULL},
        [RELEASE] = {"release", false, NULL},
        [DEADLINE] = {"deadline", false, NULL},
        [TIMES] = {"times", false, NULL},
        [COMMAND] = {"command", false, NULL},
        [STAGE_ATTRIBUTES] = {"attributes", false, NULL},
        [WAYS + BR_PLAN_ALTERNATIVES] = {"alternatives", false, NULL},
        [WAYS + BR_PLAN_CONSUMED] = {"consumed", false, NULL},
        [WAYS + BR_PLAN_CLASSES] = {"classes", false, NULL},
    };
    br_json_peek(json);
    struct br_pos pos = br_json_pos(json, json->at);
    if (!br_json_fields(json, "a stage", f, FIELDS))
        return false;
    const char *after = json->at;
    uint32_t tasks = 0, stage = 0;
    int64_t duration_ns = 0;
    if (br_json_optional_count32(&r->json, &f[COUNT], &tasks) &&
        br_json_optional_seconds(&r->json, &f[DURATION], &duration_ns) &&
        br_json_go(json, &f[ID]) && br_json_string(json, "a stage's id"))
        br_json_take(json, f[ID].at,
                     br_dag_add_stage(r->dag, json->text, tasks, duration_ns, &stage, r->diag));
    if (json->status)
        return false;
    br_dag_set_stage_pos(r->dag, stage, pos);
    if (br_json_go(json, &f[DEMANDS])) {
        br_json_object(json, "the demands");
        while (br_json_member(json)) {
            br_json_peek(json);
            const char *at = json->at;
            if (br_json_scalar(json, "an amount"))
                br_json_take(json, at,
                             br_dag_add_demand(r->dag, stage, json->key, json->text, r->diag));
        }
    }
    plan_reader_read_durations(r, stage, &f[DURATIONS]);
    struct stage_of of = {r, stage};
    if (json->status || !br_plan_read_ways(r, stage, &f[WAYS]) ||
        !br_json_each(json, &f[OUTPUTS], "the outputs", read_output, &of) ||
        !read_release(r, stage, UINT32_MAX, &f[RELEASE]) ||
        !br_json_each(json, &f[TIMES], "the times", read_time, &of))
        return false;
    if (br_json_go(json, &f[COMMAND]) && br_json_string(json, "a command"))
        br_json_take(json, f[COMMAND].at, br_dag_set_command(r->dag, stage, json->text, r->diag));
    read_attributes(r, &f[STAGE_ATTRIBUTES], BR_OWNER_STAGE, stage);
    json->at = after;
    return !json->status;
}

struct edge_of {
    struct br_plan_reader *reader;
    uint32_t parent, child;
};

static bool read_read(void *context, uint32_t k)
{
    struct edge_of *of = context;
    struct br_plan_reader *r = of->reader;
    struct br_json *json = &r->json;
    br_json_peek(json);
    const char *at = json->at;
    return br_json_string(json, "an output's id") &&
           br_json_take(json, at,
                        br_dag_set_edge_reads(r->dag, of->parent, of->child, json->text, r->diag));
}

/* What the edge reads, and how its child waits. */
static bool read_wait(struct edge_of *of, const struct br_json_field *reads,
                      const struct br_json_field *lag, const struct br_json_field *stream)
{
    struct br_plan_reader *r = of->reader;
    struct br_json *json = &r->json;
    int64_t lag_ns = 0;
    bool is_stream = false;
    if (reads->at &&
        !br_json_take(json, reads->at,
                      br_dag_set_edge_reads(r->dag, of->parent, of->child, "", r->diag)))
        return false;
    if (!br_json_each(json, reads, "the outputs that are read", read_read, of) ||
        !br_json_optional_seconds(json, lag, &lag_ns) ||
        !is_word(r, stream, "yes", "no", &is_stream))
        return false;
    if (lag_ns)
        br_json_take(json, lag->at,
                     br_dag_set_edge_lag(r->dag, of->parent, of->child, lag_ns, r->diag));
    if (!json->status && is_stream)
        br_json_take(json, stream->at,
                     br_dag_set_edge_stream(r->dag, of->parent, of->child, r->diag));
    return !json->status;
}

static bool plan_reader_read_edge(void *context, uint32_t k)
{
    struct br_plan_reader *r = context;
    enum { FROM, TO, TYPE, OVERLAP, BYTES, READS, LAG, STREAM, EDGE_ATTRIBUTES, FIELDS };
    struct br_json *json = &r->json;
    struct br_json_field f[FIELDS] = {
        [FROM] = {"from", true, NULL},
        [TO] = {"to", true, NULL},
        [TYPE] = {"type", false, NULL},
        [OVERLAP] = {"overlap", false, NULL},
        [BYTES] = {"bytes", false, NULL},
        [READS] = {"reads", false, NULL},
        [LAG] = {"lag", false, NULL},
        [STREAM] = {"stream", false, NULL},
        [EDGE_ATTRIBUTES] = {"attributes", false, NULL},
    };
    br_json_peek(json);
    struct br_pos pos = br_json_pos(json, json->at);
    if (!br_json_fields(json, "an edge", f, FIELDS))
        return false;
    const char *after = json->at;
    uint32_t parent = 0, child = 0;
    uint32_t type = BR_BARRIER;
    if (br_json_go(json, &f[TYPE]) && br_json_string(json, "an edge's type")) {
        type = br_named_find(&br_edge_types, json->text);
        if (type == BR_NO_ROW)
            br_json_fail(json, f[TYPE].at, "write barrier, one-to-one or range",
                         "'%s' is no type of edge", json->text);
    }
    if (br_json_go(json, &f[FROM]) && br_plan_stage_named(r, "a stage's id", &parent) &&
        br_json_go(json, &f[TO]) && br_plan_stage_named(r, "a stage's id", &child))
        br_json_take(json, f[FROM].at,
                     br_dag_add_edge(r->dag, parent, child, (enum br_edge_type)type, r->diag));
    if (!json->status)
        br_dag_set_edge_pos(r->dag, pos);
    uint64_t bytes = 0, overlap = 0;
    if (br_json_optional_count(json, &f[OVERLAP], BR_MAX_TASKS, &overlap) && overlap)
        br_json_take(json, f[OVERLAP].at,
                     br_dag_set_edge_overlap(r->dag, parent, child, (uint32_t)overlap, r->diag));
    if (br_json_optional_count(json, &f[BYTES], BR_MAX_BYTES, &bytes) && bytes)
        br_json_take(json, f[BYTES].at,
                     br_dag_set_edge_bytes(r->dag, parent, child, (int64_t)bytes, r->diag));
    struct edge_of of = {r, parent, child};
    if (json->status || !read_wait(&of, &f[READS], &f[LAG], &f[STREAM]))
        return false;
    read_attributes(r, &f[EDGE_ATTRIBUTES], BR_OWNER_EDGE, br_dag_last_edge(r->dag));
    json->at = after;
    return !json->status;
}

static bool read_class(void *context, uint32_t k)
{
    struct br_plan_reader *r = context;
    enum { CLASS, COUNT, UP, DOWN, SPEED, CAPACITIES, FIELDS };
    struct br_json *json = &r->json;
    struct br_json_field f[FIELDS] = {
        [CLASS] = {"class", true, NULL},  [COUNT] = {"count", true, NULL},
        [UP] = {"up", false, NULL},       [DOWN] = {"down", false, NULL},
        [SPEED] = {"speed", false, NULL}, [CAPACITIES] = {"capacities", false, NULL},
    };
    if (!br_json_fields(json, "a class of machines", f, FIELDS))
        return false;
    const char *after = json->at;
    uint32_t count = 0, cls = 0;
    if (br_json_optional_count32(&r->json, &f[COUNT], &count) && br_json_go(json, &f[CLASS]) &&
        br_json_string(json, "a class's name"))
        br_json_take(json, f[CLASS].at,
                     br_cluster_add_class(r->cluster, json->text, count, &cls, r->diag));
    uint64_t up = 0, down = 0;
    if (br_json_optional_count(json, &f[UP], BR_MAX_RATE, &up) &&
        br_json_optional_count(json, &f[DOWN], BR_MAX_RATE, &down) && (f[UP].at || f[DOWN].at))
        br_json_take(json, f[UP].at ? f[UP].at : f[DOWN].at,
                     br_cluster_set_network(r->cluster, cls, (int64_t)up, (int64_t)down, r->diag));
    if (br_json_go(json, &f[SPEED]) && br_json_scalar(json, "a speed"))
        br_json_take(json, f[SPEED].at, br_cluster_set_speed(r->cluster, cls, json->text, r->diag));
    if (br_json_go(json, &f[CAPACITIES])) {
        br_json_object(json, "the capacities");
        while (br_json_member(json)) {
            br_json_peek(json);
            const char *at = json->at;
            if (br_json_scalar(json, "an amount"))
                br_json_take(
                    json, at,
                    br_cluster_add_capacity(r->cluster, cls, json->key, json->text, r->diag));
        }
    }
    json->at = after;
    return !json->status;
}

bool br_plan_read_job(struct br_plan_reader *r, const struct br_json_field *top, const char *file)
{
    struct br_json *json = &r->json;
    const char *name = "";
    if (br_json_go(json, &top[BR_PLAN_JOB]) && br_json_string(json, "the job's name"))
        name = json->text;
    if (json->status)
        return false;
    r->dag = br_dag_create(name);
    if (!r->dag)
        return br_json_take(json, json->start, br_fail_memory(r->diag));
    if (!br_json_take(json, json->start, br_dag_set_source(r->dag, file, r->diag)))
        return false;
    if (!read_attributes(r, &top[BR_PLAN_ATTRIBUTES], BR_OWNER_JOB, 0) ||
        !br_json_each(&r->json, &top[BR_PLAN_RESOURCES], "the resources", plan_reader_read_resource,
                      r) ||
        !br_json_each(&r->json, &top[BR_PLAN_STAGES], "the stages", plan_reader_read_stage, r) ||
        !br_json_each(&r->json, &top[BR_PLAN_EDGES], "the edges", plan_reader_read_edge, r))
        return false;
    json->status = br_dag_finish(r->dag, r->diag); /* its faults have a place already */
    return !json->status;
}

static bool read_fungible(void *context, uint32_t k)
{
    struct br_plan_reader *r = context;
    struct br_json *json = &r->json;
    br_json_peek(json);
    const char *at = json->at;
    return br_json_string(json, "a resource's name") &&
           br_json_take(json, at, br_cluster_set_fungible(r->cluster, json->text, r->diag));
}

static bool read_generic(void *context, uint32_t k)
{
    struct br_plan_reader *r = context;
    struct br_json *json = &r->json;
    br_json_peek(json);
    const char *at = json->at;
    return br_json_string(json, "a resource's name") &&
           br_json_take(json, at, br_cluster_set_generic(r->cluster, json->text, r->diag));
}

/* A window or, with a resource, a change. */
static bool read_span(struct br_plan_reader *r, bool is_change)
{
    enum { FROM, TO, CLASS, INDEX, RESOURCE, AMOUNT, FIELDS };
    struct br_json *json = &r->json;
    struct br_json_field f[FIELDS] = {
        [FROM] = {"from", false, NULL},
        [TO] = {"to", false, NULL},
        [CLASS] = {"class", false, NULL},
        [INDEX] = {"index", false, NULL},
        [RESOURCE] = {"resource", is_change, NULL},
        [AMOUNT] = {"amount", is_change, NULL},
    };
    int64_t from_ns = 0, to_ns = BR_FOREVER;
    uint32_t cls = UINT32_MAX, index = UINT32_MAX;
    br_json_peek(json);
    const char *at = json->at;
    if (!br_json_fields(json, is_change ? "a change" : "a window", f, FIELDS))
        return false;
    const char *after = json->at;
    if (br_json_go(json, &f[CLASS]) && br_json_string(json, "a class")) {
        for (cls = 0; cls < r->cluster->classes; cls++)
            if (strcmp(r->cluster->cls[cls].name, json->text) == 0)
                break;
        if (cls == r->cluster->classes)
            br_json_fail(json, f[CLASS].at, BR_PLAN_REWRITE, "there is no class '%s'", json->text);
    }
    br_json_optional_seconds(json, &f[FROM], &from_ns);
    br_json_optional_seconds(json, &f[TO], &to_ns);
    br_json_optional_count32(json, &f[INDEX], &index);
    char *resource = copy_string(r, &f[RESOURCE]), *amount = copy_string(r, &f[AMOUNT]);
    if (!json->status)
        br_json_take(json, at,
                     is_change ? br_cluster_add_change(r->cluster, resource, cls, index, from_ns,
                                                       to_ns, amount, r->diag)
                               : br_cluster_add_unavailable(r->cluster, cls, index, from_ns, to_ns,
                                                            r->diag));
    free(resource);
    free(amount);
    json->at = after;
    return !json->status;
}

static bool read_unavailable(void *context, uint32_t k)
{
    return read_span(context, false);
}

static bool read_change(void *context, uint32_t k)
{
    return read_span(context, true);
}

static bool read_shared(struct br_plan_reader *r, const struct br_json_field *field)
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field))
        return !json->status;
    br_json_object(json, "the shared resources");
    while (br_json_member(json)) {
        br_json_peek(json);
        const char *at = json->at;
        if (br_json_scalar(json, "an amount"))
            br_json_take(json, at,
                         br_cluster_add_shared(r->cluster, json->key, json->text, r->diag));
    }
    return !json->status;
}

/* Partition, account and time factor, each by itself. */
static bool plan_reader_read_site(struct br_plan_reader *r, const struct br_json_field f[3])
{
    struct br_json *json = &r->json;
    for (int k = 0; k < 3; k++) {
        if (!br_json_go(json, &f[k])) {
            if (json->status)
                return false;
            continue;
        }
        if (!br_json_string(json, "what the site is told") ||
            !br_json_take(json, f[k].at,
                          br_cluster_set_site(r->cluster, k == 0 ? json->text : NULL,
                                              k == 1 ? json->text : NULL,
                                              k == 2 ? json->text : NULL, r->diag)))
            return false;
    }
    return true;
}

bool br_plan_read_cluster(struct br_plan_reader *r, const struct br_json_field *field)
{
    struct br_json *json = &r->json;
    struct br_json_field f[] = {{"name", false, NULL},        {"classes", true, NULL},
                                {"fungible", false, NULL},    {"generic", false, NULL},
                                {"partition", false, NULL},   {"account", false, NULL},
                                {"time-factor", false, NULL}, {"shared", false, NULL},
                                {"unavailable", false, NULL}, {"changes", false, NULL}};
    if (!br_json_go(json, field) || !br_json_fields(json, "the cluster", f, sizeof f / sizeof *f))
        return false;
    const char *name = NULL;
    if (br_json_go(json, &f[0]) && br_json_string(json, "the cluster's name"))
        name = json->text;
    if (json->status)
        return false;
    r->cluster = br_cluster_create(name);
    if (!r->cluster)
        return br_json_take(json, f[1].at, br_fail_memory(r->diag));
    if (!br_json_each(&r->json, &f[1], "the classes of machines", read_class, r))
        return false;
    if (r->cluster->machines == 0)
        return br_json_fail(json, f[1].at, BR_PLAN_REWRITE, "the cluster has no machines");
    return br_json_each(&r->json, &f[2], "the fungible resources", read_fungible, r) &&
           br_json_each(&r->json, &f[3], "the generic resources", read_generic, r) &&
           plan_reader_read_site(r, &f[4]) && read_shared(r, &f[7]) &&
           br_json_each(&r->json, &f[8], "the windows", read_unavailable, r) &&
           br_json_each(&r->json, &f[9], "the changes", read_change, r);
}

enum br_status br_plan_read_source(struct br_plan_reader *r, struct br_source *source,
                                   const char *what,
                                   bool (*read)(struct br_plan_reader *r, const char *file),
                                   struct br_input *input)
{
    char *text = NULL;
    enum br_status status = BR_OK;
    *input = (struct br_input){0};
    /* The beginning of another kind of file is enough to say so. */
    const char *first = source->buffer + strspn(source->buffer, " \t\r\n");
    const bool is_object = *first == '{' || *first == '\0';
    if (is_object)
        status = br_source_text(source, TEXT_LIMIT, what, &text, r->diag);
    if (!status) {
        const char *begin = is_object ? text : source->buffer;
        br_json_init(&r->json, begin, strlen(begin), r->diag);
        read(r, source->name);
        status = r->json.status;
        br_json_finish(&r->json);
    }
    free(text);
    br_class_names_finish(&r->classes);
    free(r->by_ends);
    if (!status) {
        *input = (struct br_input){.dag = r->dag, .cluster = r->cluster};
        return BR_OK;
    }
    br_plan_destroy(r->plan);
    br_certificate_destroy(r->certificate);
    br_cluster_destroy(r->cluster);
    br_dag_destroy(r->dag);
    *r = (struct br_plan_reader){.diag = r->diag};
    return status;
}
