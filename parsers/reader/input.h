/* The options of a reader of jobs, and its result. */
#ifndef BR_PARSERS_READER_INPUT_H
#define BR_PARSERS_READER_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/model/cluster.h"
#include "planner/model/dag.h"

/* The contents of a job file: a finished job, and a cluster where the file carries one (PSPLIB and
 * Patterson files do, a native job may, a plan always does; else NULL). Both are the caller's. */
struct br_input {
    struct br_dag *dag;
    struct br_cluster *cluster;
};
void br_input_finish(struct br_input *input);

/* How files that DAX and SimGrid jobs hand on count; see docs/formats.md. */
enum br_transfer_mode {
    BR_TRANSFER_DELAY,  /* a task without demands on the edge, as long as the transfer takes */
    BR_TRANSFER_DEMAND, /* a demand for the resource "net" on both ends */
    BR_TRANSFER_KEEP,   /* bytes that the edge carries, whatever the rate */
};

struct br_parse_options {
    const char *from;                /* format's name; NULL: recognise it */
    struct br_decimal transfer_rate; /* bytes a second; 0: files are ignored, unless kept */
    enum br_transfer_mode transfer_mode;
    struct br_decimal speed; /* of one core, for formats that give operations instead of seconds */
    int64_t default_duration_ns; /* of a task of which the file says nothing */
    uint64_t measured_cores;     /* that queries were timed on; 0: enough for all processes */
    bool overlap;                /* pipelines of a PostgreSQL query may run side by side */
    const char *durations;       /* a table that says better (reader/durations.h); NULL: none */
    bool many;                   /* the table is for several jobs */
    bool reverse; /* of formats whose arrows tools draw either way (DOT): they lead to what runs
                     first */
    const char *graph; /* name or number, of a file with several (DOT); NULL: the only one */
};
struct br_parse_options br_parse_options_default(void);

#endif
