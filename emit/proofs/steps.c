/* The rows of the encoding, numbered in one pass and written in another. */
#include "emit/proofs/steps.h"

#include <inttypes.h>
#include <string.h>

#include "base/text/diag.h"

static uint32_t steps_tasks(const struct br_instance *in, uint32_t stage)
{
    return in->stage_first[stage + 1] - in->stage_first[stage];
}

/* Calls `edge` for every edge from the task; the result is how many there are. */
static uint32_t steps_edges_of(const struct br_steps *steps, uint32_t task,
                               struct br_steps_edge *edge)
{
    const struct br_instance *in = steps->in;
    uint32_t s = in->task_stage[task], count = 0;
    for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
        uint32_t first = in->stage_first[in->child[a].stage],
                 tasks = steps_tasks(in, in->child[a].stage);
        if (in->child[a].one_to_one) {
            first += task - in->stage_first[s];
            tasks = 1;
        }
        for (uint32_t u = first; u < first + tasks; u++)
            if (steps->used[u]) {
                if (edge)
                    edge[count] = (struct br_steps_edge){task, u, 0};
                count++;
            }
    }
    return count;
}

static bool steps_allocate(struct br_steps *steps, const bool *used, const bool *counted)
{
    const struct br_instance *in = steps->in;
    struct br_arena *arena = &steps->arena;
    const size_t n = (size_t)in->tasks + 1;
    steps->used = br_arena_array(arena, n, sizeof *steps->used);
    steps->counted = br_arena_array(arena, n, sizeof *steps->counted);
    steps->last = br_arena_array(arena, n, sizeof *steps->last);
    steps->fits = br_arena_array(arena, n, sizeof *steps->fits);
    steps->ladder = br_arena_array(arena, n, sizeof *steps->ladder);
    steps->edge_first = br_arena_array(arena, n, sizeof *steps->edge_first);
    steps->capacity = br_arena_array(arena, (size_t)in->resources + 1, sizeof *steps->capacity);
    if (!steps->used || !steps->counted || !steps->last || !steps->fits || !steps->ladder ||
        !steps->edge_first || !steps->capacity)
        return false;
    memcpy(steps->used, used, in->tasks * sizeof *used);
    memcpy(steps->counted, counted, in->tasks * sizeof *counted);
    uint64_t edges = 0;
    for (uint32_t t = 0; t < in->tasks; t++) {
        steps->edge_first[t] = (uint32_t)edges;
        edges += used[t] ? steps_edges_of(steps, t, NULL) : 0;
        if (edges > BR_STEPS_TERMS)
            return true; /* refused below */
    }
    steps->edge_first[in->tasks] = steps->edges = (uint32_t)edges;
    steps->edge = br_arena_array(arena, edges + 1, sizeof *steps->edge);
    for (uint32_t t = 0; steps->edge && t < in->tasks; t++)
        if (used[t])
            steps_edges_of(steps, t, steps->edge + steps->edge_first[t]);
    return steps->edge;
}

/* The first s of an edge's rows: s = 0 says nothing if its task lasts no time. */
static int64_t steps_edge_begin(const struct br_steps *steps, uint32_t from)
{
    return steps->in->duration[from] > 0 ? 0 : 1;
}

enum br_status br_steps_too_many(struct br_diag *diag)
{
    return br_fail(diag, BR_NO, "leave --proof out: 'bigrocks check --certificate' needs no times",
                   "the proof would count every tick, more than %" PRIu64 " terms", BR_STEPS_TERMS);
}

/* Numbers ladders and edges. False if there are too many. */
static bool steps_number(struct br_steps *steps)
{
    const struct br_instance *in = steps->in;
    for (uint32_t t = 0; t < in->tasks; t++) {
        if (!steps->used[t])
            continue;
        steps->last[t] = steps->makespan - in->duration[t];
        if (steps->last[t] < 0)
            steps->fits[t] = ++steps->rows;
    }
    for (uint32_t t = 0; t < in->tasks; t++) {
        if (!steps->used[t])
            continue;
        steps->ladder[t] = steps->rows;
        if (steps->last[t] > 0) {
            steps->variables += (uint64_t)steps->last[t];
            steps->rows += (uint64_t)steps->last[t] - 1;
        }
        if (steps->rows > BR_STEPS_TERMS)
            return false;
    }
    for (uint32_t e = 0; e < steps->edges; e++) {
        struct br_steps_edge *edge = &steps->edge[e];
        int64_t begin = steps_edge_begin(steps, edge->from);
        edge->row = steps->rows + 1 - (uint64_t)begin;
        if (steps->last[edge->from] >= begin)
            steps->rows += (uint64_t)(steps->last[edge->from] - begin) + 1;
        if (steps->rows > BR_STEPS_TERMS)
            return false;
    }
    steps->terms = 2 * steps->rows;
    return true;
}

enum br_status br_steps_init(struct br_steps *steps, const struct br_instance *in, int64_t makespan,
                             const bool *used, const bool *counted, const bool *scarce,
                             struct br_diag *diag)
{
    *steps = (struct br_steps){.in = in, .makespan = makespan};
    if (makespan > (int64_t)BR_STEPS_TERMS)
        return br_steps_too_many(diag);
    if (!steps_allocate(steps, used, counted))
        return br_fail_memory(diag);
    if (!steps->edge || !steps_number(steps))
        return br_steps_too_many(diag);
    uint64_t tasks = 0;
    for (uint32_t t = 0; t < in->tasks; t++)
        tasks += counted[t];
    for (uint32_t r = 0; r < in->resources; r++) {
        if (!scarce[r])
            continue;
        steps->capacity[r] = steps->rows + 1;
        steps->rows += (uint64_t)makespan;
        steps->terms += 2 * tasks * (uint64_t)makespan;
    }
    return steps->terms > BR_STEPS_TERMS ? br_steps_too_many(diag) : BR_OK;
}

void br_steps_finish(struct br_steps *steps)
{
    br_arena_finish(&steps->arena);
}

static void steps_write_edges(const struct br_steps *steps, FILE *out)
{
    for (uint32_t e = 0; e < steps->edges; e++) {
        const struct br_steps_edge *edge = &steps->edge[e];
        for (int64_t s = steps_edge_begin(steps, edge->from); s <= steps->last[edge->from]; s++) {
            int64_t after = s + steps->in->duration[edge->from];
            if (s > 0)
                fprintf(out, "1 ~y%" PRIu32 "_%" PRId64 " ", br_steps_name(steps, edge->from), s);
            if (after <= steps->last[edge->to])
                fprintf(out, "1 y%" PRIu32 "_%" PRId64 " ", br_steps_name(steps, edge->to), after);
            fputs(">= 1 ;\n", out);
        }
    }
}

static void steps_write_capacity(const struct br_steps *steps, uint32_t r, int64_t time, FILE *out)
{
    const struct br_instance *in = steps->in;
    int64_t degree = -in->total[r];
    for (uint32_t t = 0; t < in->tasks; t++) {
        int64_t demand = in->demand[(size_t)in->task_stage[t] * in->resources + r];
        if (!steps->counted[t] || demand == 0 || in->duration[t] == 0)
            continue;
        int64_t begin = time - in->duration[t] + 1;
        degree += demand;
        if (br_steps_free(steps, t, begin))
            fprintf(out, "%" PRId64 " ~y%" PRIu32 "_%" PRId64 " ", demand, br_steps_name(steps, t),
                    begin);
        if (br_steps_free(steps, t, time + 1))
            fprintf(out, "%" PRId64 " y%" PRIu32 "_%" PRId64 " ", demand, br_steps_name(steps, t),
                    time + 1);
    }
    fprintf(out, ">= %" PRId64 " ;\n", degree);
}

void br_steps_write(const struct br_steps *steps, FILE *out)
{
    const struct br_instance *in = steps->in;
    fprintf(out, "* #variable= %" PRIu64 " #constraint= %" PRIu64 "\n", steps->variables,
            steps->rows);
    for (uint32_t t = 0; t < in->tasks; t++)
        if (steps->fits[t])
            fputs(">= 1 ;\n", out);
    for (uint32_t t = 0; t < in->tasks; t++)
        for (int64_t s = 1; steps->used[t] && s < steps->last[t]; s++)
            fprintf(out, "1 y%" PRIu32 "_%" PRId64 " 1 ~y%" PRIu32 "_%" PRId64 " >= 1 ;\n",
                    br_steps_name(steps, t), s, br_steps_name(steps, t), s + 1);
    steps_write_edges(steps, out);
    for (uint32_t r = 0; r < in->resources; r++)
        for (int64_t time = 0; steps->capacity[r] && time < steps->makespan; time++)
            steps_write_capacity(steps, r, time, out);
}
