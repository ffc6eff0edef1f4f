/* Limits are looked up as the kernel applies them: a group is bounded by its own limit and by that
 * of every enclosing group, up to the one that is mounted. A container may see its group as the
 * root of the mount (by a namespace) or under its outside name (without one); if that name is not
 * below the mount, the mount itself is the group. */
#include "base/process/machine.h"

#include <assert.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/parallel.h"

enum { LINE = 2 * PATH_MAX + 512 };

/* A hierarchy of groups, from a line of mountinfo. */
struct hierarchy {
    char root[PATH_MAX], point[PATH_MAX]; /* of the mount: the group, and its mount point */
    bool unified, cpu, memory;            /* version 2; for version 1, its controllers */
};

/* ---- Numbers in files ---- */

static FILE *open_in(const char *folder, const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "re");
}

/* The number at the start of the file; `none` if there is none, as in "max". */
static int64_t number_in(const char *folder, const char *name, int64_t none)
{
    FILE *file = open_in(folder, name);
    long long number;
    if (!file)
        return none;
    bool found = fscanf(file, "%lld", &number) == 1;
    fclose(file);
    return found ? number : none;
}

static void lower_memory(struct br_machine *machine, int64_t bytes)
{
    if (bytes > 0 && (!machine->memory_bytes || bytes < machine->memory_bytes))
        machine->memory_bytes = bytes;
}

/* A part of a processor counts as a whole one: processors are shared by time, so one command too
 * many runs slower, while one too few leaves a processor idle. */
static void lower_processors(struct br_machine *machine, int64_t quota_us, int64_t period_us)
{
    if (quota_us <= 0 || period_us <= 0)
        return;
    int64_t whole = quota_us / period_us + (quota_us % period_us > 0);
    assert(whole > 0);
    if (whole < machine->processors)
        machine->processors = (uint32_t)whole;
}

/* ---- Groups ---- */

static void limit_by(struct br_machine *machine, const struct hierarchy *in, const char *folder)
{
    if (in->unified) {
        lower_memory(machine, number_in(folder, "memory.max", 0));
        lower_memory(machine, number_in(folder, "memory.high", 0)); /* above it all is slow */
        FILE *file = open_in(folder, "cpu.max");
        long long quota_us, period_us;
        if (file && fscanf(file, "%lld %lld", &quota_us, &period_us) == 2)
            lower_processors(machine, quota_us, period_us);
        if (file)
            fclose(file);
    }
    if (in->memory)
        lower_memory(machine, number_in(folder, "memory.limit_in_bytes", 0));
    if (in->cpu)
        lower_processors(machine, number_in(folder, "cpu.cfs_quota_us", 0),
                         number_in(folder, "cpu.cfs_period_us", 0));
}

/* The group with this name and all enclosing ones. */
static void limit_up(struct br_machine *machine, const struct hierarchy *in, const char *group)
{
    char folder[2 * PATH_MAX];
    const size_t root = strcmp(in->root, "/") == 0 ? 0 : strlen(in->root);
    const bool below = strncmp(group, in->root, root) == 0 &&
                       (group[root] == '/' || !group[root]) && !strstr(group, "/..");
    snprintf(folder, sizeof folder, "%s%s", in->point, below ? group + root : "");
    for (size_t point = strlen(in->point); strlen(folder) > point;) {
        limit_by(machine, in, folder);
        *strrchr(folder, '/') = '\0';
    }
    limit_by(machine, in, in->point);
}

/* Is the word in the comma-separated list? */
static bool machine_has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ','), at = at ? at + 1 : NULL)
        if (strncmp(at, word, length) == 0 && strchr(",\n", at[length]))
            return true;
    return false;
}

/* "ID:CONTROLLERS:GROUP", without controllers in version 2. Lowers the machine by the group if it
 * belongs to the hierarchy. */
static void limit_by_line(struct br_machine *machine, const struct hierarchy *in, char *line)
{
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(++controllers, ':') : NULL;
    if (!group)
        return;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (in->unified ? !*controllers
                    : (in->cpu && machine_has_word(controllers, "cpu")) ||
                          (in->memory && machine_has_word(controllers, "memory")))
        limit_up(machine, in, strcmp(group, "/") == 0 ? "" : group);
}

static void limit_in(struct br_machine *machine, const struct hierarchy *in, const char *groups)
{
    char line[LINE];
    FILE *file = fopen(groups, "re");
    while (file && fgets(line, sizeof line, file))
        limit_by_line(machine, in, line);
    if (file)
        fclose(file);
}

/* "31 23 0:28 ROOT POINT rw - cgroup cgroup rw,memory"; false for all else. */
static bool read_mount(const char *line, struct hierarchy *in)
{
    const char *type = strstr(line, " - cgroup");
    const char *options = type ? strrchr(type, ' ') + 1 : NULL;
    if (!type || sscanf(line, "%*s %*s %*s %4095s %4095s", in->root, in->point) != 2)
        return false;
    in->unified = strncmp(type, " - cgroup2 ", 11) == 0;
    in->cpu = !in->unified && machine_has_word(options, "cpu");
    in->memory = !in->unified && machine_has_word(options, "memory");
    return in->unified || in->cpu || in->memory;
}

void br_machine_limit(struct br_machine *machine, const char *groups, const char *mounts)
{
    char line[LINE];
    struct hierarchy in;
    FILE *file = fopen(mounts, "re");
    while (file && fgets(line, sizeof line, file))
        if (read_mount(line, &in))
            limit_in(machine, &in, groups);
    if (file)
        fclose(file);
}

void br_machine_ask(struct br_machine *machine)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    const long there = sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t bytes = pages > 0 && size > 0 ? (int64_t)pages * size : 0;
    *machine = (struct br_machine){.processors = br_processors(), .memory_bytes = bytes};
    br_machine_limit(machine, "/proc/self/cgroup", "/proc/self/mountinfo");
    assert(machine->processors > 0);
    if (there > (long)machine->processors)
        machine->all_processors = (uint32_t)there;
    if (bytes > machine->memory_bytes)
        machine->all_memory_bytes = bytes;
}

int64_t br_machine_idle_ns(void)
{
    char line[LINE];
    cpu_set_t set;
    const long ticks = sysconf(_SC_CLK_TCK);
    int64_t sum_ns = -1;
    FILE *file = fopen("/proc/stat", "re");
    if (file && ticks > 0 && sched_getaffinity(0, sizeof set, &set) == 0)
        while (fgets(line, sizeof line, file)) {
            unsigned number;
            long long idle, waiting;
            if (sscanf(line, "cpu%u %*s %*s %*s %lld %lld", &number, &idle, &waiting) == 3 &&
                number < CPU_SETSIZE && CPU_ISSET(number, &set))
                sum_ns = (sum_ns < 0 ? 0 : sum_ns) + (idle + waiting) * (1000000000 / ticks);
        }
    if (file)
        fclose(file);
    return sum_ns;
}
