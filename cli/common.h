/* What the files of the program share: the settings that the options fill, the sub-commands, and
 * the ways in (jobs and clusters) and out (files, messages).
 *
 * A sub-command's function returns its exit status as enum br_status. When that is not BR_OK and
 * the diagnostic is filled, main prints it; a sub-command that has said everything itself leaves
 * it empty.
 */
#ifndef BR_CLI_COMMON_H
#define BR_CLI_COMMON_H

#include <bigrocks/bigrocks.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/diag.h"
#include "base/options.h"
#include "parsers/parsers.h"

/* ---- Settings: one member per row of the option table in options.c ---- */

struct cli_settings {
    /* The job and the cluster. */
    const char *from, *cluster, *capacity;
    uint64_t machines; /* 0: not given */
    struct br_decimal transfer_rate, speed;
    int64_t default_duration_ns;
    const char *transfer_mode;
    /* The search. */
    const char *method, *effort, *frag_score;
    uint64_t threads, seed, placements, conflicts;
    int64_t time_limit_ns; /* -1: not given */
    int64_t cpu_limit_ns;  /* -1: not given */
    /* The linear program: 1 wanted, -1 refused, 0 as it suits. */
    int lp;
    int64_t lp_time_ns;
    /* What is generated; 0: as the kind has it. */
    const char *like, *spread;
    uint64_t tasks, stages;
    /* Many jobs. */
    const char *out_dir, *shard;
    bool resume, merge, times;
    /* A foreign build. */
    const char *directory, *file, *demand;
    bool measure;
    /* What runs have measured. */
    const char *history;
    /* Admission of commands. */
    const char *socket, *key, *plan;
    int64_t idle_ns; /* -1: not given */
    /* The run of a job. */
    const char *journal, *trace, *overbook, *policy, *on;
    const char *cgroup;
    bool keep_going, shell, simulate, limit_memory;
    uint64_t retries;
    int64_t timeout_ns;
    /* The output. */
    const char *format, *output, *trace_search, *colour, *what_if;
    bool explain, json, certificate, verbose, quiet, help, version, scdoc, list;
};

extern const struct br_option cli_options[];
struct cli_settings cli_settings_default(void);

/* ---- Sub-commands ---- */

struct cli_command {
    const char *name;
    const char *arguments; /* as in the usage line, such as "JOB PLAN" */
    const char *summary;   /* a phrase, for the list of sub-commands */
    const char *text;      /* what it does, for its help; lines end with \n */
    const char *examples;  /* lines of shell, each ending with \n */
    uint32_t least, most;  /* number of positional arguments */
    enum br_status (*run)(const struct cli_settings *settings, const char *const *argument,
                          uint32_t arguments, struct br_diag *diag);
};

/* Bits of br_option.commands, in the order of the rows in cli_commands[]. */
enum {
    CLI_PLAN = 1 << 0,
    CLI_BOUND = 1 << 1,
    CLI_CHECK = 1 << 2,
    CLI_RENDER = 1 << 3,
    CLI_CONVERT = 1 << 4,
    CLI_SHOW = 1 << 5,
    CLI_GENERATE = 1 << 6,
    CLI_BATCH = 1 << 7,
    CLI_IMPORT = 1 << 8,
    CLI_ANNOTATE = 1 << 9,
    CLI_SERVE = 1 << 10,
    CLI_ADMIT = 1 << 11,
    CLI_RUN_JOB = 1 << 12,
    CLI_DOCTOR = 1 << 13,
    CLI_COMPLETION = 1 << 14,
    CLI_HELP = 1 << 15,
    CLI_ALL = (1 << 16) - 1,
};

extern const struct cli_command cli_commands[]; /* a row without a name ends it */
/* The row with this name; NULL, with a suggestion in the diagnostic, where there is none. */
const struct cli_command *cli_command_find(const char *name, struct br_diag *diag);

#define CLI_RUN(name)                                                                              \
    enum br_status name(const struct cli_settings *settings, const char *const *argument,          \
                        uint32_t arguments, struct br_diag *diag)
CLI_RUN(cli_plan);
CLI_RUN(cli_batch);
CLI_RUN(cli_bound);
CLI_RUN(cli_check);
CLI_RUN(cli_render);
CLI_RUN(cli_convert);
CLI_RUN(cli_show);
CLI_RUN(cli_generate);
CLI_RUN(cli_import);
CLI_RUN(cli_annotate);
CLI_RUN(cli_serve);
CLI_RUN(cli_admit);
CLI_RUN(cli_run);
CLI_RUN(cli_doctor);
CLI_RUN(cli_completion);
CLI_RUN(cli_help);

/* Checks the proofs that the files carry, and says what came of each. BR_NO where one fails. */
enum br_status cli_check_certificates(const struct cli_settings *settings, const char *const *path,
                                      uint32_t paths, struct br_diag *diag);

/* Help on one sub-command, or the overview where command is NULL. */
void cli_help_print(const struct cli_command *command, FILE *out);
/* The manual page of a sub-command, or with NULL of the program, as scdoc reads it. */
void cli_manual_print(const struct cli_command *command, FILE *out);
/* The version, and what the program was built with. */
void cli_print_version(FILE *out);

/* ---- Ways in ---- */

/* The cluster of --cluster, or of --machines and --capacity; NULL where none of them is given. The
 * caller's to destroy. */
enum br_status cli_load_cluster(const struct cli_settings *settings, struct br_cluster **cluster,
                                struct br_diag *diag);
/* This machine: its processors and its memory, as "cpu=8,mem=16777216". */
enum { CLI_MACHINE_TEXT = 96 };
void cli_this_machine(char text[CLI_MACHINE_TEXT]);
/* How the settings want a job to be read. */
struct br_parse_options cli_parse_options(const struct cli_settings *settings);
/* How they want it to be planned; without a stop flag and progress. */
struct br_plan_options cli_plan_options(const struct cli_settings *settings);
/* The answer where a job needs a cluster, and neither its file nor the options give one. */
enum br_status cli_fail_no_cluster(struct br_diag *diag);

/* Reads the job at path, and its cluster: from --cluster or --machines and --capacity, else from
 * the job's own file. Without either it is an error if `need_cluster`, else input->cluster is
 * NULL. Release with br_input_finish. */
enum br_status cli_load(const struct cli_settings *settings, const char *path, bool need_cluster,
                        struct br_input *input, struct br_diag *diag);
/* What makes a plan of the job worth nothing, and what to try; NULL where nothing is known. */
const char *cli_doubt(const struct br_dag *dag);
/* Says so on standard error of the job from the path. */
void cli_warn(const char *path, const struct br_dag *dag);

/* ---- Ways out ---- */

/* An output file that appears under its name only when it is complete. */
struct cli_output {
    FILE *file;
    char *target;    /* NULL: standard output */
    char *temporary; /* NULL where there is none, as `file` has no name or is the target (pipes) */
    bool unnamed;    /* `file` gets its name at the end */
};

/* Opens the file at path; NULL and "-" are standard output. */
enum br_status cli_output_open(struct cli_output *output, const char *path, struct br_diag *diag);
/* Completes the file if `status` is BR_OK, else removes what there is of it. Returns the status,
 * or BR_SYSTEM where something could not be written. */
enum br_status cli_output_close(struct cli_output *output, enum br_status status,
                                struct br_diag *diag);
/* The format that -o FILE suggests by its ending ("plan.svg"), among the names; NULL if none. */
const char *cli_format_of(const char *path, const char *(*name)(uint32_t k));
/* settings->format, or what settings->output suggests; BR_USAGE where neither says. `known` is
 * the table that it must be in. */
enum br_status cli_format(const struct cli_settings *settings, const char *(*known)(uint32_t k),
                          const char **format, struct br_diag *diag);

/* A line on standard error: "bigrocks: ...". */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The version, and a command line that repeats this run with all its options spelled out. */
void cli_say_line(const char *command, uint32_t bit, const struct cli_settings *settings,
                  const char *const *argument, uint32_t arguments);
/* The diagnostic as a line on standard error. */
void cli_say_diag(const struct br_diag *diag);
/* "1 task", "12 tasks". */
void cli_print_count(FILE *out, uint64_t count, const char *noun, const char *plural);
/* Prints a text of somebody else's with control characters replaced, so that it cannot steer the
 * terminal. */
void cli_print_text(FILE *out, const char *text);

/* Seconds for people: three decimals at most, unless the time is shorter than that shows. */
enum { CLI_SECONDS_TEXT = 40 };
const char *cli_seconds(int64_t ns, char text[CLI_SECONDS_TEXT]);

/* The nearest floating-point number, for what people read. */
double cli_amount(struct br_decimal amount);

/* ---- The summary of a plan ---- */

/* What became of the linear program's bound. */
struct cli_lp_bound {
    bool found;
    struct br_bound_answer answer; /* where found; its certificate has been checked */
    char why[256];                 /* why there is none; else empty */
};

/* It in words, such as "11.5 s (interval LP; limit)" or "not available (...)". */
void cli_print_lp_bound(FILE *out, const struct cli_lp_bound *lp);
void cli_print_summary(FILE *out, const struct br_plan *plan, const struct br_dag *dag,
                       const struct br_cluster *cluster, const char *asked,
                       const struct cli_lp_bound *lp);
/* How the search went, part by part. */
void cli_print_explanation(FILE *out, const struct br_plan *plan);

/* ---- While it runs ---- */

/* What becomes of the better plans that a search reports: lines on standard error, where `say` is
 * set, and rows of a file. */
struct cli_trace {
    bool say;
    FILE *file;                    /* NULL: none */
    const char *path;              /* borrowed */
    struct cli_progress *progress; /* cleared before a line */
};
/* Opens the file (NULL: none), which can be read while it grows, and writes its heading. */
enum br_status cli_trace_begin(struct cli_trace *trace, const char *path, struct br_diag *diag);
/* For br_plan_options.found; the context is the struct. */
void cli_trace_found(void *trace, const struct br_incumbent *incumbent);
/* Closes the file. Returns the status, or BR_SYSTEM where something could not be written. */
enum br_status cli_trace_end(struct cli_trace *trace, enum br_status status, struct br_diag *diag);

/* Ctrl-C and SIGTERM raise the flag instead of ending the program; the second one ends it. */
const volatile int *cli_interrupt_catch(void);
/* Raises the flag though nobody has interrupted: there is nothing left to search for. */
void cli_interrupt_stop(void);
/* The same, but the second one raises it to 2, and only the third one ends the program. */
const volatile int *cli_interrupt_count(void);
/* Ends the program by the signal that has interrupted it, as its caller expects. */
void cli_interrupt_die(void);
/* Ends the program as one whose reader has gone; returns only where its caller has that signal
 * ignored. */
enum br_status cli_die_unread(struct br_diag *diag);
/* From here on they end the program again. */
void cli_interrupt_release(void);
bool cli_interrupted(void);
/* The file to remove should a signal end the program; NULL: none. Borrowed until the next call. */
void cli_interrupt_remove(const char *path);

/* A line on the terminal that shows how far it is, once something takes longer than a second. */
struct cli_progress {
    bool shown, drawn, colour;
    int64_t began_ns; /* monotonic */
    int64_t shown_ns; /* when the line was drawn last */
};
/* Does nothing ever where standard error is no terminal, or quiet. */
void cli_progress_begin(struct cli_progress *progress, bool quiet);
/* For br_plan_options.progress; the context is the struct. */
void cli_progress_plan(void *progress, const struct br_progress *state);
/* The wait for something that is known to end: `done` of `total` nanoseconds are over. */
void cli_progress_wait(struct cli_progress *progress, const char *what, int64_t done_ns,
                       int64_t total_ns);
/* So many of the jobs are done, some of them refused. */
void cli_progress_jobs(struct cli_progress *progress, uint32_t done, uint32_t total,
                       uint32_t refused);
/* So many tasks of a run are done and running; `text` is what else there is to say. */
void cli_progress_run(struct cli_progress *progress, uint32_t done, uint32_t total,
                      uint32_t running, const char *text);
/* Clears the line; the next call draws it again. */
void cli_progress_end(struct cli_progress *progress);
/* Nanoseconds on the monotonic clock. */
int64_t cli_now_ns(void);

/* ---- The linear program ---- */

/* Where the bounding program is, into `path` of PATH_MAX bytes; false where there is none. */
bool cli_bound_program(char *path);
/* Asks the program bigrocks-bound for a lower bound, for about limit_ns (by_processor: of its
 * processor's time) or, where that is negative, for `work` (a factor, as text) times its usual
 * work; a child that is missing, fails, hangs or eats the memory costs that bound and nothing else,
 * and so does one whose proof does not hold. The certificate of the answer is the caller's. */
void cli_bound_child(const struct br_dag *dag, const struct br_cluster *cluster, int64_t limit_ns,
                     bool by_processor, const char *work, const volatile int *stop,
                     struct cli_progress *progress, struct cli_lp_bound *bound);

/* Beyond this many tasks the linear program rarely converges in its time; it has to be asked for.
 */
enum { CLI_LP_TASKS = 5000 };
/* --conflicts was not given. */
#define CLI_CONFLICTS_DEFAULT UINT64_MAX

/* The same beside a search, on a thread of its own: begins, is told of every better plan (where the
 * search may be stopped by the bound), and ends, when the bound is needed after what there is to
 * wait for. NULL when memory is out, which the others take. */
struct cli_beside;
struct cli_beside *cli_beside_begin(const struct cli_settings *settings,
                                    const struct br_input *input, const char *work);
void cli_beside_found(struct cli_beside *beside, const struct br_incumbent *incumbent);
void cli_beside_end(struct cli_beside *beside, bool needed, struct cli_progress *progress,
                    struct cli_lp_bound *lp);

#endif
