/* Descent is read from /proc: finds the processes with this one as an ancestor. */
#include "runtime/drivers/common/family.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/drivers/common/proc.h"

void br_mark_make(char mark[BR_MARK])
{
    uint64_t number[2];
    if (getrandom(number, sizeof number, GRND_NONBLOCK) != sizeof number) {
        /* Shortly after the boot: no other process has both of these. */
        struct timespec now;
        clock_gettime(CLOCK_BOOTTIME, &now);
        number[0] = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
        number[1] = (uint64_t)getpid();
    }
    snprintf(mark, BR_MARK, "BIGROCKS_SESSION=%016" PRIx64 "%016" PRIx64, number[0], number[1]);
}

void br_family_begin(struct br_family *family, const char *mark)
{
    siginfo_t info;
    int before = 0;
    prctl(PR_GET_CHILD_SUBREAPER, &before, 0L, 0L, 0L);
    *family = (struct br_family){
        .mark = mark,
        .strangers = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0,
        .before = before != 0,
    };
    prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
}

void br_family_end(const struct br_family *family)
{
    if (!family->before)
        prctl(PR_SET_CHILD_SUBREAPER, 0L, 0L, 0L, 0L);
}

bool br_family_reap(const struct br_own *own)
{
    for (;;) {
        siginfo_t info = {.si_pid = 0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT))
            return errno == EINTR;
        /* An own child in front hides those behind it until it has been collected. */
        if (!info.si_pid || own->has(own->context, info.si_pid))
            return true;
        waitpid(info.si_pid, NULL, WNOHANG);
    }
}

/* The children of one of this process's threads; true also if the kernel does not list them. */
static bool thread_has_other(const char *thread, const struct br_own *own)
{
    char path[64];
    long pid;
    bool other = false;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/children", thread);
    FILE *file = fopen(path, "re");
    while (file && !other && fscanf(file, "%ld", &pid) == 1)
        other = !own->has(own->context, (pid_t)pid);
    if (file)
        fclose(file);
    return !file || other;
}

bool br_family_has_other(const struct br_own *own)
{
    DIR *threads = opendir("/proc/self/task");
    struct dirent *entry;
    bool other = !threads;
    while (threads && !other && (entry = readdir(threads)))
        if (entry->d_name[0] != '.')
            other = thread_has_other(entry->d_name, own);
    if (threads)
        closedir(threads);
    return other;
}

static const struct br_proc *family_find(const struct br_proc *all, uint32_t count, pid_t pid)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (all[mid].pid < pid)
            low = mid + 1;
        else
            high = mid;
    }
    return low < count && all[low].pid == pid ? &all[low] : NULL;
}

/* The list was not read at one moment, so a chain of parents need not end. */
static bool descends(const struct br_proc *all, uint32_t count, const struct br_proc *proc)
{
    for (uint32_t steps = 0; proc && steps < count; steps++) {
        if (proc->parent == getpid())
            return true;
        proc = family_find(all, count, proc->parent);
    }
    return false;
}

uint32_t br_family_signal(const struct br_family *family, const struct br_own *own, const char *job,
                          const char *task, int number)
{
    const char *texts[4] = {family->mark, job, task, NULL};
    const char *const *text = job || family->strangers ? texts : NULL;
    uint32_t count, hit = 0;
    struct br_proc *all = br_proc_list(&count);
    for (uint32_t k = 0; k < count; k++)
        if (!all[k].over && descends(all, count, &all[k]) &&
            !own->has(own->context, all[k].group) && !own->has(own->context, all[k].pid))
            hit += br_proc_signal(&all[k], text, number);
    free(all);
    return hit;
}
