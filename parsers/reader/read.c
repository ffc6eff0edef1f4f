/* The common frame for reading a job, around the format's own reader: opening, the diagnostic's
 * file and place, the checks of the finished job, and the clean-up after a failure. */
#include "parsers/reader/durations.h"
#include "parsers/reader/formats.h"
#include "parsers/text/value.h"

struct br_parse_options br_parse_options_default(void)
{
    return (struct br_parse_options){
        .transfer_rate = {0, 0},
        .transfer_mode = BR_TRANSFER_DELAY,
        .speed = {1, 9},
    };
}

void br_input_finish(struct br_input *input)
{
    br_dag_destroy(input->dag);
    br_cluster_destroy(input->cluster);
    *input = (struct br_input){0};
}

enum br_status br_read_finish(const struct br_source *source, struct br_dag *dag,
                              struct br_diag *diag)
{
    br_value_place(diag, (struct br_pos){0, 0});
    enum br_status status = br_dag_set_source(dag, source->name, diag);
    return status ? status : br_dag_finish(dag, diag);
}

enum br_status br_read_whole_job(const char *path, const struct br_parse_options *options,
                                 br_choose_reader *choose, struct br_input *input,
                                 struct br_diag *diag)
{
    const struct br_parse_options defaults = br_parse_options_default();
    struct br_source source;
    br_read_job *read = NULL;
    *input = (struct br_input){0};
    if (!options)
        options = &defaults;
    br_value_place(diag, (struct br_pos){0, 0});
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    status = choose(&source, options, &read, diag);
    if (!status)
        status = read(&source, options, input, diag);
    if (!status && !input->dag->finished)
        status = br_read_finish(&source, input->dag, diag);
    br_source_close(&source);
    if (!status && options->durations && !input->timed)
        status = br_read_durations(options->durations, options->many, input->dag, diag);
    if (!status && ((options->durations && !input->timed) || options->default_duration_ns > 0))
        input->dag->recorded_ns = 0; /* the recorded run did not have these durations */
    if (status)
        br_input_finish(input);
    else
        br_diag_file(diag, NULL);
    return status;
}
