/* What goes wrong in a world, drawn by counting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random_workload.h"

enum { MANY = 100000 };

/* A workload of jobs that share one dag: so many stages of so many tasks of a million seconds. */
static struct br_workload *make(uint32_t jobs, uint32_t stages, uint32_t tasks)
{
    struct br_workload *workload = br_workload_create(NULL, NULL);
    struct br_dag *dag = br_dag_create("many");
    struct br_workload_job job = br_workload_job_default();
    for (uint32_t s = 0; s < stages; s++) {
        char id[16];
        snprintf(id, sizeof id, "s%u", s);
        assert_int_equal(br_dag_add_stage(dag, id, tasks, INT64_C(1000000000000000), NULL, NULL),
                         BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_workload_add_dag(workload, dag, NULL, NULL, &job.dag, NULL), BR_OK);
    for (uint32_t j = 0; j < jobs; j++) {
        char id[16];
        snprintf(id, sizeof id, "j%u", j);
        job.id = id;
        job.seed = j + 1;
        assert_int_equal(br_workload_add_job(workload, &job, NULL), BR_OK);
    }
    assert_int_equal(br_workload_finish(workload, NULL), BR_OK);
    return workload;
}

/* The factors of all tasks: their mean, the deviation of their logarithms, and how often two
 * neighbours are equal. */
struct sample {
    double mean, deviation;
    uint32_t equal;
};

static struct sample take(const struct br_world *world, uint32_t jobs, uint32_t stages,
                          uint32_t tasks)
{
    struct br_workload *workload = make(jobs, stages, tasks);
    int64_t *true_ns = calloc((size_t)stages * tasks, sizeof *true_ns);
    double sum = 0, logs = 0, squares = 0, count = (double)jobs * stages * tasks, before = 0;
    struct sample sample = {.equal = 0};
    for (uint32_t j = 0; j < jobs; j++) {
        br_world_durations(world, workload, j, true_ns);
        for (uint32_t t = 0; t < stages * tasks; t++) {
            double factor = (double)true_ns[t] / 1e15;
            sum += factor;
            logs += log(factor);
            squares += log(factor) * log(factor);
            sample.equal += factor == before;
            before = factor;
        }
    }
    sample.mean = sum / count;
    sample.deviation = sqrt(squares / count - logs / count * (logs / count));
    free(true_ns);
    br_workload_destroy(workload);
    return sample;
}

/* The mean of the factors is the bias, whichever of the three errors they come from; with all
 * three, the product of the biases. Tasks of a stage share its factor, those of a job share its. */
static void test_factors(void **state)
{
    struct br_world world = br_world_default();
    struct sample sample = take(&world, 1, 1, 10);
    assert_true(sample.mean == 1 && sample.equal == 9);

    world.task = (struct br_error){1.5, 0.5};
    sample = take(&world, 1, 1, MANY);
    assert_true(fabs(sample.mean / 1.5 - 1) < 0.01 && fabs(sample.deviation - 0.5) < 0.01);
    assert_int_equal(sample.equal, 0);

    world.task = br_world_default().task;
    world.stage = (struct br_error){0.5, 0.4};
    sample = take(&world, 1, MANY, 2);
    assert_true(fabs(sample.mean / 0.5 - 1) < 0.01 && fabs(sample.deviation - 0.4) < 0.01);
    assert_int_equal(sample.equal, MANY);

    world.stage = br_world_default().stage;
    world.job = (struct br_error){2, 0.3};
    sample = take(&world, MANY, 1, 2);
    assert_true(fabs(sample.mean / 2 - 1) < 0.01 && fabs(sample.deviation - 0.3) < 0.01);
    assert_int_equal(sample.equal, MANY);

    world.stage = (struct br_error){0.5, 0.3};
    world.task = (struct br_error){3, 0.3};
    sample = take(&world, MANY, 1, 1);
    assert_true(fabs(sample.mean / 3 - 1) < 0.01);
    assert_true(fabs(sample.deviation - sqrt(3 * 0.09)) < 0.01);
}

/* What is given without a draw is what the draws come to: recorded durations in any world, declared
 * ones only where neither the world nor the dag makes anything of them. */
static void test_given(void **state)
{
    struct br_world world = br_world_default();
    const struct br_world calm = world;
    struct br_error *error[] = {&world.job, &world.stage, &world.task};
    const struct br_error loud[] = {{1, 0.1}, {1.5, 0}};
    uint32_t recorded = 0, declared = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct random_workload random;
        assert_true(random_workload_make(seed, 8, 20, &random));
        const struct br_workload *workload = random.workload;
        for (uint32_t j = 0; j < workload->jobs; j++) {
            const struct br_dag *dag = workload->dag[workload->job[j].dag].dag;
            const int64_t *kept_ns = workload->job[j].true_ns;
            int64_t drawn_ns[64];
            for (uint32_t k = 0; k < 7; k++) {
                world = calm;
                if (k < 6)
                    *error[k / 2] = loud[k % 2];
                const int64_t *given_ns = br_world_given(&world, workload, j);
                br_world_durations(&world, workload, j, drawn_ns);
                assert_true(given_ns == kept_ns || k == 6);
                assert_true(given_ns || k < 6);
                if (given_ns)
                    assert_memory_equal(given_ns, drawn_ns, dag->tasks * sizeof *drawn_ns);
            }
            recorded += kept_ns != NULL;
            declared += kept_ns == NULL;
        }
        random_workload_finish(&random);
    }
    assert_true(recorded > 10 && declared > 10);

    struct br_workload *workload = make(1, 2, 3);
    struct br_dag *dag = (struct br_dag *)workload->dag[0].dag;
    assert_ptr_equal(br_world_given(&calm, workload, 0), dag->duration_ns);
    br_dag_set_stage_spread(dag, 1, (struct br_decimal){1, -1}, 0);
    assert_null(br_world_given(&calm, workload, 0));
    br_dag_set_stage_spread(dag, 1, (struct br_decimal){0, 0}, 1);
    assert_null(br_world_given(&calm, workload, 0));
    br_workload_destroy(workload);
}

/* The draws depend on the seeds, the job, its task and the attempt, not on the order in which they
 * are asked for, nor on what else is drawn. */
static void test_order(void **state)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct random_workload random;
        assert_true(random_workload_make(seed, 8, 20, &random));
        struct br_world world = random_world(RANDOM_WORLDS - 1, seed, random.step_ns), calm;
        int64_t first[64], second[64];
        const struct br_workload *workload = random.workload;
        for (uint32_t j = 0; j < workload->jobs; j++) {
            uint32_t tasks = workload->dag[workload->job[j].dag].dag->tasks;
            br_world_durations(&world, workload, j, first);
            for (uint32_t k = workload->jobs; k-- > 0;)
                br_world_durations(&world, workload, k, second);
            br_world_durations(&world, workload, j, second);
            assert_memory_equal(first, second, tasks * sizeof *second);
            /* Failures and stragglers change attempts alone. */
            calm = world;
            calm.fail = calm.straggle = calm.leave_s = 0;
            br_world_durations(&calm, workload, j, second);
            assert_memory_equal(first, second, tasks * sizeof *second);
            for (uint32_t t = tasks; t-- > 0;)
                for (uint32_t k = 3; k-- > 0;) {
                    const struct br_workload_job *job = &workload->job[j];
                    struct br_attempt a = br_world_attempt(&world, job, t, k, second[t]);
                    br_world_attempt(&world, job, t, k + 1, second[t]);
                    struct br_attempt b = br_world_attempt(&world, job, t, k, second[t]);
                    assert_true(a.fails == b.fails && a.lasts_ns == b.lasts_ns);
                }
        }
        int64_t stay_ns = br_world_machine_ns(&world, 0, 2);
        br_world_machine_ns(&world, 1, 0);
        assert_int_equal(br_world_machine_ns(&world, 0, 2), stay_ns);
        random_workload_finish(&random);
    }
}

/* Equal jobs of equal seeds meet the same; other seeds, of the job or of the world, draw anew. */
static void test_seeds(void **state)
{
    struct br_workload *workload = make(3, 1, 50);
    struct br_world world = br_world_default();
    int64_t true_ns[4][50];
    uint32_t equal[4] = {0};
    world.task.spread = 0.5;
    workload->job[1].seed = workload->job[0].seed;
    for (uint32_t j = 0; j < 3; j++)
        br_world_durations(&world, workload, j, true_ns[j]);
    world.seed++;
    br_world_durations(&world, workload, 0, true_ns[3]);
    for (uint32_t j = 1; j < 4; j++)
        for (uint32_t t = 0; t < 50; t++)
            equal[j] += true_ns[j][t] == true_ns[0][t];
    assert_int_equal(equal[1], 50);
    assert_int_equal(equal[2], 0);
    assert_int_equal(equal[3], 0);
    br_workload_destroy(workload);
}

static void test_recorded(void **state)
{
    struct br_workload *workload = make(2, 1, 3);
    const int64_t recorded[] = {5, 0, INT64_C(7000000000)};
    int64_t true_ns[3];
    struct br_world world = random_world(RANDOM_WORLDS - 1, 1, 1000);
    workload->job[0].true_ns = recorded;
    br_world_durations(&world, workload, 0, true_ns);
    assert_memory_equal(true_ns, recorded, sizeof recorded);
    br_world_durations(&world, workload, 1, true_ns);
    assert_true(true_ns[0] != INT64_C(1000000000000000));
    br_workload_destroy(workload);
}

/* Shares of attempts that fail and that straggle; when they fail is spread over their time. */
static void test_attempts(void **state)
{
    struct br_world world = br_world_default();
    const struct br_workload_job job = br_workload_job_default();
    const int64_t lasts_ns = 1000000;
    uint32_t fails = 0, slow = 0, both = 0;
    double when = 0;
    world.fail = 0.2;
    world.straggle = 0.1;
    world.slowness = 4;
    for (uint32_t t = 0; t < MANY; t++) {
        struct br_attempt attempt = br_world_attempt(&world, &job, t / 10, t % 10, lasts_ns);
        if (!attempt.fails) {
            assert_true(attempt.lasts_ns == lasts_ns || attempt.lasts_ns == 4 * lasts_ns);
            slow += attempt.lasts_ns != lasts_ns;
            continue;
        }
        fails++;
        assert_true(attempt.lasts_ns >= 0 && attempt.lasts_ns <= 4 * lasts_ns);
        both += attempt.lasts_ns > lasts_ns;
        if (attempt.lasts_ns <= lasts_ns)
            when += (double)attempt.lasts_ns / lasts_ns;
    }
    assert_true(abs((int)fails - MANY / 5) < 5 * 127); /* five deviations */
    assert_true(abs((int)slow - MANY * 8 / 100) < 5 * 86);
    assert_true(abs((int)both - (int)(MANY * 0.2 * 0.1 * 0.75)) < 5 * 39); /* late stragglers */
    assert_true(fabs(when / (fails - both) - 0.5) < 0.02);
}

/* Stays and absences of machines have the means that the world says, and none is of no length. */
static void test_machines(void **state)
{
    struct br_world world = br_world_default();
    double stay = 0, absence = 0;
    world.leave_s = 5;
    world.return_s = 0.5;
    for (uint32_t k = 0; k < MANY; k++) {
        int64_t stay_ns = br_world_machine_ns(&world, k % 10, 2 * (k / 10));
        int64_t absence_ns = br_world_machine_ns(&world, k % 10, 2 * (k / 10) + 1);
        assert_true(stay_ns > 0 && absence_ns > 0);
        stay += (double)stay_ns * 1e-9 / MANY;
        absence += (double)absence_ns * 1e-9 / MANY;
    }
    assert_true(fabs(stay / 5 - 1) < 0.02 && fabs(absence / 0.5 - 1) < 0.02);
    world.return_s = 0;
    assert_int_equal(br_world_machine_ns(&world, 0, 1), 1);
}

/* Durations stay within what times can say. */
static void test_extremes(void **state)
{
    struct br_workload *workload = make(1, 1, 2000);
    struct br_world world = br_world_default();
    int64_t *true_ns = calloc(2000, sizeof *true_ns);
    world.task = (struct br_error){1e6, 3};
    uint32_t longest = 0;
    br_world_durations(&world, workload, 0, true_ns);
    for (uint32_t t = 0; t < 2000; t++) {
        assert_true(true_ns[t] >= 0 && true_ns[t] <= INT64_MAX / 4);
        longest += true_ns[t] == INT64_MAX / 4;
    }
    assert_true(longest > 0 && longest < 2000);
    world.straggle = 1;
    world.slowness = 1e6;
    struct br_attempt attempt = br_world_attempt(&world, &workload->job[0], 0, 0, INT64_MAX / 4);
    assert_int_equal(attempt.lasts_ns, INT64_MAX / 4);
    free(true_ns);
    br_workload_destroy(workload);
}

static void test_check(void **state)
{
    const struct br_world fine = br_world_default();
    struct br_world world;
#define REFUSED(member, value)                                                                     \
    world = fine;                                                                                  \
    world.member = value;                                                                          \
    assert_int_equal(br_world_check(&world, NULL), BR_USAGE)
#define ACCEPTED(member, value)                                                                    \
    world = fine;                                                                                  \
    world.member = value;                                                                          \
    assert_int_equal(br_world_check(&world, NULL), BR_OK)
    assert_int_equal(br_world_check(&fine, NULL), BR_OK);
    REFUSED(job.bias, 0);
    REFUSED(stage.bias, -1);
    REFUSED(task.bias, NAN);
    REFUSED(task.bias, INFINITY);
    ACCEPTED(task.bias, 1e6);
    REFUSED(job.spread, -0.1);
    REFUSED(stage.spread, 10.1);
    REFUSED(task.spread, NAN);
    ACCEPTED(task.spread, 10);
    REFUSED(fail, 1);
    REFUSED(fail, -0.1);
    REFUSED(fail, NAN);
    ACCEPTED(fail, 0.999);
    REFUSED(straggle, 1.1);
    REFUSED(straggle, -0.1);
    ACCEPTED(straggle, 1);
    REFUSED(slowness, 0.9);
    REFUSED(slowness, INFINITY);
    ACCEPTED(slowness, 1e6);
    REFUSED(leave_s, -1);
    REFUSED(leave_s, INFINITY);
    REFUSED(return_s, -1);
    REFUSED(return_s, NAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors),  cmocka_unit_test(test_given),
        cmocka_unit_test(test_order),    cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_recorded), cmocka_unit_test(test_attempts),
        cmocka_unit_test(test_machines), cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
