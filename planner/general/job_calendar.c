#include "planner/general/job_calendar.h"

#include <inttypes.h>
#include <string.h>

#include "base/collections/sort.h"
#include "base/roles.h"

enum br_status br_general_scale(const struct br_general *job, uint32_t r, struct br_decimal amount,
                                int64_t *scaled, struct br_diag *diag)
{
    if (br_decimal_scale(amount, job->digits[r], scaled) && *scaled <= BR_GENERAL_MOST)
        return BR_OK;
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(amount, text, sizeof text);
    return br_fail(diag, BR_BAD_INPUT, "use fewer decimals or a larger unit",
                   "the amounts of %s need %" PRId32
                   " decimals, and with them %s does not fit 60 bits",
                   job->dag->resource[job->resource_origin[r]].name,
                   job->digits[r] > 0 ? job->digits[r] : 0, text);
}

static int by_time(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static bool touches(const struct br_span_of_machines *span, uint32_t machine)
{
    return machine >= span->first && machine - span->first < span->count;
}

/* The times at which machines leave or return, or amounts change, each once. */
static bool list_marks(struct br_general *job)
{
    const struct br_calendar *calendar = job->cluster->calendar;
    const uint32_t most = 2 * (calendar->unavailables + calendar->changes);
    if (!BR_ARRAY(&job->arena, most, job->mark))
        return false;
    for (uint32_t k = 0; k < calendar->unavailables + calendar->changes; k++) {
        const struct br_span_of_machines *span =
            k < calendar->unavailables ? &calendar->unavailable[k].span
                                       : &calendar->change[k - calendar->unavailables].span;
        job->mark[job->marks++] = span->from_ns;
        if (span->to_ns != BR_FOREVER)
            job->mark[job->marks++] = span->to_ns;
    }
    br_sort_by(job->mark, job->marks, sizeof *job->mark, by_time);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < job->marks; k++)
        if (!kept || job->mark[k] != job->mark[kept - 1])
            job->mark[kept++] = job->mark[k];
    job->marks = kept;
    return true;
}

/* The times at which a machine is away, joined if they meet. */
static bool list_closed(struct br_general *job)
{
    const struct br_calendar *calendar = job->cluster->calendar;
    uint64_t most = 0;
    for (uint32_t k = 0; k < calendar->unavailables; k++)
        most += calendar->unavailable[k].span.count;
    if (!BR_ARRAY(&job->arena, (size_t)job->machines + 1, job->closed_first) ||
        !BR_ARRAY(&job->arena, most, job->closed))
        return false;
    uint32_t used = 0;
    for (uint32_t m = 0; m < job->machines; m++) {
        job->closed_first[m] = used;
        for (uint32_t i = 0; i < job->marks; i++) {
            const int64_t from = job->mark[i];
            int64_t to = INT64_MIN;
            for (uint32_t k = 0; k < calendar->unavailables; k++) {
                const struct br_span_of_machines *span = &calendar->unavailable[k].span;
                if (touches(span, m) && span->from_ns == from && span->to_ns > to)
                    to = span->to_ns;
            }
            if (to == INT64_MIN)
                continue;
            if (used > job->closed_first[m] && job->closed[used - 1].to >= from) {
                if (to > job->closed[used - 1].to)
                    job->closed[used - 1].to = to;
            } else {
                job->closed[used++] = (struct br_general_span){from, to};
            }
        }
    }
    job->closed_first[job->machines] = used;
    return true;
}

/* The capacities by time of the places that change. */
static enum br_status list_levels(struct br_general *job, struct br_diag *diag)
{
    const struct br_calendar *calendar = job->cluster->calendar;
    const size_t places = ((size_t)job->machines + 1) * job->resources;
    if (!BR_ARRAY(&job->arena, places + 1, job->level_first))
        return br_fail_memory(diag);
    uint64_t most = 0;
    for (uint32_t k = 0; k < calendar->changes; k++)
        most += calendar->change[k].span.count + 1;
    if (!BR_ARRAY(&job->arena, (size_t)(most * ((uint64_t)job->marks + 1)), job->level))
        return br_fail_memory(diag);
    uint32_t used = 0;
    for (size_t place = 0; place < places; place++) {
        const uint32_t m = (uint32_t)(place / job->resources);
        const uint32_t r = (uint32_t)(place % job->resources);
        const char *name = job->dag->resource[job->resource_origin[r]].name;
        const int64_t usual =
            m == job->machines ? job->shared_capacity[r]
                               : job->capacity[(size_t)job->machine_class[m] * job->resources + r];
        bool changes = false;
        job->level_first[place] = used;
        for (uint32_t k = 0; k < calendar->changes && !changes; k++)
            changes = strcmp(calendar->change[k].resource, name) == 0 &&
                      (m == job->machines ? job->shared[r] && !calendar->change[k].span.count
                                          : touches(&calendar->change[k].span, m));
        for (uint32_t i = 0; changes && i <= job->marks; i++) {
            const int64_t at = i == 0 ? INT64_MIN : job->mark[i - 1];
            int64_t amount = usual;
            for (uint32_t k = 0; k < calendar->changes; k++) {
                const struct br_change *change = &calendar->change[k];
                if (strcmp(change->resource, name) != 0 || change->span.from_ns > at ||
                    change->span.to_ns <= at ||
                    !(m == job->machines ? !change->span.count : touches(&change->span, m)))
                    continue;
                enum br_status status = br_general_scale(job, r, change->amount, &amount, diag);
                if (status)
                    return status;
            }
            if (used == job->level_first[place] || job->level[used - 1].amount != amount)
                job->level[used++] = (struct br_general_level){at, amount};
        }
    }
    job->level_first[places] = used;
    return BR_OK;
}

enum br_status br_general_take_calendar(struct br_general *job, struct br_diag *diag)
{
    job->calendar = true;
    return list_marks(job) && list_closed(job) ? list_levels(job, diag) : br_fail_memory(diag);
}

int64_t br_general_capacity(const struct br_general *job, uint32_t place, int64_t time)
{
    const uint32_t m = place / job->resources, r = place % job->resources;
    const uint32_t first = job->calendar ? job->level_first[place] : 0;
    uint32_t k = job->calendar ? job->level_first[place + 1] : 0;
    if (first == k)
        return m == job->machines
                   ? job->shared_capacity[r]
                   : job->capacity[(size_t)job->machine_class[m] * job->resources + r];
    while (job->level[k - 1].from > time)
        k--;
    return job->level[k - 1].amount;
}

int64_t br_general_least(const struct br_general *job, uint32_t place, int64_t from)
{
    int64_t least = br_general_capacity(job, place, from);
    for (uint32_t k = job->calendar ? job->level_first[place] : 0;
         job->calendar && k < job->level_first[place + 1]; k++)
        if (job->level[k].from > from && job->level[k].amount < least)
            least = job->level[k].amount;
    return least;
}

bool br_general_open(const struct br_general *job, uint32_t machine, int64_t start, int64_t end)
{
    if (!job->calendar || start == end)
        return true;
    for (uint32_t k = job->closed_first[machine]; k < job->closed_first[machine + 1]; k++)
        if (job->closed[k].from < end && job->closed[k].to > start)
            return false;
    return true;
}
