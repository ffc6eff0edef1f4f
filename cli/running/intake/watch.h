/* Tells when it is worth it to look into a spool folder for new files.
 *
 * The kernel tells of files that appear in the folder "new" and the folders in it (inotify). Where
 * it cannot, and for what other machines put into a folder that they share, one looks every now and
 * then. */
#ifndef BR_CLI_RUNNING_INTAKE_WATCH_H
#define BR_CLI_RUNNING_INTAKE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct cli_intake_watch {
    int notify;        /* -1: the kernel does not tell */
    const char *path;  /* of the folder "new"; borrowed */
    bool news;         /* something may have come since the last look */
    int64_t looked_ns; /* when that was; monotonic */
};

void cli_intake_watch_open(struct cli_intake_watch *watch, const char *path);
/* Is it time to look? Quick. Then a look follows, and what comes from here on is news. */
bool cli_intake_watch_ask(struct cli_intake_watch *watch);
/* Not all that was seen has been taken: look again soon. */
void cli_intake_watch_again(struct cli_intake_watch *watch);
void cli_intake_watch_close(struct cli_intake_watch *watch);

#endif
