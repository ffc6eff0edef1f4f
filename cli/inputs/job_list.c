/* A list of files, or a folder. Both give names in a fixed order, which number the jobs, so
 * machines with the same list agree on the numbers. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/inputs/job_list.h"
#include "base/collections/grow.h"
#include "cli/inputs/whole.h"
#include "parsers/parsers.h"

enum { LIST_MOST = 1 << 28 };

/* Makes room for `size` more bytes of text. */
static bool grow_text(struct cli_job_list *list, size_t size)
{
    size_t room = list->room ? list->room : 4096;
    while (room - list->used < size)
        room *= 2;
    if (room == list->room)
        return true;
    char *larger = realloc(list->text, room);
    if (!larger)
        return false;
    list->text = larger;
    list->room = room;
    return true;
}

static enum br_status job_list_add(struct cli_job_list *list, const char *name,
                                   struct br_diag *diag)
{
    size_t size = strlen(name) + 1;
    if (list->count == UINT32_MAX / 4)
        return br_fail(diag, BR_BAD_INPUT, "plan it in several batches", "too many jobs");
    if (!grow_text(list, size) ||
        !br_grow(&list->name, list->count, &list->names_room, sizeof *list->name))
        return br_fail_memory(diag);
    list->name[list->count++] = list->used;
    memcpy(list->text + list->used, name, size);
    list->used += size;
    assert(list->used <= list->room);
    return BR_OK;
}

const char *cli_job_list_name(const struct cli_job_list *list, uint32_t index)
{
    assert(index < list->count);
    return list->text + list->name[index];
}

char *cli_job_list_path(const struct cli_job_list *list, uint32_t index)
{
    char *path;
    const char *name = cli_job_list_name(list, index);
    /* A file of the name "-" is not standard input. */
    const char *folder = *name == '/'                               ? ""
                         : !*list->folder && strcmp(name, "-") == 0 ? "./"
                                                                    : list->folder;
    return asprintf(&path, "%s%s", folder, name) < 0 ? NULL : path;
}

void cli_job_list_finish(struct cli_job_list *list)
{
    free(list->folder);
    free(list->text);
    free(list->name);
    *list = (struct cli_job_list){0};
}

static enum br_status fail_read(const char *path, struct br_diag *diag)
{
    int error = errno;
    br_diag_file(diag, path);
    return br_fail(diag, BR_SYSTEM, NULL, "cannot be read: %s", strerror(error));
}

/* ---- A file with a name a line ---- */

static enum br_status job_list_read_lines(struct cli_job_list *list, const char *path,
                                          struct br_diag *diag)
{
    char *text, *rest;
    size_t size;
    bool has_nul;
    uint32_t number = 0;
    enum br_status status = cli_whole_read(path, LIST_MOST, &text, &size, &has_nul, diag);
    for (char *name = rest = status ? NULL : text; !status && (name = strsep(&rest, "\n"));) {
        number++;
        if (!rest && has_nul) {
            status = br_fail_at(diag, ((struct br_pos){number, 0}), BR_BAD_INPUT,
                                "give a text file with a path a line",
                                "there is a NUL byte in the list");
            break;
        }
        name += strspn(name, " \t\r");
        for (size = strlen(name); size && strchr(" \t\r", name[size - 1]);)
            name[--size] = '\0';
        if (*name && *name != '#')
            status = job_list_add(list, name, diag);
    }
    if (!status)
        br_diag_file(diag, NULL);
    free(text);
    return status;
}

static enum br_status read_list(struct cli_job_list *list, const char *path, struct br_diag *diag)
{
    struct stat about;
    if (strcmp(path, "-") == 0) {
        list->folder = strdup("");
        return list->folder ? job_list_read_lines(list, path, diag) : br_fail_memory(diag);
    }
    /* A pipe can be read only once, and its folder, if any, is not a folder of jobs. */
    bool regular = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    /* A Patterson file holds only numbers, which may just as well be names of files. */
    const char *format = regular ? br_parse_recognise(path) : NULL;
    if (format && strcmp(format, "patterson") != 0) {
        char hint[300];
        snprintf(hint, sizeof hint, "'bigrocks plan %.200s' plans it; a batch is of a list of jobs",
                 path);
        br_diag_file(diag, path);
        return br_fail(diag, BR_USAGE, hint, "this is a job, not a list of jobs");
    }
    const char *slash = regular ? strrchr(path, '/') : NULL;
    list->folder = strndup(path, slash ? (size_t)(slash + 1 - path) : 0);
    if (!list->folder)
        return br_fail_memory(diag);
    return job_list_read_lines(list, path, diag);
}

/* ---- A folder ---- */

static int job_list_by_name(const void *a, const void *b, void *text)
{
    return strcmp((const char *)text + *(const size_t *)a, (const char *)text + *(const size_t *)b);
}

/* Drops the names of files that are no jobs. An unreadable file may be one, and will be reported.
 */
static enum br_status keep_jobs(struct cli_job_list *list, bool any_format, struct br_diag *diag)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        struct stat about;
        char *path = cli_job_list_path(list, k);
        if (!path)
            return br_fail_memory(diag);
        bool there = stat(path, &about) == 0;
        bool job = there && S_ISREG(about.st_mode) &&
                   (any_format || access(path, R_OK) != 0 || br_parse_recognise(path));
        if (there && S_ISDIR(about.st_mode)) /* it may be a log in parts */
            job = br_parse_recognise(path) != NULL;
        free(path);
        if (job)
            list->name[kept++] = list->name[k];
    }
    list->count = kept;
    return BR_OK;
}

static enum br_status read_folder(struct cli_job_list *list, const char *path, bool any_format,
                                  struct br_diag *diag)
{
    struct dirent *entry;
    enum br_status status = BR_OK;
    DIR *folder = opendir(path);
    if (!folder)
        return fail_read(path, diag);
    size_t length = strlen(path);
    assert(length > 0);
    if (asprintf(&list->folder, "%s%s", path, path[length - 1] == '/' ? "" : "/") < 0) {
        list->folder = NULL;
        status = br_fail_memory(diag);
    }
    while (!status && (errno = 0, entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            status = job_list_add(list, entry->d_name, diag);
    if (!status && errno)
        status = fail_read(path, diag);
    closedir(folder);
    if (status)
        return status;
    if (list->count)
        qsort_r(list->name, list->count, sizeof *list->name, job_list_by_name, list->text);
    return keep_jobs(list, any_format, diag);
}

enum br_status cli_job_list_read(struct cli_job_list *list, const char *path, bool any_format,
                                 struct br_diag *diag)
{
    struct stat about;
    *list = (struct cli_job_list){0};
    bool folder = strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    enum br_status status =
        folder ? read_folder(list, path, any_format, diag) : read_list(list, path, diag);
    if (status || list->count)
        return status;
    br_diag_file(diag, strcmp(path, "-") == 0 ? "<stdin>" : path);
    return folder ? br_fail(diag, BR_BAD_INPUT,
                            "folders in it are not searched; give a list, made by find, say",
                            "the folder has no file that is recognised as a job")
                  : br_fail(diag, BR_BAD_INPUT, "write a path a line", "the list names no jobs");
}
