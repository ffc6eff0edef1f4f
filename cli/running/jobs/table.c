/* The report of a run of several jobs: a row for each, in the order given. */
#include <inttypes.h>

#include "cli/running/jobs/jobs.h"
#include "cli/terminal/say.h"

const char *cli_run_status(const struct br_run_job *job)
{
    const struct br_job_result *result = &job->result;
    return result->failed                                         ? "failed"
           : result->resumed + result->finished < job->dag->tasks ? "stopped"
                                                                  : "done";
}

/* Seconds since the run began, right aligned; a dash if the event did not happen. */
static void print_time(FILE *out, int64_t ns)
{
    const int64_t milli = 1000000;
    if (ns < 0)
        fprintf(out, " %9s", "-");
    else
        fprintf(out, " %5" PRId64 ".%03" PRId64, ns / milli / 1000, ns / milli % 1000);
}

void cli_run_table(FILE *out, const struct cli_run_jobs *jobs)
{
    fprintf(out, "%-8s %9s %9s %11s %s\n", "status", "start", "end", "tasks", "job (group)");
    for (uint32_t k = 0; k < jobs->count; k++) {
        const struct br_run_job *job = &jobs->job[k];
        char tasks[32];
        snprintf(tasks, sizeof tasks, "%" PRIu32 "/%" PRIu32,
                 job->result.resumed + job->result.finished, job->dag->tasks);
        fprintf(out, "%-8s", cli_run_status(job));
        print_time(out, job->result.start_ns);
        print_time(out, job->result.end_ns);
        fprintf(out, " %11s ", tasks);
        cli_print_text(out, job->name);
        if (job->group) {
            fputs(" (", out);
            cli_print_text(out, job->group);
            fputc(')', out);
        }
        fputc('\n', out);
    }
}
