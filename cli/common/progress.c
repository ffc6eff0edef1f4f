/* The progress line: only on a terminal, only for what takes longer than a second. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/progress.h"
#include "base/process/clock.h"
#include "cli/common/say.h"

enum { BAR = 24 };
static const int64_t second_ns = INT64_C(1000000000);

void cli_progress_begin(struct cli_progress *progress, bool quiet)
{
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    bool dumb = !term || !*term || strcmp(term, "dumb") == 0;
    *progress = (struct cli_progress){
        .shown = !quiet && !dumb && isatty(STDERR_FILENO),
        .colour = !(no_colour && *no_colour),
        .began_ns = br_now_ns(),
    };
}

/* The line so far is replaced: back to its start, the bar, clear the rest. */
static void draw(struct cli_progress *progress, double share)
{
    int full = (int)((share > 1 ? 1 : share) * BAR);
    fprintf(stderr, "\r\033[K%s", progress->colour ? "\033[32m" : "");
    for (int k = 0; k < BAR; k++)
        fputc(k < full ? '#' : '.', stderr);
    fprintf(stderr, "%s %3.0f %%  ", progress->colour ? "\033[0m" : "",
            100 * (share > 1 ? 1 : share));
    progress->drawn = true;
}

static bool due(const struct cli_progress *progress)
{
    return progress->shown && br_now_ns() - progress->began_ns >= second_ns;
}

void cli_progress_plan(void *context, const struct br_progress *state)
{
    struct cli_progress *progress = context;
    char makespan[CLI_SECONDS_TEXT], bound[CLI_SECONDS_TEXT];
    if (state->tightening) {
        cli_progress_bound(progress, 0, 0);
        return;
    }
    if (!due(progress))
        return;
    draw(progress, state->share);
    if (state->makespan_ns > 0)
        fprintf(stderr, "makespan %s s  bound %s s", cli_seconds(state->makespan_ns, makespan),
                cli_seconds(state->lower_bound_ns, bound));
    if (state->makespan_ns > 0 && state->lower_bound_ns > 0)
        fprintf(stderr, "  gap %.2f %%",
                100 * ((double)state->makespan_ns / (double)state->lower_bound_ns - 1));
    fflush(stderr);
}

void cli_progress_bound(void *context, int64_t past_ns, int64_t limit_ns)
{
    struct cli_progress *progress = context;
    if (!due(progress))
        return;
    draw(progress, limit_ns > 0 ? (double)past_ns / (double)limit_ns : 0);
    fputs("tightening the bound", stderr);
    fflush(stderr);
}

void cli_progress_jobs(struct cli_progress *progress, uint32_t done, uint32_t total,
                       uint32_t refused)
{
    int64_t now = br_now_ns();
    if (!due(progress) || now - progress->shown_ns < second_ns / 10)
        return;
    progress->shown_ns = now;
    draw(progress, total ? (double)done / total : 0);
    fprintf(stderr, "%" PRIu32 " of %" PRIu32 " jobs", done, total);
    if (refused)
        fprintf(stderr, ", %" PRIu32 " refused", refused);
    fflush(stderr);
}

void cli_progress_run(struct cli_progress *progress, uint32_t done, uint32_t total,
                      uint32_t running, const char *text)
{
    if (!due(progress))
        return;
    draw(progress, total ? (double)done / total : 0);
    fprintf(stderr, "%" PRIu32 " of %" PRIu32 " done, %" PRIu32 " running  ", done, total, running);
    cli_print_text(stderr, text);
    fflush(stderr);
}

void cli_progress_end(struct cli_progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}
