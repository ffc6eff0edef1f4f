/* From exact decimals to integers, for jobs with features. */
#include "planner/general/job_calendar.h"

#include <inttypes.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "base/numbers/wide.h"
#include "base/roles.h"
#include "planner/instance/instance.h"
#include "planner/eligibility/features.h"

void br_general_destroy(struct br_general *job)
{
    if (!job)
        return;
    br_arena_finish(&job->arena);
    br_free(job);
}

static enum br_status general_allocate(struct br_general *job, struct br_diag *diag)
{
    struct br_arena *arena = &job->arena;
    const struct br_dag *dag = job->dag;
    const struct br_storage *storage = dag->storage;
    const size_t n = job->tasks, s = job->stages, r = job->resources;
    const size_t reads = storage ? storage->edge_first[dag->edges] : 0;
    const bool ok =
        BR_ARRAY(arena, s + 1, job->stage_first) && BR_ARRAY(arena, n, job->task_stage) &&
        BR_ARRAY(arena, s, job->topological) && BR_ARRAY(arena, n, job->duration) &&
        BR_ARRAY(arena, n, job->release) && BR_ARRAY(arena, n, job->deadline) &&
        BR_ARRAY(arena, n, job->tail) && BR_ARRAY(arena, n, job->latest) &&
        BR_ARRAY(arena, s * r + 1, job->demand) && BR_ARRAY(arena, s * r + 1, job->made) &&
        BR_ARRAY(arena, s * r + 1, job->late) && BR_ARRAY(arena, s, job->plain) &&
        BR_ARRAY(arena, br_csr_room(job->stages), job->child_first) &&
        BR_ARRAY(arena, br_csr_room(job->stages), job->parent_first) &&
        BR_ARRAY(arena, dag->edges, job->child) && BR_ARRAY(arena, dag->edges, job->parent) &&
        BR_ARRAY(arena, job->outputs, job->output) && BR_ARRAY(arena, s + 1, job->output_first) &&
        BR_ARRAY(arena, br_csr_room(job->outputs), job->reader_first) &&
        BR_ARRAY(arena, reads, job->reader) &&
        BR_ARRAY(arena, br_csr_room(job->stages), job->read_first) &&
        BR_ARRAY(arena, reads, job->read) &&
        BR_ARRAY(arena, (size_t)job->classes + 1, job->class_first) &&
        BR_ARRAY(arena, job->machines, job->machine_class) && BR_ARRAY(arena, r, job->shared) &&
        BR_ARRAY(arena, r, job->stored) && BR_ARRAY(arena, job->classes * r + 1, job->capacity) &&
        BR_ARRAY(arena, r, job->shared_capacity);
    return ok ? BR_OK : br_fail_memory(diag);
}

/* ---- Amounts ---- */

static void need_digits(struct br_decimal amount, int32_t *digits)
{
    if (amount.mantissa && -amount.exponent > *digits)
        *digits = -amount.exponent;
}

/* Digits after the point that the resource needs, in the job and the cluster together. */
static int32_t general_digits(const struct br_general *job, uint32_t origin)
{
    const struct br_dag *dag = job->dag;
    const struct br_cluster *cluster = job->cluster;
    const char *name = dag->resource[origin].name;
    int32_t digits = INT32_MIN;
    for (uint32_t d = 0; d < dag->demands; d++)
        if (dag->demand[d].resource == origin)
            need_digits(dag->demand[d].amount, &digits);
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++)
        if (dag->storage->output[o].resource == origin)
            need_digits(dag->storage->output[o].amount, &digits);
    for (uint32_t c = 0; c < cluster->classes; c++)
        need_digits(br_cluster_capacity(cluster, c, name), &digits);
    const struct br_capacity *shared = br_cluster_shared(cluster, name);
    if (shared)
        need_digits(shared->amount, &digits);
    for (uint32_t k = 0; cluster->calendar && k < cluster->calendar->changes; k++)
        if (strcmp(cluster->calendar->change[k].resource, name) == 0)
            need_digits(cluster->calendar->change[k].amount, &digits);
    return digits;
}

static enum br_status general_scale_capacities(struct br_general *job, struct br_diag *diag)
{
    const struct br_cluster *cluster = job->cluster;
    enum br_status status = BR_OK;
    for (uint32_t r = 0; r < job->resources && !status; r++) {
        const char *name = job->dag->resource[job->resource_origin[r]].name;
        const struct br_capacity *shared = br_cluster_shared(cluster, name);
        job->shared[r] = shared != NULL;
        if (shared)
            status = br_general_scale(job, r, shared->amount, &job->shared_capacity[r], diag);
        for (uint32_t c = 0; c < cluster->classes && !status; c++)
            status = br_general_scale(job, r, br_cluster_capacity(cluster, c, name),
                                      &job->capacity[(size_t)c * job->resources + r], diag);
    }
    return status;
}

/* The greatest capacity that a machine of the class, or the cluster, ever has of the resource. */
static int64_t greatest(const struct br_general *job, uint32_t cls, uint32_t r)
{
    int64_t most =
        job->shared[r] ? job->shared_capacity[r] : job->capacity[(size_t)cls * job->resources + r];
    const uint32_t first = job->shared[r] ? job->machines : job->class_first[cls];
    const uint32_t last = job->shared[r] ? first + 1 : job->class_first[cls + 1];
    for (uint32_t m = first; job->calendar && m < last; m++) {
        const size_t place = (size_t)m * job->resources + r;
        for (uint32_t k = job->level_first[place]; k < job->level_first[place + 1]; k++)
            if (job->level[k].amount > most)
                most = job->level[k].amount;
    }
    return most;
}

static void general_amount(const struct br_general *job, uint32_t r, int64_t amount,
                           char text[BR_ROLE_AMOUNT_TEXT])
{
    const struct br_resource *resource = &job->dag->resource[job->resource_origin[r]];
    br_role_amount(br_decimal_unscale(amount, job->digits[r]), resource->name, resource->unit,
                   text);
}

/* A task and its outputs have to fit some class while it runs, and when it ends. */
static enum br_status general_check_room(const struct br_general *job, uint32_t stage,
                                         struct br_diag *diag)
{
    const struct br_stage *s = &job->dag->stage[stage];
    const size_t row = (size_t)stage * job->resources;
    uint32_t short_of = UINT32_MAX;
    int64_t best = -1;
    for (uint32_t c = 0; c < job->classes; c++) {
        uint32_t r = 0;
        for (; r < job->resources; r++) {
            int64_t running = job->demand[row + r] + job->made[row + r];
            int64_t ended = job->made[row + r] + job->late[row + r];
            if ((running > ended ? running : ended) > greatest(job, c, r))
                break;
        }
        if (r == job->resources)
            return BR_OK;
        if (short_of == UINT32_MAX || (short_of == r && greatest(job, c, r) > best)) {
            short_of = r;
            best = greatest(job, c, r);
        }
    }
    char id[300], demand[BR_ROLE_AMOUNT_TEXT], most[BR_ROLE_AMOUNT_TEXT];
    const size_t at = row + short_of;
    const int64_t stays = job->made[at] + job->late[at];
    const int64_t need =
        job->demand[at] + job->made[at] > stays ? job->demand[at] + job->made[at] : stays;
    br_dag_task_id(job->dag, s->first_task, id, sizeof id);
    general_amount(job, short_of, need, demand);
    general_amount(job, short_of, best, most);
    return br_fail_at(
        diag, s->pos, BR_BAD_INPUT, "give the cluster more of it, or the task less to hold",
        "task %s holds %s of %s%s, and %s has %s", id, demand,
        job->dag->resource[job->resource_origin[short_of]].name, stays ? " with its outputs" : "",
        job->shared[short_of] ? "the cluster" : "no machine with the rest of it", most);
}

static enum br_status general_take_demands(struct br_general *job, const uint32_t *column,
                                           struct br_diag *diag)
{
    const struct br_dag *dag = job->dag;
    const struct br_storage *storage = dag->storage;
    br_wide sum = 0;
    enum br_status status = BR_OK;
    for (uint32_t d = 0; d < dag->demands && !status; d++) {
        const struct br_demand *demand = &dag->demand[d];
        const uint32_t r = column[demand->resource];
        if (r == UINT32_MAX)
            continue;
        int64_t *to = &job->demand[(size_t)demand->stage * job->resources + r];
        status = br_general_scale(job, r, demand->amount, to, diag);
        sum += (br_wide)*to * dag->stage[demand->stage].tasks;
    }
    for (uint32_t o = 0; storage && o < storage->outputs && !status; o++) {
        const struct br_output *given = &storage->output[o];
        struct br_general_output *out = &job->output[o];
        const bool read = storage->output_first[o] < storage->output_first[o + 1];
        const uint32_t r = column[given->resource];
        *out = (struct br_general_output){.stage = given->stage,
                                          .resource = r == UINT32_MAX ? 0 : r,
                                          .from_end = given->flags & BR_OUTPUT_FROM_END,
                                          .result = br_output_is_result(storage, o),
                                          .none = !read && (given->flags & BR_OUTPUT_UNKEPT),
                                          .first = job->instances};
        job->instances += dag->stage[given->stage].tasks;
        if (r == UINT32_MAX) /* its amount is 0 */
            continue;
        status = br_general_scale(job, r, given->amount, &out->amount, diag);
        sum += (br_wide)out->amount * dag->stage[given->stage].tasks;
        const size_t at = (size_t)given->stage * job->resources + r;
        if (!out->from_end && out->none)
            job->demand[at] += out->amount; /* held exactly while the task runs */
        else if (!out->from_end)
            job->made[at] += out->amount;
        else if (!out->none)
            job->late[at] += out->amount;
        if (out->none)
            out->amount = 0;
    }
    if (!status && sum > BR_GENERAL_MOST)
        status = br_fail(diag, BR_BAD_INPUT, "use fewer decimals or larger units",
                         "the demands and outputs of all tasks do not add up within 60 bits");
    for (uint32_t s = 0; s < job->stages && !status; s++)
        status = general_check_room(job, s, diag);
    return status;
}

/* A resource can run short if all outputs and demands of it together exceed its least place. */
static void find_short(struct br_general *job)
{
    for (uint32_t r = 0; r < job->resources; r++) {
        int64_t sum = 0, least = INT64_MAX;
        bool outputs = false;
        for (uint32_t s = 0; s < job->stages; s++) {
            const size_t at = (size_t)s * job->resources + r;
            const int64_t count = job->stage_first[s + 1] - job->stage_first[s];
            outputs |= job->made[at] || job->late[at];
            sum += (job->demand[at] + job->made[at] + job->late[at]) * count;
        }
        for (uint32_t m = job->shared[r] ? job->machines : 0;
             (outputs || job->shared[r]) && m < job->machines + job->shared[r]; m++) {
            int64_t amount = br_general_least(job, m * job->resources + r, 0);
            least = amount < least ? amount : least;
        }
        job->stored[r] = outputs && sum > least;
        job->any_stored |= job->stored[r];
        job->stored_on_machines |= job->stored[r] && !job->shared[r];
        job->shared_short |= job->shared[r] && sum > least;
    }
}

/* ---- Arcs and reads ---- */

static void general_link(struct br_general *job)
{
    const struct br_dag *dag = job->dag;
    for (uint32_t s = 0; s < job->stages; s++)
        job->plain[s] = true;
    for (uint32_t e = 0; e < dag->edges; e++) {
        br_csr_count(job->child_first, dag->edge[e].parent);
        br_csr_count(job->parent_first, dag->edge[e].child);
    }
    br_csr_sum(job->child_first, job->stages);
    br_csr_sum(job->parent_first, job->stages);
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        const struct br_wait wait = br_dag_wait(dag, e);
        struct br_stage_arc arc = {edge->child, br_dag_is_paired(dag, edge), wait.stream,
                                   wait.lag_ns};
        job->child[br_csr_place(job->child_first, edge->parent)] = arc;
        if (arc.one_to_one)
            job->plain[edge->parent] = job->plain[edge->child] = false;
        arc.stage = edge->parent;
        job->parent[br_csr_place(job->parent_first, edge->child)] = arc;
    }
}

static void general_link_reads(struct br_general *job)
{
    const struct br_dag *dag = job->dag;
    const struct br_storage *storage = dag->storage;
    if (!storage)
        return;
    memcpy(job->output_first, storage->stage_first,
           ((size_t)job->stages + 1) * sizeof *job->output_first);
    for (uint32_t e = 0; e < dag->edges; e++)
        for (uint32_t k = storage->edge_first[e]; k < storage->edge_first[e + 1]; k++) {
            br_csr_count(job->reader_first, storage->reads[k]);
            br_csr_count(job->read_first, dag->edge[e].child);
        }
    br_csr_sum(job->reader_first, job->outputs);
    br_csr_sum(job->read_first, job->stages);
    for (uint32_t e = 0; e < dag->edges; e++)
        for (uint32_t k = storage->edge_first[e]; k < storage->edge_first[e + 1]; k++) {
            const uint32_t o = storage->reads[k], child = dag->edge[e].child;
            const bool one = br_dag_is_paired(dag, &dag->edge[e]);
            job->reader[br_csr_place(job->reader_first, o)] =
                (struct br_stage_arc){.stage = child, .one_to_one = one};
            job->read[br_csr_place(job->read_first, child)] = (struct br_general_read){o, one};
        }
}

/* ---- Times ---- */

static enum br_status general_take_times(struct br_general *job, struct br_diag *diag)
{
    const struct br_dag *dag = job->dag;
    br_wide sum = 0;
    for (uint32_t s = 0; s < job->stages; s++) {
        job->stage_first[s] = dag->stage[s].first_task;
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
            job->task_stage[dag->stage[s].first_task + i] = s;
    }
    job->stage_first[job->stages] = job->tasks;
    memcpy(job->topological, dag->topological, job->stages * sizeof *job->topological);
    for (uint32_t t = 0; t < job->tasks; t++) {
        job->duration[t] = dag->duration_ns[t];
        job->release[t] = br_dag_release(dag, t);
        job->deadline[t] = br_dag_deadline(dag, t);
        job->deadlines |= job->deadline[t] != INT64_MAX;
        sum += job->duration[t] + (br_wide)job->release[t];
    }
    for (uint32_t e = 0; e < dag->edges; e++)
        sum += br_dag_wait(dag, e).lag_ns;
    if (sum > BR_GENERAL_MOST)
        return br_fail(diag, BR_BAD_INPUT, "use a larger unit of time",
                       "the durations, releases and lags add up to more than 36 years");
    return BR_OK;
}

/* The longest way from the start of each task to the end of the job, and its latest end. */
static bool find_tails(struct br_general *job)
{
    int64_t *longest = br_calloc((size_t)job->stages + 1, sizeof *longest); /* tail of a stage */
    int64_t *soonest = br_calloc((size_t)job->stages + 1, sizeof *soonest); /* least latest start */
    if (!longest || !soonest) {
        br_free(longest);
        br_free(soonest);
        return false;
    }
    for (uint32_t k = job->stages; k-- > 0;) {
        const uint32_t s = job->topological[k];
        soonest[s] = INT64_MAX;
        for (uint32_t t = job->stage_first[s]; t < job->stage_first[s + 1]; t++) {
            int64_t tail = job->duration[t], latest = job->deadline[t];
            for (uint32_t a = job->child_first[s]; a < job->child_first[s + 1]; a++) {
                const struct br_stage_arc *arc = &job->child[a];
                const uint32_t peer = job->stage_first[arc->stage] + (t - job->stage_first[s]);
                const int64_t behind = arc->one_to_one ? job->tail[peer] : longest[arc->stage];
                int64_t start = soonest[arc->stage];
                if (arc->one_to_one)
                    start = job->latest[peer] == INT64_MAX
                                ? INT64_MAX
                                : job->latest[peer] - job->duration[peer];
                const int64_t way = behind + arc->lag + (arc->stream ? 0 : job->duration[t]);
                tail = way > tail ? way : tail;
                if (start == INT64_MAX)
                    continue;
                const int64_t end = start - arc->lag + (arc->stream ? job->duration[t] : 0);
                latest = end < latest ? end : latest;
            }
            job->tail[t] = tail;
            job->latest[t] = latest;
            longest[s] = tail > longest[s] ? tail : longest[s];
            if (latest != INT64_MAX && latest - job->duration[t] < soonest[s])
                soonest[s] = latest - job->duration[t];
        }
    }
    br_free(longest);
    br_free(soonest);
    return true;
}

/* ---- The whole ---- */

static enum br_status general_fill(struct br_general *job, struct br_diag *diag)
{
    const struct br_dag *dag = job->dag;
    const struct br_cluster *cluster = job->cluster;
    uint32_t *column = br_malloc(((size_t)dag->resources + 1) * sizeof *column);
    bool *used = br_calloc((size_t)dag->resources + 1, sizeof *used);
    enum br_status status = column && used ? BR_OK : br_fail_memory(diag);
    if (status)
        goto out;
    for (uint32_t d = 0; d < dag->demands; d++)
        used[dag->demand[d].resource] |= dag->demand[d].amount.mantissa != 0;
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++)
        used[dag->storage->output[o].resource] |= dag->storage->output[o].amount.mantissa != 0;
    for (uint32_t r = 0; r < dag->resources; r++)
        column[r] = used[r] ? job->resources++ : UINT32_MAX;
    if (!BR_ARRAY(&job->arena, job->resources, job->resource_origin) ||
        !BR_ARRAY(&job->arena, job->resources, job->digits))
        status = br_fail_memory(diag);
    else
        status = general_allocate(job, diag);
    if (status)
        goto out;
    for (uint32_t r = 0; r < dag->resources; r++)
        if (used[r])
            job->resource_origin[column[r]] = r;
    for (uint32_t r = 0; r < job->resources; r++)
        job->digits[r] = general_digits(job, job->resource_origin[r]);
    for (uint32_t c = 0; c < job->classes; c++) {
        job->class_first[c] = cluster->cls[c].first_machine;
        for (uint32_t k = 0; k < cluster->cls[c].count; k++)
            job->machine_class[cluster->cls[c].first_machine + k] = c;
    }
    job->class_first[job->classes] = job->machines;
    general_link(job);
    general_link_reads(job);
    status = general_take_times(job, diag);
    if (!status)
        status = general_scale_capacities(job, diag);
    if (!status && cluster->calendar)
        status = br_general_take_calendar(job, diag);
    if (!status)
        status = general_take_demands(job, column, diag);
    if (!status && !find_tails(job))
        status = br_fail_memory(diag);
    if (!status)
        find_short(job);
out:
    br_free(column);
    br_free(used);
    return status;
}

enum br_status br_general_create(const struct br_dag *dag, const struct br_cluster *cluster,
                                 struct br_general **made, struct br_diag *diag)
{
    *made = NULL;
    enum br_status status = br_instance_check(dag, cluster, diag);
    if (!status)
        status = br_features_refuse(dag, cluster, ~(unsigned)BR_FEATURES_MODES,
                                    "what looks at storage over time", diag);
    if (status)
        return status;
    struct br_general *job = br_calloc(1, sizeof *job);
    if (!job)
        return br_fail_memory(diag);
    job->dag = dag;
    job->cluster = cluster;
    job->tasks = dag->tasks;
    job->stages = dag->stages;
    job->machines = cluster->machines;
    job->classes = cluster->classes;
    job->outputs = dag->storage ? dag->storage->outputs : 0;
    status = general_fill(job, diag);
    if (status)
        br_general_destroy(job);
    else
        *made = job;
    return status;
}
