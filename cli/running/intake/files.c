/* Names are made unique by looking for files, since only one server moves them. */
#include "cli/running/intake/files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const places[CLI_PLACES] = {"new", "running", "done", "failed"};
static const char *const suffixes[] = {".out", ".error", ".json"};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

void cli_intake_file_finish(struct cli_intake_file *file)
{
    free(file->group);
    free(file->name);
    *file = (struct cli_intake_file){0};
}

static enum br_status fail_folder(const char *path, struct br_diag *diag)
{
    int error = errno;
    br_diag_file(diag, path);
    return br_fail(diag, BR_SYSTEM, NULL, "the folder cannot be made: %s", strerror(error));
}

enum br_status cli_intake_make(const char *root, struct br_diag *diag)
{
    char path[CLI_INTAKE_PATH];
    if (strlen(root) + 2 * CLI_INTAKE_NAME + 64 > sizeof path)
        return br_fail(diag, BR_USAGE, "take a shorter path", "the path of the spool is too long");
    if (mkdir(root, 0777) && errno != EEXIST)
        return fail_folder(root, diag);
    for (int k = 0; k <= CLI_PLACES; k++) {
        snprintf(path, sizeof path, "%s/%s", root, k < CLI_PLACES ? places[k] : "tmp");
        if (mkdir(path, 0777) && errno != EEXIST)
            return fail_folder(path, diag);
    }
    return BR_OK;
}

bool cli_intake_path(const char *root, enum cli_place place, const struct cli_intake_file *file,
                     const char *suffix, char path[CLI_INTAKE_PATH])
{
    return snprintf(path, CLI_INTAKE_PATH, "%s/%s/%s%s%s%s", root, places[place],
                    file->group ? file->group : "", file->group ? "/" : "", file->name,
                    suffix) < CLI_INTAKE_PATH;
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && strcmp(name + length - end, suffix) == 0;
}

bool cli_intake_is_name(const char *name)
{
    return name[0] != '.' && !ends_in(name, ".part") && !ends_in(name, ".tmp");
}

/* Is there such a file in running, done or failed? */
static bool is_somewhere(const char *root, const struct cli_intake_file *file, const char *suffix)
{
    char path[CLI_INTAKE_PATH];
    for (enum cli_place place = CLI_PLACE_RUNNING; place < CLI_PLACES; place++)
        if (!cli_intake_path(root, place, file, suffix, path) ||
            faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
            return true;
    return false;
}

/* The name is free if neither it nor a file beside it exists, and it is not itself a file beside
 * another job's. */
static bool is_free(const char *root, const struct cli_intake_file *file)
{
    bool taken = is_somewhere(root, file, "");
    for (int k = 0; k < SUFFIXES && !taken; k++) {
        struct cli_intake_file owner = *file;
        taken = is_somewhere(root, file, suffixes[k]);
        if (taken || !ends_in(file->name, suffixes[k]))
            continue;
        owner.name = strndup(file->name, strlen(file->name) - strlen(suffixes[k]));
        taken = !owner.name || is_somewhere(root, &owner, "");
        free(owner.name);
    }
    return !taken;
}

/* A free name, made from the file's; NULL when memory is out. Searches in growing steps, and then
 * back, so that the thousandth job of one name costs little. */
static char *free_name(const char *root, const struct cli_intake_file *file)
{
    char name[CLI_INTAKE_NAME + 32];
    struct cli_intake_file tried = {.group = file->group, .name = name};
    uint64_t low = 1, high = 2; /* low is taken */
    snprintf(name, sizeof name, "%.*s", (int)CLI_INTAKE_NAME, file->name);
    if (is_free(root, &tried))
        return strdup(name);
    size_t end = strlen(name);
    for (;; low = high, high *= 2) {
        snprintf(name + end, sizeof name - end, "~%llu", (unsigned long long)high);
        if (is_free(root, &tried))
            break;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        snprintf(name + end, sizeof name - end, "~%llu", (unsigned long long)middle);
        *(is_free(root, &tried) ? &high : &low) = middle;
    }
    snprintf(name + end, sizeof name - end, "~%llu", (unsigned long long)high);
    return strdup(name);
}

/* Makes the folder of the group in the place if it is missing. */
static int make_group(const char *root, enum cli_place place, const struct cli_intake_file *file)
{
    char path[CLI_INTAKE_PATH];
    if (!file->group)
        return 0;
    if (snprintf(path, sizeof path, "%s/%s/%s", root, places[place], file->group) >=
        (int)sizeof path)
        return ENAMETOOLONG;
    return mkdir(path, 0777) && errno != EEXIST ? errno : 0;
}

int cli_intake_take(const char *root, struct cli_intake_file *file)
{
    char from[CLI_INTAKE_PATH], to[CLI_INTAKE_PATH];
    int error = make_group(root, CLI_PLACE_RUNNING, file);
    if (error)
        return error;
    struct cli_intake_file taken = {.group = file->group, .name = free_name(root, file)};
    if (!taken.name)
        return ENOMEM;
    if (!cli_intake_path(root, CLI_PLACE_NEW, file, "", from) ||
        !cli_intake_path(root, CLI_PLACE_RUNNING, &taken, "", to))
        error = ENAMETOOLONG;
    else if (rename(from, to))
        error = errno;
    if (error) {
        free(taken.name);
        return error;
    }
    free(file->name);
    file->name = taken.name;
    return 0;
}

int cli_intake_leave(const char *root, enum cli_place to, const struct cli_intake_file *file)
{
    char from[CLI_INTAKE_PATH], path[CLI_INTAKE_PATH];
    int error = make_group(root, to, file);
    for (int k = 0; k <= SUFFIXES && !error; k++) {
        const char *suffix = k < SUFFIXES ? suffixes[k] : "";
        if (!cli_intake_path(root, CLI_PLACE_RUNNING, file, suffix, from) ||
            !cli_intake_path(root, to, file, suffix, path))
            error = ENAMETOOLONG;
        else if (rename(from, path) && (errno != ENOENT || k == SUFFIXES))
            error = errno;
    }
    return error;
}

bool cli_intake_is_open(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    /* A writer that opens the file now breaks the lease, which sends a signal: one that is ignored
     * unless a program asks for it. */
    fcntl(file, F_SETSIG, SIGURG);
    bool busy = fcntl(file, F_SETLEASE, F_RDLCK) && errno == EAGAIN;
    close(file); /* with the lease */
    return busy;
}
