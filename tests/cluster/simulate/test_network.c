/* Bytes that move while a workload is simulated: cases that were worked out by hand, and random
 * ones against a fluid model in doubles that shares no code with the simulator: given where and
 * when tasks started, it says when their inputs were there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/instance/plan.h"
#include "planner/network/haul.h"
#include "cluster/simulate/policies/plans.h"
#include "cluster/simulate/policies/policies.h"
#include "tests/cluster/simulate/script.h"
#include "tests/support/random_job.h"
#include "tests/support/transfers.h"

#define S INT64_C(1000000000)
#define GB INT64_C(1000000000)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct br_transit_policy *sharing(const char *name)
{
    uint32_t k = 0;
    while (strcmp(br_transit_policy(k)->named.name, name) != 0)
        k++;
    return br_transit_policy(k);
}

/* ---- By hand ---- */

static uint32_t add(struct small *small, struct br_dag *dag)
{
    uint32_t number;
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_workload_add_dag(small->workload, dag, NULL, NULL, &number, NULL), BR_OK);
    return number;
}

static void begin(struct small *small, uint32_t machines, int64_t up, int64_t down,
                  const char *policy)
{
    small_begin(small, machines, "cpu=4");
    assert_int_equal(br_cluster_set_network(small->cluster, 0, up, down, NULL), BR_OK);
    small->options.network = sharing(policy);
}

static void run(struct small *small, const struct script_step *step, uint32_t steps,
                struct br_outcome *outcome)
{
    struct script script;
    struct br_diag diag = {0};
    script_begin(&script, step, steps);
    if (small_run(small, &script.row, outcome, &diag) != BR_OK)
        fail_msg("%s", diag.what);
    /* A policy is told how long a task worked, not that it waited. */
    uint64_t last = outcome->spans - 1;
    int64_t works_ns = outcome->work_ns ? outcome->work_ns[last] : outcome->span[last].start_ns;
    assert_int_equal(script.ended.lasted_ns, outcome->span[last].end_ns - works_ns);
}

/* The task worked from that second on, and ended there. */
static void expect(const struct br_outcome *outcome, uint32_t job, uint32_t task, double works,
                   double ends)
{
    const struct br_span *span = small_span(outcome, job, task, BR_SPAN_DONE, 0);
    assert_float_equal((double)outcome->work_ns[span - outcome->span] / 1e9, works, 1e-6);
    assert_float_equal((double)span->end_ns / 1e9, ends, 1e-6);
}

/* Two tasks put out 10 GB each, one on either machine. The child's tasks take a half of that: what
 * lies on their machine is there, and 5 GB come at 1 GB/s each way. A second child by pairs gets
 * what its twin put out. */
static void test_one_job(void **state)
{
    static const struct script_step step[] = {{0, 0, 0, 0},     {0, 0, 1, 1},     {2 * S, 0, 2, 0},
                                              {2 * S, 0, 3, 1}, {2 * S, 0, 4, 0}, {9 * S, 0, 5, 0}};
    struct small small;
    struct br_outcome outcome;
    begin(&small, 2, GB, GB, "fair");
    struct br_dag *dag = br_dag_create("two");
    uint32_t a = transfers_stage(dag, "a", 2, 2), b = transfers_stage(dag, "b", 2, 3),
             c = transfers_stage(dag, "c", 2, 1);
    transfers_edge(dag, a, b, BR_BARRIER, 20 * GB);
    transfers_edge(dag, a, c, BR_ONE_TO_ONE, 8 * GB);
    small_job(&small, add(&small, dag), 0);
    run(&small, step, COUNT(step), &outcome);
    expect(&outcome, 0, 2, 7, 10); /* 5 GB from the other machine, alone on both ports */
    expect(&outcome, 0, 3, 7, 10);
    expect(&outcome, 0, 4, 2, 3);   /* its twin was here */
    expect(&outcome, 0, 5, 13, 14); /* 4 GB of its twin, which was there */
    assert_int_equal(outcome.moved.transfers, 3);
    assert_float_equal(outcome.moved.bytes, 14e9, 1e-6);
    assert_float_equal(outcome.moved.waited_s, 5 + 5 + 4, 1e-6);
    br_outcome_finish(&outcome);
    small_finish(&small);
}

/* Three jobs that put out their bytes on m[0] and go on elsewhere: 6 GB, 2 GB and 4 GB over one
 * port of 1 GB/s. The second one begins to fetch a second after the first, the third two. */
static void contend(const char *policy, const double *works)
{
    static const struct script_step step[] = {{0, 0, 0, 0},     {0, 1, 0, 0},     {0, 2, 0, 0},
                                              {1 * S, 0, 1, 1}, {2 * S, 1, 1, 2}, {3 * S, 2, 1, 3}};
    static const int64_t bytes[] = {6 * GB, 2 * GB, 4 * GB};
    struct small small;
    struct br_outcome outcome;
    begin(&small, 4, GB, GB, policy);
    for (uint32_t j = 0; j < 3; j++) {
        struct br_dag *dag = br_dag_create("chain");
        uint32_t a = transfers_stage(dag, "a", 1, 1), b = transfers_stage(dag, "b", 1, 1);
        transfers_edge(dag, a, b, BR_BARRIER, bytes[j]);
        small_job(&small, add(&small, dag), 0);
    }
    run(&small, step, COUNT(step), &outcome);
    for (uint32_t j = 0; j < 3; j++)
        expect(&outcome, j, 1, works[j], works[j] + 1);
    br_outcome_finish(&outcome);
    small_finish(&small);
}

static void test_policies(void **state)
{
    /* Alone to 2: 1 of 6 GB. Halves to 3: 0.5 each. Thirds until the second is through: 1.5 GB
     * each, at 7.5. Then 3 and 2.5 GB in halves: the third at 12.5, the first at 13. */
    contend("fair", (const double[]){13, 7.5, 12.5});
    contend("fifo", (const double[]){7, 9, 13});
    /* At 2 the second is the shorter one; at 4 the third has 4 GB left and the first 5. */
    contend("remaining-bottleneck-first", (const double[]){13, 4, 8});
    contend("smallest-remaining-first", (const double[]){13, 4, 8});
    /* 1 GB of the first until 2, in the third queue; 0.1048576 GB of the second until it is there,
     * too; the first until it has sunk at 1.048576 GB. Likewise the second, the third and the
     * second; then, all in the fourth queue, one after another. */
    contend("aalo", (const double[]){9.097152, 10.048576, 13});
}

/* Two tasks fetch by pairs from two machines, and one of another job from the first of them to the
 * same machine as the first task. */
static void by_pairs(const char *policy, int64_t pairs, int64_t one, const double *works)
{
    static const struct script_step step[] = {{0, 0, 0, 0}, {0, 0, 1, 1}, {0, 1, 0, 0},
                                              {S, 0, 2, 2}, {S, 0, 3, 3}, {S, 1, 1, 2}};
    struct small small;
    struct br_outcome outcome;
    begin(&small, 4, GB, GB, policy);
    for (uint32_t j = 0; j < 2; j++) {
        struct br_dag *dag = br_dag_create("in");
        uint32_t a = transfers_stage(dag, "a", 2 - j, 1), b = transfers_stage(dag, "b", 2 - j, 1);
        transfers_edge(dag, a, b, BR_ONE_TO_ONE, j ? one : pairs);
        small_job(&small, add(&small, dag), 0);
    }
    run(&small, step, COUNT(step), &outcome);
    expect(&outcome, 0, 2, works[0], works[0] + 1);
    expect(&outcome, 0, 3, works[1], works[1] + 1);
    expect(&outcome, 1, 1, works[2], works[2] + 1);
    br_outcome_finish(&outcome);
    small_finish(&small);
}

/* The bytes of all flows of a stage count, not those of a port or of a flow alone. */
static void test_by_bytes(void **state)
{
    (void)state;
    by_pairs("remaining-bottleneck-first", 6 * GB, 5 * GB, (const double[]){4, 4, 9});
    by_pairs("smallest-remaining-first", 6 * GB, 5 * GB, (const double[]){9, 4, 6});
    /* Both flows of the pairs sink together. The other one sends 1.048576 GB in the first three
     * queues; the pairs, in the fourth from then on, leave it at 10.48576 GB, 5.767168 s after the
     * beginning, and wait until the other has sent its 5 GB. */
    by_pairs("aalo", 12 * GB, 5 * GB, (const double[]){12, 7, 10.718592});
}

/* A port that receives can be the busiest one: 4 GB from either of two machines are more than 5 GB
 * from one of them. */
static void test_receivers(void **state)
{
    static const struct script_step step[] = {
        {0, 0, 0, 0}, {0, 0, 1, 1}, {0, 1, 0, 1}, {S, 0, 2, 2}, {S, 1, 1, 2}};
    struct small small;
    struct br_outcome outcome;
    begin(&small, 3, GB, GB, "remaining-bottleneck-first");
    for (uint32_t j = 0; j < 2; j++) {
        struct br_dag *dag = br_dag_create("in");
        uint32_t a = transfers_stage(dag, "a", 2 - j, 1), b = transfers_stage(dag, "b", 1, 1);
        transfers_edge(dag, a, b, BR_BARRIER, j ? 5 * GB : 8 * GB);
        small_job(&small, add(&small, dag), 0);
    }
    run(&small, step, COUNT(step), &outcome);
    expect(&outcome, 1, 1, 6, 7);
    expect(&outcome, 0, 2, 14, 15);
    br_outcome_finish(&outcome);
    small_finish(&small);
}

/* Edges without bytes: all is as without a network. */
static void test_nothing_moves(void **state)
{
    static const struct script_step step[] = {{0, 0, 0, 0}, {S, 0, 1, 0}};
    struct small small;
    struct br_outcome outcome, plain;
    begin(&small, 2, GB, GB, "fair");
    struct br_dag *dag = br_dag_create("light");
    uint32_t a = transfers_stage(dag, "a", 1, 1), b = transfers_stage(dag, "b", 1, 1);
    transfers_edge(dag, a, b, BR_BARRIER, 0);
    small_job(&small, add(&small, dag), 0);
    run(&small, step, COUNT(step), &outcome);
    small.options.network = NULL;
    run(&small, step, COUNT(step), &plain);
    assert_int_equal(outcome.spans, plain.spans);
    assert_memory_equal(outcome.span, plain.span, plain.spans * sizeof *plain.span);
    assert_int_equal(outcome.events, plain.events);
    assert_null(plain.work_ns);
    assert_int_equal(outcome.moved.transfers, 0);
    br_outcome_finish(&outcome);
    br_outcome_finish(&plain);
    small_finish(&small);
}

static void test_no_rate(void **state)
{
    static const struct script_step step[] = {{0, 0, 0, 0}};
    struct small small;
    struct script script;
    struct br_outcome outcome;
    struct br_diag diag = {0};
    small_begin(&small, 2, "cpu=4");
    small.options.network = sharing("fair");
    struct br_dag *dag = br_dag_create("chain");
    uint32_t a = transfers_stage(dag, "a", 1, 1), b = transfers_stage(dag, "b", 1, 1);
    transfers_edge(dag, a, b, BR_BARRIER, 5);
    small_job(&small, add(&small, dag), 0);
    script_begin(&script, step, COUNT(step));
    assert_int_equal(small_run(&small, &script.row, &outcome, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "has no rate"));
    br_outcome_finish(&outcome);
    small_finish(&small);
}

/* ---- Against a fluid model ---- */

enum { MOST_MACHINES = 5, MOST_SPANS = 2048 };

/* An attempt that has something to fetch. */
struct fetch {
    double begin, left[MOST_MACHINES], works; /* left: bytes by machine that they come from */
    double gone;                              /* when it is taken away */
    uint32_t to;
    double rate[MOST_MACHINES];
};

struct fluid {
    const struct br_workload *workload;
    const struct br_outcome *outcome;
    uint32_t machines;
    double up, down;
    struct fetch fetch[MOST_SPANS];
};

/* What the attempt has to fetch from each machine, by the last attempts at its parents before it.
 */
static void find_bytes(struct fluid *fluid, uint64_t at)
{
    const struct br_span *span = &fluid->outcome->span[at];
    const struct br_dag *dag = fluid->workload->dag[fluid->workload->job[span->job].dag].dag;
    uint32_t s = br_dag_task_stage(dag, span->task), place = span->task - dag->stage[s].first_task;
    struct fetch *fetch = &fluid->fetch[at];
    *fetch =
        (struct fetch){.begin = (double)span->start_ns,
                       .to = span->machine,
                       .gone = fluid->outcome->work_ns[at] < 0 ? (double)span->end_ns : INFINITY,
                       .works = -1};
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge_of = &dag->edge[e];
        if (edge_of->child != s)
            continue;
        const struct br_stage *parent = &dag->stage[edge_of->parent];
        double share = (double)edge_of->bytes / parent->tasks /
                       (edge_of->type == BR_BARRIER ? dag->stage[s].tasks : 1);
        for (uint64_t k = 0; k < at; k++) {
            const struct br_span *other = &fluid->outcome->span[k];
            uint32_t index = other->task - parent->first_task;
            if (other->job == span->job && other->end == BR_SPAN_DONE && index < parent->tasks &&
                other->machine != span->machine && (edge_of->type == BR_BARRIER || index == place))
                fetch->left[other->machine] += share;
        }
    }
}

/* Is something of the attempt on its way? */
static bool is_moving(const struct fluid *fluid, const struct fetch *fetch, double now)
{
    double left = 0;
    for (uint32_t m = 0; m < fluid->machines; m++)
        left += fetch->left[m];
    return fetch->begin <= now && fetch->works < 0 && fetch->gone > now && left > 0;
}

/* Raises all rates together and fixes those of a port that is full, until all are fixed. */
static void rate_fairly(struct fluid *fluid, const bool *moving)
{
    bool open[MOST_SPANS][MOST_MACHINES] = {{false}};
    double up[MOST_MACHINES], down[MOST_MACHINES];
    bool any = true;
    for (uint32_t m = 0; m < fluid->machines; m++) {
        up[m] = fluid->up;
        down[m] = fluid->down;
    }
    for (uint64_t k = 0; k < fluid->outcome->spans; k++)
        for (uint32_t m = 0; m < fluid->machines; m++)
            open[k][m] = moving[k] && fluid->fetch[k].left[m] > 0;
    while (any) {
        uint32_t ups[MOST_MACHINES] = {0}, downs[MOST_MACHINES] = {0};
        double step = INFINITY;
        any = false;
        for (uint64_t k = 0; k < fluid->outcome->spans; k++)
            for (uint32_t m = 0; m < fluid->machines; m++)
                if (open[k][m]) {
                    ups[m]++;
                    downs[fluid->fetch[k].to]++;
                    any = true;
                }
        for (uint32_t m = 0; m < fluid->machines; m++) {
            step = ups[m] && up[m] / ups[m] < step ? up[m] / ups[m] : step;
            step = downs[m] && down[m] / downs[m] < step ? down[m] / downs[m] : step;
        }
        for (uint32_t m = 0; m < fluid->machines && any; m++) {
            up[m] -= step * ups[m];
            down[m] -= step * downs[m];
        }
        for (uint64_t k = 0; k < fluid->outcome->spans && any; k++)
            for (uint32_t m = 0; m < fluid->machines; m++)
                if (open[k][m]) {
                    fluid->fetch[k].rate[m] += step;
                    open[k][m] = up[m] > 1e-6 && down[fluid->fetch[k].to] > 1e-6;
                }
    }
}

/* Lets each machine's flow of each attempt end, and the time go on, as rates are. */
static void flow(struct fluid *fluid, const bool *moving, double seconds)
{
    for (uint64_t k = 0; k < fluid->outcome->spans; k++)
        for (uint32_t m = 0; m < fluid->machines && moving[k]; m++) {
            double *left = &fluid->fetch[k].left[m];
            *left -= fluid->fetch[k].rate[m] * seconds;
            if (*left < 2) /* of a byte: the simulator rounds shares up */
                *left = 0;
        }
}

/* When each attempt's inputs are there. */
static void solve(struct fluid *fluid)
{
    static bool moving[MOST_SPANS];
    uint64_t spans = fluid->outcome->spans;
    double now = 0;
    for (;;) {
        double next = INFINITY;
        for (uint64_t k = 0; k < spans; k++) {
            struct fetch *fetch = &fluid->fetch[k];
            moving[k] = is_moving(fluid, fetch, now);
            memset(fetch->rate, 0, sizeof fetch->rate);
            if (fetch->begin > now && fetch->begin < next)
                next = fetch->begin;
            if (moving[k] && fetch->gone < next)
                next = fetch->gone;
        }
        rate_fairly(fluid, moving);
        for (uint64_t k = 0; k < spans; k++)
            for (uint32_t m = 0; m < fluid->machines && moving[k]; m++)
                if (fluid->fetch[k].left[m] > 0 &&
                    now + fluid->fetch[k].left[m] / fluid->fetch[k].rate[m] * 1e9 < next)
                    next = now + fluid->fetch[k].left[m] / fluid->fetch[k].rate[m] * 1e9;
        for (uint64_t k = 0; k < spans; k++)
            if (fluid->fetch[k].begin <= now && fluid->fetch[k].works < 0 &&
                fluid->fetch[k].gone > now && !moving[k])
                fluid->fetch[k].works = now;
        if (next == INFINITY)
            break;
        flow(fluid, moving, (next - now) * 1e-9);
        now = next;
    }
}

/* Jobs whose edges carry bytes, at random. */
static void fill(struct small *small, struct br_rng *rng, uint32_t jobs)
{
    for (uint32_t j = 0; j < jobs; j++) {
        struct br_dag *dag = br_dag_create("random");
        uint32_t stages = 2 + (uint32_t)br_rng_below(rng, 4), tasks[6];
        for (uint32_t s = 0; s < stages; s++) {
            char id[16];
            snprintf(id, sizeof id, "s%u", s);
            tasks[s] = 1 + (uint32_t)br_rng_below(rng, 4);
            transfers_stage(dag, id, tasks[s], (int64_t)br_rng_below(rng, 5));
            for (uint32_t p = 0; p < s; p++)
                if (br_rng_below(rng, 2))
                    transfers_edge(
                        dag, p, s,
                        tasks[p] == tasks[s] && br_rng_below(rng, 2) ? BR_ONE_TO_ONE : BR_BARRIER,
                        br_rng_below(rng, 4) ? (int64_t)br_rng_below(rng, 20) * GB + 12345 : 0);
        }
        small_job(small, add(small, dag), (int64_t)br_rng_below(rng, 10));
    }
}

/* Every task gets its inputs when the fluid model has them there, and lasts as long as it does.
 * With another order of ports no fetch is quicker than its port. */
static void test_random(void **state)
{
    static const char *const rows[] = {"srpt", "fair", "graphene", "random", "fifo"};
    static struct fluid fluid;
    uint64_t fetched = 0, lost = 0;
    for (unsigned seed = 1; seed <= random_jobs(300); seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct small small;
        struct br_outcome outcome;
        struct br_diag diag = {0};
        const struct br_policy_row *row;
        double number;
        uint32_t machines = 2 + (uint32_t)br_rng_below(&rng, MOST_MACHINES - 1);
        int64_t up = (1 + (int64_t)br_rng_below(&rng, 4)) * GB;
        int64_t down = (1 + (int64_t)br_rng_below(&rng, 4)) * GB;
        begin(&small, machines, up, down, "fair");
        fill(&small, &rng, 1 + (uint32_t)br_rng_below(&rng, 4));
        small.options.network = br_transit_policy(seed % 4 ? 0 : 1 + seed / 4 % 4);
        bool fair = small.options.network->sharing == BR_SHARE_FAIR;
        small.options.world.fail = seed % 3 == 0 ? 0.1 : 0;
        small.options.world.leave_s = seed % 5 == 0 ? 30 : 0;
        small.options.world.return_s = 5;
        assert_int_equal(br_policies_find(rows[seed % COUNT(rows)], &row, &number, NULL), BR_OK);
        if (row->plans)
            row = br_policies_at(4); /* the tests' setups have no plans */
        if (small_run(&small, row, &outcome, &diag) != BR_OK)
            fail_msg("%s", diag.what);
        assert_int_equal(outcome.finished, outcome.jobs);
        assert_true(outcome.spans < MOST_SPANS);
        fluid.workload = small.workload;
        fluid.outcome = &outcome;
        fluid.machines = machines;
        fluid.up = (double)up;
        fluid.down = (double)down;
        for (uint64_t k = 0; k < outcome.spans; k++)
            find_bytes(&fluid, k);
        for (uint64_t k = 0; k < outcome.spans && !fair; k++) {
            double in = 0;
            for (uint32_t m = 0; m < machines; m++)
                in += fluid.fetch[k].left[m];
            if (outcome.work_ns[k] >= 0)
                assert_true((double)outcome.work_ns[k] >=
                            fluid.fetch[k].begin + in / (double)down * 1e9 - 1);
        }
        if (fair)
            solve(&fluid);
        for (uint64_t k = 0; k < outcome.spans; k++) {
            fetched += outcome.work_ns[k] > outcome.span[k].start_ns;
            lost += outcome.work_ns[k] < 0;
            if (outcome.work_ns[k] >= 0 && fair)
                assert_float_equal((double)outcome.work_ns[k] / 1e9, fluid.fetch[k].works / 1e9,
                                   1e-5);
        }
        br_outcome_finish(&outcome);
        small_finish(&small);
    }
    /* Few jobs need not have any. */
    assert_true(fetched > 100 || random_jobs(300) < 300);
    assert_true(lost > 0 || random_jobs(300) < 300);
}

/* ---- Placed jobs ---- */

/* The makespan of the plan's machines and order, ports shared so, as planner/network has it. */
static int64_t haul(const struct br_dag *dag, const struct br_cluster *cluster,
                    const struct br_plan *plan, enum br_sharing sharing)
{
    struct br_network_job job;
    struct br_instance *in;
    struct br_haul haul;
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_int_equal(br_network_job_init(&job, dag, cluster, in, NULL), BR_OK);
    assert_true(br_haul_init(&haul, &job));
    const struct br_haul_course course = {.machine = plan->machine,
                                          .sequence = plan->order,
                                          .sharing = sharing,
                                          .limit_ns = INT64_MAX};
    assert_int_equal(br_haul_run(&haul, &course), BR_OK);
    int64_t makespan_ns = haul.makespan_ns;
    br_haul_finish(&haul);
    br_network_job_finish(&job);
    br_instance_destroy(in);
    return makespan_ns;
}

/* One job alone that follows its plan with transfers to its machines takes as long as the planner
 * says of these machines, this order, and fair shares: to the nanosecond. Where the plan shares its
 * ports so, too, and nothing of it waits for its turn, that is the plan's makespan. */
static void test_placed_alone(void **state)
{
    uint32_t moving = 0, as_planned = 0, jobs = random_jobs(200);
    for (uint64_t seed = 1; seed <= jobs; seed++) {
        struct random_job random;
        struct br_rng rng = br_rng_seed(seed);
        struct br_plans plans;
        struct br_outcome outcome;
        struct br_diag diag = {0};
        struct br_plan_options planning = br_plan_options_default();
        struct br_simulate_options options = {.world = br_world_default(),
                                              .network = sharing("fair"),
                                              .setup = {.enforcer = br_runtime_options_default(),
                                                        .plan = br_plans_get,
                                                        .network_plan = br_plans_get_network,
                                                        .plan_context = &plans,
                                                        .number = NAN}};
        double number;
        assert_true(random_job_make(seed, 14, 0, &random));
        for (uint32_t c = 0; c < random.cluster->classes; c++)
            assert_int_equal(br_cluster_set_network(random.cluster, c, 1000000, 1000000, NULL),
                             BR_OK);
        transfers_draw_bytes(random.dag, &rng, 9000);
        struct br_workload *workload = br_workload_create("alone", NULL);
        struct br_workload_job job = br_workload_job_default();
        assert_int_equal(br_workload_add_dag(workload, random.dag, NULL, NULL, &job.dag, NULL),
                         BR_OK);
        job.id = "alone";
        assert_int_equal(br_workload_add_job(workload, &job, NULL), BR_OK);
        assert_int_equal(br_workload_finish(workload, NULL), BR_OK);
        planning.effort = BR_EFFORT_FAST;
        planning.placements = 20000;
        assert_int_equal(br_plans_init(&plans, workload, random.cluster, &planning, NULL), BR_OK);
        assert_int_equal(br_policies_find("placed-network", &options.row, &number, NULL), BR_OK);
        if (br_simulate_workload(workload, random.cluster, &options, &outcome, &diag))
            fail_msg("seed %d: %s", (int)seed, diag.what);
        const struct br_plan *plan = plans.network[job.dag];
        assert_int_equal(outcome.end_of_all_ns,
                         haul(random.dag, random.cluster, plan, BR_SHARE_FAIR));
        moving += outcome.moved.transfers > 0;
        assert_true(outcome.moved.waited_s <= 0);
        as_planned += outcome.moved.transfers > 0 && outcome.end_of_all_ns == plan->makespan_ns;
        /* Without a network nothing is waited for: the same as if edges carried nothing. */
        br_outcome_finish(&outcome);
        options.network = NULL;
        assert_int_equal(br_simulate_workload(workload, random.cluster, &options, &outcome, &diag),
                         BR_OK);
        for (uint32_t e = 0; e < random.dag->edges; e++)
            random.dag->edge[e].bytes = 0;
        assert_int_equal(outcome.end_of_all_ns,
                         haul(random.dag, random.cluster, plan, BR_SHARE_FAIR));
        br_outcome_finish(&outcome);
        br_plans_finish(&plans);
        br_workload_destroy(workload);
        br_cluster_destroy(random.cluster);
    }
    if (moving < jobs / 10 || as_planned < jobs / 20)
        fail_msg("%u of %u jobs move, %u as planned", moving, jobs, as_planned);
}

/* A policy that starts a task before its bytes are there, or elsewhere, is told so. */
static const uint32_t at_one[] = {0, 1};

static const uint32_t *places(void *policy, uint32_t job)
{
    (void)policy;
    (void)job;
    return at_one;
}

static enum br_status supplied(void *policy, uint32_t job, uint32_t task, struct br_diag *diag)
{
    (void)policy;
    (void)job;
    (void)task;
    (void)diag;
    return BR_OK;
}

static void test_placed_is_held(void **state)
{
    const struct script_step step[] = {{0, 0, 0, 0}, {3 * S, 0, 1, 1}};
    for (int k = 0; k < 3; k++) {
        struct script_step steps[2] = {step[0], step[1]};
        struct small small;
        struct script script;
        struct br_outcome outcome;
        struct br_diag diag = {0};
        begin(&small, 2, GB, GB, "fair");
        struct br_dag *dag = br_dag_create("chain");
        uint32_t a = transfers_stage(dag, "a", 1, 1), b = transfers_stage(dag, "b", 1, 1);
        transfers_edge(dag, a, b, BR_BARRIER, 2 * GB); /* there at 3 s */
        small_job(&small, add(&small, dag), 0);
        steps[1].at_ns -= k == 1;
        steps[1].machine = k == 2 ? 0 : 1;
        script_begin(&script, steps, 2);
        script.row.places = places;
        script.row.supplied = supplied;
        assert_int_equal(small_run(&small, &script.row, &outcome, &diag), k ? BR_SYSTEM : BR_OK);
        if (k)
            assert_non_null(strstr(diag.what, "is placed elsewhere, or waits for bytes"));
        else
            assert_int_equal(outcome.end_of_all_ns, 4 * S);
        br_outcome_finish(&outcome);
        small_finish(&small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_job),        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_by_bytes),       cmocka_unit_test(test_receivers),
        cmocka_unit_test(test_nothing_moves),  cmocka_unit_test(test_no_rate),
        cmocka_unit_test(test_random),         cmocka_unit_test(test_placed_alone),
        cmocka_unit_test(test_placed_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
