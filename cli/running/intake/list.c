/* Lists the files in a place of a spool folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/collections/grow.h"
#include "cli/running/intake/files.h"

struct list {
    struct cli_intake_file *file;
    uint32_t count, room;
};

static enum br_status intake_list_add(struct list *list, const char *group, const char *name,
                                      int64_t time_ns, struct br_diag *diag)
{
    if (!br_grow(&list->file, list->count, &list->room, sizeof *list->file))
        return br_fail_memory(diag);
    struct cli_intake_file file = {.name = strdup(name), .time_ns = time_ns};
    if (group)
        file.group = strdup(group);
    if (!file.name || (group && !file.group)) {
        cli_intake_file_finish(&file);
        return br_fail_memory(diag);
    }
    list->file[list->count++] = file;
    return BR_OK;
}

/* Names that stand beside job files in all places but new. */
static bool is_beside(int folder, const char *name)
{
    static const char *const suffixes[] = {".out", ".error", ".json"};
    for (int k = 0; k < 3; k++) {
        size_t length = strlen(name), end = strlen(suffixes[k]);
        char owner[256];
        if (length <= end || length >= sizeof owner ||
            strcmp(name + length - end, suffixes[k]) != 0)
            continue;
        memcpy(owner, name, length - end);
        owner[length - end] = '\0';
        if (faccessat(folder, owner, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
            return true;
    }
    return false;
}

/* The files of one folder; if it is not a group itself, also those of its folders, which are
 * groups. */
static enum br_status list_folder(struct list *list, const char *path, const char *group,
                                  bool beside, struct br_diag *diag)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    enum br_status status = BR_OK;
    if (!folder && group) /* it has gone, or cannot be read; no reason to stop */
        return BR_OK;
    if (!folder) {
        int error = errno;
        br_diag_file(diag, path);
        return br_fail(diag, BR_SYSTEM, NULL, "the folder cannot be read: %s", strerror(error));
    }
    while (!status && (entry = readdir(folder))) {
        struct stat state;
        const char *name = entry->d_name;
        if (!cli_intake_is_name(name) || fstatat(dirfd(folder), name, &state, 0))
            continue;
        if (S_ISREG(state.st_mode) && !(beside && is_beside(dirfd(folder), name))) {
            status = intake_list_add(
                list, group, name,
                (int64_t)state.st_mtim.tv_sec * 1000000000 + state.st_mtim.tv_nsec, diag);
        } else if (S_ISDIR(state.st_mode) && !group) {
            char below[CLI_INTAKE_PATH];
            if (snprintf(below, sizeof below, "%s/%s", path, name) < (int)sizeof below)
                status = list_folder(list, below, name, beside, diag);
        }
    }
    closedir(folder);
    return status;
}

static int compare_groups(const struct cli_intake_file *x, const struct cli_intake_file *y)
{
    return strcmp(x->group ? x->group : "", y->group ? y->group : "");
}

static int compare_times(const struct cli_intake_file *x, const struct cli_intake_file *y)
{
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_group(const void *a, const void *b)
{
    int order = compare_groups(a, b);
    return order ? order : compare_times(a, b);
}

/* Files with their positions within their groups. */
struct turn {
    struct cli_intake_file file;
    uint32_t place;
};

static int intake_list_by_turn(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    int order = compare_times(&x->file, &y->file);
    return order ? order : compare_groups(&x->file, &y->file);
}

static enum br_status intake_list_take_turns(struct list *list, struct br_diag *diag)
{
    struct turn *turn = malloc(((size_t)list->count + 1) * sizeof *turn);
    if (!turn)
        return br_fail_memory(diag);
    qsort(list->file, list->count, sizeof *list->file, by_group);
    for (uint32_t k = 0; k < list->count; k++) {
        bool first = !k || compare_groups(&list->file[k - 1], &list->file[k]) != 0;
        turn[k] = (struct turn){list->file[k], first ? 0 : turn[k - 1].place + 1};
    }
    qsort(turn, list->count, sizeof *turn, intake_list_by_turn);
    for (uint32_t k = 0; k < list->count; k++)
        list->file[k] = turn[k].file;
    free(turn);
    return BR_OK;
}

enum br_status cli_intake_list(const char *root, enum cli_place place,
                               struct cli_intake_file **files, uint32_t *count,
                               struct br_diag *diag)
{
    struct list list = {0};
    char path[CLI_INTAKE_PATH], none[] = "";
    cli_intake_path(root, place, &(struct cli_intake_file){.name = none}, "", path);
    enum br_status status = list_folder(&list, path, NULL, place != CLI_PLACE_NEW, diag);
    if (!status && list.count)
        status = intake_list_take_turns(&list, diag);
    for (uint32_t k = 0; status && k < list.count; k++)
        cli_intake_file_finish(&list.file[k]);
    if (status)
        free(list.file);
    *files = status ? NULL : list.file;
    *count = status ? 0 : list.count;
    return status;
}
