#include "planner/peak/limit.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"

/* ---- Clusters ---- */

static enum br_status limit_capacities(const struct br_cluster *cluster, const char *resource,
                                       const char *amount, bool *known, struct br_cluster *to,
                                       struct br_diag *diag)
{
    enum br_status status = BR_OK;
    char text[BR_DECIMAL_TEXT];
    for (uint32_t c = 0; c < cluster->classes && !status; c++) {
        const struct br_class *cls = &cluster->cls[c];
        uint32_t number = 0;
        status = br_cluster_add_class(to, cls->name, cls->count, &number, diag);
        if (!status && cls->up)
            status = br_cluster_set_network(to, number, cls->up, cls->down, diag);
        if (!status)
            status = br_cluster_copy_speed(to, number, cls, diag);
        for (uint32_t k = 0; k < cls->capacities && !status; k++) {
            const bool same = strcmp(cls->capacity[k].resource, resource) == 0;
            br_decimal_format(cls->capacity[k].amount, text, sizeof text);
            *known |= same;
            status = br_cluster_add_capacity(to, number, cls->capacity[k].resource,
                                             same ? amount : text, diag);
        }
    }
    for (uint32_t k = 0; k < cluster->shareds && !status; k++) {
        const bool same = strcmp(cluster->shared[k].resource, resource) == 0;
        br_decimal_format(cluster->shared[k].amount, text, sizeof text);
        *known |= same;
        status = br_cluster_add_shared(to, cluster->shared[k].resource, same ? amount : text, diag);
    }
    return status;
}

static void leave_out_changes(struct br_cluster *cluster, const char *resource)
{
    struct br_calendar *calendar = cluster->calendar;
    uint32_t kept = 0;
    for (uint32_t k = 0; calendar && k < calendar->changes; k++)
        if (strcmp(calendar->change[k].resource, resource) != 0)
            calendar->change[kept++] = calendar->change[k];
    if (calendar)
        calendar->changes = kept;
}

enum br_status br_peak_cluster(const struct br_cluster *cluster, const char *resource,
                               struct br_decimal amount, struct br_cluster **made,
                               struct br_diag *diag)
{
    char text[BR_DECIMAL_TEXT];
    bool known = false;
    br_decimal_format(amount, text, sizeof text);
    *made = br_cluster_create(cluster->name);
    if (!*made)
        return br_fail_memory(diag);
    enum br_status status = limit_capacities(cluster, resource, text, &known, *made, diag);
    if (!status && !known)
        status = br_fail(diag, BR_USAGE,
                         "name a resource that the cluster has, such as --shared "
                         "disk=1TiB or --capacity mem=64GiB says",
                         "the cluster has no '%.200s'", resource);
    if (!status)
        status = br_cluster_copy_calendar(*made, cluster, diag);
    if (!status)
        leave_out_changes(*made, resource);
    for (uint32_t k = 0; k < cluster->fungibles && !status; k++)
        status = br_cluster_set_fungible(*made, cluster->fungible[k], diag);
    if (status) {
        br_cluster_destroy(*made);
        *made = NULL;
    }
    return status;
}

int64_t br_peak_sum(const struct br_general *job, uint32_t resource)
{
    int64_t sum = 0;
    for (uint32_t s = 0; s < job->stages; s++) {
        const size_t at = (size_t)s * job->resources + resource;
        const int64_t count = job->stage_first[s + 1] - job->stage_first[s];
        sum += count * (job->demand[at] + job->made[at] + job->late[at]);
    }
    return sum;
}

enum br_status br_peak_one_machine(const struct br_general *job, struct br_cluster **made,
                                   struct br_diag *diag)
{
    uint32_t number;
    *made = br_cluster_create(NULL);
    enum br_status status =
        *made ? br_cluster_add_class(*made, "one", 1, &number, diag) : br_fail_memory(diag);
    for (uint32_t r = 0; r < job->resources && !status; r++) {
        const char *name = job->dag->resource[job->resource_origin[r]].name;
        char text[BR_DECIMAL_TEXT];
        br_decimal_format(br_decimal_unscale(br_peak_sum(job, r), job->digits[r]), text,
                          sizeof text);
        status = br_cluster_add_capacity(*made, number, name, text, diag);
    }
    if (status) {
        br_cluster_destroy(*made);
        *made = NULL;
    }
    return status;
}

/* ---- What a plan holds ---- */

struct held_change {
    uint32_t place;
    int64_t time, amount;
};

struct held {
    const struct br_general *job;
    const int64_t *start;
    const uint32_t *machine;
    int64_t *last; /* by stage: the last end */
    int64_t makespan;
    struct held_change *change;
    size_t changes;
};

/* By place, then time; what is freed comes before what is taken. */
static int held_compare(const void *a, const void *b)
{
    const struct held_change *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->amount < y->amount ? -1 : x->amount > y->amount;
}

static void held_span(struct held *h, uint32_t place, int64_t from, int64_t to, int64_t amount)
{
    if (from >= to || !amount)
        return;
    h->change[h->changes++] = (struct held_change){place, from, amount};
    h->change[h->changes++] = (struct held_change){place, to, -amount};
}

/* Until when the instance is held. */
static int64_t held_until(const struct held *h, uint32_t output, uint32_t index)
{
    const struct br_general *job = h->job;
    int64_t until = job->output[output].result ? h->makespan : INT64_MIN;
    for (uint32_t k = job->reader_first[output]; k < job->reader_first[output + 1]; k++) {
        const struct br_stage_arc *reader = &job->reader[k];
        const uint32_t t = job->stage_first[reader->stage] + index;
        const int64_t end =
            reader->one_to_one ? h->start[t] + job->duration[t] : h->last[reader->stage];
        until = end > until ? end : until;
    }
    return until;
}

static void held_collect(struct held *h, uint32_t resource)
{
    const struct br_general *job = h->job;
    for (uint32_t t = 0; t < job->tasks; t++) {
        const int64_t end = h->start[t] + job->duration[t];
        int64_t *last = &h->last[job->task_stage[t]];
        *last = end > *last ? end : *last;
        h->makespan = end > h->makespan ? end : h->makespan;
        held_span(h, br_general_place(job, h->machine[t], resource), h->start[t], end,
                  job->demand[(size_t)job->task_stage[t] * job->resources + resource]);
    }
    for (uint32_t o = 0; o < job->outputs; o++) {
        const struct br_general_output *output = &job->output[o];
        const uint32_t first = job->stage_first[output->stage];
        for (uint32_t i = 0; i < job->stage_first[output->stage + 1] - first; i++) {
            const uint32_t t = first + i;
            if (output->resource == resource)
                held_span(h, br_general_place(job, h->machine[t], resource),
                          h->start[t] + (output->from_end ? job->duration[t] : 0),
                          held_until(h, o, i), output->amount);
        }
    }
}

int64_t br_peak_held(const struct br_general *job, uint32_t resource, const int64_t *start,
                     const uint32_t *machine)
{
    struct held h = {.job = job, .start = start, .machine = machine};
    int64_t peak = -1, now = 0;
    h.last = br_calloc((size_t)job->stages + 1, sizeof *h.last);
    h.change = br_calloc(2 * ((size_t)job->tasks + job->instances) + 1, sizeof *h.change);
    if (h.last && h.change) {
        held_collect(&h, resource);
        br_sort_by(h.change, h.changes, sizeof *h.change, held_compare);
        peak = 0;
        for (size_t k = 0; k < h.changes; k++) {
            now += h.change[k].amount; /* 0 again behind every place */
            peak = now > peak ? now : peak;
        }
    }
    br_free(h.last);
    br_free(h.change);
    return peak;
}
