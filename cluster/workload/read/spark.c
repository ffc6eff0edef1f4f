/* Spark's event log as a workload: each of the application's jobs arrives when the driver submitted
 * it. A stage is declared to last as long as its tasks did on average; the true durations are the
 * tasks' own times. */
#include "parsers/spark/gaps.h"
#include "parsers/spark/log.h"
#include "parsers/spark/stages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/text.h"
#include "parsers/text/value.h"
#include "cluster/workload/read/formats.h"
#include "cluster/workload/read/record.h"

struct spark {
    struct br_spark_log log;
    struct br_records records; /* for its counts of work left out */
    const struct br_workload_options *options;
    struct br_workload *workload;
    uint32_t *number; /* by stage of the log: in the dag being made */
    int64_t *true_ns; /* of the job; has room for those of all */
    int64_t first_ms; /* submission of the first job that is kept */
    struct br_diag *diag;
};

/* Does the job belong to the workload? Else counts the reason. */
static bool workloads_spark_is_kept(struct spark *spark, uint32_t number)
{
    const struct br_spark_job *job = &spark->log.job[number];
    enum br_left_out why;
    if (spark->log.first_ran[number] == spark->log.first_ran[number + 1])
        why = BR_LEFT_NEVER_RAN; /* all of its stages were skipped, or failed at once */
    else if (job->end_ms < 0)
        why = BR_LEFT_RUNNING;
    else if (job->failed && spark->options->completed_only)
        why = BR_LEFT_NOT_COMPLETED;
    else
        return true;
    spark->records.left_out[why]++;
    return false;
}

static enum br_status workloads_spark_find_group(struct spark *spark,
                                                 const struct br_spark_job *job, uint32_t *group)
{
    enum br_grouping by = spark->options->group_by;
    const char *name = by == BR_GROUP_BY_USER    ? spark->log.user
                       : by == BR_GROUP_BY_QUEUE ? job->pool
                                                 : NULL;
    *group = 0;
    if (!name || !*name)
        return BR_OK;
    if (!br_text_is_plain(name))
        return br_fail_at(spark->diag, job->pos, BR_BAD_INPUT, NULL,
                          "the name of the group of job %" PRIu32 " is no plain text", job->id);
    *group = br_workload_find_group(spark->workload, name);
    return *group != BR_NO_GROUP
               ? BR_OK
               : br_workload_add_group(spark->workload, name, 1, group, spark->diag);
}

static void workloads_spark_set_true(struct spark *spark, const uint32_t *stage, uint32_t stages)
{
    uint32_t tasks = 0;
    for (uint32_t k = 0; k < stages; k++) {
        const struct br_spark_stage *s = &spark->log.stage[stage[k]];
        if (br_spark_stage_size(s) != s->tasks || s->barrier) {
            spark->true_ns[tasks++] = br_spark_longest_ns(&spark->log, s);
            continue;
        }
        for (uint32_t t = 0; t < s->tasks; t++)
            spark->true_ns[tasks++] = spark->log.task[s->first_task + t].ns;
    }
}

static enum br_status workloads_spark_make_dag(struct spark *spark, const struct br_spark_job *job,
                                               const uint32_t *stage, uint32_t stages,
                                               uint32_t *number)
{
    char name[300];
    struct br_dag *dag;
    snprintf(name, sizeof name, "%.250s job %" PRIu32, spark->workload->name, job->id);
    dag = br_dag_create(br_text_is_plain(name) ? name : "job");
    enum br_status status = dag ? BR_OK : br_fail_memory(spark->diag);
    if (!status)
        status = br_spark_add_stages(&spark->log, stage, stages, !spark->options->cpu_only, dag,
                                     spark->number, spark->diag);
    for (uint32_t k = 0; k < stages; k++)
        spark->number[stage[k]] = BR_SPARK_NONE;
    br_value_place(spark->diag, job->pos);
    if (!status)
        status = br_dag_set_source(dag, spark->workload->source, spark->diag);
    if (!status)
        status = br_dag_finish(dag, spark->diag);
    if (status) {
        br_dag_destroy(dag);
        return status;
    }
    return br_workload_add_dag(spark->workload, dag, NULL, NULL, number, spark->diag);
}

static enum br_status workloads_spark_add_job(struct spark *spark, uint32_t number)
{
    const struct br_spark_job *from = &spark->log.job[number];
    const uint32_t *stage = spark->log.ran + spark->log.first_ran[number];
    uint32_t stages = spark->log.first_ran[number + 1] - spark->log.first_ran[number];
    struct br_workload_job job = br_workload_job_default();
    char id[24];
    enum br_status status = workloads_spark_make_dag(spark, from, stage, stages, &job.dag);
    if (!status)
        status = workloads_spark_find_group(spark, from, &job.group);
    if (status)
        return status;
    workloads_spark_set_true(spark, stage, stages);
    snprintf(id, sizeof id, "job%" PRIu32, from->id);
    job.id = id;
    job.arrival_ns = from->submit_ms * 1000000;
    job.seed = (uint64_t)number + 1;
    job.true_ns = spark->true_ns;
    if (from->end_ms >= from->submit_ms)
        job.recorded_ns = (from->end_ms - from->submit_ms) * 1000000;
    job.pos = from->pos;
    if (spark->first_ms > from->submit_ms)
        spark->first_ms = from->submit_ms;
    return br_workload_add_job(spark->workload, &job, spark->diag);
}

struct note {
    char text[2048];
    size_t used;
};

static enum br_status add_to_note(void *context, const char *sentence)
{
    struct note *note = context;
    br_note_part(note->text, sizeof note->text, &note->used, "%s", sentence);
    return BR_OK;
}

static enum br_status workloads_spark_add_note(struct spark *spark)
{
    struct note note = {"", 0};
    enum br_status status = br_spark_gaps(&spark->log, add_to_note, &note);
    return status ? status : br_records_note(&spark->records, note.text, spark->diag);
}

static enum br_status workloads_spark_add_jobs(struct spark *spark)
{
    size_t stages = spark->log.stages, tasks = spark->log.tasks;
    enum br_status status = BR_OK;
    spark->number = malloc((stages + 1) * sizeof *spark->number);
    spark->true_ns = malloc((stages + tasks + 1) * sizeof *spark->true_ns);
    if (!spark->number || !spark->true_ns)
        return br_fail_memory(spark->diag);
    for (size_t s = 0; s < stages; s++)
        spark->number[s] = BR_SPARK_NONE;
    for (uint32_t j = 0; j < spark->log.jobs && !status; j++)
        if (workloads_spark_is_kept(spark, j))
            status = workloads_spark_add_job(spark, j);
    for (uint32_t j = 0; j < spark->workload->jobs; j++)
        spark->workload->job[j].arrival_ns -= spark->first_ms * 1000000;
    return status;
}

enum br_status br_read_spark(struct br_source *source, const struct br_workload_options *options,
                             struct br_workload *workload, struct br_diag *diag)
{
    struct spark spark = {
        .options = options, .workload = workload, .first_ms = INT64_MAX, .diag = diag};
    br_records_init(&spark.records, workload, options);
    enum br_status status = br_spark_log_read(source, &spark.log, diag);
    if (!status && spark.log.name && br_text_is_plain(spark.log.name)) {
        workload->name = br_arena_text(&workload->arena, spark.log.name);
        status = workload->name ? BR_OK : br_fail_memory(diag);
    }
    if (!status)
        status = workloads_spark_add_jobs(&spark);
    if (!status)
        status = br_spark_cluster(&spark.log, &workload->cluster, NULL, diag);
    if (!status)
        status = workloads_spark_add_note(&spark);
    free(spark.number);
    free(spark.true_ns);
    br_records_finish(&spark.records);
    br_spark_log_finish(&spark.log);
    return status;
}
