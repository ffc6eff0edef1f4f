/* Playing and learning. */
#include "cluster/executors/train/episode.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/numbers/real.h"

enum br_status br_episode_init(struct br_episode *episode, const struct br_model *model,
                               const struct br_executors_options *options, struct br_diag *diag)
{
    *episode = (struct br_episode){0};
    episode->sim = br_executors_create(options);
    episode->gradient = calloc(model->network.parameters, sizeof *episode->gradient);
    br_learner_init(&episode->learner, model, NULL);
    return episode->sim && episode->gradient ? BR_OK : br_fail_memory(diag);
}

void br_episode_finish(struct br_episode *episode)
{
    br_learner_finish(&episode->learner);
    br_executors_destroy(episode->sim);
    free(episode->gradient);
    free(episode->step);
    *episode = (struct br_episode){0};
}

static double cost_of(const struct br_executors *sim, enum br_training_objective objective)
{
    if (objective == BR_MISSES)
        return br_executors_missed(sim);
    return objective == BR_MAKESPAN ? (double)sim->now_ns * 1e-9 : (double)sim->jobs_time_ns * 1e-9;
}

static enum br_status episode_begin(struct br_episode *episode, const struct br_episode_run *run,
                                    br_weight *gradient, struct br_diag *diag)
{
    struct br_learner *learner = &episode->learner;
    const struct br_executors_run limits = {.until_ns = run->until_ns};
    br_learner_end(learner);
    learner->gradient = learner->scene.gradient = gradient;
    if (gradient)
        memset(gradient, 0, learner->model->network.parameters * sizeof *gradient);
    enum br_status status =
        br_executors_reset(episode->sim, run->arrival, run->jobs, &limits, diag);
    return status ? status : br_learner_begin(learner, episode->sim, diag);
}

static enum br_status episode_end(struct br_episode *episode, const struct br_episode_run *run,
                                  bool complete, struct br_diag *diag)
{
    br_learner_end(&episode->learner);
    episode->end_ns = episode->sim->now_ns;
    episode->cost = cost_of(episode->sim, run->objective);
    episode->ended_jobs = episode->sim->ended_jobs;
    return complete && !br_executors_status(episode->sim) ? BR_OK : br_fail_memory(diag);
}

/* A rough cost of the live jobs from now on: all executors run the job with the least work left,
 * then the next. Running tasks count as half done. O(stages + jobs^2). */
static double episode_left_of(const struct br_executors *sim, enum br_training_objective objective)
{
    double cost = 0;
    for (uint32_t k = 0; k < sim->live_jobs; k++) {
        const struct br_executor_job *job = &sim->job[sim->live[k]];
        double running = 0;
        uint32_t behind = 1;
        for (uint32_t s = 0; s < job->stages; s++) {
            const struct br_executor_stage *stage = &sim->stage[job->first_stage + s];
            running += (double)stage->waves->mean_us * (stage->started - stage->ended) / 2;
        }
        for (uint32_t i = 0; i < sim->live_jobs; i++)
            behind += sim->job[sim->live[i]].left_us > job->left_us;
        cost += ((double)job->left_us + running) * (objective == BR_MAKESPAN ? 1 : behind);
    }
    return cost * 1e-6 / sim->options.executors;
}

/* Runs to the next decision that was a step. */
static bool episode_next_step(struct br_episode *episode, bool *complete)
{
    struct br_executors *sim = episode->sim;
    while (br_executors_next(sim)) {
        *complete = br_learner_look(&episode->learner, sim);
        if (!*complete || !br_learner_stays(&episode->learner))
            return *complete;
        br_executors_decide(sim, BR_EXECUTORS_STAY, 0);
    }
    return false;
}

/* One decision of the network's own; false when memory is out. */
static bool episode_decide(struct br_episode *episode, const struct br_episode_run *run,
                           struct br_rng *rng)
{
    struct br_executors *sim = episode->sim;
    struct br_learner_choice choice;
    if (!br_learner_look(&episode->learner, sim))
        return false;
    if (br_learner_stays(&episode->learner)) {
        br_executors_decide(sim, BR_EXECUTORS_STAY, 0);
        return true;
    }
    if (!br_learner_choose(&episode->learner, sim, rng, &choice) ||
        !br_grow(&episode->step, episode->steps, &episode->room, sizeof *episode->step))
        return false;
    episode->entropy += br_learner_entropy(&episode->learner);
    episode->step[episode->steps++] =
        (struct br_episode_step){.now_ns = sim->now_ns,
                                 .cost = cost_of(sim, run->objective),
                                 .left = run->foresees ? episode_left_of(sim, run->objective) : 0,
                                 .log_share = br_learner_log_share(&episode->learner, &choice),
                                 .stage = choice.stage,
                                 .limit = choice.limit};
    br_executors_decide(sim, choice.stage, choice.limit);
    return true;
}

enum br_status br_episode_play(struct br_episode *episode, const struct br_episode_run *run,
                               bool draws, uint64_t seed, struct br_diag *diag)
{
    struct br_rng rng = br_rng_seed(seed);
    enum br_status status = episode_begin(episode, run, NULL, diag);
    bool complete = true;
    if (status)
        return status;
    episode->steps = 0;
    episode->entropy = 0;
    while (complete && br_executors_next(episode->sim))
        complete = episode_decide(episode, run, draws ? &rng : NULL);
    episode->entropy /= episode->steps ? episode->steps : 1;
    return episode_end(episode, run, complete, diag);
}

/* Learns one decision, after a look, and makes it. */
static bool repeat(struct br_episode *episode, uint32_t stage, uint32_t limit, double gain,
                   double care)
{
    struct br_learner *learner = &episode->learner;
    struct br_learner_choice choice;
    if (!br_learner_take(learner, episode->sim, stage, limit, &choice))
        return false;
    br_learner_learn(learner, &choice, gain, care);
    br_executors_decide(episode->sim, stage, limit);
    return true;
}

enum br_status br_episode_learn(struct br_episode *episode, const struct br_episode_run *run,
                                double care, struct br_diag *diag)
{
    enum br_status status = episode_begin(episode, run, episode->gradient, diag);
    bool complete = true;
    if (status)
        return status;
    for (uint32_t k = 0; complete && k < episode->steps && episode_next_step(episode, &complete);
         k++) {
        const struct br_episode_step *step = &episode->step[k];
        complete = repeat(episode, step->stage, step->limit, step->gain, care);
    }
    if (complete)
        complete = !episode_next_step(episode, &complete) && complete;
    return episode_end(episode, run, complete, diag);
}

/* The decision of a step once more, after a look; adds its shift. */
static bool episode_weigh(struct br_episode *episode, const struct br_episode_step *step)
{
    struct br_learner *learner = &episode->learner;
    struct br_learner_choice choice;
    if (!br_learner_take(learner, episode->sim, step->stage, step->limit, &choice))
        return false;
    double change = br_learner_log_share(learner, &choice) - step->log_share;
    change = change < 50 ? change : 50;
    episode->shift += br_real_exp(change) - 1 - change;
    br_executors_decide(episode->sim, step->stage, step->limit);
    return true;
}

enum br_status br_episode_compare(struct br_episode *episode, const struct br_episode_run *run,
                                  struct br_diag *diag)
{
    enum br_status status = episode_begin(episode, run, NULL, diag);
    bool complete = true;
    episode->shift = 0;
    if (status)
        return status;
    for (uint32_t k = 0; complete && k < episode->steps && episode_next_step(episode, &complete);
         k++)
        complete = episode_weigh(episode, &episode->step[k]);
    if (complete)
        complete = !episode_next_step(episode, &complete) && complete;
    return episode_end(episode, run, complete, diag);
}

enum br_status br_episode_follow(struct br_episode *episode, const struct br_episode_run *run,
                                 const struct br_executors_setup *teacher, struct br_diag *diag)
{
    void *policy = NULL;
    enum br_status status = episode_begin(episode, run, episode->gradient, diag);
    bool complete = true;
    if (!status)
        status = teacher->row->create(teacher, &policy, diag);
    if (!status && teacher->row->begin)
        status = teacher->row->begin(policy, episode->sim, diag);
    episode->steps = 0;
    while (!status && complete && br_executors_next(episode->sim)) {
        struct br_executors_choice told = teacher->row->decide(policy, episode->sim);
        if (told.stage == BR_EXECUTORS_STAY) {
            br_executors_decide(episode->sim, told.stage, told.limit);
            continue;
        }
        complete = br_learner_look(&episode->learner, episode->sim) &&
                   repeat(episode, told.stage, told.limit, 1, 0);
        episode->steps++;
    }
    if (policy)
        teacher->row->destroy(policy);
    return status ? status : episode_end(episode, run, complete, diag);
}

/* ---- Gains ---- */

/* The cost at a step: so far and left, less `rate` for each second. */
static double sum_at(const struct br_episode *episode, uint32_t step, double rate)
{
    assert(step <= episode->steps);
    if (step == episode->steps)
        return episode->cost - rate * (double)episode->end_ns * 1e-9;
    const struct br_episode_step *at = &episode->step[step];
    return at->cost + at->left - rate * (double)at->now_ns * 1e-9;
}

static int64_t time_at(const struct br_episode *episode, uint32_t step)
{
    assert(step <= episode->steps);
    return step == episode->steps ? episode->end_ns : episode->step[step].now_ns;
}

/* How much counts after so long, and on average until then. */
static double fade(double seconds, double horizon, double *mean)
{
    assert(seconds >= 0);
    double times = horizon > 0 ? seconds / horizon : 0;
    if (times < 1e-6) {
        *mean = 1;
        return 1;
    }
    double left = times < 500 ? br_real_exp(-times) : 0;
    *mean = (1 - left) / times;
    return left;
}

/* Fills `after`: what comes after each step, faded. */
static void episode_look_ahead(struct br_episode *episode, double rate, double horizon)
{
    double after = 0;
    for (uint32_t k = episode->steps; k-- > 0;) {
        double mean, change = sum_at(episode, k + 1, rate) - sum_at(episode, k, rate);
        double seconds = (double)(time_at(episode, k + 1) - time_at(episode, k)) * 1e-9;
        assert(seconds >= 0);
        double left = fade(seconds, horizon, &mean);
        after = change * mean + after * left;
        episode->step[k].after = after;
    }
}

/* sum_at for any time; `*at` is the number of steps up to it, and moves with times that ascend.
 * Between two steps costs grow evenly. */
static double episode_after(const struct br_episode *episode, int64_t now_ns, double rate,
                            double horizon, uint32_t *at)
{
    if (now_ns >= episode->end_ns || !episode->steps)
        return 0;
    while (*at < episode->steps && episode->step[*at].now_ns <= now_ns)
        ++*at;
    int64_t to_ns = time_at(episode, *at), from_ns = *at ? time_at(episode, *at - 1) : 0;
    assert(from_ns <= now_ns && now_ns < to_ns);
    double from = *at ? sum_at(episode, *at - 1, rate) : 0;
    double change = sum_at(episode, *at, rate) - from, mean;
    double share = (double)(to_ns - now_ns) / (double)(to_ns - from_ns);
    double left = fade((double)(to_ns - now_ns) * 1e-9, horizon, &mean);
    return change * share * mean + left * (*at < episode->steps ? episode->step[*at].after : 0);
}

/* The cost of the episode from a time on, without discount. */
static double cost_from(const struct br_episode *episode, int64_t now_ns, uint32_t *at)
{
    const struct br_episode_step *step = episode->step;
    if (now_ns >= episode->end_ns || !episode->steps)
        return 0;
    while (*at < episode->steps && step[*at].now_ns <= now_ns)
        ++*at;
    double before = *at ? step[*at - 1].cost : 0;
    double then = *at < episode->steps ? step[*at].cost : episode->cost;
    int64_t from = *at ? step[*at - 1].now_ns : 0, to = time_at(episode, *at);
    assert(from <= now_ns && now_ns < to);
    double share = to > from ? (double)(now_ns - from) / (double)(to - from) : 0;
    return episode->cost - (before + (then - before) * share);
}

static double excess(const struct br_episode *episode, int64_t now_ns, double rate, uint32_t *at)
{
    double left_s = now_ns < episode->end_ns ? (double)(episode->end_ns - now_ns) * 1e-9 : 0;
    return cost_from(episode, now_ns, at) - rate * left_s;
}

/* The gains of one episode's steps, not yet over their spread. */
static void episode_compare(struct br_episode *episode, uint32_t episodes, uint32_t own,
                            double rate, double horizon, uint32_t *at)
{
    memset(at, 0, episodes * sizeof *at);
    for (uint32_t k = 0; k < episode[own].steps; k++) {
        struct br_episode_step *step = &episode[own].step[k];
        double sum = 0, mine = 0;
        for (uint32_t i = 0; i < episodes; i++) {
            double cost = !(horizon > 0) ? excess(&episode[i], step->now_ns, rate, &at[i])
                          : i == own
                              ? step->after
                              : episode_after(&episode[i], step->now_ns, rate, horizon, &at[i]);
            sum += cost;
            mine = i == own ? cost : mine;
        }
        step->gain = sum / episodes - mine;
    }
}

bool br_episodes_gains(struct br_episode *episode, uint32_t episodes, double rate, double horizon)
{
    uint32_t *at = calloc(episodes, sizeof *at);
    double square = 0;
    uint64_t steps = 0;
    if (!at)
        return false;
    for (uint32_t i = 0; horizon > 0 && i < episodes; i++)
        episode_look_ahead(&episode[i], rate, horizon);
    for (uint32_t i = 0; i < episodes; i++) {
        episode_compare(episode, episodes, i, rate, horizon, at);
        for (uint32_t k = 0; k < episode[i].steps; k++)
            square += episode[i].step[k].gain * episode[i].step[k].gain;
        steps += episode[i].steps;
    }
    free(at);
    double spread = steps ? sqrt(square / (double)steps) : 0;
    for (uint32_t i = 0; i < episodes; i++)
        for (uint32_t k = 0; k < episode[i].steps; k++)
            episode[i].step[k].gain *= spread > 0 ? 1 / spread : 0;
    return true;
}
