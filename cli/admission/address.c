/* The addresses under which a server is found. */
#include <stdio.h>

#include "base/text/diag.h"
#include "cli/admission/admission.h"

enum br_status cli_admission_address(const char *path, struct sockaddr_un *address,
                                     struct br_diag *diag)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (snprintf(address->sun_path, sizeof address->sun_path, "%s", path) >=
        (int)sizeof address->sun_path)
        return br_fail(diag, BR_USAGE, "give a shorter one",
                       "the socket's path '%.60s...' is too long", path);
    return BR_OK;
}
