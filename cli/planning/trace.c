/* The course of the search: every better plan as a line for people and as a row of CSV. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/planning/trace.h"
#include "base/numbers/decimal.h"
#include "cli/terminal/say.h"

static enum br_status planning_trace_fail(const struct cli_trace *trace, int error,
                                          struct br_diag *diag)
{
    br_diag_file(diag, trace->path);
    return br_fail(diag, BR_SYSTEM, NULL, "cannot be written: %s", strerror(error));
}

enum br_status cli_trace_begin(struct cli_trace *trace, const char *path, struct br_diag *diag)
{
    if (!path)
        return BR_OK;
    trace->path = path;
    trace->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (!trace->file)
        return planning_trace_fail(trace, errno, diag);
    setvbuf(trace->file, NULL, _IOLBF, BUFSIZ);
    fputs("seconds,part,makespan,lower_bound,finder,placements\n", trace->file);
    return BR_OK;
}

void cli_trace_found(void *context, const struct br_incumbent *found)
{
    struct cli_trace *trace = context;
    char elapsed[CLI_SECONDS_TEXT], makespan[CLI_SECONDS_TEXT], bound[CLI_SECONDS_TEXT];
    cli_seconds(found->elapsed_ns, elapsed);
    if (trace->file) {
        br_seconds_format(found->makespan_ns, makespan);
        br_seconds_format(found->lower_bound_ns, bound);
        fprintf(trace->file, "%s,%" PRIu32 ",%s,%s,%s,%" PRIu64 "\n", elapsed, found->part + 1,
                makespan, bound, found->finder, found->placements);
    }
    if (!trace->say || found->makespan_ns == 0) /* an end of the job that takes no time */
        return;
    char part[64] = "";
    if (found->parts > 1)
        snprintf(part, sizeof part, "part %" PRIu32 " of %" PRIu32 ": ", found->part + 1,
                 found->parts);
    cli_progress_end(trace->progress);
    cli_say("%s s: %smakespan %s s (%s)", elapsed, part, cli_seconds(found->makespan_ns, makespan),
            found->finder);
}

enum br_status cli_trace_end(struct cli_trace *trace, enum br_status status, struct br_diag *diag)
{
    if (!trace->file)
        return status;
    bool failed = ferror(trace->file);
    errno = 0;
    failed = (trace->file == stdout ? fflush(stdout) : fclose(trace->file)) || failed;
    trace->file = NULL;
    return failed && !status ? planning_trace_fail(trace, errno ? errno : EIO, diag) : status;
}
