/* The progress line: only on a terminal, only for work that takes longer than a second. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal/progress.h"
#include "base/process/clock.h"
#include "cli/terminal/say.h"
#include "cli/terminal/terminal.h"

enum { BAR = 24, LEAST_BAR = 4, SHARE = 8, COLUMNS = 80 };
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

/* The present width of the terminal. Standard error may be a pipe to it while tasks run. */
static uint32_t terminal_columns(void)
{
    int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    uint32_t columns = cli_terminal_columns(terminal < 0 ? STDERR_FILENO : terminal);
    if (terminal >= 0)
        close(terminal);
    return columns ? columns : COLUMNS;
}

/* The bytes of so many characters of the text, or of all of it. */
static int cli_progress_bytes_of(const char *text, int characters)
{
    int at = 0;
    while (text[at]) {
        bool begins = ((unsigned char)text[at] & 0xc0) != 0x80;
        if (begins && characters-- == 0)
            break;
        at++;
    }
    return at;
}

static int characters_of(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* Replaces the line: back to its start, the bar, the share, the text, clear the rest. The terminal
 * would break a line wider than itself, and its first part would stay; so the bar is shortened,
 * then dropped, then the text is cut. */
static void cli_progress_draw(struct cli_progress *progress, double share, char *text)
{
    uint32_t columns = terminal_columns();
    int room = (int)columns - 1 - SHARE;
    int left = room - characters_of(text);
    if (columns != progress->columns)
        progress->bar = BAR;
    if (left < progress->bar)
        progress->bar = left < LEAST_BAR ? 0 : left;
    int bar = progress->bar;
    progress->columns = columns;
    share = share > 1 ? 1 : share;
    int full = (int)(share * bar);
    fputs("\r\033[K", stderr);
    if (bar && progress->colour)
        fputs("\033[32m", stderr);
    for (int k = 0; k < bar; k++)
        fputc(k < full ? '#' : '.', stderr);
    if (bar && progress->colour)
        fputs("\033[0m", stderr);
    if (room >= 0) {
        fprintf(stderr, "%*.0f %%  ", bar ? 4 : 3, 100 * share);
        text[cli_progress_bytes_of(text, room)] = '\0';
        cli_print_text(stderr, text);
    }
    fflush(stderr);
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
    char text[4 * CLI_SECONDS_TEXT] = "";
    size_t used = 0;
    if (state->makespan_ns > 0)
        used = (size_t)snprintf(text, sizeof text, "makespan %s s  bound %s s",
                                cli_seconds(state->makespan_ns, makespan),
                                cli_seconds(state->lower_bound_ns, bound));
    if (state->makespan_ns > 0 && state->lower_bound_ns > 0)
        snprintf(text + used, sizeof text - used, "  gap %.2f %%",
                 100 * ((double)state->makespan_ns / (double)state->lower_bound_ns - 1));
    cli_progress_draw(progress, state->share, text);
}

void cli_progress_bound(void *context, int64_t past_ns, int64_t limit_ns)
{
    struct cli_progress *progress = context;
    if (!due(progress))
        return;
    char text[] = "tightening the bound";
    cli_progress_draw(progress, limit_ns > 0 ? (double)past_ns / (double)limit_ns : 0, text);
}

void cli_progress_jobs(struct cli_progress *progress, uint32_t done, uint32_t total,
                       uint32_t refused)
{
    int64_t now = br_now_ns();
    if (!due(progress) || now - progress->shown_ns < second_ns / 10)
        return;
    progress->shown_ns = now;
    char text[96];
    int used = snprintf(text, sizeof text, "%" PRIu32 " of %" PRIu32 " jobs", done, total);
    if (refused)
        snprintf(text + used, sizeof text - (size_t)used, ", %" PRIu32 " refused", refused);
    cli_progress_draw(progress, total ? (double)done / total : 0, text);
}

void cli_progress_run(struct cli_progress *progress, uint32_t done, uint32_t total,
                      uint32_t running, const char *text)
{
    if (!due(progress))
        return;
    char line[512];
    snprintf(line, sizeof line, "%" PRIu32 " of %" PRIu32 " done, %" PRIu32 " running  %s", done,
             total, running, text);
    cli_progress_draw(progress, total ? (double)done / total : 0, line);
}

void cli_progress_end(struct cli_progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}
