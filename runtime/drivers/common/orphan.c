/* Processes left behind by a killed session. Tasks and all their descendants carry its name in
 * their environment; a list of pids could be out of date. */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/drivers/common/family.h"
#include "runtime/drivers/common/proc.h"

static uint32_t kill_all(const char *const *text)
{
    uint32_t count, killed = 0;
    struct br_proc *all = br_proc_list(&count);
    for (uint32_t k = 0; k < count; k++)
        killed += all[k].pid != getpid() && br_proc_signal(&all[k], text, SIGKILL);
    free(all);
    return killed;
}

uint32_t br_kill_marked(const char *mark)
{
    const char *const text[] = {mark, NULL};
    uint32_t count = kill_all(text);
    /* Waits until they are gone or cannot be killed (such as those that hang in the kernel). */
    for (int tries = 0; count && tries < 500 && kill_all(text); tries++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    return count;
}
