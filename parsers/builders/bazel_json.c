/* Bazel's log of executed actions in JSON: one object after the other, each an action with what it
 * read and wrote. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/builders/bazel_forms.h"
#include "parsers/text/json.h"
#include "parsers/text/value.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct use {
    uint32_t stage, file;
};

struct bazel_json {
    struct br_json json;
    struct bazel *bazel;
    uint32_t uses, use_room;
    struct use *use;
    bool writes; /* the list that is being read is of outputs */
};

static bool log_use_path(struct bazel_json *log)
{
    struct bazel *bazel = log->bazel;
    uint32_t file;
    enum br_status status = bazel_file(bazel, log->json.text, &file);
    if (!status && log->writes)
        bazel_writes(bazel, file);
    else if (!status && br_grow(&log->use, log->uses, &log->use_room, sizeof *log->use))
        log->use[log->uses++] = (struct use){bazel->dag->stages, file};
    else if (!status)
        status = br_fail_memory(bazel->diag);
    return br_json_take(&log->json, log->json.at, status);
}

/* {"path": ...}, or a path alone. */
static bool log_file(void *context, uint32_t k)
{
    struct bazel_json *log = context;
    struct br_json *json = &log->json;
    struct br_json_field field[] = {{"path", false, NULL}};
    (void)k;
    if (br_json_peek(json) == '"')
        return br_json_string(json, "a path") && log_use_path(log);
    if (!br_json_fields(json, "a file", field, COUNT(field)))
        return false;
    const char *after = json->at;
    if (br_json_go(json, &field[0]) && br_json_string(json, "a path") && !log_use_path(log))
        return false;
    json->at = after;
    return !json->status;
}

static bool log_is_true(struct br_json *json, const struct br_json_field *field)
{
    return br_json_go(json, field) && br_json_peek(json) == 't';
}

/* "1.234s"; *ns stays as it is if there is none. */
static void log_seconds(struct br_json *json, const struct br_json_field *field, int64_t *ns)
{
    if (!br_json_go(json, field) || !br_json_string(json, field->name))
        return;
    size_t length = strlen(json->text);
    if (length && json->text[length - 1] == 's')
        json->text[length - 1] = 0;
    if (br_seconds_parse(json->text, ns) || *ns < 0)
        br_json_fail(json, field->at, "write it as Bazel does, such as \"1.5s\"", "%s is no time",
                     field->name);
}

/* The time that the action itself took, and the memory that Bazel expected it to take. */
static bool log_metrics(struct bazel_json *log, const struct br_json_field *metrics, int64_t *ns,
                        char memory[static 24])
{
    struct br_json *json = &log->json;
    struct br_json_field field[] = {{"executionWallTime", false, NULL},
                                    {"totalTime", false, NULL},
                                    {"memoryEstimateBytes", false, NULL}};
    if (!br_json_go(json, metrics))
        return !json->status;
    if (!br_json_fields(json, "the metrics", field, COUNT(field)))
        return false;
    log_seconds(json, &field[field[0].at ? 0 : 1], ns);
    if (br_json_go(json, &field[2]) && br_json_scalar(json, "an estimate of memory") &&
        json->text[strspn(json->text, "0123456789")] == 0 && strlen(json->text) < 19 &&
        strcmp(json->text, "0") != 0)
        snprintf(memory, 24, "%.19s", json->text);
    return !json->status;
}

static void log_word(struct br_json *json, const struct br_json_field *field, char *text,
                     size_t room)
{
    if (br_json_go(json, field) && br_json_string(json, field->name))
        snprintf(text, room, "%.*s", (int)room - 4, json->text);
}

static bool log_action(struct bazel_json *log)
{
    struct br_json *json = &log->json;
    struct bazel *bazel = log->bazel;
    enum { LABEL, MNEMONIC, INPUTS, ACTUAL, LISTED, EXIT, HIT, OLD_HIT, METRICS, OLD_TIME };
    struct br_json_field field[] = {
        {"targetLabel", false, NULL},   {"mnemonic", false, NULL},       {"inputs", false, NULL},
        {"actualOutputs", false, NULL}, {"listedOutputs", false, NULL},  {"exitCode", false, NULL},
        {"cacheHit", false, NULL},      {"remoteCacheHit", false, NULL}, {"metrics", false, NULL},
        {"walltime", false, NULL}}; /* of Bazel 4 to 6 */
    struct bazel_action action = {.ns = bazel->options->default_duration_ns};
    int64_t code = 0;
    br_json_peek(json);
    const char *at = json->at;
    if (!br_json_fields(json, "an action", field, COUNT(field)))
        return false;
    const char *after = json->at;
    if (br_json_go(json, &field[EXIT]) && !br_json_seconds(json, "the exit code", &code))
        return false;
    if (code != 0) { /* tried again, or the build has failed */
        bazel->failed++;
        json->at = after;
        return true;
    }
    bazel->cached += log_is_true(json, &field[HIT]) || log_is_true(json, &field[OLD_HIT]);
    log->writes = true;
    if (!br_json_each(json, &field[LISTED], "the outputs", log_file, log) ||
        !br_json_each(json, &field[ACTUAL], "the outputs", log_file, log))
        return false;
    log->writes = false;
    log_seconds(json, &field[OLD_TIME], &action.ns);
    if (!br_json_each(json, &field[INPUTS], "the inputs", log_file, log) ||
        !log_metrics(log, &field[METRICS], &action.ns, action.memory))
        return false;
    log_word(json, &field[LABEL], action.label, sizeof action.label);
    log_word(json, &field[MNEMONIC], action.mnemonic, sizeof action.mnemonic);
    if (json->status)
        return false;
    action.pos = br_json_pos(json, at);
    json->at = after;
    return br_json_take(json, at, bazel_add(bazel, &action));
}

enum br_status bazel_read_json(struct bazel *bazel, const char *text, size_t size)
{
    struct bazel_json log = {.bazel = bazel};
    br_json_init(&log.json, text, size, bazel->diag);
    while (!log.json.status && br_json_peek(&log.json))
        log_action(&log);
    enum br_status status = log.json.status;
    br_json_finish(&log.json);
    for (uint32_t u = 0; u < log.uses && !status; u++)
        status = bazel_wait(bazel, log.use[u].stage, log.use[u].file);
    free(log.use);
    return status;
}
