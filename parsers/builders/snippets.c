/* Snippets of CMake's instrumentation (CMake 4.3, cmake-instrumentation(7), data version 1): a JSON
 * file for each command that a build has run, with its role, its outputs, its start and its
 * duration in milliseconds. They stay in the folder of the build until a hook collects them.
 *
 * Ninja's generator names outputs as seen from the folder of the build, that of Makefiles as seen
 * from the folder that the command runs in. A statement may run several commands, each with a
 * snippet of the same output, and is run again by later builds: a run ends where a command comes
 * for the second time, or with another configuration (cmakeContent). So a command that one
 * statement runs twice counts once. */
#include "parsers/builders/snippets.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/collections/arena.h"
#include "base/collections/grow.h"
#include "base/collections/sort.h"
#include "base/text/path.h"
#include "parsers/text/json.h"
#include "parsers/text/source.h"

enum { TEXT_LIMIT = 64 << 20, NONE = -1 };
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
static const uint64_t ms_most = 73ULL * 366 * 86400 * 1000; /* as long as a job may last */
static const char data[] = ".cmake/instrumentation/v1/data";

struct snippet {
    int64_t stage; /* NONE: not known, or not yet */
    bool links;    /* it makes the file of its target */
    bool writes;   /* it has outputs */
    bool failed;
    uint64_t start_ms, duration_ms;
    const char *name, *target, *command, *content; /* in the arena; NULL: not said */
};

struct snippets {
    struct br_arena arena;
    struct br_dag *dag;
    struct br_diag *diag;
    struct snippet *snippet;
    uint32_t count, room;
    char folder[PATH_MAX]; /* with the snippets */
    char root[PATH_MAX];   /* of the build, absolute */
    /* Of the one that is read. */
    struct br_json json;
    struct snippet *now;
    char work[PATH_MAX];
};

static bool snippets_no_memory(struct snippets *all)
{
    return br_json_take(&all->json, all->json.at, br_fail_memory(all->diag));
}

/* ---- Its stage ---- */

/* The stage that makes the file of this absolute path. */
static int64_t snippets_find_path(const struct snippets *all, char *path)
{
    const size_t root = strlen(all->root);
    br_path_shorten(path);
    uint32_t stage = UINT32_MAX;
    if (strncmp(path, all->root, root) == 0 && path[root] == '/')
        stage = br_dag_find_stage(all->dag, path + root + 1);
    if (stage == UINT32_MAX)
        stage = br_dag_find_stage(all->dag, path);
    return stage == UINT32_MAX ? (int64_t)NONE : (int64_t)stage;
}

static int64_t snippets_find(const struct snippets *all, const char *output)
{
    char path[2 * PATH_MAX];
    const char *const from[] = {all->work, all->root};
    int64_t stage = NONE;
    for (size_t k = 0; k < COUNT(from) && stage == NONE; k++) {
        const int size = *output == '/' ? snprintf(path, sizeof path, "%s", output)
                                        : snprintf(path, sizeof path, "%s/%s", from[k], output);
        if (size > 0 && (size_t)size < sizeof path)
            stage = snippets_find_path(all, path);
    }
    return stage;
}

static bool snippets_read_output(void *context, uint32_t k)
{
    struct snippets *all = context;
    (void)k;
    if (!br_json_string(&all->json, "an output"))
        return false;
    all->now->writes |= *all->json.text != 0;
    if (all->now->stage == NONE && *all->json.text)
        all->now->stage = snippets_find(all, all->json.text);
    return true;
}

/* ---- One snippet ---- */

/* The text of the field in the arena; NULL stays if there is none, or null. */
static bool snippets_keep(struct snippets *all, const struct br_json_field *field, const char **to)
{
    struct br_json *json = &all->json;
    if (!br_json_go(json, field) || br_json_peek(json) != '"')
        return json->status == BR_OK;
    if (!br_json_string(json, field->name))
        return false;
    *to = br_arena_text(&all->arena, json->text);
    return *to || snippets_no_memory(all);
}

static bool snippets_read_version(struct snippets *all, const struct br_json_field *version)
{
    struct br_json *json = &all->json;
    struct br_json_field major[] = {{"major", true, NULL}};
    uint64_t number = 0;
    br_json_go(json, version);
    if (!br_json_fields(json, "the version", major, COUNT(major)) ||
        !br_json_optional_count(json, &major[0], UINT32_MAX, &number))
        return false;
    return number == 1 ||
           br_json_fail(json, major[0].at, "leave the option out to go on without these times",
                        "snippets of data version %u are not known, only those of version 1",
                        (unsigned)number);
}

/* The folder in which the command ran, without symbolic links if it is there. */
static bool snippets_read_work(struct snippets *all, const struct br_json_field *field)
{
    struct br_json *json = &all->json;
    char real[PATH_MAX];
    *all->work = 0;
    if (!br_json_go(json, field))
        return json->status == BR_OK;
    if (!br_json_string(json, "the command's folder"))
        return false;
    const char *path = *json->text && realpath(json->text, real) ? real : json->text;
    if (strlen(path) >= sizeof all->work)
        return br_json_fail(json, field->at, NULL, "the command's folder is too long");
    memcpy(all->work, path, strlen(path) + 1);
    return true;
}

static bool snippets_read_members(struct snippets *all)
{
    enum { VERSION, ROLE, RESULT, START, DURATION, WORK, TARGET, OUTPUTS, COMMAND, CONTENT };
    struct br_json_field field[] = {{"version", true, NULL},  {"role", true, NULL},
                                    {"result", false, NULL},  {"timeStart", true, NULL},
                                    {"duration", true, NULL}, {"workingDir", false, NULL},
                                    {"target", false, NULL},  {"outputs", false, NULL},
                                    {"command", false, NULL}, {"cmakeContent", false, NULL}};
    struct br_json *json = &all->json;
    struct snippet *now = all->now;
    uint64_t result = 0;
    if (!br_json_fields(json, "a snippet of CMake's instrumentation", field, COUNT(field)) ||
        !br_json_done(json) || !snippets_read_version(all, &field[VERSION]))
        return false;
    br_json_go(json, &field[ROLE]);
    if (!br_json_string(json, "the role"))
        return false;
    now->links = strcmp(json->text, "link") == 0;
    if (br_json_go(json, &field[RESULT]) && br_json_peek(json) != 'n') {
        /* Signals are negative in some versions. */
        if (!br_json_number(json, "the exit status"))
            return false;
        result = strcmp(json->text, "0") != 0;
    }
    now->failed = result != 0;
    return br_json_optional_count(json, &field[START], UINT64_MAX / 2, &now->start_ms) &&
           br_json_optional_count(json, &field[DURATION], ms_most, &now->duration_ms) &&
           snippets_read_work(all, &field[WORK]) &&
           snippets_keep(all, &field[TARGET], &now->target) &&
           snippets_keep(all, &field[COMMAND], &now->command) &&
           snippets_keep(all, &field[CONTENT], &now->content) &&
           br_json_each(json, &field[OUTPUTS], "the outputs", snippets_read_output, all);
}

static enum br_status snippets_read_file(struct snippets *all, struct snippet *now)
{
    struct br_source source;
    char path[2 * PATH_MAX], *text = NULL;
    snprintf(path, sizeof path, "%s/%s", all->folder, now->name);
    enum br_status status = br_source_open(&source, path, all->diag);
    if (status)
        return status;
    status = br_source_text(&source, TEXT_LIMIT, "snippet", &text, all->diag);
    br_source_close(&source);
    if (status)
        return status;
    all->now = now;
    br_json_init(&all->json, text, strlen(text), all->diag);
    snippets_read_members(all);
    status = all->json.status;
    br_json_finish(&all->json);
    free(text);
    return status;
}

/* ---- The folder ---- */

/* "compile-HASH-TIME.json", and so for what links and for custom commands. */
static bool snippets_is_name(const char *name)
{
    static const char *const roles[] = {"compile-", "link-", "custom-"};
    const size_t size = strlen(name);
    bool found = false;
    for (size_t k = 0; k < COUNT(roles); k++)
        found |= strncmp(name, roles[k], strlen(roles[k])) == 0;
    return found && size > 5 && strcmp(name + size - 5, ".json") == 0;
}

static int snippets_by_name(const void *a, const void *b)
{
    const struct snippet *one = a, *two = b;
    return strcmp(one->name, two->name);
}

static enum br_status snippets_list(struct snippets *all)
{
    enum br_status status = BR_OK;
    br_diag_file(all->diag, all->folder);
    DIR *folder = opendir(all->folder);
    if (!folder)
        return br_fail_at(all->diag, BR_NO_POS, BR_SYSTEM,
                          "give the folder of a build that was made with instrumentation",
                          "cannot be read: %s", strerror(errno));
    for (struct dirent *entry; !status && (errno = 0, entry = readdir(folder));) {
        if (!snippets_is_name(entry->d_name))
            continue;
        if (!br_grow(&all->snippet, all->count, &all->room, sizeof *all->snippet)) {
            status = br_fail_memory(all->diag);
            break;
        }
        struct snippet *next = &all->snippet[all->count];
        *next = (struct snippet){.stage = NONE, .name = br_arena_text(&all->arena, entry->d_name)};
        if (next->name)
            all->count++;
        else
            status = br_fail_memory(all->diag);
    }
    if (!status && errno)
        status = br_fail_at(all->diag, BR_NO_POS, BR_SYSTEM, NULL, "cannot be read: %s",
                            strerror(errno));
    closedir(folder);
    if (!status && !all->count)
        status = br_fail_at(all->diag, BR_NO_POS, BR_BAD_INPUT,
                            "build with instrumentation, and without hooks, after which CMake "
                            "removes what it has measured",
                            "there are no snippets of compile, link or custom commands");
    if (!status)
        br_sort_by(all->snippet, all->count, sizeof *all->snippet, snippets_by_name);
    return status;
}

/* Finds the snippets of a build, whose folder is known from them, or of any other folder. */
static enum br_status snippets_find_folder(struct snippets *all, const char *folder)
{
    char real[PATH_MAX];
    br_diag_file(all->diag, folder);
    if (!realpath(folder, real))
        return br_fail_at(all->diag, BR_NO_POS, BR_SYSTEM,
                          "give the folder of a build that was made with instrumentation",
                          "cannot be read: %s", strerror(errno));
    const size_t size = strlen(real), tail = sizeof data; /* with the slash before it */
    const int length = snprintf(all->folder, sizeof all->folder, "%s/%s", real, data);
    const bool found = length < (int)sizeof all->folder && access(all->folder, F_OK) == 0;
    memcpy(all->root, real, size + 1);
    if (!found)
        memcpy(all->folder, real, size + 1);
    if (!found && size > tail && strcmp(real + size - tail + 1, data) == 0 &&
        real[size - tail] == '/')
        all->root[size - tail] = 0;
    return BR_OK;
}

/* ---- Runs ---- */

/* By stages, and then by time. */
static int snippets_by_stage(const void *a, const void *b)
{
    const struct snippet *one = a, *two = b;
    if (one->stage != two->stage)
        return one->stage < two->stage ? -1 : 1;
    if (one->start_ms != two->start_ms)
        return one->start_ms < two->start_ms ? -1 : 1;
    return 0;
}

static bool snippets_same(const char *one, const char *two)
{
    return one && two ? strcmp(one, two) == 0 : one == two;
}

/* The file of a target: what links it makes that, and else Ninja's generator names a file for it.
 */
static int64_t snippets_find_target(const struct snippets *all, const char *target)
{
    char ends[2][NAME_MAX];
    for (uint32_t k = 0; k < all->count; k++) {
        const struct snippet *one = &all->snippet[k];
        if (one->links && one->stage != NONE && snippets_same(one->target, target))
            return one->stage;
    }
    snprintf(ends[0], sizeof ends[0], "/CMakeFiles/%.200s.util", target);
    snprintf(ends[1], sizeof ends[1], "/CMakeFiles/%.200s", target);
    for (size_t e = 0; e < COUNT(ends); e++)
        for (uint32_t s = 0; s < all->dag->stages; s++) {
            const char *id = all->dag->stage[s].id;
            const size_t size = strlen(id), end = strlen(ends[e]);
            if (strcmp(id, ends[e] + 1) == 0 || (size > end && !strcmp(id + size - end, ends[e])))
                return s;
        }
    return NONE;
}

/* What runs for a target and writes nothing, before or after its file is made, counts for that. */
static void snippets_join_targets(struct snippets *all)
{
    for (uint32_t k = 0; k < all->count; k++) {
        struct snippet *one = &all->snippet[k];
        if (one->stage == NONE && one->target && !one->writes)
            one->stage = snippets_find_target(all, one->target);
    }
}

/* The end of the run that begins at `first`, before `end`. */
static uint32_t snippets_run_end(const struct snippets *all, uint32_t first, uint32_t end)
{
    for (uint32_t k = first + 1; k < end; k++) {
        if (!snippets_same(all->snippet[k].content, all->snippet[first].content))
            return k;
        for (uint32_t j = first; j < k; j++)
            if (snippets_same(all->snippet[j].command, all->snippet[k].command))
                return k;
    }
    return end;
}

/* The last run of those from `first` on in which nothing failed decides. */
static void snippets_take_stage(struct snippets *all, uint32_t first, uint32_t end,
                                struct br_snippets_report *report)
{
    uint64_t last_ms = 0;
    uint32_t used = 0;
    for (uint32_t to; first < end; first = to) {
        uint64_t ms = 0;
        bool failed = false;
        to = snippets_run_end(all, first, end);
        for (uint32_t k = first; k < to; k++) {
            ms += all->snippet[k].duration_ms;
            failed |= all->snippet[k].failed;
        }
        if (!failed) {
            last_ms = ms;
            used = to - first;
        }
    }
    if (!used)
        return;
    if (last_ms > ms_most)
        last_ms = ms_most;
    br_dag_replace_duration(all->dag, (uint32_t)all->snippet[end - 1].stage, UINT32_MAX,
                            (int64_t)last_ms * 1000000);
    report->used += used;
    report->stages++;
}

static void snippets_take(struct snippets *all, struct br_snippets_report *report)
{
    snippets_join_targets(all);
    br_sort_by(all->snippet, all->count, sizeof *all->snippet, snippets_by_stage);
    for (uint32_t first = 0, end; first < all->count; first = end) {
        for (end = first; end < all->count && all->snippet[end].stage == all->snippet[first].stage;
             end++) {
            report->read += !all->snippet[end].failed;
            report->idle += !all->snippet[end].failed && all->snippet[end].stage == NONE;
        }
        if (all->snippet[first].stage != NONE)
            snippets_take_stage(all, first, end, report);
    }
}

/* A job lasts 73 years at most, all together. */
static enum br_status snippets_check_total(const struct snippets *all)
{
    int64_t left_ms = (int64_t)ms_most;
    for (uint32_t s = 0; s < all->dag->stages; s++) {
        left_ms -= all->dag->stage[s].duration_ns / 1000000;
        if (left_ms < 0) {
            br_diag_file(all->diag, all->folder);
            return br_fail_at(all->diag, BR_NO_POS, BR_BAD_INPUT, "remove those that are wrong",
                              "the durations of the snippets come to more than 73 years");
        }
    }
    return BR_OK;
}

enum br_status br_read_snippets(const char *folder, struct br_dag *dag,
                                struct br_snippets_report *report, struct br_diag *diag)
{
    struct snippets *all = br_calloc(1, sizeof *all);
    *report = (struct br_snippets_report){0};
    if (!all)
        return br_fail_memory(diag);
    all->dag = dag;
    all->diag = diag;
    enum br_status status = snippets_find_folder(all, folder);
    if (!status)
        status = snippets_list(all);
    for (uint32_t k = 0; k < all->count && !status; k++)
        status = snippets_read_file(all, &all->snippet[k]);
    if (!status) {
        snippets_take(all, report);
        status = snippets_check_total(all);
    }
    br_arena_finish(&all->arena);
    br_free(all->snippet);
    br_free(all);
    return status;
}
