/* Dependencies that hand room on: with them, and no count of what is held, no order in which tasks
 * start keeps too much, and all end, however long they take. Without them some order would. */
#include <bigrocks/bigrocks.h>

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/instance/handover.h"

enum { JOBS = 400, RUNS = 20, STAGES = 7, TASKS = 21 };

static struct br_rng rng;

static uint32_t draw(uint32_t from, uint32_t to)
{
    return from + (uint32_t)br_rng_below(&rng, to - from + 1);
}

/* Stages of one to three tasks that leave up to four on the disk, and demand some. */
static struct br_dag *some_job(void)
{
    struct br_dag *dag = br_dag_create("random");
    uint32_t tasks[STAGES];
    char id[16], amount[16];
    for (uint32_t s = 0; s < STAGES; s++) {
        tasks[s] = draw(1, 3);
        snprintf(id, sizeof id, "s%" PRIu32, s);
        assert_int_equal(
            br_dag_add_stage(dag, id, tasks[s], draw(1, 5) * INT64_C(1000000000), NULL, NULL),
            BR_OK);
        snprintf(amount, sizeof amount, "%" PRIu32, draw(0, 2));
        assert_int_equal(br_dag_add_demand(dag, s, "disk", amount, NULL), BR_OK);
        snprintf(amount, sizeof amount, "%" PRIu32, draw(1, 4));
        if (draw(0, 2))
            assert_int_equal(br_dag_add_output(dag, s, "f", "disk", amount,
                                               draw(0, 3) ? BR_OUTPUT_UNKEPT : 0, NULL),
                             BR_OK);
        for (uint32_t p = 0; p < s; p++)
            if (draw(0, 3) == 0) {
                bool paired = tasks[p] == tasks[s] && draw(0, 1);
                assert_int_equal(
                    br_dag_add_edge(dag, p, s, paired ? BR_ONE_TO_ONE : BR_BARRIER, NULL), BR_OK);
                if (draw(0, 3) == 0)
                    assert_int_equal(br_dag_set_edge_reads(dag, p, s, "", NULL), BR_OK);
            }
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

struct course {
    const struct br_dag *dag;
    const struct br_handovers *handover; /* NULL: only parents are waited for */
    uint8_t state[TASKS];                /* 0: waits, 1: runs, 2: has ended */
};

static bool waits_for(const struct br_dag *dag, const struct br_edge *edge, uint32_t child,
                      uint32_t parent)
{
    return !br_dag_is_paired(dag, edge) || child - dag->stage[edge->child].first_task ==
                                               parent - dag->stage[edge->parent].first_task;
}

static bool is_ready(const struct course *course, uint32_t task)
{
    const struct br_dag *dag = course->dag;
    uint32_t s = br_dag_task_stage(dag, task);
    if (course->state[task])
        return false;
    for (uint32_t e = 0; e < dag->edges; e++)
        for (uint32_t i = 0; dag->edge[e].child == s && i < dag->stage[dag->edge[e].parent].tasks;
             i++) {
            uint32_t parent = dag->stage[dag->edge[e].parent].first_task + i;
            if (waits_for(dag, &dag->edge[e], task, parent) && course->state[parent] < 2)
                return false;
        }
    const struct br_handovers *room = course->handover;
    for (uint32_t k = room ? room->first[task] : 0; room && k < room->first[task + 1]; k++)
        if (course->state[room->before[k]] < 2)
            return false;
    return true;
}

static bool is_read(const struct course *course, uint32_t output, uint32_t task)
{
    const struct br_dag *dag = course->dag;
    const struct br_storage *storage = dag->storage;
    bool over = true;
    if (br_output_is_result(storage, output) || course->state[task] < 2)
        return false;
    for (uint32_t k = storage->output_first[output]; k < storage->output_first[output + 1]; k++) {
        const struct br_edge *edge = &dag->edge[storage->readers[k]];
        for (uint32_t i = 0; i < dag->stage[edge->child].tasks; i++) {
            uint32_t reader = dag->stage[edge->child].first_task + i;
            over &= !waits_for(dag, edge, reader, task) || course->state[reader] == 2;
        }
    }
    return over;
}

static int64_t held(const struct course *course)
{
    const struct br_dag *dag = course->dag;
    int64_t all = 0;
    for (uint32_t t = 0; t < dag->tasks; t++) {
        uint32_t s = br_dag_task_stage(dag, t);
        for (uint32_t d = 0; d < dag->stage[s].demands; d++)
            if (course->state[t] == 1)
                all += dag->demand[dag->stage[s].first_demand + d].amount.mantissa;
        for (uint32_t o = dag->storage->stage_first[s];
             course->state[t] && o < dag->storage->stage_first[s + 1]; o++)
            all += is_read(course, o, t) ? 0 : dag->storage->output[o].amount.mantissa;
    }
    return all;
}

/* Starts and ends tasks by chance, as many at once as may; the most that was held. */
static int64_t run(struct course *course)
{
    int64_t most = 0;
    uint32_t ended = 0, running = 0;
    memset(course->state, 0, sizeof course->state);
    while (ended < course->dag->tasks) {
        uint32_t may[TASKS], count = 0;
        bool starts = draw(0, 3) > 0;
        for (uint32_t t = 0; t < course->dag->tasks; t++)
            if (is_ready(course, t))
                may[count++] = t;
        assert_true(count || running);
        if (count && (starts || !running)) {
            course->state[may[draw(0, count - 1)]] = 1;
            running++;
        } else {
            count = 0;
            for (uint32_t t = 0; t < course->dag->tasks; t++)
                if (course->state[t] == 1)
                    may[count++] = t;
            course->state[may[draw(0, count - 1)]] = 2;
            running--;
            ended++;
        }
        int64_t now = held(course);
        most = now > most ? now : most;
    }
    return most;
}

static void any_order(void **state)
{
    uint32_t planned = 0, needed = 0;
    rng = br_rng_seed(39);
    for (uint32_t j = 0; j < JOBS; j++) {
        struct br_dag *dag = some_job();
        char amount[16];
        int64_t capacity = draw(8, 24);
        struct br_cluster *cluster = br_cluster_create("c");
        uint32_t cls;
        snprintf(amount, sizeof amount, "%" PRId64, capacity);
        assert_int_equal(br_cluster_add_class(cluster, "m", 2, &cls, NULL), BR_OK);
        assert_int_equal(br_cluster_add_shared(cluster, "disk", amount, NULL), BR_OK);
        struct br_plan_options options = br_plan_options_default();
        options.effort = BR_EFFORT_FAST;
        struct br_plan *plan = NULL;
        struct br_handovers handover;
        if (dag->storage && !br_plan_make(dag, cluster, &options, &plan, NULL)) {
            assert_int_equal(br_handover_init(&handover, dag, cluster, plan, "a test", NULL),
                             BR_OK);
            struct course course = {.dag = dag, .handover = &handover};
            for (uint32_t k = 0; k < RUNS; k++)
                assert_true(run(&course) <= capacity);
            course.handover = NULL;
            planned++;
            needed += run(&course) > capacity;
            br_handover_finish(&handover);
        }
        br_plan_destroy(plan);
        br_cluster_destroy(cluster);
        br_dag_destroy(dag);
    }
    printf("%" PRIu32 " of %d jobs have a plan; without dependencies %" PRIu32
           " held too much in a run of one\n",
           planned, JOBS, needed);
    assert_true(planned > JOBS / 2 && needed > planned / 10);
    (void)state;
}

/* A machine's room is not handed on if tasks may run on others. */
static void machines(void **state)
{
    struct br_dag *dag = br_dag_create("two");
    struct br_cluster *cluster = br_cluster_create("c");
    struct br_plan *plan;
    struct br_handovers handover;
    struct br_diag diag = {0};
    uint32_t cls;
    assert_int_equal(br_dag_add_stage(dag, "make", 2, 1000000000, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_output(dag, 0, "f", "disk", "3", BR_OUTPUT_UNKEPT, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, &cls, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "disk", "4", NULL), BR_OK);
    assert_int_equal(br_plan_make(dag, cluster, NULL, &plan, NULL), BR_OK);
    assert_int_equal(br_handover_init(&handover, dag, cluster, plan, "a test", &diag),
                     BR_BAD_INPUT);
    assert_string_equal(diag.what,
                        "a test does not keep tasks on the plan's machines, so it cannot "
                        "keep what is held of their disk");
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
    cluster = br_cluster_create("c");
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, &cls, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, cls, "disk", "4", NULL), BR_OK);
    assert_int_equal(br_plan_make(dag, cluster, NULL, &plan, NULL), BR_OK);
    assert_int_equal(br_handover_init(&handover, dag, cluster, plan, "a test", &diag), BR_OK);
    uint32_t second = plan->order[1];
    assert_int_equal(handover.first[second + 1] - handover.first[second], 1);
    assert_int_equal(handover.before[handover.first[second]], plan->order[0]);
    br_handover_finish(&handover);
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_order), cmocka_unit_test(machines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
