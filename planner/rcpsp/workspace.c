/* All memory that generation needs, so that nothing is allocated afterwards. */
#include "planner/rcpsp/workspace.h"

#include <stdlib.h>

struct br_rcpsp_workspace *br_rcpsp_workspace_create(const struct br_rcpsp_model *m)
{
    struct br_rcpsp_workspace *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    size_t n = m->tasks, nodes = m->side[BR_FORWARD].nodes, points = 2 * n + 1;
    if (m->side[BR_BACKWARD].nodes > nodes)
        nodes = m->side[BR_BACKWARD].nodes;
    p->model = m;
    p->end = calloc(nodes, sizeof *p->end);
    p->waiting = malloc(nodes * sizeof *p->waiting);
    p->place = malloc(n * sizeof *p->place);
    p->ready = malloc((n + 63) / 64 * sizeof *p->ready);
    p->free = malloc(((size_t)m->words + 1) * sizeof *p->free);
    p->running = malloc(n * sizeof *p->running);
    p->other = malloc(n * sizeof *p->other);
    p->count = malloc((BR_RCPSP_DIGITS + 1) * sizeof *p->count);
    p->key = malloc(n * sizeof *p->key);
    bool ok = p->end && p->waiting && p->place && p->ready && p->free && p->running && p->other &&
              p->count && p->key;
    if (m->profile == BR_RCPSP_SLICES) {
        size_t cells = (size_t)m->planes * m->groups, words = (size_t)m->horizon / 32 + 1;
        p->slice = aligned_alloc(sizeof *p->slice, words * cells * sizeof *p->slice);
        ok = ok && p->slice;
    } else {
        struct br_rcpsp_events *e = &p->events;
        e->time = malloc(points * sizeof *e->time);
        e->free = malloc((points * m->words + 1) * sizeof *e->free);
        e->next = malloc(points * sizeof *e->next);
        e->point = calloc(nodes, sizeof *e->point);
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
    free(p->end);
    free(p->slice);
    free(p->events.time);
    free(p->events.free);
    free(p->events.next);
    free(p->events.point);
    free(p->waiting);
    free(p->place);
    free(p->ready);
    free(p->free);
    free(p->running);
    free(p->other);
    free(p->count);
    free(p->key);
    free(p);
}
