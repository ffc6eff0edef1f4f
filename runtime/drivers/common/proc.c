/* Reading /proc/PID/stat and /proc/PID/environ, see proc(5). */
#include "runtime/drivers/common/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/collections/grow.h"

static int proc_open_file(pid_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* The name stands in parentheses, and may itself hold some. */
static bool read_stat(pid_t pid, const char *text, struct br_proc *proc)
{
    const char *after = strrchr(text, ')');
    char state;
    long parent, group;
    uint64_t start;
    if (!after || sscanf(after + 1,
                         " %c %ld %ld %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                         "%*d %" SCNu64,
                         &state, &parent, &group, &start) != 4)
        return false;
    *proc = (struct br_proc){pid, (pid_t)parent, (pid_t)group,
                             state == 'Z' || state == 'X' || state == 'x', start};
    return true;
}

bool br_proc_read(pid_t pid, struct br_proc *proc)
{
    char text[1024];
    int file = proc_open_file(pid, "stat");
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = '\0';
    return read_stat(pid, text, proc);
}

static int proc_by_number(const void *a, const void *b)
{
    const struct br_proc *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

struct br_proc *br_proc_list(uint32_t *count)
{
    struct br_proc *list = NULL;
    uint32_t room = 0;
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    *count = 0;
    while (folder && (entry = readdir(folder))) {
        long pid = strtol(entry->d_name, NULL, 10);
        if (pid <= 0)
            continue;
        if (!br_grow(&list, *count, &room, sizeof *list))
            break;
        *count += br_proc_read((pid_t)pid, &list[*count]);
    }
    if (folder)
        closedir(folder);
    if (list)
        qsort(list, *count, sizeof *list, proc_by_number);
    return list;
}

/* A /proc file of the process, whose entries each end with a NUL. The caller's to free; NULL when
 * memory is out. */
static char *read_entries(pid_t pid, const char *name, size_t *size)
{
    uint32_t room = 1 << 16, used = 0; /* usually one read, which shows one program */
    char *text = malloc(room);
    ssize_t more = 0;
    int file = text ? proc_open_file(pid, name) : -1;
    while (file >= 0 && br_grow(&text, used, &room, 1) &&
           (more = read(file, text + used, room - used)) > 0)
        used += (uint32_t)more;
    if (file >= 0)
        close(file);
    *size = used;
    return text;
}

/* Is the process between its old and its new program? Then it has neither arguments nor an
 * environment yet. Kernel threads have none either, and no program. */
static bool is_in_exec(pid_t pid)
{
    char path[64], program[2];
    size_t size;
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
    free(read_entries(pid, "cmdline", &size));
    return size == 0 && readlink(path, program, sizeof program) > 0;
}

/* Does the environment, as far as it can be read now, hold all of the texts? Also gives its size.
 */
static bool proc_holds(pid_t pid, const char *const *text, size_t *size)
{
    char *all = read_entries(pid, "environ", size);
    bool every = *size > 0;
    for (; every && *text; text++) {
        size_t length = strlen(*text) + 1;
        bool found = false;
        for (char *at = all, *end = all + *size; at < end && !found;
             at += strnlen(at, (size_t)(end - at)) + 1)
            found = (size_t)(end - at) >= length && memcmp(at, *text, length) == 0;
        every = found;
    }
    free(all);
    return every;
}

bool br_proc_carries(pid_t pid, const char *const *text)
{
    enum { PAUSES = 1000, LOOKS = 16 };
    static const struct timespec pause = {.tv_nsec = 1000000};
    size_t size = 0, before;
    int pauses = 0, looks = 0;
    do {
        before = size;
        if (proc_holds(pid, text, &size))
            return true;
        if (size == 0 && is_in_exec(pid)) {
            nanosleep(&pause, NULL);
            pauses++;
        } else {
            looks++;
        }
    } while ((size == 0 || size != before) && pauses < PAUSES && looks < LOOKS);
    return false;
}

/* Does the line of a process's status list the number, in any namespace? */
static bool lists_number(const char *line, pid_t number)
{
    if (strncmp(line, "NSpid:", 6) != 0)
        return false;
    char *next;
    for (const char *at = line + 6;; at = next) {
        long inner = strtol(at, &next, 10);
        if (next == at || inner == number)
            return next != at;
    }
}

bool br_proc_is_known_as(pid_t pid, pid_t number)
{
    char path[64], line[256];
    bool known = pid == number;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *file = known ? NULL : fopen(path, "re");
    while (file && !known && fgets(line, sizeof line, file))
        known = lists_number(line, number);
    if (file)
        fclose(file);
    return known;
}

bool br_proc_signal(const struct br_proc *proc, const char *const *text, int number)
{
    struct br_proc now;
    int fd = (int)syscall(SYS_pidfd_open, proc->pid, 0);
    bool hit = fd >= 0 && br_proc_read(proc->pid, &now) && now.start == proc->start && !now.over &&
               (!text || br_proc_carries(proc->pid, text)) &&
               syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) == 0;
    if (fd >= 0)
        close(fd);
    return hit;
}
