/* Runs ninja as a child, in the folder of the build. A mark in its status distinguishes its
 * commands from all else that it may print. The text does not identify a command, since others may
 * have the same. So if there is anything to do, ninja is asked about a build in which commands are
 * described by their outputs; descriptions are not part of the hashes by which it decides whether a
 * command has changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/builders/ninja_ask.h"
#include "base/process/launch.h"
#include "cli/builders/ninja_program.h"
#include "cli/terminal/child.h"
#include "cli/terminal/say.h"

#define MARK "\x01"

/* The environment with our ninja status; only the array is the caller's. */
static char **environment(void)
{
    static char status[] = "NINJA_STATUS=" MARK;
    size_t count = 0, used = 0;
    while (environ[count])
        count++;
    char **list = calloc(count + 2, sizeof *list);
    for (size_t k = 0; list && k < count; k++)
        if (strncmp(environ[k], "NINJA_STATUS=", strlen("NINJA_STATUS=")) != 0)
            list[used++] = environ[k];
    if (list)
        list[used] = status;
    return list;
}

/* Starts ninja in the folder; *out: the end of a pipe with its output; NULL: it prints to `words`.
 * Returns 0 or an errno. */
static int ninja_ask_start(const char *folder, char *const *argument, char *const *variables,
                           pid_t *pid, int words, int *out)
{
    posix_spawn_file_actions_t actions;
    int pipe_end[2] = {-1, -1};
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    if (out && pipe2(pipe_end, O_CLOEXEC))
        error = errno;
    if (!error)
        error = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (!error)
        error =
            posix_spawn_file_actions_adddup2(&actions, out ? pipe_end[1] : words, STDOUT_FILENO);
    if (!error)
        error = posix_spawnp(pid, argument[0], &actions, NULL, argument, variables);
    posix_spawn_file_actions_destroy(&actions);
    if (pipe_end[1] >= 0)
        close(pipe_end[1]);
    if (error && pipe_end[0] >= 0)
        close(pipe_end[0]);
    if (!error && out)
        *out = pipe_end[0];
    return error;
}

static enum br_status ninja_ask_fail_start(int error, struct br_diag *diag)
{
    return br_fail(diag, BR_SYSTEM, "install it (ninja-build), or name it by NINJA",
                   "cannot start ninja, which knows what is out of date: %s", strerror(error));
}

static int ninja_ask_wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return cli_child_exit(status);
}

/* The output of ninja: commands, and its own messages. */
struct saying {
    struct br_ninja_set *told;
    struct br_ninja_set words; /* lines, as they came */
};

static enum br_status read_saying(int from, struct saying *saying, struct br_diag *diag)
{
    char *line = NULL;
    size_t room = 0;
    FILE *said = fdopen(from, "r");
    if (!said) {
        close(from);
        return br_fail_memory(diag);
    }
    bool good = true;
    for (ssize_t size; good && (size = getline(&line, &room, said)) > 0;) {
        const size_t length = (size_t)size - (line[size - 1] == '\n');
        good = *line == *MARK ? br_ninja_set_add(saying->told, line + 1, length - 1)
                              : br_ninja_set_add(&saying->words, line, length);
    }
    free(line);
    good = !ferror(said) && good;
    fclose(said);
    br_ninja_set_sort(saying->told);
    return good ? BR_OK : br_fail_memory(diag);
}

/* The commands that a dry run would run: their texts or their descriptions. */
static enum br_status run_dry(const struct br_ninja_options *options, const char *file, bool texts,
                              struct saying *saying, struct br_diag *diag)
{
    char program[PATH_MAX];
    size_t words = 0;
    pid_t pid;
    int out;
    const char **argument = calloc((size_t)options->targets + 10, sizeof *argument);
    char **variables = environment();
    if (!argument || !variables) {
        free(argument);
        free(variables);
        return br_fail_memory(diag);
    }
    cli_ninja_program(options->folder, program);
    argument[words++] = program;
    argument[words++] = "-n";
    if (texts)
        argument[words++] = "-v";
    if (options->explain && !texts) { /* the question that names what runs */
        argument[words++] = "-d";
        argument[words++] = "explain";
    }
    argument[words++] = "-f";
    argument[words++] = file;
    argument[words++] = "--";
    for (uint32_t k = 0; k < options->targets; k++)
        argument[words++] = options->target[k];
    int error = ninja_ask_start(options->folder, (char *const *)argument, variables, &pid,
                                STDOUT_FILENO, &out);
    free(argument);
    free(variables);
    if (error)
        return ninja_ask_fail_start(error, diag);
    enum br_status status = read_saying(out, saying, diag);
    int code = ninja_ask_wait_for(pid);
    if (!status && code)
        status =
            br_fail(diag, BR_BAD_INPUT, NULL, "ninja refuses the build (exit status %d)", code);
    return status;
}

/* The reason why ninja has refused. */
static void ninja_ask_print_words(const struct saying *saying)
{
    for (uint32_t k = 0; k < saying->words.count; k++) {
        cli_print_text(stderr, saying->words.text[k]);
        putc('\n', stderr);
    }
}

/* Asks about the build with outputs as descriptions. Ninja reads it by our descriptor, so nothing
 * is left behind if this program dies; no command makes the build's own file under that name. */
static enum br_status ask_by_outputs(const struct cli_ninja_question *question,
                                     const struct br_ninja_naming *naming,
                                     struct br_ninja_set *dirty, struct br_ninja_named *named,
                                     struct br_diag *diag)
{
    char path[64];
    struct br_ninja_options options = *question->options;
    struct saying saying = {.told = dirty};
    int file = br_unnamed_file();
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    if (!out) {
        if (file >= 0)
            close(file);
        return br_fail(diag, BR_SYSTEM, "set TMPDIR", "no temporary file can be made");
    }
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), file);
    if (question->about)
        options.targets = 0; /* the file says what */
    enum br_status status = br_ninja_write_named(&options, naming, out, named, diag);
    if (!status && (fflush(out) || ferror(out)))
        status = br_fail(diag, BR_SYSTEM, "is the disk of TMPDIR full?",
                         "a temporary file cannot be written");
    if (!status && !named->stale)
        status = run_dry(&options, path, false, &saying, diag);
    if (status == BR_BAD_INPUT)
        ninja_ask_print_words(&saying);
    br_ninja_set_finish(&saying.words);
    fclose(out);
    return status;
}

/* Repeats the question until ninja would read no further dyndep file: at first only files count
 * that no remaining command makes, then also those that the answer says ninja reads. Their contents
 * may make more commands run. */
static enum br_status ninja_ask(const struct cli_ninja_question *question,
                                const struct br_ninja_set *printed, const char *state,
                                struct br_ninja_set *dirty, struct br_ninja_named *named,
                                struct br_diag *diag)
{
    struct br_ninja_naming naming = {printed, question->done, question->about, NULL, state};
    struct br_ninja_set before = {0};
    uint32_t open = UINT32_MAX;
    enum br_status status = ask_by_outputs(question, &naming, dirty, named, diag);
    while (!status && !named->stale && named->open && named->open < open) {
        open = named->open;
        br_ninja_set_finish(&before);
        before = *dirty;
        *dirty = (struct br_ninja_set){0};
        naming.pending = &before;
        status = ask_by_outputs(question, &naming, dirty, named, diag);
    }
    br_ninja_set_finish(&before);
    return status;
}

/* Lets ninja remake the build's own file, as it does before every build. */
static enum br_status remake(const struct br_ninja_options *options, int words,
                             struct br_diag *diag)
{
    const char *name = options->file ? options->file : "build.ninja";
    char program[PATH_MAX];
    const char *const argument[] = {program, "-f", name, "--", name, NULL};
    cli_ninja_program(options->folder, program);
    pid_t pid;
    fflush(NULL);
    int error =
        ninja_ask_start(options->folder, (char *const *)argument, environ, &pid, words, NULL);
    if (error)
        return ninja_ask_fail_start(error, diag);
    int code = ninja_ask_wait_for(pid);
    return code ? br_fail(diag, BR_NO, NULL, "ninja cannot make '%.200s' anew (exit status %d)",
                          name, code)
                : BR_OK;
}

/* The first question is about the build as it is; if nothing is out of date, it is the only one. A
 * dry run fails if a dyndep file is still to be made; then the other questions answer. */
static enum br_status ask_first(const struct cli_ninja_question *question,
                                struct br_ninja_set *dirty, struct br_ninja_named *named,
                                struct br_diag *diag)
{
    const struct br_ninja_options *options = question->options;
    struct br_ninja_set printed = {0};
    struct saying saying = {.told = &printed};
    struct br_diag other = {0};
    enum br_status status =
        run_dry(options, options->file ? options->file : "build.ninja", true, &saying, diag);
    const bool refused = status == BR_BAD_INPUT;
    if (refused && br_ninja_has_dyndep(options, &other))
        ninja_ask_print_words(&saying);
    else if (refused || (!status && printed.count))
        status = ninja_ask(question, &printed, NULL, dirty, named, diag);
    br_ninja_set_finish(&printed);
    br_ninja_set_finish(&saying.words);
    return status;
}

/* ---- A log of another ninja ---- */

static void say_other(const struct br_ninja_options *options, uint32_t log)
{
    char program[PATH_MAX];
    cli_ninja_program(options->folder, program);
    cli_say("the log of this build is of version %" PRIu32
            ", from which '%.200s' does not go on: it "
            "builds everything; set NINJA to the build's own ninja",
            log, program);
}

/* Asks without the log, since ninja would delete one of another version, but with the dependencies
 * that compilers have reported: ninja's folder is a temporary one for this. */
static enum br_status ask_aside(const struct cli_ninja_question *question,
                                const struct br_ninja_place *place, struct br_ninja_set *dirty,
                                struct br_diag *diag)
{
    const struct br_ninja_options *options = question->options;
    const char *name = options->file ? options->file : "build.ninja";
    const char *parent = getenv("TMPDIR");
    char aside[PATH_MAX], link[PATH_MAX + 16], deps[PATH_MAX + 16], whole[PATH_MAX];
    const struct br_ninja_set none = {0};
    struct br_ninja_set itself = {0}, stale = {0};
    struct br_ninja_named named;
    struct cli_ninja_question about = *question;
    about.about = &itself;
    snprintf(aside, sizeof aside, "%s/bigrocks-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(aside))
        return br_fail(diag, BR_SYSTEM, "set TMPDIR", "no temporary folder can be made");
    snprintf(deps, sizeof deps, "%s/.ninja_deps", realpath(place->folder, whole) ? whole : "");
    snprintf(link, sizeof link, "%s/.ninja_deps", aside);
    enum br_status status = symlink(deps, link) ? BR_SYSTEM : BR_OK;
    if (status)
        br_fail(diag, status, NULL, "'%.200s' cannot be made", link);
    if (!status && place->made && !br_ninja_set_add(&itself, name, strlen(name)))
        status = br_fail_memory(diag);
    if (!status && place->made)
        status = ninja_ask(&about, &none, aside, &stale, &named, diag);
    if (!status && stale.count)
        status = br_fail(diag, BR_BAD_INPUT, "name the build's own ninja by NINJA",
                         "'%.200s' is out of date, and another ninja than the build's would delete "
                         "its log when it makes it anew",
                         name);
    if (!status)
        status = ninja_ask(question, &none, aside, dirty, &named, diag);
    br_ninja_set_finish(&itself);
    br_ninja_set_finish(&stale);
    unlink(link);
    rmdir(aside);
    return status;
}

/* Renames the log to .ninja_log.vN. */
static enum br_status put_aside(const struct br_ninja_place *place, uint32_t log,
                                struct br_diag *diag)
{
    char from[PATH_MAX + 16], to[PATH_MAX + 32];
    snprintf(from, sizeof from, "%s/.ninja_log", place->folder);
    snprintf(to, sizeof to, "%s.v%" PRIu32, from, log);
    return rename(from, to) ? br_fail(diag, BR_SYSTEM, NULL, "'%.200s' cannot be renamed: %s", from,
                                      strerror(errno))
                            : BR_OK;
}

/* Is there a log that the build's ninja would not continue? *log: its version; 0: no such log. */
static enum br_status find_other(const struct br_ninja_options *options,
                                 struct br_ninja_place *place, uint32_t *log, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    *log = br_ninja_log_version(options->folder);
    if (!*log) { /* it may be elsewhere */
        status = br_ninja_find_place(options, place, diag);
        *log = status ? 0 : br_ninja_log_version(place->folder);
    }
    if (!*log || br_ninja_log_fits(*log, cli_ninja_log_version(options->folder))) {
        *log = 0;
        return status;
    }
    say_other(options, *log);
    return br_ninja_find_place(options, place, diag);
}

enum br_status cli_ninja_ask(const struct cli_ninja_question *question, struct br_ninja_set *dirty,
                             struct br_diag *diag)
{
    const struct br_ninja_options *options = question->options;
    const struct br_ninja_set none = {0};
    struct br_ninja_named named = {0};
    struct br_ninja_place place;
    uint32_t log;
    enum br_status status = br_ninja_find(options->folder, options->file, diag);
    if (!status && (question->done->count || question->about))
        return ninja_ask(question, &none, NULL, dirty, &named, diag);
    if (!status)
        status = find_other(options, &place, &log, diag);
    if (!status && log && question->dry)
        return ask_aside(question, &place, dirty, diag);
    if (!status && log)
        status = put_aside(&place, log, diag);
    if (!status)
        status = ask_first(question, dirty, &named, diag);
    if (!status && named.stale) {
        /* Only the dry run has named this file. The command that makes it may always be out of
         * date, such as CMake's check of globs, so once it is made it is not asked about again. */
        status = remake(options, question->words, diag);
        if (!status)
            status = ninja_ask(question, &none, NULL, dirty, &named, diag);
    }
    return status;
}
