/* bigrocks render: a plan, or two beside each other, in another form. */
#include <string.h>

#include "cli/common.h"
#include "emit/emit.h"

enum { PLANS_MOST = 2 };

/* Also a plan that does not hold can be looked at, but not without a word. */
static enum br_status read_plan(const struct cli_settings *settings, const char *path,
                                struct br_input *input, struct br_plan **plan, struct br_diag *diag)
{
    struct br_diag fault = {0};
    enum br_status status = br_parse_plan(path, input, plan, diag);
    if (!status && !settings->quiet &&
        br_plan_verify(*plan, input->dag, input->cluster, 1, NULL, NULL, &fault) == BR_NO)
        cli_say("note: this plan does not hold: %s; see 'bigrocks check'", fault.what);
    return status;
}

static enum br_colour colour_of(const char *name)
{
    return strcmp(name, "subset") == 0  ? BR_COLOUR_SUBSET
           : strcmp(name, "stage") == 0 ? BR_COLOUR_STAGE
                                        : BR_COLOUR_CHOOSE;
}

enum br_status cli_render(const struct cli_settings *settings, const char *const *argument,
                          uint32_t arguments, struct br_diag *diag)
{
    const char *format;
    struct br_input input[PLANS_MOST] = {{0}};
    struct br_plan *plan[PLANS_MOST] = {NULL};
    struct br_emit_input emit[PLANS_MOST];
    struct cli_output output;
    enum br_status status = cli_format(settings, br_emit_plan_name, &format, diag);
    if (status)
        return status;
    if (arguments > 1 && !br_emit_shows_two(format))
        return br_fail(diag, BR_USAGE, "give one plan, or --format svg or html",
                       "the format '%s' shows one plan", format);
    for (uint32_t k = 0; k < arguments && !status; k++) {
        status = read_plan(settings, argument[k], &input[k], &plan[k], diag);
        emit[k] = (struct br_emit_input){.dag = input[k].dag,
                                         .cluster = input[k].cluster,
                                         .plan = plan[k],
                                         .colour = colour_of(settings->colour),
                                         .shell = settings->shell};
    }
    if (!status)
        status = cli_output_open(&output, settings->output, diag);
    if (!status) {
        emit[0].other = arguments > 1 ? &emit[1] : NULL;
        status = br_emit_plan(format, &emit[0], output.file, diag);
        status = cli_output_close(&output, status, diag);
    }
    for (uint32_t k = 0; k < arguments; k++) {
        br_plan_destroy(plan[k]);
        br_input_finish(&input[k]);
    }
    return status;
}
