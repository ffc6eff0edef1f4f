/* Miniatures: who stands for whom, work, demands and arcs, against the job; and the orders that a
 * search on one finds, by which the verifier accepts schedules of the job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/numbers/wide.h"
#include "planner/instance/miniature.h"
#include "planner/schedule/heuristic.h"
#include "planner/search/miniature_search.h"
#include "tests/support/judge.h"
#include "tests/support/random_job.h"

enum { JOBS = 600, SEARCHES = 150, TASKS = 64 };

static uint32_t stage_tasks(const struct br_instance *in, uint32_t s)
{
    return in->stage_first[s + 1] - in->stage_first[s];
}

static bool is_joined(const struct br_instance *in, uint32_t s)
{
    bool joined = false;
    for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++)
        joined |= in->child[a].one_to_one;
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++)
        joined |= in->parent[a].one_to_one;
    return joined;
}

/* Every task has a twin in its stage, and every twin about as many tasks. Those of a stage without
 * joined tasks have them by length, else by number. */
static void check_twins(const struct br_instance *whole, const struct br_miniature *m)
{
    uint32_t count[TASKS] = {0};
    for (uint32_t t = 0; t < whole->tasks; t++) {
        assert_true(m->twin[t] < m->in.tasks);
        assert_int_equal(m->in.task_stage[m->twin[t]], whole->task_stage[t]);
        count[m->twin[t]]++;
    }
    for (uint32_t s = 0; s < whole->stages; s++) {
        const uint32_t n = stage_tasks(whole, s), few = stage_tasks(&m->in, s);
        for (uint32_t k = m->in.stage_first[s]; k < m->in.stage_first[s + 1]; k++)
            assert_true(count[k] == n / few || count[k] == n / few + 1);
        for (uint32_t t = whole->stage_first[s] + 1; t < whole->stage_first[s + 1]; t++)
            for (uint32_t u = whole->stage_first[s]; u < t; u++)
                assert_true(is_joined(whole, s) ? m->twin[u] <= m->twin[t]
                            : whole->duration[u] > whole->duration[t]
                                ? m->twin[u] <= m->twin[t]
                                : whole->duration[u] == whole->duration[t] ||
                                      m->twin[t] <= m->twin[u]);
    }
}

/* Twins last as long as a task for which they stand, times what keeps the work by machine; a stage
 * without enough work for one demands less instead, and never nothing in place of something. */
static void check_work(const struct br_instance *whole, const struct br_miniature *m)
{
    const struct br_instance *in = &m->in;
    for (uint32_t s = 0; s < in->stages; s++) {
        const uint32_t n = stage_tasks(whole, s), few = stage_tasks(in, s);
        const int64_t have = (int64_t)few * whole->machines, need = (int64_t)n * in->machines;
        const bool less = few == 1 && need < have;
        int64_t longest = 0;
        bool equal = true;
        assert_true(few == 1 || llabs(need - have) <= whole->machines / 2);
        for (uint32_t k = in->stage_first[s]; k < in->stage_first[s + 1]; k++) {
            bool found = false;
            for (uint32_t t = 0; t < whole->tasks; t++)
                found |= m->twin[t] == k &&
                         in->duration[k] ==
                             (less ? whole->duration[t] : whole->duration[t] * need / have);
            assert_true(found);
            longest = in->duration[k] > longest ? in->duration[k] : longest;
            equal &= in->duration[k] == in->duration[in->stage_first[s]];
        }
        assert_int_equal(in->stage_longest[s], longest);
        assert_int_equal(in->stage_equal[s], equal);
        for (uint32_t r = 0; r < in->resources; r++) {
            const int64_t before = whole->demand[s * in->resources + r];
            const int64_t after = in->demand[s * in->resources + r];
            assert_true(less ? after * have >= before * need && (after - 1) * have < before * need
                             : after == before);
        }
    }
}

/* Arcs are those of the job; where single tasks are joined, their twins are, too. */
static void check_arcs(const struct br_instance *whole, const struct br_miniature *m)
{
    const struct br_instance *in = &m->in;
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
            const struct br_arc arc = in->child[a], before = whole->child[a];
            const uint32_t first = whole->stage_first[s], to = whole->stage_first[arc.stage];
            assert_int_equal(arc.stage, before.stage);
            assert_int_equal(arc.one_to_one, before.one_to_one && stage_tasks(in, s) > 1);
            for (uint32_t k = 0; before.one_to_one && k < stage_tasks(whole, s); k++)
                assert_int_equal(m->twin[first + k] - in->stage_first[s],
                                 m->twin[to + k] - in->stage_first[arc.stage]);
        }
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++)
            assert_int_equal(in->parent[a].one_to_one,
                             whole->parent[a].one_to_one && stage_tasks(in, s) > 1);
}

static void check_cluster(const struct br_instance *whole, const struct br_miniature *m)
{
    const struct br_instance *in = &m->in;
    assert_int_equal(in->machines, in->class_first[in->classes]);
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t sum = 0;
        for (uint32_t c = 0; c < in->classes; c++)
            sum +=
                in->capacity[c * in->resources + r] * (in->class_first[c + 1] - in->class_first[c]);
        assert_int_equal(sum, in->total[r]);
    }
    for (uint32_t c = 0; c < in->classes; c++) {
        assert_true(in->class_first[c + 1] > in->class_first[c]);
        assert_true(in->class_first[c + 1] - in->class_first[c] <=
                    whole->class_first[c + 1] - whole->class_first[c]);
    }
}

static void miniatures_are_like_the_job(void **state)
{
    unsigned fewer = 0, less = 0;
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct random_job job;
        struct br_instance *whole;
        assert_true(random_job_make(seed, TASKS, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &whole, NULL), BR_OK);
        const uint32_t sizes[] = {1, 1 + whole->tasks / 3, 1 + whole->tasks / 2, whole->tasks};
        for (uint32_t k = 0; k < 4; k++) {
            struct br_miniature m;
            const uint32_t tasks = sizes[k] < whole->tasks ? sizes[k] : whole->tasks;
            assert_true(br_miniature_init(&m, whole, tasks));
            check_twins(whole, &m);
            check_work(whole, &m);
            check_arcs(whole, &m);
            check_cluster(whole, &m);
            if (tasks == whole->tasks)
                assert_int_equal(m.in.tasks, tasks);
            fewer += m.in.tasks < whole->tasks;
            less += whole->resources &&
                    memcmp(m.in.demand, whole->demand,
                           (size_t)whole->stages * whole->resources * sizeof *whole->demand) != 0;
            br_miniature_finish(&m);
        }
        br_instance_destroy(whole);
        random_job_finish(&job);
    }
    assert_true(fewer > JOBS / 4 && less > JOBS / 10);
}

/* The makespan by the longest way to the end first. */
static int64_t makespan_of_first(const struct br_instance *in)
{
    struct br_reach reach;
    struct br_schedule schedule;
    assert_true(br_reach_init(&reach, in) && br_schedule_init(&schedule, in));
    assert_true(br_heuristic_at(0)->run(&schedule, in, &reach, 1, NULL));
    const int64_t makespan = schedule.makespan;
    br_schedule_finish(&schedule);
    br_reach_finish(&reach);
    return makespan;
}

/* The schedules verify, are mostly shorter than one by a simple order, and are the same for any
 * number of threads; after a stop there are none. */
static void orders_are_of_the_job(void **state)
{
    unsigned shorter = 0, longer = 0;
    for (uint64_t seed = 0; seed < SEARCHES; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_schedule schedule[2][BR_MINIATURE_ORDERS];
        const struct br_stop stop = {1};
        uint64_t spent[2];
        assert_true(random_job_make(seed, TASKS, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        for (uint32_t k = 0; k < 2; k++) {
            struct br_run run = {.in = in,
                                 .seed = seed,
                                 .threads = k ? 3 : 1,
                                 .placements = UINT64_C(100) * in->tasks};
            assert_true(br_miniature_search(&run, 1 + in->tasks / 2, schedule[k]));
            spent[k] = run.spent;
        }
        assert_int_equal(spent[0], spent[1]);
        assert_true(schedule[0][0].makespan < INT64_MAX);
        const int64_t simple = makespan_of_first(in);
        int64_t best = INT64_MAX;
        for (uint32_t k = 0; k < BR_MINIATURE_ORDERS; k++)
            best = schedule[0][k].makespan < best ? schedule[0][k].makespan : best;
        shorter += best < simple;
        longer += best > simple;
        for (uint32_t k = 0; k < BR_MINIATURE_ORDERS; k++) {
            assert_int_equal(schedule[0][k].makespan, schedule[1][k].makespan);
            if (schedule[0][k].makespan < INT64_MAX) {
                judge_schedule(&job, in, &schedule[0][k]);
                assert_memory_equal(schedule[0][k].start, schedule[1][k].start,
                                    in->tasks * sizeof *schedule[0][k].start);
            }
            br_schedule_finish(&schedule[0][k]);
            br_schedule_finish(&schedule[1][k]);
        }
        struct br_run run = {.in = in, .threads = 1, .placements = 1, .stop = &stop};
        assert_true(br_miniature_search(&run, 1, schedule[0]));
        for (uint32_t k = 0; k < BR_MINIATURE_ORDERS; k++) {
            assert_true(schedule[0][k].makespan == INT64_MAX);
            br_schedule_finish(&schedule[0][k]);
        }
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("%u shorter, %u longer\n", shorter, longer);
    assert_true(shorter > 4 * longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(miniatures_are_like_the_job),
        cmocka_unit_test(orders_are_of_the_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
