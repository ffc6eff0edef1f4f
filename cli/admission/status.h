/* The status of a server, for clients that ask for it: admitted commands, and what the others wait
 * for. */
#ifndef BR_CLI_ADMISSION_STATUS_H
#define BR_CLI_ADMISSION_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/admission/gate.h"

/* A client of the gate that has asked. */
struct cli_admission_row {
    const char *key; /* borrowed */
    uint32_t client;
    bool admitted;
    uint32_t rank;    /* in the plan; UINT32_MAX: it has none */
    int64_t since_ns; /* running, or waiting */
};

/* The state of a server; all is borrowed. */
struct cli_admission_state {
    const struct cli_gate *gate;
    const struct br_cluster *cluster;
    const struct br_dag *dag; /* of the plan, which has units; may be NULL */
    bool hungry;              /* the next one lacks a token of a jobserver */
    struct cli_admission_row *row;
    uint32_t rows;
    int64_t now_ns;
};
/* The status as text, which is the caller's; NULL when memory is out. Sorts the rows. */
char *cli_admission_tell(const struct cli_admission_state *state);

/* Asks the server behind the socket or, if that is NULL, all of this user's servers that can be
 * found, and prints their answers. BR_SYSTEM if there is none. */
enum br_status cli_admission_status(const char *socket, struct br_diag *diag);

#endif
