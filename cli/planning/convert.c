/* bigrocks convert: a job in another form. */
#include "cli/common.h"
#include "emit/emit.h"

enum br_status cli_convert(const struct cli_settings *settings, const char *const *argument,
                           uint32_t arguments, struct br_diag *diag)
{
    const char *format;
    struct br_input input;
    struct cli_output output;
    enum br_status status = cli_format(settings, br_emit_job_name, &format, diag);
    if (status)
        return status;
    status = cli_load(settings, argument[0], false, &input, diag);
    if (status)
        return status;
    struct br_emit_input emit = {.dag = input.dag, .cluster = input.cluster};
    status = cli_output_open(&output, settings->output, diag);
    if (!status) {
        status = br_emit_job(format, &emit, output.file, diag);
        status = cli_output_close(&output, status, diag);
    }
    br_input_finish(&input);
    return status;
}
