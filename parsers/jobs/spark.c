/* A whole Spark application as one job: the stages that ran, each with the mean time of its tasks.
 *
 * Spark's log shows which stages of one Spark job wait for which. The order between Spark jobs is
 * in the program that submits them, not in the log. This reader keeps what the log shows: a job
 * submitted after others had ended waits for them. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/collections/sort.h"
#include "base/text/text.h"
#include "parsers/spark/gaps.h"
#include "parsers/spark/log.h"
#include "parsers/spark/stages.h"
#include "parsers/reader/formats.h"
#include "parsers/text/value.h"

struct spark {
    struct br_spark_log log;
    struct br_dag *dag;
    uint32_t *number;         /* by stage of the log: in the dag */
    bool *first, *last;       /* by stage of the dag: no other of its job is before it, after it */
    uint32_t gate;            /* stage of the dag that new jobs wait for; BR_SPARK_NONE: none yet */
    uint32_t *gate_of;        /* by job: the gate when it was submitted */
    uint32_t *ended, endings; /* jobs that have ended since the gate was made */
    struct br_diag *diag;
};

static uint32_t jobs_spark_runs(const struct spark *spark, uint32_t job)
{
    return spark->log.first_ran[job + 1] - spark->log.first_ran[job];
}

/* The dag's number of the k-th stage of the job that ran. */
static uint32_t jobs_spark_stage_of(const struct spark *spark, uint32_t job, uint32_t k)
{
    assert(spark->log.first_ran[job] + k < spark->log.first_ran[job + 1]);
    return spark->number[spark->log.ran[spark->log.first_ran[job] + k]];
}

static enum br_status jobs_spark_add_edge(struct spark *spark, uint32_t parent, uint32_t child)
{
    return br_dag_add_edge(spark->dag, parent, child, BR_BARRIER, spark->diag);
}

/* The one last stage of the jobs that have ended since the last gate, if there is only one and it
 * waited for that gate; else BR_SPARK_NONE. */
static uint32_t only_last(const struct spark *spark)
{
    assert(spark->endings > 0);
    uint32_t only = BR_SPARK_NONE, job = spark->ended[0];
    if (spark->endings != 1 || spark->gate_of[job] != spark->gate)
        return BR_SPARK_NONE;
    for (uint32_t k = 0; k < jobs_spark_runs(spark, job); k++) {
        uint32_t stage = jobs_spark_stage_of(spark, job, k);
        if (!spark->last[stage])
            continue;
        if (only != BR_SPARK_NONE)
            return BR_SPARK_NONE;
        only = stage;
    }
    return only;
}

/* A stage without work that waits for all that has ended. */
static enum br_status make_gate(struct spark *spark)
{
    char id[32];
    uint32_t gate;
    snprintf(id, sizeof id, "jobs-before-%" PRIu32, spark->dag->stages);
    enum br_status status = br_dag_add_stage(spark->dag, id, 1, 0, &gate, spark->diag);
    if (!status && spark->gate != BR_SPARK_NONE)
        status = jobs_spark_add_edge(spark, spark->gate, gate);
    for (uint32_t e = 0; e < spark->endings; e++)
        for (uint32_t k = 0; k < jobs_spark_runs(spark, spark->ended[e]) && !status; k++) {
            uint32_t stage = jobs_spark_stage_of(spark, spark->ended[e], k);
            if (spark->last[stage])
                status = jobs_spark_add_edge(spark, stage, gate);
        }
    if (!status)
        spark->gate = gate;
    return status;
}

static enum br_status jobs_spark_submit(struct spark *spark, uint32_t job)
{
    enum br_status status = BR_OK;
    if (spark->endings > 0) {
        uint32_t only = only_last(spark);
        if (only != BR_SPARK_NONE)
            spark->gate = only;
        else
            status = make_gate(spark);
        spark->endings = 0;
    }
    spark->gate_of[job] = spark->gate;
    for (uint32_t k = 0; k < jobs_spark_runs(spark, job) && !status; k++) {
        uint32_t stage = jobs_spark_stage_of(spark, job, k);
        if (spark->first[stage] && spark->gate != BR_SPARK_NONE)
            status = jobs_spark_add_edge(spark, spark->gate, stage);
    }
    return status;
}

/* Processes submissions and ends of jobs in the order of time, ends first. */
static enum br_status order_jobs(struct spark *spark, struct br_sort_item *item)
{
    enum br_status status = BR_OK;
    uint32_t items = 0;
    for (uint32_t e = 0; e < spark->dag->edges; e++) {
        spark->last[spark->dag->edge[e].parent] = false;
        spark->first[spark->dag->edge[e].child] = false;
    }
    for (uint32_t j = 0; j < spark->log.jobs; j++) {
        const struct br_spark_job *job = &spark->log.job[j];
        if (jobs_spark_runs(spark, j) == 0)
            continue;
        item[items++] = (struct br_sort_item){(uint64_t)job->submit_ms * 2 + 1, j};
        if (job->end_ms >= job->submit_ms)
            item[items++] = (struct br_sort_item){(uint64_t)job->end_ms * 2, j};
    }
    assert(items <= 2 * spark->log.jobs);
    br_sort(item, item + items, items);
    for (uint32_t k = 0; k < items && !status; k++)
        if (item[k].key % 2 == 0)
            spark->ended[spark->endings++] = item[k].item;
        else
            status = jobs_spark_submit(spark, item[k].item);
    return status;
}

static enum br_status spark_link_jobs(struct spark *spark)
{
    size_t jobs = spark->log.jobs, stages = spark->dag->stages;
    struct br_sort_item *item = malloc((4 * jobs + 1) * sizeof *item);
    spark->first = malloc((stages + 1) * sizeof *spark->first);
    spark->last = malloc((stages + 1) * sizeof *spark->last);
    spark->gate_of = malloc((jobs + 1) * sizeof *spark->gate_of);
    spark->ended = malloc((jobs + 1) * sizeof *spark->ended);
    enum br_status status = BR_OK;
    if (!item || !spark->first || !spark->last || !spark->gate_of || !spark->ended)
        status = br_fail_memory(spark->diag);
    for (size_t s = 0; s < stages && !status; s++)
        spark->first[s] = spark->last[s] = true;
    br_value_place(spark->diag, BR_NO_POS);
    if (!status)
        status = order_jobs(spark, item);
    free(item);
    return status;
}

static enum br_status doubt(void *context, const char *sentence)
{
    struct spark *spark = context;
    return br_dag_add_doubt(spark->dag, spark->diag, "%s", sentence);
}

/* From the first submission to the last end, over jobs with a stage that ran. */
static int64_t span_ns(const struct spark *spark)
{
    int64_t first_ms = INT64_MAX, last_ms = 0;
    for (uint32_t j = 0; j < spark->log.jobs; j++) {
        const struct br_spark_job *job = &spark->log.job[j];
        if (jobs_spark_runs(spark, j) == 0)
            continue;
        if (!job->ended)
            return 0;
        first_ms = first_ms < job->submit_ms ? first_ms : job->submit_ms;
        last_ms = last_ms > job->end_ms ? last_ms : job->end_ms;
    }
    return first_ms < last_ms ? (last_ms - first_ms) * 1000000 : 0;
}

static enum br_status refuse_empty(const struct spark *spark)
{
    const struct br_spark_log *log = &spark->log;
    if (log->jobs == 0)
        return br_fail_at(spark->diag, BR_NO_POS, BR_BAD_INPUT,
                          "is it one part of a rolled log? give all parts, in order: 'ls -v "
                          "DIR/events_* | xargs cat | bigrocks ... -'",
                          "the application ran no job");
    return br_fail_at(spark->diag, BR_NO_POS, BR_BAD_INPUT, "take the log of a run that did work",
                      "the application has %" PRIu32 " jobs, but no stage of them ran", log->jobs);
}

static enum br_status jobs_spark_make_dag(struct spark *spark, const char *name)
{
    uint32_t ran = spark->log.jobs ? spark->log.first_ran[spark->log.jobs] : 0;
    spark->dag = br_dag_create(name);
    spark->number = malloc(((size_t)spark->log.stages + 1) * sizeof *spark->number);
    if (!spark->dag || !spark->number)
        return br_fail_memory(spark->diag);
    if (ran == 0)
        return refuse_empty(spark);
    for (uint32_t s = 0; s < spark->log.stages; s++)
        spark->number[s] = BR_SPARK_NONE;
    enum br_status status = br_spark_add_stages(&spark->log, spark->log.ran, ran, true, spark->dag,
                                                spark->number, spark->diag);
    if (!status)
        status = spark_link_jobs(spark);
    if (!status)
        status = br_spark_gaps(&spark->log, doubt, spark);
    spark->dag->recorded_ns = span_ns(spark);
    return status;
}

enum br_status br_read_spark_job(struct br_source *source, const struct br_parse_options *options,
                                 struct br_input *input, struct br_diag *diag)
{
    struct spark spark = {.gate = BR_SPARK_NONE, .diag = diag};
    char stem[256];
    uint32_t cores = 0;
    enum br_status status = br_spark_log_read(source, &spark.log, diag);
    const char *name = spark.log.name && br_text_is_plain(spark.log.name)
                           ? spark.log.name
                           : br_source_stem(source, "application", stem, sizeof stem);
    if (!status)
        status = jobs_spark_make_dag(&spark, name);
    input->dag = spark.dag;
    if (!status)
        status = br_spark_cluster(&spark.log, &input->cluster, &cores, diag);
    if (!status)
        spark.dag->recorded_cores = cores;
    free(spark.number);
    free(spark.first);
    free(spark.last);
    free(spark.gate_of);
    free(spark.ended);
    br_spark_log_finish(&spark.log);
    return status;
}
