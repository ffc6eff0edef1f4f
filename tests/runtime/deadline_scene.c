#include "deadline_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void scene_finish_job(struct scene *scene)
{
    assert_int_equal(br_dag_finish(scene->dag, NULL), BR_OK);
    assert_int_equal(br_profile_init(&scene->profile, scene->dag, NULL), BR_OK);
    scene->request = br_deadline_request_default();
    scene->request.dag = scene->dag;
    scene->request.profile = &scene->profile;
    scene->request.runs = 3;
}

uint32_t scene_add_stage(struct scene *scene, const char *id, uint32_t tasks, int64_t ns)
{
    uint32_t stage;
    assert_int_equal(br_dag_add_stage(scene->dag, id, tasks, ns, &stage, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(scene->dag, stage, "cpu", "1", NULL), BR_OK);
    return stage;
}

void scene_make(struct scene *scene)
{
    struct br_diag diag = {0};
    scene->request.profile = &scene->profile; /* scenes are moved */
    if (br_deadline_make(&scene->request, &scene->made, &diag))
        fail_msg("%s", diag.what);
}

void scene_close(struct scene *scene)
{
    br_deadline_release(&scene->made);
    br_profile_finish(&scene->profile);
    br_dag_destroy(scene->dag);
}

struct scene scene_two_stages(void)
{
    struct scene scene = {.dag = br_dag_create("two")};
    scene_add_stage(&scene, "a", 4, 10 * S);
    scene_add_stage(&scene, "b", 2, 5 * S);
    assert_int_equal(br_dag_add_edge(scene.dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    scene_finish_job(&scene);
    return scene;
}

struct scene scene_spread_job(uint32_t tasks)
{
    struct scene scene = {.dag = br_dag_create("spread")};
    for (uint32_t s = 0; s < 3; s++) {
        scene_add_stage(&scene, (const char *[]){"a", "b", "c"}[s], s < 2 ? tasks : 3,
                        (5 + 7 * s) * S);
        br_dag_set_stage_spread(scene.dag, s, (struct br_decimal){4, -1}, 0);
    }
    assert_int_equal(br_dag_add_edge(scene.dag, 0, 1, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(scene.dag, 1, 2, BR_BARRIER, NULL), BR_OK);
    scene_finish_job(&scene);
    return scene;
}
