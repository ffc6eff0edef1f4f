/* What tests of stores share: a file for each, random jobs, and plans that are judged. */
#ifndef TESTS_STORE_STORE_FIXTURE_H
#define TESTS_STORE_STORE_FIXTURE_H

#include <bigrocks/store.h>

#include "planner/instance/plan.h"
#include "tests/support/database_file.h"
#include "tests/support/random_job.h"

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, database_make_path, database_remove)

struct br_store *store_open(void);
/* A plan by effort fast and one thread. */
struct br_plan *store_make_plan(const struct random_job *job, const char *method);
void store_put(struct br_store *store, const struct random_job *job,
               const struct br_plan_options *options, const struct br_plan *plan);
/* The plan, judged; NULL on a miss. */
struct br_plan *store_get(struct br_store *store, const struct random_job *job,
                          const struct br_plan_options *options, struct br_store_hit *hit);
/* A job whose plan does not meet its bound, so that effort matters. */
struct random_job store_open_job(void);

#endif
