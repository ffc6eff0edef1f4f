/* Times at which a cluster offers less, or more. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/roles.h"
#include "planner/model/cluster/amount.h"
#include "planner/model/cluster/cluster.h"

static struct br_calendar *calendar_of(struct br_cluster *cluster)
{
    if (!cluster->calendar)
        cluster->calendar = br_calloc(1, sizeof *cluster->calendar);
    return cluster->calendar;
}

static enum br_status refuse_more(const struct br_cluster *cluster, struct br_diag *diag)
{
    const struct br_calendar *calendar = cluster->calendar;
    if (!calendar || calendar->unavailables + calendar->changes < BR_MAX_WINDOWS)
        return BR_OK;
    return br_fail(diag, BR_BAD_INPUT, "plan for a shorter time",
                   "the cluster has more than %u times without machines and changes, the most that "
                   "are planned",
                   BR_MAX_WINDOWS);
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
    if (!status)
        status = refuse_more(cluster, diag);
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
    struct br_change add = {.span = {0, 0, from_ns, to_ns}};
    enum br_status status = br_amount_read(owner, resource, amount, &add.amount, diag);
    if (!status)
        status = take_span(cluster, cls, index, owner, &add.span, diag);
    if (!status)
        status = refuse_more(cluster, diag);
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
    add.in_bytes = br_role_is_in_bytes(amount);
    struct br_calendar *calendar = calendar_of(cluster);
    if (!calendar || !(add.resource = br_arena_text(&cluster->arena, resource)) ||
        !br_grow(&calendar->change, calendar->changes, &calendar->change_room, sizeof add))
        return br_fail_memory(diag);
    calendar->change[calendar->changes++] = add;
    return BR_OK;
}

bool br_span_part(const struct br_cluster *cluster, const struct br_span_of_machines *span,
                  bool all, uint32_t part, struct br_span_words *words)
{
    *words = (struct br_span_words){NULL, UINT32_MAX};
    if (span->count == 0 || (all && span->count == cluster->machines))
        return part == 0;
    const uint32_t cls = br_cluster_machine_class(cluster, span->first) + part;
    if (cls >= cluster->classes)
        return false;
    words->cls = &cluster->cls[cls];
    if (words->cls->first_machine >= span->first + span->count)
        return false;
    if (span->count == 1 && words->cls->count > 1)
        words->index = span->first - words->cls->first_machine;
    return true;
}

static uint32_t calendar_class(const struct br_cluster *cluster, const char *name)
{
    for (uint32_t c = 0; c < cluster->classes; c++)
        if (strcmp(cluster->cls[c].name, name) == 0)
            return c;
    return UINT32_MAX;
}

/* Adds one part of a window or, if it is not NULL, of a change. */
static enum br_status copy_part(struct br_cluster *to, const struct br_span_of_machines *span,
                                const struct br_span_words *words, const struct br_change *change,
                                struct br_diag *diag)
{
    char amount[BR_DECIMAL_TEXT];
    const uint32_t cls = words->cls ? calendar_class(to, words->cls->name) : UINT32_MAX;
    if (words->cls &&
        (cls == UINT32_MAX || (words->index != UINT32_MAX && words->index >= to->cls[cls].count)))
        return BR_OK;
    if (!change)
        return br_cluster_add_unavailable(to, cls, words->index, span->from_ns, span->to_ns, diag);
    if (cls == UINT32_MAX ? !br_cluster_shared(to, change->resource)
                          : !br_class_capacity(&to->cls[cls], change->resource))
        return BR_OK;
    br_decimal_format(change->amount, amount, sizeof amount);
    return br_cluster_add_change(to, change->resource, cls, words->index, span->from_ns,
                                 span->to_ns, amount, diag);
}

enum br_status br_cluster_copy_calendar(struct br_cluster *to, const struct br_cluster *from,
                                        struct br_diag *diag)
{
    const struct br_calendar *calendar = from->calendar;
    const uint32_t windows = calendar ? calendar->unavailables : 0;
    const uint32_t count = calendar ? windows + calendar->changes : 0;
    enum br_status status = BR_OK;
    struct br_span_words words;
    for (uint32_t k = 0; k < count && !status; k++) {
        const struct br_change *change = k < windows ? NULL : &calendar->change[k - windows];
        const struct br_span_of_machines *span =
            change ? &change->span : &calendar->unavailable[k].span;
        for (uint32_t part = 0; !status && br_span_part(from, span, !change, part, &words); part++)
            status = copy_part(to, span, &words, change, diag);
    }
    return status;
}
