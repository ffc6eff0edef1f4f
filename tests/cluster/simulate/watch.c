#include "tests/cluster/simulate/watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/instance/plan.h"

enum state { IDLE, RUNNING, DONE };

struct watched_job {
    bool here;
    struct br_arrival arrival;
    const struct br_dag *dag;
    uint32_t *stage; /* by task */
    uint8_t *state;  /* by task */
    int64_t *start_ns;
    uint32_t *rank;  /* by task */
    int64_t *demand; /* [stage * AMOUNTS_RESOURCES] */
    double *tail_s;  /* by stage: the longest path from its start to the end of the job */
};

enum order { BREADTH, TAIL, PLAN };

/* What a list policy promises: the job of the least key first, and its first task. */
struct watch_rule {
    const char *policy;
    double (*key)(const struct watch *watch, const struct watched_job *job); /* NULL: any job */
    enum order order;
    bool by_group;
    bool exact; /* keys of different jobs can be compared to the last bit */
};

/* ---- The view ---- */

static bool is_ready(const struct watched_job *job, uint32_t task)
{
    const struct br_dag *dag = job->dag;
    uint32_t place = task - dag->stage[job->stage[task]].first_task;
    if (job->state[task] != IDLE)
        return false;
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_stage *parent = &dag->stage[dag->edge[e].parent];
        for (uint32_t i = 0; dag->edge[e].child == job->stage[task] && i < parent->tasks; i++)
            if ((dag->edge[e].type == BR_BARRIER || i == place) &&
                job->state[parent->first_task + i] != DONE)
                return false;
    }
    return true;
}

static bool fits(const struct watch *watch, const struct watched_job *job, uint32_t task,
                 uint32_t machine)
{
    const int64_t *demand = job->demand + (size_t)job->stage[task] * AMOUNTS_RESOURCES;
    const int64_t *free = watch->free + (size_t)machine * AMOUNTS_RESOURCES;
    for (uint32_t r = 0; r < watch->amounts.resources; r++)
        if (demand[r] > 0 && demand[r] > free[r])
            return false;
    return watch->there[machine];
}

/* The ready task of the job that fits there and has the least rank, or UINT32_MAX. */
static uint32_t first_task(const struct watch *watch, const struct watched_job *job,
                           uint32_t machine)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t t = 0; t < job->dag->tasks; t++)
        if (fits(watch, job, t, machine) && is_ready(job, t) &&
            (first == UINT32_MAX || job->rank[t] < job->rank[first]))
            first = t;
    return first;
}

static void take(struct watch *watch, const struct watched_job *job, uint32_t task,
                 uint32_t machine, int sign)
{
    const int64_t *demand = job->demand + (size_t)job->stage[task] * AMOUNTS_RESOURCES;
    for (uint32_t r = 0; r < watch->amounts.resources; r++)
        watch->free[(size_t)machine * AMOUNTS_RESOURCES + r] -= sign * demand[r];
}

/* ---- Keys, from what the table says of the policies ---- */

static uint32_t running(const struct watched_job *job)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < job->dag->tasks; t++)
        count += job->state[t] == RUNNING;
    return count;
}

/* Demands as shares of the cluster x declared seconds, of all tasks or of those not started. */
static double work(const struct watch *watch, const struct watched_job *job, bool left)
{
    double sum = 0;
    for (uint32_t t = 0; t < job->dag->tasks; t++)
        for (uint32_t r = 0; r < watch->amounts.resources; r++)
            if (!left || job->state[t] == IDLE)
                sum += (double)job->demand[(size_t)job->stage[t] * AMOUNTS_RESOURCES + r] /
                       (watch->total[r] > 0 ? watch->total[r] : 1) *
                       (double)job->dag->duration_ns[t] * 1e-9;
    return sum;
}

/* The most that the running tasks of the job, or of all jobs of its group, hold of a resource. */
static double share(const struct watch *watch, const struct watched_job *of, bool group)
{
    double most = 0;
    for (uint32_t r = 0; r < watch->amounts.resources; r++) {
        int64_t held = 0;
        for (uint32_t j = 0; j < watch->jobs; j++) {
            const struct watched_job *job = &watch->job[j];
            bool counts = group ? job->here && job->arrival.group == of->arrival.group : job == of;
            for (uint32_t t = 0; counts && t < job->dag->tasks; t++)
                if (job->state[t] == RUNNING)
                    held += job->demand[(size_t)job->stage[t] * AMOUNTS_RESOURCES + r];
        }
        if (watch->total[r] > 0 && (double)held / watch->total[r] > most)
            most = (double)held / watch->total[r];
    }
    return most;
}

static double none(const struct watch *watch, const struct watched_job *job)
{
    (void)watch;
    (void)job;
    return 0;
}

static double fewest_running(const struct watch *watch, const struct watched_job *job)
{
    (void)watch;
    return running(job) / job->arrival.weight;
}

static double weighted_running(const struct watch *watch, const struct watched_job *job)
{
    double total = work(watch, job, false);
    return running(job) / (job->arrival.weight * pow(total > 1e-3 ? total : 1e-3,
                                                     isnan(watch->number) ? -1 : watch->number));
}

static double dominant(const struct watch *watch, const struct watched_job *job)
{
    return share(watch, job, false) / job->arrival.weight;
}

static double least_work(const struct watch *watch, const struct watched_job *job)
{
    return work(watch, job, false);
}

static double least_left(const struct watch *watch, const struct watched_job *job)
{
    return work(watch, job, true);
}

static double longest_path(const struct watch *watch, const struct watched_job *job)
{
    double longest = 0;
    (void)watch;
    for (uint32_t t = 0; t < job->dag->tasks; t++)
        if (is_ready(job, t) && job->tail_s[job->stage[t]] > longest)
            longest = job->tail_s[job->stage[t]];
    return -longest;
}

static const struct watch_rule rules[] = {
    {.policy = "fifo", .key = none, .order = BREADTH, .exact = true},
    {.policy = "capacity", .key = none, .order = BREADTH, .by_group = true, .exact = true},
    {.policy = "capacity-plan", .key = none, .order = PLAN, .by_group = true, .exact = true},
    {.policy = "fair", .key = fewest_running, .order = BREADTH, .exact = true},
    {.policy = "weighted-fair", .key = weighted_running, .order = BREADTH},
    {.policy = "weighted-fair-tuned", .key = weighted_running, .order = BREADTH},
    {.policy = "drf", .key = dominant, .order = BREADTH, .exact = true},
    {.policy = "sjf", .key = least_work, .order = BREADTH},
    {.policy = "srpt", .key = least_left, .order = BREADTH},
    {.policy = "srpt-plan", .key = least_left, .order = PLAN},
    {.policy = "cp", .key = longest_path, .order = TAIL, .exact = true},
    {.policy = "random", .key = NULL, .order = BREADTH},
};

/* Does a have to go before b? Keys that are sums in another order may differ in their last bits. */
static bool goes_before(const struct watch *watch, const struct watched_job *a,
                        const struct watched_job *b)
{
    const struct watch_rule *rule = watch->rule;
    if (rule->by_group && a->arrival.group != b->arrival.group) {
        double of_a = share(watch, a, true) / watch->setup->group[a->arrival.group].weight;
        double of_b = share(watch, b, true) / watch->setup->group[b->arrival.group].weight;
        return of_a < of_b || (of_a == of_b && a->arrival.group < b->arrival.group);
    }
    double of_a = rule->key(watch, a), of_b = rule->key(watch, b);
    if (rule->exact || a->dag == b->dag)
        return of_a < of_b || (of_a == of_b && a->arrival.job < b->arrival.job);
    return of_a < of_b - 1e-9 * (fabs(of_a) + fabs(of_b));
}

/* ---- Ranks ---- */

/* By stage: edges on the longest path from a source; or the longest path to the end, less first. */
static void find_levels(const struct watched_job *job, enum order order, double *level)
{
    const struct br_dag *dag = job->dag;
    for (uint32_t s = 0; s < dag->stages; s++)
        level[s] = order == BREADTH ? 0 : -job->tail_s[s];
    for (uint32_t round = 0; order == BREADTH && round < dag->stages; round++)
        for (uint32_t e = 0; e < dag->edges; e++)
            level[dag->edge[e].child] =
                fmax(level[dag->edge[e].child], level[dag->edge[e].parent] + 1);
}

static void find_tails(struct watched_job *job)
{
    const struct br_dag *dag = job->dag;
    for (uint32_t round = 0; round < dag->stages; round++)
        for (uint32_t s = 0; s < dag->stages; s++) {
            int64_t longest_ns = 0;
            double behind = 0;
            for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
                int64_t lasts_ns = dag->duration_ns[dag->stage[s].first_task + i];
                longest_ns = lasts_ns > longest_ns ? lasts_ns : longest_ns;
            }
            for (uint32_t e = 0; e < dag->edges; e++)
                if (dag->edge[e].parent == s)
                    behind = fmax(behind, job->tail_s[dag->edge[e].child]);
            job->tail_s[s] = (double)longest_ns + behind; /* whole numbers, so exact */
        }
}

static void find_ranks(const struct watch *watch, struct watched_job *job)
{
    const struct br_dag *dag = job->dag;
    uint32_t *place = calloc(dag->stages, sizeof *place);
    double *level = calloc(dag->stages, sizeof *level);
    for (uint32_t p = 0; p < dag->stages; p++)
        place[dag->topological[p]] = p;
    find_tails(job);
    find_levels(job, watch->rule ? watch->rule->order : BREADTH, level);
    for (uint32_t t = 0; t < dag->tasks; t++)
        for (uint32_t u = 0; u < dag->tasks; u++) {
            uint32_t s = job->stage[t], v = job->stage[u];
            job->rank[t] += level[v] != level[s]   ? level[v] < level[s]
                            : place[v] != place[s] ? place[v] < place[s]
                                                   : u < t;
        }
    if (watch->rule && watch->rule->order == PLAN) {
        const struct br_plan *plan =
            watch->setup->plan(watch->setup->plan_context, &job->arrival, NULL);
        for (uint32_t k = 0; k < dag->tasks; k++)
            job->rank[plan->order[k]] = k;
    }
    free(level);
    free(place);
}

/* ---- The operations ---- */

static enum br_status create(const struct br_policy_row *row, const struct br_policy_setup *setup,
                             void **policy, struct br_diag *diag)
{
    /* The row is a watch's own. */
    struct watch *watch = (struct watch *)(uintptr_t)row->detail;
    uint32_t machines = setup->cluster->machines;
    *policy = watch;
    watch->setup = setup;
    watch->amounts = amounts_of(setup->cluster);
    watch->free = calloc((size_t)machines * AMOUNTS_RESOURCES, sizeof *watch->free);
    watch->there = calloc(machines, sizeof *watch->there);
    watch->job = calloc(watch->jobs, sizeof *watch->job);
    memset(watch->total, 0, sizeof watch->total);
    for (uint32_t m = 0; m < machines; m++) {
        watch->there[m] = true;
        for (uint32_t r = 0; r < watch->amounts.resources; r++) {
            int64_t capacity = amounts_capacity(&watch->amounts, m, r);
            watch->total[r] += (double)capacity;
            for (uint32_t k = 0; k < setup->overbooked && !watch->rule; k++)
                if (strcmp(setup->overbook[k].resource, watch->amounts.resource[r]) == 0)
                    capacity = capacity * setup->overbook[k].percent / 100;
            watch->free[(size_t)m * AMOUNTS_RESOURCES + r] = capacity;
        }
    }
    return watch->inner->create(watch->inner, setup, &watch->policy, diag);
}

static void forget(struct watched_job *job)
{
    free(job->stage);
    free(job->state);
    free(job->start_ns);
    free(job->rank);
    free(job->demand);
    free(job->tail_s);
    *job = (struct watched_job){0};
}

static void destroy(void *policy)
{
    struct watch *watch = policy;
    for (uint32_t j = 0; j < watch->jobs; j++)
        forget(&watch->job[j]);
    free(watch->job);
    free(watch->there);
    free(watch->free);
    watch->inner->destroy(watch->policy);
}

static enum br_status arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                             struct br_diag *diag)
{
    struct watch *watch = policy;
    struct watched_job *job = &watch->job[arrival->job];
    const struct br_dag *dag = arrival->dag;
    assert_true(arrival->job < watch->jobs && !job->here);
    assert_int_equal(arrival->arrival_ns, now_ns);
    assert_int_equal(arrival->true_ns != NULL, watch->inner->clairvoyant);
    *job = (struct watched_job){.here = true, .arrival = *arrival, .dag = dag};
    job->stage = calloc(dag->tasks, sizeof *job->stage);
    job->state = calloc(dag->tasks, sizeof *job->state);
    job->start_ns = calloc(dag->tasks, sizeof *job->start_ns);
    job->rank = calloc(dag->tasks, sizeof *job->rank);
    job->demand = calloc((size_t)dag->stages * AMOUNTS_RESOURCES, sizeof *job->demand);
    job->tail_s = calloc(dag->stages, sizeof *job->tail_s);
    for (uint32_t s = 0; s < dag->stages; s++) {
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
            job->stage[dag->stage[s].first_task + i] = s;
        for (uint32_t r = 0; r < watch->amounts.resources; r++)
            job->demand[(size_t)s * AMOUNTS_RESOURCES + r] =
                amounts_demand(&watch->amounts, dag, s, r);
    }
    find_ranks(watch, job);
    return watch->inner->arrive(watch->policy, arrival, now_ns, diag);
}

static enum br_status end(void *policy, const struct br_ended *ended, int64_t now_ns,
                          struct br_diag *diag)
{
    struct watch *watch = policy;
    struct watched_job *job = &watch->job[ended->job];
    assert_true(job->here && job->state[ended->task] == RUNNING);
    assert_int_equal(ended->lasted_ns, now_ns - job->start_ns[ended->task]);
    take(watch, job, ended->task, ended->machine, -1);
    job->state[ended->task] = ended->failed ? IDLE : DONE;
    return watch->inner->end(watch->policy, ended, now_ns, diag);
}

static enum br_status retire(void *policy, uint32_t number, struct br_diag *diag)
{
    struct watch *watch = policy;
    for (uint32_t t = 0; t < watch->job[number].dag->tasks; t++)
        assert_int_equal(watch->job[number].state[t], DONE);
    forget(&watch->job[number]);
    return watch->inner->retire(watch->policy, number, diag);
}

static enum br_status machine(void *policy, uint32_t number, bool there, struct br_diag *diag)
{
    struct watch *watch = policy;
    assert_true(watch->there[number] != there);
    watch->there[number] = there;
    return watch->inner->machine(watch->policy, number, there, diag);
}

static const uint32_t *places(void *policy, uint32_t number)
{
    struct watch *watch = policy;
    return watch->inner->places(watch->policy, number);
}

static enum br_status supplied(void *policy, uint32_t number, uint32_t task, struct br_diag *diag)
{
    struct watch *watch = policy;
    assert_true(is_ready(&watch->job[number], task));
    return watch->inner->supplied(watch->policy, number, task, diag);
}

/* ---- Decisions ---- */

static void judge(struct watch *watch, const struct br_decision *decision)
{
    const struct watched_job *job = &watch->job[decision->job];
    uint32_t others = 0;
    assert_true(decision->job < watch->jobs && job->here);
    assert_true(is_ready(job, decision->task));
    assert_true(fits(watch, job, decision->task, decision->machine));
    watch->decisions++;
    if (!watch->rule)
        return;
    assert_int_equal(first_task(watch, job, decision->machine), decision->task);
    for (uint32_t j = 0; j < watch->jobs && watch->rule->key; j++) {
        const struct watched_job *other = &watch->job[j];
        if (other == job || !other->here ||
            first_task(watch, other, decision->machine) == UINT32_MAX)
            continue;
        others++;
        assert_false(goes_before(watch, other, job));
    }
    watch->passed_over += others > 0;
}

/* Nothing that is ready fits anywhere. */
static void judge_rest(const struct watch *watch)
{
    for (uint32_t j = 0; j < watch->jobs; j++)
        for (uint32_t m = 0; watch->job[j].here && m < watch->setup->cluster->machines; m++)
            assert_int_equal(first_task(watch, &watch->job[j], m), UINT32_MAX);
}

static uint32_t decide(void *policy, int64_t now_ns, struct br_decision *decisions, uint32_t room,
                       int64_t *wake_ns)
{
    struct watch *watch = policy;
    uint32_t some = watch->most_room && watch->most_room < room ? watch->most_room : room;
    uint32_t got = some, made = 0;
    while (got == some && made + some <= room) {
        got = watch->inner->decide(watch->policy, now_ns, decisions + made, some, wake_ns);
        assert_true(got <= some);
        for (uint32_t d = made; d < made + got; d++) {
            struct watched_job *job = &watch->job[decisions[d].job];
            judge(watch, &decisions[d]);
            job->state[decisions[d].task] = RUNNING;
            job->start_ns[decisions[d].task] = now_ns;
            take(watch, job, decisions[d].task, decisions[d].machine, 1);
        }
        made += got;
    }
    assert_true(made < room); /* else the engine asks again, and this would have to remember */
    if (!watch->idles)
        judge_rest(watch);
    return made;
}

void watch_begin(struct watch *watch, const struct br_policy_row *inner, double number,
                 uint32_t jobs)
{
    *watch = (struct watch){.inner = inner, .number = number, .jobs = jobs};
    watch->row = (struct br_policy_row){.named.name = inner->named.name,
                                        .named.summary = inner->named.summary,
                                        .number = inner->number,
                                        .clairvoyant = inner->clairvoyant,
                                        .detail = watch,
                                        .create = create,
                                        .destroy = destroy,
                                        .arrive = arrive,
                                        .end = end,
                                        .retire = retire,
                                        .machine = machine,
                                        .places = inner->places ? places : NULL,
                                        .supplied = inner->supplied ? supplied : NULL,
                                        .decide = decide};
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (strcmp(rules[k].policy, inner->named.name) == 0)
            watch->rule = &rules[k];
}
