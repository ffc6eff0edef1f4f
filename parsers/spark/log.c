/* Spark's event log, line by line. Of each event it reads only the members about the work. */
#include "parsers/spark/log.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/text/json.h"
#include "parsers/text/lines.h"

/* Plans of queries stand on one line, and may be long. */
enum { LONGEST_LINE = 1 << 28, MOST_PROFILES = 10000 };
#define MOST_MS UINT64_C(4000000000000)
#define MOST_BYTES UINT64_C(999999999999999999)

struct reader {
    struct br_spark_log *log;
    struct br_lines lines;
    struct br_json json;
    uint32_t job;   /* owner of the lists of stages */
    uint32_t stage; /* owner of the list of parents */
};

static bool fail_memory(struct reader *r)
{
    return br_json_take(&r->json, r->json.at, br_fail_memory(r->json.diag));
}

static bool find_stage(struct reader *r, uint32_t id, uint32_t *number)
{
    *number = br_spark_find_stage(r->log, id, (struct br_pos){r->lines.number, 1});
    return *number != BR_SPARK_NONE || fail_memory(r);
}

static bool find_executor(struct reader *r, const char *id, uint32_t *number)
{
    *number = br_spark_find_executor(r->log, id);
    return *number != BR_SPARK_NONE || fail_memory(r);
}

/* ---- Members of events ---- */

static bool spark_log_read_text(struct reader *r, const struct br_json_field *field,
                                const char **text)
{
    if (!br_json_go(&r->json, field))
        return !r->json.status;
    if (!br_json_string(&r->json, field->name))
        return false;
    *text = br_arena_text(&r->log->arena, r->json.text);
    return *text ? true : fail_memory(r);
}

static bool read_id(struct reader *r, const struct br_json_field *field, uint32_t *id)
{
    return br_json_optional_count32(&r->json, field, id);
}

static bool read_signed(struct reader *r, const struct br_json_field *field, uint64_t most,
                        int64_t *value)
{
    uint64_t count = (uint64_t)*value;
    bool read = br_json_optional_count(&r->json, field, most, &count);
    *value = (int64_t)count;
    return read;
}

static bool add_rdd(void *context, uint32_t k)
{
    struct reader *r = context;
    struct br_json_field field[] = {{.name = "Barrier"}};
    if (!br_json_fields(&r->json, "an RDD", field, 1))
        return false;
    const char *end = r->json.at;
    if (br_json_go(&r->json, &field[0]))
        r->log->stage[r->stage].barrier |= br_json_peek(&r->json) == 't';
    r->json.at = end;
    return !r->json.status;
}

static bool add_parent(void *context, uint32_t k)
{
    struct reader *r = context;
    struct br_spark_log *log = r->log;
    uint64_t id;
    uint32_t number;
    if (!br_json_count(&r->json, "the id of a parent", UINT32_MAX - 1, &id) ||
        !find_stage(r, (uint32_t)id, &number))
        return false;
    if (!br_grow(&log->parent, log->parents, &log->parent_room, sizeof *log->parent))
        return fail_memory(r);
    log->parent[log->parents++] = number;
    return true;
}

/* A "Stage Info", in events of jobs and of stages. The first one's parents count. */
static bool spark_log_read_stage(struct reader *r, uint32_t *number, uint32_t *attempt)
{
    struct br_json_field field[] = {{.name = "Stage ID", .required = true},
                                    {.name = "Stage Name"},
                                    {.name = "Parent IDs"},
                                    {.name = "Resource Profile Id"},
                                    {.name = "Number of Tasks"},
                                    {.name = "RDD Info"},
                                    {.name = "Stage Attempt ID"}};
    struct br_spark_log *log = r->log;
    uint32_t id = 0, profile = 0, tasks = 0;
    const char *name = NULL;
    *attempt = 0;
    if (!br_json_fields(&r->json, "a stage", field, 7))
        return false;
    const char *end = r->json.at;
    if (!read_id(r, &field[0], &id) || !find_stage(r, id, number) ||
        !read_id(r, &field[4], &tasks) || !read_id(r, &field[6], attempt))
        return false;
    if (*attempt == 0) /* later ones rebuild missing results */
        log->stage[*number].told = tasks;
    if (!log->stage[*number].known) {
        uint32_t first = log->parents;
        r->stage = *number;
        if (!spark_log_read_text(r, &field[1], &name) ||
            !br_json_each(&r->json, &field[2], "the ids of parents", add_parent, r) ||
            !read_id(r, &field[3], &profile) ||
            !br_json_each(&r->json, &field[5], "the RDDs", add_rdd, r))
            return false;
        struct br_spark_stage *stage = &log->stage[*number];
        stage->known = true;
        stage->linked = field[2].at != NULL;
        stage->name = name;
        stage->profile = profile;
        stage->first_parent = first;
        stage->parents = log->parents - first;
    }
    r->json.at = end;
    return !r->json.status;
}

static void give_to_job(struct reader *r, uint32_t number)
{
    assert(r->job < r->log->jobs);
    if (r->log->stage[number].job == BR_SPARK_NONE)
        r->log->stage[number].job = r->job;
}

static bool add_stage_info(void *context, uint32_t k)
{
    struct reader *r = context;
    uint32_t number, attempt;
    if (!spark_log_read_stage(r, &number, &attempt))
        return false;
    give_to_job(r, number);
    return true;
}

static bool add_stage_id(void *context, uint32_t k)
{
    struct reader *r = context;
    uint64_t id;
    uint32_t number;
    if (!br_json_count(&r->json, "the id of a stage", UINT32_MAX - 1, &id) ||
        !find_stage(r, (uint32_t)id, &number))
        return false;
    give_to_job(r, number);
    return true;
}

/* ---- Events ---- */

static bool application_end(struct reader *r)
{
    r->log->ended = true;
    return br_json_skip(&r->json);
}

static bool application_start(struct reader *r)
{
    struct br_json_field field[] = {{.name = "App Name"}, {.name = "User"}};
    return br_json_fields(&r->json, "the event", field, 2) &&
           spark_log_read_text(r, &field[0], &r->log->name) &&
           spark_log_read_text(r, &field[1], &r->log->user);
}

static bool spark_log_read_pool(struct reader *r, const struct br_json_field *properties,
                                const char **pool)
{
    struct br_json_field field[] = {{.name = "spark.scheduler.pool"}};
    if (!br_json_go(&r->json, properties))
        return !r->json.status;
    return br_json_fields(&r->json, "the properties", field, 1) &&
           spark_log_read_text(r, &field[0], pool);
}

static bool job_start(struct reader *r)
{
    struct br_json_field field[] = {{.name = "Job ID", .required = true},
                                    {.name = "Submission Time"},
                                    {.name = "Stage Infos"},
                                    {.name = "Stage IDs"},
                                    {.name = "Properties"}};
    struct br_spark_log *log = r->log;
    struct br_spark_job job = {.submit_ms = -1, .end_ms = -1, .pos = {r->lines.number, 1}};
    if (!br_json_fields(&r->json, "the event", field, 5) || !read_id(r, &field[0], &job.id) ||
        !read_signed(r, &field[1], MOST_MS, &job.submit_ms) ||
        !spark_log_read_pool(r, &field[4], &job.pool))
        return false;
    if (br_spark_find_job(log, job.id) != BR_SPARK_NONE)
        return br_json_fail(&r->json, field[0].at, "is this one application's log?",
                            "job %" PRIu32 " starts twice", job.id);
    job.submit_told = job.submit_ms >= 0;
    r->job = br_spark_add_job(log, &job);
    if (r->job == BR_SPARK_NONE)
        return fail_memory(r);
    return br_json_each(&r->json, &field[2], "the stages", add_stage_info, r) &&
           br_json_each(&r->json, &field[3], "the ids of stages", add_stage_id, r);
}

static bool spark_log_job_end(struct reader *r)
{
    struct br_json_field field[] = {
        {.name = "Job ID", .required = true}, {.name = "Completion Time"}, {.name = "Job Result"}};
    struct br_json_field result[] = {{.name = "Result"}};
    uint32_t id = 0;
    if (!br_json_fields(&r->json, "the event", field, 3) || !read_id(r, &field[0], &id))
        return false;
    uint32_t number = br_spark_find_job(r->log, id);
    if (number == BR_SPARK_NONE)
        return br_json_fail(&r->json, field[0].at,
                            "is the beginning of the log missing? give all parts of a rolled log, "
                            "in order",
                            "job %" PRIu32 " ends, and never started", id);
    struct br_spark_job *job = &r->log->job[number];
    job->ended = true;
    if (!read_signed(r, &field[1], MOST_MS, &job->end_ms))
        return false;
    if (!br_json_go(&r->json, &field[2]))
        return !r->json.status;
    if (!br_json_fields(&r->json, "the result", result, 1))
        return false;
    if (br_json_go(&r->json, &result[0]) && br_json_string(&r->json, "the result"))
        job->failed = strcmp(r->json.text, "JobSucceeded") != 0;
    return !r->json.status;
}

static void note_attempt(struct reader *r, uint32_t stage, uint32_t attempt)
{
    assert(stage < r->log->stages);
    r->log->stage[stage].ran = true;
    if (r->log->stage[stage].attempt > attempt)
        r->log->stage[stage].attempt = attempt;
}

/* For a stage that is submitted or completed. */
static bool stage_event(struct reader *r)
{
    struct br_json_field field[] = {{.name = "Stage Info", .required = true}};
    uint32_t number, attempt;
    if (!br_json_fields(&r->json, "the event", field, 1) || !br_json_go(&r->json, &field[0]) ||
        !spark_log_read_stage(r, &number, &attempt))
        return false;
    note_attempt(r, number, attempt);
    return true;
}

enum end { SUCCEEDED, LOST, RESUBMITTED };

/* The end of a task. "Resubmitted" is logged for a task that has succeeded and will run again. */
static bool read_end(struct reader *r, const struct br_json_field *reason, enum end *end)
{
    struct br_json_field field[] = {{.name = "Reason", .required = true}};
    if (!br_json_go(&r->json, reason) ||
        !br_json_fields(&r->json, "the reason of its end", field, 1) ||
        !br_json_go(&r->json, &field[0]) || !br_json_string(&r->json, "the reason"))
        return false;
    *end = strcmp(r->json.text, "Success") == 0       ? SUCCEEDED
           : strcmp(r->json.text, "Resubmitted") == 0 ? RESUBMITTED
                                                      : LOST;
    return true;
}

/* From the launch until the core is free; fetching a large result comes after that. */
static bool read_times(struct reader *r, const struct br_json_field *info,
                       struct br_spark_task *task)
{
    struct br_json_field field[] = {
        {.name = "Index", .required = true},       {.name = "Partition ID"},
        {.name = "Launch Time", .required = true}, {.name = "Finish Time", .required = true},
        {.name = "Getting Result Time"},           {.name = "Executor ID"}};
    int64_t launch = 0, finish = 0, fetch = 0;
    if (!br_json_go(&r->json, info) || !br_json_fields(&r->json, "the task", field, 6) ||
        !read_id(r, &field[0], &task->partition) || !read_id(r, &field[1], &task->partition) ||
        !read_signed(r, &field[2], MOST_MS, &launch) ||
        !read_signed(r, &field[3], MOST_MS, &finish) || !read_signed(r, &field[4], MOST_MS, &fetch))
        return false;
    if (fetch > 0)
        finish = fetch;
    if (finish < launch)
        return br_json_fail(&r->json, field[3].at, "was a clock set back?",
                            "the task ends before it is launched");
    task->executor = BR_SPARK_NONE;
    if (br_json_go(&r->json, &field[5])) {
        if (!br_json_string(&r->json, "the id of an executor"))
            return false;
        task->executor = br_spark_known_executor(r->log, r->json.text);
    } else if (r->json.status) {
        return false;
    }
    task->launch_ns = launch * 1000000;
    task->ns = (finish - launch) * 1000000;
    return true;
}

/* Duration of an attempt that does not count; 0 if unknown. */
static bool read_loss(struct reader *r, const struct br_json_field *info, int64_t *ns)
{
    struct br_json_field field[] = {{.name = "Launch Time"}, {.name = "Finish Time"}};
    int64_t launch = 0, finish = 0;
    *ns = 0;
    if (!br_json_go(&r->json, info) || br_json_peek(&r->json) != '{')
        return !r->json.status;
    if (!br_json_fields(&r->json, "the task", field, 2) ||
        !read_signed(r, &field[0], MOST_MS, &launch) ||
        !read_signed(r, &field[1], MOST_MS, &finish))
        return false;
    if (launch > 0 && finish > launch)
        *ns = (finish - launch) * 1000000;
    return true;
}

static bool read_metrics(struct reader *r, const struct br_json_field *metrics, int64_t *mem_bytes)
{
    struct br_json_field field[] = {{.name = "Peak Execution Memory"}};
    if (!br_json_go(&r->json, metrics))
        return !r->json.status;
    if (br_json_peek(&r->json) != '{') /* null if there are none */
        return true;
    return br_json_fields(&r->json, "the metrics", field, 1) &&
           read_signed(r, &field[0], MOST_BYTES, mem_bytes);
}

static bool spark_log_add_task(struct reader *r, struct br_spark_task *task,
                               const struct br_json_field *metrics)
{
    struct br_spark_log *log = r->log;
    int64_t mem_bytes = 0;
    if (!read_metrics(r, metrics, &mem_bytes))
        return false;
    if (!br_grow(&log->task, log->tasks, &log->task_room, sizeof *log->task))
        return fail_memory(r);
    assert(task->stage < log->stages);
    log->task[log->tasks++] = *task;
    if (log->stage[task->stage].mem_bytes < mem_bytes)
        log->stage[task->stage].mem_bytes = mem_bytes;
    return true;
}

static bool task_end(struct reader *r)
{
    struct br_json_field field[] = {{.name = "Stage ID", .required = true},
                                    {.name = "Task End Reason", .required = true},
                                    {.name = "Task Info", .required = true},
                                    {.name = "Task Metrics"},
                                    {.name = "Stage Attempt ID"}};
    struct br_spark_task task = {0};
    enum end end = LOST;
    uint32_t id = 0, attempt = 0;
    if (!br_json_fields(&r->json, "the event", field, 5) || !read_end(r, &field[1], &end) ||
        !read_id(r, &field[0], &id) || !find_stage(r, id, &task.stage) ||
        !read_id(r, &field[4], &attempt))
        return false;
    note_attempt(r, task.stage, attempt);
    if (end == SUCCEEDED)
        return read_times(r, &field[2], &task) && spark_log_add_task(r, &task, &field[3]);
    if (end == LOST) {
        if (!read_loss(r, &field[2], &task.ns))
            return false;
        br_spark_lose(&r->log->lost, 1, task.ns);
        r->log->stage[task.stage].lost++;
    }
    return true;
}

static bool add_change(struct reader *r, uint32_t executor, bool comes)
{
    struct br_spark_log *log = r->log;
    if (!br_grow(&log->change, log->changes, &log->change_room, sizeof *log->change))
        return fail_memory(r);
    log->change[log->changes++] = (struct br_spark_change){executor, comes};
    return true;
}

static bool executor_added(struct reader *r)
{
    struct br_json_field field[] = {{.name = "Executor ID", .required = true},
                                    {.name = "Executor Info", .required = true}};
    struct br_json_field info[] = {{.name = "Total Cores", .required = true}};
    uint32_t number, cores = 0;
    if (!br_json_fields(&r->json, "the event", field, 2) || !br_json_go(&r->json, &field[0]) ||
        !br_json_string(&r->json, "the id of an executor") ||
        !find_executor(r, r->json.text, &number) || !br_json_go(&r->json, &field[1]) ||
        !br_json_fields(&r->json, "the executor", info, 1) || !read_id(r, &info[0], &cores))
        return false;
    if (r->log->executor[number].cores) /* told twice */
        return true;
    r->log->executor[number].cores = cores;
    return add_change(r, number, true);
}

static bool executor_removed(struct reader *r)
{
    struct br_json_field field[] = {{.name = "Executor ID", .required = true}};
    uint32_t number;
    if (!br_json_fields(&r->json, "the event", field, 1) || !br_json_go(&r->json, &field[0]) ||
        !br_json_string(&r->json, "the id of an executor") ||
        !find_executor(r, r->json.text, &number))
        return false;
    return add_change(r, number, false);
}

/* The memory of an executor for execution and storage together is the most that its storage may
 * take. */
static bool block_manager_added(struct reader *r)
{
    struct br_json_field field[] = {{.name = "Block Manager ID", .required = true},
                                    {.name = "Maximum Memory"}};
    struct br_json_field id[] = {{.name = "Executor ID", .required = true}};
    uint32_t number;
    int64_t mem_bytes = 0;
    if (!br_json_fields(&r->json, "the event", field, 2) || !br_json_go(&r->json, &field[0]) ||
        !br_json_fields(&r->json, "the block manager", id, 1) || !br_json_go(&r->json, &id[0]) ||
        !br_json_string(&r->json, "the id of an executor") ||
        !find_executor(r, r->json.text, &number) ||
        !read_signed(r, &field[1], MOST_BYTES, &mem_bytes))
        return false;
    r->log->executor[number].mem_bytes = mem_bytes;
    return true;
}

/* Number of cores of a task of this profile. */
static bool profile_added(struct reader *r)
{
    struct br_json_field field[] = {{.name = "Resource Profile Id", .required = true},
                                    {.name = "Task Resource Requests"}};
    struct br_json_field requests[] = {{.name = "cpus"}}, cpus[] = {{.name = "Amount"}};
    struct br_spark_log *log = r->log;
    uint32_t id = 0;
    int64_t ns = 0;
    if (!br_json_fields(&r->json, "the event", field, 2) || !read_id(r, &field[0], &id))
        return false;
    if (!br_json_go(&r->json, &field[1]) ||
        !br_json_fields(&r->json, "the requests", requests, 1) ||
        !br_json_go(&r->json, &requests[0]) || !br_json_fields(&r->json, "the cores", cpus, 1) ||
        !br_json_optional_seconds(&r->json, &cpus[0], &ns)) /* "1.0" */
        return !r->json.status;
    if (ns < 1000000000 || ns % 1000000000 != 0 || id >= MOST_PROFILES)
        return true;
    while (log->profiles <= id) {
        if (!br_grow(&log->task_cpus, log->profiles, &log->profile_room, sizeof *log->task_cpus))
            return fail_memory(r);
        log->task_cpus[log->profiles++] = 1;
    }
    log->task_cpus[id] = (uint32_t)(ns / 1000000000);
    return true;
}

static const struct {
    const char *name;
    bool (*read)(struct reader *r);
} events[] = {
    {"SparkListenerTaskEnd", task_end},
    {"SparkListenerStageSubmitted", stage_event},
    {"SparkListenerStageCompleted", stage_event},
    {"SparkListenerJobStart", job_start},
    {"SparkListenerJobEnd", spark_log_job_end},
    {"SparkListenerApplicationStart", application_start},
    {"SparkListenerApplicationEnd", application_end},
    {"SparkListenerExecutorAdded", executor_added},
    {"SparkListenerExecutorRemoved", executor_removed},
    {"SparkListenerBlockManagerAdded", block_manager_added},
    {"SparkListenerResourceProfileAdded", profile_added},
};

/* The name of the event is its first member. Other events are skipped. */
static bool read_event(struct reader *r)
{
    struct br_json *json = &r->json;
    if (!br_json_object(json, "an event") || !br_json_member(json))
        return json->status ? false
                            : br_json_fail(json, json->start, NULL, "the event has no 'Event'");
    if (strcmp(json->key, "Event") != 0)
        return br_json_fail(json, json->start, "events of Spark begin so",
                            "the event does not begin with its name, 'Event'");
    if (!br_json_string(json, "the name of the event"))
        return false;
    for (size_t k = 0; k < sizeof events / sizeof events[0]; k++)
        if (strcmp(json->text, events[k].name) == 0) {
            json->at = json->start;
            return events[k].read(r);
        }
    return true;
}

bool br_is_spark(const char *text)
{
    const char *p = text + strspn(text, " \t\r\n");
    if (*p != '{')
        return false;
    p += 1 + strspn(p + 1, " \t");
    if (strncmp(p, "\"Event\"", 7) != 0)
        return false;
    p += 7 + strspn(p + 7, " \t:");
    return strncmp(p, "\"SparkListener", 14) == 0 || strncmp(p, "\"org.apache.spark.", 18) == 0;
}

/* ---- The whole ---- */

enum br_status br_spark_log_read(struct br_source *source, struct br_spark_log *log,
                                 struct br_diag *diag)
{
    struct reader r = {.log = log, .lines = br_lines_of(source, LONGEST_LINE)};
    bool more = false;
    *log = (struct br_spark_log){0};
    br_json_init(&r.json, "", 0, diag);
    enum br_status status = br_lines_next(&r.lines, &more, diag);
    while (!status && more) {
        br_json_restart(&r.json, r.lines.line, r.lines.length, r.lines.number);
        if (r.lines.length > 0 && !read_event(&r))
            status = r.json.status;
        if (!status)
            status = br_lines_next(&r.lines, &more, diag);
    }
    br_json_finish(&r.json);
    br_lines_finish(&r.lines);
    if (!status && !br_spark_sort(log))
        status = br_fail_memory(diag);
    return status;
}
