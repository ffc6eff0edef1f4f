/* bigrocks import spark-profile: makes a profile, from which `train` learns, of event logs of one
 * Spark application that ran on one or several numbers of executors.
 *
 * A profile's executor runs one task at a time, so each place for a task of Spark's executors is
 * one. A log says which executor ran a task, not on which place: the task takes the place that
 * became free last before it began, whose end has most likely let it begin. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "cli/import/import.h"
#include "cli/output/output.h"
#include "cli/terminal/say.h"
#include "parsers/parsers.h"
#include "parsers/spark/log.h"
#include "planner/model/dag.h"
#include "planner/model/waves.h"

enum { MOST_LOGS = 32 };

struct times {
    uint32_t *ms, count, room;
};

/* What one log has measured. */
struct measured {
    const char *path;
    struct br_input input;
    uint32_t executors; /* places for tasks */
    struct times *wave; /* [stage * BR_WAVES] */
};

/* Where one task runs at a time. */
struct place {
    uint32_t executor;
    int64_t free_ns;
    bool used;
    uint8_t *seen; /* by stage: a task of it ran here */
};

struct places {
    struct place *place;
    uint32_t count;
};

static void places_finish(struct places *places)
{
    for (uint32_t k = 0; k < places->count; k++)
        free(places->place[k].seen);
    free(places->place);
}

/* A place for each task that the executors run at a time. */
static enum br_status places_make(const struct br_spark_log *log, uint32_t stages,
                                  struct places *places, struct br_diag *diag)
{
    uint32_t cpus = log->profiles && log->task_cpus[0] ? log->task_cpus[0] : 1, room = 0;
    for (uint32_t e = 0; e < log->executors; e++)
        for (uint32_t k = 0; k < log->executor[e].cores / cpus; k++) {
            if (!br_grow(&places->place, places->count, &room, sizeof *places->place))
                return br_fail_memory(diag);
            places->place[places->count++] =
                (struct place){.executor = e, .seen = calloc((size_t)stages + 1, 1)};
            if (!places->place[places->count - 1].seen)
                return br_fail_memory(diag);
        }
    return BR_OK;
}

/* The most places that were there at a time. */
static uint32_t places_at_once(const struct br_spark_log *log)
{
    uint32_t cpus = log->profiles && log->task_cpus[0] ? log->task_cpus[0] : 1, now = 0, most = 0;
    for (uint32_t k = 0; k < log->changes; k++) {
        uint32_t own = log->executor[log->change[k].executor].cores / cpus;
        now = log->change[k].comes ? now + own : now - (own < now ? own : now);
        most = now > most ? now : most;
    }
    return most;
}

/* The place of the executor that became free last before the time; if all are busy, as clocks are
 * rounded, the one that is free first. NULL: the executor has none. */
static struct place *place_for(struct places *places, uint32_t executor, int64_t at_ns)
{
    struct place *best = NULL;
    for (uint32_t k = 0; k < places->count; k++) {
        struct place *place = &places->place[k];
        if (place->executor != executor)
            continue;
        bool free = place->free_ns <= at_ns, best_free = best && best->free_ns <= at_ns;
        if (!best || (free && !best_free) ||
            (free == best_free &&
             (free ? place->free_ns > best->free_ns : place->free_ns < best->free_ns)))
            best = place;
    }
    return best;
}

static bool times_add(struct times *times, int64_t ns)
{
    int64_t ms = (ns + 500000) / 1000000;
    if (!br_grow(&times->ms, times->count, &times->room, sizeof *times->ms))
        return false;
    times->ms[times->count++] = (uint32_t)(ms < UINT32_MAX ? ms : UINT32_MAX);
    return true;
}

/* The stage of the dag that stands for the log's, by the id that its reader gives it. */
static uint32_t stage_of(const struct br_dag *dag, const struct br_spark_stage *stage)
{
    char id[32];
    snprintf(id, sizeof id, "stage%" PRIu32, stage->id);
    for (uint32_t s = 0; s < dag->stages; s++)
        if (strcmp(dag->stage[s].id, id) == 0)
            return s;
    return UINT32_MAX;
}

static int import_spark_by_launch(const void *a, const void *b)
{
    const struct br_spark_task *x = *(const struct br_spark_task *const *)a,
                               *y = *(const struct br_spark_task *const *)b;
    if (x->launch_ns != y->launch_ns)
        return x->launch_ns < y->launch_ns ? -1 : 1;
    return x->stage != y->stage ? (x->stage < y->stage ? -1 : 1)
                                : (x->partition > y->partition) - (x->partition < y->partition);
}

/* Sorts the task among the waves of its stage. */
static enum br_status take_task(struct measured *of, const struct br_spark_task *task, uint32_t s,
                                struct places *places, struct br_diag *diag)
{
    struct place *place = place_for(places, task->executor, task->launch_ns);
    if (!place)
        return br_fail(diag, BR_BAD_INPUT, "take a log that has when executors were added",
                       "%s does not say which executor ran a task of stage '%s'", of->path,
                       of->input.dag->stage[s].id);
    struct times *wave = &of->wave[s * BR_WAVES];
    bool first = !place->seen[s],
         good = times_add(&wave[first ? BR_WAVE_FIRST : BR_WAVE_REST], task->ns);
    if (!place->used)
        good = good && times_add(&wave[BR_WAVE_FRESH], task->ns);
    place->seen[s] = place->used = true;
    place->free_ns = task->launch_ns + task->ns;
    return good ? BR_OK : br_fail_memory(diag);
}

static enum br_status take_tasks(struct measured *of, const struct br_spark_log *log,
                                 struct places *places, struct br_diag *diag)
{
    const struct br_dag *dag = of->input.dag;
    const struct br_spark_task **task = calloc((size_t)log->tasks + 1, sizeof *task);
    uint32_t *stage = calloc((size_t)log->stages + 1, sizeof *stage);
    enum br_status status = task && stage ? BR_OK : br_fail_memory(diag);
    for (uint32_t s = 0; s < log->stages && !status; s++)
        stage[s] = stage_of(dag, &log->stage[s]);
    for (uint32_t t = 0; t < log->tasks && !status; t++)
        task[t] = &log->task[t];
    if (!status)
        qsort(task, log->tasks, sizeof(const struct br_spark_task *), import_spark_by_launch);
    for (uint32_t t = 0; t < log->tasks && !status; t++)
        if (stage[task[t]->stage] != UINT32_MAX)
            status = take_task(of, task[t], stage[task[t]->stage], places, diag);
    free(task);
    free(stage);
    return status;
}

/* Reads the log, as a job and task by task. */
static enum br_status measure(const char *path, struct measured *of, struct br_diag *diag)
{
    struct br_source source;
    struct br_spark_log log = {0};
    struct places places = {0};
    const struct br_parse_options options = br_parse_options_default();
    of->path = path;
    const char *format = br_parse_recognise(path);
    if (format && strcmp(format, "spark") != 0)
        return br_fail(diag, BR_BAD_INPUT, "give files of spark.eventLog.dir",
                       "%s is no event log of Spark", path);
    enum br_status status = br_parse_job(path, &options, &of->input, diag);
    if (status)
        return status;
    of->wave = calloc((size_t)of->input.dag->stages * BR_WAVES, sizeof *of->wave);
    if (!of->wave)
        return br_fail_memory(diag);
    status = br_source_open(&source, path, diag);
    if (status)
        return status;
    status = br_spark_log_read(&source, &log, diag);
    if (!status)
        status = places_make(&log, of->input.dag->stages, &places, diag);
    if (!status)
        status = take_tasks(of, &log, &places, diag);
    of->executors = places_at_once(&log);
    if (!status && !of->executors)
        status = br_fail(diag, BR_BAD_INPUT, "take a log that has when executors were added",
                         "%s does not say how many executors there were", path);
    places_finish(&places);
    br_spark_log_finish(&log);
    br_source_close(&source);
    return status;
}

/* Stages that stand for what jobs wait for, and ran nothing, take no time. */
static enum br_status fill_gaps(struct measured *of, struct br_diag *diag)
{
    const struct br_dag *dag = of->input.dag;
    for (uint32_t s = 0; s < dag->stages; s++) {
        struct times *wave = &of->wave[s * BR_WAVES];
        bool none = !wave[BR_WAVE_FIRST].count;
        for (uint32_t t = 0; none && t < dag->stage[s].tasks; t++)
            if (!times_add(&wave[BR_WAVE_FIRST], 0))
                return br_fail_memory(diag);
    }
    return BR_OK;
}

/* Are both logs of one application: the same stages, tasks and edges? */
static enum br_status compare_jobs(const struct measured *a, const struct measured *b,
                                   struct br_diag *diag)
{
    const struct br_dag *x = a->input.dag, *y = b->input.dag;
    bool same = x->stages == y->stages && x->edges == y->edges;
    uint32_t s = 0;
    for (; same && s < x->stages; s++)
        same = x->stage[s].tasks == y->stage[s].tasks;
    for (uint32_t e = 0; same && e < x->edges; e++)
        same = x->edge[e].parent == y->edge[e].parent && x->edge[e].child == y->edge[e].child;
    return same ? BR_OK
                : br_fail(diag, BR_BAD_INPUT,
                          "run the same program on the same data, without adaptive plans "
                          "(spark.sql.adaptive.enabled=false)",
                          "%s and %s have different stages, tasks or edges", a->path, b->path);
}

static int by_executors(const void *a, const void *b)
{
    const struct measured *x = a, *y = b;
    if (x->executors != y->executors)
        return x->executors < y->executors ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* A wave of all logs with so many executors, which follow one another from the k-th on. */
static void write_wave(FILE *out, const char *name, const struct measured *log, uint32_t k,
                       uint32_t end, uint32_t wave)
{
    uint32_t count = 0;
    for (uint32_t l = k; l < end; l++)
        count += log[l].wave[wave].count;
    fprintf(out, "%s %" PRIu32 " %" PRIu32, name, log[k].executors, count);
    for (uint32_t l = k; l < end; l++)
        for (uint32_t t = 0; t < log[l].wave[wave].count; t++)
            fprintf(out, " %" PRIu32, log[l].wave[wave].ms[t]);
    fputc('\n', out);
}

static void write_profile(FILE *out, const struct measured *log, uint32_t logs)
{
    static const char *const name[] = {
        [BR_WAVE_FIRST] = "first", [BR_WAVE_FRESH] = "fresh", [BR_WAVE_REST] = "rest"};
    const struct br_dag *dag = log[0].input.dag;
    /* What the published profiles begin with, and by which a profile is recognised. */
    fprintf(out, "query 1\nsize_gb 0\nstages %" PRIu32 "\n", dag->stages);
    for (uint32_t e = 0; e < dag->edges; e++)
        fprintf(out, "edge %" PRIu32 " %" PRIu32 "\n", dag->edge[e].parent, dag->edge[e].child);
    for (uint32_t s = 0; s < dag->stages; s++) {
        fprintf(out, "stage %" PRIu32 " tasks %" PRIu32 "\n", s, dag->stage[s].tasks);
        for (uint32_t k = 0, end; k < logs; k = end) {
            for (end = k + 1; end < logs && log[end].executors == log[k].executors;)
                end++;
            for (uint32_t wave = 0; wave < BR_WAVES; wave++)
                write_wave(out, name[wave], log, k, end, s * BR_WAVES + wave);
        }
    }
    fputs("end\n", out);
}

static enum br_status import_spark_check(const struct cli_settings *settings, uint32_t logs,
                                         struct br_diag *diag)
{
    const struct cli_import_settings *import = &settings->import;
    if (!logs || logs > MOST_LOGS)
        return br_fail(diag, BR_USAGE, "bigrocks import spark-profile LOG... -o JOB.txt",
                       logs ? "at most %u logs make a profile" : "no event log is given",
                       MOST_LOGS);
    if (import->directory || import->file || import->printed || import->measure || import->dirty ||
        import->whole || settings->needs.demand || settings->needs.history)
        return br_fail(diag, BR_USAGE, "leave it out",
                       "-C, --file, --printed, --measure, --dirty, --whole, --demand and --history "
                       "are for builds");
    return BR_OK;
}

int cli_import_spark_profile(const struct cli_settings *settings, const char *const *argument,
                             uint32_t arguments, struct br_diag *diag)
{
    struct measured *log = calloc((size_t)arguments + 1, sizeof *log);
    struct cli_output output;
    enum br_status status =
        log ? import_spark_check(settings, arguments, diag) : br_fail_memory(diag);
    for (uint32_t k = 0; k < arguments && !status; k++)
        status = measure(argument[k], &log[k], diag);
    for (uint32_t k = 0; k < arguments && !status; k++)
        status = fill_gaps(&log[k], diag);
    for (uint32_t k = 1; k < arguments && !status; k++)
        status = compare_jobs(&log[0], &log[k], diag);
    if (!status) {
        qsort(log, arguments, sizeof *log, by_executors);
        for (uint32_t k = 0; k < arguments && !settings->output.quiet; k++)
            cli_say("%s: %" PRIu32 " tasks at once", log[k].path, log[k].executors);
        status = cli_output_open(&output, settings->output.path, diag);
        if (!status) {
            write_profile(output.file, log, arguments);
            status = cli_output_close(&output, BR_OK, diag);
        }
    }
    for (uint32_t k = 0; log && k < arguments; k++) {
        for (uint32_t w = 0; log[k].wave && w < log[k].input.dag->stages * BR_WAVES; w++)
            free(log[k].wave[w].ms);
        free(log[k].wave);
        br_input_finish(&log[k].input);
    }
    free(log);
    return status;
}
