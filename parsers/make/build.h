/* The commands that make would run, as a job. */
#ifndef BR_PARSERS_MAKE_BUILD_H
#define BR_PARSERS_MAKE_BUILD_H

#include "parsers/reader/input.h"

/* How the output of make is read. */
struct br_make_options {
    /* The demands of a command: the capacities of the cluster's first class; NULL: none. */
    const struct br_cluster *demand;
    const struct br_cluster *machine; /* no recipe demands more cpu than it has; NULL: no limit */
    /* A recipe that calls make becomes one task that does so; else the commands of that make become
     * tasks.
     */
    bool whole;
    bool own; /* the text does not come from the user: the job names no source file */
};
/* The result of the reading. */
struct br_make_report {
    uint32_t commands; /* tasks */
    uint32_t makes;    /* recipes that call make */
    uint32_t beside;   /* those that do more than that; the rest comes after the make */
    uint32_t whole;    /* those that are one task */
    uint32_t wide;     /* recipes that declare several cores for themselves */
};

/* Reads what `make -n -p -w --trace` has printed as a job: a task for each recipe that make would
 * run, its commands as make has expanded them, and its dependencies from make's database, including
 * order-only prerequisites, implicit rules and recursive calls of make. Lines that begin with
 * BR_MAKE_VARIABLE are exported to the recipes of the make that follows, or kept from them if they
 * have no '='. Source, make's: GNU make 4.3, remake.c, job.c, file.c. BR_NO if nothing is out of
 * date; BR_BAD_INPUT if the text is something else, or holds what no task can do. On failure
 * input->dag is NULL. O(text). */
enum br_status br_parse_make(const char *path, const struct br_make_options *options,
                             struct br_input *input, struct br_make_report *report,
                             struct br_diag *diag);

/* A line of the environment begins with this byte; \2 stands for a line's end in it. */
#define BR_MAKE_VARIABLE '\x01'
#define BR_MAKE_NEWLINE '\x02'
/* Lines of only these bytes enclose the output of a make, which then need not say where it enters
 * and leaves its folder. */
#define BR_MAKE_BEGINS '\x03'
#define BR_MAKE_ENDS '\x04'

#endif
