/* Bazel's log of executed actions in JSON (--execution_log_json_file): one object after the other,
 * each an action with what it read and wrote. An action waits for those that wrote what it reads,
 * so the log has the whole DAG of what was built. */
#include "parsers/reader/formats.h"
#include "parsers/text/json.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/arena.h"
#include "base/collections/grow.h"
#include "base/collections/index.h"
#include "base/text/text.h"

enum { TEXT_LIMIT = INT32_MAX, ID_MOST = 600 };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define NO_WRITER UINT32_MAX

struct file {
    const char *path;
    uint32_t writer; /* the stage that wrote it last */
};

struct use {
    uint32_t stage, file;
};

struct bazel {
    struct br_json json;
    struct br_diag *diag;
    const struct br_parse_options *options;
    struct br_dag *dag;
    struct br_arena arena; /* of the paths */
    struct br_index index; /* of files, by path */
    uint32_t files, file_room, uses, use_room;
    struct file *file;
    struct use *use;
    uint32_t stage;
    bool writes;     /* the list that is being read is of outputs */
    char first[256]; /* output of the action */
    uint32_t failed, cached;
};

static uint64_t file_hash(const void *context, uint32_t number)
{
    return br_hash_text(((const struct bazel *)context)->file[number].path);
}

static bool file_equal(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct bazel *)context)->file[number].path, key) == 0;
}

static const struct br_index_keys file_keys = {file_hash, file_equal};

static bool bazel_no_memory(struct bazel *bazel)
{
    return br_json_take(&bazel->json, bazel->json.at, br_fail_memory(bazel->diag));
}

/* The file of that path, new or old. */
static bool bazel_file(struct bazel *bazel, const char *path, uint32_t *file)
{
    *file = br_index_find(&bazel->index, &file_keys, bazel, path, br_hash_text(path));
    if (*file != UINT32_MAX)
        return true;
    if (!br_grow(&bazel->file, bazel->files, &bazel->file_room, sizeof *bazel->file))
        return bazel_no_memory(bazel);
    *file = bazel->files;
    bazel->file[*file] = (struct file){br_arena_text(&bazel->arena, path), NO_WRITER};
    bazel->files++;
    return (bazel->file[*file].path && br_index_add(&bazel->index, &file_keys, bazel, *file)) ||
           bazel_no_memory(bazel);
}

static bool use_path(struct bazel *bazel)
{
    const char *path = bazel->json.text;
    uint32_t file;
    if (bazel->writes && !*bazel->first)
        snprintf(bazel->first, sizeof bazel->first, "%.250s", path);
    if (!bazel_file(bazel, path, &file))
        return false;
    if (bazel->writes) {
        bazel->file[file].writer = bazel->stage;
        return true;
    }
    if (!br_grow(&bazel->use, bazel->uses, &bazel->use_room, sizeof *bazel->use))
        return bazel_no_memory(bazel);
    bazel->use[bazel->uses++] = (struct use){bazel->stage, file};
    return true;
}

/* {"path": ...}, or a path alone. */
static bool read_file(void *context, uint32_t k)
{
    struct bazel *bazel = context;
    struct br_json *json = &bazel->json;
    struct br_json_field field[] = {{"path", false, NULL}};
    (void)k;
    if (br_json_peek(json) == '"')
        return br_json_string(json, "a path") && use_path(bazel);
    if (!br_json_fields(json, "a file", field, COUNT(field)))
        return false;
    const char *after = json->at;
    if (br_json_go(json, &field[0]) && br_json_string(json, "a path") && !use_path(bazel))
        return false;
    json->at = after;
    return !json->status;
}

static bool is_true(struct br_json *json, const struct br_json_field *field)
{
    return br_json_go(json, field) && br_json_peek(json) == 't';
}

/* "1.234s"; *ns stays as it is if there is none. */
static void read_seconds(struct br_json *json, const struct br_json_field *field, int64_t *ns)
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
static bool read_metrics(struct bazel *bazel, const struct br_json_field *metrics, int64_t *ns,
                         char memory[static 24])
{
    struct br_json *json = &bazel->json;
    struct br_json_field field[] = {{"executionWallTime", false, NULL},
                                    {"totalTime", false, NULL},
                                    {"memoryEstimateBytes", false, NULL}};
    if (!br_json_go(json, metrics))
        return !json->status;
    if (!br_json_fields(json, "the metrics", field, COUNT(field)))
        return false;
    read_seconds(json, &field[field[0].at ? 0 : 1], ns);
    if (br_json_go(json, &field[2]) && br_json_scalar(json, "an estimate of memory") &&
        json->text[strspn(json->text, "0123456789")] == 0 && strlen(json->text) < 19 &&
        strcmp(json->text, "0") != 0)
        snprintf(memory, 24, "%.19s", json->text);
    return !json->status;
}

/* "LABEL MNEMONIC", or the action's first output, if there are several of that. */
static bool bazel_stage(struct bazel *bazel, const char *at, const char *id, int64_t ns,
                        const char *memory)
{
    struct br_json *json = &bazel->json;
    const struct br_pos pos = br_json_pos(json, at);
    uint32_t stage;
    br_value_place(bazel->diag, pos);
    enum br_status status = br_dag_add_stage(bazel->dag, id, 1, ns, &stage, bazel->diag);
    if (!status) {
        br_dag_set_stage_pos(bazel->dag, stage, pos);
        status = br_dag_add_demand(bazel->dag, stage, "cpu", "1", bazel->diag);
    }
    if (!status && *memory)
        status = br_dag_add_demand(bazel->dag, stage, "mem", memory, bazel->diag);
    return br_json_take(json, at, status);
}

static void name_action(struct bazel *bazel, const struct br_json_field *label,
                        const struct br_json_field *mnemonic, char id[static ID_MOST])
{
    struct br_json *json = &bazel->json;
    size_t length;
    *id = 0;
    if (br_json_go(json, label) && br_json_string(json, "a label"))
        snprintf(id, ID_MOST, "%.200s ", json->text);
    length = strlen(id);
    if (br_json_go(json, mnemonic) && br_json_string(json, "a mnemonic"))
        snprintf(id + length, ID_MOST - length, "%.80s", json->text);
    if (br_dag_find_stage(bazel->dag, id) == UINT32_MAX && *id)
        return;
    length = strlen(id);
    snprintf(id + length, ID_MOST - length, "%s%s", length ? " " : "", bazel->first);
    if (br_dag_find_stage(bazel->dag, id) == UINT32_MAX && *id)
        return;
    length = strlen(id);
    snprintf(id + length, ID_MOST - length, " #%" PRIu32, bazel->stage);
}

static bool read_action(struct bazel *bazel)
{
    struct br_json *json = &bazel->json;
    enum { LABEL, MNEMONIC, INPUTS, ACTUAL, LISTED, EXIT, HIT, OLD_HIT, METRICS };
    struct br_json_field field[] = {
        {"targetLabel", false, NULL},   {"mnemonic", false, NULL},       {"inputs", false, NULL},
        {"actualOutputs", false, NULL}, {"listedOutputs", false, NULL},  {"exitCode", false, NULL},
        {"cacheHit", false, NULL},      {"remoteCacheHit", false, NULL}, {"metrics", false, NULL}};
    char id[ID_MOST], memory[24] = "";
    int64_t ns = bazel->options->default_duration_ns, code = 0;
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
    bazel->cached += is_true(json, &field[HIT]) || is_true(json, &field[OLD_HIT]);
    bazel->stage = bazel->dag->stages;
    *bazel->first = 0;
    bazel->writes = true;
    if (!br_json_each(json, &field[LISTED], "the outputs", read_file, bazel) ||
        !br_json_each(json, &field[ACTUAL], "the outputs", read_file, bazel))
        return false;
    bazel->writes = false;
    if (!br_json_each(json, &field[INPUTS], "the inputs", read_file, bazel) ||
        !read_metrics(bazel, &field[METRICS], &ns, memory))
        return false;
    name_action(bazel, &field[LABEL], &field[MNEMONIC], id);
    if (json->status || !bazel_stage(bazel, at, id, ns, memory))
        return false;
    json->at = after;
    return true;
}

/* Each pair of actions once: the uses of an action follow each other. */
static enum br_status link_actions(struct bazel *bazel)
{
    uint32_t *linked = calloc((size_t)bazel->dag->stages + 1, sizeof *linked);
    enum br_status status = linked ? BR_OK : br_fail_memory(bazel->diag);
    for (uint32_t u = 0; u < bazel->uses && !status; u++) {
        const struct use *use = &bazel->use[u];
        uint32_t writer = bazel->file[use->file].writer;
        if (writer == NO_WRITER || writer == use->stage || linked[writer] == use->stage + 1)
            continue;
        linked[writer] = use->stage + 1;
        br_value_place(bazel->diag, bazel->dag->stage[use->stage].pos);
        status = br_dag_add_edge(bazel->dag, writer, use->stage, BR_BARRIER, bazel->diag);
        if (!status)
            br_dag_set_edge_pos(bazel->dag, bazel->dag->stage[use->stage].pos);
    }
    free(linked);
    return status;
}

static enum br_status bazel_doubts(struct bazel *bazel)
{
    enum br_status status = BR_OK;
    if (bazel->cached)
        status =
            br_dag_add_doubt(bazel->dag, bazel->diag,
                             "%" PRIu32 " actions came from the cache; they take the time that "
                             "this took",
                             bazel->cached);
    if (!status && bazel->failed)
        status = br_dag_add_doubt(bazel->dag, bazel->diag,
                                  "%" PRIu32 " actions that failed are left out", bazel->failed);
    return status;
}

enum br_status br_read_bazel(struct br_source *source, const struct br_parse_options *options,
                             struct br_input *input, struct br_diag *diag)
{
    struct br_diag own = {0};
    struct bazel bazel = {.options = options, .diag = diag ? diag : &own};
    char stem[256], *text;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "bazel", &text, bazel.diag);
    if (status)
        return status;
    br_json_init(&bazel.json, text, strlen(text), bazel.diag);
    bazel.dag = input->dag = br_dag_create(br_source_stem(source, "bazel", stem, sizeof stem));
    if (!input->dag)
        status = br_fail_memory(bazel.diag);
    while (input->dag && !bazel.json.status && br_json_peek(&bazel.json))
        read_action(&bazel);
    if (!status)
        status = bazel.json.status;
    if (!status)
        status = link_actions(&bazel);
    if (!status)
        status = bazel_doubts(&bazel);
    br_json_finish(&bazel.json);
    br_index_finish(&bazel.index);
    br_arena_finish(&bazel.arena);
    free(bazel.file);
    free(bazel.use);
    free(text);
    return status;
}
