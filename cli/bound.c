/* bigrocks bound: a lower bound without a plan. */
#include <string.h>

#include "cli/common.h"
#include "emit/write.h"

static void print_quoted(const char *text)
{
    putchar('"');
    br_write_text(stdout, BR_QUOTE_JSON, text);
    putchar('"');
}

static void print_json(const struct br_dag *dag, int64_t bound_ns, const char *method,
                       int64_t core_ns, const char *core_method, const struct cli_lp_bound *lp)
{
    char text[BR_SECONDS_TEXT];
    printf("{\"job\": ");
    print_quoted(br_dag_name(dag));
    br_seconds_format(bound_ns, text, sizeof text);
    printf(", \"tasks\": %u, \"lower_bound\": %s, \"method\": ", br_dag_task_count(dag), text);
    print_quoted(method);
    br_seconds_format(core_ns, text, sizeof text);
    printf(",\n \"core\": {\"lower_bound\": %s, \"method\": ", text);
    print_quoted(core_method);
    printf("},\n \"lp\": {");
    if (lp->found) {
        br_seconds_format(lp->answer.lower_bound_ns, text, sizeof text);
        printf("\"lower_bound\": %s, \"method\": ", text);
        print_quoted(lp->answer.method);
        if (lp->answer.status[0]) {
            printf(", \"status\": ");
            print_quoted(lp->answer.status);
        }
    } else {
        printf("\"note\": ");
        print_quoted(lp->why);
    }
    printf("}}\n");
}

static void print_text(int64_t bound_ns, const char *method, int64_t core_ns,
                       const char *core_method, const struct cli_lp_bound *lp)
{
    char text[CLI_SECONDS_TEXT];
    printf("lower bound  %s s (%s)\n", cli_seconds(bound_ns, text), method);
    printf("core bound   %s s (%s)\n", cli_seconds(core_ns, text), core_method);
    fputs("lp bound     ", stdout);
    cli_print_lp_bound(stdout, lp);
    putchar('\n');
}

enum br_status cli_bound(const struct cli_settings *settings, const char *const *argument,
                         uint32_t arguments, struct br_diag *diag)
{
    struct br_input input;
    struct cli_lp_bound lp = {.why = "not asked for"};
    struct cli_progress progress;
    int64_t core_ns;
    const char *core_method = "";
    enum br_status status = cli_load(settings, argument[0], true, &input, diag);
    if (status)
        return status;
    status = br_bound(input.dag, input.cluster, &core_ns, &core_method, diag);
    if (!status) {
        if (settings->lp >= 0) {
            const volatile int *stop = cli_interrupt_catch();
            cli_progress_begin(&progress, settings->quiet);
            cli_bound_child(input.dag, input.cluster, settings->time_limit_ns, "1", stop, &progress,
                            &lp);
            cli_progress_end(&progress);
            cli_interrupt_release();
        }
        bool better = lp.found && lp.answer.lower_bound_ns > core_ns;
        int64_t bound_ns = better ? lp.answer.lower_bound_ns : core_ns;
        const char *method = better ? lp.answer.method : core_method;
        if (settings->json)
            print_json(input.dag, bound_ns, method, core_ns, core_method, &lp);
        else if (settings->quiet) {
            char text[BR_SECONDS_TEXT];
            br_seconds_format(bound_ns, text, sizeof text);
            printf("%s\n", text);
        } else {
            print_text(bound_ns, method, core_ns, core_method, &lp);
        }
    }
    br_input_finish(&input);
    return status;
}
