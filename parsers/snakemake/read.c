/* A job from Snakemake's description of a workflow. Jobs name their parents by the index in the
 * list, which may come later, so edges are added at the end; so are durations, since an unknown one
 * is the median of the job's rule. */
#include "parsers/snakemake/snakemake.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/arena.h"
#include "base/collections/grow.h"
#include "base/collections/index.h"
#include "base/collections/sort.h"
#include "base/text/text.h"
#include "parsers/reader/formats.h"
#include "parsers/text/json.h"
#include "parsers/text/value.h"

enum { TEXT_LIMIT = 1 << 30 };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
static const int64_t unknown = -1, minute_ns = INT64_C(60000000000);

/* Sources of a job's duration, each in nanoseconds or unknown. */
struct job {
    uint32_t rule;
    int64_t recorded_ns, declared_ns, limit_ns;
};

/* An edge; the parent may not have been read yet. */
struct wait {
    uint32_t parent, child;
    const char *at;
    const char *reads; /* ids with blanks between them; NULL: not told */
};

/* Jobs of a rule, and the stage of the first. */
struct join {
    uint32_t count, first;
};
enum { PIPE, GROUP };

struct reading {
    struct br_json json;
    struct br_diag *diag;
    struct br_dag *dag;
    struct br_arena arena; /* names of rules, reads of waits */
    struct br_index by_name;
    const char **rule;
    struct job *job; /* by stage */
    struct join joined[2];
    struct join undetermined, unsized;
    struct wait *wait;
    uint32_t rules, rule_room, jobs, job_room, waits, wait_room;
    uint32_t first_wait, reading_wait; /* of the job at hand */
};

static bool snakemake_read_no_memory(struct reading *reading)
{
    return br_json_take(&reading->json, reading->json.at, br_fail_memory(reading->diag));
}

/* ---- Rules ---- */

static uint64_t snakemake_read_hash_rule(const void *context, uint32_t number)
{
    return br_hash_text(((const struct reading *)context)->rule[number]);
}

static bool snakemake_read_is_rule(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct reading *)context)->rule[number], key) == 0;
}

static bool find_rule(struct reading *reading, const char *name, uint32_t *rule)
{
    static const struct br_index_keys keys = {snakemake_read_hash_rule, snakemake_read_is_rule};
    *rule = br_index_find(&reading->by_name, &keys, reading, name, br_hash_text(name));
    if (*rule != UINT32_MAX)
        return true;
    if (!br_grow(&reading->rule, reading->rules, &reading->rule_room, sizeof *reading->rule) ||
        !(reading->rule[reading->rules] = br_arena_text(&reading->arena, name)) ||
        !br_index_add(&reading->by_name, &keys, reading, reading->rules))
        return snakemake_read_no_memory(reading);
    *rule = reading->rules++;
    return true;
}

/* ---- Resources ---- */

static bool snakemake_read_add_demand(struct reading *reading, uint32_t stage, const char *at,
                                      const char *resource, const char *amount)
{
    return br_json_take(&reading->json, at,
                        br_dag_add_demand(reading->dag, stage, resource, amount, reading->diag));
}

/* A number of 0 or more, as it is written, times 10^exponent. */
static bool snakemake_read_amount(struct reading *reading, const char *name, int32_t exponent,
                                  struct br_decimal *amount)
{
    struct br_json *json = &reading->json;
    if (!br_json_number(json, "an amount"))
        return false;
    const char *at = json->at - strlen(json->text);
    if (br_decimal_parse(json->text, amount) || amount->mantissa < 0)
        return br_json_fail(json, at, "amounts are numbers of 0 or more, of up to 18 digits",
                            "%.80s is %.80s, which is no amount", name, json->text);
    amount->exponent += amount->mantissa ? exponent : 0;
    return true;
}

/* An upper limit in minutes. */
static bool snakemake_read_limit(struct reading *reading, int64_t *ns)
{
    struct br_decimal minutes;
    const char *at = reading->json.at;
    if (!snakemake_read_amount(reading, "runtime", 0, &minutes))
        return false;
    if (!br_decimal_scale(minutes, 0, ns) || __builtin_mul_overflow(*ns, minute_ns, ns))
        return br_json_fail(&reading->json, at, "give whole minutes", "runtime is out of range");
    return true;
}

static bool snakemake_read_resource(struct reading *reading, uint32_t stage, const char *name,
                                    struct job *job)
{
    static const char *const left_out[] = {"mem_mib", "disk_mib"};
    struct br_json *json = &reading->json;
    struct br_decimal amount;
    char text[BR_DECIMAL_TEXT];
    bool is_text = br_json_peek(json) == '"', is_memory = strcmp(name, "mem_mb") == 0;
    const char *at = json->at;
    if (strcmp(name, "duration_s") == 0) {
        if (!br_json_scalar(json, "seconds"))
            return false;
        br_value_place(reading->diag, br_json_pos(json, at));
        return br_json_take(
            json, at,
            br_value_seconds(json->text, name, "a job", &job->declared_ns, reading->diag));
    }
    for (size_t k = 0; k < COUNT(left_out); k++)
        if (is_text || strcmp(name, left_out[k]) == 0)
            return br_json_skip(json);
    if (strcmp(name, "runtime") == 0)
        return snakemake_read_limit(reading, &job->limit_ns);
    if (!snakemake_read_amount(reading, name, is_memory ? 6 : 0, &amount))
        return false;
    if (amount.mantissa == 0)
        return true;
    if (!br_text_is_plain(name) || strcmp(name, "cpu") == 0 || strcmp(name, "mem") == 0)
        return br_json_fail(json, at, "threads and mem_mb are for processors and memory",
                            "a resource cannot be called so");
    br_decimal_format(amount, text, sizeof text);
    return snakemake_read_add_demand(reading, stage, at, is_memory ? "mem" : name, text);
}

static bool read_resources(struct reading *reading, const struct br_json_field *resources,
                           uint32_t stage, struct job *job)
{
    struct br_json *json = &reading->json;
    if (!br_json_go(json, resources))
        return !json->status;
    br_json_object(json, "the job's resources");
    while (br_json_member(json))
        if (!snakemake_read_resource(reading, stage, json->key, job))
            return false;
    return !json->status;
}

/* ---- Jobs ---- */

static bool read_parent(void *context, uint32_t k)
{
    struct reading *reading = context;
    uint64_t parent;
    (void)k;
    br_json_peek(&reading->json);
    struct wait wait = {.child = reading->jobs, .at = reading->json.at};
    if (!br_json_count(&reading->json, "the place of a job", UINT32_MAX - 1, &parent))
        return false;
    wait.parent = (uint32_t)parent;
    if (!br_grow(&reading->wait, reading->waits, &reading->wait_room, sizeof *reading->wait))
        return snakemake_read_no_memory(reading);
    reading->wait[reading->waits++] = wait;
    return true;
}

/* ---- Temporary files ---- */

static bool read_output(void *context, uint32_t k)
{
    struct reading *reading = context;
    struct br_json *json = &reading->json;
    struct br_json_field field[] = {{"id", true, NULL}, {"disk_mb", true, NULL}};
    struct br_decimal amount;
    char text[BR_DECIMAL_TEXT];
    (void)k;
    if (!br_json_fields(json, "a temporary output", field, COUNT(field)))
        return false;
    const char *after = json->at;
    br_json_go(json, &field[1]);
    if (!snakemake_read_amount(reading, "disk_mb", 0, &amount))
        return false;
    br_decimal_format(amount, text, sizeof text);
    br_json_go(json, &field[0]);
    if (!br_json_string(json, "the output's id"))
        return false;
    const bool good =
        br_json_take(json, field[0].at,
                     br_dag_add_output(reading->dag, reading->jobs, json->text, "disk_mb", text,
                                       BR_OUTPUT_UNKEPT, reading->diag));
    json->at = after;
    return good;
}

/* The text of one wait's reads, of which an id more is read. */
static bool read_id(void *context, uint32_t k)
{
    struct reading *reading = context;
    struct br_json *json = &reading->json;
    struct wait *wait = &reading->wait[reading->reading_wait];
    if (!br_json_string(json, "the id of an output"))
        return false;
    const size_t size = strlen(wait->reads) + strlen(json->text) + 2;
    char *ids = br_arena_alloc(&reading->arena, size);
    if (!ids)
        return snakemake_read_no_memory(reading);
    snprintf(ids, size, "%s%s%s", wait->reads, k ? " " : "", json->text);
    wait->reads = ids;
    return true;
}

static bool read_reads(void *context, uint32_t k)
{
    struct reading *reading = context;
    br_json_peek(&reading->json);
    const char *at = reading->json.at;
    const struct br_json_field ids = {"reads", true, at};
    if (!br_json_skip(&reading->json))
        return false;
    const char *after = reading->json.at;
    reading->reading_wait = reading->first_wait + k;
    if (reading->reading_wait >= reading->waits)
        return br_json_fail(&reading->json, at, "give one list for each job that it waits for",
                            "there are more lists of reads than jobs to wait for");
    reading->wait[reading->reading_wait].reads = "";
    if (!br_json_each(&reading->json, &ids, "the outputs that it reads", read_id, reading))
        return false;
    reading->json.at = after;
    return true;
}

static bool read_threads(struct reading *reading, const struct br_json_field *threads,
                         uint32_t stage)
{
    uint64_t count = 1;
    char text[24];
    if (!br_json_optional_count(&reading->json, threads, UINT32_MAX, &count))
        return false;
    snprintf(text, sizeof text, "%" PRIu64, count);
    return count == 0 || snakemake_read_add_demand(reading, stage, threads->at, "cpu", text);
}

static void count_join(struct join *join, uint32_t stage)
{
    if (join->count++ == 0)
        join->first = stage;
}

static bool read_joined(struct reading *reading, const struct br_json_field *joined, uint32_t stage)
{
    if (!br_json_go(&reading->json, joined))
        return !reading->json.status;
    if (!br_json_string(&reading->json, "how the job is joined"))
        return false;
    count_join(&reading->joined[strcmp(reading->json.text, "pipe") == 0 ? PIPE : GROUP], stage);
    return true;
}

static bool snakemake_read_job(void *context, uint32_t k)
{
    struct reading *reading = context;
    struct br_json *json = &reading->json;
    enum {
        ID,
        RULE,
        THREADS,
        RESOURCES,
        AFTER,
        SECONDS,
        JOINED,
        UNDETERMINED,
        OUTPUTS,
        READS,
        UNSIZED
    };
    struct br_json_field field[] = {
        {"id", true, NULL},         {"rule", true, NULL},          {"threads", false, NULL},
        {"resources", false, NULL}, {"after", false, NULL},        {"seconds", false, NULL},
        {"joined", false, NULL},    {"undetermined", false, NULL}, {"outputs", false, NULL},
        {"reads", false, NULL},     {"unsized", false, NULL}};
    struct job job = {0, unknown, unknown, unknown};
    uint32_t stage;
    (void)k;
    br_json_peek(json);
    struct br_pos pos = br_json_pos(json, json->at);
    if (!br_json_fields(json, "a job", field, COUNT(field)))
        return false;
    const char *after = json->at, *at = field[ID].at;
    br_json_go(json, &field[ID]);
    if (!br_json_string(json, "the job's id"))
        return false;
    if (!br_text_is_plain(json->text))
        return br_json_fail(json, at, NULL, "the job's id holds control characters");
    br_value_place(reading->diag, pos);
    if (!br_json_take(json, at,
                      br_dag_add_stage(reading->dag, json->text, 1, 0, &stage, reading->diag)))
        return false;
    br_dag_set_stage_pos(reading->dag, stage, pos);
    reading->first_wait = reading->waits;
    br_json_go(json, &field[RULE]);
    if (!br_json_string(json, "the job's rule") || !find_rule(reading, json->text, &job.rule) ||
        !read_threads(reading, &field[THREADS], stage) ||
        !read_resources(reading, &field[RESOURCES], stage, &job) ||
        !br_json_each(json, &field[OUTPUTS], "the temporary outputs", read_output, reading) ||
        !br_json_each(json, &field[AFTER], "the jobs that it waits for", read_parent, reading) ||
        !br_json_each(json, &field[READS], "the outputs that it reads", read_reads, reading) ||
        !read_joined(reading, &field[JOINED], stage) ||
        !br_json_optional_seconds(json, &field[SECONDS], &job.recorded_ns))
        return false;
    if (field[UNDETERMINED].at)
        count_join(&reading->undetermined, stage);
    if (field[UNSIZED].at)
        count_join(&reading->unsized, stage);
    if (field[SECONDS].at && job.recorded_ns < 0)
        return br_json_fail(json, field[SECONDS].at, NULL, "the job took less than no time");
    if (!br_grow(&reading->job, reading->jobs, &reading->job_room, sizeof *reading->job))
        return snakemake_read_no_memory(reading);
    reading->job[reading->jobs++] = job;
    json->at = after;
    return true;
}

static bool add_waits(struct reading *reading)
{
    for (uint32_t w = 0; w < reading->waits; w++) {
        const struct wait *wait = &reading->wait[w];
        if (wait->parent >= reading->jobs)
            return br_json_fail(&reading->json, wait->at, "places are counted from 0",
                                "there is no job %" PRIu32 " to wait for", wait->parent);
        struct br_pos pos = br_json_pos(&reading->json, wait->at);
        br_value_place(reading->diag, pos);
        if (!br_json_take(&reading->json, wait->at,
                          br_dag_add_edge(reading->dag, wait->parent, wait->child, BR_BARRIER,
                                          reading->diag)))
            return false;
        br_dag_set_edge_pos(reading->dag, pos);
        if (wait->reads &&
            !br_json_take(&reading->json, wait->at,
                          br_dag_set_edge_reads(reading->dag, wait->parent, wait->child,
                                                wait->reads, reading->diag)))
            return false;
    }
    return true;
}

/* ---- Durations ---- */

/* By rule, the median duration of its jobs, the upper one of two; unknown if none is known. */
static bool find_medians(struct reading *reading, int64_t *median)
{
    uint32_t count = 0;
    struct br_sort_item *items = calloc((size_t)reading->jobs + 1, 2 * sizeof *items);
    if (!items)
        return snakemake_read_no_memory(reading);
    for (uint32_t r = 0; r < reading->rules; r++)
        median[r] = unknown;
    for (uint32_t k = 0; k < reading->jobs; k++)
        if (reading->job[k].recorded_ns != unknown)
            items[count++] = (struct br_sort_item){(uint64_t)reading->job[k].recorded_ns, k};
    br_sort(items, items + reading->jobs, count);
    /* By rule, with the durations in order; the sort keeps the order of equals. */
    for (uint32_t k = 0; k < count; k++)
        items[k].key = reading->job[items[k].item].rule;
    br_sort(items, items + reading->jobs, count);
    for (uint32_t k = 0, end; k < count; k = end) {
        for (end = k + 1; end < count && items[end].key == items[k].key;)
            end++;
        median[items[k].key] = reading->job[items[k + (end - k) / 2].item].recorded_ns;
    }
    free(items);
    return true;
}

static bool set_durations(struct reading *reading, int64_t preset_ns,
                          struct br_snakemake_report *report)
{
    int64_t *median = calloc((size_t)reading->rules + 1, sizeof *median);
    if (!median)
        return snakemake_read_no_memory(reading);
    bool good = find_medians(reading, median);
    report->jobs = reading->jobs;
    for (uint32_t k = 0; k < reading->jobs && good; k++) {
        const struct job *job = &reading->job[k];
        const struct {
            int64_t ns;
            uint32_t *count;
        } sources[] = {{job->recorded_ns, &report->recorded},
                       {job->declared_ns, &report->declared},
                       {median[job->rule], &report->of_rule},
                       {job->limit_ns, &report->limit},
                       {preset_ns, &report->preset}};
        size_t s = 0;
        while (sources[s].ns == unknown)
            s++;
        ++*sources[s].count;
        br_dag_set_stage_duration(reading->dag, k, sources[s].ns);
    }
    free(median);
    return good;
}

/* ---- Facts missing in the job ---- */

static bool add_doubt(struct reading *reading, const struct join *join, const char *what)
{
    if (join->count == 0)
        return true;
    return br_json_take(&reading->json, reading->json.at,
                        br_dag_add_doubt(reading->dag, reading->diag,
                                         "%" PRIu32 " %s %s (the first: %.100s)", join->count,
                                         join->count == 1 ? "job" : "jobs", what,
                                         reading->dag->stage[join->first].id));
}

static bool snakemake_read_add_doubts(struct reading *reading)
{
    return add_doubt(reading, &reading->joined[PIPE],
                     "with a pipe or a service, which Snakemake runs together with what reads it: "
                     "planned one after the other") &&
           add_doubt(reading, &reading->joined[GROUP],
                     "of a group, which Snakemake may hand on as one job: planned one by one") &&
           add_doubt(reading, &reading->undetermined,
                     "with a resource that is known only when the input is there: it demands "
                     "nothing of it") &&
           add_doubt(reading, &reading->unsized,
                     "with temp() files that are not there and no resource disk_mb: they take no "
                     "room");
}

/* ---- The whole ---- */

static bool snakemake_read_top(struct reading *reading)
{
    struct br_json *json = &reading->json;
    struct br_json_field field[] = {{"format", true, NULL}, {"jobs", true, NULL}};
    if (!br_json_fields(json, "a workflow of Snakemake's", field, COUNT(field)) ||
        !br_json_done(json))
        return false;
    br_json_go(json, &field[0]);
    if (!br_json_string(json, "the format"))
        return false;
    if (strcmp(json->text, "bigrocks-snakemake/1") != 0)
        return br_json_fail(json, field[0].at, "'bigrocks import snakemake' writes it anew",
                            "the format '%.80s' is not known", json->text);
    return br_json_each(json, &field[1], "the jobs", snakemake_read_job, reading);
}

static enum br_status snakemake_read_source(struct br_source *source,
                                            const struct br_snakemake_options *options,
                                            struct br_input *input,
                                            struct br_snakemake_report *report,
                                            struct br_diag *diag)
{
    struct br_diag own = {0};
    struct reading reading = {.diag = diag ? diag : &own};
    char stem[256], *text;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "snakemake", &text, reading.diag);
    if (status)
        return status;
    br_json_init(&reading.json, text, strlen(text), reading.diag);
    input->dag = br_dag_create(
        options->name ? options->name : br_source_stem(source, "workflow", stem, sizeof stem));
    reading.dag = input->dag;
    if (!reading.dag)
        snakemake_read_no_memory(&reading);
    else if (snakemake_read_top(&reading) && add_waits(&reading) &&
             snakemake_read_add_doubts(&reading))
        set_durations(&reading, options->preset_ns, report);
    status = reading.json.status;
    free(reading.job);
    free(reading.wait);
    free(reading.rule);
    br_index_finish(&reading.by_name);
    br_arena_finish(&reading.arena);
    br_json_finish(&reading.json);
    free(text);
    return status;
}

enum br_status br_read_snakemake(struct br_source *source, const struct br_parse_options *options,
                                 struct br_input *input, struct br_diag *diag)
{
    const struct br_snakemake_options own = {.preset_ns = options->default_duration_ns};
    struct br_snakemake_report report = {0};
    return snakemake_read_source(source, &own, input, &report, diag);
}

enum br_status br_parse_snakemake(const char *path, const struct br_snakemake_options *options,
                                  struct br_input *input, struct br_snakemake_report *report,
                                  struct br_diag *diag)
{
    struct br_snakemake_report own = {0};
    struct br_source source;
    input->dag = NULL;
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    if (!report)
        report = &own;
    *report = own;
    status = snakemake_read_source(&source, options, input, report, diag);
    if (!status)
        br_value_place(diag, BR_NO_POS);
    if (!status && report->jobs == 0) {
        br_diag_file(diag, NULL);
        status = br_fail(diag, BR_NO, NULL, "nothing is to be done");
    }
    if (!status)
        status = br_dag_finish(input->dag, diag);
    br_source_close(&source);
    if (status) {
        br_dag_destroy(input->dag);
        input->dag = NULL;
    } else {
        br_diag_file(diag, NULL);
    }
    return status;
}
