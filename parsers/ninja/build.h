/* A configured build of ninja as a job. */
#ifndef BR_PARSERS_NINJA_BUILD_H
#define BR_PARSERS_NINJA_BUILD_H

#include <limits.h>
#include <stdio.h>

#include "parsers/reader/input.h"

struct br_ninja_flow;

/* Which part of a build is read, and how. */
struct br_ninja_options {
    const char *folder;        /* the build's, where ninja would be started */
    const char *file;          /* the build's file as seen from there; NULL: build.ninja */
    const char *const *target; /* what shall be built; none: what ninja builds by default */
    uint32_t targets;
    /* The demands of a command: the capacities of the cluster's first class. Also the pools of the
     * build become resources of its machines; NULL: no demands but for pools. */
    const struct br_cluster *demand;
    /* Of the commands that the targets need, only those whose first output is of the set; NULL:
     * all. The others count as done. */
    const struct br_ninja_set *only;
    /* Dyndep files of these commands are not read, since they are to be made anew; NULL: none. */
    const struct br_ninja_set *pending;
    bool open; /* also commands of which such a file is to tell what they read; else refused */
    struct br_ninja_flow *flow; /* filled with that of the job (flow.h); NULL: not asked for */
    bool bare;                  /* without what the ninja outputs of a plan need */
    bool explain;               /* if ninja itself is asked: it says why something is out of date */
};
/* Texts in ascending order of bytes: commands as ninja prints them (-v), or the first outputs of
 * statements. Only the latter tell statements apart: several may have the same command. */
struct br_ninja_set {
    char **text; /* owned */
    uint32_t count, room;
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

/* Is there a build to read? BR_SYSTEM where the folder is none or its file (NULL: build.ninja)
 * cannot be read, in words that tell what to give. Two system calls. */
enum br_status br_ninja_find(const char *folder, const char *file, struct br_diag *diag);

/* BR_OK if a statement of the build names a dyndep file; BR_NO if not. */
enum br_status br_ninja_has_dyndep(const struct br_ninja_options *options, struct br_diag *diag);

/* The failure for the statement with this first output, of which a dyndep file is there and does
 * not tell what it reads: what is wrong in the file. */
enum br_status br_ninja_say_open(const struct br_ninja_options *options, const char *output,
                                 struct br_diag *diag);

/* Of the build's file. */
struct br_ninja_place {
    char folder[PATH_MAX]; /* in which ninja keeps its log: the build's, or its variable "builddir"
                            */
    bool made;             /* a statement makes the build's own file */
};
enum br_status br_ninja_find_place(const struct br_ninja_options *options,
                                   struct br_ninja_place *place, struct br_diag *diag);
/* The version of the log in the folder; 0: there is none, or nothing in it. */
uint32_t br_ninja_log_version(const char *folder);
/* Does a ninja that writes logs of version `own` go on from a log of this version? Versions 5 and 6
 * have the same hashes of commands, and 6 and 7 take no others. */
bool br_ninja_log_fits(uint32_t log, uint32_t own);

/* Adds a copy of the text; false when memory is out. */
bool br_ninja_set_add(struct br_ninja_set *set, const char *text, size_t size);
/* Puts them in order, each once; before, none is found. */
void br_ninja_set_sort(struct br_ninja_set *set);
bool br_ninja_set_have(const struct br_ninja_set *set, const char *text);
void br_ninja_set_finish(struct br_ninja_set *set);

/* What a build is written for. */
struct br_ninja_naming {
    const struct br_ninja_set *printed; /* commands that ninja has printed, or none */
    const struct br_ninja_set *done;    /* statements that count as done */
    const struct br_ninja_set *about;   /* the statements to build; NULL: those of the build */
    /* Dyndep files of these commands are not read; NULL: only those of commands that are done. */
    const struct br_ninja_set *pending;
    const char *state; /* the folder of ninja's log; NULL: that of the build */
};
/* What came of it. */
struct br_ninja_named {
    bool stale;    /* one of the commands printed makes the build's own file, or what that is made
                      from; nothing is written then */
    uint32_t open; /* statements of which a dyndep file is still to tell what they read */
};
/* Writes the build as a build.ninja in which every statement is described by its first output, so
 * that ninja tells by that name what it would run, and the outputs of those that are done are files
 * that nothing makes. The commands, and so their hashes, are the same. What dyndep files tell is
 * written into the statements, since a dry run makes none. */
enum br_status br_ninja_write_named(const struct br_ninja_options *options,
                                    const struct br_ninja_naming *naming, FILE *out,
                                    struct br_ninja_named *named, struct br_diag *diag);

#endif
