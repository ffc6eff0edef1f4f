/* bigrocks bound: a lower bound without a plan, with its proof. */
#include <math.h>
#include <string.h>

#include "base/process/clock.h"
#include "cli/bounds/lp_bound.h"
#include "cli/bounds/storage.h"
#include "cli/bounds/proof_files.h"
#include "cli/bounds/what_if.h"
#include "cli/inputs/load.h"
#include "cli/options/options.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/say.h"
#include "cli/terminal/stats.h"
#include "emit/emit.h"
#include "emit/pictures/curve.h"
#include "planner/eligibility/features.h"
#include "planner/search/bound/best_bound.h"

/* The options of the call; a limit of 0 means as little work as possible, and reading counts. */
static struct br_bound_options bound_options(const struct cli_settings *settings, int64_t read_ns,
                                             bool clauses)
{
    struct br_bound_options options = br_bound_options_default();
    if (settings->search.time_limit_ns >= 0)
        options.time_limit_ns =
            settings->search.time_limit_ns > read_ns ? settings->search.time_limit_ns - read_ns : 1;
    if (settings->bound.cpu_limit_ns >= 0)
        options.cpu_limit_ns = settings->bound.cpu_limit_ns > 0 ? settings->bound.cpu_limit_ns : 1;
    options.threads = (uint32_t)settings->search.threads;
    /* A proof by clauses proves much but explains nothing. */
    options.conflicts = settings->bound.explain || !clauses ? 0 : settings->bound.conflicts;
    if (!isnan(settings->search.tolerance))
        options.tolerance = settings->search.tolerance / 100;
    return options;
}

static enum br_status cli_find_bound(const struct cli_settings *settings,
                                     const struct br_input *input, int64_t began_ns, bool clauses,
                                     struct br_bound_result *r, struct br_counters *counters,
                                     struct br_diag *diag)
{
    struct cli_progress progress;
    const struct br_bound_source program = br_bound_program(NULL);
    struct br_bound_options options = bound_options(settings, br_now_ns() - began_ns, clauses);
    bool timed = options.time_limit_ns > 0 || options.cpu_limit_ns > 0;
    bool large = settings->bound.lp == 0 && !timed && br_dag_task_count(input->dag) > CLI_LP_TASKS;
    if (settings->bound.lp >= 0 && !large &&
        !settings->bound.proof) /* prices have no form, either */
        options.source = &program;
    options.stop = cli_interrupt_catch();
    options.progress = cli_progress_bound;
    options.progress_context = &progress;
    cli_progress_begin(&progress, settings->output.quiet);
    enum br_status status =
        br_best_bound_of(input->dag, input->cluster, &options, r, counters, diag);
    cli_progress_end(&progress);
    cli_interrupt_release();
    if (large)
        snprintf(r->source.why, sizeof r->source.why, "skipped (a large job; --lp asks for it)");
    return status;
}

/* Are clauses worth a search? On several machines they have no form for other checkers; of a job
 * with features the relaxed one may be on one machine. */
static bool bound_clauses(const struct cli_settings *settings, const struct br_input *input)
{
    return !settings->bound.proof || input->cluster->machines == 1 ||
           br_features(input->dag, input->cluster);
}

/* The bound, and its proof as files if they are asked for. If clauses turn out to have no form
 * there, the arguments that need no search are found again. *proof says what became of the files.
 */
static enum br_status bound_find(const struct cli_settings *settings, const struct br_input *input,
                                 int64_t began_ns, struct br_bound_result *r,
                                 struct br_counters *counters, struct cli_proof *proof,
                                 struct br_diag *diag)
{
    enum br_status status = cli_find_bound(settings, input, began_ns,
                                           bound_clauses(settings, input), r, counters, diag);
    if (status || !settings->bound.proof)
        return status;
    proof->diag = *diag;
    proof->status = cli_write_proof(settings, input, r, &proof->size, &proof->diag);
    if (proof->status != BR_NO || r->clause_ns == 0)
        return BR_OK;
    const struct br_counters first = *counters;
    br_bound_result_finish(r);
    *r = (struct br_bound_result){0};
    status = cli_find_bound(settings, input, began_ns, false, r, counters, diag);
    br_counters_add(counters, &first);
    if (!status)
        proof->status = cli_write_proof(settings, input, r, &proof->size, &proof->diag);
    return status;
}

static enum br_status print_json(const struct br_input *input, const struct br_bound_result *r,
                                 struct br_diag *diag)
{
    const struct br_emit_input job = {.dag = input->dag, .cluster = input->cluster};
    const struct br_emit_bound bound = {
        .lower_bound_ns = r->lower_bound_ns,
        .method = r->method,
        .certificate = r->certificate,
        .at_most_ns = r->at_most_ns,
        .core_ns = r->core_ns,
        .core_method = r->core_method,
        .lp_ns = r->source.lower_bound_ns,
        .lp_method = r->source.method,
        .lp_status = r->source.status,
        .lp_note = r->source.found ? NULL : r->source.why,
    };
    return br_emit_bound(&job, &bound, stdout, diag);
}

static void bounds_print_text(const struct br_bound_result *r)
{
    char text[CLI_SECONDS_TEXT];
    printf("lower bound  %s s%s (%s)\n", cli_seconds(r->lower_bound_ns, text),
           r->certificate ? ", proven" : "", r->method);
    if (r->at_most_ns > r->lower_bound_ns && r->lower_bound_ns > 0)
        printf("optimum      at most %s s: rounding leaves %.3f %%\n",
               cli_seconds(r->at_most_ns, text),
               100 * ((double)r->at_most_ns / (double)r->lower_bound_ns - 1));
    printf("core bound   %s s (%s)\n", cli_seconds(r->core_ns, text), r->core_method);
    if (r->clause_ns > 0)
        printf("clause bound %s s%s\n", cli_seconds(r->clause_ns, text),
               r->clause_lost ? " (a higher bound was found, but its proof is too long to be kept)"
                              : "");
    fputs("lp bound     ", stdout);
    cli_print_lp_bound(stdout, &r->source);
    putchar('\n');
}

/* Text for people and output for programs do not go to the same place. */
static enum br_status check_outputs(const struct cli_settings *settings, struct br_diag *diag)
{
    const char *format = settings->output.format, *path = settings->output.path;
    if (settings->bound.proof && (!path || strcmp(path, "-") == 0 || settings->bound.what_if))
        return br_fail(diag, BR_USAGE,
                       "add -o NAME, for the names of two files, and leave --what-if out",
                       "--proof writes two files of its own");
    if (!settings->bound.what_if && (format || (path && !settings->bound.proof)))
        return br_fail(diag, BR_USAGE,
                       "redirect standard output, or add --what-if, --storage or --proof",
                       "--format and -o belong to --what-if and --storage, -o to --proof");
    if (settings->bound.what_if &&
        (settings->bound.json || settings->output.quiet ||
         (format && !settings->output.path && strcmp(format, "text") != 0)))
        return br_fail(diag, BR_USAGE, "leave --explain out, or give -o FILE",
                       "--explain prints sentences, --what-if something else for programs");
    return BR_OK;
}

static int bounds_perform(const struct cli_settings *settings, const char *const *argument,
                          uint32_t arguments, struct br_diag *diag)
{
    struct br_input input;
    struct br_bound_result r = {0};
    struct br_counters counters = {0};
    struct cli_proof proof = {.status = BR_OK};
    int64_t began_ns = br_now_ns();
    enum br_status status = cli_load(&settings->job, argument[0], true, &input, diag);
    if (status)
        return status;
    int64_t read_ns = br_now_ns() - began_ns;
    cli_warn(argument[0], input.dag);
    if (settings->needs.history)
        status = cli_learn(settings->needs.history, &input, settings->output.quiet, diag);
    if (status) {
        br_input_finish(&input);
        return status;
    }
    if (settings->bound.storage || (settings->bound.what_if && !settings->bound.explain)) {
        status = settings->bound.storage ? cli_storage(settings, &input, diag)
                                         : cli_what_if(settings, &input, diag);
        br_input_finish(&input);
        return status;
    }
    status = check_outputs(settings, diag);
    if (!status)
        status = bound_find(settings, &input, began_ns, &r, &counters, &proof, diag);
    if (!status)
        cli_warn_bound(argument[0], input.dag, input.cluster, r.lower_bound_ns);
    if (!status && settings->bound.json) {
        status = print_json(&input, &r, diag);
    } else if (!status && settings->output.quiet) {
        char text[BR_SECONDS_TEXT];
        br_seconds_format(r.lower_bound_ns, text);
        printf("%s\n", text);
    } else if (!status) {
        bounds_print_text(&r);
        if (settings->bound.explain)
            status = cli_explain_bound(&input, &r, diag);
        if (!status && settings->bound.what_if) {
            puts("what if:");
            status = cli_what_if(settings, &input, diag);
        }
    }
    if (!status && settings->bound.proof)
        status = cli_tell_proof(settings, &r, &proof, diag);
    counters.read_ns = (uint64_t)read_ns;
    if (!status && settings->output.stats)
        cli_stats_print(stderr, &counters, settings->bound.json);
    br_bound_result_finish(&r);
    br_input_finish(&input);
    return status;
}

static const struct br_option bound_rows[] = {
    OPTION(SECONDS, "cpu-limit", "S", bound.cpu_limit_ns,
           "seconds of processor time for each of the two solvers, however busy the machine is"),
    OPTION(COUNT, "conflicts", "N", bound.conflicts,
           "conflicts that the exact solver may spend on a part of a job on one machine, or a "
           "small one on several, to raise the bound (default: 10000, or as many as --time-limit "
           "allows; 0: none)",
           .most = UINT64_MAX),
    OPTION(TEXT, "what-if", "CHANGES", bound.what_if,
           "the bound on other clusters: changes such as cpu+25%, mem=128GiB or machines+2, of a "
           "class of machines such as old:machines-4, or ranges such as machines=1..8 or "
           "cpu+0..100%/25, with commas between them; ' and ' between changes makes them together"),
    OPTION(TEXT, "storage", "R", bound.storage,
           "how much of the resource R the job needs: the least peak of all orders, and how long "
           "the job takes with more"),
    OPTION(NAME, "format", "F", output.format,
           "write the result of --what-if or --storage in this format (default: by the ending of "
           "-o FILE, else text)",
           .letter = 'f', .rows = &br_curve_formats),
    OPTION(
        NAME, "proof", "FORM", bound.proof,
        "write the proof of a bound without the linear program for another checker, as two files "
        "such as NAME.opb and NAME.pbp, where -o gives NAME",
        .rows = &cli_proof_formats),
    OPTION(FLAG, "explain", NULL, bound.explain,
           "also explain what limits the job, and how much more machines or more of a resource "
           "would gain"),
    OPTION(FLAG, "json", NULL, bound.json, "write the bound, and the counters of --stats, as JSON"),
    OPTIONS_END};

const struct cli_command cli_bound = {
    .name = "bound",
    .bit = CLI_BOUND,
    .options = bound_rows,
    .least = 1,
    .most = 1,
    .perform = bounds_perform,
    .arguments = "JOB",
    .summary = "prove a lower bound on the makespan",
    .text = "Prints a lower bound on the makespan of every plan, and the argument that proves\n"
            "it: the best of the combinatorial bounds and, if the program bigrocks-bound is\n"
            "installed, of a linear program. --explain says what limits the job; --what-if tries\n"
            "other clusters; --storage says how much of a resource has to be there. With "
            "--history, tasks last as long as in the runs of FILE on\n"
            "average.\n",
    .examples =
        "bigrocks bound examples/build.dot --capacity cpu=4,mem=4GiB\n"
        "bigrocks bound examples/query.xml --cluster examples/cluster-rack.xml --explain\n"
        "bigrocks bound examples/query.xml --cluster examples/cluster-rack.xml --no-lp --json\n"
        "bigrocks bound examples/query.xml --cluster examples/cluster-rack.xml --what-if "
        "disk+25%\n"
        "bigrocks bound examples/build.dot --capacity cpu=4,mem=4GiB --proof veripb -o build\n"
        "bigrocks bound examples/joins.xml --capacity cpu=4,mem=2GiB --shared licence=1 --storage "
        "mem\n",
};
