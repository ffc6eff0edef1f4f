/* bigrocks render: a plan in another form. */
#include "cli/common.h"
#include "emit/emit.h"

enum br_status cli_render(const struct cli_settings *settings, const char *const *argument,
                          uint32_t arguments, struct br_diag *diag)
{
    const char *format;
    struct br_input input;
    struct br_plan *plan;
    struct cli_output output;
    enum br_status status = cli_format(settings, br_emit_plan_name, &format, diag);
    if (status)
        return status;
    status = br_parse_plan(argument[0], &input, &plan, diag);
    if (status)
        return status;
    /* Also a plan that does not hold can be looked at, but not without a word. */
    struct br_diag fault = {0};
    if (!settings->quiet &&
        br_plan_verify(plan, input.dag, input.cluster, 1, NULL, NULL, &fault) == BR_NO)
        cli_say("note: this plan does not hold: %s; see 'bigrocks check'", fault.what);
    struct br_emit_input emit = {.dag = input.dag, .cluster = input.cluster, .plan = plan};
    status = cli_output_open(&output, settings->output, diag);
    if (!status) {
        status = br_emit_plan(format, &emit, output.file, diag);
        status = cli_output_close(&output, status, diag);
    }
    br_plan_destroy(plan);
    br_input_finish(&input);
    return status;
}
