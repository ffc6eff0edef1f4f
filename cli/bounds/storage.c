#include "cli/bounds/storage.h"

#include <assert.h>
#include <string.h>

#include "base/roles.h"
#include "cli/inputs/load.h"
#include "cli/output/output.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/say.h"
#include "emit/pictures/storage_curve.h"
#include "planner/planning/storage_curve.h"

/* Up to so many tasks plans are searched by the default effort, since that ends soon; beyond it by
 * the fast one. */
enum { SMALL_TASKS = 24 };

static void storage_text(const struct br_dag *dag, const char *resource, struct br_decimal amount,
                         char text[BR_ROLE_AMOUNT_TEXT])
{
    br_role_amount(amount, resource, cli_unit(dag, resource), text);
}

static void storage_amount(const struct br_dag *dag, const char *resource, struct br_decimal amount,
                           int64_t units, struct br_stored_amount *out)
{
    *out = (struct br_stored_amount){.amount = amount, .units = units};
    storage_text(dag, resource, amount, out->text);
}

void cli_print_least(FILE *out, const struct br_dag *dag, const char *resource,
                     const struct br_least_peak *least)
{
    char text[BR_ROLE_AMOUNT_TEXT];
    storage_text(dag, resource, least->peak, text);
    cli_print_text(out, text);
    if (least->peak_units == least->bound_units) {
        fprintf(out, ", proven least (%s)", least->bound_method);
        return;
    }
    storage_text(dag, resource, least->bound, text);
    fputs("; no order has less than ", out);
    cli_print_text(out, text);
    fprintf(out, " (%s)", least->bound_method);
    if (least->bound_units > 0)
        fprintf(out, ", %.1f %% below",
                100 * (double)(least->peak_units - least->bound_units) / (double)least->peak_units);
}

static void storage_write_text(FILE *out, const struct br_dag *dag,
                               const struct br_storage_curve *found,
                               const struct br_stored_curve *curve)
{
    char text[CLI_SECONDS_TEXT], least[CLI_SECONDS_TEXT];
    int wide = 5;
    fputs("least peak    ", out);
    cli_print_least(out, dag, curve->resource, &found->least);
    putc('\n', out);
    if (!curve->points) {
        fputs("no plan was found that fits the rest of the cluster and keeps all times\n", out);
        return;
    }
    const struct br_stored_point *last = &curve->point[curve->points - 1];
    fputs("at full speed ", out);
    cli_print_text(out, last->limit.text);
    fprintf(out, " (%s s is the shortest plan found)\n", cli_seconds(last->makespan_ns, text));
    for (uint32_t k = 0; k < curve->points; k++)
        if ((int)strlen(curve->point[k].limit.text) > wide)
            wide = (int)strlen(curve->point[k].limit.text);
    fprintf(out, "%-*s  %12s  %12s\n", wide, "limit", "makespan s", "at least s");
    for (uint32_t k = 0; k < curve->points; k++) {
        const struct br_stored_point *p = &curve->point[k];
        cli_print_text(out, p->limit.text);
        fprintf(out, "%*s  %12s  %12s  (%s)\n", wide - (int)strlen(p->limit.text), "",
                cli_seconds(p->makespan_ns, text), cli_seconds(p->lower_bound_ns, least),
                p->makespan_ns == p->lower_bound_ns ? "optimal" : p->bound_method);
    }
}

static enum br_status storage_write(const struct cli_settings *settings,
                                    const struct br_input *input,
                                    const struct br_storage_curve *found, const char *format,
                                    FILE *out, struct br_diag *diag)
{
    const char *resource = settings->bound.storage;
    const struct br_dag *dag = input->dag;
    struct br_stored_point point[BR_STORAGE_POINTS];
    struct br_stored_curve curve = {.job = br_dag_name(dag),
                                    .resource = resource,
                                    .method = found->least.method,
                                    .bound_method = found->least.bound_method,
                                    .points = found->points,
                                    .point = point};
    storage_amount(dag, resource, found->least.peak, found->least.peak_units, &curve.peak);
    storage_amount(dag, resource, found->least.bound, found->least.bound_units, &curve.bound);
    assert(found->points <= BR_STORAGE_POINTS);
    for (uint32_t k = 0; k < found->points; k++) {
        const struct br_storage_point *from = &found->point[k];
        point[k] = (struct br_stored_point){.makespan_ns = from->makespan_ns,
                                            .lower_bound_ns = from->lower_bound_ns,
                                            .method = from->method,
                                            .bound_method = from->bound_method};
        storage_amount(dag, resource, from->limit, from->limit_units, &point[k].limit);
    }
    if (format && strcmp(format, "text") != 0)
        return br_emit_stored(format, &curve, out, diag);
    storage_write_text(out, dag, found, &curve);
    return BR_OK;
}

static enum br_status storage_check(const struct cli_settings *settings, struct br_diag *diag)
{
    if (settings->bound.what_if || settings->bound.explain || settings->output.quiet)
        return br_fail(diag, BR_USAGE, "leave --what-if, --explain and --quiet out",
                       "--storage prints something else");
    return BR_OK;
}

enum br_status cli_storage(const struct cli_settings *settings, const struct br_input *input,
                           struct br_diag *diag)
{
    struct br_storage_curve curve = {0};
    struct cli_output output;
    struct br_plan_options options = br_plan_options_default();
    const char *format = settings->bound.json ? "json" : settings->output.format;
    if (!format && settings->output.path)
        format = cli_format_of(settings->output.path, &br_stored_formats);
    options.effort =
        br_dag_task_count(input->dag) <= SMALL_TASKS ? BR_EFFORT_DEFAULT : BR_EFFORT_FAST;
    if (settings->search.time_limit_ns >= 0) {
        options.effort = BR_EFFORT_MAX;
        options.time_limit_ns =
            settings->search.time_limit_ns > 0 ? settings->search.time_limit_ns : 1;
    }
    enum br_status status = storage_check(settings, diag);
    if (!status)
        status = cli_output_open_format(&output, &settings->output, format, diag);
    if (status)
        return status;
    options.stop = cli_interrupt_catch();
    status = br_storage_curve(input->dag, input->cluster, settings->bound.storage, &options, &curve,
                              diag);
    cli_interrupt_release();
    if (!status)
        status = storage_write(settings, input, &curve, format, output.file, diag);
    status = cli_output_close(&output, status, diag);
    br_storage_curve_finish(&curve);
    return status;
}
