/* bigrocks bound: a lower bound without a plan, with its proof. */
#include "cli/what_if.h"
#include "emit/emit.h"
#include "planner/certificate/certificate.h"
#include "planner/exact/exact.h"

/* The bounds that there are; the certificate is that of the best. */
struct bounds {
    int64_t core_ns, best_ns;
    const char *core_method, *best_method;
    struct br_certificate *certificate;
    int64_t clause_ns; /* 0: the job is not one for clauses */
    struct cli_lp_bound lp;
};

/* Raises the bound by clauses, which a job on one machine may need. */
static void find_clauses(const struct br_input *input, const struct br_instance *in,
                         uint64_t conflicts, const volatile int *stop, struct bounds *b)
{
    struct br_certificate *c = conflicts > 0 ? br_exact_certify(in, conflicts, stop) : NULL;
    if (!c || !br_certificate_bound(c, &b->clause_ns) ||
        br_certificate_check(c, input->dag, in, NULL) != BR_OK || b->clause_ns <= b->best_ns) {
        br_certificate_destroy(c);
        return;
    }
    br_certificate_destroy(b->certificate);
    b->certificate = c;
    b->best_ns = b->clause_ns;
    b->best_method = "lazy clause generation";
}

/* The core's bound, proven and checked. */
static enum br_status find_core(const struct cli_settings *settings, const struct br_input *input,
                                struct bounds *b, struct br_diag *diag)
{
    struct br_instance *in;
    enum br_status status =
        br_bound(input->dag, input->cluster, &b->core_ns, &b->core_method, diag);
    if (!status)
        status = br_instance_create(input->dag, input->cluster, &in, diag);
    if (status)
        return status;
    b->best_ns = b->core_ns;
    b->best_method = b->core_method;
    b->certificate = br_certify(in);
    if (b->certificate && br_certificate_check(b->certificate, input->dag, in, NULL)) {
        br_certificate_destroy(b->certificate);
        b->certificate = NULL;
    }
    /* Clauses prove much and tell nothing. */
    uint64_t conflicts = settings->explain ? 0 : settings->conflicts;
    find_clauses(input, in, conflicts, cli_interrupt_catch(), b);
    cli_interrupt_release();
    br_instance_destroy(in);
    return BR_OK;
}

static void find_lp(const struct cli_settings *settings, const struct br_input *input,
                    struct bounds *b)
{
    struct cli_progress progress;
    const volatile int *stop = cli_interrupt_catch();
    cli_progress_begin(&progress, settings->quiet);
    cli_bound_child(input->dag, input->cluster, settings->time_limit_ns, "1", stop, &progress,
                    &b->lp);
    cli_progress_end(&progress);
    cli_interrupt_release();
    if (b->lp.found && b->lp.answer.lower_bound_ns > b->best_ns) {
        br_certificate_destroy(b->certificate);
        b->certificate = b->lp.answer.certificate;
        b->best_ns = b->lp.answer.lower_bound_ns;
        b->best_method = b->lp.answer.method;
    } else {
        br_certificate_destroy(b->lp.answer.certificate);
    }
    b->lp.answer.certificate = NULL;
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
        printf("clause bound %s s\n", cli_seconds(b->clause_ns, text));
    fputs("lp bound     ", stdout);
    cli_print_lp_bound(stdout, &b->lp);
    putchar('\n');
}

enum br_status cli_bound(const struct cli_settings *settings, const char *const *argument,
                         uint32_t arguments, struct br_diag *diag)
{
    struct br_input input;
    struct bounds b = {.lp.why = "not asked for"};
    enum br_status status = cli_load(settings, argument[0], true, &input, diag);
    if (status)
        return status;
    if (settings->what_if) {
        status = cli_what_if(settings, &input, diag);
        br_input_finish(&input);
        return status;
    }
    if (settings->format || settings->output)
        status = br_fail(diag, BR_USAGE, "redirect standard output, or add --what-if",
                         "--format and -o belong to --what-if");
    if (!status)
        status = find_core(settings, &input, &b, diag);
    bool large = settings->lp == 0 && settings->time_limit_ns < 0 &&
                 br_dag_task_count(input.dag) > CLI_LP_TASKS;
    if (large)
        snprintf(b.lp.why, sizeof b.lp.why, "skipped (a large job; --lp asks for it)");
    else if (!status && settings->lp >= 0)
        find_lp(settings, &input, &b);
    if (!status && settings->json) {
        status = print_json(&input, &b, diag);
    } else if (!status && settings->quiet) {
        char text[BR_SECONDS_TEXT];
        br_seconds_format(b.best_ns, text, sizeof text);
        printf("%s\n", text);
    } else if (!status) {
        print_text(&b);
        if (settings->explain)
            status = cli_explain_bound(input.dag, input.cluster, b.certificate, diag);
    }
    br_certificate_destroy(b.certificate);
    br_input_finish(&input);
    return status;
}
