/* bigrocks show: the contents of a job, before anything is planned. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/roles.h"
#include "cli/inputs/load.h"
#include "cli/jobs/show_features.h"
#include "cli/terminal/say.h"
#include "planner/model/ranges.h"
#include "planner/model/shape.h"

enum { PATH_ENDS = 6 }; /* tasks shown at either end of a long critical path */

static void show_print_task(const struct br_dag *dag, uint32_t task)
{
    char id[300];
    br_dag_task_id(dag, task, id, sizeof id);
    cli_print_text(stdout, id);
}

/* Edges that carry bytes. */
static uint32_t carrying(const struct br_dag *dag)
{
    uint32_t edges = 0;
    for (uint32_t e = 0; e < dag->edges; e++)
        edges += dag->edge[e].bytes > 0;
    return edges;
}

static void print_edges(const struct br_dag *dag)
{
    uint32_t count[BR_RANGE + 1] = {0};
    for (uint32_t e = 0; e < dag->edges; e++)
        count[dag->edge[e].type]++;
    printf("edges          %" PRIu32 " (%" PRIu32 " barriers, %" PRIu32 " one-to-one", dag->edges,
           count[BR_BARRIER], count[BR_ONE_TO_ONE]);
    if (count[BR_RANGE])
        printf(", %" PRIu32 " ranges", count[BR_RANGE]);
    fputs(")\n", stdout);
}

static void show_print_job(const struct br_dag *dag, const struct br_shape *shape)
{
    char text[CLI_SECONDS_TEXT];
    fputs("job            ", stdout);
    cli_print_text(stdout, br_dag_name(dag));
    const struct br_dag *written = br_dag_written(dag);
    printf("\nstages         %" PRIu32 "\ntasks          %" PRIu32 "\n", written->stages,
           dag->tasks);
    print_edges(written);
    if (dag->bytes) {
        char bytes[BR_ROLE_AMOUNT_TEXT];
        br_role_bytes_text(dag->bytes, bytes);
        printf("bytes          %s over %" PRIu32 " edges\n", bytes, carrying(written));
    }
    printf("depth          ");
    cli_print_count(stdout, shape->depth, "level", "levels");
    printf("\nwidth          ");
    cli_print_count(stdout, shape->width, "task", "tasks");
    printf(" in the widest level\nparts          %" PRIu32 " between cuts\n", shape->parts);
    printf("longest task   ");
    show_print_task(dag, shape->longest_task);
    printf(" (%s s)\n", cli_seconds(dag->duration_ns[shape->longest_task], text));
    printf("all tasks      %s s, one after another\n", cli_seconds(shape->total_ns, text));
    printf("critical path  %s s: ", cli_seconds(shape->critical_ns, text));
    for (uint32_t k = 0; k < shape->critical_size; k++) {
        if (k == PATH_ENDS && shape->critical_size > 2 * PATH_ENDS) {
            k = shape->critical_size - PATH_ENDS;
            printf(" > ... (%" PRIu32 " more)", shape->critical_size - 2 * PATH_ENDS);
        }
        if (k)
            fputs(" > ", stdout);
        show_print_task(dag, shape->critical[k]);
    }
    fputc('\n', stdout);
}

/* " 0.07682", " 252.7", " 14960": four digits, and all before the point. */
static void show_print_real(double value)
{
    printf(value < 9999.5 ? " %.4g" : " %.0f", value);
}

/* "252.7 cores x s", "186.5 GiB x s", or "252.7 s" of a resource without a unit. */
static void print_amount_seconds(const struct br_resource *resource, double work)
{
    char text[BR_ROLE_AMOUNT_TEXT];
    if (br_role_counts_bytes(resource->name, resource->unit) && work < 9e18) {
        br_role_bytes_text((int64_t)work, text);
        printf(" %s x s", text);
        return;
    }
    show_print_real(work);
    putchar(' ');
    cli_print_text(stdout, resource->unit ? resource->unit : "");
    fputs(resource->unit ? " x s" : "s", stdout);
}

/* Sums of demand x duration; for people, so floating point will do. A job with alternatives has
 * the least of each task's alternatives in `work`, and the most in `most`. */
static void sum_work(const struct br_dag *dag, double *work, double *most)
{
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        double seconds = 0;
        if (stage->alternatives) {
            cli_show_work_of_ways(dag, s, work, most);
            continue;
        }
        for (uint32_t i = 0; i < stage->tasks; i++)
            seconds += (double)dag->duration_ns[stage->first_task + i] / 1e9;
        for (uint32_t k = stage->first_demand; k < stage->first_demand + stage->demands; k++) {
            work[dag->demand[k].resource] += cli_amount(dag->demand[k].amount) * seconds;
            most[dag->demand[k].resource] += cli_amount(dag->demand[k].amount) * seconds;
        }
    }
}

static enum br_status show_print_work(const struct br_dag *dag, const struct br_cluster *cluster,
                                      struct br_diag *diag)
{
    double *work = calloc(2 * ((size_t)dag->resources + 1), sizeof *work);
    if (!work)
        return br_fail_memory(diag);
    const double *most = work + dag->resources;
    sum_work(dag, work, work + dag->resources);
    for (uint32_t r = 0; r < dag->resources; r++) {
        const struct br_resource *resource = &dag->resource[r];
        printf("%-15s", r ? "" : "work");
        cli_print_text(stdout, resource->name);
        print_amount_seconds(resource, work[r]);
        if (most[r] > work[r]) {
            fputs(" to", stdout);
            print_amount_seconds(resource, most[r]);
        }
        double total = 0;
        for (uint32_t c = 0; cluster && c < cluster->classes; c++)
            total +=
                cluster->cls[c].count * cli_amount(br_cluster_capacity(cluster, c, resource->name));
        if (total > 0) {
            putchar(',');
            show_print_real(work[r] / total);
            fputs(" s of the whole cluster's", stdout);
        }
        fputc('\n', stdout);
    }
    free(work);
    return BR_OK;
}

static const char *show_unit_of(const struct br_dag *dag, const char *resource)
{
    for (uint32_t r = 0; r < dag->resources; r++)
        if (strcmp(dag->resource[r].name, resource) == 0)
            return dag->resource[r].unit;
    return NULL;
}

static enum br_status print_cluster(const char *path, const struct br_dag *dag,
                                    const struct br_cluster *cluster, struct br_diag *diag)
{
    int64_t bound;
    const char *method;
    char text[CLI_SECONDS_TEXT], amount[BR_ROLE_AMOUNT_TEXT];
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *cls = &cluster->cls[c];
        printf("%-15s%" PRIu32 " x ", c ? "" : "cluster", cls->count);
        cli_print_text(stdout, cls->name);
        for (uint32_t k = 0; k < cls->capacities; k++) {
            br_role_amount(cls->capacity[k].amount, cls->capacity[k].resource,
                           show_unit_of(dag, cls->capacity[k].resource), amount);
            fputs(k ? ", " : ": ", stdout);
            cli_print_text(stdout, cls->capacity[k].resource);
            printf(" %s", amount);
        }
        if (br_decimal_compare(cls->speed, (struct br_decimal){1, 0}) != 0) {
            char speed[BR_DECIMAL_TEXT];
            br_decimal_format(cls->speed, speed, sizeof speed);
            printf("; speed %s", speed);
        }
        if (cls->up)
            printf("; sends %" PRId64 ", receives %" PRId64 " bytes/s", cls->up, cls->down);
        fputc('\n', stdout);
    }
    cli_show_shared(dag, cluster);
    enum br_status status = cli_show_bound(dag, cluster, &bound, &method, diag);
    if (status)
        return status;
    printf("lower bound    %s s (%s)\n", cli_seconds(bound, text), method);
    cli_warn_bound(path, dag, cluster, bound);
    return BR_OK;
}

static int show_perform(const struct cli_settings *settings, const char *const *argument,
                        uint32_t arguments, struct br_diag *diag)
{
    struct br_input input;
    struct br_shape shape;
    enum br_status status = cli_load(&settings->job, argument[0], false, &input, diag);
    if (status)
        return status;
    cli_warn(argument[0], input.dag);
    status = br_shape_measure(input.dag, &shape, diag);
    if (!status) {
        show_print_job(input.dag, &shape);
        status = show_print_work(input.dag, input.cluster, diag);
        if (!status)
            status = cli_show_features(input.dag, diag);
        if (!status && input.cluster)
            status = print_cluster(argument[0], input.dag, input.cluster, diag);
        br_shape_finish(&shape);
    }
    br_input_finish(&input);
    return status;
}

const struct cli_command cli_show = {
    .name = "show",
    .bit = CLI_SHOW,
    .least = 1,
    .most = 1,
    .perform = show_perform,
    .arguments = "JOB",
    .summary = "show what a job is made of",
    .text = "Prints the job's size and shape: stages, tasks, depth, width, the parts between cuts, "
            "the\n"
            "work by resource, the longest task and the critical path; with a cluster, also the "
            "bounds.\n",
    .examples = "bigrocks show examples/motivating.xml\n"
                "bigrocks show examples/word-count.xml --machines 3 --capacity cpu=4,mem=8GiB\n",
};
