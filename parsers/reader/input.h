/* The options of a reader of jobs, and its result. */
#ifndef BR_PARSERS_READER_INPUT_H
#define BR_PARSERS_READER_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* The contents of a job file: a finished job, and a cluster if the file has one (always in PSPLIB
 * and Patterson files and in plans, sometimes in native jobs; else NULL). Both are the caller's. */
struct br_input {
    struct br_dag *dag;
    struct br_cluster *cluster;
    bool timed; /* the reader itself has read options->durations */
};
void br_input_finish(struct br_input *input);

/* The treatment of files that DAX and SimGrid jobs pass on; see docs/formats.md. */
enum br_transfer_mode {
    BR_TRANSFER_DELAY,  /* a task without demands on the edge, as long as the transfer takes */
    BR_TRANSFER_DEMAND, /* a demand for the resource "net" on both ends */
    BR_TRANSFER_KEEP,   /* the edge carries the bytes, whatever the rate */
};

struct br_parse_options {
    const char *from;                /* format's name; NULL: recognise it */
    bool unnamed;                    /* no --from names it, so that no hint tells to */
    struct br_decimal transfer_rate; /* bytes a second; 0: files are ignored, unless kept */
    enum br_transfer_mode transfer_mode;
    struct br_decimal speed; /* of one core, for formats that give operations instead of seconds */
    int64_t default_duration_ns; /* of a task for which the file gives none */
    uint64_t measured_cores;     /* cores that queries were timed on; 0: enough for all processes */
    bool overlap;                /* pipelines of a PostgreSQL query may run side by side */
    bool any_order; /* pipelines of a PostgreSQL query that is run by one process run in any order,
                       one at a time */
    bool hold;      /* tables of explained queries are outputs */
    const char *files;     /* the resource on which files that jobs write are outputs; NULL: none */
    const char *processes; /* the graph of processes of a trace (nextflow); NULL: none */
    const char *durations; /* a table with better durations (reader/durations.h); NULL: none */
    bool many;             /* the table is for several jobs */
    bool reverse; /* for formats whose arrows tools draw either way (DOT): they point to the task
                     that runs first */
    bool skip_self_loops; /* leave out arrows from a node to itself (DOT) */
    const char *duration; /* the nodes' attribute that has the duration (DOT); NULL: "duration" */
    const char *demands;  /* "cpu=threads,mem=rss": attributes with demands (DOT); NULL: none */
    const char *graph;    /* name or number, for a file with several (DOT); NULL: the only one */
};
struct br_parse_options br_parse_options_default(void);

#endif
