/* Workloads as texts. */
#include "tests/cluster/workload/workload_text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/parsers/parse_text.h"

static char out[1 << 18];
static size_t used;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    used += (size_t)vsnprintf(out + used, sizeof out - used, format, args);
    va_end(args);
    assert_true(used < sizeof out);
}

static void add_seconds(int64_t ns)
{
    char text[BR_SECONDS_TEXT];
    br_seconds_format(ns, text);
    add("%s", text);
}

static void add_demand(const char *before, const char *resource, struct br_decimal value)
{
    char text[BR_DECIMAL_TEXT];
    br_decimal_format(value, text, sizeof text);
    add("%s%s=%s", before, resource, text);
}

static void add_true(const int64_t *ns, uint32_t first, uint32_t tasks)
{
    add(" (");
    for (uint32_t t = first, run; t < first + tasks; t += run) {
        for (run = 1; t + run < first + tasks && ns[t + run] == ns[t]; run++)
            ;
        if (t > first)
            add(" ");
        if (run > 1)
            add("%" PRIu32 "x", run);
        add_seconds(ns[t]);
    }
    add(")");
}

static void add_stage(const struct br_dag *dag, uint32_t s, const int64_t *true_ns)
{
    const struct br_stage *stage = &dag->stage[s];
    add("%s*%" PRIu32 " ", stage->id, stage->tasks);
    add_seconds(stage->duration_ns);
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
        add_demand(" ", dag->resource[dag->demand[d].resource].name, dag->demand[d].amount);
    if (true_ns)
        add_true(true_ns, stage->first_task, stage->tasks);
}

static void add_job(const struct br_workload *workload, const struct br_workload_job *job)
{
    const struct br_dag *dag = workload->dag[job->dag].dag;
    add("%s %s @", job->id, workload->group[job->group].name);
    add_seconds(job->arrival_ns);
    for (uint32_t s = 0; s < dag->stages; s++) {
        add(s ? "; " : " ");
        add_stage(dag, s, job->true_ns);
    }
    for (uint32_t e = 0; e < dag->edges; e++)
        add("; %s>%s%s", dag->stage[dag->edge[e].parent].id, dag->stage[dag->edge[e].child].id,
            dag->edge[e].type == BR_BARRIER ? "!" : "");
    add("\n");
}

const char *workload_describe(const struct br_workload *workload)
{
    used = 0;
    out[0] = 0;
    for (uint32_t j = 0; j < workload->jobs; j++)
        add_job(workload, &workload->job[j]);
    return out;
}

const char *workload_cluster(const struct br_workload *workload)
{
    const struct br_cluster *cluster = workload->cluster;
    used = 0;
    out[0] = 0;
    for (uint32_t c = 0; cluster && c < cluster->classes; c++) {
        add("%s%" PRIu32 "*", c ? " " : "", cluster->cls[c].count);
        for (uint32_t k = 0; k < cluster->cls[c].capacities; k++)
            add_demand(k ? "," : "", cluster->cls[c].capacity[k].resource,
                       cluster->cls[c].capacity[k].amount);
    }
    return cluster ? out : "none";
}

struct br_workload *workload_read(const char *text, const struct br_workload_options *options)
{
    struct parse_text file = parse_text_open(text, strlen(text));
    struct br_workload *workload;
    struct br_diag diag = {0};
    if (br_parse_workload(file.path, options, &workload, &diag))
        fail_msg("%" PRIu32 ":%" PRIu32 ": %s", diag.line, diag.column, diag.what);
    parse_text_close(&file);
    return workload;
}

void workload_refused(const char *text, const struct br_workload_options *options, uint32_t line,
                      uint32_t column, const char *what)
{
    struct parse_text file = parse_text_open(text, strlen(text));
    struct br_workload *workload = (struct br_workload *)&file; /* has to be set to NULL */
    struct br_diag diag = {0};
    enum br_status status = br_parse_workload(file.path, options, &workload, &diag);
    if (status != BR_BAD_INPUT || workload || diag.line != line || diag.column != column ||
        !strstr(diag.what, what) || strcmp(diag.file, file.path) != 0)
        fail_msg("%d %s:%" PRIu32 ":%" PRIu32 ": %s; expected %" PRIu32 ":%" PRIu32 ": %s", status,
                 diag.file, diag.line, diag.column, diag.what, line, column, what);
    parse_text_close(&file);
}
