/* A configured build of ninja as a job. */
#ifndef BR_PARSERS_NINJA_BUILD_H
#define BR_PARSERS_NINJA_BUILD_H

#include <stdio.h>

#include "parsers/reader/input.h"

/* Which part of a build is read, and how. */
struct br_ninja_options {
    const char *folder;        /* the build's, where ninja would be started */
    const char *file;          /* the build's file as seen from there; NULL: build.ninja */
    const char *const *target; /* what shall be built; none: what ninja builds by default */
    uint32_t targets;
    /* The demands of a command: the capacities of the cluster's first class. Also the pools of the
     * build become resources of its machines; NULL: no demands but for pools. */
    const struct br_cluster *demand;
    /* Of the commands that the targets need, only these; NULL: all. The others count as done. */
    const struct br_ninja_commands *only;
    bool bare; /* without what the ninja outputs of a plan need */
};
/* Commands as ninja prints them (-v), in ascending order of bytes. */
struct br_ninja_commands {
    char **command; /* owned */
    uint32_t count, room;
};
/* The result of the reading. */
struct br_ninja_report {
    uint32_t commands, phony;         /* needed for the targets */
    uint32_t logged, of_rule, preset; /* durations: from the log, from commands of the same rule,
                                         and 1 s where there is neither */
    bool stale; /* the build's own file is made by one of the commands; the job is not made then */
};

/* Reads a build.ninja and its .ninja_log as a job: a task per command that the targets need, its
 * script as ninja would run it, and what it waits for, "phony" passed over and order-only kept.
 * The job carries what the ninja outputs of a plan need. Given a cluster (*input->cluster, or
 * NULL), the pools that are used are added to its first class. On failure input->dag is NULL; the
 * cluster stays the caller's. */
enum br_status br_parse_ninja(const struct br_ninja_options *options, struct br_input *input,
                              struct br_ninja_report *report, struct br_diag *diag);

/* Is there a build to read? BR_SYSTEM where the folder is none or its file (NULL: build.ninja)
 * cannot be read, in words that tell what to give. Two system calls. */
enum br_status br_ninja_find(const char *folder, const char *file, struct br_diag *diag);

/* Adds a copy of the command; false when memory is out. */
bool br_ninja_commands_add(struct br_ninja_commands *commands, const char *command, size_t size);
/* Puts them in order, each once. */
void br_ninja_commands_sort(struct br_ninja_commands *commands);
bool br_ninja_commands_have(const struct br_ninja_commands *commands, const char *command);
void br_ninja_commands_finish(struct br_ninja_commands *commands);

/* Writes the build as a build.ninja in which these commands are not there and their outputs are
 * files that nothing makes: so ninja can be asked what they have left to do. */
enum br_status br_ninja_write_rest(const char *folder, const char *file,
                                   const struct br_ninja_commands *done, FILE *out,
                                   struct br_diag *diag);

#endif
