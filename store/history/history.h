/* Measurements of runs, kept in a file (SQLite) from run to run, and estimates from them.
 *
 * A sample is one task that ran: its duration, its processor time, its largest memory. It belongs
 * to a run and to a stage, which is known by the job's name and the stage's id; so a job that
 * recurs under its name is recognised. Only the last runs count, since code and data change; but
 * for memory, which must not run out, the largest sample of a stage counts and stays for long. The
 * file may be used by several programs at once. Not for several threads at once.
 */
#ifndef BR_STORE_HISTORY_HISTORY_H
#define BR_STORE_HISTORY_HISTORY_H

#include <bigrocks/diag.h>
#include <stdbool.h>
#include <stdint.h>

/* An estimate uses this many of the last runs in which the stage has samples; this many runs of a
 * job are kept. Of older ones, up to the last number, each stage keeps only the sample with the
 * most memory. */
enum { BR_HISTORY_RECENT = 10, BR_HISTORY_KEPT = 100, BR_HISTORY_PEAKS = 1000 };

struct br_history;

/* One task that succeeded, or one attempt at it that failed and was followed by another. */
struct br_history_sample {
    const char *stage; /* its id, or the name of a way of it (store/history/way.h) */
    uint32_t task;     /* its index in the stage */
    int64_t wall_ns;   /* from start to end */
    int64_t cpu_ns;    /* processor time of all its processes; -1: unknown */
    int64_t mem_bytes; /* largest memory at any time; -1: unknown */
    uint32_t lost;     /* 0: it succeeded; else the attempt's number, from 1, and no more is kept */
    /* The stage by its id, and what a task of it reads, in bytes; 0: unknown. */
    const char *reader;
    int64_t input_bytes;
};

/* The estimate for a task of the stage. */
struct br_history_estimate {
    uint32_t runs, samples; /* number of samples; 0: nothing is known */
    int64_t wall_ns;        /* median */
    int64_t spread_ns;      /* median distance from it */
    int64_t cpu_milli;      /* median processor time per time, in thousandths; -1: unknown */
    int64_t mem_bytes;      /* the largest of all kept; -1: unknown */
};

/* What a task of the stage (its id) reads; in bytes. */
struct br_history_input {
    const char *stage;
    int64_t bytes; /* 0: unknown */
};

/* Can this build of the program keep histories at all? */
bool br_history_is_there(void);

/* Opens the file for the job of that name, and creates it if there is none. BR_SYSTEM (the file,
 * memory, a build without SQLite), BR_BAD_INPUT (another kind of file, a later version of it). */
enum br_status br_history_open(const char *path, const char *job, struct br_history **history,
                               struct br_diag *diag);
/* Opens it for reading only: nothing is created or written, and neither the file nor its folder
 * need be writable. BR_SYSTEM also if there is no such file. */
enum br_status br_history_open_to_read(const char *path, const char *job,
                                       struct br_history **history, struct br_diag *diag);
/* From here to the next call of br_history_let_go all reads see the file as at the first of them,
 * even if others write to it. */
enum br_status br_history_hold(struct br_history *history, struct br_diag *diag);
void br_history_let_go(struct br_history *history);
/* Writes pending samples, deletes runs beyond BR_HISTORY_KEPT as described there, and releases all,
 * also on failure; NULL is fine. */
enum br_status br_history_close(struct br_history *history, struct br_diag *diag);

/* Adds a sample to the run that began with the first one since the file was opened. It is copied,
 * and written with others some time later; a crash loses the last ones. */
enum br_status br_history_add(struct br_history *history, const struct br_history_sample *sample,
                              struct br_diag *diag);
/* Writes the samples added so far. */
enum br_status br_history_flush(struct br_history *history, struct br_diag *diag);

/* From now on durations that are read of the history's job are those of tasks that read so much:
 * in proportion to the sizes that were recorded of their runs or, if there are several sizes of a
 * stage, by the line through its mean durations. Runs without a size, and stages without one here,
 * stay as they are, also as br_history_samples and memory do. *scaled: stages that were recorded at
 * another size. O(stages of the last BR_HISTORY_KEPT runs + inputs x log). */
enum br_status br_history_expect(struct br_history *history, const struct br_history_input *input,
                                 uint32_t inputs, uint32_t *scaled, struct br_diag *diag);

/* Estimates the stage's tasks from the written measurements. */
enum br_status br_history_estimate(struct br_history *history, const char *stage,
                                   struct br_history_estimate *estimate, struct br_diag *diag);
/* The same of all tasks that ran by the alternative, on whichever class of machines, with durations
 * as on a machine of speed 1 (store/history/way.h). NULL: of a stage without alternatives; then
 * also the samples of the stage's own name. */
enum br_status br_history_estimate_ways(struct br_history *history, const char *stage,
                                        const char *alternative,
                                        struct br_history_estimate *estimate, struct br_diag *diag);
/* The durations behind an estimate, the latest run first: *wall_ns is the caller's to free, NULL if
 * nothing is known. */
enum br_status br_history_durations(struct br_history *history, const char *stage,
                                    int64_t **wall_ns, uint32_t *samples, struct br_diag *diag);

/* Attempts at the stage's tasks in the last BR_HISTORY_RECENT runs of the job. */
struct br_history_attempts {
    uint64_t ended;            /* well: one for each task */
    uint64_t lost, lost_first; /* that failed and were tried again; of them first attempts */
};
enum br_status br_history_attempts(struct br_history *history, const char *stage,
                                   struct br_history_attempts *attempts, struct br_diag *diag);

/* A job with runs in the file, or one stage of it. */
struct br_history_job {
    const char *name;
    uint32_t runs;     /* of br_history_jobs */
    const char *stage; /* of br_history_stages: a name, also of a way */
};
typedef void br_history_each_job(void *context, const struct br_history_job *job);
/* Calls `job` for every job that has runs, latest run first; texts are borrowed for the call. */
enum br_status br_history_jobs(struct br_history *history, br_history_each_job *job, void *context,
                               struct br_diag *diag);
/* Calls it for every stage of all these jobs, those of a job together. */
enum br_status br_history_stages(struct br_history *history, br_history_each_job *stage,
                                 void *context, struct br_diag *diag);
/* One run of a job. */
struct br_history_run {
    const char *job;
    int64_t run;     /* numbers ascend with time */
    int64_t began_s; /* since 1970 */
    uint32_t samples;
    double work_s; /* the sum of their durations */
};
typedef void br_history_each_run(void *context, const struct br_history_run *run);
/* Calls `run` for every run of every job, the oldest first; texts are borrowed for the call. */
enum br_status br_history_runs(struct br_history *history, br_history_each_run *run, void *context,
                               struct br_diag *diag);
/* Deletes all but the last `kept` runs of the history's job; *gone is their number. */
enum br_status br_history_keep(struct br_history *history, uint32_t kept, uint32_t *gone,
                               struct br_diag *diag);
/* Gives the history's job another name. If that has runs already, both become one job from then on,
 * and *joined is set. The history is then that of the job of the new name. */
enum br_status br_history_rename(struct br_history *history, const char *name, bool *joined,
                                 struct br_diag *diag);
/* The job that the history is opened for; borrowed, until br_history_use. */
const char *br_history_job(const struct br_history *history);
/* From now on the history is that of the job of this name. Nothing may have been added before. */
enum br_status br_history_use(struct br_history *history, const char *job, struct br_diag *diag);

/* A database planner's cost of a query, and its duration. */
struct br_history_cost {
    int64_t cost, wall_ns; /* in thousandths of the planner's unit; both above 0 */
};
/* Stores these. Equal figures count once. */
enum br_status br_history_add_costs(struct br_history *history, const struct br_history_cost *cost,
                                    uint32_t count, struct br_diag *diag);
/* The last 100 of them, of all queries, the latest first: *cost is the caller's to free, also after
 * a failure. Writes nothing. */
enum br_status br_history_costs(struct br_history *history, struct br_history_cost **cost,
                                uint32_t *count, struct br_diag *diag);

/* One task that succeeded, of any job. */
struct br_history_row {
    int64_t run;             /* numbers ascend with time */
    const char *job, *stage; /* stages are names, also of ways */
    int64_t wall_ns;         /* at least 0 */
};
/* Calls `row` for every task of all runs of the history's job, in that order. */
enum br_status br_history_samples(struct br_history *history,
                                  void (*row)(void *context, const struct br_history_row *row),
                                  void *context, struct br_diag *diag);
/* Calls `row` for the tasks of the last BR_HISTORY_RECENT runs of the history's job, and of
 * the last BR_HISTORY_OTHERS of other jobs: run by run, the oldest first, stage by stage.
 * Texts are borrowed for the call. O(n log n) in the rows. */
enum { BR_HISTORY_OTHERS = 200 };
enum br_status br_history_read(struct br_history *history,
                               void (*row)(void *context, const struct br_history_row *row),
                               void *context, struct br_diag *diag);

#endif
