/* Finding violated cuts. LP_CUT_MANDATORY is the energetic argument as an inequality, in the manner
 * of [Baptiste04]. LP_CUT_CHAIN is needed only with several machines: on one machine a pattern
 * cannot hold two stages of a chain anyway. */
#include "lp/solver/cut.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A cut violated by less, as a share of the right side, is left. */
#define VIOLATION 1e-6

/* A stage with different durations and more tasks than this gets no LP_CUT_MANDATORY. */
enum { UNEQUAL_TASKS = 64, MANDATORY_EACH = 3 };

void lp_cuts_finish(struct lp_cuts *cuts)
{
    free(cuts->cut);
    br_arena_finish(&cuts->arena);
    *cuts = (struct lp_cuts){0};
}

double lp_cut_coefficient(const struct lp_cut *cut, const struct lp_problem *problem,
                          const uint32_t *tasks)
{
    double sum = 0;
    for (uint32_t k = 0; k < cut->count; k++) {
        uint32_t v = cut->stage[k];
        sum += cut->kind == LP_CUT_CHAIN ? (double)tasks[v] / problem->slots[v] : tasks[v];
    }
    return sum;
}

void lp_cut_apply(const struct lp_cut *cut, const struct lp_problem *problem, int64_t dual,
                  int64_t *weight)
{
    for (uint32_t k = 0; k < cut->count; k++) {
        uint32_t v = cut->stage[k];
        switch (cut->kind) {
        case LP_CUT_LIMIT:
            weight[v] -= dual;
            break;
        case LP_CUT_CHAIN: /* rounded down: less than the cut would allow */
            weight[v] -= dual / problem->slots[v];
            break;
        case LP_CUT_MANDATORY:
            weight[v] += dual;
            break;
        }
    }
}

static struct lp_cut *add_cut(struct lp_cuts *cuts, enum lp_cut_kind kind, uint32_t first,
                              uint32_t last, int64_t value, uint32_t members)
{
    assert(first < last && members > 0);
    if (cuts->count == cuts->room) {
        uint32_t room = cuts->room ? 2 * cuts->room : 64;
        struct lp_cut *larger = realloc(cuts->cut, room * sizeof *larger);
        if (!larger)
            return NULL;
        cuts->cut = larger;
        cuts->room = room;
    }
    struct lp_cut *cut = &cuts->cut[cuts->count];
    *cut = (struct lp_cut){kind, first, last, value, members, NULL};
    cut->stage = br_arena_array(&cuts->arena, members, sizeof *cut->stage);
    if (!cut->stage)
        return NULL;
    cuts->count++;
    return cut;
}

/* Sum over the tasks of the stage of their durations cut to `length`. */
static int64_t cut_durations(const struct lp_problem *p, uint32_t v, int64_t length)
{
    const struct br_instance *in = p->in;
    uint32_t s = p->stage[v];
    if (in->stage_longest[s] <= length)
        return p->work[v];
    if (in->stage_equal[s])
        return length * p->tasks[v]; /* below the work */
    int64_t sum = 0;
    for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
        sum += in->duration[t] < length ? in->duration[t] : length;
    return sum;
}

static int64_t mandatory_part(int64_t duration, int64_t head, int64_t deadline, int64_t from,
                              int64_t to)
{
    assert(duration >= 0 && from < to);
    int64_t part = duration < to - from ? duration : to - from;
    int64_t early = head + duration - from, late = to - (deadline - duration);
    part = early < part ? early : part;
    part = late < part ? late : part;
    return part > 0 ? part : 0;
}

static int64_t cut_mandatory(const struct lp_problem *p, uint32_t v, int64_t makespan, int64_t from,
                             int64_t to)
{
    const struct br_instance *in = p->in;
    uint32_t s = p->stage[v];
    int64_t deadline = makespan - p->tail[v], sum = 0;
    if (in->stage_equal[s])
        return p->tasks[v] * mandatory_part(in->stage_longest[s], p->head[v], deadline, from, to);
    if (p->tasks[v] > UNEQUAL_TASKS)
        return 0;
    for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
        sum += mandatory_part(in->duration[t], p->head[v], deadline, from, to);
    return sum;
}

static bool separate_limits(struct lp_cuts *cuts, const struct lp_problem *p,
                            const struct lp_intervals *in, const double *time)
{
    for (uint32_t v = 0; v < p->count; v++)
        for (uint32_t k = in->first[v]; k < in->last[v]; k++) {
            double runs = time[(size_t)v * in->count + k];
            if (runs <= 0)
                continue;
            int64_t most = cut_durations(p, v, in->point[k + 1] - in->point[k]);
            if (runs <= (double)most * (1 + VIOLATION))
                continue;
            struct lp_cut *cut = add_cut(cuts, LP_CUT_LIMIT, k, k + 1, most, 1);
            if (!cut)
                return false;
            cut->stage[0] = v;
        }
    return true;
}

/* The heaviest chain in each interval, by the stages in their order, parents first. */
static bool separate_chains(struct lp_cuts *cuts, const struct lp_problem *p,
                            const struct lp_intervals *in, const double *time)
{
    double *sum = malloc(p->count * sizeof *sum);
    uint32_t *before = malloc(p->count * sizeof *before);
    bool ok = sum && before;
    for (uint32_t k = 0; ok && k < in->count; k++) {
        uint32_t end = UINT32_MAX, members = 0;
        for (uint32_t v = 0; v < p->count; v++) {
            double runs = time[(size_t)v * in->count + k];
            sum[v] = 0;
            before[v] = UINT32_MAX;
            if (runs <= 0)
                continue;
            for (uint32_t u = 0; u < v; u++)
                if (sum[u] > sum[v] && p->ahead[(size_t)u * p->count + v]) {
                    sum[v] = sum[u];
                    before[v] = u;
                }
            sum[v] += runs / p->slots[v];
            if (end == UINT32_MAX || sum[v] > sum[end])
                end = v;
        }
        int64_t length = in->point[k + 1] - in->point[k];
        if (end == UINT32_MAX || sum[end] <= (double)length * (1 + VIOLATION))
            continue;
        for (uint32_t v = end; v != UINT32_MAX; v = before[v])
            members++;
        struct lp_cut *cut = add_cut(cuts, LP_CUT_CHAIN, k, k + 1, length, members);
        ok = cut != NULL;
        for (uint32_t v = end; ok && v != UINT32_MAX; v = before[v])
            cut->stage[--members] = v;
        assert(!ok || members == 0);
    }
    free(sum);
    free(before);
    return ok;
}

/* Only runs within the window: outside them the argument says less. */
static bool separate_mandatory(struct lp_cuts *cuts, const struct lp_problem *p,
                               const struct lp_intervals *in, int64_t makespan, const double *time)
{
    for (uint32_t v = 0; v < p->count; v++) {
        struct {
            uint32_t first, last;
            int64_t value;
            double violation;
        } worst[MANDATORY_EACH] = {{0, 0, 0, 0}};
        for (uint32_t a = in->first[v]; a < in->last[v]; a++) {
            double runs = 0;
            for (uint32_t b = a + 1; b <= in->last[v]; b++) {
                runs += time[(size_t)v * in->count + b - 1];
                int64_t value = cut_mandatory(p, v, makespan, in->point[a], in->point[b]);
                double violation = (double)value * (1 - VIOLATION) - runs;
                if (violation <= worst[MANDATORY_EACH - 1].violation)
                    continue;
                uint32_t at = MANDATORY_EACH - 1;
                for (; at > 0 && worst[at - 1].violation < violation; at--)
                    worst[at] = worst[at - 1];
                worst[at].first = a;
                worst[at].last = b;
                worst[at].value = value;
                worst[at].violation = violation;
            }
        }
        for (uint32_t k = 0; k < MANDATORY_EACH && worst[k].violation > 0; k++) {
            struct lp_cut *cut =
                add_cut(cuts, LP_CUT_MANDATORY, worst[k].first, worst[k].last, worst[k].value, 1);
            if (!cut)
                return false;
            cut->stage[0] = v;
        }
    }
    return true;
}

bool lp_cuts_separate(struct lp_cuts *cuts, const struct lp_problem *problem,
                      const struct lp_intervals *intervals, int64_t makespan, const double *time)
{
    return separate_limits(cuts, problem, intervals, time) &&
           separate_chains(cuts, problem, intervals, time) &&
           separate_mandatory(cuts, problem, intervals, makespan, time);
}
