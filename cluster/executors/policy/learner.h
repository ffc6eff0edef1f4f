/* A network that watches a simulator of executors and decides for it; for training also the way
 * back.
 *
 * What it sees of a stage, each number scaled to about 1: executors of the job, whether those to be
 * placed are the job's own, how many they are, work and number of the tasks to start. [Mao19, 6.1]
 * In BR_NETWORK_SPLIT the first three are of the job alone, together with its work to start and the
 * number of jobs, and of the stage there are what a planner knows, too: the longest path from it to
 * the end, the work of it and all that follows, executors that run it or are coming, and whether
 * its parents have ended. BR_NETWORK_PLANNED is also told what the planner of
 * cluster/executors/plan.h would do, the longest path that a job has to start, and how many jobs
 * have less work. Limits above what a stage needs are left out there: they do the same. Durations
 * are means of what was measured, never those of tasks to come.
 */
#ifndef BR_LEARN_LEARNER_H
#define BR_LEARN_LEARNER_H

#include "base/numbers/rng.h"
#include "cluster/executors/network/model.h"
#include "cluster/executors/network/scene.h"
#include "cluster/executors/plan.h"

struct br_learner_job;

struct br_learner {
    const struct br_model *model; /* borrowed */
    br_weight *gradient;          /* borrowed; NULL: nothing is learned */
    struct br_scene scene;
    struct br_learner_job *job; /* by number in the run */
    uint32_t jobs, job_room, scene_room, candidate_room;
    struct br_scene_candidate *candidate;
    uint32_t *stage; /* by candidate: its number in the run */
    uint32_t candidates;
    struct br_choices nodes, limits;
    uint32_t first_limit;
    struct br_executors_plan *planner; /* if the network is told what it would do; owned */
    struct br_executors_choice advice; /* what it would do */
    uint64_t computed;                 /* stages that were embedded in this run */
};

struct br_learner_choice {
    uint32_t stage, limit; /* as the simulator takes them */
    uint32_t candidate;    /* number of the stage among the candidates */
};

/* A learner of the model; gradient as above. */
void br_learner_init(struct br_learner *learner, const struct br_model *model, br_weight *gradient);
void br_learner_finish(struct br_learner *learner);
/* From the next run on it decides by these parameters, which are borrowed, instead of the model's;
 * NULL: by the model's again. Nothing is learned then. */
void br_learner_try(struct br_learner *learner, const br_weight *parameter);
/* A run begins, after the simulator's reset. BR_SYSTEM: memory. */
enum br_status br_learner_begin(struct br_learner *learner, const struct br_executors *sim,
                                struct br_diag *diag);
/* For jobs that are not known ahead, instead: makes room for so many jobs and stages, and for
 * scores; jobs that are there stay. With br_learner_arrive for every job, looking and choosing then
 * need no memory. False when memory is out. */
bool br_learner_reserve(struct br_learner *learner, uint32_t jobs, uint32_t stages,
                        uint32_t executors);
/* The job comes, which br_learner_look would see by itself; false when memory is out. */
bool br_learner_arrive(struct br_learner *learner, const struct br_executors *sim, uint32_t number);
/* It goes, and its number may be another job's before the next look. */
void br_learner_leave(struct br_learner *learner, uint32_t number);
/* Looks at the simulator and computes what has changed. Scores the stages that can be named. False
 * when memory is out. */
bool br_learner_look(struct br_learner *learner, const struct br_executors *sim);
/* After br_learner_look: does the planner leave the group where it is? Then nothing is chosen: what
 * is to be decided is BR_EXECUTORS_STAY, and a network has no say. */
static inline bool br_learner_stays(const struct br_learner *learner)
{
    return learner->planner && learner->advice.stage == BR_EXECUTORS_STAY;
}
/* The likeliest stage and limit (rng NULL), or drawn ones. After br_learner_look. False when memory
 * is out. */
bool br_learner_choose(struct br_learner *learner, const struct br_executors *sim,
                       struct br_rng *rng, struct br_learner_choice *choice);
/* Instead of choosing: takes what was chosen, such as by a teacher; false: it is none that could be
 * chosen, or memory is out. */
bool br_learner_take(struct br_learner *learner, const struct br_executors *sim, uint32_t stage,
                     uint32_t limit, struct br_learner_choice *choice);
/* After either: adds to the gradient the derivatives of
 * gain * ln(probability of the choice) + care * entropy. */
void br_learner_learn(struct br_learner *learner, const struct br_learner_choice *choice,
                      double gain, double care);
/* Sends back what waits. The run has ended. */
void br_learner_end(struct br_learner *learner);
/* The logarithm of the probability of the choice, after either. */
double br_learner_log_share(const struct br_learner *learner,
                            const struct br_learner_choice *choice);
/* Entropy of the last choice, in nats. */
double br_learner_entropy(const struct br_learner *learner);

#endif
