/* bigrocks import queries: makes one job of the plans of several queries. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/import/import.h"
#include "cli/inputs/load.h"
#include "cli/options/choices.h"
#include "cli/options/commands.h"
#include "cli/output/write_job.h"
#include "cli/terminal/say.h"
#include "base/text/list.h"
#include "parsers/queries/degrees.h"
#include "parsers/queries/queries.h"

/* Costs of the queries that ran, here and in the history. */
struct costs {
    struct br_query_cost *cost;
    uint32_t count, here, estimated;
};

static enum br_status find_costs(const struct br_queries *queries, struct costs *costs,
                                 struct br_diag *diag)
{
    costs->cost = calloc((size_t)queries->count + 1, sizeof *costs->cost);
    if (!costs->cost)
        return br_fail_memory(diag);
    for (uint32_t q = 0; q < queries->count; q++) {
        costs->estimated += !queries->query[q].is_timed;
        costs->here += br_query_cost_of(&queries->query[q], &costs->cost[costs->here]);
    }
    costs->count = costs->here;
    return BR_OK;
}

/* Adds the history's queries to those that are here. */
static enum br_status recall(struct br_history *history, struct costs *costs, struct br_diag *diag)
{
    struct br_history_cost *known;
    uint32_t count;
    enum br_status status = br_history_costs(history, &known, &count, diag);
    struct br_query_cost *all =
        status ? NULL : realloc(costs->cost, ((size_t)costs->count + count + 1) * sizeof *all);
    if (!status && !all)
        status = br_fail_memory(diag);
    if (!status) {
        costs->cost = all;
        for (uint32_t k = 0; k < count; k++)
            all[costs->count++] = (struct br_query_cost){known[k].cost, known[k].wall_ns};
    }
    free(known);
    return status;
}

static enum br_status import_queries_keep(struct br_history *history, const struct costs *costs,
                                          struct br_diag *diag)
{
    struct br_history_cost *cost = calloc((size_t)costs->here + 1, sizeof *cost);
    if (!cost)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < costs->here; k++)
        cost[k] = (struct br_history_cost){costs->cost[k].cost, costs->cost[k].wall_ns};
    enum br_status status = br_history_add_costs(history, cost, costs->here, diag);
    free(cost);
    return status;
}

/* The history is read before it is written, so that no query counts twice. */
static enum br_status use_history(const char *path, struct costs *costs, struct br_diag *diag)
{
    struct br_history *history;
    struct br_diag other = {0};
    if (!costs->here && !costs->estimated)
        return BR_OK;
    enum br_status status = costs->here ? br_history_open(path, "queries", &history, diag)
                                        : br_history_open_to_read(path, "queries", &history, diag);
    if (status)
        return status;
    if (costs->estimated)
        status = recall(history, costs, diag);
    if (!status && costs->here)
        status = import_queries_keep(history, costs, diag);
    enum br_status closed = br_history_close(history, status ? &other : diag);
    return status ? status : closed;
}

static void import_queries_say_report(const struct br_queries *queries, const struct costs *costs,
                                      const struct br_cost_unit *unit)
{
    fprintf(stderr, "bigrocks: ");
    cli_print_count(stderr, queries->count, "query", "queries");
    if (costs->estimated)
        fprintf(stderr, ", %" PRIu32 " of them estimated", costs->estimated);
    fputc('\n', stderr);
    if (costs->estimated && costs->count == 1)
        cli_say("a unit of cost lasts %.4g us, as in the query that ran", (double)unit->ns / 1e3);
    else if (costs->estimated && costs->count)
        cli_say("a unit of cost lasts %.4g us, the median of %" PRIu32
                " that ran (half of them: %.4g to %.4g)",
                (double)unit->ns / 1e3, costs->count, (double)unit->lower_ns / 1e3,
                (double)unit->upper_ns / 1e3);
    else if (costs->estimated)
        cli_say("a unit of cost is taken to last %.4g us, since no query was measured; add queries "
                "by EXPLAIN (ANALYZE), or a --history of such",
                (double)unit->ns / 1e3);
}

static enum br_status check_settings(const struct cli_settings *settings, uint32_t arguments,
                                     struct br_diag *diag)
{
    const struct cli_import_settings *import = &settings->import;
    if (!arguments)
        return br_fail(diag, BR_USAGE, "bigrocks import queries FILE...",
                       "no file with a query is given");
    if (import->directory || import->file || import->printed || import->measure || import->dirty ||
        import->whole || settings->needs.demand)
        return br_fail(
            diag, BR_USAGE, "leave it out",
            "-C, --file, --printed, --measure, --dirty, --whole and --demand are for builds");
    if (import->parallelism && (settings->job.any_order || settings->job.hold == CLI_HOLD_MEMORY))
        return br_fail(diag, BR_USAGE, "leave it out",
                       "--any-order and --hold are for pipelines whose cores are given, not for "
                       "--parallelism");
    if (!import->parallelism && (import->speed_up || !isnan(import->serial)))
        return br_fail(diag, BR_USAGE, "add --parallelism 1,2,4",
                       "--serial and --speed-up are for a choice of cores");
    if (import->speed_up && !isnan(import->serial))
        return br_fail(diag, BR_USAGE, "leave one out", "--speed-up finds what --serial says");
    return BR_OK;
}

/* The degrees in rising order, each once. */
static enum br_status degrees_read(const struct cli_import_settings *import,
                                   struct br_degrees *degrees, struct br_diag *diag)
{
    const char *at = import->parallelism;
    struct br_list_entry entry;
    while (br_list_next(BR_LIST_NUMBER, &at, &entry)) {
        const uint32_t degree = (uint32_t)entry.value;
        uint32_t k = degrees->count;
        if (degree != entry.value)
            return br_fail(diag, BR_USAGE, "such as --parallelism 1,2,4,8",
                           "--parallelism: %g is no number of cores", entry.value);
        while (k > 0 && degrees->degree[k - 1] > degree)
            k--;
        if (k > 0 && degrees->degree[k - 1] == degree)
            continue;
        if (degrees->count == BR_DEGREES_MOST)
            return br_fail(diag, BR_USAGE, "give fewer", "--parallelism: at most %d degrees",
                           BR_DEGREES_MOST);
        memmove(&degrees->degree[k + 1], &degrees->degree[k],
                (degrees->count - k) * sizeof *degrees->degree);
        degrees->degree[k] = degree;
        degrees->count++;
    }
    return BR_OK;
}

/* The serial part, as it is given or as it fits. */
static enum br_status degrees_fit(const struct cli_settings *settings, struct br_degrees *degrees,
                                  struct br_diag *diag)
{
    const char *at = settings->import.speed_up;
    struct br_degree_time time[BR_DEGREES_MOST];
    struct br_list_entry entry;
    uint32_t count = 0;
    double off;
    if (!at) {
        if (!isnan(settings->import.serial))
            degrees->serial = (uint32_t)(settings->import.serial * BR_DEGREES_WHOLE + 0.5);
        return BR_OK;
    }
    while (count < BR_DEGREES_MOST && br_list_next(BR_LIST_PAIR, &at, &entry))
        time[count++] = (struct br_degree_time){entry.value, entry.second};
    if (!br_degrees_fit(time, count, &degrees->serial, &off))
        return br_fail(diag, BR_USAGE, "such as --speed-up 1:12.4,4:3.9",
                       "--speed-up: times on two different numbers of cores are needed");
    if (!settings->output.quiet)
        cli_say("the serial part %.3g fits these times within %.2g %%",
                (double)degrees->serial / BR_DEGREES_WHOLE, 100 * off);
    return BR_OK;
}

/* Lets the plan choose the degree of each pipeline, if that is asked for. */
static enum br_status degrees_choose(const struct cli_settings *settings,
                                     const struct br_queries *queries, struct br_input *input,
                                     struct br_diag *diag)
{
    const struct cli_import_settings *import = &settings->import;
    struct br_degrees degrees = {.by_tasks = true};
    struct br_dag *chosen;
    if (!import->parallelism)
        return BR_OK;
    for (uint32_t q = 0; q < queries->count; q++) /* DuckDB's have a task for each row group */
        degrees.by_tasks &= queries->query[q].shares_work;
    enum br_status status = degrees_read(import, &degrees, diag);
    if (!status)
        status = degrees_fit(settings, &degrees, diag);
    if (!status)
        status = br_degrees_choose(input->dag, &degrees, &chosen, diag);
    if (status)
        return status;
    br_dag_destroy(input->dag);
    input->dag = chosen;
    return BR_OK;
}

int cli_import_queries(const struct cli_settings *settings, const char *const *argument,
                       uint32_t arguments, struct br_diag *diag)
{
    struct br_query_files files = {.names_room = 0};
    struct br_input input = {0};
    struct br_cluster *demand = NULL;
    struct costs costs = {0};
    struct br_cost_unit unit = {.ns = BR_COST_NS};
    const struct br_pipeline_options how = {
        .measured_cores = settings->job.measured_cores,
        .overlap = settings->job.overlap,
        .any_order = settings->job.any_order,
        .hold = settings->job.hold == CLI_HOLD_MEMORY,
    };
    enum br_status status = check_settings(settings, arguments, diag);
    if (!status)
        status = cli_import_machine(settings, &input, &demand, diag);
    for (uint32_t a = 0; a < arguments && !status; a++)
        status = br_query_files_read(&files, argument[a], diag);
    if (!status)
        status = find_costs(&files.queries, &costs, diag);
    if (!status && settings->needs.history)
        status = use_history(settings->needs.history, &costs, diag);
    if (!status && costs.count)
        unit = br_cost_unit(costs.cost, costs.count);
    if (!status)
        status = br_query_files_job(&files, unit.ns, &how, &input.dag, diag);
    if (!status)
        status = degrees_choose(settings, &files.queries, &input, diag);
    if (!status && input.cluster)
        status = br_queries_share(input.cluster, input.dag, diag);
    for (uint32_t d = 0; !status && d < input.dag->doubts; d++)
        cli_say("warning: %s", input.dag->doubt[d]);
    if (!status && !settings->output.quiet)
        import_queries_say_report(&files.queries, &costs, &unit);
    if (!status)
        status = cli_write_job(&settings->output, input.dag, input.cluster, diag);
    free(costs.cost);
    br_query_files_finish(&files);
    br_cluster_destroy(demand);
    br_input_finish(&input);
    return status;
}
