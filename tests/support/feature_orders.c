/* The least peak of storage when tasks run one after another: by all subsets, and for trees by
 * merging the orders of subtrees. */
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"
#include "tests/support/feature_oracle.h"

enum { SUBSET_TASKS = 20 };

/* What one task does to a resource, in whole units. */
struct step_of_task {
    int64_t running;     /* what it holds while it runs, beside what was there */
    int64_t made[8];     /* outputs that stay behind it */
    uint32_t readers[8]; /* masks of tasks; 0: a result, if it is there at all */
    uint32_t outputs;
    uint32_t parents; /* a mask */
};

static uint32_t find_named(const struct br_dag *dag, const char *resource)
{
    uint32_t r = 0;
    while (r < dag->resources && strcmp(dag->resource[r].name, resource) != 0)
        r++;
    return r;
}

static int64_t demand_of(const struct br_dag *dag, uint32_t stage, uint32_t resource, bool *ok)
{
    const struct br_stage *s = &dag->stage[stage];
    int64_t amount = 0;
    for (uint32_t d = s->first_demand; d < s->first_demand + s->demands; d++)
        if (dag->demand[d].resource == resource)
            *ok &= br_decimal_scale(dag->demand[d].amount, 0, &amount);
    return amount;
}

static uint32_t readers_mask(const struct br_dag *dag, uint32_t output, uint32_t index)
{
    const struct br_storage *storage = dag->storage;
    uint32_t mask = 0;
    for (uint32_t k = storage->output_first[output]; k < storage->output_first[output + 1]; k++) {
        const struct br_edge *edge = &dag->edge[storage->readers[k]];
        const struct br_stage *child = &dag->stage[edge->child];
        for (uint32_t j = 0; j < child->tasks; j++)
            if (edge->type == BR_BARRIER || j == index)
                mask |= 1u << (child->first_task + j);
    }
    return mask;
}

/* A task that takes no time holds nothing while it runs. */
static bool read_step(const struct br_dag *dag, uint32_t stage, uint32_t index, uint32_t resource,
                      struct step_of_task *step)
{
    const struct br_storage *storage = dag->storage;
    const bool lasts = dag->duration_ns[dag->stage[stage].first_task + index] > 0;
    bool ok = true;
    *step = (struct step_of_task){0};
    step->running = lasts ? demand_of(dag, stage, resource, &ok) : 0;
    for (uint32_t o = storage ? storage->stage_first[stage] : 0;
         storage && o < storage->stage_first[stage + 1]; o++) {
        int64_t amount = 0;
        if (storage->output[o].resource != resource)
            continue;
        ok &= br_decimal_scale(storage->output[o].amount, 0, &amount) && step->outputs < 8;
        if (!ok)
            return false;
        if (lasts && !(storage->output[o].flags & BR_OUTPUT_FROM_END))
            step->running += amount;
        const uint32_t mask = readers_mask(dag, o, index);
        if (mask || br_output_is_result(storage, o)) {
            step->made[step->outputs] = amount;
            step->readers[step->outputs++] = mask;
        }
    }
    return ok;
}

static void read_parents(const struct br_dag *dag, struct step_of_task *step)
{
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_stage *a = &dag->stage[dag->edge[e].parent];
        const struct br_stage *b = &dag->stage[dag->edge[e].child];
        for (uint32_t i = 0; i < a->tasks; i++)
            for (uint32_t j = 0; j < b->tasks; j++)
                if (dag->edge[e].type == BR_BARRIER || i == j)
                    step[b->first_task + j].parents |= 1u << (a->first_task + i);
    }
}

/* What is stored behind these tasks. */
static int64_t stored_behind(const struct step_of_task *step, uint32_t tasks, uint32_t done)
{
    int64_t sum = 0;
    for (uint32_t t = 0; t < tasks; t++)
        for (uint32_t o = 0; done >> t & 1 && o < step[t].outputs; o++)
            if (!step[t].readers[o] || step[t].readers[o] & ~done)
                sum += step[t].made[o];
    return sum;
}

static int64_t more(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* least[S]: of all orders of S, the least peak. */
static int64_t peak_of_subsets(const struct step_of_task *step, uint32_t tasks, int64_t *least)
{
    const uint32_t all = (1u << tasks) - 1;
    for (uint32_t s = 0; s <= all; s++)
        least[s] = s ? INT64_MAX : 0;
    for (uint32_t s = 0; s < all; s++) {
        if (least[s] == INT64_MAX)
            continue;
        const int64_t stored = stored_behind(step, tasks, s);
        for (uint32_t t = 0; t < tasks; t++) {
            const uint32_t with = s | 1u << t;
            if (s >> t & 1 || step[t].parents & ~s)
                continue;
            /* What is left after the last task is held for no time. */
            const int64_t after = with == all ? 0 : stored_behind(step, tasks, with);
            const int64_t peak = more(least[s], more(stored + step[t].running, after));
            least[with] = peak < least[with] ? peak : least[with];
        }
    }
    return least[all];
}

int64_t feature_oracle_peak(const struct br_dag *dag, const char *resource)
{
    struct step_of_task step[SUBSET_TASKS];
    const uint32_t r = find_named(dag, resource);
    int64_t *least, peak = FEATURE_ORACLE_TOO_MUCH;
    if (dag->tasks > SUBSET_TASKS || !(least = malloc(sizeof *least << dag->tasks)))
        return peak;
    bool ok = true;
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
            ok &= read_step(dag, s, i, r, &step[dag->stage[s].first_task + i]);
    read_parents(dag, step);
    if (ok)
        peak = peak_of_subsets(step, dag->tasks, least);
    free(least);
    return peak;
}

/* ---- Trees, after Liu (1987): generalised pebbling ---- */

/* A best order of a subtree rises to a hill, falls to a valley, and so on: hills fall from one to
 * the next, and valleys rise. */
struct hills {
    uint32_t count;
    struct hill {
        int64_t hill, valley;
    } * at;
};

/* Appends a climb to `hill` that ends in `valley`. A valley that is not above the ones before takes
 * their place, and a hill that is not below the ones before does. */
static void add_hill(struct hills *to, int64_t hill, int64_t valley)
{
    while (to->count &&
           (to->at[to->count - 1].valley >= valley || to->at[to->count - 1].hill <= hill)) {
        hill = more(hill, to->at[to->count - 1].hill);
        to->count--;
    }
    to->at[to->count++] = (struct hill){hill, valley};
}

/* One climb of a subtree beside the others. */
struct climb {
    int64_t rise, fall; /* from the valley before to the hill; and to the next valley */
};

/* The largest fall from hill to valley first. */
static int compare_climbs(const void *a, const void *b)
{
    const struct climb *x = a, *y = b;
    const int64_t left = x->rise - x->fall, right = y->rise - y->fall;
    return left > right ? -1 : left < right;
}

/* Merges the orders of the children and appends the step of the root. */
static void merge_children(const struct hills *of, const uint32_t *child, uint32_t children,
                           int64_t running, int64_t made, struct climb *climb, struct hills *to)
{
    uint32_t count = 0;
    int64_t now = 0;
    for (uint32_t c = 0; c < children; c++) {
        int64_t before = 0;
        for (uint32_t k = 0; k < of[child[c]].count; k++) {
            const struct hill *hill = &of[child[c]].at[k];
            climb[count++] = (struct climb){hill->hill - before, hill->valley - before};
            before = hill->valley;
        }
    }
    br_sort_by(climb, count, sizeof *climb, compare_climbs); /* keeps those of one child in order */
    for (uint32_t k = 0; k < count; k++) {
        add_hill(to, now + climb[k].rise, now + climb[k].fall);
        now += climb[k].fall;
    }
    add_hill(to, now + running, made);
}

/* Fills child[first[s]] .. with the stages whose outputs stage s reads. */
static bool list_children(const struct br_dag *dag, uint32_t *first, uint32_t *child)
{
    uint32_t *from = calloc(dag->stages + 1, sizeof *from);
    bool tree = from && dag->storage && dag->tasks == dag->stages && dag->edges + 1 == dag->stages;
    for (uint32_t e = 0; tree && e < dag->edges; e++) {
        tree = !from[dag->edge[e].parent]++ && br_edge_reads_all(dag, e);
        first[dag->edge[e].child + 1]++;
    }
    for (uint32_t s = 0; tree && s < dag->stages; s++)
        first[s + 1] += first[s];
    for (uint32_t s = 0; tree && s < dag->stages; s++)
        from[s] = 0;
    for (uint32_t e = 0; tree && e < dag->edges; e++) {
        const uint32_t to = dag->edge[e].child;
        child[first[to] + from[to]++] = dag->edge[e].parent;
    }
    free(from);
    return tree;
}

int64_t feature_oracle_liu(const struct br_dag *dag, const char *resource)
{
    const uint32_t r = find_named(dag, resource), stages = dag->stages;
    uint32_t *first = calloc(stages + 1, sizeof *first), *child = calloc(stages, sizeof *child);
    struct hills *hills = calloc(stages, sizeof *hills);
    struct climb *climb = calloc(stages + 1, sizeof *climb);
    int64_t peak = 0;
    bool ok = first && child && hills && climb && list_children(dag, first, child);
    for (uint32_t p = 0; p < stages && ok; p++) {
        const uint32_t s = dag->topological[p];
        const struct br_storage *storage = dag->storage;
        const uint32_t o = storage->stage_first[s];
        int64_t made = 0;
        ok = storage->stage_first[s + 1] == o + 1 && storage->output[o].resource == r &&
             !(storage->output[o].flags & BR_OUTPUT_FROM_END) &&
             br_decimal_scale(storage->output[o].amount, 0, &made) &&
             (hills[s].at = calloc(stages + 1, sizeof *hills[s].at));
        const int64_t running = demand_of(dag, s, r, &ok) + made;
        if (ok)
            merge_children(hills, child + first[s], first[s + 1] - first[s], running, made, climb,
                           &hills[s]);
        if (p + 1 == stages && ok)
            peak = hills[s].at[0].hill; /* the first hill is the highest */
    }
    for (uint32_t s = 0; hills && s < stages; s++)
        free(hills[s].at);
    free(first);
    free(child);
    free(hills);
    free(climb);
    return ok ? peak : FEATURE_ORACLE_TOO_MUCH;
}
