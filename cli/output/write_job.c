#include "cli/output/write_job.h"

#include "cli/output/output.h"
#include "emit/emit.h"

enum br_status cli_write_job(const struct cli_output_settings *settings, const struct br_dag *dag,
                             const struct br_cluster *cluster, struct br_diag *diag)
{
    const char *format = settings->format;
    struct cli_output output;
    struct br_emit_input emit = {.dag = dag, .cluster = cluster};
    if (!format && settings->path)
        format = cli_format_of(settings->path, &br_emit_jobs);
    enum br_status status = cli_output_open(&output, settings->path, diag);
    if (status)
        return status;
    status = br_emit_job(format ? format : "xml", &emit, output.file, diag);
    return cli_output_close(&output, status, diag);
}
