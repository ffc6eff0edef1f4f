/* An open history, and the statements on its file. Internal to this room. */
#ifndef BR_STORE_HISTORY_FILE_H
#define BR_STORE_HISTORY_FILE_H

#include "store/database/database.h"
#include "store/history/history.h"

/* Statements of the file. ?1 is the job. */
enum br_history_statement {
    BR_HISTORY_BEGIN_RUN,
    BR_HISTORY_ADD_STAGE,
    BR_HISTORY_ADD_SAMPLE,
    BR_HISTORY_ESTIMATE,
    BR_HISTORY_MEMORY,
    BR_HISTORY_ESTIMATE_WAYS, /* ?2 a stage or NULL, ?4 and ?5 bounds of names */
    BR_HISTORY_MEMORY_WAYS,
    BR_HISTORY_READ,
    BR_HISTORY_JOBS,
    BR_HISTORY_STAGES,
    BR_HISTORY_RUNS,
    BR_HISTORY_SAMPLES,
    BR_HISTORY_THIN_SAMPLES,
    BR_HISTORY_FORGET_SAMPLES,
    BR_HISTORY_FORGET_RUNS,
    BR_HISTORY_FORGET_STAGES,
    BR_HISTORY_HAS,
    BR_HISTORY_RENAME_STAGES,
    BR_HISTORY_RENAME_SAMPLES,
    BR_HISTORY_RENAME_RUNS,
    BR_HISTORY_STATEMENTS
};

struct br_history_sizes;

struct br_history {
    struct br_database database;
    char *job;
    int64_t run;                       /* 0: none yet */
    struct br_history_sample *waiting; /* their stages are ours */
    uint32_t samples, room;
    struct br_history_sizes *sizes; /* that are expected; NULL: none are */
};

/* Writes that an attempt of the run's failed. Inside a transaction. */
bool br_history_write_lost(struct br_history *history, const char *stage, uint32_t attempt);
/* Writes what a task of the stage reads in the run. Inside a transaction. */
bool br_history_write_size(struct br_history *history, const char *stage, int64_t bytes);
void br_history_sizes_free(struct br_history_sizes *sizes); /* NULL is fine */
/* The duration in that run, of the history's job, as it would be at the expected size. The stage is
 * an id. O(log sizes). */
int64_t br_history_scaled(const struct br_history *history, const char *stage, int64_t run,
                          int64_t wall_ns);
/* Deletes all but the last runs of the history's job. Inside a transaction. */
bool br_history_forget(struct br_history *history, uint32_t kept);

#endif
