/* All memory for generation, so that nothing is allocated afterwards. */
#include "planner/rcpsp/workspace.h"

#include <stdlib.h>

#include "base/collections/memory.h"

struct br_rcpsp_workspace *br_rcpsp_workspace_create(const struct br_rcpsp_model *m)
{
    struct br_rcpsp_workspace *p = br_calloc(1, sizeof *p);
    if (!p)
        return NULL;
    size_t n = m->tasks, nodes = m->side[BR_FORWARD].nodes, points = 2 * n + 1;
    if (m->side[BR_BACKWARD].nodes > nodes)
        nodes = m->side[BR_BACKWARD].nodes;
    p->model = m;
    p->end = br_calloc(nodes, sizeof *p->end);
    p->waiting = br_malloc(nodes * sizeof *p->waiting);
    p->place = br_malloc(n * sizeof *p->place);
    p->ready = br_malloc((n + 63) / 64 * sizeof *p->ready);
    p->free = br_malloc(((size_t)m->words + 1) * sizeof *p->free);
    p->running = br_malloc(n * sizeof *p->running);
    p->other = br_malloc(n * sizeof *p->other);
    p->count = br_malloc((BR_RCPSP_DIGITS + 1) * sizeof *p->count);
    p->key = br_malloc(n * sizeof *p->key);
    bool ok = p->end && p->waiting && p->place && p->ready && p->free && p->running && p->other &&
              p->count && p->key;
    if (m->profile == BR_RCPSP_SLICES) {
        size_t cells = (size_t)m->planes * m->groups, words = (size_t)m->horizon / 32 + 1;
        p->slice = aligned_alloc(sizeof *p->slice, words * cells * sizeof *p->slice);
        ok = ok && p->slice;
    } else {
        struct br_rcpsp_events *e = &p->events;
        e->time = br_malloc(points * sizeof *e->time);
        e->free = br_malloc((points * m->words + 1) * sizeof *e->free);
        e->next = br_malloc(points * sizeof *e->next);
        e->point = br_calloc(nodes, sizeof *e->point);
        ok = ok && e->time && e->free && e->next && e->point;
    }
    if (ok)
        return p;
    br_rcpsp_workspace_destroy(p);
    return NULL;
}

void br_rcpsp_workspace_destroy(struct br_rcpsp_workspace *p)
{
    if (!p)
        return;
    br_free(p->end);
    br_free(p->slice);
    br_free(p->events.time);
    br_free(p->events.free);
    br_free(p->events.next);
    br_free(p->events.point);
    br_free(p->waiting);
    br_free(p->place);
    br_free(p->ready);
    br_free(p->free);
    br_free(p->running);
    br_free(p->other);
    br_free(p->count);
    br_free(p->key);
    br_free(p);
}
