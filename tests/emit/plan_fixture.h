/* Jobs, clusters and plans built by hand for the tests of outputs and of the plan reader; no
 * planner takes part. */
#ifndef BR_TESTS_EMIT_PLAN_FIXTURE_H
#define BR_TESTS_EMIT_PLAN_FIXTURE_H

#include "emit/emit.h"

struct fixture {
    struct br_dag *dag;
    struct br_cluster *cluster;
    struct br_plan *plan;
};

struct br_emit_input fixture_input(const struct fixture *fixture);
void fixture_finish(struct fixture *fixture);

/* Eight tasks on two machines: every feature of the model once. */
struct fixture fixture_small(void);
/* Names and texts that every output has to escape, on one machine. */
struct fixture fixture_nasty(void);
/* A random job on a random cluster with a plan that respects precedence. At most `tasks` tasks. */
struct fixture fixture_random(uint64_t seed, uint32_t tasks);
/* `stages` stages in layers, `tasks` tasks each, on `machines` machines with `lanes` tasks side by
 * side; subsets drawn by stage. */
struct fixture fixture_layers(uint32_t stages, uint32_t tasks, uint32_t machines, uint32_t lanes);

/* The bytes of an output; the caller frees. */
char *fixture_emit(bool job, const char *format, const struct fixture *fixture);

#endif
