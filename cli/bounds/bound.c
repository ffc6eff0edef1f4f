/* bigrocks bound: a lower bound without a plan, with its proof. */
#include "cli/bounds/bound_clauses.h"
#include "cli/bounds/what_if.h"
#include "cli/common/load.h"
#include "cli/common/interrupt.h"
#include "cli/common/say.h"
#include "emit/emit.h"
#include "planner/bounds/certify.h"
#include "planner/check/certificate.h"

/* The bounds that there are; the certificate is that of the best. */
struct bounds {
    int64_t core_ns, best_ns;
    const char *core_method, *best_method;
    struct br_certificate *certificate;
    int64_t clause_ns; /* 0: the job is not one for clauses */
    bool clauses_lost; /* some bound has no proof, and does not count */
    struct cli_lp_bound lp;
};

/* The core's bound, proven and checked. */
static enum br_status find_core(const struct br_input *input, const struct br_instance *in,
                                struct bounds *b, struct br_diag *diag)
{
    enum br_status status =
        br_bound(input->dag, input->cluster, &b->core_ns, &b->core_method, diag);
    if (status)
        return status;
    b->best_ns = b->core_ns;
    b->best_method = b->core_method;
    b->certificate = br_certify(in);
    if (!b->certificate)
        return br_fail_memory(diag);
    status = br_certificate_check(b->certificate, input->dag, in, diag);
    if (status) {
        br_certificate_destroy(b->certificate);
        b->certificate = NULL;
    }
    return status == BR_NO ? BR_OK : status;
}

/* Takes over what another certificate, which has been checked, proves beyond the best. One that
 * does not even prove the best, where the core's proof is missing, is of no use. */
static void take(struct bounds *b, struct br_certificate *from, const char *method)
{
    int64_t ns = 0;
    br_certificate_take(&b->certificate, from);
    if (!b->certificate || !br_certificate_bound(b->certificate, &ns))
        ns = 0;
    if (ns > b->best_ns) {
        b->best_ns = ns;
        b->best_method = method;
    } else if (ns < b->best_ns) {
        br_certificate_destroy(b->certificate);
        b->certificate = NULL;
    }
}

/* What the solvers make of it. */
static void find_more(const struct cli_settings *settings, const struct br_input *input,
                      const struct br_instance *in, bool with_lp, struct bounds *b)
{
    struct cli_progress progress;
    const struct br_stop *stop = cli_interrupt_catch();
    struct cli_settings own = *settings;
    if (settings->bound.explain) /* clauses prove much and tell nothing */
        own.bound.conflicts = 0;
    cli_progress_begin(&progress, settings->output.quiet);
    struct br_certificate *clauses =
        cli_bound_clauses(&own, input, in, with_lp, stop, &progress, &b->lp, &b->clauses_lost);
    cli_progress_end(&progress);
    cli_interrupt_release();
    if (b->lp.found)
        take(b, b->lp.answer.certificate, b->lp.answer.method);
    else
        br_certificate_destroy(b->lp.answer.certificate);
    b->lp.answer.certificate = NULL;
    if (clauses && br_certificate_bound(clauses, &b->clause_ns) &&
        br_certificate_check(clauses, input->dag, in, NULL) == BR_OK)
        take(b, clauses, "lazy clause generation");
    else
        br_certificate_destroy(clauses);
}

static enum br_status print_json(const struct br_input *input, const struct bounds *b,
                                 struct br_diag *diag)
{
    const struct br_emit_input job = {.dag = input->dag, .cluster = input->cluster};
    const struct br_emit_bound bound = {
        .lower_bound_ns = b->best_ns,
        .method = b->best_method,
        .certificate = b->certificate,
        .core_ns = b->core_ns,
        .core_method = b->core_method,
        .lp_ns = b->lp.answer.lower_bound_ns,
        .lp_method = b->lp.answer.method,
        .lp_status = b->lp.answer.status,
        .lp_note = b->lp.found ? NULL : b->lp.why,
    };
    return br_emit_bound(&job, &bound, stdout, diag);
}

static void print_text(const struct bounds *b)
{
    char text[CLI_SECONDS_TEXT];
    printf("lower bound  %s s%s (%s)\n", cli_seconds(b->best_ns, text),
           b->certificate ? ", proven" : "", b->best_method);
    printf("core bound   %s s (%s)\n", cli_seconds(b->core_ns, text), b->core_method);
    if (b->clause_ns > 0)
        printf("clause bound %s s%s\n", cli_seconds(b->clause_ns, text),
               b->clauses_lost ? " (more was found; its proof is too long to be kept)" : "");
    fputs("lp bound     ", stdout);
    cli_print_lp_bound(stdout, &b->lp);
    putchar('\n');
}

static int perform(const struct cli_settings *settings, const char *const *argument,
                   uint32_t arguments, struct br_diag *diag)
{
    struct br_input input;
    struct bounds b = {.lp.why = "not asked for"};
    enum br_status status = cli_load(&settings->job, argument[0], true, &input, diag);
    if (status)
        return status;
    cli_warn(argument[0], input.dag);
    if (settings->bound.what_if) {
        status = cli_what_if(settings, &input, diag);
        br_input_finish(&input);
        return status;
    }
    if (settings->output.format || settings->output.path)
        status = br_fail(diag, BR_USAGE, "redirect standard output, or add --what-if",
                         "--format and -o belong to --what-if");
    struct br_instance *in = NULL;
    if (!status)
        status = br_instance_create(input.dag, input.cluster, &in, diag);
    if (!status)
        status = find_core(&input, in, &b, diag);
    bool large = settings->bound.lp == 0 && settings->search.time_limit_ns < 0 &&
                 settings->bound.cpu_limit_ns < 0 && br_dag_task_count(input.dag) > CLI_LP_TASKS;
    if (large)
        snprintf(b.lp.why, sizeof b.lp.why, "skipped (a large job; --lp asks for it)");
    if (!status)
        find_more(settings, &input, in, settings->bound.lp >= 0 && !large, &b);
    br_instance_destroy(in);
    if (!status && settings->bound.json) {
        status = print_json(&input, &b, diag);
    } else if (!status && settings->output.quiet) {
        char text[BR_SECONDS_TEXT];
        br_seconds_format(b.best_ns, text, sizeof text);
        printf("%s\n", text);
    } else if (!status) {
        print_text(&b);
        if (settings->bound.explain)
            status = cli_explain_bound(input.dag, input.cluster, b.certificate, diag);
    }
    br_certificate_destroy(b.certificate);
    br_input_finish(&input);
    return status;
}

const struct cli_command cli_bound = {
    .name = "bound",
    .bit = CLI_BOUND,
    .least = 1,
    .most = 1,
    .perform = perform,
    .arguments = "JOB",
    .summary = "prove how short no plan can be",
    .text =
        "Prints a lower bound on the makespan of every plan, and the argument that proves it: the\n"
        "best of the combinatorial bounds and, where the program bigrocks-bound is installed, of "
        "a\n"
        "linear program. --explain says what limits the job; --what-if tries other clusters.\n",
    .examples =
        "bigrocks bound examples/build.dot --capacity cpu=4,mem=4GiB\n"
        "bigrocks bound examples/query.xml --cluster examples/cluster-rack.xml --explain\n"
        "bigrocks bound examples/query.xml --cluster examples/cluster-rack.xml --no-lp --json\n"
        "bigrocks bound examples/query.xml --cluster examples/cluster-rack.xml --what-if "
        "disk+25%\n",
};
