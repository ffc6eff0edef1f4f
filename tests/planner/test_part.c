/* Cuts against their definition: by the closure of "is an ancestor of" over single tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "planner/instance/part.h"
#include "tests/support/precedence.h"
#include "tests/support/random_job.h"

enum { TASKS = 14 };

/* All cuts among all sets of tasks, under their sizes: cuts are nested, so no two have one size. */
static uint32_t cut_sizes(uint32_t tasks, const char *before, uint32_t of_size[TASKS + 1])
{
    uint32_t count = 0;
    for (uint32_t set = 1; set + 1 < UINT32_C(1) << tasks; set++) {
        uint32_t size = 0;
        bool cut = true;
        for (uint32_t i = 0; i < tasks && cut; i++) {
            size += set >> i & 1;
            for (uint32_t j = 0; j < tasks && cut; j++)
                if ((set >> i & 1) && !(set >> j & 1))
                    cut = before[i * tasks + j];
        }
        if (cut) {
            assert_int_equal(of_size[size], 0);
            of_size[size] = set;
            count++;
        }
    }
    return count;
}

#define SAME(count, a, b) assert_memory_equal(a, b, (count) * sizeof *(a))

/* Is a part what br_instance_part makes of its stages? */
static void check_alike(const struct br_instance *in, const struct br_instance *part)
{
    uint32_t stages[TASKS];
    for (uint32_t s = 0; s < part->stages; s++)
        stages[s] = in->task_stage[part->task_origin[part->stage_first[s]]];
    struct br_instance *alone = br_instance_part(in, stages, part->stages);
    assert_non_null(alone);
    assert_int_equal(part->tasks, alone->tasks);
    assert_int_equal(part->machines, in->machines);
    assert_int_equal(part->tick_ns, in->tick_ns);
    SAME(part->stages + 1, part->stage_first, alone->stage_first);
    SAME(part->stages, part->topological, alone->topological);
    SAME(part->stages, part->position, alone->position);
    SAME(part->stages + 1, part->child_first, alone->child_first);
    SAME(part->stages + 1, part->parent_first, alone->parent_first);
    for (uint32_t a = 0; a < part->child_first[part->stages]; a++) {
        assert_int_equal(part->child[a].stage, alone->child[a].stage);
        assert_int_equal(part->child[a].one_to_one, alone->child[a].one_to_one);
        assert_int_equal(part->parent[a].stage, alone->parent[a].stage);
        assert_int_equal(part->parent[a].one_to_one, alone->parent[a].one_to_one);
    }
    for (uint32_t s = 0; s < part->stages; s++) { /* every arc within the part is there */
        uint32_t arcs = 0;
        for (uint32_t a = in->child_first[stages[s]]; a < in->child_first[stages[s] + 1]; a++)
            for (uint32_t other = 0; other < part->stages; other++)
                arcs += stages[other] == in->child[a].stage;
        assert_int_equal(part->child_first[s + 1] - part->child_first[s], arcs);
    }
    br_instance_destroy(alone);
}

static void check_parts(const struct br_instance *in, const struct br_parts *parts)
{
    char *before = precedence_closure(in);
    uint32_t of_size[TASKS + 1] = {0}, size = 0, set = 0;
    assert_int_equal(parts->count, 1 + cut_sizes(in->tasks, before, of_size));
    free(before);
    for (uint32_t k = 0; k < parts->count; k++) {
        const struct br_instance *part = parts->part[k];
        for (uint32_t t = 0; t < part->tasks; t++) {
            uint32_t origin = part->task_origin[t];
            assert_int_equal(part->duration[t], in->duration[origin]);
            assert_int_equal(set >> origin & 1, 0);
            set |= UINT32_C(1) << origin;
        }
        size += part->tasks;
        check_alike(in, part);
        if (k + 1 < parts->count)
            assert_int_equal(set, of_size[size]);
        for (uint32_t s = 0; s < part->stages; s++) {
            uint32_t origin = in->task_stage[part->task_origin[part->stage_first[s]]];
            assert_int_equal(part->stage_longest[s], in->stage_longest[origin]);
            assert_int_equal(part->topological[part->position[s]], s);
            for (uint32_t r = 0; r < in->resources; r++)
                assert_int_equal(part->demand[s * in->resources + r],
                                 in->demand[origin * in->resources + r]);
            for (uint32_t a = part->child_first[s]; a < part->child_first[s + 1]; a++)
                assert_true(part->position[part->child[a].stage] > part->position[s]);
        }
    }
    assert_int_equal(size, in->tasks);
}

static void cuts_are_those_of_the_definition(void **state)
{
    uint32_t cuts = 0, jobs_without = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_parts parts;
        assert_true(random_job_make(seed, seed % 40 == 0 ? TASKS : 9, seed % 3, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        assert_int_equal(br_parts_create(in, &parts, NULL), BR_OK);
        check_parts(in, &parts);
        assert_true(parts.count > 1 || parts.part[0] == in);
        cuts += parts.count - 1;
        jobs_without += parts.count == 1;
        br_parts_finish(&parts);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    assert_true(cuts > 1000); /* the generator gives both kinds */
    assert_true(jobs_without > 200);
}

/* A one-to-one arc across a prefix does not hinder a cut that barriers make. */
static void shortcuts_do_not_matter(void **state)
{
    for (int with_barrier = 0; with_barrier < 2; with_barrier++) {
        struct br_dag *dag = br_dag_create("j");
        struct br_cluster *cluster = br_cluster_create(NULL);
        struct br_instance *in;
        struct br_parts parts;
        const char *ids[] = {"c", "a", "b"};
        for (int k = 0; k < 3; k++)
            assert_int_equal(br_dag_add_stage(dag, ids[k], 3, 1, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_edge(dag, 1, 2, BR_ONE_TO_ONE, NULL), BR_OK);
        assert_int_equal(br_dag_add_edge(dag, 1, 0, BR_ONE_TO_ONE, NULL), BR_OK);
        assert_int_equal(
            br_dag_add_edge(dag, 2, 0, with_barrier ? BR_BARRIER : BR_ONE_TO_ONE, NULL), BR_OK);
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
        assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
        assert_int_equal(br_parts_create(in, &parts, NULL), BR_OK);
        assert_int_equal(parts.count, with_barrier ? 2 : 1);
        if (with_barrier) {
            assert_int_equal(parts.part[0]->tasks, 6);
            assert_int_equal(parts.part[1]->tasks, 3);
            assert_int_equal(parts.part[1]->task_origin[0], 0);
        }
        br_parts_finish(&parts);
        br_instance_destroy(in);
        br_dag_destroy(dag);
        br_cluster_destroy(cluster);
    }
}

/* As many parts as stages, in time and memory that do not grow with their square. */
static void long_chain(void **state)
{
    enum { STAGES = 50000 };
    struct br_dag *dag = br_dag_create("chain");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    struct br_parts parts;
    for (uint32_t s = 0; s < STAGES; s++) {
        char id[16];
        snprintf(id, sizeof id, "%u", s);
        assert_int_equal(br_dag_add_stage(dag, id, 2, 1, NULL, NULL), BR_OK);
        if (s > 0)
            assert_int_equal(br_dag_add_edge(dag, s - 1, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_int_equal(br_parts_create(in, &parts, NULL), BR_OK);
    assert_int_equal(parts.count, STAGES);
    for (uint32_t k = 0; k < STAGES; k++)
        assert_int_equal(parts.part[k]->task_origin[1], 2 * k + 1);
    br_parts_finish(&parts);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_are_those_of_the_definition),
        cmocka_unit_test(shortcuts_do_not_matter),
        cmocka_unit_test(long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
