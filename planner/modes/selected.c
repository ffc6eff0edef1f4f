#include "planner/modes/selected.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "planner/modes/dress.h"

/* From so many edges between the pieces of two stages on a task that takes no time stands between
 * them: it makes planning quicker, and is no task of the job. */
enum { EDGES_MOST = 16, EDGES_MOST_OF_RUN = 10000 };

/* Tasks of one stage that run in one way; or a single task, if others wait for just that one. */
struct piece {
    uint32_t stage, way;
    uint32_t first, tasks; /* in selecting.listed */
};

struct selecting {
    const struct br_modes *modes;
    const uint32_t *way;
    enum br_selected_use use;
    struct piece *piece;
    uint32_t pieces, room;
    uint32_t *piece_first; /* by stage */
    uint32_t *listed;      /* tasks, by piece */
    bool *single;          /* by stage: each of its tasks is a piece */
    uint32_t joints;
    struct br_selected *to;
    struct br_diag *diag;
};

bool br_selected_splits(const struct br_dag *dag)
{
    return !dag->storage && !dag->times;
}

/* ---- Pieces ---- */

static bool is_split(const struct selecting *s, uint32_t stage)
{
    const struct br_stage *of = &s->modes->dag->stage[stage];
    for (uint32_t i = 1; i < of->tasks; i++)
        if (s->way[of->first_task + i] != s->way[of->first_task])
            return true;
    return false;
}

/* If a stage is split, so are those with which it is joined one to one, task by task. */
static void find_single(struct selecting *s)
{
    const struct br_dag *dag = s->modes->dag;
    for (uint32_t k = 0; k < dag->stages && s->use != BR_SELECTED_PLANNED; k++)
        s->single[k] = is_split(s, k);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < dag->edges; e++) {
            const uint32_t p = dag->edge[e].parent, c = dag->edge[e].child;
            if (!br_dag_is_paired(dag, &dag->edge[e]) || (s->single[p] && s->single[c]))
                continue;
            if (s->single[p] || s->single[c] || is_split(s, p) || is_split(s, c))
                changed = s->single[p] = s->single[c] = true;
        }
    }
}

static bool selected_add_piece(struct selecting *s, uint32_t stage, uint32_t way, uint32_t first,
                               uint32_t tasks)
{
    if (!br_grow(&s->piece, s->pieces, &s->room, sizeof *s->piece))
        return false;
    s->piece[s->pieces++] = (struct piece){stage, way, first, tasks};
    return true;
}

static bool list_pieces(struct selecting *s)
{
    const struct br_modes *modes = s->modes;
    uint32_t listed = 0;
    bool ok = true;
    for (uint32_t stage = 0; stage < modes->stages; stage++) {
        const struct br_stage *of = &modes->dag->stage[stage];
        s->piece_first[stage] = s->pieces;
        for (uint32_t i = 0; s->single[stage] && i < of->tasks; i++) {
            s->listed[listed] = of->first_task + i;
            ok = ok && selected_add_piece(s, stage, s->way[of->first_task + i], listed++, 1);
        }
        for (uint32_t w = modes->way_first[stage];
             !s->single[stage] && w < modes->way_first[stage + 1]; w++) {
            const uint32_t first = listed;
            for (uint32_t t = of->first_task; t < of->first_task + of->tasks; t++)
                if (s->way[t] == w)
                    s->listed[listed++] = t;
            if (listed > first)
                ok = ok && selected_add_piece(s, stage, w, first, listed - first);
        }
    }
    s->piece_first[modes->stages] = s->pieces;
    return ok;
}

/* ---- The job ---- */

/* The names of the way's classes, such as "gpu+old". False if they do not tell sets of classes
 * apart, or are too long. */
static bool write_class_names(const struct br_modes *modes, uint32_t way, char *name, size_t size)
{
    const struct br_way *w = &modes->way[way];
    size_t used = 0;
    for (uint32_t k = 0; k < w->classes; k++) {
        const char *cls = modes->cluster->cls[modes->class_of[w->first_class + k]].name;
        if (strchr(cls, '+') || used + strlen(cls) + 2 > size)
            return false;
        used += (size_t)snprintf(name + used, size - used, "%s%s", k ? "+" : "", cls);
    }
    return true;
}

/* Does the job or the cluster have a resource of this name? */
static bool is_named(const struct br_modes *modes, const char *name)
{
    const struct br_cluster *cluster = modes->cluster;
    for (uint32_t r = 0; r < modes->dag->resources; r++)
        if (strcmp(modes->dag->resource[r].name, name) == 0)
            return true;
    for (uint32_t c = 0; c < cluster->classes; c++)
        if (br_class_capacity(&cluster->cls[c], name))
            return true;
    for (uint32_t k = 0; k < cluster->shareds; k++)
        if (strcmp(cluster->shared[k].resource, name) == 0)
            return true;
    return false;
}

/* The resource that machines of the way's classes have, by a name that neither the job nor the
 * cluster uses. */
static void name_of_classes(const struct selecting *s, uint32_t way, char *name, size_t size)
{
    static const char start[] = "class";
    const struct br_modes *modes = s->modes;
    const struct br_way *w = &modes->way[way];
    size_t used = (size_t)snprintf(name, size, "%s-", start);
    if (s->use != BR_SELECTED_PLANNED && write_class_names(modes, way, name + used, size / 2)) {
        used += strlen(name + used);
    } else {
        used = sizeof start - 1;
        for (uint32_t k = 0; k < w->classes && used + 12 < size; k++)
            used += (size_t)snprintf(name + used, size - used, "-%" PRIu32,
                                     modes->class_of[w->first_class + k]);
    }
    while (used + 1 < size && is_named(modes, name)) {
        name[used++] = '-';
        name[used] = 0;
    }
}

enum { CLASSES_TEXT = 4000 };

static enum br_status selected_add_demands(struct selecting *s, uint32_t stage, uint32_t way)
{
    const struct br_dag *dag = s->modes->dag;
    const struct br_way *w = &s->modes->way[way];
    uint32_t resource;
    struct br_decimal amount;
    enum br_status status = BR_OK;
    for (uint32_t k = 0;
         !status && br_mode_demand(dag, w->stage, w->alternative, k, &resource, &amount); k++) {
        char text[BR_DECIMAL_TEXT];
        br_decimal_format(amount, text, sizeof text);
        if (amount.mantissa)
            status =
                br_dag_add_demand(s->to->dag, stage, dag->resource[resource].name, text, s->diag);
    }
    if (!status && !w->anywhere && s->use != BR_SELECTED_DRAWN) {
        char name[CLASSES_TEXT];
        name_of_classes(s, way, name, sizeof name);
        status = br_dag_add_demand(s->to->dag, stage, name, "1", s->diag);
    }
    return status;
}

static enum br_status selected_add_stage(struct selecting *s, uint32_t number)
{
    const struct br_modes *modes = s->modes;
    const struct piece *p = &s->piece[number];
    const struct br_stage *of = &modes->dag->stage[p->stage];
    const bool whole = p->tasks == of->tasks;
    const int64_t first = br_way_duration(modes, p->way, s->listed[p->first]);
    char id[400];
    uint32_t stage;
    if (whole)
        snprintf(id, sizeof id, "%.300s", of->id);
    else if (s->use != BR_SELECTED_PLANNED)
        br_dag_task_id(modes->dag, s->listed[p->first], id, sizeof id);
    else
        snprintf(id, sizeof id, "%.300s#%" PRIu32, of->id, number);
    /* Two ids of stages are equal if the long ones are cut, or if the job's have such an end. */
    while (br_dag_find_stage(s->to->dag, id) != UINT32_MAX ||
           (!whole && br_dag_find_stage(modes->dag, id) != UINT32_MAX))
        snprintf(id, sizeof id, "#%" PRIu32 "#%" PRIu32, number, s->joints++);
    enum br_status status = br_dag_add_stage(s->to->dag, id, p->tasks, first, &stage, s->diag);
    for (uint32_t i = 1; i < p->tasks && !status; i++) {
        const int64_t ns = br_way_duration(modes, p->way, s->listed[p->first + i]);
        if (ns != first)
            status = br_dag_set_duration(s->to->dag, stage, i, ns, s->diag);
    }
    if (!status)
        status = selected_add_demands(s, stage, p->way);
    if (status || s->use == BR_SELECTED_PLANNED)
        return status;
    return br_stage_dress(modes, p->way, s->listed[p->first], s->to->dag, stage, s->diag);
}

static enum br_status selected_add_joint(struct selecting *s, uint32_t *stage)
{
    char id[40];
    do
        snprintf(id, sizeof id, "#%" PRIu32, s->joints++);
    while (br_dag_find_stage(s->to->dag, id) != UINT32_MAX);
    return br_dag_add_stage(s->to->dag, id, 1, 0, stage, s->diag);
}

/* All pieces of the child wait for all of the parent. */
static enum br_status join_all(struct selecting *s, uint32_t parent, uint32_t child)
{
    const uint32_t p = s->piece_first[parent], p_end = s->piece_first[parent + 1];
    const uint32_t c = s->piece_first[child], c_end = s->piece_first[child + 1];
    const uint32_t most = s->use == BR_SELECTED_PLANNED ? EDGES_MOST : EDGES_MOST_OF_RUN;
    enum br_status status = BR_OK;
    if ((uint64_t)(p_end - p) * (c_end - c) <= most) {
        for (uint32_t i = p; i < p_end; i++)
            for (uint32_t j = c; j < c_end && !status; j++)
                status = br_dag_add_edge(s->to->dag, i, j, BR_BARRIER, s->diag);
        return status;
    }
    uint32_t joint;
    status = selected_add_joint(s, &joint);
    for (uint32_t i = p; i < p_end && !status; i++)
        status = br_dag_add_edge(s->to->dag, i, joint, BR_BARRIER, s->diag);
    for (uint32_t j = c; j < c_end && !status; j++)
        status = br_dag_add_edge(s->to->dag, joint, j, BR_BARRIER, s->diag);
    return status;
}

static enum br_status selected_add_edge(struct selecting *s, const struct br_edge *edge)
{
    const struct br_dag *dag = s->modes->dag;
    const uint32_t p = s->piece_first[edge->parent], c = s->piece_first[edge->child];
    if (!br_dag_is_paired(dag, edge))
        return join_all(s, edge->parent, edge->child);
    if (!s->single[edge->parent])
        return br_dag_add_edge(s->to->dag, p, c, BR_ONE_TO_ONE, s->diag);
    enum br_status status = BR_OK;
    for (uint32_t i = 0; i < dag->stage[edge->parent].tasks && !status; i++)
        status = br_dag_add_edge(s->to->dag, p + i, c + i, BR_BARRIER, s->diag);
    return status;
}

/* Attributes, and the bytes of edges between stages that are not split. */
static enum br_status selected_keep_rest(struct selecting *s)
{
    const struct br_dag *dag = s->modes->dag;
    enum br_status status = br_job_dress(dag, s->piece_first, s->to->dag, s->diag);
    bool told = false;
    for (uint32_t e = 0; e < dag->edges && !status; e++) {
        const struct br_edge *edge = &dag->edge[e];
        const bool split = s->piece_first[edge->parent] + 1 != s->piece_first[edge->parent + 1] ||
                           s->piece_first[edge->child] + 1 != s->piece_first[edge->child + 1];
        if (edge->bytes && !split)
            status = br_dag_set_edge_bytes(s->to->dag, s->piece_first[edge->parent],
                                           s->piece_first[edge->child], edge->bytes, s->diag);
        else if (edge->bytes && !told && (told = true))
            status = br_dag_add_doubt(s->to->dag, s->diag,
                                      "bytes between stages whose tasks run in several ways are "
                                      "left out, such as those from '%.80s' to '%.80s'",
                                      dag->stage[edge->parent].id, dag->stage[edge->child].id);
    }
    return status;
}

static enum br_status make_job(struct selecting *s)
{
    const struct br_dag *dag = s->modes->dag;
    enum br_status status = BR_OK;
    for (uint32_t r = 0; r < dag->resources && !status; r++)
        status =
            br_dag_add_resource(s->to->dag, dag->resource[r].name, dag->resource[r].unit, s->diag);
    for (uint32_t k = 0; k < s->pieces && !status; k++)
        status = selected_add_stage(s, k);
    for (uint32_t e = 0; e < dag->edges && !status; e++)
        status = selected_add_edge(s, &dag->edge[e]);
    if (!status && s->use != BR_SELECTED_PLANNED)
        status = selected_keep_rest(s);
    if (!status && !br_selected_splits(dag))
        status = br_dag_copy_held_and_timed(s->to->dag, dag, s->diag);
    return status ? status : br_dag_finish(s->to->dag, s->diag);
}

/* ---- The cluster ---- */

static bool runs_on_class(const struct br_modes *modes, uint32_t way, uint32_t cls)
{
    const struct br_way *w = &modes->way[way];
    for (uint32_t k = 0; k < w->classes; k++)
        if (modes->class_of[w->first_class + k] == cls)
            return true;
    return false;
}

static enum br_status selected_offer(struct selecting *s, uint32_t cls, const char *resource,
                                     struct br_decimal amount)
{
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(amount, text, sizeof text);
    return br_cluster_add_capacity(s->to->cluster, cls, resource, text, s->diag);
}

/* As much of the resources of classes as tasks can demand. */
static enum br_status offer_classes(struct selecting *s, uint32_t cls)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < s->pieces && !status; k++) {
        char name[CLASSES_TEXT];
        const uint32_t way = s->piece[k].way;
        if (s->modes->way[way].anywhere || !runs_on_class(s->modes, way, cls))
            continue;
        name_of_classes(s, way, name, sizeof name);
        if (!br_class_capacity(&s->to->cluster->cls[cls], name))
            status = selected_offer(
                s, cls, name, (struct br_decimal){.mantissa = s->modes->tasks, .exponent = 0});
    }
    return status;
}

/* Does an alternative or an output hold some of it? */
static bool is_held(const struct br_modes *modes, const char *name)
{
    const struct br_dag *dag = modes->dag;
    uint32_t resource;
    struct br_decimal amount;
    for (uint32_t w = 0; w < modes->way_first[dag->stages]; w++)
        for (uint32_t k = 0; br_mode_demand(dag, modes->way[w].stage, modes->way[w].alternative, k,
                                            &resource, &amount);
             k++)
            if (amount.mantissa && strcmp(dag->resource[resource].name, name) == 0)
                return true;
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++)
        if (strcmp(dag->resource[dag->storage->output[o].resource].name, name) == 0)
            return true;
    return false;
}

static enum br_status make_cluster(struct selecting *s)
{
    const struct br_cluster *cluster = s->modes->cluster;
    enum br_status status = BR_OK;
    for (uint32_t c = 0; c < cluster->classes && !status; c++) {
        const struct br_class *cls = &cluster->cls[c];
        uint32_t made;
        status = br_cluster_add_class(s->to->cluster, cls->name, cls->count, &made, s->diag);
        for (uint32_t k = 0; k < cls->capacities && !status; k++)
            status = selected_offer(s, made, cls->capacity[k].resource, cls->capacity[k].amount);
        if (!status && s->use != BR_SELECTED_DRAWN)
            status = offer_classes(s, c);
        if (!status && s->use != BR_SELECTED_PLANNED)
            status = br_class_dress(cluster, c, s->to->cluster, s->diag);
    }
    if (!status && s->use != BR_SELECTED_PLANNED)
        status = br_cluster_dress(cluster, s->to->cluster, s->diag);
    for (uint32_t k = 0; k < cluster->shareds && !status; k++) {
        char text[BR_DECIMAL_TEXT];
        if (s->use != BR_SELECTED_PLANNED && !is_held(s->modes, cluster->shared[k].resource))
            continue;
        br_decimal_format(cluster->shared[k].amount, text, sizeof text);
        status = br_cluster_add_shared(s->to->cluster, cluster->shared[k].resource, text, s->diag);
    }
    return status ? status : br_cluster_copy_calendar(s->to->cluster, cluster, s->diag);
}

/* ---- The whole ---- */

enum br_status br_selected_make(const struct br_modes *modes, const uint32_t *way,
                                enum br_selected_use use, struct br_selected *selected,
                                struct br_diag *diag)
{
    const struct br_dag *dag = modes->dag;
    *selected = (struct br_selected){.dag = br_dag_create(dag->name),
                                     .cluster = br_cluster_create(modes->cluster->name)};
    struct selecting s = {.modes = modes,
                          .way = way,
                          .use = use,
                          .piece_first =
                              br_malloc(((size_t)dag->stages + 1) * sizeof *s.piece_first),
                          .listed = br_malloc(((size_t)dag->tasks + 1) * sizeof *s.listed),
                          .single = br_calloc((size_t)dag->stages + 1, sizeof *s.single),
                          .to = selected,
                          .diag = diag};
    enum br_status status = BR_OK;
    bool ok = selected->dag && selected->cluster && s.piece_first && s.listed && s.single;
    if (ok)
        find_single(&s);
    if (!ok || !list_pieces(&s))
        status = br_fail_memory(diag);
    if (!status)
        status = make_job(&s);
    if (!status)
        status = make_cluster(&s);
    if (!status) {
        const uint32_t made = selected->dag->tasks;
        if (!(selected->origin = br_malloc(((size_t)made + 1) * sizeof *selected->origin)))
            status = br_fail_memory(diag);
        for (uint32_t t = 0; !status && t < made; t++)
            selected->origin[t] = t < dag->tasks ? s.listed[t] : UINT32_MAX;
    }
    br_free(s.piece);
    br_free(s.piece_first);
    br_free(s.listed);
    br_free(s.single);
    return status;
}

void br_selected_finish(struct br_selected *selected)
{
    br_dag_destroy(selected->dag);
    br_cluster_destroy(selected->cluster);
    br_free(selected->origin);
    *selected = (struct br_selected){NULL, NULL, NULL};
}
