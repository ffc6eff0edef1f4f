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
#include "planner/instance/instance.h"
#include "planner/instance/plan.h"
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

/* ---- Scores, computed by hand ---- */

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
