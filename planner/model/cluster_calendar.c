/* Times at which a cluster offers less, or more. */
#include <inttypes.h>
#include <stdio.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/roles.h"
#include "planner/model/amount.h"
#include "planner/model/cluster.h"

static struct br_calendar *calendar_of(struct br_cluster *cluster)
{
    if (!cluster->calendar)
        cluster->calendar = br_calloc(1, sizeof *cluster->calendar);
    return cluster->calendar;
}

/* The span, with its machines found. A class of UINT32_MAX leaves the machines as they are. */
static enum br_status take_span(const struct br_cluster *cluster, uint32_t cls, uint32_t index,
                                const char *what, struct br_span_of_machines *span,
                                struct br_diag *diag)
{
    if (span->from_ns < 0 || span->to_ns <= span->from_ns)
        return br_fail(diag, BR_BAD_INPUT, "let it begin at 0 or later and end after it begins",
                       "%s lasts from %g s to %g s", what, (double)span->from_ns / 1e9,
                       (double)span->to_ns / 1e9);
    if (cls == UINT32_MAX)
        return BR_OK;
    if (cls >= cluster->classes)
        return br_fail(diag, BR_USAGE, NULL, "there is no class number %" PRIu32, cls);
    const struct br_class *class = &cluster->cls[cls];
    if (index != UINT32_MAX && index >= class->count)
        return br_fail(diag, BR_BAD_INPUT, "indices count from 0",
                       "class '%s' has %" PRIu32 " machines, there is none with index %" PRIu32,
                       class->name, class->count, index);
    span->first = class->first_machine + (index == UINT32_MAX ? 0 : index);
    span->count = index == UINT32_MAX ? class->count : 1;
    return BR_OK;
}

enum br_status br_cluster_add_unavailable(struct br_cluster *cluster, uint32_t cls, uint32_t index,
                                          int64_t from_ns, int64_t to_ns, struct br_diag *diag)
{
    BR_NEED(diag, cluster);
    struct br_unavailable add = {.span = {0, cluster->machines, from_ns, to_ns}};
    enum br_status status =
        take_span(cluster, cls, index, "a time without machines", &add.span, diag);
    if (status)
        return status;
    struct br_calendar *calendar = calendar_of(cluster);
    if (!calendar || !br_grow(&calendar->unavailable, calendar->unavailables,
                              &calendar->unavailable_room, sizeof add))
        return br_fail_memory(diag);
    calendar->unavailable[calendar->unavailables++] = add;
    return BR_OK;
}

enum br_status br_cluster_add_change(struct br_cluster *cluster, const char *resource, uint32_t cls,
                                     uint32_t index, int64_t from_ns, int64_t to_ns,
                                     const char *amount, struct br_diag *diag)
{
    BR_NEED(diag, cluster);
    char owner[140];
    snprintf(owner, sizeof owner, "a change of %.80s", resource ? resource : "a resource");
    struct br_change add = {.span = {0, 0, from_ns, to_ns},
                            .in_bytes = br_role_is_in_bytes(amount)};
    enum br_status status = br_amount_read(owner, resource, amount, &add.amount, diag);
    if (!status)
        status = take_span(cluster, cls, index, owner, &add.span, diag);
    if (status)
        return status;
    if (cls == UINT32_MAX && !br_cluster_shared(cluster, resource))
        return br_fail(diag, BR_BAD_INPUT,
                       "name the class of machines, or add a shared resource of that name",
                       "a change of %.80s names no class of machines, and %.80s is not shared",
                       resource, resource);
    if (cls != UINT32_MAX && !br_class_capacity(&cluster->cls[cls], resource))
        return br_fail(diag, BR_BAD_INPUT, "give the class a capacity of it",
                       "%.80s changes on machines of class '%.80s', which do not have it", resource,
                       cluster->cls[cls].name);
    struct br_calendar *calendar = calendar_of(cluster);
    if (!calendar || !(add.resource = br_arena_text(&cluster->arena, resource)) ||
        !br_grow(&calendar->change, calendar->changes, &calendar->change_room, sizeof add))
        return br_fail_memory(diag);
    calendar->change[calendar->changes++] = add;
    return BR_OK;
}
