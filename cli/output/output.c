/* Output files that appear whole or not at all: a file is written without a name, so that it is
 * gone whatever ends this program, and gets its name at the end. If the file system has no nameless
 * files, or they cannot get a name, the file is written under another name, then renamed. Devices
 * and pipes (/dev/full, /dev/stdout) are written directly. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output/output.h"
#include "base/process/launch.h"
#include "cli/output/draw.h"
#include "cli/terminal/interrupt.h"

enum { BUFFER = 1 << 16 }; /* bytes written at once */

static enum br_status output_fail_file(struct br_diag *diag, const char *path, const char *hint,
                                       const char *what)
{
    int error = errno;
    br_diag_file(diag, path);
    return br_fail(diag, BR_SYSTEM, hint, "%s: %s", what, strerror(error));
}

/* A file without a name in the target's folder; -1 if that is impossible. */
static int open_unnamed(const char *target)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(target, '/');
    size_t length = slash ? (size_t)(slash - target) : 0;
    if (length >= sizeof folder || access("/proc/self/fd", X_OK))
        return -1;
    memcpy(folder, target, length);
    folder[length] = '\0';
    return open(!slash ? "." : length ? folder : "/", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static int open_named(struct cli_output *output)
{
    size_t room = strlen(output->target) + sizeof ".XXXXXX";
    output->temporary = malloc(room);
    if (!output->temporary)
        return -1;
    snprintf(output->temporary, room, "%s.XXXXXX", output->target);
    int fd = mkostemp(output->temporary, O_CLOEXEC);
    if (fd >= 0) {
        cli_interrupt_remove(output->temporary);
        return fd;
    }
    int error = errno;
    free(output->temporary);
    output->temporary = NULL;
    errno = error;
    return -1;
}

/* Opens the temporary file; its mode is that of a newly created file, or that of the file that it
 * replaces. */
static enum br_status open_temporary(struct cli_output *output, const struct stat *old,
                                     struct br_diag *diag)
{
    int fd = open_unnamed(output->target);
    output->unnamed = fd >= 0;
    if (fd < 0)
        fd = open_named(output);
    if (fd < 0)
        return errno == ENOMEM ? br_fail_memory(diag)
                               : output_fail_file(diag, output->target,
                                                  "is there such a folder, and is it writable?",
                                                  "cannot be written");
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask);
    output->file = fdopen(fd, "w");
    if (!output->file) {
        close(fd);
        return br_fail_memory(diag);
    }
    return BR_OK;
}

/* Gives the complete file its name: directly if the name is free, else through a temporary name.
 * That is always the same, so if a program is killed right then, the next one removes its leftover.
 */
static int give_name(int fd, const char *target)
{
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, self, AT_FDCWD, target, AT_SYMLINK_FOLLOW) == 0)
        return 0;
    size_t room = strlen(target) + sizeof ".part";
    char *part = errno == EEXIST ? malloc(room) : NULL;
    if (!part)
        return -1;
    snprintf(part, room, "%s.part", target);
    int failed = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* a moment, in which only a SIGKILL leaves it */
    while ((failed = linkat(AT_FDCWD, self, AT_FDCWD, part, AT_SYMLINK_FOLLOW)) &&
           errno == EEXIST && (unlink(part) == 0 || errno == ENOENT))
        continue;
    /* Another program that writes this very file may have renamed ours. */
    if (!failed && rename(part, target) && errno != ENOENT)
        failed = -1;
    int error = errno;
    if (failed)
        unlink(part);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(part);
    errno = error;
    return failed;
}

static void output_finish(struct cli_output *output)
{
    cli_interrupt_remove(NULL);
    free(output->target);
    free(output->temporary);
    *output = (struct cli_output){0};
}

enum br_status cli_output_open(struct cli_output *output, const char *path, struct br_diag *diag)
{
    *output = (struct cli_output){.file = stdout};
    if (!path || strcmp(path, "-") == 0)
        return BR_OK;
    struct stat old;
    bool exists = stat(path, &old) == 0;
    enum br_status status = BR_OK;
    output->file = NULL;
    /* A link stays one: what it points to is replaced. */
    output->target = exists ? realpath(path, NULL) : strdup(path);
    if (!output->target)
        status = br_fail_memory(diag);
    else if (exists && S_ISDIR(old.st_mode))
        errno = EISDIR,
        status = output_fail_file(diag, path, "give a file's name", "cannot be written");
    else if (exists && !S_ISREG(old.st_mode))
        output->file = fopen(output->target, "we");
    else
        status = open_temporary(output, exists ? &old : NULL, diag);
    if (!status && !output->file)
        status = output_fail_file(diag, path, NULL, "cannot be written");
    if (!status)
        setvbuf(output->file, NULL, _IOFBF, BUFFER);
    if (status) {
        if (output->temporary)
            unlink(output->temporary);
        output_finish(output);
    }
    return status;
}

/* Does the name have the ending of another form, of pictures or of data? A text under it would
 * mislead. */
static bool is_of_another_form(const char *path)
{
    static const char *const ending[] = {"svg", "pdf", "png", "html", "dot", "xml", "json", "csv"};
    const char *dot = strrchr(path, '.');
    bool any = false;
    for (size_t k = 0; dot && k < sizeof ending / sizeof *ending; k++)
        any |= strcmp(dot + 1, ending[k]) == 0;
    return any;
}

enum br_status cli_output_open_format(struct cli_output *output,
                                      const struct cli_output_settings *settings,
                                      const char *format, struct br_diag *diag)
{
    bool by_default = !settings->format && (!format || strcmp(format, "text") == 0);
    if (by_default && settings->path && is_of_another_form(settings->path)) {
        br_diag_file(diag, NULL); /* of what was read */
        return br_fail(diag, BR_USAGE, "--format has those that there are",
                       "no output format has the ending of '%.80s'", settings->path);
    }
    bool suggested = format && strcmp(format, "svg") == 0 && !settings->format;
    const char *form = suggested ? cli_drawn_form(settings->path) : NULL;
    enum br_status status = form ? cli_draw_check(form, diag) : BR_OK;
    if (status)
        br_diag_file(diag, settings->path);
    else
        status = cli_output_open(output, settings->path, diag);
    if (status || !form)
        return status;
    int fd = br_unnamed_file();
    FILE *svg = fd < 0 ? NULL : fdopen(fd, "w+");
    if (!svg) {
        status = output_fail_file(diag, settings->path, NULL, "no temporary file");
        if (fd >= 0)
            close(fd);
        return cli_output_close(output, status, diag);
    }
    output->drawn = output->file;
    output->file = svg;
    output->form = form;
    return BR_OK;
}

/* Makes the picture of the written SVG, which is removed; the target is the output's file again. */
static enum br_status output_draw(struct cli_output *output, enum br_status status,
                                  struct br_diag *diag)
{
    FILE *svg = output->file;
    output->file = output->drawn;
    if (!status && (fflush(svg) || ferror(svg)))
        status = output_fail_file(diag, output->target, "is the disk of TMPDIR full?",
                                  "cannot be drawn");
    if (!status && (status = cli_draw(output->form, fileno(svg), fileno(output->file), diag)))
        br_diag_file(diag, output->target);
    fclose(svg);
    return status;
}

enum br_status cli_output_close(struct cli_output *output, enum br_status status,
                                struct br_diag *diag)
{
    if (output->drawn)
        status = output_draw(output, status, diag);
    if (!output->target) { /* main checks standard output */
        *output = (struct cli_output){0};
        return status;
    }
    bool failed = ferror(output->file);
    errno = 0;
    failed = fflush(output->file) || failed;
    /* Some file systems report only at the close that a file is not whole, so the close comes
     * before the name; another descriptor keeps a file without one. */
    int kept = output->unnamed ? fcntl(fileno(output->file), F_DUPFD_CLOEXEC, 3) : -1;
    failed = (output->unnamed && kept < 0) || failed;
    failed = fclose(output->file) || failed;
    if (!status && failed) {
        if (!errno)
            errno = EIO;
        status = output_fail_file(diag, output->target, "is the disk full?", "cannot be written");
    }
    if (!status && (output->unnamed     ? give_name(kept, output->target)
                    : output->temporary ? rename(output->temporary, output->target)
                                        : 0))
        status = output_fail_file(diag, output->target, NULL, "cannot be replaced");
    if (kept >= 0)
        close(kept);
    if (status && output->temporary)
        unlink(output->temporary);
    output_finish(output);
    return status;
}

const char *cli_format_of(const char *path, const struct br_names *rows)
{
    const char *dot = strrchr(path, '.');
    if (!dot || strchr(dot, '/'))
        return NULL;
    const char *ending = cli_drawn_form(path) ? "svg" : dot + 1;
    return br_named_name(rows, br_named_find(rows, ending));
}

enum br_status cli_format(const struct cli_output_settings *settings, const struct br_names *known,
                          const char **format, struct br_diag *diag)
{
    *format = settings->format;
    if (!*format && settings->path)
        *format = cli_format_of(settings->path, known);
    if (*format)
        return BR_OK;
    char names[48], hint[160];
    struct stat there;
    if (settings->path && stat(settings->path, &there) == 0 && S_ISDIR(there.st_mode)) {
        br_diag_file(diag, settings->path);
        return br_fail(diag, BR_USAGE, "give a file", "this is a folder");
    }
    br_named_list(known, names, sizeof names);
    bool cut = strstr(names, "...") != NULL;
    snprintf(hint, sizeof hint, "add --format, one of %s%s", names,
             cut ? "; the sub-command's --help has all" : "");
    if (settings->path && strcmp(settings->path, "-") != 0)
        return br_fail(diag, BR_USAGE, hint, "no output format has the ending of '%.80s'",
                       settings->path);
    return br_fail(diag, BR_USAGE, hint, "no output format given");
}
