/* Uses plain files: a group is a folder, a setting a line. See "Control Group v2" in the kernel's
 * documentation. Its main rule here: a group other than the root may hold processes or pass on
 * controllers, not both. */
#include "runtime/drivers/local/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char prefix[] = "bigrocks.";
static const char driver[] = "driver"; /* the group of this very process */
static const char control[] = "cgroup.subtree_control";

/* ---- Files ---- */

/* The beginning of a file; false if it cannot be read. */
static bool cgroup_read_text(int folder, const char *name, char *text, size_t size)
{
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, text, size - 1);
    text[got > 0 ? got : 0] = '\0';
    if (file >= 0)
        close(file);
    return got >= 0;
}

/* Returns 0 or the errno. */
static int cgroup_write_text(int folder, const char *name, const char *text)
{
    int file = openat(folder, name, O_WRONLY | O_CLOEXEC), error = 0;
    if (file < 0)
        return errno;
    if (write(file, text, strlen(text)) < 0)
        error = errno;
    close(file);
    return error;
}

static bool cgroup_has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (; (text = strstr(text, word)); text += length)
        if (!text[length] || strchr(" \n", text[length]))
            return true;
    return false;
}

/* The number after the key at the beginning of a line, or -1. */
static int64_t cgroup_number_of(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (; text && *text; text = strchr(text, '\n'), text += text != NULL)
        if (strncmp(text, key, length) == 0 && text[length] == ' ')
            return strtoll(text + length, NULL, 10);
    return -1;
}

/* ---- Where ---- */

/* The mount point of the whole cgroup2 file system; false if there is none. */
static bool find_mount(char path[PATH_MAX])
{
    FILE *file = fopen("/proc/self/mountinfo", "re");
    char line[PATH_MAX + 512], root[PATH_MAX];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, " - cgroup2 ") &&
                sscanf(line, "%*s %*s %*s %4095s %4095s", root, path) == 2 &&
                strcmp(root, "/") == 0;
    if (file)
        fclose(file);
    return found;
}

static bool find_own(char path[PATH_MAX])
{
    char text[PATH_MAX + 64], mount[PATH_MAX];
    if (!find_mount(mount) || !cgroup_read_text(AT_FDCWD, "/proc/self/cgroup", text, sizeof text))
        return false;
    char *own = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
    if (!own)
        return false;
    own += *own == '\n' ? 4 : 3;
    own[strcspn(own, "\n")] = '\0';
    return snprintf(path, PATH_MAX, "%s%s", mount, own) < PATH_MAX;
}

/* ---- Opening ---- */

static DIR *open_folder(int parent, const char *name)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = folder < 0 ? NULL : fdopendir(folder);
    if (!list && folder >= 0)
        close(folder);
    return list;
}

/* Removes the groups in the folder in which nothing runs any more. */
static void remove_groups(int folder)
{
    DIR *list = open_folder(folder, ".");
    struct dirent *group;
    while (list && (group = readdir(list)))
        if (group->d_name[0] != '.') /* and files, which do not go */
            unlinkat(folder, group->d_name, AT_REMOVEDIR);
    if (list)
        closedir(list);
}

/* Removes the folders of killed runs: nobody holds their lock. */
static void remove_dead(int parent)
{
    DIR *all = open_folder(parent, ".");
    struct dirent *entry;
    while (all && (entry = readdir(all))) {
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0)
            continue;
        int folder = openat(parent, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) == 0) {
            remove_groups(folder);
            unlinkat(parent, entry->d_name, AT_REMOVEDIR);
        }
        if (folder >= 0)
            close(folder);
    }
    if (all)
        closedir(all);
}

/* Runs beside each other in one group take turns: a folder must not be taken for a dead one before
 * it is locked, nor a controller be disabled between another run's check and its use. If there is
 * no lock (a file system may have none), this is left to chance. */
static void take_turn(const struct br_cgroups *groups, int lock)
{
    while (flock(groups->parent, lock) && errno == EINTR)
        continue;
}

static int cgroup_make_folder(struct br_cgroups *groups)
{
    if (mkdirat(groups->parent, groups->name, 0755))
        return errno;
    groups->folder = openat(groups->parent, groups->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return groups->folder < 0 || flock(groups->folder, LOCK_EX | LOCK_NB) ? errno : 0;
}

/* This process and its guard. Returns 0 or the errno. */
static int move_to(const struct br_cgroups *groups, int folder)
{
    char number[32];
    snprintf(number, sizeof number, "%ld", (long)groups->guard);
    int error = cgroup_write_text(folder, "cgroup.procs", "0");
    return error || !groups->guard ? error : cgroup_write_text(folder, "cgroup.procs", number);
}

/* Out of the way of the controllers. */
static int move_down(struct br_cgroups *groups)
{
    if (mkdirat(groups->folder, driver, 0755))
        return errno;
    groups->drive = openat(groups->folder, driver, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return groups->drive < 0 ? errno : move_to(groups, groups->drive);
}

/* The reverse, in reverse order. */
static void cgroup_give_back(struct br_cgroups *groups)
{
    cgroup_write_text(groups->folder, control, "-memory");
    if (groups->enabled) /* refused while a run beside this one needs it */
        cgroup_write_text(groups->parent, control, "-memory");
    groups->enabled = groups->memory = false;
    if (groups->drive < 0)
        return;
    move_to(groups, groups->parent);
    close(groups->drive);
    groups->drive = -1;
    unlinkat(groups->folder, driver, AT_REMOVEDIR);
}

static void enable_memory(struct br_cgroups *groups, bool own)
{
    char text[512];
    if (!cgroup_read_text(groups->parent, "cgroup.controllers", text, sizeof text) ||
        !cgroup_has_word(text, "memory")) {
        snprintf(groups->why, sizeof groups->why,
                 "the group has no memory controller (it is not delegated, or cgroup v1 has it)");
        return;
    }
    int error = 0;
    if (!cgroup_read_text(groups->parent, control, text, sizeof text) ||
        !cgroup_has_word(text, "memory")) {
        error = cgroup_write_text(groups->parent, control, "+memory");
        if (error == EBUSY && own) {
            error = move_down(groups);
            if (!error)
                error = cgroup_write_text(groups->parent, control, "+memory");
        }
        groups->enabled = !error;
    }
    if (!error)
        error = cgroup_write_text(groups->folder, control, "+memory");
    groups->memory = !error;
    if (error == EBUSY)
        snprintf(groups->why, sizeof groups->why,
                 "other processes are in the same group; 'systemd-run --user --scope -p "
                 "Delegate=yes' before the command gives it one of its own");
    else if (error)
        snprintf(groups->why, sizeof groups->why, "the memory controller cannot be enabled: %s",
                 strerror(error));
    if (error)
        cgroup_give_back(groups);
}

/* Can a process be started in one of our groups? Not with old kernels, nor in a delegated group
 * without the right to move processes into it. */
static int try_start(struct br_cgroups *groups)
{
    char word[] = "/bin/true", *words[] = {word, NULL}, *none[] = {NULL};
    struct br_process process;
    struct br_ending ending;
    uint32_t number;
    int group, error = br_cgroup_make(groups, 0, &group, &number);
    if (error)
        return error;
    error = br_process_start(&process, words, none, NULL, group, NULL);
    if (!error) {
        while (!br_process_ended(&process, &ending))
            nanosleep(&(struct timespec){0, 1000000}, NULL);
        br_process_close(&process);
    }
    br_cgroup_remove(groups, group, number);
    return error;
}

bool br_cgroups_open(struct br_cgroups *groups, const char *path, pid_t guard)
{
    char own[PATH_MAX], text[512];
    *groups = (struct br_cgroups){.parent = -1, .folder = -1, .drive = -1, .guard = guard};
    if (!path && !find_own(own)) {
        snprintf(groups->why, sizeof groups->why, "no cgroup v2 is mounted here");
        return false;
    }
    groups->parent = open(path ? path : own, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = groups->parent < 0 ? errno : 0;
    if (!error && !cgroup_read_text(groups->parent, "cgroup.controllers", text, sizeof text)) {
        snprintf(groups->why, sizeof groups->why, "%.150s is no group of cgroup v2",
                 path ? path : own);
        br_cgroups_close(groups);
        return false;
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(groups->name, sizeof groups->name, "%s%ld-%lx", prefix, (long)getpid(),
             (unsigned long)now.tv_nsec);
    if (!error) {
        take_turn(groups, LOCK_EX);
        remove_dead(groups->parent);
        error = cgroup_make_folder(groups);
        if (!error)
            enable_memory(groups, !path);
        take_turn(groups, LOCK_UN);
    }
    if (!error)
        error = try_start(groups);
    if (error) {
        snprintf(groups->why, sizeof groups->why, "no group can be made in %.150s: %s",
                 path ? path : own, strerror(error));
        br_cgroups_close(groups);
    }
    return !error;
}

void br_cgroups_close(struct br_cgroups *groups)
{
    if (groups->folder >= 0) {
        /* Groups that were still busy when their tasks ended may be empty by now. */
        remove_groups(groups->folder);
        take_turn(groups, LOCK_EX);
        cgroup_give_back(groups);
        take_turn(groups, LOCK_UN);
        close(groups->folder);
        unlinkat(groups->parent, groups->name, AT_REMOVEDIR);
    }
    if (groups->parent >= 0)
        close(groups->parent);
    groups->parent = groups->folder = -1;
}

/* ---- A task's group ---- */

int br_cgroup_make(struct br_cgroups *groups, int64_t limit_bytes, int *group, uint32_t *number)
{
    char name[32], limit[32];
    *number = ++groups->made;
    snprintf(name, sizeof name, "task.%" PRIu32, *number);
    *group = -1;
    if (mkdirat(groups->folder, name, 0755))
        return errno;
    *group = openat(groups->folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = *group < 0 ? errno : 0;
    if (!error && limit_bytes > 0) {
        snprintf(limit, sizeof limit, "%" PRId64, limit_bytes);
        error = cgroup_write_text(*group, "memory.max", limit);
        /* All of the task ends or none of it; swap is off, if the kernel has any. */
        if (!error)
            error = cgroup_write_text(*group, "memory.oom.group", "1");
        if (!error)
            cgroup_write_text(*group, "memory.swap.max", "0");
    }
    if (error) {
        br_cgroup_remove(groups, *group, *number);
        *group = -1;
    }
    return error;
}

void br_cgroup_kill(int group)
{
    char text[4096], *at = text;
    if (cgroup_write_text(group, "cgroup.kill", "1") != ENOENT)
        return;
    /* Before Linux 5.14: one by one, except a number that the end of the text may have cut. */
    if (cgroup_read_text(group, "cgroup.procs", text, sizeof text))
        for (long pid; (pid = strtol(at, &at, 10)) > 0 && *at == '\n';)
            kill((pid_t)pid, SIGKILL);
}

bool br_cgroup_read(int group, struct br_usage *usage)
{
    char text[1024];
    int64_t value;
    if (cgroup_read_text(group, "cpu.stat", text, sizeof text)) {
        if ((value = cgroup_number_of(text, "user_usec")) >= 0)
            usage->user_ns = value * 1000;
        if ((value = cgroup_number_of(text, "system_usec")) >= 0)
            usage->system_ns = value * 1000;
    }
    if (cgroup_read_text(group, "memory.peak", text, sizeof text) && *text)
        usage->peak_bytes = strtoll(text, NULL, 10);
    return cgroup_read_text(group, "memory.events", text, sizeof text) &&
           cgroup_number_of(text, "oom_kill") > 0;
}

void br_cgroup_remove(struct br_cgroups *groups, int group, uint32_t number)
{
    char name[32];
    if (group >= 0)
        close(group);
    snprintf(name, sizeof name, "task.%" PRIu32, number);
    unlinkat(groups->folder, name, AT_REMOVEDIR);
}
