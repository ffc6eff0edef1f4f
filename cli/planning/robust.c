/* Draws durations as they are believed: the mean of a stage once for all of its tasks, and each
 * task around it. So errors that tasks share do not cancel out. */
#include "cli/planning/robust.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"
#include "base/numbers/real.h"
#include "base/text/diag.h"
#include "cli/terminal/say.h"
#include "planner/eligibility/features.h"
#include "planner/modes/fixed.h"
#include "planner/instance/plan.h"
#include "runtime/replay/noise.h"
#include "runtime/replay/replay.h"

/* Number of runs, and the total number of tasks above which there are fewer runs. */
enum { RUNS_MOST = 200, RUNS_LEAST = 20, TASKS_DRAWN = 2000000 };
/* Approximate time of one task in a run. */
static const int64_t run_task_ns = 4000;
/* Quantile of the runs if none is asked for. */
#define USUAL_QUANTILE 0.9
/* The upper end of the interval BR_BELIEF_INTERVAL, in standard deviations. */
#define INTERVAL_END 1.2815515655446004

/* Do the job's own durations vary? */
static bool has_spread(const struct br_dag *dag)
{
    for (uint32_t s = 0; s < dag->stages; s++)
        if (dag->stage[s].spread.mantissa > 0)
            return true;
    return false;
}

/* Both jobs from the history: with mean durations, and with the quantile's. */
static enum br_status annotate(struct br_history *history, struct br_input *input,
                               struct cli_robust *robust, struct br_diag *diag)
{
    struct br_annotate_report report = {0};
    struct br_dag *made;
    enum br_status status = br_history_annotate(history, input->dag, input->cluster, 0,
                                                &robust->mean, &robust->report, diag);
    if (!status)
        status = br_history_annotate(history, input->dag, input->cluster, robust->quantile, &made,
                                     &report, diag);
    br_annotate_report_finish(&report);
    if (status)
        return status;
    br_dag_destroy(input->dag);
    input->dag = made;
    return BR_OK;
}

enum br_status cli_robust_read(const struct cli_settings *settings, struct br_input *input,
                               struct cli_robust *robust, struct br_diag *diag)
{
    const char *path = settings->needs.history;
    struct br_history *history = NULL;
    *robust = (struct cli_robust){0};
    enum br_status status = BR_OK;
    br_option_take(settings->needs.robust, &robust->quantile);
    if (!path && robust->quantile <= 0)
        return BR_OK;
    if (!path && !has_spread(input->dag))
        return br_fail(diag, BR_USAGE,
                       "add --history FILE, which 'bigrocks run --history' writes, or spreads to "
                       "the job's stages",
                       "--robust: the spread of this job's durations is not known");
    if (path)
        status = cli_open_history(path, input->dag, settings->output.quiet, &history, diag);
    if (!status)
        status = annotate(history, input, robust, diag);
    br_history_close(history, NULL);
    if (!status && path && !settings->output.quiet)
        cli_say_known(&robust->report);
    return status;
}

void cli_robust_finish(struct cli_robust *robust)
{
    br_dag_destroy(robust->mean);
    br_annotate_report_finish(&robust->report);
    *robust = (struct cli_robust){0};
}

/* ---- Drawn runs ---- */

/* Draws stay within e to the 50 of the mean, so that a few draws of an unknown stage do not leave
 * the range of numbers. */
static double factor_of(double exponent)
{
    return br_real_exp(fmax(-50, fmin(50, exponent)));
}

/* The logarithm by which all tasks of a belief are off together. */
static double draw_common(const struct br_task_belief *belief, struct br_rng *rng)
{
    const double unsure = belief->high_ns > belief->low_ns && belief->low_ns > 0
                              ? br_real_log(belief->high_ns / belief->low_ns) / (2 * INTERVAL_END)
                              : 0;
    return unsure * br_real_normal(rng);
}

static int64_t draw_task(const struct br_stage *stage, double mean_ns, double spread, double common,
                         struct br_rng *rng)
{
    double own = spread * br_real_normal(rng) - spread * spread / 2;
    double ns = mean_ns * factor_of(common + own);
    if (stage->longest_ns > 0 && ns > (double)stage->longest_ns)
        ns = (double)stage->longest_ns;
    return br_whole_ns(ns);
}

static void robust_draw(const struct cli_robust *robust, struct br_rng *rng, int64_t *lasts_ns)
{
    const struct br_dag *dag = robust->mean;
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        const struct br_task_belief *belief = &robust->report.belief[s];
        const double common = draw_common(belief, rng);
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
            lasts_ns[t] =
                draw_task(stage, (double)dag->duration_ns[t], belief->spread, common, rng);
    }
}

/* A plan whose tasks run in one of several ways, or on machines of several speeds: what runs is the
 * job of its choice. */
struct choice {
    struct br_fixed fixed;
    const struct br_input *input; /* the job, its cluster and its plan, as planned */
    const struct br_plan *plan;
    int64_t *given_ns; /* by task of the job */
    double *common;    /* by alternative, or by stage */
};

/* What the task lasts at its mean by the plan's alternative on a machine of speed 1. */
static int64_t choice_mean(const struct cli_robust *robust, const struct choice *choice, uint32_t s,
                           uint32_t task)
{
    const struct br_dag *dag = robust->mean;
    if (!dag->stage[s].alternatives)
        return dag->duration_ns[task];
    return br_alternative_duration(
        dag, dag->alternatives->stage_first[s] + br_plan_alternative(choice->plan, task), task);
}

/* Draws what the tasks of the job last in the way of the plan; with `rng` NULL, their means. */
static void choice_draw(const struct cli_robust *robust, const struct choice *choice,
                        struct br_rng *rng)
{
    const struct br_dag *dag = robust->mean;
    const struct br_cluster *cluster = choice->input->cluster;
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        const struct br_task_belief *belief =
            stage->alternatives ? &robust->report.way_belief[dag->alternatives->stage_first[s]]
                                : &robust->report.belief[s];
        for (uint32_t k = 0; rng && (k == 0 || k < stage->alternatives); k++)
            choice->common[k] = draw_common(&belief[k], rng);
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
            const uint32_t k = br_plan_alternative(choice->plan, t);
            int64_t ns = choice_mean(robust, choice, s, t);
            if (rng)
                ns = draw_task(stage, (double)ns, belief[k].spread, choice->common[k], rng);
            const uint32_t cls = br_cluster_machine_class(cluster, choice->plan->machine[t]);
            choice->given_ns[t] = br_class_duration(&cluster->cls[cls], ns);
        }
    }
}

static enum br_status robust_run_once(const struct br_input *input, const struct br_plan *plan,
                                      const int64_t *lasts_ns, int64_t *makespan_ns,
                                      struct br_diag *diag)
{
    struct br_simulation simulation;
    enum br_status status =
        br_simulate(input->dag, input->cluster, plan, lasts_ns, NULL, &simulation, diag);
    *makespan_ns = simulation.makespan_ns;
    br_simulation_finish(&simulation);
    return status;
}

struct outlook {
    int64_t at_mean_ns, mean_ns, quantile_ns;
    double quantile;
    uint32_t runs;
};

/* That many runs, or fewer if the time is too short for them. */
static uint32_t robust_runs_within(uint32_t runs, uint32_t tasks, int64_t most_ns)
{
    const int64_t fit = most_ns / (run_task_ns * (int64_t)tasks);
    return fit < runs ? (uint32_t)fit : runs;
}

/* Draws what the tasks that run last; with `rng` NULL, their means. */
static void draw_running(const struct cli_robust *robust, const struct choice *choice,
                         struct br_rng *rng, int64_t *lasts_ns)
{
    if (!choice && rng)
        robust_draw(robust, rng, lasts_ns);
    else if (!choice)
        memcpy(lasts_ns, robust->mean->duration_ns, robust->mean->tasks * sizeof *lasts_ns);
    if (!choice)
        return;
    choice_draw(robust, choice, rng);
    for (uint32_t t = 0; t < choice->fixed.dag->tasks; t++) {
        const uint32_t origin = choice->fixed.origin[t];
        lasts_ns[t] = origin == UINT32_MAX ? 0 : choice->given_ns[origin];
    }
}

static enum br_status robust_look_ahead(const struct cli_robust *robust,
                                        const struct br_input *input, const struct br_plan *plan,
                                        const struct choice *choice, uint64_t seed, uint32_t runs,
                                        struct outlook *outlook, struct br_diag *diag)
{
    struct br_arena arena = {0};
    struct br_rng rng = br_rng_seed(seed);
    int64_t *lasts_ns = br_arena_array(&arena, input->dag->tasks, sizeof *lasts_ns);
    struct br_sort_item *item = br_arena_array(&arena, 2 * (size_t)runs, sizeof *item);
    double sum = 0;
    enum br_status status = lasts_ns && item ? BR_OK : br_fail_memory(diag);
    if (!status) {
        draw_running(robust, choice, NULL, lasts_ns);
        status = robust_run_once(input, plan, lasts_ns, &outlook->at_mean_ns, diag);
    }
    for (uint32_t k = 0; k < runs && !status; k++) {
        int64_t makespan_ns;
        draw_running(robust, choice, &rng, lasts_ns);
        status = robust_run_once(input, plan, lasts_ns, &makespan_ns, diag);
        item[k] = (struct br_sort_item){(uint64_t)makespan_ns, k};
        sum += (double)makespan_ns;
    }
    if (!status) {
        br_sort(item, item + runs, runs);
        outlook->runs = runs;
        outlook->mean_ns = br_whole_ns(sum / runs);
        outlook->quantile = robust->quantile > 0 ? robust->quantile : USUAL_QUANTILE;
        uint32_t rank = (uint32_t)ceil(outlook->quantile * runs);
        outlook->quantile_ns = (int64_t)item[rank - 1].key;
    }
    br_arena_finish(&arena);
    return status;
}

/* The same for a plan of any job: what runs of it is the job of its choice. */
static enum br_status look_ahead_of_any(const struct cli_robust *robust,
                                        const struct br_input *input, const struct br_plan *plan,
                                        uint64_t seed, uint32_t runs, struct outlook *outlook,
                                        struct br_diag *diag)
{
    if (!(br_features(input->dag, input->cluster) & BR_FEATURES_MODES))
        return robust_look_ahead(robust, input, plan, NULL, seed, runs, outlook, diag);
    struct choice choice = {.input = input,
                            .plan = plan,
                            .given_ns = calloc(input->dag->tasks, sizeof *choice.given_ns),
                            .common = calloc(BR_MAX_ALTERNATIVES, sizeof *choice.common)};
    enum br_status status = choice.given_ns && choice.common
                                ? br_fixed_make(input->dag, input->cluster, plan,
                                                BR_SELECTED_PLANNED, &choice.fixed, diag)
                                : br_fail_memory(diag);
    if (!status) {
        const struct br_input made = {.dag = choice.fixed.dag, .cluster = choice.fixed.cluster};
        status =
            robust_look_ahead(robust, &made, choice.fixed.plan, &choice, seed, runs, outlook, diag);
    }
    br_fixed_finish(&choice.fixed);
    free(choice.given_ns);
    free(choice.common);
    return status;
}

static void print_stage(FILE *out, const struct br_stage *stage, const char *alternative,
                        const struct br_task_belief *belief, bool others)
{
    char mean[CLI_SECONDS_TEXT], low[CLI_SECONDS_TEXT], high[CLI_SECONDS_TEXT];
    const int64_t digit = 1000000;
    fputs("  stage '", out);
    cli_print_text(out, stage->id);
    if (alternative) {
        fputs("' by '", out);
        cli_print_text(out, alternative);
    }
    fprintf(out, "': %s s on average",
            cli_seconds(br_whole_ns(belief->mean_ns) / digit * digit, mean));
    if (belief->known)
        fprintf(out, " (%.0f %%: %s to %s s)", 100 * BR_BELIEF_INTERVAL,
                cli_seconds(br_whole_ns(belief->low_ns) / digit * digit, low),
                cli_seconds(br_whole_ns(belief->high_ns) / digit * digit, high));
    else
        fputs(others ? ", as declared beside those that ran" : ", as declared", out);
    fprintf(out, ", spread of tasks %.2f\n", belief->spread);
}

static void print_stages(FILE *out, const struct cli_robust *robust)
{
    const struct br_dag *dag = robust->mean;
    for (uint32_t s = 0; s < robust->report.stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        if (!stage->alternatives)
            print_stage(out, stage, NULL, &robust->report.belief[s], false);
        for (uint32_t k = 0; k < stage->alternatives; k++)
            print_stage(out, stage, br_dag_alternative_id(dag, s, k),
                        &robust->report.way_belief[dag->alternatives->stage_first[s] + k],
                        robust->report.belief[s].known);
    }
}

enum br_status cli_robust_print(FILE *out, const struct cli_robust *robust,
                                const struct br_input *input, const struct br_plan *plan,
                                uint64_t seed, int64_t most_ns, bool stages, struct br_diag *diag)
{
    struct outlook outlook = {0};
    char mean[CLI_SECONDS_TEXT], average[CLI_SECONDS_TEXT], quantile[CLI_SECONDS_TEXT];
    const int64_t digit = 1000000;
    if (!robust->mean)
        return BR_OK;
    uint32_t runs = TASKS_DRAWN / robust->mean->tasks;
    runs = runs > RUNS_MOST ? RUNS_MOST : runs < RUNS_LEAST ? RUNS_LEAST : runs;
    runs = robust_runs_within(runs, robust->mean->tasks, most_ns);
    if (runs == 0)
        return BR_OK;
    enum br_status status = look_ahead_of_any(robust, input, plan, seed, runs, &outlook, diag);
    if (status)
        return status;
    if (robust->quantile > 0)
        fprintf(out,
                "%-12s tasks take the durations that they do not exceed in %g %% of runs; at their "
                "mean durations %s s\n",
                "robust", 100 * robust->quantile, cli_seconds(outlook.at_mean_ns, mean));
    fprintf(out,
            "%-12s %s s on average, %g %% within %s s (%" PRIu32
            " draws from the known durations)\n",
            "runs", cli_seconds(outlook.mean_ns / digit * digit, average), 100 * outlook.quantile,
            cli_seconds(outlook.quantile_ns / digit * digit, quantile), outlook.runs);
    if (stages)
        print_stages(out, robust);
    return BR_OK;
}

enum br_status cli_noise_measure(const struct br_input *input, struct br_plan *plan, uint64_t seed,
                                 int64_t most_ns, struct br_diag *diag)
{
    static const uint32_t percent[] = {10, 30};
    enum br_status status = BR_OK;
    uint32_t runs = TASKS_DRAWN / 10 / input->dag->tasks;
    runs = runs > RUNS_LEAST ? RUNS_LEAST : runs < 1 ? 1 : runs;
    runs = robust_runs_within(runs, input->dag->tasks,
                              most_ns / 2); /* for each of the two percentages */
    if (plan->network || plan->makespan_ns == 0 || runs == 0 ||
        br_features(input->dag, input->cluster)) /* the enforcer refuses these */
        return BR_OK;
    for (uint32_t k = 0; k < sizeof percent / sizeof *percent && !status; k++) {
        struct br_plan_noise noise = {percent[k], runs, 0};
        status = br_plan_under_noise(input->dag, input->cluster, plan, percent[k] / 100.0, runs,
                                     seed, &noise.mean_ns, diag);
        if (!status)
            plan->noise[plan->noises++] = noise;
    }
    return status;
}

void cli_noise_print(FILE *out, const struct br_plan *plan)
{
    const int64_t digit = 1000000;
    for (uint32_t k = 0; k < plan->noises; k++) {
        const struct br_plan_noise *noise = &plan->noise[k];
        char mean[CLI_SECONDS_TEXT];
        fprintf(out,
                "%-12s %s s on average if durations are off by %" PRIu32 " %% (%+.1f %%, %" PRIu32
                " %s)\n",
                "noise", cli_seconds(noise->mean_ns / digit * digit, mean), noise->percent,
                100 * ((double)noise->mean_ns / (double)plan->makespan_ns - 1), noise->runs,
                noise->runs == 1 ? "run" : "runs");
    }
}
