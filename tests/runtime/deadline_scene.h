/* Jobs to make tables of the time left of, for tests. */
#ifndef BR_TESTS_CLUSTER_SIMULATE_DEADLINE_SCENE_H
#define BR_TESTS_CLUSTER_SIMULATE_DEADLINE_SCENE_H

#include "runtime/deadline/trials/make.h"

#define S INT64_C(1000000000)

/* A job with its profile and a request for it. */
struct scene {
    struct br_dag *dag;
    struct br_deadline_profile profile;
    struct br_deadline_request request;
    struct br_made_table made;
};

/* The dag of the scene is whole: a request for it, of three runs. */
void scene_finish_job(struct scene *scene);
uint32_t scene_add_stage(struct scene *scene, const char *id, uint32_t tasks, int64_t ns);
/* Fails where the table cannot be made. */
void scene_make(struct scene *scene);
void scene_close(struct scene *scene);

/* Four tasks of 10 s, then two of 5 s behind a barrier. */
struct scene scene_two_stages(void);
/* A job of three stages with spread, one of them one-to-one. */
struct scene scene_spread_job(uint32_t tasks);

#endif
