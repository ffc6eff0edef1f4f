/* From the arguments to a sub-command, and to the exit status. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/build/face.h"
#include "cli/help.h"
#include "cli/options/settings.h"
#include "cli/terminal/say.h"

/* A file must never be opened under the number of a closed standard stream, or messages would end
 * up in it. Opened the wrong way round, so that using the stream is still an error. */
static void occupy_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            _exit(BR_SYSTEM);
}

static enum br_status fail_order(struct br_diag *diag)
{
    return br_fail(diag, BR_USAGE, "see 'bigrocks help'",
                   "the sub-command must come before the options");
}

/* `positional` has room for all arguments. */
static int cli_main_run(int count, char *const *argument, const char **positional,
                        struct br_diag *diag)
{
    const struct cli_command *command = NULL;
    if (count < 1) {
        cli_help_print(NULL, stderr);
        return BR_USAGE;
    }
    if (argument[0][0] != '-') {
        command = cli_command_find(argument[0], diag);
        if (!command)
            return BR_USAGE;
        argument++, count--;
    }
    uint32_t positionals, bit = command ? command->bit : CLI_HELP;
    struct cli_settings settings = cli_settings_default();
    enum br_status status =
        br_options_parse(cli_options(), bit, count, argument, &settings, positional,
                         command ? command->most : 0, &positionals, diag);
    if (status && !command)
        return fail_order(diag);
    if (status) {
        if (!diag->hint[0])
            snprintf(diag->hint, sizeof diag->hint, "see 'bigrocks help%s%s'", command ? " " : "",
                     command ? command->name : "");
        return status;
    }
    if (settings.about.help) {
        cli_help_print(command, stdout);
        return BR_OK;
    }
    if (settings.about.version) {
        cli_print_version(stdout);
        return BR_OK;
    }
    if (!command)
        return fail_order(diag);
    if (positionals < command->least) {
        char hint[128];
        snprintf(hint, sizeof hint, "usage: bigrocks %s [options] %s", command->name,
                 command->arguments);
        return br_fail(diag, BR_USAGE, hint, "an argument is missing");
    }
    return command->perform(&settings, positional, positionals, diag);
}

/* Called as "bigrocks-admit COMMAND...", it means "admit -- COMMAND...", since launchers are often
 * one word; called with "-c SCRIPT", it is a shell. The list is the caller's to free; NULL when
 * memory is out. */
static char **as_launcher(int count, char **argument, int *words)
{
    static char name[] = "admit", end[] = "--", shell[] = "/bin/sh";
    char **list = calloc((size_t)count + 4, sizeof *list);
    *words = 0;
    if (!list)
        return NULL;
    list[(*words)++] = name;
    list[(*words)++] = end;
    if (count > 1 && argument[1][0] == '-')
        list[(*words)++] = shell;
    for (int k = 1; k < count; k++)
        list[(*words)++] = argument[k];
    return list;
}

static bool is_launcher(const char *program)
{
    const char *slash = program ? strrchr(program, '/') : NULL;
    return program && strcmp(slash ? slash + 1 : program, "bigrocks-admit") == 0;
}

int main(int count, char **argument)
{
    occupy_standard_streams();
    struct br_diag diag = {0};
    const char **positional = calloc((size_t)count + 4, sizeof *positional);
    char **launched = NULL;
    struct cli_face_words face = {0};
    int status = BR_SYSTEM, words = count - 1;
    const bool launcher = is_launcher(argument[0]), ninja = cli_is_ninja(argument[0]);
    const bool build = !launcher && !ninja && count > 1 && strcmp(argument[1], "build") == 0;
    if (launcher)
        launched = as_launcher(count, argument, &words);
    if (!positional || (launcher && !launched))
        br_fail_memory(&diag);
    else if (!ninja && !build)
        status = cli_main_run(words, launcher ? launched : argument + 1, positional, &diag);
    else if ((status = (int)cli_build_face(words - build, argument + 1 + build, ninja, &face,
                                           &diag)) == BR_OK)
        status = cli_main_run(face.count, face.list, positional, &diag);
    free(positional);
    free(launched);
    cli_face_words_finish(&face);
    if (status && diag.what[0])
        cli_say_diag(&diag);
    bool failed = ferror(stdout);
    if (fflush(stdout) || failed) {
        if (status != BR_SYSTEM)
            cli_say("cannot write standard output: %s", strerror(errno));
        status = BR_SYSTEM;
    }
    return status;
}
