/* bigrocks import make: makes a job of the commands that make would run. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/builders/make_ask.h"
#include "cli/import/import.h"
#include "cli/inputs/load.h"
#include "cli/options/commands.h"
#include "cli/terminal/say.h"
#include "parsers/make/build.h"

static void import_make_say_report(const struct br_make_report *report, const struct br_dag *dag)
{
    fprintf(stderr, "bigrocks: ");
    cli_print_count(stderr, report->commands, "task", "tasks");
    if (report->whole)
        fprintf(stderr, ", %" PRIu32 " of them calls of make", report->whole);
    else if (report->makes)
        fprintf(stderr, ", with those of the makes that %" PRIu32 " of the recipes call",
                report->makes);
    if (report->wide)
        fprintf(stderr, ", %" PRIu32 " of them on several cores", report->wide);
    fputc('\n', stderr);
    if (report->beside && !report->whole)
        cli_say("%" PRIu32 " of these do more than call make; what they do besides comes after "
                "the tasks of the makes, or give --whole",
                report->beside);
    for (uint32_t d = 0; d < dag->doubts; d++)
        cli_say("warning: %s", dag->doubt[d]);
}

static enum br_status read_make(const struct cli_settings *settings, const char *const *argument,
                                uint32_t arguments, struct br_input *input,
                                struct br_make_report *report, struct br_diag *diag)
{
    const struct cli_import_settings *import = &settings->import;
    const struct cli_make_question question = {.folder =
                                                   import->directory ? import->directory : ".",
                                               .file = import->file,
                                               .argument = argument,
                                               .arguments = arguments,
                                               .dirty = import->dirty,
                                               .whole = import->whole};
    struct br_cluster *demand = NULL;
    char path[64];
    int fd = -1;
    enum br_status status = cli_import_machine(settings, input, &demand, diag);
    if (!status && !import->printed)
        status = cli_make_ask(&question, &fd, diag);
    const struct br_make_options options = {
        .demand = demand, .machine = input->cluster, .whole = import->whole, .own = fd >= 0};
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!status)
        status = br_parse_make(fd >= 0 ? path : import->printed, &options, input, report, diag);
    if (fd >= 0)
        close(fd);
    br_cluster_destroy(demand);
    return status;
}

int cli_import_make(const struct cli_settings *settings, const char *const *argument,
                    uint32_t arguments, struct br_diag *diag)
{
    struct br_input input = {0};
    struct br_make_report report;
    if (settings->import.printed && (arguments || settings->import.directory ||
                                     settings->import.file || settings->import.dirty))
        return br_fail(diag, BR_USAGE, "give them to the make that prints",
                       "--printed knows no targets, -C, --file and --dirty");
    enum br_status status = read_make(settings, argument, arguments, &input, &report, diag);
    if (!status && !settings->output.quiet)
        import_make_say_report(&report, input.dag);
    if (!status)
        status = cli_import_write(settings, &input, diag);
    br_input_finish(&input);
    return status;
}
