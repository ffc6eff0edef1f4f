/* What a run that was killed has left behind. Tasks carry the run's name in their environment, as
 * all their descendants do; a list of process numbers could be out of date. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/local/journal.h"

/* Does the environment of the process hold the text? */
static bool carries(const char *pid, const char *text)
{
    char path[64], block[4096];
    size_t want = strlen(text), matched = 0;
    bool at_start = true, found = false;
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t size;
    while (!found && (size = read(file, block, sizeof block)) > 0)
        for (ssize_t k = 0; k < size && !found; k++) {
            /* A variable begins after a NUL, and has to match as a whole. */
            if (block[k] == '\0') {
                found = at_start && matched == want;
                at_start = true;
                matched = 0;
            } else if (at_start && matched < want && block[k] == text[matched]) {
                matched++;
            } else {
                at_start = false;
            }
        }
    close(file);
    return found;
}

static uint32_t kill_all(const char *text)
{
    uint32_t count = 0;
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        long pid = strtol(entry->d_name, NULL, 10);
        if (pid > 0 && pid != getpid() && carries(entry->d_name, text) &&
            kill((pid_t)pid, SIGKILL) == 0)
            count++;
    }
    if (folder)
        closedir(folder);
    return count;
}

uint32_t br_journal_kill_orphans(const struct br_journal *journal)
{
    char text[64];
    snprintf(text, sizeof text, "BIGROCKS_RUN=%s", journal->run);
    uint32_t count = kill_all(text);
    /* Until they are gone, or can be killed no more (such as those that hang in the kernel). */
    for (int tries = 0; count && tries < 500 && kill_all(text); tries++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    return count;
}
