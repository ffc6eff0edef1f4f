/* bigrocks convert: a job in another form. */
#include "cli/inputs/load.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/output.h"
#include "emit/emit.h"
#include "planner/model/ranges.h"

static int convert_perform(const struct cli_settings *settings, const char *const *argument,
                           uint32_t arguments, struct br_diag *diag)
{
    const char *format;
    struct br_input input;
    struct cli_output output;
    enum br_status status = cli_format(&settings->output, &br_emit_jobs, &format, diag);
    if (status)
        return status;
    status = cli_load(&settings->job, argument[0], false, &input, diag);
    if (status)
        return status;
    cli_warn_reading(argument[0], input.dag);
    struct br_dag *apart = NULL;
    if (settings->output.by_task)
        status = br_dag_by_task(input.dag, &apart, diag);
    if (apart)
        status = br_dag_finish(apart, diag);
    struct br_emit_input emit = {.dag = apart ? apart : input.dag, .cluster = input.cluster};
    if (!status)
        status = cli_output_open(&output, settings->output.path, diag);
    if (!status) {
        status = br_emit_job(format, &emit, output.file, diag);
        status = cli_output_close(&output, status, diag);
    }
    br_dag_destroy(apart);
    br_input_finish(&input);
    return status;
}

static const struct br_option convert_rows[] = {
    OPTION(NAME, "format", "F", output.format,
           "write the job in this format (default: by the ending of -o FILE)", .letter = 'f',
           .rows = &br_emit_jobs),
    OPTION(FLAG, "by-task", NULL, output.by_task,
           "make each task a stage of its own, with a barrier for each pair that waits"),
    OPTIONS_END};

const struct cli_command cli_convert = {
    .name = "convert",
    .bit = CLI_CONVERT,
    .options = convert_rows,
    .least = 1,
    .most = 1,
    .perform = convert_perform,
    .arguments = "JOB",
    .summary = "write a job in another format",
    .text = "Reads a job in any known format and writes it in another. The cluster, if there is\n"
            "one, goes along in the XML format.\n",
    .examples = "bigrocks convert examples/build.dot --format xml\n"
                "bigrocks convert examples/query.xml -o query.dot\n"
                "bigrocks convert examples/word-count.xml --by-task --format xml\n",
};
