/* Which tasks on spare tokens make way: worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cluster/simulate/policies/spare.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "runtime/enforcer/jobs/capacities.h"
#include "runtime/enforcer/jobs/job.h"

enum { TASKS = 6, MACHINES = 3 };

/* Free cpu, in the enforcer's whole units; below 0: the machine is away. `one` is a cpu. */
static int64_t room[MACHINES], one;

static const int64_t *free_of(void *context, uint32_t machine)
{
    (void)context;
    return room[machine] < 0 ? NULL : &room[machine];
}

/* Six tasks of one cpu each: task t runs on machine t / 2, since second t + 1, or all since 1 if
 * all are spare. */
struct scene {
    struct br_form *form;
    struct br_job *job;
    int64_t since_ns[TASKS];
    struct br_spare spare;
};

static void begin(struct scene *scene, uint32_t surplus)
{
    struct br_dag *dag = br_dag_create("job");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_capacities capacities;
    struct br_arena arena = {0};
    uint32_t stage;
    *scene = (struct scene){0};
    assert_int_equal(br_dag_add_stage(dag, "s", TASKS, 1000, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", MACHINES, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "4", NULL), BR_OK);
    assert_int_equal(br_capacities_make(&arena, cluster, &capacities, NULL), BR_OK);
    assert_int_equal(
        br_form_create(dag, NULL, NULL, &capacities.scale, MACHINES, &scene->form, NULL), BR_OK);
    scene->job = br_job_create(scene->form, false);
    one = *br_job_demand(scene->job, 0, 1);
    for (uint32_t t = 0; t < TASKS; t++) {
        br_job_run(scene->job, t, t / 2, t + 1);
        scene->since_ns[t] = surplus == TASKS ? 1 : t + 1;
    }
    const struct br_spare_job job = {scene->job, 7, surplus, scene->since_ns};
    assert_true(br_spare_collect(&scene->spare, &job, 1, 1));
    assert_int_equal(scene->spare.tasks, surplus);
    br_arena_finish(&arena);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

static void end(struct scene *scene)
{
    br_spare_finish(&scene->spare);
    br_job_destroy(scene->job);
    br_form_release(scene->form);
}

/* At second 10, for a task of so much cpu: the machine and the tasks that end; BR_ANY: none. */
static void chooses(const struct scene *scene, int64_t demand, uint32_t machine, uint32_t task,
                    uint32_t tasks)
{
    uint32_t first, count;
    demand *= one;
    bool found = br_spare_choose(&scene->spare, &demand, 1, free_of, NULL, 10, &first, &count);
    assert_int_equal(found, machine != BR_ANY);
    if (!found)
        return;
    assert_int_equal(count, tasks);
    assert_int_equal(scene->spare.task[first].machine, machine);
    assert_int_equal(scene->spare.task[first].task, task);
    assert_int_equal(scene->spare.task[first].job, 7);
}

/* The last four of six are spare: 3 on machine 1, since 4 (and 2, since 3), 4 and 5 on machine 2,
 * since 5 and 6. */
static void test_choice(void **state)
{
    struct scene scene;
    (void)state;
    begin(&scene, 4);
    memcpy(room, (int64_t[]){3 * one, 0, 0}, sizeof room);
    chooses(&scene, 1, 2, 5, 1); /* loses 4 s; on machine 1 it would be 6 */
    chooses(&scene, 2, 2, 5, 2); /* 4 + 5 s, on machine 1 6 + 7 */
    chooses(&scene, 3, BR_ANY, 0, 0);
    room[1] = one;
    chooses(&scene, 2, 1, 3, 1); /* 6 s, on machine 2 9 */
    chooses(&scene, 3, 1, 3, 2);
    room[2] = -1; /* away */
    room[1] = 0;
    chooses(&scene, 1, 1, 3, 1);
    end(&scene);
    /* If as much is lost anywhere, the first machine. */
    begin(&scene, TASKS);
    memcpy(room, (int64_t[]){0, 0, 0}, sizeof room);
    chooses(&scene, 1, 0, 0, 1);
    end(&scene);
    /* Within its tokens the job gives nothing. */
    begin(&scene, 0);
    chooses(&scene, 1, BR_ANY, 0, 0);
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
