/* The trace of a run: what ran when, where, and its usage. Lines are added as attempts end, so the
 * file can be watched, and is useful even if the run is killed. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/running/report/trace.h"
#include "emit/write/write.h"

const char *cli_outcome(enum br_task_outcome outcome)
{
    static const char *const words[] = {
        [BR_TASK_DONE] = "done",         [BR_TASK_EXIT] = "exit",
        [BR_TASK_SIGNAL] = "signal",     [BR_TASK_TIMEOUT] = "timeout",
        [BR_TASK_NO_START] = "no-start", [BR_TASK_STOPPED] = "stopped",
        [BR_TASK_MEMORY] = "memory",     [BR_TASK_LOST] = "lost",
    };
    return words[outcome];
}

static enum br_status report_trace_fail_file(const struct cli_run_trace *trace,
                                             struct br_diag *diag)
{
    int error = errno;
    br_diag_file(diag, trace->path);
    return br_fail(diag, BR_SYSTEM, NULL, "the trace cannot be written: %s", strerror(error));
}

enum br_status cli_run_trace_open(struct cli_run_trace *trace, const char *path,
                                  const struct br_cluster *cluster, struct br_diag *diag)
{
    *trace = (struct cli_run_trace){.path = path, .cluster = cluster};
    if (!path)
        return BR_OK;
    const char *dot = strrchr(path, '.');
    trace->csv = dot && strcmp(dot, ".csv") == 0;
    trace->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (!trace->file)
        return report_trace_fail_file(trace, diag);
    if (trace->file != stdout)
        cli_spool_open(&trace->spool, fileno(trace->file), -1, false);
    if (trace->csv)
        fputs("task,stage,index,machine,attempt,outcome,code,start,end,user,system,peak,job\n",
              trace->file);
    return BR_OK;
}

/* A quoted text; quotes in it are doubled (CSV) or escaped (JSON). */
static void print_quoted(const struct cli_run_trace *trace, const char *text)
{
    fputc('"', trace->file);
    if (!trace->csv)
        br_write_text(trace->file, BR_QUOTE_JSON, text);
    for (; trace->csv && *text; text++) {
        if (*text == '"')
            fputc('"', trace->file);
        fputc(*text, trace->file);
    }
    fputc('"', trace->file);
}

/* In JSON with the name before it; all but the first after a comma. */
static void report_trace_print_name(const struct cli_run_trace *trace, const char *name)
{
    bool first = strcmp(name, "task") == 0;
    if (trace->csv)
        fputs(first ? "" : ",", trace->file);
    else
        fprintf(trace->file, "%s\"%s\": ", first ? "{" : ", ", name);
}

static void report_trace_print_text(const struct cli_run_trace *trace, const char *name,
                                    const char *text)
{
    report_trace_print_name(trace, name);
    print_quoted(trace, text);
}

static void print_count(const struct cli_run_trace *trace, const char *name, int64_t count)
{
    report_trace_print_name(trace, name);
    fprintf(trace->file, "%" PRId64, count);
}

static void report_trace_print_seconds(const struct cli_run_trace *trace, const char *name,
                                       int64_t ns)
{
    char text[BR_SECONDS_TEXT];
    br_seconds_format(ns, text);
    report_trace_print_name(trace, name);
    fputs(text, trace->file);
}

void cli_run_trace_add(struct cli_run_trace *trace, const struct br_task_end *end)
{
    char machine[512];
    if (!trace->file)
        return;
    const struct br_dag *dag = end->job->dag;
    uint32_t stage = br_dag_task_stage(dag, end->task);
    const char *stage_id = dag->stage[stage].id;
    size_t size = strlen(stage_id) + 16;
    char *id = malloc(size);
    if (id)
        br_dag_task_id(dag, end->task, id, size);
    br_cluster_machine_name(trace->cluster, end->machine, machine, sizeof machine);
    report_trace_print_text(trace, "task", id ? id : stage_id);
    report_trace_print_text(trace, "stage", stage_id);
    free(id);
    print_count(trace, "index", end->task - dag->stage[stage].first_task);
    report_trace_print_text(trace, "machine", end->host ? end->host : machine);
    print_count(trace, "attempt", end->attempt);
    report_trace_print_text(trace, "outcome", cli_outcome(end->outcome));
    print_count(trace, "code", end->code);
    report_trace_print_seconds(trace, "start", end->start_ns);
    report_trace_print_seconds(trace, "end", end->end_ns);
    report_trace_print_seconds(trace, "user", end->usage.user_ns);
    report_trace_print_seconds(trace, "system", end->usage.system_ns);
    print_count(trace, "peak", end->usage.peak_bytes);
    report_trace_print_text(trace, "job", end->job->name);
    fputs(trace->csv ? "\n" : "}\n", trace->file);
}

enum br_status cli_run_trace_close(struct cli_run_trace *trace, enum br_status status,
                                   struct br_diag *diag)
{
    if (!trace->file || trace->file == stdout)
        return status;
    bool failed = fflush(trace->file) || ferror(trace->file);
    int error = cli_spool_close(&trace->spool);
    errno = error;
    failed = fclose(trace->file) || error || failed;
    if (!errno)
        errno = EIO;
    trace->file = NULL;
    return failed && (!status || status == BR_NO) ? report_trace_fail_file(trace, diag) : status;
}
