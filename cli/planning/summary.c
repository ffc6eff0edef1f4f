/* Sums up a plan: how long, how good and, if asked, how it was found. Reads the plan's struct
 * (planner/instance/plan.h) for the methods tried, since the public interface describes only the
 * plan.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/planning/summary.h"
#include "cli/bounds/lp_bound.h"
#include "cli/terminal/say.h"
#include "planner/instance/plan.h"
#include "planner/instance/rounding.h"
#include "planner/search/exact_search.h"
#include "planner/search/orders_search.h"

/* The word before a line; the lines are aligned. */
static void label(FILE *out, const char *text)
{
    fprintf(out, "%-12s ", text);
}

/* Did several methods find a plan of the same length, and none a shorter or a longer one? */
static bool are_trials_equal(const struct br_plan *plan)
{
    for (uint32_t k = 0; k < plan->trials; k++)
        if (plan->trial[k].makespan_ns != plan->makespan_ns)
            return false;
    return plan->trials > 1;
}

/* "method makespan +x %", a line for each method tried; one line if all are as long as the plan. */
static void print_trials(FILE *out, const struct br_plan *plan)
{
    char text[CLI_SECONDS_TEXT];
    int wide = 0, digits = 0;
    if (are_trials_equal(plan)) {
        label(out, "tried");
        for (uint32_t k = 0; k < plan->trials; k++)
            fprintf(out, "%s%s", k ? ", " : "", plan->trial[k].method);
        fputs(": all as long\n", out);
        return;
    }
    for (uint32_t k = 0; k < plan->trials; k++) {
        int length = (int)strlen(plan->trial[k].method);
        wide = length > wide ? length : wide;
        length = (int)strlen(cli_seconds(plan->trial[k].makespan_ns, text));
        digits = length > digits ? length : digits;
    }
    for (uint32_t k = 0; k < plan->trials; k++) {
        const struct br_plan_trial *trial = &plan->trial[k];
        label(out, k ? "" : "tried");
        fprintf(out, "%-*s  %*s s", wide, trial->method, digits,
                cli_seconds(trial->makespan_ns, text));
        if (trial->makespan_ns > plan->makespan_ns && plan->makespan_ns > 0)
            fprintf(out, "  +%.1f %%",
                    100 * ((double)trial->makespan_ns / (double)plan->makespan_ns - 1));
        fputc('\n', out);
    }
}

static bool is_search(const char *method)
{
    return strcmp(method, br_exact_search_method) == 0 ||
           strcmp(method, br_orders_search_method) == 0;
}

/* Was the bound, of the whole or of a part, found by searching for all shorter schedules? */
static bool is_exhaustive(const struct br_plan *plan)
{
    bool exhaustive = is_search(br_plan_bound_method(plan));
    for (uint32_t k = 0; k < plan->parts && !exhaustive; k++)
        exhaustive = is_search(plan->part[k].bound_method);
    return exhaustive;
}

/* The reason why a plan that meets its bound is known to be optimal. */
static const char *optimal(const struct br_plan *plan)
{
    return plan->certificate     ? "0 %, proven optimal"
           : is_exhaustive(plan) ? "0 %, optimal by exhaustive search, without a certificate"
                                 : "0 %, optimal by its bound, which has no certificate";
}

void cli_print_summary(FILE *out, const struct br_plan *plan, const struct br_dag *dag,
                       const struct br_cluster *cluster, const char *asked, const char *lp_note)
{
    char text[CLI_SECONDS_TEXT];
    int64_t makespan = br_plan_makespan_ns(plan), bound = br_plan_lower_bound_ns(plan);
    label(out, "job");
    cli_print_text(out, br_dag_name(dag));
    fputs(": ", out);
    cli_print_count(out, br_dag_task_count(dag), "task", "tasks");
    fputs(" in ", out);
    cli_print_count(out, br_dag_stage_count(dag), "stage", "stages");
    fputc('\n', out);
    label(out, "cluster");
    if (cluster->name) {
        cli_print_text(out, cluster->name);
        fputs(": ", out);
    }
    cli_print_count(out, br_cluster_machine_count(cluster), "machine", "machines");
    if (cluster->classes > 1)
        fprintf(out, " of %" PRIu32 " classes", cluster->classes);
    fputc('\n', out);
    label(out, "method");
    fputs(asked, out);
    if (strcmp(asked, br_plan_method(plan)) != 0) {
        fputs(": ", out);
        cli_print_text(out, br_plan_method(plan));
    }
    fputc('\n', out);
    label(out, "makespan");
    fprintf(out, "%s s\n", cli_seconds(makespan, text));
    label(out, "lower bound");
    fprintf(out, "%s s%s (%s)\n", cli_seconds(bound, text), plan->certificate ? ", proven" : "",
            br_plan_bound_method(plan));
    label(out, "gap");
    if (makespan == bound)
        fprintf(out, "%s\n", optimal(plan));
    else if (bound == 0)
        fputs("unknown\n", out);
    else if (plan->certificate && br_plan_gap(plan) <= BR_ROUNDING_TOLERANCE)
        fprintf(out, "%.3f %%, proven optimal to within 0.01 %%\n", 100 * br_plan_gap(plan));
    else
        fprintf(out, "%.2f %%\n", 100 * br_plan_gap(plan));
    if (plan->network_bound_ns > bound) {
        label(out, "with bytes");
        fprintf(out, "%s s: no plan that moves its bytes is shorter, which leaves %.2f %%\n",
                cli_seconds(plan->network_bound_ns, text),
                100 * ((double)makespan / (double)plan->network_bound_ns - 1));
    }
    if (plan->objective != BR_OBJECTIVE_MAKESPAN) {
        label(out, "mean");
        fprintf(out, "%s s, by which jobs or last stages end%s", cli_seconds(plan->mean_ns, text),
                plan->objective == BR_OBJECTIVE_WEIGHTED ? ", by weight" : "");
        fprintf(out, "; lower bound %s s, unproven\n", cli_seconds(plan->mean_bound_ns, text));
    }
    print_trials(out, plan);
    label(out, "lp bound");
    if (lp_note)
        fputs(lp_note, out);
    else
        cli_print_lp_bound(out, &plan->source);
    fputc('\n', out);
    if (plan->note) {
        label(out, "note");
        cli_print_text(out, plan->note);
        fputc('\n', out);
    }
}

static void print_threshold(FILE *out, const char *name, double value)
{
    if (isnan(value))
        fprintf(out, "%s none", name);
    else
        fprintf(out, "%s %.4g", name, value);
}

static void print_part(FILE *out, const struct br_plan_part *part, uint32_t number, uint32_t parts)
{
    char start[CLI_SECONDS_TEXT], makespan[CLI_SECONDS_TEXT], bound[CLI_SECONDS_TEXT];
    fprintf(out, "\npart %" PRIu32 " of %" PRIu32 ": ", number, parts);
    cli_print_count(out, part->tasks, "task", "tasks");
    fputs(" in ", out);
    cli_print_count(out, part->stages, "stage", "stages");
    fprintf(out, ", from %s s, makespan %s s, lower bound %s s\n",
            cli_seconds(part->start_ns, start), cli_seconds(part->makespan_ns, makespan),
            cli_seconds(part->lower_bound_ns, bound));
    fprintf(out, "  method      %s\n", part->method ? part->method : "unknown");
    if (part->bypass)
        fprintf(out, "  no search   %s\n", part->bypass);
    if (part->order) {
        fputs("  thresholds  ", out);
        print_threshold(out, "l", part->long_score);
        print_threshold(out, ", f", part->frag_score);
        fprintf(out,
                "\n  subsets     T %" PRIu32 ", S %" PRIu32 ", P %" PRIu32 ", C %" PRIu32
                " tasks\n",
                part->t, part->s, part->p, part->c);
        fprintf(out, "  order       %s  (> forward, < backward)\n", part->order);
    }
    if (part->pairs)
        fprintf(out,
                "  candidates  %" PRIu64 " threshold pairs: %" PRIu64 " distinct sets T, %" PRIu64
                " duplicate, %" PRIu64 " pruned; %" PRIu64 " variants tried\n",
                part->pairs, part->distinct, part->duplicate, part->pruned, part->variants);
}

void cli_print_explanation(FILE *out, const struct br_plan *plan)
{
    for (uint32_t k = 0; k < plan->parts; k++)
        print_part(out, &plan->part[k], k + 1, plan->parts);
}
