/* Reading jobs, clusters and plans from files. One file and one row of the table in parsers.c per
 * format; the format is recognised from the content. Nothing here reaches the network, and no
 * reader opens a file but the one that it was given. */
#ifndef BR_PARSERS_PARSERS_H
#define BR_PARSERS_PARSERS_H

#include <stdbool.h>
#include <stddef.h>

#include "parsers/input.h"
#include "planner/model/plan.h"

/* Names of the job formats, for k = 0, 1, ..., and a line on each; NULL past the end. */
const char *br_parser_name(uint32_t k);
const char *br_parser_summary(uint32_t k);

/* Reads a job from the file, or from standard input where path is "-". On failure *input is
 * zeroed and the diagnostic has file, line and column. options may be NULL. */
enum br_status br_parse_job(const char *path, const struct br_parse_options *options,
                            struct br_input *input, struct br_diag *diag);
/* The name of the format that a file's first bytes are recognised by; NULL where no format is, or
 * the file cannot be read. Says nothing of whether the rest of the file is well. */
const char *br_parse_recognise(const char *path);
/* The same for the native XML form alone, in the library that knows no other form. */
enum br_status br_parse_job_xml(const char *path, struct br_input *input, struct br_diag *diag);

/* Reads a cluster in the native XML form. */
enum br_status br_parse_cluster(const char *path, struct br_cluster **cluster,
                                struct br_diag *diag);

/* "cpu=16,mem=64GiB" on `machines` machines of class "m". Faults name the column in the text. */
enum br_status br_parse_capacity(uint32_t machines, const char *capacity,
                                 struct br_cluster **cluster, struct br_diag *diag);

/* Reads a plan in the JSON form that emit writes: the job, the cluster and the plan of it. All
 * three are the caller's; the plan must go first. The plan is read, not believed: see
 * br_plan_verify. */
enum br_status br_parse_plan(const char *path, struct br_input *input, struct br_plan **plan,
                             struct br_diag *diag);

/* Which part of a build is read, and how. */
struct br_ninja_options {
    const char *folder;        /* the build's, where ninja would be started */
    const char *file;          /* the build's file as seen from there; NULL: build.ninja */
    const char *const *target; /* what shall be built; none: what ninja builds by default */
    uint32_t targets;
    /* The demands of a command: the capacities of the cluster's first class. Also the pools of the
     * build become resources of its machines; NULL: no demands but for pools. */
    const struct br_cluster *demand;
};
/* The result of the reading. */
struct br_ninja_report {
    uint32_t commands, phony;         /* needed for the targets */
    uint32_t logged, of_rule, preset; /* durations: from the log, from commands of the same rule,
                                         and 1 s where there is neither */
};

/* Reads a build.ninja and its .ninja_log as a job: a task per command that the targets need, its
 * script as ninja would run it, and what it waits for, "phony" passed over and order-only kept.
 * The job carries what the ninja outputs of a plan need. Given a cluster (*input->cluster, or
 * NULL), the pools that are used are added to its first class. On failure input->dag is NULL; the
 * cluster stays the caller's. */
enum br_status br_parse_ninja(const struct br_ninja_options *options, struct br_input *input,
                              struct br_ninja_report *report, struct br_diag *diag);

/* A run of such a job, for ninja to go on from. */
struct br_ninja_record {
    const char *folder, *file; /* as the job's "ninja.folder" and "ninja.file" (or NULL) */
    const struct br_dag *dag;
    int64_t began_ns; /* the run, on the wall clock */
    /* By task, since then; end_ns is -1 where it has not finished, and start_ns where it had
     * finished before this run. */
    const int64_t *start_ns, *end_ns;
    uint32_t version; /* 5 to 7: of the log, where the build has none yet */
};
/* Adds to the build's .ninja_log and .ninja_deps what ninja would have written of the commands that
 * have finished, so that for ninja their outputs are up to date. Left out is what the build no
 * longer says as it was run. BR_SYSTEM; BR_BAD_INPUT where a file of the build is not as it should
 * be; a command whose depfile is not is left out alone. */
enum br_status br_ninja_write_logs(const struct br_ninja_record *record, struct br_diag *diag);

/* Reads a lower bound with its proof from a plan ("bigrocks-plan/1") or from what `bigrocks bound
 * --json` writes ("bigrocks-bound/1"), with the job and the cluster that it is about. All three
 * are the caller's; *certificate is NULL where the file has none. Nothing is believed. */
enum br_status br_parse_proof(const char *path, struct br_input *input, int64_t *lower_bound_ns,
                              struct br_certificate **certificate, struct br_diag *diag);

#endif
