/* Measurements of runs, kept in a file (SQLite) from run to run, and what to expect from them.
 *
 * A sample is one task that ran: how long, how much processor time, how much memory at most. It
 * belongs to a run and to a stage, which is known by the job's name and the stage's id; so a job
 * that recurs under its name is recognised. Only the last runs count, since code and data change;
 * but for memory, which must not run out, the largest sample of a stage counts and stays for long.
 * The file may be used by several programs at once. Not for several threads at once.
 */
#ifndef BR_PREDICT_HISTORY_HISTORY_H
#define BR_PREDICT_HISTORY_HISTORY_H

#include <bigrocks/diag.h>
#include <stdbool.h>
#include <stdint.h>

/* An estimate looks at so many of the last runs in which the stage has samples, and so many runs of
 * a job are kept. Of older ones, up to the last number, each stage keeps the one sample that held
 * the most memory of all that it has. */
enum { BR_HISTORY_RECENT = 10, BR_HISTORY_KEPT = 100, BR_HISTORY_PEAKS = 1000 };

struct br_history;

/* One task that ran well. */
struct br_history_sample {
    const char *stage; /* its id */
    uint32_t task;     /* its index in the stage */
    int64_t wall_ns;   /* from start to end */
    int64_t cpu_ns;    /* processor time of all its processes; -1: not known */
    int64_t mem_bytes; /* most memory that it held at a time; -1: not known */
};

/* The estimate for a task of the stage. */
struct br_history_estimate {
    uint32_t runs, samples; /* that it is from; 0: nothing is known */
    int64_t wall_ns;        /* median */
    int64_t spread_ns;      /* median distance from it */
    int64_t cpu_milli;      /* median processor time per time, in thousandths; -1: not known */
    int64_t mem_bytes;      /* the largest of all that are kept; -1: not known */
};

/* Can this build of the program keep histories at all? */
bool br_history_is_there(void);

/* Opens the file for the job of that name, and makes it where there is none. BR_SYSTEM (the file,
 * memory, a build without SQLite), BR_BAD_INPUT (another kind of file, a later version of it). */
enum br_status br_history_open(const char *path, const char *job, struct br_history **history,
                               struct br_diag *diag);
/* The same to read alone: nothing is made or written, and neither the file nor its folder need be
 * writable. BR_SYSTEM also where there is no such file. */
enum br_status br_history_open_to_read(const char *path, const char *job,
                                       struct br_history **history, struct br_diag *diag);
/* From here to the next call of br_history_let_go all readings are of the file as it is at the
 * first of them, whoever writes to it. */
enum br_status br_history_hold(struct br_history *history, struct br_diag *diag);
void br_history_let_go(struct br_history *history);
/* Writes what is still to be written, thins out runs beyond BR_HISTORY_KEPT as said there, and
 * releases all, also on failure; NULL is fine. */
enum br_status br_history_close(struct br_history *history, struct br_diag *diag);

/* Adds a sample to the run that began with the first one since the file was opened. It is copied,
 * and written with others some time later; what a crash loses are the last ones. */
enum br_status br_history_add(struct br_history *history, const struct br_history_sample *sample,
                              struct br_diag *diag);
/* Writes the samples that were added so far. */
enum br_status br_history_flush(struct br_history *history, struct br_diag *diag);

/* Estimates the stage's tasks from the measurements written. */
enum br_status br_history_estimate(struct br_history *history, const char *stage,
                                   struct br_history_estimate *estimate, struct br_diag *diag);
/* The durations that an estimate looks at, the latest run first: *wall_ns is the caller's to free,
 * NULL where nothing is known. */
enum br_status br_history_durations(struct br_history *history, const char *stage,
                                    int64_t **wall_ns, uint32_t *samples, struct br_diag *diag);

/* A job with runs in the file, or one stage of it. */
struct br_history_job {
    const char *name;
    uint32_t runs;     /* of br_history_jobs */
    const char *stage; /* of br_history_stages */
};
typedef void br_history_each_job(void *context, const struct br_history_job *job);
/* Calls `job` for every job that has runs, the one that ran last first; texts are borrowed for the
 * call. */
enum br_status br_history_jobs(struct br_history *history, br_history_each_job *job, void *context,
                               struct br_diag *diag);
/* The same for every stage of all these jobs, those of a job together. */
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
/* Forgets all runs of the history's job but the last `kept`; *gone is how many those were. */
enum br_status br_history_keep(struct br_history *history, uint32_t kept, uint32_t *gone,
                               struct br_diag *diag);
/* Gives the history's job another name. Where that has runs already, the runs of both are one job's
 * from then on, and *joined is set. The history is then that of the job of the new name. */
enum br_status br_history_rename(struct br_history *history, const char *name, bool *joined,
                                 struct br_diag *diag);
/* The job that the history is opened for; borrowed, until br_history_use. */
const char *br_history_job(const struct br_history *history);
/* From now on the history is that of the job of this name. Nothing may have been added yet. */
enum br_status br_history_use(struct br_history *history, const char *job, struct br_diag *diag);

/* What a planner of a database thought of a query, and how long that took. */
struct br_history_cost {
    int64_t cost, wall_ns; /* in thousandths of the planner's unit; both above 0 */
};
/* Keeps these. The same figures count once. */
enum br_status br_history_add_costs(struct br_history *history, const struct br_history_cost *cost,
                                    uint32_t count, struct br_diag *diag);
/* The last 100 of them, of all queries, the latest first: *cost is the caller's to free, also after
 * a failure. Writes nothing. */
enum br_status br_history_costs(struct br_history *history, struct br_history_cost **cost,
                                uint32_t *count, struct br_diag *diag);

/* One task that ran well, of any job. */
struct br_history_row {
    int64_t run; /* numbers ascend with time */
    const char *job, *stage;
    int64_t wall_ns; /* at least 0 */
};
/* Calls `row` for every task of all runs of the history's job, in the same order. */
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
