/* The network of a learned policy: which small networks it is made of, and where their parameters
 * stand. [Mao19, 5.1, 5.2]
 *
 *     e_v = encode(x_v) + g(sum of f(e_u) over the stages u that wait for v)
 *     y_i = summary of all e_v of job i, z = summary of all y_i
 *     q(e_v, y_i, z): score of starting stage v next
 *     w(y_i, z, l):   score of letting its job have up to l executors
 *
 * Messages run against the edges, from the last stages to the first, so that a stage knows of the
 * work that waits for it.
 *
 * Three forms. BR_NETWORK_CODE is that of the authors' public simulator: summaries are plain sums
 * of one network's outputs, which also sees the features, as the scores do. BR_NETWORK_PAPER is
 * that of the printed text: summaries have two levels like messages, and scores see embeddings
 * only. Hidden layers of 16 and 8 give the first 4,770 parameters. Those of 32 and 16 give the
 * second the printed 12,736, where `encode` has no biases and scores have none in their last layer
 * (a softmax does not see it); the text does not say how its number comes about.
 *
 * BR_NETWORK_SPLIT is ours. In the other two all stages of a job are given what is true of the job
 * (its executors, and those to be placed), so that one event changes every embedding. Here that
 * goes to the scores alone. A stage is given what is its own, and what a planner knows of it; an
 * event changes few embeddings, and a decision costs a fraction.
 *
 * BR_NETWORK_PLANNED is that, and is told of a planner: of a job, how many executors that would
 * give it; of a stage and a limit, whether that would choose it now. What it would choose gets so
 * much more of a score that a network that has learned nothing decides as the planner does. The
 * numbers of the planner's rule are parameters, too, behind all others; derivatives by them are 0.
 */
#ifndef BR_LEARN_NETWORK_H
#define BR_LEARN_NETWORK_H

#include "base/text/named.h"
#include "cluster/executors/network/dense.h"

enum br_network_form { BR_NETWORK_CODE, BR_NETWORK_PAPER, BR_NETWORK_SPLIT, BR_NETWORK_PLANNED };
enum { BR_NETWORK_FORMS = 4 };
extern const struct br_names br_network_forms; /* by the enum */
/* Numbers that it is given of a stage and of a job; see cluster/executors/policy/learner.h. */
uint32_t br_network_node_features(enum br_network_form form);
uint32_t br_network_job_features(enum br_network_form form);

/* The small networks. The second levels of summaries are empty (no layers) in BR_NETWORK_CODE. */
enum br_part {
    BR_ENCODE,
    BR_MESSAGE,    /* f of stages */
    BR_RECEIVE,    /* g of stages */
    BR_JOB_INNER,  /* f of jobs */
    BR_JOB_OUTER,  /* g of jobs */
    BR_ALL_INNER,  /* f of the whole */
    BR_ALL_OUTER,  /* g of the whole */
    BR_SCORE_NODE, /* q */
    BR_SCORE_LIMIT /* w */
};
enum { BR_PARTS = 9 };

/* The shape of a network: its form, layers and inputs. */
struct br_network_shape {
    enum br_network_form form;
    uint32_t node_features, job_features;
    uint32_t hidden[2]; /* multiples of BR_LANE */
    uint32_t embedded;  /* numbers of an embedding; a multiple of BR_LANE */
    /* One level of aggregation only, as others have it: g is left out. To show what it costs. */
    bool one_level;
    uint32_t without; /* enum br_without: parts that are left out, to show what they are worth */
};
/* [Mao19, Fig. 14] Without the graph a stage hears nothing of those that wait for it; without
 * limits a job may have all executors of the group. Sizes stay. */
enum br_without { BR_WITHOUT_GRAPH = 1, BR_WITHOUT_LIMITS = 2, BR_WITHOUT_ALL = 3 };
enum {
    BR_NETWORK_FEATURES = 32,
    BR_EMBEDDED_MOST = 32,
    BR_STAGE_ADVICE = 3,
    BR_LIMIT_ADVICE = 3,
    BR_PLAN_PARAMETERS = 28,
    BR_PLAN_PARAMETERS_LEAST = 18 /* of models that were made before there were more */
};

struct br_network {
    struct br_network_shape shape;
    struct br_dense part[BR_PARTS];
    uint32_t parameters;                /* of all parts */
    uint32_t node_inputs, limit_inputs; /* numbers that the scores look at */
    /* Features that the scores look at beside embeddings: of the stage, of its job, and of the job
     * for the limit. */
    uint32_t node_own, node_job, limit_job;
    /* How many numbers of a planner's advice a stage and a limit have: BR_STAGE_ADVICE and
     * BR_LIMIT_ADVICE, or 0. */
    uint32_t stage_advice, limit_advice;
    uint32_t plan, plan_parameters; /* the planner's numbers: the first, and how many; or 0 */
};

/* The two known sizes, and ours. */
struct br_network_shape br_network_shape_code(void);
struct br_network_shape br_network_shape_paper(void);
struct br_network_shape br_network_shape_split(void);
struct br_network_shape br_network_shape_planned(void);
/* Scores that the planner's choice has ahead: if up to some 20 stages, and 50 limits, can be
 * chosen, drawn decisions follow it in nearly all cases, and try others in some. */
#define BR_STAGE_TRUST 7.0
#define BR_LIMIT_TRUST 8.0
/* BR_BAD_INPUT: a width that is out of its range. */
enum br_status br_network_init(struct br_network *network, const struct br_network_shape *shape,
                               struct br_diag *diag);
/* Random weights [Glorot10] from the seed; biases and the planner's numbers are 0. */
void br_network_draw(const struct br_network *network, uint64_t seed, br_weight *parameter);

#endif
