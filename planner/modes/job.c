#include "planner/modes/job.h"

#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "base/numbers/wide.h"
#include "planner/eligibility/deadlines.h"
#include "planner/eligibility/ways.h"

/* No amount that is not 0 has fewer digits after the point. */
enum { LEAST_DIGITS = -18 };

struct making {
    struct br_modes *modes;
    uint32_t *column; /* by resource of the job; UINT32_MAX: not held */
    uint32_t *purse;  /* by resource of the job; UINT32_MAX: not consumed */
    int32_t *digits;  /* by resource of the job */
    struct br_diag *diag;
};

/* ---- The alternatives of a stage, also if it names none ---- */

static uint32_t alternatives_of(const struct br_dag *dag, uint32_t stage)
{
    const struct br_alternatives *all = dag->alternatives;
    return all ? all->stage_first[stage + 1] - all->stage_first[stage] : 1;
}

static const struct br_alternative *alternative_at(const struct br_dag *dag, uint32_t stage,
                                                   uint32_t alternative)
{
    const struct br_alternatives *all = dag->alternatives;
    return all ? &all->alternative[all->stage_first[stage] + alternative] : NULL;
}

bool br_mode_demand(const struct br_dag *dag, uint32_t stage, uint32_t alternative, uint32_t each,
                    uint32_t *resource, struct br_decimal *amount)
{
    const struct br_alternative *a = alternative_at(dag, stage, alternative);
    if (each >= (a ? a->demands : dag->stage[stage].demands))
        return false;
    if (a) {
        const struct br_way_amount *of = &dag->alternatives->demand[a->first_demand + each];
        *resource = of->resource;
        *amount = of->amount;
    } else {
        const struct br_demand *of = &dag->demand[dag->stage[stage].first_demand + each];
        *resource = of->resource;
        *amount = of->amount;
    }
    return true;
}

static bool mode_consumed(const struct br_dag *dag, uint32_t stage, uint32_t alternative,
                          uint32_t each, uint32_t *resource, struct br_decimal *amount)
{
    const struct br_alternative *a = alternative_at(dag, stage, alternative);
    if (!a || each >= a->consumed)
        return false;
    const struct br_way_amount *of = &dag->alternatives->consumed[a->first_consumed + each];
    *resource = of->resource;
    *amount = of->amount;
    return true;
}

/* Has the class room for one task by the alternative, whatever classes that names? */
static bool has_room(const struct br_modes *modes, uint32_t stage, uint32_t alternative,
                     uint32_t cls)
{
    const struct br_dag *dag = modes->dag;
    uint32_t resource;
    struct br_decimal amount;
    for (uint32_t k = 0; br_mode_demand(dag, stage, alternative, k, &resource, &amount); k++) {
        const char *name = dag->resource[resource].name;
        const struct br_capacity *shared = br_cluster_shared(modes->cluster, name);
        const struct br_decimal has =
            shared ? shared->amount : br_cluster_capacity(modes->cluster, cls, name);
        if (br_decimal_compare(amount, has) > 0)
            return false;
    }
    return true;
}

/* Of a stage with deadlines all tasks take one way: one that makes none of them late. */
static bool runs_on(const struct br_modes *modes, uint32_t stage, uint32_t alternative,
                    uint32_t cls)
{
    const struct br_alternatives *all = modes->dag->alternatives;
    const uint32_t way = all ? all->stage_first[stage] + alternative : UINT32_MAX;
    const struct br_class *on = &modes->cluster->cls[cls];
    return has_room(modes, stage, alternative, cls) &&
           (!all || br_alternative_names(modes->dag, way, on)) &&
           br_deadlines_kept(modes->dag, stage, way, on);
}

/* ---- Amounts ---- */

static void need_digits(struct br_decimal amount, int32_t *digits)
{
    if (amount.mantissa && -amount.exponent > *digits)
        *digits = -amount.exponent;
}

/* Which resources count, and how many digits they need. */
static void list_resources(struct making *m)
{
    const struct br_dag *dag = m->modes->dag;
    const struct br_cluster *cluster = m->modes->cluster;
    uint32_t resource;
    struct br_decimal amount;
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t a = 0; a < alternatives_of(dag, s); a++) {
            for (uint32_t k = 0; br_mode_demand(dag, s, a, k, &resource, &amount); k++) {
                if (amount.mantissa && m->column[resource] == UINT32_MAX)
                    m->column[resource] = m->modes->resources++;
                need_digits(amount, &m->digits[resource]);
            }
            for (uint32_t k = 0; mode_consumed(dag, s, a, k, &resource, &amount); k++) {
                if (amount.mantissa && m->purse[resource] == UINT32_MAX)
                    m->purse[resource] = m->modes->budgets++;
                need_digits(amount, &m->digits[resource]);
            }
        }
    for (uint32_t r = 0; r < dag->resources; r++) {
        const struct br_capacity *shared = br_cluster_shared(cluster, dag->resource[r].name);
        for (uint32_t c = 0; c < cluster->classes; c++)
            need_digits(br_cluster_capacity(cluster, c, dag->resource[r].name), &m->digits[r]);
        if (shared)
            need_digits(shared->amount, &m->digits[r]);
    }
}

static bool scale(struct making *m, uint32_t resource, struct br_decimal amount, int64_t *to)
{
    /* Sums over all tasks stay within 63 bits. */
    return br_decimal_scale(amount, m->digits[resource], to) &&
           (br_wide)*to * m->modes->tasks < INT64_MAX;
}

static bool scale_cluster(struct making *m)
{
    struct br_modes *modes = m->modes;
    const struct br_cluster *cluster = modes->cluster;
    bool ok = true;
    for (uint32_t r = 0; r < modes->dag->resources; r++) {
        const uint32_t column = m->column[r], purse = m->purse[r];
        const char *name = modes->dag->resource[r].name;
        const struct br_capacity *shared = br_cluster_shared(cluster, name);
        if (purse != UINT32_MAX) {
            modes->budget_of[purse] = r;
            modes->budget_digits[purse] = m->digits[r];
        }
        if (column != UINT32_MAX) {
            modes->resource_of[column] = r;
            modes->digits[column] = m->digits[r];
        }
        if (purse != UINT32_MAX)
            ok = ok && shared &&
                 br_decimal_scale(shared->amount, m->digits[r], &modes->budget[purse]);
        if (column == UINT32_MAX)
            continue;
        modes->shared[column] = shared != NULL;
        modes->any_shared |= shared != NULL;
        ok = ok && (!shared || br_decimal_scale(shared->amount, m->digits[r],
                                                &modes->shared_capacity[column]));
        for (uint32_t c = 0; ok && c < cluster->classes; c++)
            ok = br_decimal_scale(br_cluster_capacity(cluster, c, name), m->digits[r],
                                  &modes->capacity[(size_t)c * modes->resources + column]);
    }
    return ok;
}

/* ---- Ways ---- */

/* How many ways the alternative has: one for each speed of the classes on which it runs. */
static bool is_first_of_speed(const struct br_modes *modes, uint32_t s, uint32_t a, uint32_t cls)
{
    for (uint32_t c = 0; c < cls; c++)
        if (runs_on(modes, s, a, c) &&
            !br_decimal_compare(modes->cluster->cls[c].speed, modes->cluster->cls[cls].speed))
            return false;
    return runs_on(modes, s, a, cls);
}

static bool fill_way(struct making *m, uint32_t number, uint32_t s, uint32_t a, uint32_t cls,
                     uint32_t *classes)
{
    struct br_modes *modes = m->modes;
    const struct br_dag *dag = modes->dag;
    struct br_way *way = &modes->way[number];
    uint32_t resource;
    struct br_decimal amount;
    bool ok = true;
    way->stage = s;
    way->alternative = a;
    way->first_class = *classes;
    way->anywhere = true;
    for (uint32_t c = 0; c < modes->cluster->classes; c++)
        if (runs_on(modes, s, a, c) &&
            !br_decimal_compare(modes->cluster->cls[c].speed, modes->cluster->cls[cls].speed))
            modes->class_of[(*classes)++] = c;
        else
            way->anywhere &= !has_room(modes, s, a, c);
    way->classes = *classes - way->first_class;
    for (uint32_t t = dag->stage[s].first_task; t < dag->stage[s].first_task + dag->stage[s].tasks;
         t++) {
        const int64_t ns =
            dag->alternatives
                ? br_alternative_duration(dag, dag->alternatives->stage_first[s] + a, t)
                : dag->duration_ns[t];
        modes->duration[way->first_duration + t - dag->stage[s].first_task] =
            br_class_duration(&modes->cluster->cls[cls], ns);
    }
    for (uint32_t k = 0; br_mode_demand(dag, s, a, k, &resource, &amount); k++)
        if (amount.mantissa)
            ok = ok &&
                 scale(m, resource, amount,
                       &modes->demand[(size_t)number * modes->resources + m->column[resource]]);
    for (uint32_t k = 0; mode_consumed(dag, s, a, k, &resource, &amount); k++)
        if (amount.mantissa)
            ok =
                ok && scale(m, resource, amount,
                            &modes->consumed[(size_t)number * modes->budgets + m->purse[resource]]);
    return ok;
}

static enum br_status make_ways(struct making *m)
{
    struct br_modes *modes = m->modes;
    const struct br_dag *dag = modes->dag;
    size_t ways = 0, durations = 0, classes = 0;
    uint32_t made = 0, listed = 0;
    bool ok = true;
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t a = 0; a < alternatives_of(dag, s); a++)
            for (uint32_t c = 0; c < modes->cluster->classes; c++) {
                const bool first = is_first_of_speed(modes, s, a, c);
                ways += first;
                durations += first ? dag->stage[s].tasks : 0;
                classes += runs_on(modes, s, a, c);
            }
    if (durations > UINT32_MAX || classes > UINT32_MAX ||
        !BR_ARRAY(&modes->arena, ways, modes->way) ||
        !BR_ARRAY(&modes->arena, durations, modes->duration) ||
        !BR_ARRAY(&modes->arena, classes, modes->class_of) ||
        !BR_ARRAY(&modes->arena, ways * modes->resources + 1, modes->demand) ||
        !BR_ARRAY(&modes->arena, ways * modes->budgets + 1, modes->consumed))
        return br_fail_memory(m->diag);
    durations = 0;
    for (uint32_t s = 0; s < dag->stages; s++) {
        modes->way_first[s] = made;
        for (uint32_t a = 0; a < alternatives_of(dag, s); a++)
            for (uint32_t c = 0; c < modes->cluster->classes; c++) {
                if (!is_first_of_speed(modes, s, a, c))
                    continue;
                modes->way[made].first_duration = (uint32_t)durations;
                durations += dag->stage[s].tasks;
                ok = ok && fill_way(m, made++, s, a, c, &listed);
            }
    }
    modes->way_first[dag->stages] = made;
    return ok && scale_cluster(m)
               ? BR_OK
               : br_fail(m->diag, BR_BAD_INPUT, "use fewer decimals or a larger unit",
                         "the amounts of the job and its cluster do not add up within 18 digits");
}

/* ---- Arcs ---- */

static bool modes_list_arcs(struct br_modes *modes, enum br_edge_end end, uint32_t *first,
                            struct br_stage_arc *arc)
{
    const struct br_dag *dag = modes->dag;
    uint32_t *edge = br_malloc(((size_t)dag->edges + 1) * sizeof *edge);
    if (!edge)
        return false;
    br_dag_list_edges(dag, end, first, edge);
    for (uint32_t k = 0; k < dag->edges; k++) {
        const struct br_edge *e = &dag->edge[edge[k]];
        const struct br_wait wait = br_dag_wait(dag, edge[k]);
        arc[k] = (struct br_stage_arc){.stage = end == BR_EDGE_PARENT ? e->child : e->parent,
                                       .one_to_one = br_dag_is_paired(dag, e),
                                       .stream = wait.stream,
                                       .lag = wait.lag_ns};
    }
    br_free(edge);
    return true;
}

static enum br_status modes_make(struct making *m)
{
    struct br_modes *modes = m->modes;
    const struct br_dag *dag = modes->dag;
    struct br_arena *arena = &modes->arena;
    enum br_status status = br_alternatives_check(dag, modes->cluster, m->diag);
    if (!status)
        status = br_deadlines_check(dag, modes->cluster, m->diag);
    if (status)
        return status;
    list_resources(m);
    const size_t r = modes->resources;
    if (!BR_ARRAY(arena, dag->tasks, modes->task_stage) ||
        !BR_ARRAY(arena, dag->tasks, modes->release) ||
        !BR_ARRAY(arena, (size_t)dag->stages + 1, modes->way_first) ||
        !BR_ARRAY(arena, modes->cluster->classes * r + 1, modes->capacity) ||
        !BR_ARRAY(arena, r + 1, modes->shared_capacity) || !BR_ARRAY(arena, r + 1, modes->shared) ||
        !BR_ARRAY(arena, (size_t)modes->budgets + 1, modes->budget) ||
        !BR_ARRAY(arena, (size_t)modes->budgets + 1, modes->budget_of) ||
        !BR_ARRAY(arena, (size_t)modes->budgets + 1, modes->budget_digits) ||
        !BR_ARRAY(arena, r + 1, modes->resource_of) || !BR_ARRAY(arena, r + 1, modes->digits) ||
        !BR_ARRAY(arena, br_csr_room(dag->stages), modes->child_first) ||
        !BR_ARRAY(arena, br_csr_room(dag->stages), modes->parent_first) ||
        !BR_ARRAY(arena, dag->edges, modes->child) || !BR_ARRAY(arena, dag->edges, modes->parent))
        return br_fail_memory(m->diag);
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            const uint32_t t = dag->stage[s].first_task + i;
            modes->task_stage[t] = s;
            modes->release[t] = br_dag_release(dag, t);
        }
    status = make_ways(m);
    if (!status && (!modes_list_arcs(modes, BR_EDGE_PARENT, modes->child_first, modes->child) ||
                    !modes_list_arcs(modes, BR_EDGE_CHILD, modes->parent_first, modes->parent)))
        status = br_fail_memory(m->diag);
    return status;
}

enum br_status br_modes_create(const struct br_dag *dag, const struct br_cluster *cluster,
                               struct br_modes **modes, struct br_diag *diag)
{
    const size_t room = (size_t)dag->resources + 1;
    struct br_modes *made = *modes = br_calloc(1, sizeof *made);
    struct making m = {.modes = made,
                       .column = br_malloc(room * sizeof *m.column),
                       .purse = br_malloc(room * sizeof *m.purse),
                       .digits = br_malloc(room * sizeof *m.digits),
                       .diag = diag};
    enum br_status status = BR_OK;
    if (!made || !m.column || !m.purse || !m.digits) {
        status = br_fail_memory(diag);
    } else {
        made->dag = dag;
        made->cluster = cluster;
        made->tasks = dag->tasks;
        made->stages = dag->stages;
        memset(m.column, 0xff, room * sizeof *m.column);
        memset(m.purse, 0xff, room * sizeof *m.purse);
        for (uint32_t r = 0; r < dag->resources; r++)
            m.digits[r] = LEAST_DIGITS;
        status = modes_make(&m);
    }
    br_free(m.column);
    br_free(m.purse);
    br_free(m.digits);
    if (status) {
        br_modes_destroy(made);
        *modes = NULL;
    }
    return status;
}

void br_modes_destroy(struct br_modes *modes)
{
    if (!modes)
        return;
    br_arena_finish(&modes->arena);
    br_free(modes);
}
