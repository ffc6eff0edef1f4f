/* Policies for executors that people have thought of. [Mao19, 7.1]
 *
 * Each says which job comes next and which of its stages. Those that share the cluster give every
 * job a part in proportion to its work to some power; executors that have nothing left to do on
 * their stage stay in their job while a stage of it is ready, since moving them costs time, but for
 * those beyond its part if executors yield. When all jobs have their parts, the rest goes where it
 * is the smallest excess. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/numbers/real.h"
#include "cluster/executors/rows.h"

enum order { FIFO, SHORTEST, SHARES, GRAPHENE, TETRIS, RANDOM, GIVEN };

#define TROUBLE 0.5 /* the usual threshold of what is troublesome: see is_troublesome */

struct rule {
    enum order order;
    double exponent, trouble;
    const uint32_t *given; /* of GIVEN: the order of jobs */
    struct br_rng rng;
    double *weight;      /* by job of the run */
    double *share;       /* the same: executors that are its part */
    int64_t *trouble_us; /* the same: mean durations from which stages are troublesome */
    uint32_t room;
};

static enum br_status rules_create(const struct br_executors_setup *setup, void **policy,
                                   struct br_diag *diag)
{
    *policy = NULL;
    if (setup->row->orders && !setup->order)
        return br_fail(diag, BR_USAGE, "name another policy",
                       "'%s' searches ahead, and cannot teach", setup->row->named.name);
    struct rule *rule = calloc(1, sizeof *rule);
    *policy = rule;
    if (!rule)
        return br_fail_memory(diag);
    rule->order = (enum order)setup->row->detail;
    rule->given = setup->order;
    rule->exponent = isnan(setup->number) ? setup->row->usual : setup->number;
    rule->trouble = setup->trouble > 0 ? setup->trouble : TROUBLE;
    rule->rng = br_rng_seed(setup->seed);
    return BR_OK;
}

static void rules_destroy(void *policy)
{
    struct rule *rule = policy;
    free(rule->weight);
    free(rule->share);
    free(rule->trouble_us);
    free(rule);
}

static enum br_status rules_begin(void *policy, const struct br_executors *sim,
                                  struct br_diag *diag)
{
    struct rule *rule = policy;
    if (sim->jobs > rule->room) {
        free(rule->weight);
        free(rule->share);
        free(rule->trouble_us);
        rule->trouble_us = malloc(sim->jobs * sizeof *rule->trouble_us);
        rule->weight = malloc(sim->jobs * sizeof *rule->weight);
        rule->share = malloc(sim->jobs * sizeof *rule->share);
        rule->room = rule->weight && rule->share && rule->trouble_us ? sim->jobs : 0;
        if (!rule->room)
            return br_fail_memory(diag);
    }
    for (uint32_t j = 0; j < sim->jobs; j++) {
        int64_t longest_us = 0;
        for (uint32_t s = 0; s < sim->job[j].stages; s++)
            if (sim->job[j].waves->stage[s].mean_us > longest_us)
                longest_us = sim->job[j].waves->stage[s].mean_us;
        rule->trouble_us[j] = (int64_t)((double)longest_us * rule->trouble);
        double work = (double)sim->job[j].waves->work_us;
        rule->weight[j] =
            rule->exponent == 0 ? 1 : br_real_pow(work > 1 ? work : 1, rule->exponent);
        assert(rule->weight[j] > 0);
    }
    return BR_OK;
}

/* ---- Which stage of a job ---- */

/* Do its tasks last at least that part of the longest of the job, or ask for more than that part of
 * the largest executors? The second is our reading of what is hard to pack in [Grandl16, 4.1]. */
static bool is_troublesome(const struct rule *rule, const struct br_executors *sim, uint32_t stage)
{
    const struct br_executors_options *options = &sim->options;
    const struct br_executor_stage *at = &sim->stage[stage];
    if (at->waves->mean_us >= rule->trouble_us[at->job])
        return true;
    return options->classes &&
           at->request.memory > rule->trouble * options->cls[options->classes - 1].memory;
}

/* Is the stage troublesome and has to wait, until all troublesome ones of its job that have not
 * begun can be named? [Grandl16, 4.1; Mao19, F] */
static bool suppressed(const struct rule *rule, const struct br_executors *sim, uint32_t stage)
{
    const struct br_executor_job *job = &sim->job[sim->stage[stage].job];
    if (!is_troublesome(rule, sim, stage))
        return false;
    for (uint32_t s = job->first_stage; s < job->first_stage + job->stages; s++)
        if (br_executors_need(&sim->stage[s]) && sim->stage[s].place == BR_EXECUTORS_NONE &&
            is_troublesome(rule, sim, s))
            return true;
    return false;
}

/* Is stage a to be taken before b, of the same job? First come those that can run at once, then
 * those that the group's class fits best. */
static bool rules_stage_before(const struct rule *rule, const struct br_executors *sim, uint32_t a,
                               uint32_t b)
{
    const struct br_executor_stage *x = &sim->stage[a], *y = &sim->stage[b];
    if (rule->order == GRAPHENE && suppressed(rule, sim, a) != suppressed(rule, sim, b))
        return !suppressed(rule, sim, a);
    if ((x->open == 0) != (y->open == 0))
        return x->open == 0;
    if (x->request.cls != y->request.cls)
        return x->request.cls > y->request.cls;
    bool by_path = rule->order == SHORTEST || rule->order == GIVEN;
    if (by_path && x->waves->path_us != y->waves->path_us)
        return x->waves->path_us > y->waves->path_us;
    if (!by_path && rule->order != FIFO && x->running + x->coming != y->running + y->coming)
        return x->running + x->coming < y->running + y->coming;
    return a < b;
}

/* The stage of the job that can be named and comes first; BR_EXECUTORS_NONE: there is none. */
static uint32_t rules_stage_of(const struct rule *rule, const struct br_executors *sim,
                               uint32_t job)
{
    uint32_t best = BR_EXECUTORS_NONE;
    for (uint32_t k = 0; k < sim->ready_stages; k++) {
        uint32_t stage = sim->ready[k];
        if (sim->stage[stage].job == job && br_executors_selectable(sim, stage) &&
            (best == BR_EXECUTORS_NONE || rules_stage_before(rule, sim, stage, best)))
            best = stage;
    }
    return best;
}

static bool has_stage(const struct br_executors *sim, uint32_t job)
{
    if (sim->job[job].ready == 0)
        return false;
    for (uint32_t k = 0; k < sim->ready_stages; k++)
        if (sim->stage[sim->ready[k]].job == job && br_executors_selectable(sim, sim->ready[k]))
            return true;
    return false;
}

/* ---- Which job ---- */

static struct br_executors_choice all_of(uint32_t stage, const struct br_executors *sim)
{
    return (struct br_executors_choice){stage, sim->options.executors};
}

static struct br_executors_choice next_in_order(struct rule *rule, const struct br_executors *sim)
{
    uint32_t best = BR_EXECUTORS_NONE;
    for (uint32_t k = 0; k < sim->live_jobs; k++) {
        uint32_t job = sim->live[k];
        if (!has_stage(sim, job))
            continue;
        if (best == BR_EXECUTORS_NONE ||
            (rule->order == SHORTEST &&
             sim->job[job].waves->work_us < sim->job[best].waves->work_us))
            best = job;
    }
    assert(best != BR_EXECUTORS_NONE);
    return all_of(rules_stage_of(rule, sim, best), sim);
}

/* The first job in the order that can use executors. */
static struct br_executors_choice next_given(const struct rule *rule,
                                             const struct br_executors *sim)
{
    assert(rule->given);
    uint32_t place = 0;
    while (place < sim->jobs && !has_stage(sim, rule->given[place]))
        place++;
    assert(place < sim->jobs);
    return all_of(rules_stage_of(rule, sim, rule->given[place]), sim);
}

/* The stage with the largest product of what a task requests and what the group has: so the one
 * that asks for the most memory; of equals, such as when all executors are alike, the one that
 * takes the most of the group. [Grandl14; Mao19, 7.1] */
static struct br_executors_choice most_packed(const struct br_executors *sim)
{
    uint32_t best = BR_EXECUTORS_NONE;
    for (uint32_t k = 0; k < sim->ready_stages; k++) {
        uint32_t stage = sim->ready[k], need = br_executors_need(&sim->stage[stage]);
        if (!br_executors_selectable(sim, stage))
            continue;
        const struct br_executor_stage *at = &sim->stage[stage],
                                       *than = best == BR_EXECUTORS_NONE ? NULL : &sim->stage[best];
        uint32_t most = than ? br_executors_need(than) : 0;
        if (!than || at->request.memory > than->request.memory ||
            (at->request.memory == than->request.memory &&
             (need > most || (need == most && stage < best))))
            best = stage;
    }
    assert(best != BR_EXECUTORS_NONE);
    return all_of(best, sim);
}

static struct br_executors_choice rules_any(struct rule *rule, const struct br_executors *sim)
{
    uint32_t count = 0, nth;
    for (uint32_t k = 0; k < sim->ready_stages; k++)
        count += br_executors_selectable(sim, sim->ready[k]);
    assert(count);
    nth = (uint32_t)br_rng_below(&rule->rng, count);
    for (uint32_t k = 0; k < sim->ready_stages; k++)
        if (br_executors_selectable(sim, sim->ready[k]) && nth-- == 0) {
            uint32_t stage = sim->ready[k], held = br_executors_held(sim, sim->stage[stage].job);
            return (struct br_executors_choice){
                stage, held + 1 + (uint32_t)br_rng_below(&rule->rng, sim->group.count)};
        }
    assert(!"one of them is the n-th");
    return (struct br_executors_choice){BR_EXECUTORS_STAY, 0};
}

/* Parts of all jobs that have something to start. */
static void set_shares(struct rule *rule, const struct br_executors *sim)
{
    double sum = 0;
    for (uint32_t k = 0; k < sim->live_jobs; k++)
        if (sim->job[sim->live[k]].to_start)
            sum += rule->weight[sim->live[k]];
    for (uint32_t k = 0; k < sim->live_jobs; k++) {
        uint32_t job = sim->live[k];
        rule->share[job] =
            sim->job[job].to_start ? sim->options.executors * rule->weight[job] / sum : 0;
    }
}

/* If executors yield: has the job its part without those that are asked about? */
static bool gives_up(const struct rule *rule, const struct br_executors *sim, uint32_t job)
{
    return sim->options.yields && br_executors_held(sim, job) >= rule->share[job];
}

static struct br_executors_choice by_shares(struct rule *rule, const struct br_executors *sim)
{
    uint32_t own = sim->group.job, best = BR_EXECUTORS_NONE;
    double least = INFINITY;
    set_shares(rule, sim);
    if (own != BR_EXECUTORS_NONE && sim->job[own].ready && !gives_up(rule, sim, own)) {
        uint32_t stage = rules_stage_of(rule, sim, own);
        if (stage != BR_EXECUTORS_NONE)
            return all_of(stage, sim);
    }
    for (uint32_t k = 0; k < sim->live_jobs; k++) {
        uint32_t job = sim->live[k];
        double held = br_executors_held(sim, job) / rule->share[job];
        if (has_stage(sim, job) && held < least) {
            least = held;
            best = job;
        }
    }
    assert(best != BR_EXECUTORS_NONE);
    assert(rule->share[best] > 0);
    uint32_t held = br_executors_held(sim, best), part = (uint32_t)ceil(rule->share[best]);
    return (struct br_executors_choice){rules_stage_of(rule, sim, best),
                                        part > held ? part : held + 1};
}

static struct br_executors_choice rules_decide(void *policy, const struct br_executors *sim)
{
    struct rule *rule = policy;
    switch (rule->order) {
    case TETRIS:
        return most_packed(sim);
    case SHARES:
    case GRAPHENE:
        return by_shares(rule, sim);
    case RANDOM:
        return rules_any(rule, sim);
    case GIVEN:
        return next_given(rule, sim);
    case FIFO:
    case SHORTEST:
        break;
    }
    return next_in_order(rule, sim);
}

/* ---- Policies ---- */

#define RULE(which, exponent)                                                                      \
    .detail = (which), .usual = (exponent), .create = rules_create, .begin = rules_begin,          \
    .decide = rules_decide, .destroy = rules_destroy

const struct br_executors_row br_executors_policy_fifo = {
    .named = {"fifo", "first come first served, all executors to a job"}, RULE(FIFO, 0)};

const struct br_executors_row br_executors_policy_sjf_cp = {
    .named = {"sjf-cp", "the job with the least work, by its critical path"}, RULE(SHORTEST, 0)};

const struct br_executors_row br_executors_policy_fair = {
    .named = {"fair", "every job the same number of executors"}, RULE(SHARES, 0)};

const struct br_executors_row br_executors_policy_weighted_fair_naive = {
    .named = {"weighted-fair-naive", "executors in proportion to a job's work"}, RULE(SHARES, 1)};

const struct br_executors_row br_executors_policy_weighted_fair = {
    .named = {"weighted-fair", "executors in proportion to work^NUMBER, -1 unless given"},
    .number = "the exponent of a job's work",
    RULE(SHARES, -1)};

const struct br_executors_row br_executors_policy_weighted_fair_tuned = {
    .named = {"weighted-fair-tuned",
              "weighted-fair with the exponent from -2 to 2 that serves this workload best"},
    .least = -2,
    .most = 2,
    .step = 0.1,
    RULE(SHARES, 0)};

const struct br_executors_row br_executors_policy_tetris = {
    .named = {"tetris", "the stage that takes the most executors, as many as it needs"},
    RULE(TETRIS, 0)};

const struct br_executors_row br_executors_policy_graphene = {
    .named = {"graphene", "weighted-fair, troublesome stages of a job together [Mao19, F]"},
    .number = "the exponent of a job's work",
    RULE(GRAPHENE, -1)};

const struct br_executors_row br_executors_policy_graphene_tuned = {
    .named = {"graphene-tuned",
              "graphene with the exponent from -2 to 2 and the threshold that serve this workload "
              "best"},
    .least = -2,
    .most = 2,
    .step = 0.1,
    .troubles = 3,
    RULE(GRAPHENE, 0)};

const struct br_executors_row br_executors_policy_order_search = {
    .named = {"order-search",
              "the order of up to 10 jobs that is the best of all, each job by its critical path"},
    .orders = true,
    RULE(GIVEN, 0)};

const struct br_executors_row br_executors_policy_random = {
    .named = {"random", "any stage, any number of executors"}, RULE(RANDOM, 0)};
