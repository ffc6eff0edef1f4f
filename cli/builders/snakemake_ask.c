/* Runs Snakemake as a child, which finds our package along PYTHONPATH: Snakemake imports all
 * packages named like its scheduler plugins, and ours then makes the dry run write its jobs. The
 * package is part of this program, so nothing has to be installed beside Snakemake. */
#include "cli/builders/snakemake_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process/launch.h"
#include "cli/terminal/child.h"
#include "cli/terminal/interrupt.h"
#include "snakemake_plugin.h"

#define PACKAGE "snakemake_scheduler_plugin_bigrocks"
/* The files in the folder of a question. */
static const char package_file[] = PACKAGE "/__init__.py", answer_file[] = "jobs.json";

static const char *snakemake_ask_program(void)
{
    const char *named = getenv("SNAKEMAKE");
    return named && *named ? named : "snakemake";
}

static void path_in(char path[PATH_MAX], const char *folder, const char *name)
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

static enum br_status fail_write(const char *path, struct br_diag *diag)
{
    return br_fail(diag, BR_SYSTEM, "set TMPDIR", "'%.200s' cannot be written: %s", path,
                   strerror(errno));
}

/* A folder with the package in it; empty if it cannot be made. */
static enum br_status write_folder(char *folder, size_t size, struct br_diag *diag)
{
    const char *base = getenv("TMPDIR");
    char path[PATH_MAX];
    snprintf(folder, size, "%s/bigrocks-snakemake-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        *folder = '\0';
        return br_fail(diag, BR_SYSTEM, "set TMPDIR", "no folder can be made: %s", strerror(errno));
    }
    path_in(path, folder, PACKAGE);
    if (mkdir(path, 0700))
        return fail_write(path, diag);
    path_in(path, folder, package_file);
    FILE *out = fopen(path, "we");
    if (!out)
        return fail_write(path, diag);
    bool good = fputs(snakemake_plugin, out) >= 0;
    good = fclose(out) == 0 && good;
    return good ? BR_OK : fail_write(path, diag);
}

static void snakemake_ask_remove_folder(const char *folder)
{
    static const char *const name[] = {package_file, answer_file};
    char path[PATH_MAX];
    for (int k = 0; k < 2; k++) {
        path_in(path, folder, name[k]);
        unlink(path);
    }
    path_in(path, folder, PACKAGE);
    rmdir(path);
    rmdir(folder);
}

/* The child's environment is that of this program, which starts no other child. */
static bool set_environment(const char *folder)
{
    const char *before = getenv("PYTHONPATH");
    char path[PATH_MAX], *paths = NULL;
    path_in(path, folder, answer_file);
    bool good = asprintf(&paths, "%s%s%s", folder, before && *before ? ":" : "",
                         before ? before : "") >= 0 &&
                setenv("PYTHONPATH", paths, 1) == 0 &&
                setenv("PYTHONDONTWRITEBYTECODE", "1", 1) == 0 &&
                setenv("BIGROCKS_SNAKEMAKE_JOBS", path, 1) == 0;
    free(paths);
    return good;
}

/* Prints Snakemake's messages, for the person who has to fix the workflow. */
static void snakemake_ask_show(int fd)
{
    char buffer[4096];
    ssize_t got;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return;
    while ((got = read(fd, buffer, sizeof buffer)) > 0)
        fwrite(buffer, 1, (size_t)got, stderr);
}

static enum br_status snakemake_ask_run(const struct cli_snakemake_question *question, int said,
                                        struct br_diag *diag)
{
    const char **argument = calloc((size_t)question->arguments + 10, sizeof *argument);
    char cores[16];
    size_t words = 0;
    int status;
    if (!argument)
        return br_fail_memory(diag);
    snprintf(cores, sizeof cores, "%" PRIu32, question->cores);
    argument[words++] = snakemake_ask_program();
    argument[words++] = "--dry-run";
    argument[words++] = "--cores";
    argument[words++] = cores;
    if (!question->dirty)
        argument[words++] = "--forceall";
    if (question->file) {
        argument[words++] = "--snakefile";
        argument[words++] = question->file;
    }
    for (uint32_t k = 0; k < question->arguments; k++)
        argument[words++] = question->argument[k];
    const struct br_launch how = {.program = snakemake_ask_program(),
                                  .argv = (char *const *)argument,
                                  .directory = question->folder,
                                  .stream = {-1, said, said}};
    int error = cli_child_ask(&how, &status);
    free(argument);
    if (error)
        return br_fail(diag, BR_SYSTEM,
                       "install it (pip install snakemake), or name it by SNAKEMAKE",
                       "'%.200s' cannot be started: %s", snakemake_ask_program(), strerror(error));
    int code = cli_child_exit(status);
    if (!code)
        return BR_OK;
    snakemake_ask_show(said);
    return br_fail(diag, BR_BAD_INPUT,
                   "-C is the folder to run in, --file the Snakefile; options of Snakemake's go "
                   "behind --: -- --configfile FILE",
                   "Snakemake refuses the workflow (exit status %d)", code);
}

enum br_status cli_snakemake_ask(const struct cli_snakemake_question *question, int *fd,
                                 struct br_diag *diag)
{
    char folder[PATH_MAX - 64] = "", path[PATH_MAX];
    struct stat there;
    *fd = -1;
    if (stat(question->folder, &there) || !S_ISDIR(there.st_mode)) {
        br_diag_file(diag, question->folder);
        return br_fail(diag, BR_SYSTEM, "give the folder of the workflow: -C FOLDER",
                       "there is no such folder");
    }
    int said = br_unnamed_file();
    if (said < 0)
        return br_fail(diag, BR_SYSTEM, "set TMPDIR", "no file can be made: %s", strerror(errno));
    enum br_status status = write_folder(folder, sizeof folder, diag);
    if (!status && !set_environment(folder))
        status = br_fail_memory(diag);
    if (!status)
        status = snakemake_ask_run(question, said, diag);
    path_in(path, folder, answer_file);
    if (!status && (*fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        status = br_fail(diag, BR_SYSTEM,
                         "install Snakemake 9, by pip in an environment of its own, and name its "
                         "program by SNAKEMAKE=PATH",
                         "this Snakemake ('%.200s') is too old: it takes no schedulers as packages",
                         snakemake_ask_program());
    if (*folder)
        snakemake_ask_remove_folder(folder);
    if (cli_interrupted())
        cli_interrupt_die();
    close(said);
    return status;
}
