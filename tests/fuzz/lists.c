/* Readers of settings, lists and tables that people, or other runs of the program, write; and of
 * what comes by a pipe. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/batch/batch.h"
#include "cli/inputs/job_list.h"
#include "cli/options/commands.h"
#include "cli/options/control.h"
#include "cli/options/settings.h"
#include "cli/options/shard.h"
#include "cluster/executors/command/train_options.h"
#include "cluster/simulate/command/merge.h"
#include "cluster/executors/classes.h"
#include "tests/fuzz/fuzz.h"

/* The settings of a training, "settings.toml". */
void fuzz_settings(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_arena arena = {0};
    struct cli_settings settings = cli_settings_default();
    struct br_train_options options;
    struct br_course_options course;
    const char *jobs = NULL;
    enum br_status status =
        cli_train_read(fuzz_file(0, data, size), &arena, &settings, &jobs, &diag);
    fuzz_said(status, &diag);
    if (!status) {
        fuzz_said(cli_train_options(&settings, &options, &course, &diag), &diag);
        if (!cli_train_command(&settings, NULL, 0, &arena))
            fuzz_fail(NULL, "settings have no command");
    }
    br_arena_finish(&arena);
}

/* A list of jobs, as batch and simulate take it. */
void fuzz_list(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct cli_job_list list = {0};
    enum br_status status = cli_job_list_read(&list, fuzz_file(0, data, size), size % 2, &diag);
    fuzz_said(status, &diag);
    for (uint32_t k = 0; k < list.count && !status; k++) {
        char *path = cli_job_list_path(&list, k);
        if (!path || !*cli_job_list_name(&list, k))
            fuzz_fail(NULL, "a job of a list has no name");
        free(path);
    }
    cli_job_list_finish(&list);
}

/* Tables of shards that are put together: those of batch, and those of studies. A NUL cuts the
 * bytes into two files. */
void fuzz_merge(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct cli_settings settings = cli_settings_default();
    const uint8_t *cut = size ? memchr(data, 0, size) : NULL;
    size_t first = cut ? (size_t)(cut - data) : size;
    const char *file[2] = {fuzz_file(0, data, first), NULL};
    uint32_t files = 1;
    if (cut)
        file[files++] = fuzz_file(1, cut + 1, size - first - 1);
    settings.output.path = "/dev/null";
    settings.output.quiet = true;
    fuzz_said(cli_batch_merge(&settings, file, files, &diag), &diag);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        fuzz_fail(NULL, "memory is out");
    fuzz_said(cli_merge_studies(file, files, out, &diag), &diag);
    fclose(out);
    free(text);
}

/* Lists that the parser of options checks: utilities of three jobs, executors of several sizes. */
static void fuzz_list_option(char *option, char *value, struct br_diag *diag)
{
    struct cli_settings settings = cli_settings_default();
    struct br_executors_options executors = {.executors = 5};
    struct br_utility utility[3];
    char *const argument[] = {option, value};
    const char *positional[1];
    uint32_t positionals;
    enum br_status status = br_options_parse(cli_options(), CLI_SIMULATE, 2, argument, &settings,
                                             positional, 0, &positionals, diag);
    if (!status && settings.executors.classes)
        status = br_executors_classes_read(settings.executors.classes, &executors, diag);
    if (!status && settings.control.utility)
        status = cli_utilities_read(settings.control.utility, utility, 3, diag);
    fuzz_said(status, diag);
}

/* The values of options that are small languages. The first byte says which. */
void fuzz_values(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    char utility[] = "--utility", classes[] = "--classes";
    uint32_t first, step;
    if (!size)
        return;
    char *text = fuzz_text(data + 1, size - 1);
    if (data[0] % 3 == 0)
        fuzz_list_option(utility, text, &diag);
    else if (data[0] % 3 == 1)
        fuzz_list_option(classes, text, &diag);
    else
        fuzz_said(cli_shard_read(text, &first, &step, &diag), &diag);
    free(text);
}

static enum br_status read_job(const char *path, struct br_input *input, struct br_diag *diag)
{
    *diag = (struct br_diag){0};
    *input = (struct br_input){0};
    enum br_status status = br_parse_job(path, NULL, input, diag);
    fuzz_said(status, diag);
    return status;
}

/* What comes by a pipe, in pieces, is read as from a file: Snakemake's JSON, PostgreSQL's plans,
 * all that is recognised. */
void fuzz_pipe(const uint8_t *data, size_t size)
{
    struct br_diag diag, again;
    struct br_input input, piped;
    int end[2];
    char path[32];
    if (size > 60000 || pipe(end))
        return; /* more than a pipe holds */
    if (write(end[1], data, size) != (ssize_t)size)
        fuzz_fail(NULL, "a pipe cannot be written");
    close(end[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", end[0]);
    enum br_status status = read_job(fuzz_file(0, data, size), &input, &diag);
    enum br_status other = read_job(path, &piped, &again);
    close(end[0]);
    if (status != other || (status && diag.line != again.line) ||
        (!status && input.dag->stages != piped.dag->stages))
        fuzz_fail(&again, "a pipe is read as something else than a file");
    br_input_finish(&input);
    br_input_finish(&piped);
}
