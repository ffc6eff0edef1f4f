/* What the task runners of JavaScript's monorepos say of a run: Turborepo's summary (--summarize,
 * --dry=json), with times, and Nx's graph of tasks (--graph), without; those are in Nx's run.json.
 */
#include "parsers/builders/named.h"
#include "parsers/reader/formats.h"
#include "parsers/text/date.h"
#include "parsers/text/json.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"

enum { TEXT_LIMIT = 1 << 30 };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct runner {
    struct br_json json;
    struct br_diag *diag;
    const struct br_parse_options *options;
    struct br_dag *dag;
    struct br_task_needs needs, dependents;
    struct br_task_needs *list; /* the one that is read */
    uint32_t stage;             /* whose it is */
    uint32_t unknown, cached, alone;
};

static bool runner_no_memory(struct runner *runner)
{
    return br_json_take(&runner->json, runner->json.at, br_fail_memory(runner->diag));
}

static bool read_need(void *context, uint32_t k)
{
    struct runner *runner = context;
    struct br_json *json = &runner->json;
    (void)k;
    br_json_peek(json);
    struct br_pos pos = br_json_pos(json, json->at);
    return br_json_string(json, "the name of a task") &&
           (br_task_needs_add(runner->list, runner->stage, json->text, pos) ||
            runner_no_memory(runner));
}

static bool runner_add(struct runner *runner, const char *at, int64_t ns)
{
    struct br_json *json = &runner->json;
    const struct br_pos pos = br_json_pos(json, at);
    br_value_place(runner->diag, pos);
    enum br_status status =
        br_dag_add_stage(runner->dag, json->text, 1, ns, &runner->stage, runner->diag);
    if (!status) {
        br_dag_set_stage_pos(runner->dag, runner->stage, pos);
        status = br_dag_add_demand(runner->dag, runner->stage, "cpu", "1", runner->diag);
    }
    return br_json_take(json, at, status);
}

/* A whole number of milliseconds; *ms stays as it is if there is none. */
static void read_ms(struct br_json *json, const struct br_json_field *field, int64_t *ms)
{
    struct br_decimal value;
    if (br_json_go(json, field) && br_json_peek(json) != 'n' && br_json_number(json, field->name) &&
        !br_decimal_parse_nearest(json->text, &value) && value.mantissa >= 0)
        *ms = br_decimal_ceil(value);
}

/* The time that the task took. If it came from the cache: the time that this has saved. */
static int64_t turbo_time(struct runner *runner, const struct br_json_field *execution,
                          const struct br_json_field *cache)
{
    struct br_json *json = &runner->json;
    struct br_json_field run[] = {{"startTime", false, NULL}, {"endTime", false, NULL}};
    struct br_json_field hit[] = {{"status", false, NULL}, {"timeSaved", false, NULL}};
    int64_t start = -1, end = -1, saved = 0;
    bool is_hit = false;
    if (br_json_go(json, execution) && br_json_peek(json) == '{' &&
        br_json_fields(json, "the execution", run, COUNT(run))) {
        read_ms(json, &run[0], &start);
        read_ms(json, &run[1], &end);
    }
    if (br_json_go(json, cache) && br_json_peek(json) == '{' &&
        br_json_fields(json, "the cache", hit, COUNT(hit))) {
        if (br_json_go(json, &hit[0]) && br_json_string(json, "the state of the cache"))
            is_hit = strcmp(json->text, "HIT") == 0;
        read_ms(json, &hit[1], &saved);
    }
    runner->cached += is_hit;
    int64_t ms = is_hit && saved > 0 ? saved : start >= 0 && end >= start ? end - start : -1;
    return ms < 0 || ms > INT64_MAX / 4000000 ? runner->options->default_duration_ns : ms * 1000000;
}

/* Tasks whose package has no such script do nothing. A summary of a run does not list them, though
 * others wait for them; what they wait for, the dependents of the others tell. */
static bool read_turbo_task(void *context, uint32_t k)
{
    struct runner *runner = context;
    struct br_json *json = &runner->json;
    enum { ID, COMMAND, NEEDS, DEPENDENTS, EXECUTION, CACHE };
    struct br_json_field field[] = {{"taskId", true, NULL},        {"command", false, NULL},
                                    {"dependencies", false, NULL}, {"dependents", false, NULL},
                                    {"execution", false, NULL},    {"cache", false, NULL}};
    (void)k;
    if (!br_json_fields(json, "a task", field, COUNT(field)))
        return false;
    const char *after = json->at;
    int64_t ns = turbo_time(runner, &field[EXECUTION], &field[CACHE]);
    bool nothing = br_json_go(json, &field[COMMAND]) && br_json_peek(json) == '"' &&
                   br_json_string(json, "the command") && strcmp(json->text, "<NONEXISTENT>") == 0;
    if (!br_json_go(json, &field[ID]) || !br_json_string(json, "the task's id") ||
        !runner_add(runner, field[ID].at, nothing ? 0 : ns))
        return false;
    if (br_json_go(json, &field[COMMAND]) && br_json_peek(json) == '"' && !nothing &&
        br_json_string(json, "the command") && *json->text && br_text_is_lines(json->text) &&
        !br_json_take(json, field[COMMAND].at,
                      br_dag_add_attribute(runner->dag, BR_OWNER_STAGE, runner->stage, "command",
                                           json->text, runner->diag)))
        return false;
    runner->list = &runner->needs;
    br_json_each(json, &field[NEEDS], "the task's dependencies", read_need, runner);
    runner->list = &runner->dependents;
    br_json_each(json, &field[DEPENDENTS], "the task's dependents", read_need, runner);
    json->at = after;
    return !json->status;
}

static bool read_turbo(struct runner *runner)
{
    struct br_json *json = &runner->json;
    struct br_json_field top[] = {{"tasks", true, NULL}};
    return br_json_fields(json, "a summary", top, COUNT(top)) && br_json_done(json) &&
           br_json_each(json, &top[0], "the tasks", read_turbo_task, runner);
}

/* A member of Nx's tasks: its key is the id. */
static bool read_nx_task(struct runner *runner)
{
    struct br_json *json = &runner->json;
    struct br_json_field field[] = {{"parallelism", false, NULL}};
    const char *at = json->at;
    const struct br_pos pos = br_json_pos(json, at);
    br_value_place(runner->diag, pos);
    enum br_status status =
        br_dag_add_stage(runner->dag, json->key, 1, runner->options->default_duration_ns,
                         &runner->stage, runner->diag);
    if (!status) {
        br_dag_set_stage_pos(runner->dag, runner->stage, pos);
        status = br_dag_add_demand(runner->dag, runner->stage, "cpu", "1", runner->diag);
    }
    if (!br_json_take(json, at, status) || !br_json_fields(json, "a task", field, COUNT(field)))
        return false;
    const char *after = json->at;
    runner->alone += br_json_go(json, &field[0]) && br_json_peek(json) == 'f';
    json->at = after;
    return !json->status;
}

/* An id; Nx 24 writes {"id": ID}. */
static bool read_nx_need(struct runner *runner)
{
    struct br_json *json = &runner->json;
    struct br_json_field field[] = {{"id", true, NULL}};
    if (br_json_peek(json) == '"')
        return read_need(runner, 0);
    if (!br_json_fields(json, "a dependency", field, COUNT(field)))
        return false;
    const char *after = json->at;
    if (!br_json_go(json, &field[0]) || !read_need(runner, 0))
        return false;
    json->at = after;
    return true;
}

/* {"tasks": {"tasks": {ID: {...}}, "dependencies": {ID: [...]}}} */
static bool read_nx(struct runner *runner)
{
    struct br_json *json = &runner->json;
    struct br_json_field top[] = {{"tasks", true, NULL}};
    struct br_json_field part[] = {{"tasks", true, NULL}, {"dependencies", true, NULL}};
    if (!br_json_fields(json, "a graph", top, COUNT(top)) || !br_json_done(json) ||
        !br_json_go(json, &top[0]) || !br_json_fields(json, "the tasks", part, COUNT(part)) ||
        !br_json_go(json, &part[0]))
        return false;
    br_json_object(json, "the tasks");
    while (br_json_member(json))
        if (!read_nx_task(runner))
            return false;
    if (!br_json_go(json, &part[1]))
        return false;
    runner->list = &runner->needs;
    br_json_object(json, "the dependencies");
    while (br_json_member(json)) {
        runner->stage = br_dag_find_stage(runner->dag, json->key);
        if (runner->stage == UINT32_MAX)
            return br_json_fail(json, json->at, "add that task, or remove its name",
                                "'%.80s' has dependencies, and there is no such task", json->key);
        br_json_array(json, "the dependencies of a task");
        while (br_json_item(json))
            if (!read_nx_need(runner))
                return false;
    }
    return !json->status;
}

/* Nx's run.json: {"tasks": [{"taskId": ID, "startTime": date, "endTime": date}]} */
static bool read_nx_time(void *context, uint32_t k)
{
    struct runner *runner = context;
    struct br_json *json = &runner->json;
    struct br_json_field field[] = {
        {"taskId", true, NULL}, {"startTime", false, NULL}, {"endTime", false, NULL}};
    int64_t ns[2] = {-1, -1};
    (void)k;
    if (!br_json_fields(json, "a task", field, COUNT(field)))
        return false;
    const char *after = json->at;
    for (int t = 0; t < 2; t++)
        if (br_json_go(json, &field[1 + t]) && br_json_string(json, "a date"))
            ns[t] = br_date_parse(json->text);
    if (br_json_go(json, &field[0]) && br_json_string(json, "the task's id")) {
        uint32_t stage = br_dag_find_stage(runner->dag, json->text);
        runner->unknown += stage == UINT32_MAX;
        if (stage != UINT32_MAX && ns[0] >= 0 && ns[1] >= ns[0])
            br_dag_set_stage_duration(runner->dag, stage, ns[1] - ns[0]);
    }
    json->at = after;
    return !json->status;
}

static enum br_status read_nx_run(struct runner *runner, struct br_source *source, bool *timed)
{
    struct br_source run;
    char *text = NULL;
    br_value_place(runner->diag, BR_NO_POS);
    enum br_status status = br_source_open(&run, runner->options->durations, runner->diag);
    if (status)
        return status;
    if (run.buffer[strspn(run.buffer, " \t\r\n")] == '{') {
        struct br_json_field top[] = {{"tasks", true, NULL}};
        *timed = true;
        status = br_source_text(&run, TEXT_LIMIT, "nx", &text, runner->diag);
        if (!status) {
            br_json_finish(&runner->json);
            br_json_init(&runner->json, text, strlen(text), runner->diag);
            (void)(br_json_fields(&runner->json, "a run", top, COUNT(top)) &&
                   br_json_each(&runner->json, &top[0], "the tasks", read_nx_time, runner));
            status = runner->json.status;
        }
    }
    free(text);
    br_source_close(&run);
    if (!status)
        br_diag_file(runner->diag, source->name);
    return status;
}

static enum br_status runner_doubts(struct runner *runner, const char *missing)
{
    enum br_status status = BR_OK;
    if (runner->unknown)
        status =
            br_dag_add_doubt(runner->dag, runner->diag, "%" PRIu32 " %s", runner->unknown, missing);
    if (!status && runner->cached)
        status = br_dag_add_doubt(runner->dag, runner->diag,
                                  "%" PRIu32 " tasks came from the cache: they take the time that "
                                  "it says to have saved",
                                  runner->cached);
    if (!status && runner->alone)
        status = br_dag_add_doubt(runner->dag, runner->diag,
                                  "%" PRIu32 " tasks are to run alone (parallelism: false), which "
                                  "is left out",
                                  runner->alone);
    return status;
}

static enum br_status read_runner(struct br_source *source, const struct br_parse_options *options,
                                  struct br_input *input, struct br_diag *diag, const char *format,
                                  bool (*read)(struct runner *runner))
{
    struct br_diag own = {0};
    struct runner runner = {.options = options, .diag = diag ? diag : &own};
    char stem[256], *text;
    enum br_status status = br_source_text(source, TEXT_LIMIT, format, &text, runner.diag);
    if (status)
        return status;
    runner.dag = input->dag = br_dag_create(br_source_stem(source, format, stem, sizeof stem));
    br_json_init(&runner.json, text, strlen(text), runner.diag);
    if (!input->dag) {
        status = br_fail_memory(runner.diag);
    } else {
        read(&runner);
        status = runner.json.status;
    }
    if (!status)
        status = br_task_needs_link(&runner.needs, runner.dag,
                                    read == read_nx ? NULL : &runner.unknown, runner.diag);
    if (!status)
        status = br_task_needs_link_back(&runner.dependents, runner.dag, runner.diag);
    if (!status && options->durations && read == read_nx)
        status = read_nx_run(&runner, source, &input->timed);
    if (!status)
        status = runner_doubts(&runner, read == read_nx
                                            ? "tasks of the run are not in the graph"
                                            : "tasks without a script are not in the summary; they "
                                              "take 0 s");
    br_task_needs_finish(&runner.needs);
    br_task_needs_finish(&runner.dependents);
    br_json_finish(&runner.json);
    free(text);
    return status;
}

enum br_status br_read_turbo(struct br_source *source, const struct br_parse_options *options,
                             struct br_input *input, struct br_diag *diag)
{
    return read_runner(source, options, input, diag, "turbo", read_turbo);
}

enum br_status br_read_nx(struct br_source *source, const struct br_parse_options *options,
                          struct br_input *input, struct br_diag *diag)
{
    return read_runner(source, options, input, diag, "nx", read_nx);
}
