/* Justification and the search on machines: plans that verify, never worse, the same for
 * any number of threads, no better than the optimum, within the limit of placements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/process/stop.h"
#include "planner/bounds/bounds.h"
#include "planner/schedule/heuristic.h"
#include "planner/improve/improve.h"
#include "planner/schedule/justify.h"
#include "planner/schedule/redispatch.h"
#include "planner/improve/machine_search.h"
#include "planner/improve/stage_search.h"
#include "planner/instance/plan.h"
#include "tests/support/oracle.h"
#include "tests/support/judge.h"
#include "tests/support/random_job.h"

enum { JOBS = 300, TASKS = 40, ORACLE_JOBS = 2000, SMALL = 6, TASKS_CAPPED = 18 };

/* A job with a schedule of the random heuristic in an elite. */
struct fixture {
    struct random_job job;
    struct br_instance *in;
    struct br_reach reach;
    struct br_elite elite;
};

static void set_up(struct fixture *f, uint64_t seed, uint32_t tasks)
{
    struct br_schedule schedule;
    const struct br_heuristic *row;
    uint32_t k = 0;
    assert_true(random_job_make(seed, tasks, 0, &f->job));
    assert_int_equal(br_instance_create(f->job.dag, f->job.cluster, &f->in, NULL), BR_OK);
    assert_true(br_reach_init(&f->reach, f->in));
    assert_true(br_elite_init(&f->elite, f->in, BR_ELITES));
    assert_true(br_schedule_init(&schedule, f->in));
    while ((row = br_heuristic_at(k)) && strcmp(row->named.name, "random") != 0)
        k++;
    assert_non_null(row);
    assert_true(row->run(&schedule, f->in, &f->reach, seed, NULL));
    br_elite_add(&f->elite, &schedule, row->named.name, 0);
    br_schedule_finish(&schedule);
}

static void tear_down(struct fixture *f)
{
    br_elite_finish(&f->elite);
    br_reach_finish(&f->reach);
    br_instance_destroy(f->in);
    random_job_finish(&f->job);
}

/* Judges a schedule by the verifier, which shares no code with the search. */
static void assert_feasible(const struct fixture *f, const struct br_schedule *schedule)
{
    judge_schedule(&f->job, f->in, schedule);
}

static void test_justify(void **state)
{
    unsigned shorter = 0;
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct fixture f;
        set_up(&f, seed, TASKS);
        struct br_serial *serial = br_serial_create(f.in, &f.reach);
        struct br_schedule *schedule = &f.elite.entry[0].schedule;
        int64_t before = schedule->makespan;
        br_uwide ends = schedule->ends;
        assert_non_null(serial);
        assert_true(br_justify(serial, schedule, 5, NULL));
        assert_feasible(&f, schedule);
        assert_true(schedule->makespan < before ||
                    (schedule->makespan == before && schedule->ends <= ends));
        shorter += schedule->makespan < before;
        /* One pool: a forward pass in the order of the starts never lengthens a schedule. */
        if (f.in->machines == 1) {
            struct br_schedule again;
            int64_t *key = malloc(f.in->tasks * sizeof *key);
            assert_true(br_schedule_init(&again, f.in) && key);
            br_serial_key(schedule, f.in, BR_FORWARD, key);
            assert_true(br_serial_pass(serial, BR_FORWARD, key, INT64_MAX, &again, NULL));
            assert_true(again.makespan <= schedule->makespan);
            /* A limit that the schedule keeps changes nothing; one that it breaks gives it up. */
            int64_t makespan = again.makespan;
            assert_true(br_serial_pass(serial, BR_FORWARD, key, makespan, &again, NULL));
            assert_int_equal(again.makespan, makespan);
            if (makespan > 0) {
                assert_true(br_serial_pass(serial, BR_FORWARD, key, makespan - 1, &again, NULL));
                assert_true(again.makespan == INT64_MAX);
            }
            free(key);
            br_schedule_finish(&again);
        }
        br_serial_destroy(serial);
        tear_down(&f);
    }
    assert_true(shorter > JOBS / 4);
}

/* Justification by parallel generation: schedules that verify, never worse, and twice as many
 * placements as tasks a round; a stop leaves the schedule as it is. */
static void test_redispatch(void **state)
{
    unsigned shorter = 0, rounds = 0;
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct fixture f;
        set_up(&f, seed, TASKS);
        struct br_redispatch *redispatch = br_redispatch_create(f.in);
        struct br_schedule *schedule = &f.elite.entry[0].schedule;
        const int64_t before = schedule->makespan;
        const br_uwide ends = schedule->ends;
        const struct br_stop stop = {1};
        assert_non_null(redispatch);
        assert_false(br_redispatch(redispatch, schedule, UINT32_MAX, &stop));
        assert_feasible(&f, schedule);
        assert_true(schedule->makespan == before && schedule->ends == ends);
        assert_true(br_redispatch(redispatch, schedule, UINT32_MAX, NULL));
        assert_feasible(&f, schedule);
        assert_true(schedule->makespan < before ||
                    (schedule->makespan == before && schedule->ends <= ends));
        const uint64_t placements = br_redispatch_placements(redispatch);
        assert_true(placements >= 2 * (uint64_t)f.in->tasks && placements % (2 * f.in->tasks) == 0);
        shorter += schedule->makespan < before;
        rounds += placements > 2 * f.in->tasks;
        br_redispatch_destroy(redispatch);
        tear_down(&f);
    }
    print_message("%u shorter, %u in more than one round\n", shorter, rounds);
    assert_true(shorter > JOBS / 4 && rounds > JOBS / 10);
}

/* A machine holds three tasks of a or four of b, or two of each, which alone fill it. One that
 * leaves no room free starts three or four: 18 of each take six rounds on two machines, whichever
 * comes first. With two of each side by side it is five. */
static void test_caps(void **state)
{
    static const char *const name[] = {"a", "b"}, *const net[] = {"3", "2"};
    struct br_reach reach;
    struct br_elite elite;
    struct br_schedule schedule;
    struct br_instance *in;
    struct br_dag *dag = br_dag_create("caps");
    struct br_cluster *cluster = br_cluster_create(NULL);
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "4", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "net", "10", NULL), BR_OK);
    for (uint32_t s = 0; s < 2; s++) {
        assert_int_equal(br_dag_add_stage(dag, name[s], TASKS_CAPPED, 10, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1", NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "net", net[s], NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_true(br_reach_init(&reach, in) && br_elite_init(&elite, in, BR_ELITES));
    assert_true(br_schedule_init(&schedule, in));
    for (uint32_t k = 0; br_heuristic_at(k); k++)
        if (strcmp(br_heuristic_at(k)->named.name, "bfs") == 0)
            assert_true(br_heuristic_at(k)->run(&schedule, in, &reach, 1, NULL));
    assert_int_equal(schedule.makespan, 6);
    br_elite_add(&elite, &schedule, "bfs", 0);
    struct br_run run = {.in = in,
                         .reach = &reach,
                         .elite = &elite,
                         .seed = 1,
                         .threads = 1,
                         .placements = UINT64_C(1000) * in->tasks,
                         .lower_bound = 1};
    assert_true(br_stage_search(&run, false));
    assert_int_equal(elite.entry[0].schedule.makespan, 5);
    br_schedule_finish(&schedule);
    br_elite_finish(&elite);
    br_reach_finish(&reach);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

static struct br_run run_of(struct fixture *f, uint64_t passes)
{
    return (struct br_run){.in = f->in,
                           .reach = &f->reach,
                           .elite = &f->elite,
                           .seed = 1,
                           .threads = 1,
                           .placements = passes * f->in->tasks,
                           .lower_bound = br_bounds_best(f->in, INT64_MAX).ticks};
}

static void test_improve(void **state)
{
    unsigned shorter = 0;
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct fixture f;
        set_up(&f, seed, TASKS);
        int64_t before = f.elite.entry[0].schedule.makespan;
        struct br_run run = run_of(&f, 500);
        /* Every move alone and all together; the population over stages alone and with them. */
        struct br_machines_settings settings = {.stages = seed % 4 * (1.0 / 3),
                                                .moves = BR_MOVES_ALL};
        if (seed % 3)
            settings.moves = 1u << seed % BR_MOVE_KINDS | 1u << BR_MOVE_MACHINES;
        assert_true(br_machines_search(&run, &settings));
        assert_true(run.spent <= run.placements);
        assert_true(f.elite.count > 0);
        assert_true(f.elite.entry[0].schedule.makespan <= before);
        for (uint32_t k = 0; k < f.elite.count; k++)
            assert_feasible(&f, &f.elite.entry[k].schedule);
        shorter += f.elite.entry[0].schedule.makespan < before;
        tear_down(&f);
    }
    assert_true(shorter > JOBS / 4);
}

static void test_threads(void **state)
{
    for (uint64_t seed = 0; seed < JOBS / 3; seed++) {
        struct fixture f[3];
        uint64_t spent[3];
        for (int k = 0; k < 3; k++) {
            set_up(&f[k], seed + 1000, TASKS);
            struct br_run run = run_of(&f[k], 300);
            run.threads = k == 0 ? 1 : k == 1 ? 2 : 7;
            run.seed = seed;
            assert_true(br_machines_search(&run, NULL));
            spent[k] = run.spent;
            assert_int_equal(spent[0], spent[k]);
            assert_int_equal(f[0].elite.count, f[k].elite.count);
            for (uint32_t e = 0; e < f[k].elite.count; e++) {
                const struct br_schedule *a = &f[0].elite.entry[e].schedule;
                const struct br_schedule *b = &f[k].elite.entry[e].schedule;
                assert_memory_equal(a->start, b->start, a->tasks * sizeof *a->start);
                assert_memory_equal(a->machine, b->machine, a->tasks * sizeof *a->machine);
            }
        }
        for (int k = 0; k < 3; k++)
            tear_down(&f[k]);
    }
}

static void test_oracle(void **state)
{
    unsigned optimal = 0;
    for (uint64_t seed = 0; seed < ORACLE_JOBS; seed++) {
        struct fixture f;
        set_up(&f, seed + 70000, SMALL);
        int64_t optimum = oracle_optimum(f.in);
        struct br_run run = run_of(&f, 300);
        assert_true(br_machines_search(&run, NULL));
        assert_feasible(&f, &f.elite.entry[0].schedule);
        assert_true(f.elite.entry[0].schedule.makespan >= optimum);
        optimal += f.elite.entry[0].schedule.makespan == optimum;
        tear_down(&f);
    }
    print_message("of %u jobs the search is optimal on %u\n", (unsigned)ORACLE_JOBS, optimal);
    assert_true(optimal > ORACLE_JOBS * 99 / 100);
}

static void test_stop(void **state)
{
    struct fixture f;
    struct br_stop stop = {1};
    set_up(&f, 3, TASKS);
    int64_t before = f.elite.entry[0].schedule.makespan;
    struct br_run run = run_of(&f, 0);
    run.lower_bound = 0; /* out of reach, and no limit: only the flag can end it */
    run.stop = &stop;
    assert_true(br_improve(&run, BR_MOVES_ALL, NULL));
    assert_true(run.stopped);
    assert_true(f.elite.entry[0].schedule.makespan <= before);
    assert_feasible(&f, &f.elite.entry[0].schedule);
    tear_down(&f);
}

/* However much a run may spend, it goes on from elsewhere when a hundred rounds brought nothing. */
static void test_restarts(void **state)
{
    enum { ROUNDS = 100 };
    uint64_t restarts = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct fixture f;
        struct br_improve_report report;
        uint64_t gains = 0;
        set_up(&f, seed, SMALL);
        struct br_run run = run_of(&f, 60000);
        run.lower_bound = -1; /* out of reach */
        assert_true(br_improve(&run, BR_MOVES_ALL, &report));
        for (uint32_t m = 0; m < BR_MOVE_KINDS; m++)
            gains += report.gained[m];
        assert_true(report.rounds > 8 * ROUNDS);
        assert_true(report.rounds <= (report.restarts + gains + 1) * (ROUNDS + 1) + gains);
        restarts += report.restarts;
        tear_down(&f);
    }
    assert_true(restarts > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caps),       cmocka_unit_test(test_justify),
        cmocka_unit_test(test_redispatch), cmocka_unit_test(test_improve),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_restarts),   cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
