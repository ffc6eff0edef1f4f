#include "tests/cluster/simulate/play.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

struct br_cluster *play_cluster(uint32_t machines)
{
    struct br_cluster *cluster = br_cluster_create("c");
    uint32_t class;
    assert_int_equal(br_cluster_add_class(cluster, "m", machines, &class, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, class, "cpu", "1", NULL), BR_OK);
    return cluster;
}

struct br_dag *play_chain(uint32_t stages, const uint32_t *tasks, const int64_t *seconds)
{
    struct br_dag *dag = br_dag_create("j");
    assert_int_equal(br_dag_add_resource(dag, "cpu", NULL, NULL), BR_OK);
    for (uint32_t s = 0; s < stages; s++) {
        const char name[] = {(char)('a' + s), 0};
        uint32_t number;
        assert_int_equal(br_dag_add_stage(dag, name, tasks[s], seconds[s] * SECOND, &number, NULL),
                         BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1", NULL), BR_OK);
        if (s)
            assert_int_equal(br_dag_add_edge(dag, s - 1, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

struct br_dag *play_sized(const char *cores, int64_t lasts_ns)
{
    struct br_dag *dag = br_dag_create("j");
    uint32_t number;
    assert_int_equal(br_dag_add_stage(dag, "a", 1, lasts_ns, &number, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, number, "cpu", cores, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

void play_begin(struct play *play, struct br_cluster *cluster)
{
    *play = (struct play){.cluster = cluster};
    memset(play->behind, 0xff, sizeof play->behind);
    assert_int_equal(br_capacities_make(&play->arena, cluster, &play->capacities, NULL), BR_OK);
    assert_true(br_scene_init(&play->scene, cluster, &play->capacities));
    assert_true(br_forward_init(&play->forward, cluster, &play->capacities));
}

void play_job(struct play *play, const struct br_dag *dag, uint32_t place)
{
    uint32_t slot, k = play->jobs++;
    assert_int_equal(br_joint_job_make(dag, NULL, &play->capacities, k, 1, &play->job[k], NULL),
                     BR_OK);
    assert_true(br_scene_arrive(&play->scene, play->job[k], &slot));
    assert_int_equal(slot, k);
    play->place[k] = place;
}

static void play_start(void *context, uint32_t slot, uint32_t task, uint32_t machine)
{
    struct play *play = context;
    assert_true(play->runs < MOST_RUNNING);
    play->running[play->runs++] = (struct br_forward_task){play->now_ns, slot, task, machine};
}

void play_dispatch(struct play *play)
{
    br_scene_dispatch(&play->scene,
                      &(struct br_joint_order){play->place, play->within, play->eta, play->behind},
                      play_start, play);
}

double play_on(struct play *play, uint32_t step, uint64_t most)
{
    assert_true(br_forward_reserve(&play->forward, &play->scene));
    br_forward_begin(&play->forward, &play->scene, play->running, play->runs, play->now_ns, step);
    return br_forward_run(
        &play->forward,
        &(struct br_joint_order){play->place, play->within, play->eta, play->behind}, most,
        INT64_MAX);
}

void play_finish(struct play *play)
{
    for (uint32_t k = 0; k < play->jobs; k++)
        br_joint_job_destroy(play->job[k]);
    br_scene_finish(&play->scene);
    br_forward_finish(&play->forward);
    br_cluster_destroy(play->cluster);
    br_arena_finish(&play->arena);
}
