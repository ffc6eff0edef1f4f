/* A list policy does the scheduling; here are the loops, which set its limits. A loop decides when
 * its job arrives, every period after that, and when its deadline moves. Under the arbiter all
 * loops decide together whenever one of them is due, or a job has ended. */
#include "cluster/simulate/policies/deadline.h"

#include <stdlib.h>

#include "base/collections/grow.h"
#include "base/invariant.h"
#include "base/numbers/real.h"
#include "runtime/deadline/together.h"
#include "cluster/simulate/policies/list.h"
#include "cluster/simulate/policies/spare.h"
#include "cluster/simulate/rows.h"

/* A job with a deadline. */
struct loop {
    struct br_control control;
    const struct br_dag *dag;
    uint32_t *done; /* by stage */
    uint32_t job;
    int64_t arrival_ns, deadline_ns, due_ns, period_ns;
    uint32_t change; /* the next one */
    uint32_t turn;   /* under the arbiter, of its last decision; UINT32_MAX: none yet */
    bool begun;
    uint32_t amount, need; /* tokens of its last decision, and what it needs of them */
    int64_t *since_ns;     /* by task that runs: its start; NULL: nothing is evicted */
};

struct deadlines {
    const struct br_deadline_rule *rule;
    struct br_policy_setup setup;
    void *list;
    struct loop **loop; /* of the jobs that are there, by arrival */
    uint32_t loops, loop_room;
    struct loop **of; /* by job of the workload; NULL: it is not controlled, or has gone */
    uint32_t of_room;
    bool ended; /* a loop has, since the last decision */
    bool out_of_memory;
    /* The arbiter's, for as many loops as there is room for. */
    void *memory;
    struct br_rival *rival;
    struct br_portion *portion;
    struct br_control_decision *decision;
    uint32_t rival_room;
    /* If tasks are evicted. */
    struct br_spare spare;
    struct br_spare_job *over;
    uint32_t over_room;
};

/* Up to its guarantee a job goes first; then, in turn, those that need more; then jobs without a
 * deadline; what is left is spare. Ties go by arrival. */
static double guaranteed_first(const struct br_ranked_job *job, double number)
{
    (void)number;
    uint32_t running = job->job->state.running;
    if (!job->ask)
        return 1;
    if (running < job->guarantee)
        return 0;
    return running < job->ask ? 1 - 1 / (job->turn + 2.0) : 2;
}

/* The key if guarantees are percents of the cluster. */
static double share_first(const struct br_ranked_job *job, double number)
{
    (void)number;
    double percent = 100 * job->share;
    if (!job->ask)
        return 1;
    if (percent < job->guarantee)
        return 0;
    return percent < job->ask ? 1 - 1 / (job->turn + 2.0) : 2;
}

static const struct br_ranked_rule beneath = {.order = BR_RANKED_BREADTH, .key = guaranteed_first},
                                   beneath_planned = {.order = BR_RANKED_PLAN,
                                                      .key = guaranteed_first},
                                   shares = {.by_share = true, .key = share_first},
                                   shares_planned = {.order = BR_RANKED_PLAN,
                                                     .by_share = true,
                                                     .key = share_first};

static bool has_shares(const struct br_policy_setup *setup)
{
    return setup->deadlines && setup->deadlines->kind == BR_SHARES;
}

static enum br_status deadline_create(const struct br_policy_row *row,
                                      const struct br_policy_setup *setup, void **policy,
                                      struct br_diag *diag)
{
    const struct br_deadline_rule *rule = row->detail;
    struct deadlines *all = calloc(1, sizeof *all);
    *policy = all;
    if (!all)
        return br_fail_memory(diag);
    all->rule = rule;
    all->setup = *setup;
    bool planned =
        setup->deadlines && setup->deadlines->control.layer == (uint32_t)BR_PLANNED_ORDER;
    const struct br_ranked_rule *list = planned ? &beneath_planned : &beneath;
    if (has_shares(setup))
        list = planned ? &shares_planned : &shares;
    return br_ranked_create(list, setup, &all->list, diag);
}

static void free_loop(struct loop *loop)
{
    if (loop) {
        free(loop->done);
        free(loop->since_ns);
    }
    free(loop);
}

static void deadline_destroy(void *policy)
{
    struct deadlines *all = policy;
    for (uint32_t k = 0; k < all->loops; k++)
        free_loop(all->loop[k]);
    if (all->list)
        br_ranked_destroy(all->list);
    free(all->loop);
    free(all->of);
    free(all->memory);
    free(all->rival);
    free(all->portion);
    free(all->decision);
    br_spare_finish(&all->spare);
    free(all->over);
    free(all);
}

/* ---- Events ---- */

/* Room for one loop more. */
static bool policies_deadline_reserve(struct deadlines *all)
{
    if (!br_grow(&all->loop, all->loops, &all->loop_room, sizeof *all->loop))
        return false;
    if (!all->rule->arbiter || all->rival_room == all->loop_room)
        return true;
    uint32_t room = all->loop_room, tokens = all->setup.deadlines->total;
    free(all->memory);
    free(all->rival);
    free(all->portion);
    free(all->decision);
    all->memory = malloc(br_together_memory(room, tokens));
    all->rival = malloc(room * sizeof *all->rival);
    all->portion = malloc(room * sizeof *all->portion);
    all->decision = malloc(room * sizeof *all->decision);
    all->rival_room = room;
    return all->memory && all->rival && all->portion && all->decision;
}

static enum br_status make_loop(struct deadlines *all, const struct br_arrival *arrival,
                                struct loop **made, struct br_diag *diag)
{
    const struct br_deadline_settings *settings = all->setup.deadlines;
    struct br_control_options options = settings->control;
    struct loop *loop = calloc(1, sizeof *loop);
    *made = loop;
    if (!loop)
        return br_fail_memory(diag);
    loop->dag = arrival->dag;
    loop->done = calloc(arrival->dag->stages, sizeof *loop->done);
    if (settings->evict)
        loop->since_ns = calloc(arrival->dag->tasks, sizeof *loop->since_ns);
    if (!loop->done || (settings->evict && !loop->since_ns))
        return br_fail_memory(diag);
    loop->job = arrival->job;
    loop->turn = UINT32_MAX;
    loop->arrival_ns = loop->due_ns = arrival->arrival_ns;
    loop->deadline_ns = arrival->deadline_ns - arrival->arrival_ns;
    loop->period_ns = br_real_whole(options.period_s * 1e9);
    options.forecast = all->rule->forecast;
    options.adaptation = all->rule->adaptation;
    const struct br_deadline_table *table =
        settings->table(settings->context, arrival->dag_number, diag);
    if (!table)
        return diag ? diag->status : BR_SYSTEM;
    struct br_utility utility = settings->utility
                                    ? settings->utility[arrival->job]
                                    : br_utility_of_deadline((double)loop->deadline_ns * 1e-9);
    return br_control_init(&loop->control, table, &options, &utility, diag);
}

static enum br_status deadline_arrive(void *policy, const struct br_arrival *arrival,
                                      int64_t now_ns, struct br_diag *diag)
{
    struct deadlines *all = policy;
    while (arrival->job >= all->of_room) {
        uint32_t used = all->of_room;
        if (!br_grow(&all->of, used, &all->of_room, sizeof *all->of))
            return br_fail_memory(diag);
    }
    all->of[arrival->job] = NULL;
    enum br_status status = br_ranked_arrive(all->list, arrival, now_ns, diag);
    if (status || !all->setup.deadlines || arrival->deadline_ns == BR_NEVER)
        return status;
    struct loop *loop = NULL;
    status = policies_deadline_reserve(all) ? make_loop(all, arrival, &loop, diag)
                                            : br_fail_memory(diag);
    if (status) {
        free_loop(loop);
        return status;
    }
    all->of[arrival->job] = all->loop[all->loops++] = loop;
    return BR_OK;
}

static enum br_status deadline_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                                   struct br_diag *diag)
{
    struct deadlines *all = policy;
    struct loop *loop = all->of[ended->job];
    assert(!loop || loop->job == ended->job);
    assert(!loop || ended->failed ||
           loop->done[br_dag_task_stage(loop->dag, ended->task)] <
               loop->dag->stage[br_dag_task_stage(loop->dag, ended->task)].tasks);
    if (loop && !ended->failed)
        loop->done[br_dag_task_stage(loop->dag, ended->task)]++;
    if (all->out_of_memory)
        return br_fail_memory(diag);
    return br_ranked_end(all->list, ended, now_ns, diag);
}

static enum br_status deadline_retire(void *policy, uint32_t job, struct br_diag *diag)
{
    struct deadlines *all = policy;
    struct loop *loop = all->of[job];
    if (loop) {
        uint32_t k = 0;
        while (all->loop[k] != loop) {
            k++;
            assert(k < all->loops);
        }
        for (all->loops--; k < all->loops; k++)
            all->loop[k] = all->loop[k + 1];
        free_loop(loop);
        all->of[job] = NULL;
        all->ended = true;
    }
    return br_ranked_retire(all->list, job, diag);
}

static enum br_status deadline_machine(void *policy, uint32_t machine, bool there,
                                       struct br_diag *diag)
{
    struct deadlines *all = policy;
    return br_ranked_machine(all->list, machine, there, diag);
}

static enum br_status deadline_lost(void *policy, uint32_t job, uint32_t task, int64_t now_ns,
                                    struct br_diag *diag)
{
    struct deadlines *all = policy;
    struct loop *loop = all->of[job];
    if (loop)
        loop->done[br_dag_task_stage(loop->dag, task)]--;
    return br_ranked_lost(all->list, job, task, now_ns, diag);
}

/* ---- Loops ---- */

/* The deadline moves when it is time. */
static void apply_changes(const struct deadlines *all, struct loop *loop, int64_t now_ns)
{
    const struct br_deadline_settings *settings = all->setup.deadlines;
    while (loop->change < settings->changes &&
           settings->change[loop->change].after_ns <= now_ns - loop->arrival_ns) {
        loop->deadline_ns = settings->change[loop->change++].deadline_ns;
        struct br_utility utility = br_utility_of_deadline((double)loop->deadline_ns * 1e-9);
        br_control_move(&loop->control, &utility);
    }
}

/* When the loop decides next: after a period, or when its deadline moves before that. */
static int64_t next_due(const struct deadlines *all, const struct loop *loop, int64_t now_ns)
{
    const struct br_deadline_settings *settings = all->setup.deadlines;
    int64_t periods = (now_ns - loop->arrival_ns) / loop->period_ns + 1;
    int64_t next_ns = loop->arrival_ns + periods * loop->period_ns;
    if (loop->change < settings->changes &&
        loop->arrival_ns + settings->change[loop->change].after_ns < next_ns)
        next_ns = loop->arrival_ns + settings->change[loop->change].after_ns;
    assert(next_ns > now_ns);
    return next_ns;
}

static struct br_control_view view_of(const struct loop *loop, int64_t now_ns)
{
    return (struct br_control_view){now_ns - loop->arrival_ns, loop->done, loop->begun};
}

/* The loop has decided: the list's limit, a row of the record, and when it is due again. */
static void policies_deadline_settle(struct deadlines *all, struct loop *loop, int64_t now_ns,
                                     const struct br_control_decision *decision,
                                     const struct br_portion *portion)
{
    assert(decision->amount <= loop->control.options.most);
    const struct br_ranked_share share = {decision->amount, portion->need, portion->turn};
    const struct br_allotment row = {.at_ns = now_ns,
                                     .job = loop->job,
                                     .raw = decision->raw,
                                     .amount = decision->amount,
                                     .running = br_ranked_running(all->list, loop->job),
                                     .progress = decision->progress,
                                     .on_time = decision->on_time,
                                     .left_ns = decision->left_ns,
                                     .left_high_ns = decision->left_high_ns,
                                     .deadline_ns = loop->arrival_ns + loop->deadline_ns};
    /* The arbiter gives out no more than there is, so what one leaves over is free for others. */
    bool spare = all->rule->arbiter || all->setup.deadlines->spare;
    uint32_t limit = spare ? loop->control.options.most : decision->amount;
    bool limited = has_shares(&all->setup) ? br_ranked_cap(all->list, loop->job, limit)
                                           : br_ranked_limit(all->list, loop->job, limit);
    if (all->setup.allotments)
        all->setup.allotments->shares = has_shares(&all->setup);
    if (!limited || !br_ranked_guarantee(all->list, loop->job, &share) ||
        (all->setup.allotments && !br_allotments_add(all->setup.allotments, &row)))
        all->out_of_memory = true;
    loop->begun = loop->begun || decision->amount;
    loop->amount = decision->amount;
    loop->need = portion->need;
    loop->due_ns = next_due(all, loop, now_ns);
}

static void decide_alone(struct deadlines *all, int64_t now_ns)
{
    for (uint32_t k = 0; k < all->loops; k++) {
        struct loop *loop = all->loop[k];
        struct br_control_decision decision;
        if (loop->due_ns > now_ns)
            continue;
        apply_changes(all, loop, now_ns);
        const struct br_control_view view = view_of(loop, now_ns);
        br_control_decide(&loop->control, &view, &decision);
        policies_deadline_settle(all, loop, now_ns, &decision,
                                 &(struct br_portion){.need = decision.amount});
    }
}

static bool is_due(const struct deadlines *all, int64_t now_ns)
{
    bool due = all->ended;
    for (uint32_t k = 0; k < all->loops; k++)
        due |= all->loop[k]->due_ns <= now_ns;
    return due;
}

static void decide_together(struct deadlines *all, int64_t now_ns)
{
    if (!is_due(all, now_ns))
        return;
    for (uint32_t k = 0; k < all->loops; k++) {
        struct loop *loop = all->loop[k];
        apply_changes(all, loop, now_ns);
        all->rival[k] = (struct br_rival){&loop->control, view_of(loop, now_ns), 1};
        all->portion[k].turn = loop->turn;
    }
    assert(all->loops <= all->rival_room);
    br_together_decide(all->rival, all->loops, all->setup.deadlines->total, all->memory,
                       all->portion, all->decision);
    for (uint32_t k = 0; k < all->loops; k++) {
        all->loop[k]->turn = all->portion[k].turn;
        policies_deadline_settle(all, all->loop[k], now_ns, &all->decision[k], &all->portion[k]);
    }
    all->ended = false;
}

static uint32_t deadline_decide(void *policy, int64_t now_ns, struct br_decision *decisions,
                                uint32_t room, int64_t *wake_ns)
{
    struct deadlines *all = policy;
    if (all->loops && all->rule->arbiter)
        decide_together(all, now_ns);
    else
        decide_alone(all, now_ns);
    for (uint32_t k = 0; k < all->loops; k++)
        if (all->loop[k]->due_ns < *wake_ns)
            *wake_ns = all->loop[k]->due_ns;
    uint32_t made = br_ranked_decide(all->list, now_ns, decisions, room, wake_ns);
    for (uint32_t d = 0; d < made; d++) {
        struct loop *loop = all->of[decisions[d].job];
        if (loop && loop->since_ns)
            loop->since_ns[decisions[d].task] = now_ns;
    }
    return made;
}

/* ---- Spare tokens ---- */

/* The jobs that run more tasks than they have tokens, into all->over; their number. */
static uint32_t find_over(struct deadlines *all)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < all->loops; k++) {
        const struct loop *loop = all->loop[k];
        const struct br_job *job = br_ranked_job(all->list, loop->job);
        uint32_t own = loop->amount > loop->need ? loop->amount : loop->need;
        if (job->state.running > own)
            all->over[count++] =
                (struct br_spare_job){job, loop->job, job->state.running - own, loop->since_ns};
    }
    return count;
}

/* Ends tasks beyond tokens for the first task of the first job, by arrival, that has fewer tokens
 * than it is guaranteed and could start then. */
static uint32_t deadline_evict(void *policy, int64_t now_ns, struct br_decision *tasks,
                               uint32_t room)
{
    struct deadlines *all = policy;
    if (!all->setup.deadlines || !all->setup.deadlines->evict)
        return 0;
    if (all->over_room < all->loops) {
        if (!br_enlarge(&all->over, all->loop_room, sizeof *all->over)) {
            all->out_of_memory = true;
            return 0;
        }
        all->over_room = all->loop_room;
    }
    uint32_t resources = br_ranked_resources(all->list), first = 0, count = 0;
    if (!br_spare_collect(&all->spare, all->over, find_over(all), resources))
        all->out_of_memory = true;
    for (uint32_t k = 0; k < all->loops && all->spare.tasks && !count; k++) {
        const struct br_job *job = br_ranked_job(all->list, all->loop[k]->job);
        if (!job->state.ready || job->state.running >= all->loop[k]->amount)
            continue;
        const uint32_t task = job->form->task[job->ready.best[1]];
        br_spare_choose(&all->spare, br_job_demand(job, task, resources), resources, br_ranked_free,
                        all->list, now_ns, &first, &count);
    }
    count = count < room ? count : room;
    for (uint32_t k = 0; k < count; k++) {
        const struct br_spare_task *gone = &all->spare.task[first + k];
        tasks[k] = (struct br_decision){gone->job, gone->task, gone->machine};
    }
    return count;
}

/* ---- Policies ---- */

#define DEADLINE(...)                                                                              \
    .detail = &(const struct br_deadline_rule){__VA_ARGS__}, .create = deadline_create,            \
    .destroy = deadline_destroy, .arrive = deadline_arrive, .end = deadline_end,                   \
    .retire = deadline_retire, .machine = deadline_machine, .decide = deadline_decide,             \
    .lost = deadline_lost, .evict = deadline_evict, .controls = true

const struct br_policy_row br_simulate_policy_deadline = {
    .named = {"deadline", "as many tasks of a job at once as its deadline asks for [Ferguson12]"},
    DEADLINE(BR_FORECAST_TABLE, BR_ADAPT, false)};

const struct br_policy_row br_simulate_policy_deadline_fixed = {
    .named = {"deadline-fixed", "deadline, never changed after a job's start"},
    DEADLINE(BR_FORECAST_TABLE, BR_ADAPT_NOT, false)};

const struct br_policy_row br_simulate_policy_deadline_amdahl = {
    .named = {"deadline-amdahl", "deadline, by Amdahl's law in place of simulated runs"},
    DEADLINE(BR_FORECAST_AMDAHL, BR_ADAPT, false)};

const struct br_policy_row br_simulate_policy_deadline_most = {
    .named = {"deadline-most", "deadline, always as many as may be had"},
    DEADLINE(BR_FORECAST_TABLE, BR_ADAPT_MOST, false)};

const struct br_policy_row br_simulate_policy_deadline_arbiter = {
    .named = {"deadline-arbiter", "deadline, for all jobs together: the greatest total utility"},
    DEADLINE(BR_FORECAST_TABLE, BR_ADAPT, true)};
