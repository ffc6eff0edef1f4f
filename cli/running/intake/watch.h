/* Tells when to look into a spool folder for new files.
 *
 * The kernel reports files that appear in the folder "new" and the folders in it (inotify). If it
 * cannot, and for files that other machines put into a shared folder, the caller looks at
 * intervals. */
#ifndef BR_CLI_RUNNING_INTAKE_WATCH_H
#define BR_CLI_RUNNING_INTAKE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct cli_intake_watch {
    int notify;        /* -1: the kernel sends no events */
    const char *path;  /* of the folder "new"; borrowed */
    bool news;         /* files may have come since the last look */
    int64_t looked_ns; /* time of the last look; monotonic */
};

void cli_intake_watch_open(struct cli_intake_watch *watch, const char *path);
/* Is it time to look? Quick. A look must follow; files that come from here on are news. */
bool cli_intake_watch_ask(struct cli_intake_watch *watch);
/* Not all files seen were taken: look again soon. */
void cli_intake_watch_again(struct cli_intake_watch *watch);
void cli_intake_watch_close(struct cli_intake_watch *watch);

#endif
