/* bigrocks annotate: adds the figures of its history to a job. */
#include "cli/inputs/load.h"
#include "cli/options/commands.h"
#include "cli/output/write_job.h"

static int jobs_annotate_perform(const struct cli_settings *settings, const char *const *argument,
                                 uint32_t arguments, struct br_diag *diag)
{
    struct br_input input;
    if (!settings->needs.history)
        return br_fail(diag, BR_USAGE, "add --history FILE", "no history is given");
    enum br_status status = cli_load(&settings->job, argument[0], false, &input, diag);
    if (status)
        return status;
    status = cli_learn(settings->needs.history, &input, settings->output.quiet, diag);
    if (!status)
        status = cli_write_job(&settings->output, input.dag, input.cluster, diag);
    br_input_finish(&input);
    return status;
}

const struct cli_command cli_annotate = {
    .name = "annotate",
    .bit = CLI_ANNOTATE,
    .least = 1,
    .most = 1,
    .perform = jobs_annotate_perform,
    .arguments = "JOB",
    .summary = "write the measurements of runs into a job",
    .text = "Reads a job and writes it with the durations and the demands for cpu and mem that\n"
            "its history knows: the average of a task over the last runs, and the most memory.\n"
            "Stages are found by the job's name and their own, or if the history has no runs of\n"
            "that name, by a job with the same stages. Values that the history does not know\n"
            "stay as they are.\n",
    .examples = "bigrocks annotate examples/run.xml --history runs.sqlite -o job.xml\n",
};
