/* What make would do, as a job. */
#ifndef BR_PARSERS_MAKE_BUILD_H
#define BR_PARSERS_MAKE_BUILD_H

#include "parsers/reader/input.h"

/* How the output of make is read. */
struct br_make_options {
    /* The demands of a command: the capacities of the cluster's first class; NULL: none. */
    const struct br_cluster *demand;
    /* A recipe that calls make is one task that does so; else the commands of that make are tasks.
     */
    bool whole;
    bool own; /* the text is not the user's: the job names no file that it came from */
};
/* The result of the reading. */
struct br_make_report {
    uint32_t commands; /* tasks */
    uint32_t makes;    /* recipes that call make */
    uint32_t beside; /* of them, those that do more than that; what they do comes after the make */
    uint32_t whole;  /* of them, those that are one task */
};

/* Reads what `make -n -p -w --trace` has printed as a job: a task for each recipe that make would
 * run, its commands as make has expanded them, and what it waits for as make's database has it:
 * order-only prerequisites, implicit rules and recursive calls of make among it. Lines that begin
 * with BR_MAKE_VARIABLE are exported to the recipes of the make that follows, or kept from them if
 * they have no '='. Source, make's: GNU
 * make 4.3, remake.c, job.c, file.c. BR_NO where nothing is out of date; BR_BAD_INPUT where the
 * text is another, or holds what no task can do. On failure input->dag is NULL. O(text). */
enum br_status br_parse_make(const char *path, const struct br_make_options *options,
                             struct br_input *input, struct br_make_report *report,
                             struct br_diag *diag);

/* A line of the environment begins with this byte; \2 stands for a line's end in it. */
#define BR_MAKE_VARIABLE '\x01'
#define BR_MAKE_NEWLINE '\x02'
/* Lines of these bytes alone stand around what a make prints, which then need not say where it
 * enters and leaves its folder. */
#define BR_MAKE_BEGINS '\x03'
#define BR_MAKE_ENDS '\x04'

#endif
