/* Training: an iteration is some episodes of one sequence of arrivals, their gains, and a step of
 * Adam. [Mao19, 5.3, C] Or episodes in pairs, each pair with arrivals of its own, of which one runs
 * with parameters changed at random and the other with the opposite change; the step goes to where
 * they cost less [Salimans17]. That takes the likeliest decisions, and needs no derivatives.
 *
 * Everything that an iteration draws comes from the seed and the iteration's number, and gradients
 * are added in the order of the episodes. So a run that is taken up again goes on as it would have,
 * and any number of threads gives the same model to the byte. */
#ifndef BR_LEARN_TRAINER_H
#define BR_LEARN_TRAINER_H

#include <bigrocks/stop.h>

#include "cluster/executors/network/adam.h"
#include "cluster/executors/train/episode.h"

struct br_dag;

enum br_train_method {
    BR_REINFORCE,
    BR_EVOLVE /* changes the numbers of the planner's rule; all weights if there are none */
};
enum { BR_TRAIN_METHODS = 2 };

struct br_train_options {
    struct br_network_shape shape;
    enum br_train_method method;
    double reach; /* of BR_EVOLVE: the spread of what parameters are changed by */
    struct br_executors_options cluster;
    enum br_training_objective objective;
    uint64_t seed;
    uint32_t threads, episodes; /* episodes: of an iteration */
    uint32_t jobs;              /* of an episode */
    bool draw_requests;         /* if the cluster has classes: stages that demand no memory ask for
                                   a random part of the largest class */
    /* Mean of Poisson arrivals; 0: all at once. With a last one, above the first, each sequence of
     * arrivals draws its own evenly from the first to the last [Mao19, Table 2]. */
    int64_t interarrival_ns, last_interarrival_ns;
    uint64_t iterations;    /* in all; the schedules below reach their ends there */
    double rate, last_rate; /* of Adam, at the start and at the end */
    double care, last_care; /* weight of the entropy, at the start and at the end */
    /* Mean length of episodes, which end at a time drawn without memory [Mao19, 5.3]; grows evenly
     * from the first to the last. 0: episodes end with their jobs. */
    int64_t length_ns, last_length_ns;
    double horizon_s;  /* of gains; 0: none */
    double most_shift; /* of decisions by a step of BR_REINFORCE, see br_episode_compare; 0: any */
    bool own_arrivals; /* every episode has its own: what that costs [Mao19, Fig. 14] */
    double longest;    /* of gradients; 0: as they are */
    /* First so many iterations learn to do what this policy does. */
    const struct br_executors_row *teacher;
    double teacher_number;
    uint64_t taught;
};
struct br_train_options br_train_options_default(void);
/* BR_USAGE with what is out of its range. */
enum br_status br_train_options_check(const struct br_train_options *options, struct br_diag *diag);
/* A number that differs if what is trained does. Threads do not count, nor does the number of
 * iterations if nothing is to change evenly over all of them: more can be added then. */
uint64_t br_train_options_fingerprint(const struct br_train_options *options);

/* The jobs that episodes are drawn from; borrowed. */
struct br_train_jobs {
    const struct br_waves *const *waves;
    uint32_t count;
    const struct br_dag *const *dag; /* for what their stages demand of memory; NULL: nothing */
    const int64_t *deadline_ns;      /* after their arrival, above 0; NULL: they have none */
};

/* The result of an iteration. */
struct br_train_report {
    uint64_t iteration; /* from 1 on */
    double mean_cost_s; /* of a job: mean completion time, or the makespan */
    double entropy;     /* mean of a decision, in nats */
    double decisions;   /* mean of an episode */
    double length;      /* of the gradient */
    double shift;       /* mean of a decision, if it is limited */
    bool taught, moved; /* by the teacher; false: the gradient was not finite */
};

struct br_trainer {
    struct br_train_options options;
    struct br_train_jobs jobs;
    struct br_model model;
    struct br_adam adam;
    uint64_t iteration; /* done */
    double usual_rate;  /* moving average of the cost of a second */
    struct br_episode *episode;
    struct br_executors_arrival *arrival; /* of all episodes */
    struct br_executor_request *request;  /* of these, `stages` each; NULL: nothing is asked for */
    uint32_t stages;                      /* that a job has, at most */
    uint64_t asked;                       /* a sum over what the jobs ask for; 0: nothing */
    double *gradient;
    br_weight *tried;  /* of BR_EVOLVE: parameters by episode */
    br_weight *before; /* parameters before the last step */
};

/* An untrained model. BR_USAGE, BR_SYSTEM; br_trainer_finish is due in any case. */
enum br_status br_trainer_init(struct br_trainer *trainer, const struct br_train_options *options,
                               struct br_train_jobs jobs, struct br_diag *diag);
void br_trainer_finish(struct br_trainer *trainer);
/* One iteration. */
enum br_status br_trainer_step(struct br_trainer *trainer, struct br_train_report *report,
                               struct br_diag *diag);
/* The mean cost of a job, with the likeliest decisions, over `sequences` sequences of arrivals of
 * their own seed. Does not change what is trained. */
enum br_status br_trainer_try(struct br_trainer *trainer, uint32_t sequences, uint64_t seed,
                              double *mean_cost_s, struct br_diag *diag);

#endif
