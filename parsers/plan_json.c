/* Reads the plan form "bigrocks-plan/1" (docs/schema/plan-1.schema.json) back into a job, a cluster
 * and a plan, exactly: writing them again gives the same bytes. Unknown members are skipped,
 * so that plans of later 1.x writers read. What the members say is kept, not believed;
 * br_plan_verify judges it. Only what the structs cannot hold is refused here: ids that do not
 * exist, a task that is missing or there twice, ranks that are no permutation. */
#include "parsers/parsers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/json.h"
#include "parsers/source.h"

static const char format_name[] = "bigrocks-plan/1";
static const char rewrite[] = "write the plan again with --format json";

struct reader {
    struct br_json json;
    struct br_diag *diag;
    struct br_dag *dag;
    struct br_cluster *cluster;
    struct br_plan *plan;
    uint32_t *by_name; /* classes, by name */
};

enum {
    FORMAT,
    JOB,
    METHOD,
    SEED,
    MAKESPAN,
    LOWER_BOUND,
    BOUND_METHOD,
    PLACEMENTS,
    NOTE,
    ATTRIBUTES,
    RESOURCES,
    STAGES,
    EDGES,
    CLUSTER,
    TRIALS,
    PARTS,
    TASKS,
    TOP_FIELDS
};

/* The array of the field (absent: none), one call of `item` per element; the walk may stand
 * anywhere afterwards. */
static bool each(struct reader *r, const struct br_json_field *field, const char *what,
                 bool (*item)(struct reader *r, uint32_t k))
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field))
        return !json->status;
    br_json_array(json, what);
    for (uint32_t k = 0; br_json_item(json); k++)
        if (!item(r, k))
            return false;
    return !json->status;
}

/* A copy of the string at the field in the plan's arena; NULL where absent. */
static bool plan_text(struct reader *r, const struct br_json_field *field, const char **text)
{
    if (!br_json_go(&r->json, field))
        return !r->json.status;
    if (!br_json_string(&r->json, field->name))
        return false;
    *text = br_arena_text(&r->plan->arena, r->json.text);
    return *text || br_json_take(&r->json, field->at, br_fail_memory(r->diag));
}

static bool optional_count(struct reader *r, const struct br_json_field *field, uint64_t most,
                           uint64_t *count)
{
    if (!br_json_go(&r->json, field))
        return !r->json.status;
    return br_json_count(&r->json, field->name, most, count);
}

static bool optional_count32(struct reader *r, const struct br_json_field *field, uint32_t *count)
{
    uint64_t value = *count;
    bool read = optional_count(r, field, UINT32_MAX, &value);
    *count = (uint32_t)value;
    return read;
}

static bool optional_seconds(struct reader *r, const struct br_json_field *field, int64_t *ns)
{
    if (!br_json_go(&r->json, field))
        return !r->json.status;
    return br_json_seconds(&r->json, field->name, ns);
}

/* The stage that the next string names. */
static bool stage_named(struct reader *r, const char *what, uint32_t *stage)
{
    if (!br_json_string(&r->json, what))
        return false;
    *stage = br_dag_find_stage(r->dag, r->json.text);
    if (*stage == UINT32_MAX)
        return br_json_fail(&r->json, r->json.at - 1, rewrite, "there is no stage '%s'",
                            r->json.text);
    return true;
}

static bool read_attributes(struct reader *r, const struct br_json_field *field,
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

static bool read_resource(struct reader *r, uint32_t k)
{
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

static bool read_durations(struct reader *r, uint32_t stage, const struct br_json_field *field)
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
        if (optional_count(r, &f[0], UINT32_MAX, &index) &&
            optional_seconds(r, &f[1], &duration_ns))
            br_json_take(json, f[0].at,
                         br_dag_set_duration(r->dag, stage, (uint32_t)index, duration_ns, r->diag));
        json->at = after;
    }
    return !json->status;
}

static bool read_stage(struct reader *r, uint32_t k)
{
    enum { ID, COUNT, DURATION, DEMANDS, DURATIONS, COMMAND, STAGE_ATTRIBUTES, FIELDS };
    struct br_json *json = &r->json;
    struct br_json_field f[FIELDS] = {
        [ID] = {"id", true, NULL},
        [COUNT] = {"tasks", true, NULL},
        [DURATION] = {"duration", true, NULL},
        [DEMANDS] = {"demands", false, NULL},
        [DURATIONS] = {"durations", false, NULL},
        [COMMAND] = {"command", false, NULL},
        [STAGE_ATTRIBUTES] = {"attributes", false, NULL},
    };
    br_json_peek(json);
    struct br_pos pos = br_json_pos(json, json->at);
    if (!br_json_fields(json, "a stage", f, FIELDS))
        return false;
    const char *after = json->at;
    uint32_t tasks = 0, stage = 0;
    int64_t duration_ns = 0;
    if (optional_count32(r, &f[COUNT], &tasks) && optional_seconds(r, &f[DURATION], &duration_ns) &&
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
    read_durations(r, stage, &f[DURATIONS]);
    if (br_json_go(json, &f[COMMAND]) && br_json_string(json, "a command"))
        br_json_take(json, f[COMMAND].at, br_dag_set_command(r->dag, stage, json->text, r->diag));
    read_attributes(r, &f[STAGE_ATTRIBUTES], BR_OWNER_STAGE, stage);
    json->at = after;
    return !json->status;
}

static bool read_edge(struct reader *r, uint32_t k)
{
    enum { FROM, TO, TYPE, EDGE_ATTRIBUTES, FIELDS };
    struct br_json *json = &r->json;
    struct br_json_field f[FIELDS] = {
        [FROM] = {"from", true, NULL},
        [TO] = {"to", true, NULL},
        [TYPE] = {"type", false, NULL},
        [EDGE_ATTRIBUTES] = {"attributes", false, NULL},
    };
    br_json_peek(json);
    struct br_pos pos = br_json_pos(json, json->at);
    if (!br_json_fields(json, "an edge", f, FIELDS))
        return false;
    const char *after = json->at;
    uint32_t parent = 0, child = 0;
    enum br_edge_type type = BR_BARRIER;
    if (br_json_go(json, &f[TYPE]) && br_json_string(json, "an edge's type")) {
        if (strcmp(json->text, "one-to-one") == 0)
            type = BR_ONE_TO_ONE;
        else if (strcmp(json->text, "barrier") != 0)
            br_json_fail(json, f[TYPE].at, "write barrier or one-to-one", "'%s' is no type of edge",
                         json->text);
    }
    if (br_json_go(json, &f[FROM]) && stage_named(r, "a stage's id", &parent) &&
        br_json_go(json, &f[TO]) && stage_named(r, "a stage's id", &child))
        br_json_take(json, f[FROM].at, br_dag_add_edge(r->dag, parent, child, type, r->diag));
    if (!json->status)
        br_dag_set_edge_pos(r->dag, pos);
    read_attributes(r, &f[EDGE_ATTRIBUTES], BR_OWNER_EDGE, br_dag_last_edge(r->dag));
    json->at = after;
    return !json->status;
}

static bool read_class(struct reader *r, uint32_t k)
{
    enum { CLASS, COUNT, CAPACITIES, FIELDS };
    struct br_json *json = &r->json;
    struct br_json_field f[FIELDS] = {
        [CLASS] = {"class", true, NULL},
        [COUNT] = {"count", true, NULL},
        [CAPACITIES] = {"capacities", false, NULL},
    };
    if (!br_json_fields(json, "a class of machines", f, FIELDS))
        return false;
    const char *after = json->at;
    uint32_t count = 0, cls = 0;
    if (optional_count32(r, &f[COUNT], &count) && br_json_go(json, &f[CLASS]) &&
        br_json_string(json, "a class's name"))
        br_json_take(json, f[CLASS].at,
                     br_cluster_add_class(r->cluster, json->text, count, &cls, r->diag));
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

static int by_class_name(const void *a, const void *b, void *cluster)
{
    const struct br_class *cls = ((const struct br_cluster *)cluster)->cls;
    return strcmp(cls[*(const uint32_t *)a].name, cls[*(const uint32_t *)b].name);
}

static bool read_cluster(struct reader *r, const struct br_json_field *field)
{
    struct br_json *json = &r->json;
    struct br_json_field f[] = {{"name", false, NULL}, {"classes", true, NULL}};
    if (!br_json_go(json, field) || !br_json_fields(json, "the cluster", f, 2))
        return false;
    const char *name = NULL;
    if (br_json_go(json, &f[0]) && br_json_string(json, "the cluster's name"))
        name = json->text;
    if (json->status)
        return false;
    r->cluster = br_cluster_create(name);
    if (!r->cluster)
        return br_json_take(json, f[1].at, br_fail_memory(r->diag));
    if (!each(r, &f[1], "the classes of machines", read_class))
        return false;
    if (r->cluster->machines == 0)
        return br_json_fail(json, f[1].at, rewrite, "the cluster has no machines");
    r->by_name = malloc(r->cluster->classes * sizeof *r->by_name);
    if (!r->by_name)
        return br_json_take(json, f[1].at, br_fail_memory(r->diag));
    for (uint32_t c = 0; c < r->cluster->classes; c++)
        r->by_name[c] = c;
    qsort_r(r->by_name, r->cluster->classes, sizeof *r->by_name, by_class_name, r->cluster);
    return true;
}

/* Splits "name[12]" in place: the name stays, the index is returned. False where it is none. */
static bool split_index(char *text, uint32_t *index)
{
    size_t length = strlen(text);
    char *open = strrchr(text, '[');
    if (!open || open == text || text[length - 1] != ']' || open + 2 > text + length - 1 ||
        (open[1] == '0' && open[2] != ']'))
        return false;
    uint64_t value = 0;
    for (const char *p = open + 1; p < text + length - 1; p++) {
        if (*p < '0' || *p > '9' || value > UINT32_MAX)
            return false;
        value = value * 10 + (uint64_t)(*p - '0');
    }
    if (value > UINT32_MAX)
        return false;
    *open = 0;
    *index = (uint32_t)value;
    return true;
}

/* The task or machine that the next string names: a member of a group with several has an index. */
static bool task_named(struct reader *r, const struct br_json_field *field, uint32_t *task)
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field) || !br_json_string(json, "a task's id"))
        return false;
    uint32_t s = br_dag_find_stage(r->dag, json->text), index = 0;
    bool found = s != UINT32_MAX && r->dag->stage[s].tasks == 1;
    if (!found && split_index(json->text, &index)) {
        s = br_dag_find_stage(r->dag, json->text);
        found = s != UINT32_MAX && r->dag->stage[s].tasks > 1 && index < r->dag->stage[s].tasks;
    }
    if (!found) {
        br_json_go(json, field);
        br_json_string(json, "a task's id");
        return br_json_fail(json, field->at, rewrite, "the job has no task '%s'", json->text);
    }
    *task = r->dag->stage[s].first_task + index;
    return true;
}

static const struct br_class *class_named(const struct reader *r, const char *name)
{
    uint32_t low = 0, high = r->cluster->classes;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct br_class *cls = &r->cluster->cls[r->by_name[middle]];
        int order = strcmp(cls->name, name);
        if (order == 0)
            return cls;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool machine_named(struct reader *r, const struct br_json_field *field, uint32_t *machine)
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field) || !br_json_string(json, "a machine's name"))
        return false;
    const struct br_class *cls = class_named(r, json->text);
    uint32_t index = 0;
    bool found = cls && cls->count == 1;
    if (!found && split_index(json->text, &index)) {
        cls = class_named(r, json->text);
        found = cls && cls->count > 1 && index < cls->count;
    }
    if (!found) {
        br_json_go(json, field);
        br_json_string(json, "a machine's name");
        return br_json_fail(json, field->at, rewrite, "the cluster has no machine '%s'",
                            json->text);
    }
    *machine = cls->first_machine + index;
    return true;
}

static bool read_task(struct reader *r, uint32_t k)
{
    enum { ID, START, END, MACHINE, RANK, SUBSET, FIELDS };
    struct br_json *json = &r->json;
    struct br_plan *plan = r->plan;
    struct br_json_field f[FIELDS] = {
        [ID] = {"id", true, NULL},     [START] = {"start", true, NULL},
        [END] = {"end", true, NULL},   [MACHINE] = {"machine", true, NULL},
        [RANK] = {"rank", true, NULL}, [SUBSET] = {"subset", false, NULL},
    };
    uint32_t task = 0, machine = 0;
    uint64_t rank = 0;
    int64_t start_ns = 0, end_ns = 0;
    if (!br_json_fields(json, "a task", f, FIELDS))
        return false;
    const char *after = json->at;
    if (!task_named(r, &f[ID], &task) || !optional_seconds(r, &f[START], &start_ns) ||
        !optional_seconds(r, &f[END], &end_ns) || !machine_named(r, &f[MACHINE], &machine) ||
        !optional_count(r, &f[RANK], plan->tasks, &rank))
        return false;
    char subset = 'S';
    if (br_json_go(json, &f[SUBSET]) && br_json_string(json, "a task's subset")) {
        if (strlen(json->text) != 1 || !strchr("TSPC", json->text[0]))
            return br_json_fail(json, f[SUBSET].at, "subsets are T, S, P and C",
                                "'%s' is no subset", json->text);
        subset = json->text[0];
    }
    if (rank == 0)
        return br_json_fail(json, f[RANK].at, "ranks count from 1", "a task has rank 0");
    if (plan->rank[task])
        return br_json_fail(json, f[ID].at, rewrite,
                            "the task is there twice, also with rank %" PRIu32, plan->rank[task]);
    if (plan->order[rank - 1] != UINT32_MAX)
        return br_json_fail(json, f[RANK].at, rewrite, "two tasks have rank %" PRIu64, rank);
    plan->start_ns[task] = start_ns;
    plan->end_ns[task] = end_ns;
    plan->machine[task] = machine;
    plan->rank[task] = (uint32_t)rank;
    plan->subset[task] = subset;
    plan->order[rank - 1] = task;
    json->at = after;
    return !json->status;
}

static bool read_tasks(struct reader *r, const struct br_json_field *field)
{
    struct br_plan *plan = r->plan;
    memset(plan->order, 0xff, plan->tasks * sizeof *plan->order);
    if (!each(r, field, "the tasks", read_task))
        return false;
    for (uint32_t task = 0; task < plan->tasks; task++)
        if (plan->rank[task] == 0) {
            char id[200];
            br_dag_task_id(r->dag, task, id, sizeof id);
            return br_json_fail(&r->json, field->at, rewrite, "task '%s' is not planned", id);
        }
    return true;
}

/* Number of elements of the array, so that they fit one allocation. */
static bool count_items(struct reader *r, const struct br_json_field *field, uint32_t *count)
{
    struct br_json *json = &r->json;
    *count = 0;
    if (!br_json_go(json, field))
        return !json->status;
    br_json_array(json, field->name);
    while (br_json_item(json))
        if (br_json_skip(json))
            ++*count;
    return !json->status;
}

static bool read_trial(struct reader *r, uint32_t k)
{
    struct br_json *json = &r->json;
    struct br_json_field f[] = {{"method", true, NULL}, {"makespan", true, NULL}};
    struct br_plan_trial *trial = &r->plan->trial[k];
    if (!br_json_fields(json, "a trial", f, 2))
        return false;
    const char *after = json->at;
    plan_text(r, &f[0], &trial->method);
    optional_seconds(r, &f[1], &trial->makespan_ns);
    json->at = after;
    return !json->status;
}

/* A score, or null for none. It was written with nine decimals, so this is exact. */
static bool read_score(struct reader *r, const struct br_json_field *field, double *score)
{
    int64_t ns;
    *score = (double)NAN;
    if (!br_json_go(&r->json, field))
        return !r->json.status;
    if (br_json_peek(&r->json) == 'n')
        return br_json_skip(&r->json);
    if (!br_json_seconds(&r->json, field->name, &ns))
        return false;
    *score = (double)ns / 1e9;
    return true;
}

static bool read_subsets(struct reader *r, const struct br_json_field *field,
                         struct br_plan_part *part)
{
    struct br_json_field f[] = {
        {"T", false, NULL}, {"S", false, NULL}, {"P", false, NULL}, {"C", false, NULL}};
    if (!br_json_go(&r->json, field))
        return !r->json.status;
    return br_json_fields(&r->json, "the sizes of the subsets", f, 4) &&
           optional_count32(r, &f[0], &part->t) && optional_count32(r, &f[1], &part->s) &&
           optional_count32(r, &f[2], &part->p) && optional_count32(r, &f[3], &part->c);
}

static bool read_part(struct reader *r, uint32_t k)
{
    enum {
        PART_STAGES,
        PART_TASKS,
        START,
        PART_MAKESPAN,
        BOUND,
        PART_METHOD,
        BYPASS,
        ORDER,
        LONG_SCORE,
        FRAG_SCORE,
        SUBSETS,
        PAIRS,
        DISTINCT,
        DUPLICATE,
        PRUNED,
        VARIANTS,
        FIELDS
    };
    struct br_json *json = &r->json;
    struct br_json_field f[FIELDS] = {
        [PART_STAGES] = {"stages", false, NULL},    [PART_TASKS] = {"tasks", false, NULL},
        [START] = {"start", false, NULL},           [PART_MAKESPAN] = {"makespan", false, NULL},
        [BOUND] = {"lower_bound", false, NULL},     [PART_METHOD] = {"method", false, NULL},
        [BYPASS] = {"bypass", false, NULL},         [ORDER] = {"order", false, NULL},
        [LONG_SCORE] = {"long_score", false, NULL}, [FRAG_SCORE] = {"frag_score", false, NULL},
        [SUBSETS] = {"subsets", false, NULL},       [PAIRS] = {"pairs", false, NULL},
        [DISTINCT] = {"distinct", false, NULL},     [DUPLICATE] = {"duplicate", false, NULL},
        [PRUNED] = {"pruned", false, NULL},         [VARIANTS] = {"variants", false, NULL},
    };
    struct br_plan_part *part = &r->plan->part[k];
    if (!br_json_fields(json, "a part", f, FIELDS))
        return false;
    const char *after = json->at;
    optional_count32(r, &f[PART_STAGES], &part->stages);
    optional_count32(r, &f[PART_TASKS], &part->tasks);
    optional_seconds(r, &f[START], &part->start_ns);
    optional_seconds(r, &f[PART_MAKESPAN], &part->makespan_ns);
    optional_seconds(r, &f[BOUND], &part->lower_bound_ns);
    plan_text(r, &f[PART_METHOD], &part->method);
    plan_text(r, &f[BYPASS], &part->bypass);
    plan_text(r, &f[ORDER], &part->order);
    read_score(r, &f[LONG_SCORE], &part->long_score);
    read_score(r, &f[FRAG_SCORE], &part->frag_score);
    read_subsets(r, &f[SUBSETS], part);
    optional_count(r, &f[PAIRS], UINT64_MAX, &part->pairs);
    optional_count(r, &f[DISTINCT], UINT64_MAX, &part->distinct);
    optional_count(r, &f[DUPLICATE], UINT64_MAX, &part->duplicate);
    optional_count(r, &f[PRUNED], UINT64_MAX, &part->pruned);
    optional_count(r, &f[VARIANTS], UINT64_MAX, &part->variants);
    json->at = after;
    return !json->status;
}

static bool read_search(struct reader *r, const struct br_json_field *top)
{
    struct br_plan *plan = r->plan;
    if (!count_items(r, &top[TRIALS], &plan->trials) || !count_items(r, &top[PARTS], &plan->parts))
        return false;
    plan->trial = br_arena_array(&plan->arena, plan->trials, sizeof *plan->trial);
    plan->part = br_arena_array(&plan->arena, plan->parts, sizeof *plan->part);
    if (!plan->trial || !plan->part)
        return br_json_take(&r->json, r->json.at, br_fail_memory(r->diag));
    return each(r, &top[TRIALS], "the trials", read_trial) &&
           each(r, &top[PARTS], "the parts", read_part);
}

static bool read_format(struct reader *r, const struct br_json_field *format)
{
    struct br_json *json = &r->json;
    if (!format->at)
        return br_json_fail(json, json->start, rewrite, "this is no plan: it has no 'format'");
    if (!br_json_go(json, format) || !br_json_string(json, "the format's name"))
        return false;
    if (strcmp(json->text, format_name) == 0)
        return true;
    return br_json_fail(json, format->at,
                        strncmp(json->text, format_name, sizeof format_name - 2) == 0
                            ? "read it with the version of bigrocks that wrote it"
                            : rewrite,
                        "the format is '%s', not '%s'", json->text, format_name);
}

static bool read_job(struct reader *r, const struct br_json_field *top, const char *file)
{
    struct br_json *json = &r->json;
    const char *name = "";
    if (br_json_go(json, &top[JOB]) && br_json_string(json, "the job's name"))
        name = json->text;
    if (json->status)
        return false;
    r->dag = br_dag_create(name);
    if (!r->dag)
        return br_json_take(json, json->start, br_fail_memory(r->diag));
    if (!br_json_take(json, json->start, br_dag_set_source(r->dag, file, r->diag)))
        return false;
    if (!read_attributes(r, &top[ATTRIBUTES], BR_OWNER_JOB, 0) ||
        !each(r, &top[RESOURCES], "the resources", read_resource) ||
        !each(r, &top[STAGES], "the stages", read_stage) ||
        !each(r, &top[EDGES], "the edges", read_edge))
        return false;
    json->status = br_dag_finish(r->dag, r->diag); /* its faults have a place already */
    return !json->status;
}

static bool read_plan(struct reader *r, const char *file)
{
    struct br_json *json = &r->json;
    struct br_json_field top[TOP_FIELDS] = {
        [FORMAT] = {"format", false, NULL},
        [JOB] = {"job", false, NULL},
        [METHOD] = {"method", false, NULL},
        [SEED] = {"seed", false, NULL},
        [MAKESPAN] = {"makespan", true, NULL},
        [LOWER_BOUND] = {"lower_bound", false, NULL},
        [BOUND_METHOD] = {"bound_method", false, NULL},
        [PLACEMENTS] = {"placements", false, NULL},
        [NOTE] = {"note", false, NULL},
        [ATTRIBUTES] = {"attributes", false, NULL},
        [RESOURCES] = {"resources", false, NULL},
        [STAGES] = {"stages", true, NULL},
        [EDGES] = {"edges", false, NULL},
        [CLUSTER] = {"cluster", true, NULL},
        [TRIALS] = {"trials", false, NULL},
        [PARTS] = {"parts", false, NULL},
        [TASKS] = {"tasks", true, NULL},
    };
    if (!br_json_fields(json, "the plan", top, TOP_FIELDS) || !br_json_done(json) ||
        !read_format(r, &top[FORMAT]) || !read_job(r, top, file) || !read_cluster(r, &top[CLUSTER]))
        return false;
    r->plan = br_plan_create(r->dag->tasks);
    if (!r->plan)
        return br_json_take(json, json->start, br_fail_memory(r->diag));
    return plan_text(r, &top[METHOD], &r->plan->method) &&
           plan_text(r, &top[BOUND_METHOD], &r->plan->bound_method) &&
           plan_text(r, &top[NOTE], &r->plan->note) &&
           optional_count(r, &top[SEED], UINT64_MAX, &r->plan->seed) &&
           optional_count(r, &top[PLACEMENTS], UINT64_MAX, &r->plan->placements) &&
           optional_seconds(r, &top[MAKESPAN], &r->plan->makespan_ns) &&
           optional_seconds(r, &top[LOWER_BOUND], &r->plan->lower_bound_ns) &&
           read_search(r, top) && read_tasks(r, &top[TASKS]);
}

enum br_status br_parse_plan(const char *path, struct br_input *input, struct br_plan **plan,
                             struct br_diag *diag)
{
    *input = (struct br_input){0};
    *plan = NULL;
    struct br_source source;
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    struct reader r = {.diag = diag};
    char *text = NULL;
    status = br_source_text(&source, SIZE_MAX / 2, "plan", &text, diag);
    if (!status) {
        br_json_init(&r.json, text, strlen(text), diag);
        read_plan(&r, source.name);
        status = r.json.status;
        br_json_finish(&r.json);
    }
    free(text);
    free(r.by_name);
    br_source_close(&source);
    if (status) {
        br_plan_destroy(r.plan);
        br_cluster_destroy(r.cluster);
        br_dag_destroy(r.dag);
        return status;
    }
    *input = (struct br_input){r.dag, r.cluster};
    *plan = r.plan;
    return BR_OK;
}
