/* Lower bounds on the makespan by arguments that need no solver.
 *
 * Each bound takes one instance: a whole job or a part of it between cuts. All are in ticks. A
 * bound is rounded up to the next whole tick, which is safe. Take a plan in which no task can start
 * earlier if the others stay. Every start is 0 or the end of another task, so all times are sums of
 * durations, hence whole ticks. And moving tasks to the left turns any plan into such a plan
 * without a later end.
 *
 * When memory is out, ticks is -1: a weaker bound would lead to other results than the same job has
 * elsewhere. */
#ifndef BR_PLANNER_BOUNDS_H
#define BR_PLANNER_BOUNDS_H

#include "base/process/stop.h"
#include "planner/instance/instance.h"
#include "planner/instance/part.h"

struct br_bound {
    int64_t ticks;
    const char *method; /* static storage */
};

/* CPLen: the longest path, every task with its duration. O(tasks + arcs). */
struct br_bound br_bounds_critical_path(const struct br_instance *in);
/* TWork: the largest over resources of work by capacity. O(tasks + stages x resources). */
struct br_bound br_bounds_work(const struct br_instance *in);
/* TWork in measures that see that a task must fit one machine; see measure.h. */
struct br_bound br_bounds_fragmentation(const struct br_instance *in);
/* Heads and tails: the largest a + TWork{tasks with head >= a and tail >= b} + b, heads and tails
 * by the longest path. */
struct br_bound br_bounds_energy(const struct br_instance *in);
/* ModCP: the longest path, on which a stage ahead of a barrier counts the larger of its TWork and
 * its longest task. */
struct br_bound br_bounds_modcp(const struct br_instance *in);
/* As br_bounds_modcp with the rounds that a stage needs on the machines; see measure.h. */
struct br_bound br_bounds_waves(const struct br_instance *in);
/* Heads and tails by rounds and by the work of all ancestors and all descendants, energy in all
 * measures. With up to some thousand stages at least as much as all of the above; beyond, only some
 * thresholds are tried. */
struct br_bound br_bounds_window(const struct br_instance *in);

/* The best of the above on this instance, without looking for cuts; arguments are left out once one
 * reaches `enough`, such as the makespan of a plan (INT64_MAX: none). Some tenths of a second for
 * 100,000 stages of 10 tasks. */
struct br_bound br_bounds_best(const struct br_instance *in, int64_t enough);
/* How far the bounds are to go. */
struct br_bounds_effort {
    int64_t enough; /* arguments are left out once one reaches it; INT64_MAX: none */
    bool cheap;     /* only linear arguments: the critical path, the waves of stages, and work */
    bool unrounded; /* no durations are rounded down, as for proofs within others */
    /* May be NULL. If raised, the arguments that are left are skipped, except for the critical
     * path. */
    const struct br_stop *stop;
};
/* br_bounds_best with this effort. If durations are noise around multiples of a long tick, the same
 * arguments are also tried on the durations rounded down to these (planner/instance/rounding.h):
 * they round up to whole ticks. */
struct br_bound br_bounds_by(const struct br_instance *in, const struct br_bounds_effort *effort);
/* br_bound, which ends as soon as it reaches `enough_ns`; INT64_MAX: all of it. */
enum br_status br_bound_until(const struct br_dag *dag, const struct br_cluster *cluster,
                              int64_t enough_ns, int64_t *lower_bound_ns, const char **method,
                              struct br_diag *diag);
/* The name of the bound of a job in parts if the parts' bounds have different names. */
extern const char *const br_bounds_of_parts;
/* Bounds of a job in parts. */
struct br_bounds {
    struct br_bound *part; /* of each, owned */
    struct br_bound whole; /* of the whole as one part; 0 ticks if it is one or is too large */
    struct br_bound sum;   /* the best: the parts' together, or the whole's if that is as good */
};
/* Finds all of them; `enough` holds for each of them, such as the makespan of a plan. False when
 * memory is out; finish is due in either case. */
bool br_bounds_find(struct br_bounds *bounds, const struct br_parts *parts,
                    const struct br_bounds_effort *effort);
/* As br_bounds_find if the parts' bounds are known already. */
bool br_bounds_sum_up(struct br_bounds *bounds, const struct br_parts *parts,
                      const struct br_bounds_effort *effort);
void br_bounds_finish(struct br_bounds *bounds);

/* NewLB: the sum over the parts between cuts of the best on each; if the whole is small enough, at
 * least br_bounds_best of it. */
struct br_bound br_bounds_sum(const struct br_instance *whole);
/* As br_bounds_sum with this effort, whose `enough` is about the whole: arguments are tried on one
 * part after another until the parts together reach it. */
struct br_bound br_bounds_sum_by(const struct br_instance *whole,
                                 const struct br_bounds_effort *effort);

#endif
