/* Slack by a slow model that keeps every unit of room by itself, and by what slack promises: a task
 * alone may be as late as its free slack, and with all behind it as late as its total slack, and
 * the plan holds in the eyes of the verifier, no longer than before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "planner/instance/instance.h"
#include "planner/instance/plan.h"
#include "tests/support/random_job.h"
#include "tests/support/transfers.h"

enum { JOBS = 400, TASKS = 40, UNITS = 4000 };

/* before[a][b]: b may not start before a has ended. */
struct model {
    int64_t
        limit[RANDOM_JOB_TASKS]; /* when the task must have ended: its transfers start, or all */
    bool before[RANDOM_JOB_TASKS][RANDOM_JOB_TASKS];
};

static bool is_parent(const struct br_instance *in, uint32_t parent, uint32_t child)
{
    const uint32_t s = in->task_stage[child], p = in->task_stage[parent];
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++)
        if (in->parent[a].stage == p && (!in->parent[a].one_to_one ||
                                         parent - in->stage_first[p] == child - in->stage_first[s]))
            return true;
    return false;
}

/* Room in equal units, each with the task that held it last and when it was given back. A task
 * takes those that have been free the longest; of those given back together, by the rank of the
 * giver. */
static void hand_units_on(struct model *model, const struct br_instance *in,
                          const struct br_plan *plan, uint32_t machine, uint32_t resource,
                          int64_t capacity, int64_t size)
{
    static struct {
        int64_t since;
        uint32_t giver; /* UINT32_MAX: nobody yet */
    } unit[UNITS];
    assert_true(capacity <= UNITS);
    for (int64_t u = 0; u < capacity; u++)
        unit[u].since = -1, unit[u].giver = UINT32_MAX;
    for (uint32_t k = 0; k < in->tasks; k++) {
        const uint32_t t = plan->order[k];
        if (plan->machine[t] != machine || in->duration[t] == 0)
            continue;
        const int64_t wanted =
            in->demand[(size_t)in->task_stage[t] * in->resources + resource] / size;
        for (int64_t n = 0; n < wanted; n++) {
            int64_t best = -1;
            for (int64_t u = 0; u < capacity; u++)
                if (unit[u].since <= plan->start_ns[t] &&
                    (best < 0 || unit[u].since < unit[best].since ||
                     (unit[u].since == unit[best].since && unit[u].giver != unit[best].giver &&
                      plan->rank[unit[u].giver] < plan->rank[unit[best].giver])))
                    best = u;
            assert_true(best >= 0);
            if (unit[best].giver != UINT32_MAX)
                model->before[unit[best].giver][t] = true;
            unit[best].since = plan->end_ns[t];
            unit[best].giver = t;
        }
    }
}

/* Units of a resource so coarse that a machine has not too many. */
static int64_t unit_of(const struct br_instance *in, uint32_t resource)
{
    int64_t a = 0;
    for (uint32_t k = 0; k < in->stages + in->classes; k++) {
        int64_t b = k < in->stages
                        ? in->demand[(size_t)k * in->resources + resource]
                        : in->capacity[(size_t)(k - in->stages) * in->resources + resource];
        while (b) {
            const int64_t rest = a % b;
            a = b;
            b = rest;
        }
    }
    return a ? a : 1;
}

/* False where machines have too many units. */
static bool make_model(struct model *model, const struct br_instance *in,
                       const struct br_plan *plan)
{
    memset(model, 0, sizeof *model);
    for (uint32_t t = 0; t < in->tasks; t++) {
        model->limit[t] = plan->makespan_ns;
        for (uint32_t k = 0; k < br_plan_transfer_count(plan); k++) {
            const struct br_plan_transfer x = br_plan_transfer_at(plan, k);
            if (x.parent == in->task_stage[t] && x.from == plan->machine[t] &&
                (x.index == BR_TRANSFER_ALL || x.index == t - in->stage_first[x.parent]) &&
                x.start_ns < model->limit[t])
                model->limit[t] = x.start_ns;
        }
    }
    for (uint32_t a = 0; a < in->tasks; a++)
        for (uint32_t b = 0; b < in->tasks; b++)
            model->before[a][b] = is_parent(in, a, b);
    for (uint32_t r = 0; r < in->resources; r++) {
        const int64_t unit = unit_of(in, r);
        for (uint32_t m = 0; m < in->machines; m++)
            if (in->capacity[(size_t)br_instance_machine_class(in, m) * in->resources + r] / unit >
                UNITS)
                return false;
        for (uint32_t m = 0; m < in->machines; m++)
            hand_units_on(
                model, in, plan, m, r,
                in->capacity[(size_t)br_instance_machine_class(in, m) * in->resources + r] / unit,
                unit);
    }
    return true;
}

/* The latest start of the task, by all paths. */
static int64_t latest(const struct model *model, const struct br_plan *plan, uint32_t task,
                      int64_t *known)
{
    if (known[task] >= 0)
        return known[task];
    int64_t end = model->limit[task];
    for (uint32_t t = 0; t < plan->tasks; t++)
        if (model->before[task][t] && latest(model, plan, t, known) < end)
            end = latest(model, plan, t, known);
    return known[task] = end - (plan->end_ns[task] - plan->start_ns[task]);
}

struct scene {
    struct random_job job;
    struct br_instance *in;
    struct br_plan *plan;
    struct br_task_slack slack[RANDOM_JOB_TASKS];
    struct model model;
    bool known; /* the model is */
};

/* Of four plans one accounts for transfers, where it has several machines. */
static void set_scene(struct scene *scene, uint64_t seed)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_rng rng = br_rng_seed(seed);
    assert_true(random_job_make(seed, TASKS, 0, &scene->job));
    const struct random_job *job = &scene->job;
    options.threads = 1;
    options.effort = BR_EFFORT_FAST;
    options.method = seed % 2 ? "best" : "random";
    const bool network = seed % 4 == 1 && br_cluster_machine_count(job->cluster) > 1;
    if (network) {
        transfers_draw_bytes(job->dag, &rng, 20);
        transfers_draw_ports(job->cluster, &rng, 8);
    }
    assert_int_equal(br_instance_create(job->dag, job->cluster, &scene->in, NULL), BR_OK);
    assert_int_equal(br_plan_make(job->dag, job->cluster, &options, &scene->plan, NULL), BR_OK);
    if (network)
        assert_int_equal(br_plan_network(scene->plan, job->dag, job->cluster, &options, NULL),
                         BR_OK);
    assert_int_equal(br_plan_slack(scene->plan, job->dag, job->cluster, scene->slack, NULL), BR_OK);
    scene->known = make_model(&scene->model, scene->in, scene->plan);
}

static void clear_scene(struct scene *scene)
{
    br_plan_destroy(scene->plan);
    br_instance_destroy(scene->in);
    random_job_finish(&scene->job);
}

static void slack_is_of_the_model(void **state)
{
    unsigned judged = 0, moving = 0, pauses = 0, free = 0, more = 0;
    for (uint64_t seed = 0; seed < random_jobs(JOBS); seed++) {
        static struct scene scene;
        int64_t known[RANDOM_JOB_TASKS];
        set_scene(&scene, seed + 9000);
        const struct br_plan *plan = scene.plan;
        memset(known, -1, sizeof known);
        for (uint32_t t = 0; scene.known && t < plan->tasks; t++) {
            const struct br_task_slack slack = scene.slack[t];
            int64_t least = scene.model.limit[t];
            for (uint32_t other = 0; other < plan->tasks; other++)
                if (scene.model.before[t][other] && plan->start_ns[other] < least)
                    least = plan->start_ns[other];
            assert_int_equal(slack.total_ns,
                             latest(&scene.model, plan, t, known) - plan->start_ns[t]);
            assert_int_equal(slack.free_ns, least - plan->end_ns[t]);
            pauses += slack.total_ns > 0;
            free += slack.free_ns > 0;
            more += slack.total_ns > slack.free_ns;
        }
        judged += scene.known;
        moving += br_plan_transfer_count(plan) > 0;
        clear_scene(&scene);
    }
    assert_true(judged > random_jobs(JOBS) / 2);
    assert_true(moving > 0 || random_jobs(JOBS) < JOBS / 10); /* few jobs move anything */
    assert_true(pauses > judged && free > judged && more > judged / 4);
}

/* The starts of the plan with a task so much later, and all behind it as late as they must be:
 * along the job's arcs and the room that is handed on. */
static void be_late(const struct model *model, struct br_plan *plan, uint32_t task, int64_t late)
{
    for (uint32_t k = plan->rank[task] - 1; k < plan->tasks; k++) {
        const uint32_t t = plan->order[k];
        const int64_t length = plan->end_ns[t] - plan->start_ns[t];
        int64_t start = plan->start_ns[t] + (t == task ? late : 0);
        for (uint32_t other = 0; other < plan->tasks; other++)
            if (model->before[other][t] && plan->end_ns[other] > start)
                start = plan->end_ns[other];
        plan->start_ns[t] = start;
        plan->end_ns[t] = start + length;
    }
}

/* Does what is so late hold, in the eyes of the verifier and in the time of the plan? */
static bool holds(struct scene *scene, uint32_t task, int64_t late)
{
    struct br_plan *plan = scene->plan;
    const size_t times = plan->tasks * sizeof *plan->start_ns,
                 ranks = plan->tasks * sizeof *plan->rank;
    const int64_t makespan = plan->makespan_ns;
    int64_t start[RANDOM_JOB_TASKS], end[RANDOM_JOB_TASKS];
    uint32_t order[RANDOM_JOB_TASKS], rank[RANDOM_JOB_TASKS];
    memcpy(start, plan->start_ns, times);
    memcpy(end, plan->end_ns, times);
    memcpy(order, plan->order, ranks);
    memcpy(rank, plan->rank, ranks);
    be_late(&scene->model, plan, task, late);
    assert_int_equal(br_plan_rank(plan, scene->job.dag, NULL), BR_OK);
    const bool good =
        plan->makespan_ns == makespan &&
        br_plan_verify(plan, scene->job.dag, scene->job.cluster, 1, NULL, NULL, NULL) == BR_OK;
    bool alone = true;
    for (uint32_t t = 0; t < plan->tasks; t++)
        alone &= t == task || plan->start_ns[t] == start[t];
    if (good && late == scene->slack[task].free_ns)
        assert_true(alone);
    memcpy(plan->start_ns, start, times);
    memcpy(plan->end_ns, end, times);
    memcpy(plan->order, order, ranks);
    memcpy(plan->rank, rank, ranks);
    plan->makespan_ns = makespan;
    return good;
}

static void what_slack_promises_holds(void **state)
{
    unsigned moved = 0;
    for (uint64_t seed = 0; seed < random_jobs(JOBS / 4); seed++) {
        static struct scene scene;
        set_scene(&scene, seed + 9500);
        for (uint32_t t = 0; scene.known && t < scene.plan->tasks; t++) {
            const struct br_task_slack slack = scene.slack[t];
            assert_true(slack.free_ns <= slack.total_ns);
            assert_true(holds(&scene, t, slack.free_ns));
            assert_true(holds(&scene, t, slack.total_ns));
            assert_false(holds(&scene, t, slack.total_ns + scene.in->tick_ns));
            moved += slack.total_ns > 0;
        }
        clear_scene(&scene);
    }
    assert_true(moved > random_jobs(JOBS / 4));
}

/* Not in the square of the tasks, and not in barriers times tasks: that would take hours. */
static void large_plans_take_no_longer(void **state)
{
    enum { STAGES = 100, EACH = 1000 };
    struct br_dag *dag = br_dag_create("job");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_plan_options options = br_plan_options_default();
    struct br_task_slack *slack = calloc((size_t)STAGES * EACH, sizeof *slack);
    struct br_plan *plan;
    char id[16];
    assert_non_null(slack);
    options.method = "cp";
    for (uint32_t s = 0; s < STAGES; s++) {
        snprintf(id, sizeof id, "s%u", s);
        assert_int_equal(br_dag_add_stage(dag, id, EACH, 1000 + 7 * s, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", s % 3 ? "1" : "2", NULL), BR_OK);
        for (uint32_t p = s % 2; p < s; p += 2)
            assert_int_equal(br_dag_add_edge(dag, p, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 3, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "700", NULL), BR_OK);
    assert_int_equal(br_plan_make(dag, cluster, &options, &plan, NULL), BR_OK);
    assert_int_equal(br_plan_slack(plan, dag, cluster, slack, NULL), BR_OK);
    uint32_t tight = 0, wide = 0;
    for (uint32_t t = 0; t < STAGES * EACH; t++) {
        assert_true(slack[t].free_ns >= 0 && slack[t].free_ns <= slack[t].total_ns);
        tight += slack[t].total_ns == 0;
        wide += slack[t].total_ns > 0;
    }
    assert_true(tight > 0 && wide > 0);
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
    free(slack);
}

/* By hand: a long task beside two that follow each other on the same machine, with a pause behind.
 */
static void slack_by_hand(void **state)
{
    enum { LONG, FIRST, SECOND, LAST };
    struct br_dag *dag = br_dag_create("job");
    struct br_cluster *cluster = br_cluster_create(NULL);
    static const char *const id[] = {"long", "first", "second", "last"};
    static const int64_t seconds[] = {10, 3, 4, 1};
    struct br_plan *plan;
    struct br_task_slack slack[4];
    for (uint32_t s = 0; s < 4; s++) {
        assert_int_equal(br_dag_add_stage(dag, id[s], 1, seconds[s] * 1000000000, NULL, NULL),
                         BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1", NULL), BR_OK);
    }
    assert_int_equal(br_dag_add_edge(dag, FIRST, SECOND, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, LONG, LAST, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, SECOND, LAST, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "2", NULL), BR_OK);
    assert_int_equal(br_plan_make(dag, cluster, NULL, &plan, NULL), BR_OK);
    assert_int_equal(br_plan_slack(plan, dag, cluster, slack, NULL), BR_OK);
    assert_int_equal(slack[LONG].total_ns, 0);
    assert_int_equal(slack[FIRST].total_ns, 3000000000);
    assert_int_equal(slack[FIRST].free_ns, 0);
    assert_int_equal(slack[SECOND].total_ns, 3000000000);
    assert_int_equal(slack[SECOND].free_ns, 3000000000);
    assert_int_equal(slack[LAST].total_ns, 0);
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slack_by_hand),
        cmocka_unit_test(slack_is_of_the_model),
        cmocka_unit_test(what_slack_promises_holds),
        cmocka_unit_test(large_plans_take_no_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
