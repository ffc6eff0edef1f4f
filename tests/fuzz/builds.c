/* Readers of what ninja, make and compilers write. */
#include <stdlib.h>
#include <string.h>

#include <bigrocks/bigrocks.h>

#include "base/text/path.h"
#include "emit/ninja/record.h"
#include "emit/ninja/deps.h"
#include "parsers/builders/snippets.h"
#include "parsers/make/build.h"
#include "parsers/ninja/log.h"
#include "tests/fuzz/fuzz.h"

/* The mark that cuts a build's files apart: a line of this and a number into `names`. */
static const char mark[] = "\n#--- ";
static const char *const names[] = {"build.ninja", ".ninja_log", ".ninja_deps", "a.d", "b.ninja"};
enum { NAMES = sizeof names / sizeof *names };

/* Writes the parts into the folder; what has none is not there. */
static void put_parts(const uint8_t *data, size_t size)
{
    const uint8_t *end = data + size, *at = data;
    size_t number = 0;
    for (size_t n = 0; n < NAMES; n++)
        fuzz_put(names[n], NULL, 0);
    while (at <= end) {
        const uint8_t *next = memmem(at, (size_t)(end - at), mark, sizeof mark - 1);
        const uint8_t *stop = next ? next + 1 : end; /* with the line's end */
        fuzz_put(names[number], at, (size_t)(stop - at));
        if (!next)
            break;
        at = next + sizeof mark - 1;
        number = at < end ? *at % NAMES : 0;
        at += at < end;
        at += at < end && *at == '\n';
    }
}

void fuzz_ninja(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_input input = {0};
    struct br_ninja_report report;
    struct br_ninja_options options = {.folder = fuzz_folder()};
    put_parts(data, size);
    if (br_parse_capacity(1, "cpu=2,mem=1GiB", &input.cluster, &diag))
        fuzz_fail(&diag, "the target's own machine cannot be read");
    options.demand = input.cluster;
    enum br_status status = br_parse_ninja(&options, &input, &report, &diag);
    fuzz_said(status, &diag);
    uint32_t tasks = status ? 0 : br_dag_task_count(input.dag);
    if (!status && tasks <= 60) {
        struct br_ninja_recorder *recorder;
        const struct br_ninja_record record = {
            .folder = options.folder, .dag = input.dag, .version = 5 + (uint32_t)(size % 3)};
        for (uint32_t s = 0; s < input.dag->stages; s++) /* some outputs are there */
            if (strlen(input.dag->stage[s].id) == 1 && input.dag->stage[s].id[0] >= 'a')
                fuzz_put(input.dag->stage[s].id, "", 0);
        status = br_ninja_recorder_create(&record, &recorder, &diag);
        fuzz_said(status, &diag);
        for (uint32_t t = 0; t < tasks && recorder; t++) {
            const struct br_ninja_ended ended = {.task = t,
                                                 .began_ns = 1000000000,
                                                 .start_ns = t % 5 ? 1000000 * (int64_t)t : -1,
                                                 .end_ns = 1000000 * (int64_t)(t + 1)};
            if (t % 7)
                fuzz_said(br_ninja_recorder_add(recorder, &ended, &diag), &diag);
        }
        br_ninja_recorder_destroy(recorder, &diag);
        fuzz_job(&input);
        for (uint32_t s = 0; s < input.dag->stages; s++)
            if (strlen(input.dag->stage[s].id) == 1 && input.dag->stage[s].id[0] >= 'a')
                fuzz_put(input.dag->stage[s].id, NULL, 0);
    }
    br_input_finish(&input);
}

void fuzz_ninja_log(const uint8_t *data, size_t size)
{
    static const char build[] =
        "rule r\n command = c $in $out\nbuild a: r\nbuild b c: r a\nbuild d/e: r b\n";
    static struct br_ninja ninja;
    struct br_diag diag = {0};
    fuzz_put("build.ninja", build, sizeof build - 1);
    if (!ninja.nodes && br_ninja_read(&ninja, fuzz_folder(), "build.ninja", &diag))
        fuzz_fail(&diag, "the target's own build cannot be read");
    int64_t *duration_ns = calloc(ninja.nodes, sizeof *duration_ns);
    if (!duration_ns)
        fuzz_fail(NULL, "memory is out");
    enum br_status status =
        br_ninja_read_log(&ninja, fuzz_file(0, data, size), duration_ns, NULL, &diag);
    fuzz_said(status, &diag);
    for (uint32_t n = 0; n < ninja.nodes && !status; n++)
        if (duration_ns[n] < -1)
            fuzz_fail(NULL, "a command took less than no time");
    free(duration_ns);
}

/* A file that is there is gone on with: what is added to it is found there afterwards. */
void fuzz_ninja_deps(const uint8_t *data, size_t size)
{
    static const char depfile[] = "o: first second\n";
    struct br_diag diag = {0};
    struct br_ninja_deps deps;
    char path[128], depfile_path[128];
    bool there;
    fuzz_put(".ninja_deps", data, size);
    fuzz_put("a.d", depfile, sizeof depfile - 1);
    snprintf(path, sizeof path, "%s/.ninja_deps", fuzz_folder());
    snprintf(depfile_path, sizeof depfile_path, "%s/a.d", fuzz_folder());
    if (br_ninja_deps_open(&deps, path, &diag) ||
        br_ninja_deps_read(&deps, depfile_path, &there, &diag) ||
        br_ninja_deps_add(&deps, "o", 5, &diag))
        fuzz_fail(&diag, "a damaged file keeps what is new out");
    uint32_t paths = deps.paths;
    if (br_ninja_deps_close(&deps, &diag) || br_ninja_deps_open(&deps, path, &diag))
        fuzz_fail(&diag, "what was written cannot be opened");
    if (deps.paths != paths)
        fuzz_fail(NULL, "paths that were written are not found again");
    if (br_ninja_deps_close(&deps, &diag))
        fuzz_fail(&diag, "what was opened cannot be closed");
}

/* Names come back as they were written, where they are written as make wants them. */
void fuzz_depfile(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_ninja_depfile depfile = {0};
    char *text = fuzz_text(data, size);
    enum br_status status = br_ninja_depfile_read(&depfile, text, size, &diag);
    fuzz_said(status, &diag);
    for (uint32_t n = 0; n < depfile.names; n++) {
        size_t length = strlen(depfile.name[n]);
        if (!length || depfile.name[n] < text || depfile.name[n] + length > text + size)
            fuzz_fail(NULL, "a name is not of the text");
        br_path_shorten(depfile.name[n]);
    }
    br_ninja_depfile_finish(&depfile);
    free(text);
}

void fuzz_printed(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_input input = {0};
    struct br_make_report report;
    struct br_make_options options = {.whole = size % 3 == 0, .own = size % 2};
    if (br_parse_capacity(1, "cpu=2,mem=1GiB", &input.cluster, &diag))
        fuzz_fail(&diag, "the target's own machine cannot be read");
    options.demand = input.cluster;
    enum br_status status =
        br_parse_make(fuzz_file(0, data, size), &options, &input, &report, &diag);
    fuzz_said(status, &diag);
    if (status && input.dag)
        fuzz_fail(&diag, "a failure that leaves a job");
    if (!status)
        fuzz_job(&input);
    br_input_finish(&input);
}

/* A snippet of CMake's in a folder of its own, for a job of a few files. */
void fuzz_snippets(const uint8_t *data, size_t size)
{
    static const char *const files[] = {"a", "d/e", "CMakeFiles/a.util", "/tmp/b"};
    struct br_diag diag = {0};
    struct br_snippets_report report;
    struct br_dag *dag = br_dag_create("build");
    uint32_t stage;
    for (size_t k = 0; dag && k < sizeof files / sizeof *files; k++)
        if (br_dag_add_stage(dag, files[k], 1, 1000, &stage, &diag))
            fuzz_fail(&diag, "the target's own job cannot be made");
    if (!dag || br_dag_finish(dag, &diag))
        fuzz_fail(&diag, "the target's own job cannot be made");
    fuzz_put("custom-1.json", data, size);
    enum br_status status = br_read_snippets(fuzz_folder(), dag, &report, &diag);
    fuzz_said(status, &diag);
    if (!status && report.used + report.idle > report.read)
        fuzz_fail(NULL, "more snippets are used than were read");
    for (uint32_t s = 0; s < dag->stages; s++)
        if (dag->duration_ns[s] < 0)
            fuzz_fail(NULL, "a command took less than no time");
    fuzz_put("custom-1.json", NULL, 0);
    br_dag_destroy(dag);
}
