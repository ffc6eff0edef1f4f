/* Starts the program instead of linking librsvg, which brings a dozen libraries that every other
 * command would load. */
#include "cli/output/draw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/launch.h"
#include "cli/terminal/child.h"

#define PROGRAM "rsvg-convert"

const char *cli_drawn_form(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (dot && strcmp(dot, ".pdf") == 0)
        return "pdf";
    return dot && strcmp(dot, ".png") == 0 ? "png" : NULL;
}

enum br_status cli_draw_check(const char *form, struct br_diag *diag)
{
    char path[PATH_MAX];
    if (cli_find_program(PROGRAM, path))
        return BR_OK;
    return br_fail(diag, BR_SYSTEM, "install it (Debian: librsvg2-bin), or write an SVG",
                   "'%s' is drawn by " PROGRAM ", which is not found", form);
}

/* The first line of the program's messages. */
static void first_line(int said, char *line, size_t room)
{
    ssize_t length = pread(said, line, room - 1, 0);
    line[length > 0 ? length : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
}

static enum br_status cli_draw_wait_for(pid_t pid, int said, struct br_diag *diag)
{
    int ended;
    while (waitpid(pid, &ended, 0) < 0)
        if (errno != EINTR)
            return br_fail(diag, BR_SYSTEM, NULL, PROGRAM ": %s", strerror(errno));
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return BR_OK;
    char line[200];
    first_line(said, line, sizeof line);
    if (WIFSIGNALED(ended))
        return br_fail(diag, BR_SYSTEM, "write svg instead", PROGRAM " was ended by signal %d",
                       WTERMSIG(ended));
    return br_fail(diag, BR_SYSTEM, "is the picture too large? Then write svg instead",
                   PROGRAM " cannot draw it: %s", *line ? line : "it does not say why");
}

enum br_status cli_draw(const char *form, int svg, int out, struct br_diag *diag)
{
    char *const argument[] = {(char *)PROGRAM, (char *)"--format", (char *)form, NULL};
    pid_t pid;
    int said = br_unnamed_file();
    if (said < 0 || lseek(svg, 0, SEEK_SET) < 0) {
        int error = errno;
        if (said >= 0)
            close(said);
        return br_fail(diag, BR_SYSTEM, NULL, "no temporary file: %s", strerror(error));
    }
    setenv("SOURCE_DATE_EPOCH", "0", 0); /* a PDF contains its date */
    const struct br_launch how = {.program = PROGRAM, .argv = argument, .stream = {svg, out, said}};
    int error = br_launch(&how, &pid);
    enum br_status status = error ? br_fail(diag, BR_SYSTEM, NULL, PROGRAM ": %s", strerror(error))
                                  : cli_draw_wait_for(pid, said, diag);
    close(said);
    return status;
}
