#include "cluster/executors/policy/learned.h"

#include <math.h>
#include <stdlib.h>

#include "cluster/executors/policy/learner.h"

struct learned {
    struct br_learner learner;
    struct br_rng rng;
    bool draws;
};

static enum br_status learned_create(const struct br_executors_setup *setup, void **policy,
                                     struct br_diag *diag)
{
    if (!setup->model)
        return br_fail(diag, BR_USAGE, "give the model by --model FILE; 'bigrocks train' makes one",
                       "the policy 'learned' has no model");
    if (!isnan(setup->number) && setup->number != 0 && setup->number != 1)
        return br_fail(diag, BR_USAGE, "0: the likeliest; 1: drawn", "learned=N takes 0 or 1");
    struct learned *learned = calloc(1, sizeof *learned);
    if (!learned)
        return br_fail_memory(diag);
    br_learner_init(&learned->learner, setup->model, NULL);
    learned->rng = br_rng_seed(setup->seed);
    learned->draws = setup->number == 1;
    *policy = learned;
    return BR_OK;
}

static enum br_status learned_begin(void *policy, const struct br_executors *sim,
                                    struct br_diag *diag)
{
    struct learned *learned = policy;
    return br_learner_begin(&learned->learner, sim, diag);
}

/* If memory is out: the first stage that can be named, with all executors. */
static struct br_executors_choice learned_decide(void *policy, const struct br_executors *sim)
{
    struct learned *learned = policy;
    struct br_learner_choice choice;
    bool looked = br_learner_look(&learned->learner, sim);
    if (looked && br_learner_stays(&learned->learner))
        return (struct br_executors_choice){BR_EXECUTORS_STAY, 0};
    if (looked &&
        br_learner_choose(&learned->learner, sim, learned->draws ? &learned->rng : NULL, &choice))
        return (struct br_executors_choice){choice.stage, choice.limit};
    for (uint32_t k = 0; k < sim->ready_stages; k++)
        if (br_executors_selectable(sim, sim->ready[k]))
            return (struct br_executors_choice){sim->ready[k], sim->options.executors};
    return (struct br_executors_choice){BR_EXECUTORS_STAY, 0};
}

static void learned_destroy(void *policy)
{
    struct learned *learned = policy;
    if (learned)
        br_learner_finish(&learned->learner);
    free(learned);
}

const struct br_executors_row br_executors_policy_learned = {
    .named = {"learned", "a trained model (--model) decides"},
    .number = "1: drawn by the model's probabilities; 0: the likeliest",
    .create = learned_create,
    .begin = learned_begin,
    .decide = learned_decide,
    .destroy = learned_destroy,
};
