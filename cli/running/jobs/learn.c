/* The rest of a job is planned on a thread of its own, so that no start waits for it, from the
 * knowledge at its beginning. The result is an order, which applies to tasks that have not started
 * when it is ready. Planning takes at most a share of the run's time. */
#include "cli/running/jobs/learn.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/process/clock.h"
#include "base/process/stop.h"
#include "base/text/diag.h"
#include "cli/inputs/job_table.h"
#include "cli/terminal/say.h"
#include "planner/instance/plan.h"
#include "runtime/predict/annotate.h"
#include "runtime/predict/dag_with.h"
#include "runtime/predict/inputs.h"
#include "runtime/replanning/replanner.h"

/* After a plan, nothing is planned for this many times its duration. */
enum { PAUSE = 10 };
/* A search for a better order takes at most this time. */
static const int64_t search_ns = INT64_C(200000000);

enum state { IDLE, PLANNING, PLANNED };

struct cli_run_learn {
    struct br_beliefs *beliefs;
    struct br_replanner_options learning;
    struct br_replanner *replanner;
    const struct br_dag *dag;         /* the job that runs */
    const struct br_cluster *cluster; /* borrowed */
    struct br_plan_options options;
    struct br_plan *plan;     /* the plan followed; NULL: the job's own */
    int64_t first_ns, now_ns; /* makespan of the job's own; the run's clock */
    uint32_t replans;
    int64_t pause_until_ns;
    /* Used by the thread while it plans: */
    pthread_t thread;
    bool threaded; /* to be joined */
    int state;     /* atomic */
    struct br_stop stop;
    struct br_rest rest; /* copies of the replanner's arrays */
    struct br_dag *made; /* the job with the durations expected now */
    struct br_plan *next;
    int64_t took_ns;
    /* Of a job with a deadline: */
    uint32_t most;           /* tasks at once; 0: there is no deadline */
    struct br_dag *foreseen; /* the job with the durations of the forecast */
    double *spread;          /* by stage of it */
    struct br_made_table table;
    bool fresh; /* the table has been made, and not handed over */
};

/* ---- The rest planned on a thread ---- */

static void free_rest(struct cli_run_learn *learn)
{
    free((void *)learn->rest.state);
    free((void *)learn->rest.duration_ns);
    free((void *)learn->rest.pilot);
    learn->rest = (struct br_rest){0};
}

static void *learn_copy(const void *from, size_t size)
{
    void *made = malloc(size + 1);
    if (made)
        memcpy(made, from, size);
    return made;
}

static void forget_table(struct cli_run_learn *learn)
{
    if (learn->fresh)
        br_deadline_release(&learn->table);
    learn->fresh = false;
}

/* A table of the whole job, as long as its tasks are expected to take now. */
static void make_table(struct cli_run_learn *learn)
{
    const struct cli_job_to_run job = {.dag = learn->foreseen,
                                       .cluster = learn->cluster,
                                       .most = learn->most,
                                       .threads = 1,
                                       .soon = true,
                                       .spread = learn->spread};
    struct br_diag diag;
    forget_table(learn);
    learn->fresh = cli_job_table_make(&job, &learn->stop, &learn->table, &diag) == BR_OK;
    if (!learn->fresh)
        br_deadline_release(&learn->table);
}

static void *plan_rest(void *context)
{
    struct cli_run_learn *learn = context;
    int64_t began_ns = br_now_ns();
    struct br_diag diag;
    /* If it fails, the run goes on as planned before. */
    br_rest_plan(learn->dag, learn->cluster, &learn->rest, &learn->options, &learn->next, &diag);
    if (learn->foreseen)
        make_table(learn);
    learn->took_ns = br_now_ns() - began_ns;
    __atomic_store_n(&learn->state, PLANNED, __ATOMIC_RELEASE);
    return NULL;
}

/* Copies what a table is made of; without memory there is none, and the one before stays. */
static void learn_foresee(struct cli_run_learn *learn)
{
    const struct br_dag *dag = learn->dag;
    struct br_diag diag;
    int64_t *duration_ns = malloc(((size_t)dag->tasks + 1) * sizeof *duration_ns);
    br_dag_destroy(learn->foreseen);
    learn->foreseen = NULL;
    if (!learn->spread)
        learn->spread = malloc(((size_t)dag->stages + 1) * sizeof *learn->spread);
    if (duration_ns && learn->spread) {
        br_replanner_forecast(learn->replanner, duration_ns, learn->spread);
        const struct br_needs needs = {.duration_ns = duration_ns};
        if (br_dag_with(dag, &needs, &learn->foreseen, &diag))
            learn->foreseen = NULL;
    }
    free(duration_ns);
}

/* Copies the present knowledge for the thread. */
static bool learn_look(struct cli_run_learn *learn)
{
    const int64_t *expected_ns;
    const struct br_rest now = br_replanner_look(learn->replanner, learn->now_ns, &expected_ns);
    size_t tasks = learn->dag->tasks;
    struct br_diag diag = {0};
    learn->rest = (struct br_rest){learn_copy(now.state, tasks),
                                   learn_copy(now.duration_ns, tasks * sizeof *now.duration_ns),
                                   learn_copy(now.pilot, tasks * sizeof *now.pilot), now.now_ns};
    const struct br_needs needs = {.duration_ns = expected_ns};
    if (learn->most)
        learn_foresee(learn);
    return learn->rest.state && learn->rest.duration_ns && learn->rest.pilot &&
           br_dag_with(learn->dag, &needs, &learn->made, &diag) == BR_OK;
}

static void begin_planning(struct cli_run_learn *learn)
{
    sigset_t all, before;
    learn->state = PLANNING;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    learn->threaded =
        learn_look(learn) && pthread_create(&learn->thread, NULL, plan_rest, learn) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!learn->threaded)
        learn->state = PLANNED; /* nothing */
}

static void end_planning(struct cli_run_learn *learn)
{
    if (learn->threaded)
        pthread_join(learn->thread, NULL);
    learn->threaded = false;
    free_rest(learn);
    learn->pause_until_ns = learn->now_ns + PAUSE * learn->took_ns;
    learn->state = IDLE;
}

bool cli_run_learn_replan(struct cli_run_learn *learn, struct br_replan *replan)
{
    if (!learn)
        return false;
    int state = __atomic_load_n(&learn->state, __ATOMIC_ACQUIRE);
    if (state == IDLE && learn->now_ns >= learn->pause_until_ns &&
        br_replanner_wants(learn->replanner)) {
        br_dag_destroy(learn->made); /* the job of the plan before, no longer read */
        learn->made = NULL;
        begin_planning(learn);
    }
    if (state != PLANNED)
        return false;
    end_planning(learn);
    if (!learn->next)
        return false;
    br_plan_destroy(learn->plan);
    learn->plan = learn->next;
    learn->next = NULL;
    learn->replans++;
    *replan = (struct br_replan){learn->made, learn->plan};
    return true;
}

/* ---- Before the run and after it ---- */

/* Unknown stages are those that the job's file leaves open, whatever the history knows of them; its
 * values are where they begin. */
static enum br_status make_learner(struct cli_run_learn *learn, const struct br_dag *dag,
                                   const bool *unknown, struct br_diag *diag)
{
    br_replanner_destroy(learn->replanner);
    learn->dag = dag;
    return br_replanner_create(dag, unknown, learn->beliefs, &learn->learning, &learn->replanner,
                               diag);
}

/* Tasks of unknown stages last as long as is expected by all alternatives: nothing tells these
 * apart, so that the plan takes those which demand the least. */
static void expect_by_alternatives(struct br_dag *dag, const bool *unknown, const int64_t *ns)
{
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        for (uint32_t i = 0; unknown[s] && stage->alternatives && i < stage->tasks; i++) {
            dag->duration_ns[stage->first_task + i] = ns[stage->first_task + i];
            br_alternatives_replace_duration(dag, s, i, ns[stage->first_task + i]);
        }
    }
}

/* Replaces the job by one with expected durations, and learns from that. */
static enum br_status learn_expect(struct cli_run_learn *learn, struct br_input *input,
                                   const bool *unknown, struct br_diag *diag)
{
    const int64_t *expected_ns;
    struct br_dag *made;
    enum br_status status = make_learner(learn, input->dag, unknown, diag);
    if (status)
        return status;
    br_replanner_look(learn->replanner, 0, &expected_ns);
    const struct br_needs needs = {.duration_ns = expected_ns};
    status = br_dag_with(input->dag, &needs, &made, diag);
    if (status)
        return status;
    expect_by_alternatives(made, unknown, expected_ns);
    br_dag_destroy(input->dag);
    input->dag = made;
    status = make_learner(learn, made, unknown, diag);
    if (!status)
        br_replanner_look(learn->replanner, 0, NULL); /* the durations of the first plan */
    return status;
}

static enum br_status learn_read_history(const char *path, const struct br_dag *dag,
                                         struct br_beliefs **beliefs, struct br_diag *diag)
{
    struct br_history *history = NULL;
    enum br_status status =
        path ? br_history_open_to_read(path, br_dag_name(dag), &history, diag) : BR_OK;
    uint32_t scaled;
    if (!status && history)
        status = br_inputs_expect(history, dag, &scaled, diag);
    if (!status)
        status = br_beliefs_create(history, beliefs, diag);
    br_history_close(history, NULL);
    return status;
}

static struct br_plan_options rest_options(const struct cli_settings *settings,
                                           struct cli_run_learn *learn)
{
    struct cli_search_settings search = settings->search;
    search.effort = BR_EFFORT_FAST;
    search.threads = 1;
    search.time_limit_ns = search_ns;
    struct br_plan_options options = cli_plan_options(&search);
    options.stop = &learn->stop;
    return options;
}

enum br_status cli_run_learn_open(const struct cli_settings *settings, const bool *unknown,
                                  struct br_input *input, struct cli_run_learn **result,
                                  struct br_diag *diag)
{
    struct cli_run_learn *learn = calloc(1, sizeof *learn);
    *result = learn;
    if (!learn)
        return br_fail_memory(diag);
    learn->learning = br_replanner_options_default();
    learn->learning.seed = settings->search.seed;
    br_option_take(settings->run.pilots, &learn->learning.ratio);
    enum br_status status =
        learn_read_history(settings->needs.history, input->dag, &learn->beliefs, diag);
    if (!status)
        status = learn_expect(learn, input, unknown, diag);
    learn->cluster = input->cluster;
    learn->options = rest_options(settings, learn);
    return status;
}

enum br_status cli_run_learn_choose(struct cli_run_learn *learn, const bool *unknown,
                                    const struct br_input *input, const struct cli_run_ways *ways,
                                    struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    uint32_t *like = calloc((size_t)dag->stages + 1, sizeof *like);
    bool *open = calloc((size_t)dag->stages + 1, sizeof *open);
    enum br_status status = like && open ? BR_OK : br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        const uint32_t origin = cli_run_ways_origin(ways, dag->stage[s].first_task);
        open[s] = origin != UINT32_MAX && unknown[origin];
        like[s] = cli_run_ways_like(ways, dag, s);
    }
    learn->learning.like = like;
    learn->cluster = input->cluster;
    if (!status)
        status = make_learner(learn, dag, open, diag);
    if (!status)
        br_replanner_look(learn->replanner, 0, NULL);
    learn->learning.like = NULL;
    free(like);
    free(open);
    return status;
}

enum br_status cli_run_learn_begin(struct cli_run_learn *learn, const struct br_input *input,
                                   struct br_plan **plan, struct br_diag *diag)
{
    struct br_plan *order;
    const struct br_rest rest = br_replanner_look(learn->replanner, 0, NULL);
    enum br_status status = br_rest_order(input->dag, *plan, rest.pilot, &order, diag);
    if (status)
        return status;
    br_plan_destroy(*plan);
    *plan = order;
    learn->first_ns = order->makespan_ns;
    return BR_OK;
}

void cli_run_learn_close(struct cli_run_learn *learn)
{
    if (!learn)
        return;
    br_stop_set(&learn->stop, 1);
    end_planning(learn);
    br_plan_destroy(learn->next);
    br_plan_destroy(learn->plan);
    br_dag_destroy(learn->made);
    br_dag_destroy(learn->foreseen);
    forget_table(learn);
    free(learn->spread);
    br_replanner_destroy(learn->replanner);
    br_beliefs_destroy(learn->beliefs);
    free(learn);
}

/* ---- What happens ---- */

void cli_run_learn_started(struct cli_run_learn *learn, uint32_t task, int64_t now_ns)
{
    if (!learn)
        return;
    learn->now_ns = now_ns;
    br_replanner_started(learn->replanner, task, now_ns);
}

/* A duration that is known only roughly, since the program was stopped, is not learned. */
static int64_t learn_measured(int64_t lasted_ns)
{
    return lasted_ns > 0 ? lasted_ns : -1;
}

void cli_run_learn_ended(struct cli_run_learn *learn, const struct br_task_end *end)
{
    if (!learn)
        return;
    learn->now_ns = end->end_ns;
    if (end->outcome == BR_TASK_DONE)
        br_replanner_ended(learn->replanner, end->task, learn_measured(br_task_end_lasted(end)));
    else
        br_replanner_failed(learn->replanner, end->task, end->again);
}

void cli_run_learn_resumed(struct cli_run_learn *learn, uint32_t task, int64_t lasted_ns)
{
    if (learn)
        br_replanner_ended(learn->replanner, task, learn_measured(lasted_ns));
}

/* ---- A deadline ---- */

bool cli_run_learn_knows(struct cli_run_learn *learn)
{
    return br_replanner_knows(learn->replanner);
}

void cli_run_learn_foresee(struct cli_run_learn *learn, uint32_t most)
{
    learn->most = most;
}

bool cli_run_learn_table(struct cli_run_learn *learn, struct br_made_table *made)
{
    if (!learn || learn->threaded || !learn->fresh)
        return false;
    *made = learn->table;
    learn->fresh = false;
    return true;
}

/* ---- What was learnt ---- */

static void learn_print_stage(struct cli_run_learn *learn, uint32_t s)
{
    char mean[CLI_SECONDS_TEXT], low[CLI_SECONDS_TEXT], high[CLI_SECONDS_TEXT];
    struct br_task_belief belief;
    uint32_t measured;
    const int64_t digit = 1000000;
    const uint32_t tasks = br_replanner_alike(learn->replanner, s);
    if (!br_replanner_stage(learn->replanner, s, &belief, &measured) || !tasks)
        return;
    fputs("  stage '", stderr);
    cli_print_text(stderr, learn->dag->stage[s].id);
    if (belief.known)
        fprintf(stderr,
                "': %s s on average (%.0f %%: %s to %s s), spread of tasks %.2f, %" PRIu32
                " of %" PRIu32 " measured\n",
                cli_seconds(br_whole_ns(belief.mean_ns) / digit * digit, mean),
                100 * BR_BELIEF_INTERVAL,
                cli_seconds(br_whole_ns(belief.low_ns) / digit * digit, low),
                cli_seconds(br_whole_ns(belief.high_ns) / digit * digit, high), belief.spread,
                measured, tasks);
    else
        fputs("': nothing\n", stderr);
}

void cli_run_learn_print(struct cli_run_learn *learn, const char *before, bool stages)
{
    char first[CLI_SECONDS_TEXT], last[CLI_SECONDS_TEXT];
    if (!learn)
        return;
    const struct br_replanner_report report = br_replanner_report(learn->replanner);
    fputs("bigrocks: ", stderr);
    cli_print_text(stderr, before);
    fprintf(stderr, "learnt %" PRIu32 " of ", report.learnt);
    cli_print_count(stderr, report.unknown, "stage", "stages");
    fputs(" without a duration, from ", stderr);
    cli_print_count(stderr, report.pilots, "pilot", "pilots");
    fprintf(stderr, " and %" PRIu32 " tasks more; planned again ", report.measured - report.pilots);
    cli_print_count(stderr, learn->replans, "time", "times");
    fprintf(stderr, ", at first %s s", cli_seconds(learn->first_ns, first));
    if (learn->plan)
        fprintf(stderr, ", at last %s s", cli_seconds(learn->plan->makespan_ns, last));
    fputc('\n', stderr);
    for (uint32_t s = 0; stages && s < learn->dag->stages; s++)
        learn_print_stage(learn, s);
}
