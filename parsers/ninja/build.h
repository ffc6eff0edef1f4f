/* A configured build of ninja as a job. */
#ifndef BR_PARSERS_NINJA_BUILD_H
#define BR_PARSERS_NINJA_BUILD_H

#include <limits.h>
#include <stdio.h>

#include "parsers/reader/input.h"

struct br_ninja_flow;

/* The part of a build to read, and the way to read it. */
struct br_ninja_options {
    const char *folder;        /* the build's folder, where ninja would be started */
    const char *file;          /* the build's file relative to it; NULL: build.ninja */
    const char *const *target; /* the targets; none: ninja's default targets */
    uint32_t targets;
    /* The demands of a command: the capacities of the cluster's first class. Also the pools of the
     * build become resources of its machines; NULL: no demands except for pools. */
    const struct br_cluster *demand;
    /* Only commands that the targets need and whose first output is in the set; NULL: all. The
     * others count as done. */
    const struct br_ninja_set *only;
    /* Dyndep files of these commands are not read, since they will be remade; NULL: none. */
    const struct br_ninja_set *pending;
    bool open;                  /* also commands whose inputs such a file will list; else refused */
    struct br_ninja_flow *flow; /* filled with the flow of the job (flow.h); NULL: not asked for */
    bool bare;                  /* without the data for the ninja outputs of a plan */
    bool explain; /* set if ninja itself is asked: it says why something is out of date */
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
                                         and 1 s if there is neither */
    uint32_t wide;                    /* commands that declare several cores for themselves */
    bool hooked; /* the build starts CMake's instrumentation, whose hooks wait for the ninja that
                    makes build.ninja */
};

/* Reads a build.ninja and its .ninja_log as a job: a task per command that the targets need, its
 * script as ninja would run it, and its dependencies, "phony" skipped and order-only kept. The job
 * carries the data for the ninja outputs of a plan. Given a cluster (*input->cluster, or NULL), the
 * used pools are added to its first class. On failure input->dag is NULL; the cluster stays the
 * caller's. */
enum br_status br_parse_ninja(const struct br_ninja_options *options, struct br_input *input,
                              struct br_ninja_report *report, struct br_diag *diag);

/* Is there a build to read? BR_SYSTEM, with advice on what to give, if the folder is none or its
 * file (NULL: build.ninja) cannot be read. Two system calls. */
enum br_status br_ninja_find(const char *folder, const char *file, struct br_diag *diag);

/* BR_OK if a statement of the build names a dyndep file; BR_NO if not. */
enum br_status br_ninja_has_dyndep(const struct br_ninja_options *options, struct br_diag *diag);

/* The error for the statement with this first output, whose dyndep file exists and does not list
 * its inputs: the fault in the file. */
enum br_status br_ninja_say_open(const struct br_ninja_options *options, const char *output,
                                 struct br_diag *diag);

/* Variables of the build's file. */
struct br_ninja_place {
    char folder[PATH_MAX]; /* folder of ninja's log: the build's, or its variable "builddir" */
    bool made;             /* a statement makes the build's own file */
};
enum br_status br_ninja_find_place(const struct br_ninja_options *options,
                                   struct br_ninja_place *place, struct br_diag *diag);
/* The version of the log in the folder; 0: none, or an empty one. */
uint32_t br_ninja_log_version(const char *folder);
/* Does a ninja that writes logs of version `own` continue a log of this version? Versions 5 and 6
 * have the same hashes of commands; 6 and 7 accept no others. */
bool br_ninja_log_fits(uint32_t log, uint32_t own);

/* Adds a copy of the text; false when memory is out. */
bool br_ninja_set_add(struct br_ninja_set *set, const char *text, size_t size);
/* Sorts them and removes duplicates; before that, none is found. */
void br_ninja_set_sort(struct br_ninja_set *set);
bool br_ninja_set_have(const struct br_ninja_set *set, const char *text);
void br_ninja_set_finish(struct br_ninja_set *set);

/* The way to write a build. */
struct br_ninja_naming {
    const struct br_ninja_set *printed; /* commands that ninja has printed, or none */
    const struct br_ninja_set *done;    /* statements that count as done */
    const struct br_ninja_set *about;   /* the statements to build; NULL: those of the build */
    /* Dyndep files of these commands are not read; NULL: only those of finished commands. */
    const struct br_ninja_set *pending;
    const char *state; /* the folder of ninja's log; NULL: that of the build */
};
/* The result of writing. */
struct br_ninja_named {
    bool stale;    /* one of the printed commands makes the build's own file, or a source of it;
                      nothing is written then */
    uint32_t open; /* statements whose inputs a dyndep file will still list */
};
/* Writes the build as a build.ninja in which every statement is described by its first output, so
 * ninja uses that name for what it would run. Outputs of finished statements become files that
 * nothing makes. The commands, and so their hashes, stay the same. Contents of dyndep files are
 * written into the statements, since a dry run makes none. */
enum br_status br_ninja_write_named(const struct br_ninja_options *options,
                                    const struct br_ninja_naming *naming, FILE *out,
                                    struct br_ninja_named *named, struct br_diag *diag);

#endif
