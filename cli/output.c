/* Output files that are there whole or not at all: written beside their place under another name,
 * then renamed. Devices and pipes (/dev/full, /dev/stdout) are written straight. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common.h"

static enum br_status fail_file(struct br_diag *diag, const char *path, const char *hint,
                                const char *what)
{
    int error = errno;
    br_diag_file(diag, path);
    return br_fail(diag, BR_SYSTEM, hint, "%s: %s", what, strerror(error));
}

/* Opens the temporary file; its mode is what a plainly created file would have got, or what the
 * file that it replaces has. */
static enum br_status open_temporary(struct cli_output *output, const struct stat *old,
                                     struct br_diag *diag)
{
    size_t room = strlen(output->target) + sizeof ".XXXXXX";
    output->temporary = malloc(room);
    if (!output->temporary)
        return br_fail_memory(diag);
    snprintf(output->temporary, room, "%s.XXXXXX", output->target);
    int fd = mkostemp(output->temporary, O_CLOEXEC);
    if (fd < 0) {
        free(output->temporary);
        output->temporary = NULL;
        return fail_file(diag, output->target, "is there such a folder, and is it writable?",
                         "cannot be written");
    }
    cli_interrupt_remove(output->temporary);
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

static void finish(struct cli_output *output)
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
        errno = EISDIR, status = fail_file(diag, path, "give a file's name", "cannot be written");
    else if (exists && !S_ISREG(old.st_mode))
        output->file = fopen(output->target, "we");
    else
        status = open_temporary(output, exists ? &old : NULL, diag);
    if (!status && !output->file)
        status = fail_file(diag, path, NULL, "cannot be written");
    if (status) {
        if (output->temporary)
            unlink(output->temporary);
        finish(output);
    }
    return status;
}

enum br_status cli_output_close(struct cli_output *output, enum br_status status,
                                struct br_diag *diag)
{
    if (!output->target) { /* main looks after standard output */
        *output = (struct cli_output){0};
        return status;
    }
    bool failed = ferror(output->file);
    errno = 0;
    failed = fclose(output->file) || failed;
    if (!status && failed) {
        if (!errno)
            errno = EIO;
        status = fail_file(diag, output->target, "is the disk full?", "cannot be written");
    }
    if (!status && output->temporary && rename(output->temporary, output->target))
        status = fail_file(diag, output->target, NULL, "cannot be replaced");
    if (status && output->temporary)
        unlink(output->temporary);
    finish(output);
    return status;
}

const char *cli_format_of(const char *path, const char *(*name)(uint32_t k))
{
    const char *dot = strrchr(path, '.'), *known;
    if (!dot || strchr(dot, '/'))
        return NULL;
    for (uint32_t k = 0; (known = name(k)); k++)
        if (strcmp(known, dot + 1) == 0)
            return known;
    return NULL;
}

enum br_status cli_format(const struct cli_settings *settings, const char *(*known)(uint32_t k),
                          const char **format, struct br_diag *diag)
{
    *format = settings->format;
    if (!*format && settings->output)
        *format = cli_format_of(settings->output, known);
    if (*format)
        return BR_OK;
    char names[200] = "";
    const char *name;
    size_t used = 0;
    for (uint32_t k = 0; (name = known(k)) && used < sizeof names; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k ? ", " : "", name);
    char hint[256];
    snprintf(hint, sizeof hint, "add --format, one of %s", names);
    return br_fail(diag, BR_USAGE, hint, "no output format given");
}
