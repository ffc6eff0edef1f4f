/* The socket on which a server hears clients that ask for admission, and its name in a folder. */
#ifndef BR_CLI_ADMISSION_LISTENER_H
#define BR_CLI_ADMISSION_LISTENER_H

#include <limits.h>

#include "base/process/own_file.h"
#include "cli/admission/admission.h"

struct cli_listener {
    int fd;                     /* -1: none */
    struct sockaddr_un address; /* by which it is found */
    char folder[PATH_MAX];      /* made for it; empty: it was not */
    struct br_own_file name;    /* of the socket */
};

/* Chooses the path: the given one or, if NULL, one in a folder that is created for this user alone.
 */
enum br_status cli_listener_choose(struct cli_listener *listener, const char *given,
                                   struct br_diag *diag);
/* Listens there. Replaces the socket of a server that died; BR_SYSTEM if a server listens there
 * already, or if the path is something else. If several try at once, one wins. */
enum br_status cli_listener_open(struct cli_listener *listener, struct br_diag *diag);
/* Removes the name, unless another server has taken it, and the folder that was made. */
void cli_listener_close(struct cli_listener *listener);

#endif
