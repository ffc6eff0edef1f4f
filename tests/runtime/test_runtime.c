/* The enforcer on random jobs: whatever happens, and in whatever order, no machine is overfull, no
 * task starts before its parents have ended, and every task runs to its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/model/instance.h"
#include "planner/model/plan.h"
#include "runtime/enforcer/decide.h"
#include "tests/support/random_job.h"

enum { JOBS = 3, TASKS = 40, ROOM = 7 };

/* A second book of what runs where, kept by the test. */
struct book {
    struct br_instance *instance[JOBS];
    struct random_job *job[JOBS];
    uint8_t state[JOBS][RANDOM_JOB_TASKS]; /* 0 not started, 1 running, 2 done, 3 failed */
    uint32_t machine[JOBS][RANDOM_JOB_TASKS];
    uint32_t running[JOBS * RANDOM_JOB_TASKS], runs; /* job * TASKS + task */
};

static uint32_t stage_of(const struct br_instance *in, uint32_t task)
{
    return in->task_stage[task];
}

/* All jobs share the cluster of the first, so they have to be measured by names. */
static void check_capacity(const struct book *book, const struct br_cluster *cluster, uint32_t jobs)
{
    for (uint32_t m = 0; m < cluster->machines; m++) {
        const struct br_class *cls = &cluster->cls[br_cluster_machine_class(cluster, m)];
        for (uint32_t k = 0; k < cls->capacities; k++) {
            double held = 0, most = (double)cls->capacity[k].amount.mantissa;
            for (int32_t e = cls->capacity[k].amount.exponent; e; e += e < 0 ? 1 : -1)
                most *= e < 0 ? 0.1 : 10;
            for (uint32_t j = 0; j < jobs; j++)
                for (uint32_t t = 0; t < book->job[j]->dag->tasks; t++) {
                    if (book->state[j][t] != 1 || book->machine[j][t] != m)
                        continue;
                    const struct br_dag *dag = book->job[j]->dag;
                    const struct br_stage *s = &dag->stage[br_dag_task_stage(dag, t)];
                    for (uint32_t d = s->first_demand; d < s->first_demand + s->demands; d++) {
                        if (strcmp(dag->resource[dag->demand[d].resource].name,
                                   cls->capacity[k].resource) != 0)
                            continue;
                        double amount = (double)dag->demand[d].amount.mantissa;
                        for (int32_t e = dag->demand[d].amount.exponent; e; e += e < 0 ? 1 : -1)
                            amount *= e < 0 ? 0.1 : 10;
                        held += amount;
                    }
                }
            assert_true(held <= most * (1 + 1e-9));
        }
    }
}

static bool parents_done(const struct book *book, uint32_t j, uint32_t task)
{
    const struct br_instance *in = book->instance[j];
    uint32_t s = stage_of(in, task);
    bool done = true;
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++) {
        uint32_t parent = in->parent[a].stage, twin = task - in->stage_first[s];
        for (uint32_t t = in->stage_first[parent]; t < in->stage_first[parent + 1]; t++)
            if (!in->parent[a].one_to_one || t - in->stage_first[parent] == twin)
                done &= book->state[j][t] == 2;
    }
    return done;
}

/* Draws a limit of running tasks for each job, or none. */
static void draw_limits(struct br_runtime *runtime, const uint32_t *number, uint32_t count,
                        struct br_rng *rng, uint32_t *limit)
{
    struct br_diag diag = {0};
    for (uint32_t j = 0; j < count; j++) {
        limit[j] = br_rng_below(rng, 4) ? 1 + (uint32_t)br_rng_below(rng, 4) : BR_ANY;
        assert_int_equal(br_runtime_limit(runtime, number[j], limit[j], &diag), BR_OK);
    }
}

static uint32_t running_of(const struct book *book, uint32_t j)
{
    uint32_t running = 0;
    for (uint32_t r = 0; r < book->runs; r++)
        running += book->running[r] / RANDOM_JOB_TASKS == j;
    return running;
}

enum { FATAL = 1, LIMITED = 2 };

/* Runs the jobs in an order of ends drawn by the seed, and tasks that fail for good with FATAL, and
 * with limits that change now and then with LIMITED; returns a digest of all decisions. */
static uint64_t run(struct random_job *jobs, struct br_plan **plan, uint32_t count,
                    const struct br_runtime_options *options, uint64_t seed, unsigned how)
{
    bool fatal = how & FATAL;
    uint32_t limit[JOBS];
    struct br_runtime *runtime;
    struct br_diag diag = {0};
    struct book book = {0};
    struct br_rng rng = br_rng_seed(seed);
    uint64_t digest = 0;
    int64_t now_ns = 0;
    uint32_t number[JOBS];
    const struct br_cluster *cluster = jobs[0].cluster;
    assert_int_equal(br_runtime_create(cluster, options, &runtime, &diag), BR_OK);
    for (uint32_t j = 0; j < count; j++) {
        uint32_t group;
        book.job[j] = &jobs[j];
        assert_int_equal(br_instance_create(jobs[j].dag, cluster, &book.instance[j], &diag), BR_OK);
        assert_int_equal(br_runtime_add_group(runtime, "g", 1 + j, &group, &diag), BR_OK);
        assert_int_equal(br_runtime_submit(runtime, jobs[j].dag, plan[j], group, BR_READY_BY_EDGES,
                                           &number[j], &diag),
                         BR_OK);
        limit[j] = BR_ANY;
    }
    for (;;) {
        if (how & LIMITED && br_rng_below(&rng, 3) == 0)
            draw_limits(runtime, number, count, &rng, limit);
        struct br_decision decision[ROOM];
        uint32_t got;
        do {
            got = br_runtime_decide(runtime, BR_ANY, now_ns, decision, ROOM);
            for (uint32_t d = 0; d < got; d++) {
                uint32_t j = 0, t = decision[d].task;
                while (number[j] != decision[d].job)
                    j++;
                assert_int_equal(book.state[j][t], 0);
                assert_true(parents_done(&book, j, t));
                book.state[j][t] = 1;
                book.machine[j][t] = decision[d].machine;
                book.running[book.runs++] = j * RANDOM_JOB_TASKS + t;
                assert_true(running_of(&book, j) <= limit[j]);
                digest = digest * 31 + (j * 1000003 + t * 1009 + decision[d].machine + 1);
                if (br_rng_below(&rng, 2))
                    assert_int_equal(
                        br_runtime_started(runtime, number[j], t, decision[d].machine, &diag),
                        BR_OK);
            }
        } while (got == ROOM);
        check_capacity(&book, cluster, count);
        if (!book.runs)
            break;
        uint32_t which = (uint32_t)br_rng_below(&rng, book.runs);
        uint32_t j = book.running[which] / RANDOM_JOB_TASKS;
        uint32_t t = book.running[which] % RANDOM_JOB_TASKS;
        book.running[which] = book.running[--book.runs];
        now_ns += (int64_t)br_rng_below(&rng, (uint64_t)jobs[j].dag->duration_ns[t] + 1);
        if (fatal && br_rng_below(&rng, 8) == 0) {
            assert_int_equal(br_runtime_failed(runtime, number[j], t, false, &diag), BR_OK);
            book.state[j][t] = 3;
        } else if (br_rng_below(&rng, 8) == 0) {
            assert_int_equal(br_runtime_failed(runtime, number[j], t, true, &diag), BR_OK);
            book.state[j][t] = 0;
        } else {
            assert_int_equal(br_runtime_finished(runtime, number[j], t, &diag), BR_OK);
            book.state[j][t] = 2;
        }
    }
    for (uint32_t j = 0; j < count; j++) {
        struct br_job_state state = br_runtime_job(runtime, number[j]);
        assert_int_equal(state.ready + state.running, 0);
        for (uint32_t t = 0; t < jobs[j].dag->tasks; t++) /* something could always go on */
            assert_true(book.state[j][t] >= 2 || (fatal && !parents_done(&book, j, t)));
        assert_int_equal(br_runtime_retire(runtime, number[j], &diag), BR_OK);
        br_instance_destroy(book.instance[j]);
    }
    for (uint32_t k = 0; k < cluster->cls[0].capacities; k++)
        assert_true(br_runtime_used(runtime, BR_ANY, cluster->cls[0].capacity[k].resource) == 0);
    br_runtime_destroy(runtime);
    return digest;
}

static void test_random(void **state)
{
    struct br_plan_options fast = br_plan_options_default();
    fast.method = "graphene";
    fast.threads = 1;
    uint32_t several = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random_job job[JOBS];
        struct br_plan *plan[JOBS] = {NULL};
        struct br_diag diag = {0};
        uint32_t count = 0;
        /* Jobs that fit the cluster of the first. */
        for (uint64_t k = 0; k < 12 && count < 1 + seed % JOBS; k++) {
            assert_true(random_job_make(seed * 100 + k, TASKS, 0, &job[count]));
            struct br_cluster *cluster = job[0].cluster;
            if (br_plan_make(job[count].dag, cluster, &fast, &plan[count], &diag))
                random_job_finish(&job[count]);
            else
                count++;
        }
        several += count > 1;
        for (uint32_t p = 0; br_policy_name(p); p++) {
            struct br_runtime_options options = br_runtime_options_default();
            options.policy = br_policy_name(p);
            options.fairness = seed % 2 ? BR_FAIR_SLOTS : BR_FAIR_DOMINANT;
            options.bundle = 1 + (uint32_t)seed % 5;
            uint64_t a = run(job, plan, count, &options, seed, 0);
            assert_true(a == run(job, plan, count, &options, seed, 0));
            run(job, plan, count, &options, seed, FATAL);
            run(job, plan, count, &options, seed, LIMITED | (seed % 2 ? FATAL : 0));
        }
        for (uint32_t j = 0; j < count; j++) {
            br_plan_destroy(plan[j]);
            random_job_finish(&job[j]);
        }
    }
    assert_true(several > 20);
}

/* ---- By hand ---- */

static struct br_dag *wide_job(uint32_t tasks, const char *amount)
{
    struct br_dag *dag = br_dag_create("wide");
    uint32_t stage;
    assert_int_equal(br_dag_add_stage(dag, "s", tasks, 1000, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, "cpu", amount, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

static struct br_cluster *machine(const char *cpu, const char *net)
{
    struct br_cluster *cluster = br_cluster_create(NULL);
    uint32_t cls;
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, &cls, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "cpu", cpu, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "net", net, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "mem", "8", NULL), BR_OK);
    return cluster;
}

/* As many tasks as fit beside it run of another job, while one is at its limit; a limit that rises
 * lets go on at once, and one that falls stops nothing. A group whose job is at its limit is not
 * owed more, so no machine is kept free for it. */
static void test_limit(void **state)
{
    struct br_dag *dag = wide_job(20, "1");
    struct br_cluster *cluster = machine("10", "1");
    struct br_runtime *runtime;
    struct br_decision decision[16];
    uint32_t one, other, group;
    (void)state;
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_add_group(runtime, "g", 100, &group, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, group, BR_READY_BY_EDGES, &one, NULL),
                     BR_OK);
    assert_int_equal(br_runtime_limit(runtime, one, 3, NULL), BR_OK);
    assert_int_equal(br_runtime_limit(runtime, one + 1, 3, NULL), BR_USAGE);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 16), 3);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EDGES, &other, NULL),
                     BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision + 3, 13), 7);
    assert_int_equal(br_runtime_job(runtime, one).running, 3);
    assert_int_equal(br_runtime_job(runtime, other).running, 7);
    assert_true(br_runtime_deficit(runtime, group) <= 0);
    /* What ends makes room for the other, and for the one only up to its limit. */
    for (uint32_t k = 3; k < 7; k++)
        assert_int_equal(br_runtime_finished(runtime, other, decision[k].task, NULL), BR_OK);
    assert_int_equal(br_runtime_limit(runtime, one, 5, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 1, decision + 3, 13), 4);
    assert_int_equal(br_runtime_job(runtime, one).running, 5);
    assert_int_equal(br_runtime_limit(runtime, one, 1, NULL), BR_OK);
    assert_int_equal(br_runtime_finished(runtime, one, decision[0].task, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 2, decision, 16), 1);
    assert_int_equal(decision[0].job, other);
    assert_int_equal(br_runtime_job(runtime, one).running, 4);
    /* Without a limit it takes all that comes free. */
    assert_int_equal(br_runtime_limit(runtime, one, BR_ANY, NULL), BR_OK);
    assert_int_equal(br_runtime_finished(runtime, other, decision[0].task, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 3, decision, 16), 1);
    assert_int_equal(decision[0].job, one);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

/* Two groups of weights 1 and 3 share one machine: what each has had differs from its share by no
 * more than the threshold and one task. */
static void test_fairness(void **state)
{
    struct br_cluster *cluster = machine("8", "1");
    struct br_dag *dag = wide_job(400, "1");
    struct br_runtime_options options = br_runtime_options_default();
    struct br_runtime *runtime;
    struct br_decision decision[8];
    uint32_t group[2], job[2], had[2] = {0, 0};
    options.kappa = 0.25;
    assert_int_equal(br_runtime_create(cluster, &options, &runtime, NULL), BR_OK);
    for (uint32_t g = 0; g < 2; g++) {
        assert_int_equal(br_runtime_add_group(runtime, "g", g ? 3 : 1, &group[g], NULL), BR_OK);
        assert_int_equal(
            br_runtime_submit(runtime, dag, NULL, group[g], BR_READY_BY_EDGES, &job[g], NULL),
            BR_OK);
    }
    uint32_t got = br_runtime_decide(runtime, 0, 0, decision, 8), total = 0;
    assert_int_equal(got, 8);
    for (uint32_t step = 0; step < 300; step++) {
        assert_int_equal(got, step ? 1 : 8);
        for (uint32_t d = 0; d < got; d++)
            had[decision[d].job == job[1]]++;
        total += got;
        assert_true((double)had[0] >= total / 4.0 - 3 && (double)had[0] <= total / 4.0 + 3);
        for (uint32_t g = 0; g < 2; g++)
            assert_true(br_runtime_deficit(runtime, group[g]) <= 0.25 + 0.125 + 1e-9);
        assert_int_equal(br_runtime_finished(runtime, decision[0].job, decision[0].task, NULL),
                         BR_OK);
        got = br_runtime_decide(runtime, BR_ANY, step, decision, 8);
    }
    br_runtime_destroy(runtime);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

static uint32_t fit_at_once(struct br_runtime *runtime, const char *resource)
{
    struct br_dag *dag = br_dag_create("net");
    struct br_decision decision[64];
    uint32_t stage, job, got;
    assert_int_equal(br_dag_add_stage(dag, "s", 50, 1000, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, resource, "1", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EDGES, &job, NULL),
                     BR_OK);
    br_dag_destroy(dag); /* what is needed of it has been copied */
    got = br_runtime_decide(runtime, BR_ANY, 0, decision, 64);
    assert_int_equal(br_runtime_retire(runtime, job, NULL), BR_OK);
    return got;
}

static void test_overbook_and_report(void **state)
{
    struct br_cluster *cluster = machine("4", "10");
    struct br_runtime *runtime;
    struct br_diag diag = {0};
    assert_int_equal(br_cluster_set_fungible(cluster, "net", NULL), BR_OK);
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    assert_int_equal(fit_at_once(runtime, "net"), 10);
    assert_int_equal(br_runtime_overbook(runtime, "net", 150, NULL), BR_OK);
    assert_int_equal(fit_at_once(runtime, "net"), 15);
    assert_int_equal(br_runtime_overbook(runtime, "mem", 150, &diag), BR_USAGE);
    assert_int_equal(br_runtime_overbook(runtime, "disk", 150, &diag), BR_USAGE);
    assert_int_equal(br_runtime_report(runtime, 0, "cpu", "2.5", NULL), BR_OK);
    assert_int_equal(fit_at_once(runtime, "cpu"), 2);
    assert_int_equal(br_runtime_report(runtime, 0, "cpu", "99", NULL), BR_OK);
    assert_int_equal(fit_at_once(runtime, "cpu"), 4);
    assert_int_equal(br_runtime_report(runtime, 0, "cpu", "-1", &diag), BR_USAGE);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
}

/* A job whose tasks become ready as the caller says, a task that somebody else started, one that
 * an earlier run finished, one that fails for good; and events that make no sense. */
static void test_events(void **state)
{
    struct br_cluster *cluster = machine("4", "10");
    struct br_dag *dag = wide_job(6, "2");
    struct br_runtime *runtime;
    struct br_decision decision[8];
    uint32_t job;
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EVENT, &job, NULL),
                     BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 0);
    assert_int_equal(br_runtime_ready(runtime, job, 4, NULL), BR_OK);
    assert_int_equal(br_runtime_ready(runtime, job, 4, NULL), BR_USAGE);
    assert_int_equal(br_runtime_withdrawn(runtime, job, 4, NULL), BR_OK);
    assert_int_equal(br_runtime_withdrawn(runtime, job, 4, NULL), BR_USAGE);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 0);
    assert_int_equal(br_runtime_ready(runtime, job, 4, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 1);
    assert_int_equal(decision[0].task, 4);
    assert_int_equal(br_runtime_started(runtime, job, 0, 0, NULL), BR_OK);
    assert_int_equal(br_runtime_started(runtime, job, 1, 0, NULL), BR_OK); /* overfull */
    assert_true(br_runtime_used(runtime, 0, "cpu") == 1.5);
    assert_int_equal(br_runtime_finished(runtime, job, 5, NULL), BR_OK);
    assert_int_equal(br_runtime_ready(runtime, job, 2, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 0);
    assert_int_equal(br_runtime_finished(runtime, job, 0, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 0);
    assert_int_equal(br_runtime_failed(runtime, job, 1, false, NULL), BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 1);
    assert_int_equal(decision[0].task, 2);
    struct br_job_state now = br_runtime_job(runtime, job);
    assert_int_equal(now.waiting, 1);
    assert_int_equal(now.running, 2);
    assert_int_equal(now.finished, 2);
    assert_int_equal(now.failed, 1);
    assert_int_equal(br_runtime_finished(runtime, job, 1, NULL), BR_USAGE);
    assert_int_equal(br_runtime_failed(runtime, job, 3, true, NULL), BR_USAGE);
    assert_int_equal(br_runtime_finished(runtime, job, 6, NULL), BR_USAGE);
    assert_int_equal(br_runtime_finished(runtime, job + 1, 0, NULL), BR_USAGE);
    assert_int_equal(br_runtime_started(runtime, job, 3, 1, NULL), BR_USAGE);
    assert_int_equal(br_runtime_retire(runtime, job, NULL), BR_OK);
    assert_true(br_runtime_used(runtime, 0, "cpu") == 0);
    br_runtime_destroy(runtime);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

static uint32_t add_stage(struct br_dag *dag, const char *id, int64_t duration_ns,
                          const char *resource, const char *amount)
{
    uint32_t stage;
    assert_int_equal(br_dag_add_stage(dag, id, 1, duration_ns, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, resource, amount, NULL), BR_OK);
    return stage;
}

/* The plan is 'before' on one machine, and 'x', 'large', 'long' one after another on the other;
 * 'large' waits for 'before'. While 'x' runs, 'long' is kept back for 'large', and it starts as
 * soon as 'large' is not coming any more. */
static void test_kept_back(void **state)
{
    enum { BEFORE, X, LARGE, LONG, TASKS_HERE };
    static const int64_t starts_ns[] = {0, 0, 10, 20};
    for (int by_event = 0; by_event < 2; by_event++) {
        struct br_dag *dag = br_dag_create("kept back");
        struct br_cluster *cluster = br_cluster_create(NULL);
        struct br_plan *plan = br_plan_create(TASKS_HERE);
        struct br_runtime *runtime;
        struct br_decision decision[8];
        uint32_t job, cls;
        add_stage(dag, "before", 5, "tape", "1");
        add_stage(dag, "x", 10, "cpu", "3");
        add_stage(dag, "large", 10, "cpu", "4");
        add_stage(dag, "long", 30, "cpu", "1");
        assert_int_equal(br_dag_add_edge(dag, BEFORE, LARGE, BR_BARRIER, NULL), BR_OK);
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        assert_int_equal(br_cluster_add_class(cluster, "tape", 1, &cls, NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, cls, "tape", "1", NULL), BR_OK);
        assert_int_equal(br_cluster_add_class(cluster, "m", 1, &cls, NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, cls, "cpu", "4", NULL), BR_OK);
        for (uint32_t t = 0; t < TASKS_HERE; t++) {
            plan->start_ns[t] = starts_ns[t];
            plan->machine[t] = t != BEFORE;
            plan->order[t] = t;
        }
        assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
        assert_int_equal(br_runtime_submit(runtime, dag, plan, 0,
                                           by_event ? BR_READY_BY_EVENT : BR_READY_BY_EDGES, &job,
                                           NULL),
                         BR_OK);
        for (uint32_t t = 0; t < TASKS_HERE && by_event; t++)
            assert_int_equal(br_runtime_ready(runtime, job, t, NULL), BR_OK);
        assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 2);
        assert_int_equal(decision[0].task + decision[1].task, BEFORE + X);
        assert_int_equal(br_runtime_decide(runtime, BR_ANY, 1, decision, 8), 0);
        if (by_event)
            assert_int_equal(br_runtime_withdrawn(runtime, job, LARGE, NULL), BR_OK);
        else
            assert_int_equal(br_runtime_failed(runtime, job, BEFORE, false, NULL), BR_OK);
        assert_int_equal(br_runtime_decide(runtime, BR_ANY, 1, decision, 8), 1);
        assert_int_equal(decision[0].task, LONG);
        br_runtime_destroy(runtime);
        br_plan_destroy(plan);
        br_dag_destroy(dag);
        br_cluster_destroy(cluster);
    }
}

/* A group with large tasks comes to its share although small ones of others would always fit. The
 * machine is kept free for it, but only once it is behind by a cluster and the threshold, 1.1:
 * every small task that starts leaves it behind by an eighth. */
static void test_no_starvation(void **state)
{
    struct br_cluster *cluster = machine("4", "1");
    struct br_dag *small = wide_job(1000, "1"), *large = wide_job(5, "4");
    struct br_runtime *runtime;
    struct br_decision decision[8];
    uint32_t running[8], runs = 0, job[2], group[2], left = 5, steps = 0, kept_free = 0;
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    for (uint32_t g = 0; g < 2; g++) {
        assert_int_equal(br_runtime_add_group(runtime, "g", 1, &group[g], NULL), BR_OK);
        assert_int_equal(br_runtime_submit(runtime, g ? large : small, NULL, group[g],
                                           BR_READY_BY_EDGES, &job[g], NULL),
                         BR_OK);
    }
    for (; left && steps < 200; steps++) {
        uint32_t got = br_runtime_decide(runtime, BR_ANY, 0, decision, 8);
        for (uint32_t d = 0; d < got; d++)
            running[runs++] = (decision[d].job == job[1]) << 16 | decision[d].task;
        assert_true(runs > 0);
        bool is_large = running[0] >> 16, is_owed = br_runtime_deficit(runtime, group[1]) >= 1.1;
        assert_true(is_large || runs == 4 || is_owed);
        kept_free += !is_large && runs < 4;
        /* One after the other, so that there are never four cores free by chance. */
        uint32_t ended = running[0];
        memmove(running, running + 1, --runs * sizeof *running);
        left -= ended >> 16;
        assert_int_equal(br_runtime_finished(runtime, job[ended >> 16], ended & 0xffff, NULL),
                         BR_OK);
    }
    assert_int_equal(left, 0);
    assert_true(kept_free > 0 && steps < 100);
    br_runtime_destroy(runtime);
    br_dag_destroy(small);
    br_dag_destroy(large);
    br_cluster_destroy(cluster);
}

/* ---- Scores, computed by hand ---- */

/* A job of single tasks without edges: cpu and net of each, durations of 1 s. */
static struct br_dag *single_tasks(const char *const demand[][2], uint32_t tasks)
{
    struct br_dag *dag = br_dag_create("single");
    for (uint32_t t = 0; t < tasks; t++) {
        char id[8];
        uint32_t stage;
        snprintf(id, sizeof id, "t%u", t);
        assert_int_equal(br_dag_add_stage(dag, id, 1, 1000000000, &stage, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, stage, "cpu", demand[t][0], NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, stage, "net", demand[t][1], NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

/* The order in which the tasks of the job start on machine 0, as one decision after another. */
static void starts(struct br_cluster *cluster, const struct br_dag *dag, const struct br_plan *plan,
                   const struct br_runtime_options *options, const char *want)
{
    struct br_runtime *runtime;
    struct br_decision decision[8];
    char got[9] = "";
    uint32_t job;
    assert_int_equal(br_runtime_create(cluster, options, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, plan, 0, BR_READY_BY_EDGES, &job, NULL),
                     BR_OK);
    uint32_t made = br_runtime_decide(runtime, 0, 0, decision, 8);
    for (uint32_t d = 0; d < made; d++)
        got[d] = (char)('0' + decision[d].task);
    assert_string_equal(got, want);
    br_runtime_destroy(runtime);
}

/* On an empty machine of cpu 4 and net 8 packing is cpu / 4 + net / 8, and less as it fills.
 * Task 0 (1, 0): 1/4. Task 1 (0, 4): 1/2. Task 2 (1, 4): 3/4. By packing 2 goes first; then free
 * are (3, 4), so that 0 has 3/16 and 1 has 1/4. Times the plan's order, 1, 2/3 and 1/3: 0 has 1/4,
 * 1 has 1/3 and 2 has 1/4, so 1 is first; then net is half: 0 has 1/4, 2 has 1/6. */
static void test_packing(void **state)
{
    static const char *const demand[][2] = {{"1", "0"}, {"0", "4"}, {"1", "4"}};
    struct br_cluster *cluster = machine("4", "8");
    struct br_dag *dag = single_tasks(demand, 3);
    struct br_runtime_options options = br_runtime_options_default();
    options.policy = "packing";
    starts(cluster, dag, NULL, &options, "210");
    options.policy = "graphene";
    starts(cluster, dag, NULL, &options, "102");
    options.policy = "order";
    starts(cluster, dag, NULL, &options, "012");
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* By order and with room for all, the best of a bundle of two is 0, then 1, which is of another
 * kind, then 2. A bundle of one goes on with what is like 0: 2, before it looks again. */
static void test_bundle(void **state)
{
    static const char *const demand[][2] = {{"1", "0"}, {"0", "1"}, {"1", "0"}};
    struct br_cluster *cluster = machine("4", "8");
    struct br_dag *dag = single_tasks(demand, 3);
    struct br_runtime_options options = br_runtime_options_default();
    options.policy = "order";
    options.bundle = 2;
    starts(cluster, dag, NULL, &options, "012");
    options.bundle = 1;
    starts(cluster, dag, NULL, &options, "021");
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* Two equal tasks; the plan has 0 on the machine m[1] and 1 on m[0]. Asked for m[0], 0 comes at 0.8
 * of its packing and 1 in full: 1 is first. Without a penalty the plan's order decides. */
static void test_remote_penalty(void **state)
{
    static const char *const demand[][2] = {{"3", "0"}, {"3", "0"}};
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_dag *dag = single_tasks(demand, 2);
    struct br_runtime_options options = br_runtime_options_default();
    struct br_plan *plan;
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "4", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "net", "8", NULL), BR_OK);
    assert_int_equal(br_plan_make(dag, cluster, NULL, &plan, NULL), BR_OK);
    plan->machine[0] = 1;
    plan->machine[1] = 0;
    plan->order[0] = 0;
    plan->order[1] = 1;
    options.policy = "packing";
    options.keep_plan = false;
    starts(cluster, dag, plan, &options, "1");
    options.remote_penalty = 1;
    starts(cluster, dag, plan, &options, "0");
    br_plan_destroy(plan);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* Two jobs of equal tasks, of 20 and of 2: both of the short one go first. Where remaining work
 * counts for nothing, the first of each job does: then the next of the long one is later in its
 * order than that of the short one. */
static void test_remaining_work(void **state)
{
    struct br_cluster *cluster = machine("4", "8");
    struct br_dag *dag[2] = {wide_job(20, "1"), wide_job(2, "1")};
    for (int counts = 0; counts < 2; counts++) {
        struct br_runtime_options options = br_runtime_options_default();
        struct br_runtime *runtime;
        struct br_decision decision[2];
        uint32_t job[2];
        options.policy = "packing";
        if (!counts)
            options.eta_factor = 0;
        assert_int_equal(br_runtime_create(cluster, &options, &runtime, NULL), BR_OK);
        for (int j = 0; j < 2; j++)
            assert_int_equal(
                br_runtime_submit(runtime, dag[j], NULL, 0, BR_READY_BY_EDGES, &job[j], NULL),
                BR_OK);
        assert_int_equal(br_runtime_decide(runtime, 0, 0, decision, 2), 2);
        assert_int_equal(decision[0].job, job[counts]);
        assert_int_equal(decision[1].job, job[1]);
        br_runtime_destroy(runtime);
    }
    br_dag_destroy(dag[0]);
    br_dag_destroy(dag[1]);
    br_cluster_destroy(cluster);
}

/* A job of 6 tasks with 1 of 4 cpu packs worse than one of 4 tasks with 2, and has less to do.
 * Packing is 1/4 and 1/2, in the mean over tasks 7/20. Work is in the ratio 6 to 8, so 6/7 and 8/7
 * of the mean over jobs. Scores times 20 are 5 - 6 eta and 10 - 8 eta: the larger tasks go first
 * with eta x1, as in the paper, and up to x5/2; the shorter job goes first by default. */
static void test_weight_of_work(void **state)
{
    struct br_cluster *cluster = machine("4", "8");
    struct br_dag *dag[2] = {wide_job(6, "1"), wide_job(4, "2")};
    static const double factor[] = {BR_ETA_PAPER, 2.4375, 2.5625};
    for (int k = 0; k < 4; k++) {
        struct br_runtime_options options = br_runtime_options_default();
        struct br_runtime *runtime;
        struct br_decision decision;
        uint32_t job[2];
        if (k < 3)
            options.eta_factor = factor[k];
        assert_int_equal(br_runtime_create(cluster, &options, &runtime, NULL), BR_OK);
        for (int j = 0; j < 2; j++)
            assert_int_equal(
                br_runtime_submit(runtime, dag[j], NULL, 0, BR_READY_BY_EDGES, &job[j], NULL),
                BR_OK);
        assert_int_equal(br_runtime_decide(runtime, 0, 0, &decision, 1), 1);
        assert_int_equal(decision.job, job[k < 2]);
        br_runtime_destroy(runtime);
    }
    br_dag_destroy(dag[0]);
    br_dag_destroy(dag[1]);
    br_cluster_destroy(cluster);
}

/* Groups of weights 1 and 3; a task of the first takes 1 of 8 cpu and 4 of 8 mem. As a slot that is
 * an eighth of the cluster, by its dominant share a half. The first has had that and was due a
 * quarter of it; the second was due three quarters and has had nothing. */
static void test_deficits(void **state)
{
    struct br_cluster *cluster = machine("8", "1");
    struct br_dag *dag = br_dag_create("deficits");
    uint32_t stage;
    assert_int_equal(br_dag_add_stage(dag, "s", 4, 1000, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, "mem", "4", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    for (int dominant = 0; dominant < 2; dominant++) {
        struct br_runtime_options options = br_runtime_options_default();
        struct br_runtime *runtime;
        struct br_decision decision;
        uint32_t group[2], job, taken = dominant ? 4 : 1; /* eighths */
        options.fairness = dominant ? BR_FAIR_DOMINANT : BR_FAIR_SLOTS;
        assert_int_equal(br_runtime_create(cluster, &options, &runtime, NULL), BR_OK);
        for (uint32_t g = 0; g < 2; g++) {
            assert_int_equal(br_runtime_add_group(runtime, "g", g ? 3 : 1, &group[g], NULL), BR_OK);
            assert_int_equal(
                br_runtime_submit(runtime, dag, NULL, group[g], BR_READY_BY_EDGES, &job, NULL),
                BR_OK);
        }
        assert_int_equal(br_runtime_decide(runtime, 0, 0, &decision, 1), 1);
        assert_int_equal(decision.job, 0);
        assert_true(br_runtime_deficit(runtime, group[0]) == -0.75 * taken / 8);
        assert_true(br_runtime_deficit(runtime, group[1]) == 0.75 * taken / 8);
        br_runtime_destroy(runtime);
    }
    /* The values of the command's help. */
    struct br_runtime_options usual = br_runtime_options_default();
    assert_true(usual.fairness == BR_FAIR_DOMINANT && usual.kappa == 0.1 &&
                usual.remote_penalty == 0.8 && usual.eta_factor == 3 && usual.bundle == 8 &&
                usual.keep_plan && strcmp(usual.policy, "graphene") == 0);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* What the cluster declares fungible may be overbooked, and nothing else; memory cannot be
 * declared, whatever it is called. */
static void test_what_is_overbooked(void **state)
{
    static const char *const memory[] = {"mem", "memory", "ram", "rss", "swap", "MEM", "Ram"};
    static const char *const other[] = {"net", "disk", "cpu", "member"}, *const bare[] = {"vmem",
                                                                                          "gpu"};
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_runtime *runtime;
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        assert_int_equal(br_cluster_add_capacity(cluster, 0, memory[k], "8", NULL), BR_OK);
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        assert_int_equal(br_cluster_add_capacity(cluster, 0, other[k], "8", NULL), BR_OK);
    for (size_t k = 0; k < sizeof bare / sizeof *bare; k++)
        assert_int_equal(br_cluster_add_capacity(cluster, 0, bare[k], "8", NULL), BR_OK);
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) {
        struct br_diag diag = {0};
        assert_int_equal(br_cluster_set_fungible(cluster, memory[k], &diag), BR_BAD_INPUT);
        assert_non_null(strstr(diag.what, "memory"));
    }
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        for (int twice = 0; twice < 2; twice++)
            assert_int_equal(br_cluster_set_fungible(cluster, other[k], NULL), BR_OK);
    assert_int_equal(br_cluster_set_fungible(cluster, "nte", NULL), BR_BAD_INPUT);
    assert_int_equal(br_cluster_set_fungible(cluster, NULL, NULL), BR_BAD_INPUT);
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) {
        struct br_diag diag = {0};
        assert_int_equal(br_runtime_overbook(runtime, memory[k], 150, &diag), BR_USAGE);
        assert_non_null(strstr(diag.what, "memory"));
    }
    for (size_t k = 0; k < sizeof bare / sizeof *bare; k++) {
        struct br_diag diag = {0};
        assert_int_equal(br_runtime_overbook(runtime, bare[k], 150, &diag), BR_USAGE);
        assert_non_null(strstr(diag.what, "not declared fungible"));
        assert_non_null(strstr(diag.hint, "--fungible"));
    }
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        assert_int_equal(br_runtime_overbook(runtime, other[k], 150, NULL), BR_OK);
    assert_int_equal(br_runtime_overbook(runtime, "net", 99, NULL), BR_USAGE);
    assert_int_equal(br_runtime_overbook(runtime, "net", 100, NULL), BR_OK);
    assert_int_equal(br_runtime_overbook(runtime, "net", 400, NULL), BR_OK);
    assert_int_equal(br_runtime_overbook(runtime, "net", 401, NULL), BR_USAGE);
    br_runtime_destroy(runtime);
    br_cluster_destroy(cluster);
}

/* Of a job that is closed nothing more is started, also not what its running tasks would make ready
 * or what fails; its group wants nothing and is owed nothing; others go on. */
static void test_close(void **state)
{
    (void)state;
    struct br_cluster *cluster = br_cluster_create("c");
    struct br_dag *dag = br_dag_create("j");
    struct br_runtime *runtime;
    struct br_decision decision[8];
    uint32_t number, first, second, group, closed, other;
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, &number, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, number, "cpu", "2", NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "a", 4, 1000, &first, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "b", 4, 1000, &second, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, first, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, second, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, first, second, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, NULL), BR_OK);
    assert_int_equal(br_runtime_add_group(runtime, "g", 1, &group, NULL), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, group, BR_READY_BY_EDGES, &closed, NULL),
                     BR_OK);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 0, decision, 8), 2);
    uint32_t done = decision[0].task, failed = decision[1].task;
    assert_int_equal(br_runtime_submit(runtime, dag, NULL, 0, BR_READY_BY_EDGES, &other, NULL),
                     BR_OK);
    assert_int_equal(br_runtime_close(runtime, 7, NULL), BR_USAGE);
    assert_int_equal(br_runtime_close(runtime, closed, NULL), BR_OK);
    struct br_job_state s = br_runtime_job(runtime, closed);
    assert_int_equal(s.running, 2);
    assert_int_equal(s.failed, 6);
    assert_int_equal(s.waiting + s.ready, 0);
    assert_int_equal(br_runtime_finished(runtime, closed, done, NULL), BR_OK);
    assert_int_equal(br_runtime_failed(runtime, closed, failed, true, NULL), BR_OK);
    s = br_runtime_job(runtime, closed);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.failed, 7);
    assert_true(br_runtime_deficit(runtime, group) == 0);
    assert_int_equal(br_runtime_decide(runtime, BR_ANY, 1, decision, 8), 2);
    assert_int_equal(decision[0].job, other);
    assert_int_equal(decision[1].job, other);
    assert_int_equal(br_runtime_retire(runtime, closed, NULL), BR_OK);
    br_runtime_destroy(runtime);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

static void test_refusals(void **state)
{
    struct br_cluster *cluster = machine("4", "1");
    struct br_dag *large = wide_job(1, "5");
    struct br_runtime_options options = br_runtime_options_default();
    struct br_runtime *runtime;
    struct br_diag diag = {0};
    uint32_t job;
    options.policy = "best";
    assert_int_equal(br_runtime_create(cluster, &options, &runtime, &diag), BR_USAGE);
    assert_null(runtime);
    options = br_runtime_options_default();
    options.kappa = 0;
    assert_int_equal(br_runtime_create(cluster, &options, &runtime, &diag), BR_USAGE);
    assert_int_equal(br_runtime_create(cluster, NULL, &runtime, &diag), BR_OK);
    assert_int_equal(br_runtime_submit(runtime, large, NULL, 0, BR_READY_BY_EDGES, &job, &diag),
                     BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "'s'"));
    assert_int_equal(br_runtime_submit(runtime, large, NULL, 1, BR_READY_BY_EDGES, &job, &diag),
                     BR_USAGE);
    br_runtime_destroy(runtime);
    br_dag_destroy(large);
    br_cluster_destroy(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),         cmocka_unit_test(test_limit),
        cmocka_unit_test(test_fairness),       cmocka_unit_test(test_kept_back),
        cmocka_unit_test(test_events),         cmocka_unit_test(test_overbook_and_report),
        cmocka_unit_test(test_no_starvation),  cmocka_unit_test(test_close),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_packing),
        cmocka_unit_test(test_bundle),         cmocka_unit_test(test_remote_penalty),
        cmocka_unit_test(test_remaining_work), cmocka_unit_test(test_weight_of_work),
        cmocka_unit_test(test_deficits),       cmocka_unit_test(test_what_is_overbooked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
