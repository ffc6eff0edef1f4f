/* One episode: a run of the simulator in which a learner decides, and the decisions are kept; and
 * the same run once more, in which it learns.
 *
 * The second run makes the same decisions and therefore is the same run, so nothing of what the
 * network saw has to be kept: a few numbers for each decision. */
#ifndef BR_LEARN_EPISODE_H
#define BR_LEARN_EPISODE_H

#include "cluster/executors/policy/learner.h"
#include "cluster/executors/policy.h"

enum br_training_objective {
    BR_MEAN_COMPLETION, /* of jobs: the cost of a moment is the number of jobs that are there */
    BR_MAKESPAN,        /* the cost of a moment is 1 */
    BR_MISSES           /* a deadline that passes while its job is there costs 1 */
};
enum { BR_OBJECTIVES = 3 };

struct br_episode_step {
    int64_t now_ns;
    double cost;           /* until now */
    uint32_t stage, limit; /* that were decided */
    double log_share;      /* of its probability */
    double left;           /* what the jobs there will still cost, as it looks; 0: not asked */
    double after;          /* see br_episodes_gains */
    double gain;           /* of its probability; see br_episodes_gains */
};

struct br_episode {
    struct br_executors *sim; /* owned */
    struct br_learner learner;
    br_weight *gradient; /* owned; of the last br_episode_learn or br_episode_follow */
    struct br_episode_step *step;
    uint32_t steps, room;
    int64_t end_ns;
    double cost, entropy; /* of all; mean of all decisions */
    double shift;         /* of br_episode_compare: sum of all decisions */
    uint32_t ended_jobs;
};

/* The jobs, the cluster and the options of an episode. */
struct br_episode_run {
    const struct br_executors_arrival *arrival;
    uint32_t jobs;
    int64_t until_ns; /* BR_NEVER: to its end */
    enum br_training_objective objective;
    bool foresees; /* `left` is wanted */
};

/* BR_SYSTEM: memory; br_episode_finish is due in any case. */
enum br_status br_episode_init(struct br_episode *episode, const struct br_model *model,
                               const struct br_executors_options *options, struct br_diag *diag);
void br_episode_finish(struct br_episode *episode);

/* Runs it with drawn decisions (`draws`), or with the likeliest. BR_SYSTEM: memory. */
enum br_status br_episode_play(struct br_episode *episode, const struct br_episode_run *run,
                               bool draws, uint64_t seed, struct br_diag *diag);
/* Runs it again: the gradient of the sum over decisions of gain * ln probability + care * entropy.
 */
enum br_status br_episode_learn(struct br_episode *episode, const struct br_episode_run *run,
                                double care, struct br_diag *diag);
/* Runs the episode again after the model has changed, and estimates the relative entropy of its
 * decisions: the sum of q - 1 - ln q over decisions, q being the probability now over the
 * probability when it was played. Never below 0; 0: nothing has changed. */
enum br_status br_episode_compare(struct br_episode *episode, const struct br_episode_run *run,
                                  struct br_diag *diag);
/* Runs it with the decisions of another policy: the gradient of the sum of the logarithms of their
 * probabilities. */
enum br_status br_episode_follow(struct br_episode *episode, const struct br_episode_run *run,
                                 const struct br_executors_setup *teacher, struct br_diag *diag);

/* Gains of all steps of episodes of one sequence of arrivals: how much less they cost from that
 * step on than the mean of all from that time on [Mao19, 5.3], over the spread of all these. The
 * mean is of this very sequence, so that its own difficulty does not count. `rate` is the usual
 * cost of a second, by which longer episodes are not dearer than shorter ones [Mao19, B]; 0: none.
 * O(steps * episodes). False when memory is out.
 *
 * With a horizon (in seconds; 0: none) costs count the less the later they come, by
 * exp(-time / horizon), together with changes of `left`, which stands for what comes after. */
bool br_episodes_gains(struct br_episode *episode, uint32_t episodes, double rate, double horizon);

#endif
