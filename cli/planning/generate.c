/* bigrocks generate: a job from a seed. */
#include "cli/common.h"
#include "emit/emit.h"
#include "generate/generate.h"

/* The one option that is no whole number. It may be 0, which amounts may not. */
static enum br_status read_spread(const char *text, double *spread, struct br_diag *diag)
{
    struct br_decimal value;
    if (!text)
        return BR_OK;
    if (br_decimal_parse(text, &value) != BR_DECIMAL_OK)
        return br_fail(diag, BR_USAGE, "write a plain decimal such as 0.3",
                       "--spread '%.80s' is not a number", text);
    /* By exact powers of ten, so that the same text is the same number everywhere. */
    double power = 1;
    for (int32_t e = value.exponent; e != 0 && power < 1e22; e += e < 0 ? 1 : -1)
        power *= 10;
    double mantissa = (double)value.mantissa;
    *spread = value.exponent < 0 ? mantissa / power : mantissa * power;
    return BR_OK;
}

/* Unlike a plan's, a job's own form is what nearly everybody wants. */
static const char *format_of(const struct cli_settings *settings)
{
    const char *format = settings->format;
    if (!format && settings->output)
        format = cli_format_of(settings->output, br_emit_job_name);
    return format ? format : "xml";
}

enum br_status cli_generate(const struct cli_settings *settings, const char *const *argument,
                            uint32_t arguments, struct br_diag *diag)
{
    struct br_generate_options options = br_generate_options_default();
    struct br_dag *dag;
    struct cli_output output;
    options.kind = settings->like;
    options.seed = settings->seed;
    options.tasks = (uint32_t)settings->tasks;
    options.stages = (uint32_t)settings->stages;
    enum br_status status = read_spread(settings->spread, &options.spread, diag);
    if (!status)
        status = br_generate(&options, &dag, diag);
    if (status)
        return status;
    struct br_emit_input emit = {.dag = dag};
    status = cli_output_open(&output, settings->output, diag);
    if (!status) {
        status = br_emit_job(format_of(settings), &emit, output.file, diag);
        status = cli_output_close(&output, status, diag);
    }
    br_dag_destroy(dag);
    return status;
}
