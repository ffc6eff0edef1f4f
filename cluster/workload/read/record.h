/* Jobs recorded by the accounting of a cluster, and their form in a workload. Equal jobs share a
 * dag; the run time of each stands beside it. Internal to this room. */
#ifndef BR_CLUSTER_WORKLOAD_READ_RECORD_H
#define BR_CLUSTER_WORKLOAD_READ_RECORD_H

#include "cluster/workload/read/options.h"
#include "cluster/workload/workload.h"

struct br_record {
    const char *id;
    const char *group;   /* NULL: "default" */
    int64_t submit_ns;   /* on the workload's clock */
    int64_t declared_ns; /* -1: unknown; the run time then counts as declared */
    int64_t ran_ns;
    int64_t waited_ns;   /* between `submit_ns` and its beginning; -1: unknown */
    uint32_t processors; /* > 0 */
    uint32_t nodes;      /* 0: unknown */
    uint32_t gpus;
    int64_t mem_bytes; /* of all processors; 0: unknown */
    struct br_pos pos;
};

/* Why records are not jobs of the workload. */
enum br_left_out {
    BR_LEFT_NEVER_RAN,
    BR_LEFT_RUNNING,       /* their duration is not known yet */
    BR_LEFT_NOT_COMPLETED, /* failed, cancelled or out of time, if only completed ones count */
    BR_LEFT_PIECE,         /* between two checkpoints; another record has the whole job */
    BR_LEFT_UNKNOWN,       /* ran, but the duration or the number of processors is unknown */
    BR_LEFT_REASONS,
};

/* Amounts are kept with 18 digits. */
#define BR_RECORD_MOST_MEM INT64_C(999999999999999999)

struct br_dag_key;

struct br_records {
    struct br_workload *workload; /* borrowed */
    const struct br_workload_options *options;
    struct br_index dags; /* by key */
    struct br_dag_key *key;
    uint32_t key_room;
    int64_t *true_ns; /* of the current job */
    uint32_t true_room;
    uint32_t left_out[BR_LEFT_REASONS];
    uint32_t undeclared;
    uint32_t most_processors; /* of a job */
    int64_t most_mem_bytes;   /* of one processor of a job, rounded up */
};

void br_records_init(struct br_records *records, struct br_workload *workload,
                     const struct br_workload_options *options);
void br_records_finish(struct br_records *records);
/* Adds the job, whose texts are copied. O(1) expected, plus O(1) for each of its tasks. */
enum br_status br_records_add(struct br_records *records, const struct br_record *record,
                              struct br_diag *diag);
/* Writes the workload's note from the counts, with `more` (may be empty) at its end. */
enum br_status br_records_note(struct br_records *records, const char *more, struct br_diag *diag);
/* Adds a part to the text, after "; " unless it is the first; the rest is cut if there is no room.
 */
void br_note_part(char *text, size_t size, size_t *used, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
