/* Lines that say how much of a measure is held at a time, from the rows of capacity.
 *
 * A task that runs or not at time u weighs 1 - (~y(u - d + 1) + y(u + 1)), which is 0 or 1: that it
 * is 0 or more is the sum of the steps between. Adding that takes a task, or a part of its demand,
 * out of a row. Whole units: take the rest of every demand out, divide by the unit. Pairs that do
 * not fit together: take all others out, divide by the larger demand. Pairs of which one waits for
 * the other: the rows of the edges between. A clique: the pairs of one more task with all before,
 * k - 1 times the clique so far, divided by k [Gocht22]. */
#include <inttypes.h>

#include "base/text/diag.h"
#include "emit/proofs/derive.h"

static bool weighed_in_clique(const struct br_proof_measure *measure, uint32_t stage)
{
    for (uint32_t k = 0; k < measure->stages; k++)
        if (measure->stage[k] == stage)
            return true;
    return false;
}

enum br_status br_derive_weigh(const struct br_instance *in, const struct br_proof_measure *measure,
                               struct br_weighed *weighed, struct br_diag *diag)
{
    uint32_t r = 0;
    weighed->kind = measure->kind;
    weighed->unit = weighed->capacity = 1;
    for (uint32_t t = 0; t < in->tasks && measure->kind == BR_MEASURE_CLIQUE; t++)
        weighed->weight[t] = weighed_in_clique(measure, in->task_stage[t]);
    if (measure->kind == BR_MEASURE_CLIQUE)
        return BR_OK;
    while (r < in->resources && in->resource_origin[r] != measure->resource)
        r++;
    if (r == in->resources ||
        (measure->unit.mantissa &&
         (!br_decimal_scale(measure->unit, in->resource_digits[r], &weighed->unit) ||
          weighed->unit <= 0)))
        return br_fail(diag, BR_NO, "leave --proof out",
                       "the unit of a measure is no whole number of what demands count");
    weighed->resource = r;
    weighed->capacity = in->total[r] / weighed->unit;
    for (uint32_t t = 0; t < in->tasks; t++)
        weighed->weight[t] =
            in->demand[(size_t)in->task_stage[t] * in->resources + r] / weighed->unit;
    return BR_OK;
}

static int64_t weighed_demand(const struct br_derivation *lines, uint32_t task, uint32_t r)
{
    const struct br_instance *in = lines->steps->in;
    return in->duration[task] > 0 ? in->demand[(size_t)in->task_stage[task] * in->resources + r]
                                  : 0;
}

/* Does it run at that time wherever it starts, or never? Then no row has a variable of it. */
static bool weighed_fixed(const struct br_steps *steps, uint32_t task, int64_t time)
{
    return !br_steps_free(steps, task, time - steps->in->duration[task] + 1) &&
           !br_steps_free(steps, task, time + 1);
}

/* Adds `times` times: the task runs 0 times or more at that time. */
static void weighed_take_out(struct br_derivation *lines, uint32_t task, int64_t time,
                             int64_t times)
{
    const struct br_steps *steps = lines->steps;
    const int64_t begin = time - steps->in->duration[task] + 1;
    if (times == 0 || weighed_fixed(steps, task, time))
        return;
    if (!br_steps_free(steps, task, begin)) {
        br_derive_print(lines, " ~y%" PRIu32 "_%" PRId64, br_steps_name(lines->steps, task),
                        time + 1);
    } else if (!br_steps_free(steps, task, time + 1)) {
        br_derive_print(lines, " y%" PRIu32 "_%" PRId64, br_steps_name(lines->steps, task), begin);
    } else {
        for (int64_t x = begin; x <= time; x++)
            br_derive_print(lines, " %" PRIu64 "%s", steps->ladder[task] + (uint64_t)x,
                            x > begin ? " +" : "");
    }
    br_derive_print(lines, " %" PRId64 " * +", times);
}

/* The row of that time in whole units. */
static uint64_t weighed_units(struct br_derivation *lines, const struct br_weighed *weighed,
                              int64_t time)
{
    const uint32_t r = weighed->resource;
    br_derive_print(lines, "pol %" PRIu64, lines->steps->capacity[r] + (uint64_t)time);
    for (uint32_t t = 0; t < lines->steps->in->tasks; t++)
        if (lines->steps->counted[t])
            weighed_take_out(lines, t, time, weighed_demand(lines, t, r) % weighed->unit);
    br_derive_print(lines, " %" PRId64 " d", weighed->unit);
    return br_derive_line(lines);
}

/* A resource of which the two demand more than there is; UINT32_MAX: there is none. */
static uint32_t weighed_rivals(const struct br_derivation *lines, uint32_t a, uint32_t b)
{
    const struct br_instance *in = lines->steps->in;
    uint32_t r = 0;
    while (r < in->resources &&
           weighed_demand(lines, a, r) <= in->total[r] - weighed_demand(lines, b, r))
        r++;
    return r < in->resources ? r : UINT32_MAX;
}

static uint64_t weighed_pair_by_demand(struct br_derivation *lines, uint32_t r, uint32_t a,
                                       uint32_t b, int64_t time)
{
    const int64_t x = weighed_demand(lines, a, r), y = weighed_demand(lines, b, r);
    br_derive_print(lines, "pol %" PRIu64, lines->steps->capacity[r] + (uint64_t)time);
    for (uint32_t t = 0; t < lines->steps->in->tasks; t++)
        if (lines->steps->counted[t] && t != a && t != b)
            weighed_take_out(lines, t, time, weighed_demand(lines, t, r));
    br_derive_print(lines, " %" PRId64 " d", x > y ? x : y);
    return br_derive_line(lines);
}

/* ---- Tasks that exclude each other by their order ---- */

struct br_derive_clique {
    uint32_t *member;
    uint32_t members, common; /* a resource that all pairs exceed; UINT32_MAX: there is none */
    /* [member * tasks + task]: the first edge of the shortest path from the task to the member;
     * NULL: there is none. Not set if demands exclude all pairs. */
    const struct br_steps_edge **toward;
};

/* The first edges of the shortest paths to a task, from each that has one. */
static void weighed_paths(const struct br_steps *steps, uint32_t to, int64_t *length,
                          const struct br_steps_edge **first)
{
    const struct br_instance *in = steps->in;
    for (uint32_t k = in->stages; k > 0; k--) {
        const uint32_t s = in->topological[k - 1];
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++) {
            length[t] = t == to ? 0 : INT64_MAX;
            for (uint32_t e = steps->edge_first[t]; t != to && e < steps->edge_first[t + 1]; e++) {
                const int64_t behind = length[steps->edge[e].to];
                if (behind == INT64_MAX || behind + in->duration[t] >= length[t])
                    continue;
                length[t] = behind + in->duration[t];
                first[t] = &steps->edge[e];
            }
        }
    }
}

static void weighed_literal(struct br_derivation *lines, const char *sign, uint32_t task, int64_t s)
{
    if (br_steps_free(lines->steps, task, s))
        br_derive_print(lines, " %sy%" PRIu32 "_%" PRId64 " +", sign,
                        br_steps_name(lines->steps, task), s);
}

/* Task a, if it has not ended by `time`, ends later than it starts there, so b, which waits for it,
 * starts later than `time`: the rows of the edges between, and the steps of b that are left. */
static uint64_t weighed_pair_by_order(struct br_derivation *lines,
                                      const struct br_steps_edge *const *toward, uint32_t a,
                                      uint32_t b, int64_t time)
{
    const struct br_steps *steps = lines->steps;
    const int64_t begin = time - steps->in->duration[a] + 1;
    const char *plus = "";
    int64_t s = begin > 0 ? begin : 0;
    uint32_t t = a;
    br_derive_print(lines, "pol");
    while (t != b && s <= steps->last[t]) {
        br_derive_print(lines, " %" PRIu64 "%s", toward[t]->row + (uint64_t)s, plus);
        plus = " +";
        s += steps->in->duration[t];
        t = toward[t]->to;
    }
    if (t == b && s <= steps->last[b]) {
        for (int64_t x = time + 1; x < s; x++)
            br_derive_print(lines, " %" PRIu64 " +", steps->ladder[b] + (uint64_t)x);
    } else {
        weighed_literal(lines, "", b, time + 1);
    }
    weighed_literal(lines, "", a, time + 1);
    weighed_literal(lines, "~", b, time - steps->in->duration[b] + 1);
    return br_derive_line(lines);
}

static uint64_t weighed_pair(struct br_derivation *lines, const struct br_derive_clique *clique,
                             uint32_t i, uint32_t k, int64_t time)
{
    const uint32_t a = clique->member[i], b = clique->member[k];
    const size_t tasks = lines->steps->in->tasks;
    const uint32_t r = weighed_rivals(lines, a, b);
    if (r != UINT32_MAX)
        return weighed_pair_by_demand(lines, r, a, b, time);
    return clique->toward[k * tasks + a]
               ? weighed_pair_by_order(lines, clique->toward + k * tasks, a, b, time)
               : weighed_pair_by_order(lines, clique->toward + i * tasks, b, a, time);
}

static uint64_t weighed_pairs(struct br_derivation *lines, const struct br_derive_clique *clique,
                              int64_t time)
{
    uint64_t all = weighed_pair(lines, clique, 0, 1, time);
    for (uint32_t k = 2; k < clique->members; k++) {
        const uint64_t first = lines->next + 1;
        for (uint32_t i = 0; i < k; i++)
            weighed_pair(lines, clique, i, k, time);
        br_derive_print(lines, "pol %" PRIu64 " %" PRIu32 " *", all, k - 1);
        for (uint32_t i = 0; i < k; i++)
            br_derive_print(lines, " %" PRIu64 " +", first + i);
        br_derive_print(lines, " %" PRIu32 " d", k);
        all = br_derive_line(lines);
    }
    return all;
}

/* Finds the paths between members, if some pair needs one. BR_NO if there is none. */
static enum br_status weighed_order(struct br_derivation *lines, struct br_derive_clique *clique,
                                    struct br_diag *diag)
{
    const size_t tasks = lines->steps->in->tasks;
    int64_t *length = br_arena_array(&lines->arena, tasks, sizeof *length);
    clique->toward = br_arena_array(&lines->arena, clique->members * tasks, sizeof *clique->toward);
    if (!length || !clique->toward)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < clique->members; k++)
        weighed_paths(lines->steps, clique->member[k], length, clique->toward + k * tasks);
    for (uint32_t k = 0; k < clique->members; k++)
        for (uint32_t i = 0; i < k; i++)
            if (weighed_rivals(lines, clique->member[i], clique->member[k]) == UINT32_MAX &&
                !clique->toward[k * tasks + clique->member[i]] &&
                !clique->toward[i * tasks + clique->member[k]])
                return br_fail(diag, BR_NO, "leave --proof out",
                               "the proof has a clique of which two tasks exclude each other "
                               "neither by demand nor by order; it has no form for VeriPB yet");
    return BR_OK;
}

/* ---- Cliques ---- */

/* A resource of which any two members demand more than there is, and what the least of them leaves
 * and 1 more: no other member demands less. UINT32_MAX: there is none. */
static uint32_t weighed_common(const struct br_derivation *lines, const uint32_t *member,
                               uint32_t members, int64_t *unit)
{
    const struct br_instance *in = lines->steps->in;
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t least = INT64_MAX, next = INT64_MAX;
        for (uint32_t i = 0; i < members; i++) {
            int64_t demand = weighed_demand(lines, member[i], r);
            if (demand < least) {
                next = least;
                least = demand;
            } else if (demand < next) {
                next = demand;
            }
        }
        *unit = in->total[r] - least + 1;
        if (next >= *unit)
            return r;
    }
    return UINT32_MAX;
}

/* All members at once: takes what is above the unit out of every demand, and all of others', and
 * divides by it. */
static uint64_t weighed_whole(struct br_derivation *lines, const struct br_weighed *weighed,
                              int64_t time)
{
    const uint32_t r = weighed->clique->common;
    br_derive_print(lines, "pol %" PRIu64, lines->steps->capacity[r] + (uint64_t)time);
    for (uint32_t t = 0; t < lines->steps->in->tasks; t++) {
        const int64_t demand = lines->steps->counted[t] ? weighed_demand(lines, t, r) : 0;
        const int64_t stays = weighed->weight[t] > 0 ? weighed->unit : 0;
        if (demand > stays)
            weighed_take_out(lines, t, time, demand - stays);
    }
    br_derive_print(lines, " %" PRId64 " d", weighed->unit);
    return br_derive_line(lines);
}

static enum br_status weighed_by_clique(struct br_derivation *lines, struct br_weighed *weighed,
                                        struct br_diag *diag)
{
    const uint32_t tasks = lines->steps->in->tasks;
    struct br_derive_clique *clique = br_arena_array(&lines->arena, 1, sizeof *clique);
    if (!clique)
        return br_fail_memory(diag);
    weighed->clique = clique;
    clique->member = br_arena_array(&lines->arena, tasks, sizeof *clique->member);
    if (!clique->member)
        return br_fail_memory(diag);
    for (uint32_t t = 0; t < tasks; t++)
        if (weighed->weight[t] > 0 && lines->steps->in->duration[t] > 0)
            clique->member[clique->members++] = t;
    if (clique->members < 2)
        return br_fail(diag, BR_NO, NULL, "a clique of one task has no form for VeriPB");
    clique->common = weighed_common(lines, clique->member, clique->members, &weighed->unit);
    return clique->common < UINT32_MAX ? BR_OK : weighed_order(lines, clique, diag);
}

enum br_status br_derive_weighed(struct br_derivation *lines, struct br_weighed *weighed,
                                 struct br_diag *diag)
{
    weighed->at =
        br_arena_array(&lines->arena, (size_t)lines->steps->makespan + 1, sizeof *weighed->at);
    if (!weighed->at)
        return br_fail_memory(diag);
    return weighed->kind == BR_MEASURE_CLIQUE ? weighed_by_clique(lines, weighed, diag) : BR_OK;
}

void br_derive_at(struct br_derivation *lines, struct br_weighed *weighed, int64_t time)
{
    if (weighed->at[time])
        return;
    if (weighed->kind != BR_MEASURE_CLIQUE)
        weighed->at[time] = weighed->unit > 1
                                ? weighed_units(lines, weighed, time)
                                : lines->steps->capacity[weighed->resource] + (uint64_t)time;
    else
        weighed->at[time] = weighed->clique->common < UINT32_MAX
                                ? weighed_whole(lines, weighed, time)
                                : weighed_pairs(lines, weighed->clique, time);
}
