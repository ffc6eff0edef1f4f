/* Stages and edges of a project's tasks and links. A link of a summary is one of each task inside.
 * Of the four kinds of links the model has two: a task after another's end, and beside it. */
#include "parsers/projects/mspdi.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/index.h"
#include "base/collections/sort.h"
#include "base/text/text.h"
#include "parsers/text/value.h"

enum { NAME_MOST = 300, TENTH_OF_MINUTE_S = 6 };

struct mspdi_edge {
    uint32_t parent, child;
    bool stream;
    int64_t lag_ns;
    struct br_pos pos;
};

struct builder {
    struct mspdi *project;
    struct br_dag *dag;
    struct br_diag *diag;
    uint32_t edges, edge_room;
    struct mspdi_edge *edge;
    struct br_index by_uid; /* tasks */
    uint32_t twofold, leads, beside, constrained, inactive, raised;
};

static uint64_t task_hash(const void *context, uint32_t number)
{
    return br_hash_number((uint64_t)((const struct mspdi *)context)->task[number].uid);
}

static bool task_equal(const void *context, uint32_t number, const void *key)
{
    return ((const struct mspdi *)context)->task[number].uid == *(const int64_t *)key;
}

static const struct br_index_keys task_keys = {task_hash, task_equal};

/* The task of that UID; UINT32_MAX: none. */
static uint32_t mspdi_find(const struct builder *builder, int64_t uid)
{
    return br_index_find(&builder->by_uid, &task_keys, builder->project, &uid,
                         br_hash_number((uint64_t)uid));
}

/* Of several tasks of one UID the first counts. */
static bool index_tasks(struct builder *builder)
{
    const struct mspdi *project = builder->project;
    for (uint32_t t = 0; t < project->tasks; t++)
        if (!project->task[t].empty && mspdi_find(builder, project->task[t].uid) == UINT32_MAX &&
            !br_index_add(&builder->by_uid, &task_keys, project, t))
            return false;
    return true;
}

/* A summary's tasks follow it, at deeper levels: the first one that does not. */
static uint32_t mspdi_inside(const struct mspdi *project, uint32_t task)
{
    uint32_t end = task + 1;
    while (project->task[task].summary && end < project->tasks &&
           (project->task[end].empty || project->task[end].level > project->task[task].level))
        end++;
    return end;
}

static enum br_status add_stages(struct builder *builder)
{
    struct mspdi *project = builder->project;
    enum br_status status = BR_OK;
    for (uint32_t t = 0; t < project->tasks && !status; t++) {
        struct mspdi_task *task = &project->task[t];
        char id[NAME_MOST];
        if (task->empty || task->summary || task->inactive) {
            builder->inactive += task->inactive && !task->summary && !task->empty;
            continue;
        }
        builder->constrained += task->constrained;
        snprintf(id, sizeof id, "%.*s", 200,
                 *task->name && br_text_is_plain(task->name) ? task->name : "task");
        if (br_dag_find_stage(builder->dag, id) != UINT32_MAX || !*task->name)
            snprintf(id + strlen(id), sizeof id - strlen(id), " (%" PRId64 ")", task->uid);
        br_value_place(builder->diag, task->pos);
        status = br_dag_add_stage(builder->dag, id, 1, task->ns, &task->stage, builder->diag);
        if (status)
            return status;
        br_dag_set_stage_pos(builder->dag, task->stage, task->pos);
        snprintf(id, sizeof id, "%" PRId64, task->uid);
        status = br_dag_add_attribute(builder->dag, BR_OWNER_STAGE, task->stage, "uid", id,
                                      builder->diag);
    }
    return status;
}

static enum br_status keep_edge(struct builder *builder, struct mspdi_edge edge)
{
    if (edge.parent == UINT32_MAX || edge.child == UINT32_MAX || edge.parent == edge.child)
        return BR_OK;
    if (!br_grow(&builder->edge, builder->edges, &builder->edge_room, sizeof *builder->edge))
        return br_fail_memory(builder->diag);
    builder->edge[builder->edges++] = edge;
    return BR_OK;
}

/* Start to start becomes a stream, and so do the other two kinds without a lag: a stream keeps both
 * orders. With a lag they become one of the child after its parent's end, which is later still. */
static enum br_status add_link(struct builder *builder, const struct mspdi_link *link)
{
    struct mspdi *project = builder->project;
    struct mspdi_edge edge = {.pos = link->pos};
    uint32_t before = mspdi_find(builder, link->before), task = link->task;
    const bool percent =
        link->format == 19 || link->format == 20 || link->format == 51 || link->format == 52;
    if (before == UINT32_MAX)
        return br_fail_at(builder->diag, link->pos, BR_BAD_INPUT, "save the whole project",
                          "task '%.80s' waits for task %" PRId64 ", which is not in the file",
                          project->task[task].name, link->before);
    if (link->type < 0 || link->type > MSPDI_START_START || (percent && link->lag != 0))
        return br_fail_at(builder->diag, link->pos, BR_BAD_INPUT, "write it as a time",
                          "the link to task '%.80s' has a lag in per cent, or is of no known type",
                          project->task[task].name);
    edge.stream =
        link->type == MSPDI_START_START || (link->type != MSPDI_FINISH_START && link->lag <= 0);
    builder->leads += link->lag < 0;
    builder->beside += link->type != MSPDI_FINISH_START;
    edge.lag_ns = link->lag > 0 ? link->lag : 0;
    if (edge.lag_ns > INT64_MAX / 8000000000)
        return br_fail_at(builder->diag, link->pos, BR_BAD_INPUT, "write a shorter one",
                          "the lag is too long");
    edge.lag_ns *= TENTH_OF_MINUTE_S * INT64_C(1000000000);
    enum br_status status = BR_OK;
    for (uint32_t p = before; p < mspdi_inside(project, before) && !status; p++)
        for (uint32_t c = task; c < mspdi_inside(project, task) && !status; c++) {
            edge.parent = project->task[p].stage;
            edge.child = project->task[c].stage;
            status = keep_edge(builder, edge);
        }
    return status;
}

/* By both stages; of one pair an edge after the end first, then the longest lag. */
static int compare_edges(const void *a, const void *b)
{
    const struct mspdi_edge *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->child != y->child)
        return x->child < y->child ? -1 : 1;
    if (x->stream != y->stream)
        return x->stream ? 1 : -1;
    return x->lag_ns > y->lag_ns ? -1 : x->lag_ns < y->lag_ns;
}

static enum br_status add_edges(struct builder *builder)
{
    enum br_status status = BR_OK;
    br_sort_by(builder->edge, builder->edges, sizeof *builder->edge, compare_edges);
    for (uint32_t e = 0; e < builder->edges && !status; e++) {
        const struct mspdi_edge *edge = &builder->edge[e];
        if (e > 0 && edge[-1].parent == edge->parent && edge[-1].child == edge->child) {
            builder->twofold += edge->stream && edge->lag_ns && !edge[-1].stream;
            continue;
        }
        br_value_place(builder->diag, edge->pos);
        status =
            br_dag_add_edge(builder->dag, edge->parent, edge->child, BR_BARRIER, builder->diag);
        if (!status)
            br_dag_set_edge_pos(builder->dag, edge->pos);
        if (!status && edge->stream)
            status = br_dag_set_edge_stream(builder->dag, edge->parent, edge->child, builder->diag);
        if (!status && edge->lag_ns)
            status = br_dag_set_edge_lag(builder->dag, edge->parent, edge->child, edge->lag_ns,
                                         builder->diag);
    }
    return status;
}

/* The resource of that UID, if it works and has a name; NULL: there is none. */
static struct mspdi_resource *mspdi_resource(const struct mspdi *project, int64_t uid)
{
    for (uint32_t r = 0; r < project->resources; r++)
        if (project->resource[r].uid == uid && project->resource[r].type == 1 &&
            *project->resource[r].name)
            return &project->resource[r];
    return NULL;
}

/* Of several resources of one name the first counts. */
static bool is_first_of_name(const struct mspdi *project, const struct mspdi_resource *resource)
{
    for (const struct mspdi_resource *other = project->resource; other < resource; other++)
        if (other->type == 1 && strcmp(other->name, resource->name) == 0)
            return false;
    return true;
}

static enum br_status add_demands(struct builder *builder)
{
    struct mspdi *project = builder->project;
    char amount[BR_DECIMAL_TEXT];
    enum br_status status = BR_OK;
    for (uint32_t a = 0; a < project->assignments && !status; a++) {
        const struct mspdi_assignment *assignment = &project->assignment[a];
        struct mspdi_resource *resource = mspdi_resource(project, assignment->resource);
        uint32_t task = mspdi_find(builder, assignment->task);
        if (!resource || task == UINT32_MAX || project->task[task].stage == UINT32_MAX ||
            assignment->units.mantissa == 0 || !is_first_of_name(project, resource))
            continue;
        if (br_decimal_compare(assignment->units, resource->most) > 0)
            resource->most = assignment->units;
        br_decimal_format(assignment->units, amount, sizeof amount);
        br_value_place(builder->diag, assignment->pos);
        status = br_dag_add_demand(builder->dag, project->task[task].stage, resource->name, amount,
                                   builder->diag);
    }
    return status;
}

/* A machine that has what the resources are there for, or what a task takes of them. */
static enum br_status add_machine(struct builder *builder, struct br_input *input)
{
    struct mspdi *project = builder->project;
    char amount[BR_DECIMAL_TEXT];
    bool any = false;
    enum br_status status = BR_OK;
    for (uint32_t r = 0; r < project->resources && !status; r++) {
        struct mspdi_resource *resource = &project->resource[r];
        if (resource->most.mantissa == 0)
            continue;
        if (!any) {
            input->cluster = br_cluster_create(NULL);
            status = input->cluster
                         ? br_cluster_add_class(input->cluster, "project", 1, NULL, builder->diag)
                         : br_fail_memory(builder->diag);
        }
        any = true;
        if (br_decimal_compare(resource->units, resource->most) < 0) {
            resource->units = resource->most;
            builder->raised++;
        }
        br_decimal_format(resource->units, amount, sizeof amount);
        if (!status)
            status =
                br_cluster_add_capacity(input->cluster, 0, resource->name, amount, builder->diag);
    }
    return status;
}

static enum br_status add_doubts(const struct builder *builder)
{
    const struct {
        uint32_t count;
        const char *what;
    } doubt[] = {
        {builder->beside,
         "links are not from finish to start; they are kept, and tie more than that"},
        {builder->twofold,
         "links from start to start with a lag stand beside one from the end, which alone is kept"},
        {builder->leads, "links have a negative lag, which counts as none"},
        {builder->constrained, "tasks have a constraint by date, which is left out"},
        {builder->inactive, "tasks are inactive, and left out"},
        {builder->raised, "resources have fewer units than a task takes; they get as many"},
    };
    enum br_status status = BR_OK;
    for (size_t k = 0; k < sizeof doubt / sizeof *doubt && !status; k++)
        if (doubt[k].count)
            status = br_dag_add_doubt(builder->dag, builder->diag, "%" PRIu32 " %s", doubt[k].count,
                                      doubt[k].what);
    return status;
}

enum br_status br_mspdi_build(struct mspdi *project, struct br_input *input)
{
    struct builder builder = {.project = project, .dag = input->dag, .diag = project->diag};
    enum br_status status = index_tasks(&builder) ? BR_OK : br_fail_memory(builder.diag);
    if (!status)
        status = add_stages(&builder);
    for (uint32_t l = 0; l < project->links && !status; l++)
        if (!project->task[project->link[l].task].empty)
            status = add_link(&builder, &project->link[l]);
    if (!status)
        status = add_edges(&builder);
    if (!status)
        status = add_demands(&builder);
    if (!status)
        status = add_machine(&builder, input);
    if (!status)
        status = add_doubts(&builder);
    br_index_finish(&builder.by_uid);
    free(builder.edge);
    return status;
}
