/* The rows of our own forms of workloads, in XML and in CSV: the meaning of each attribute or
 * column for a job, and the job files named by rows, each read once. Internal to this room. */
#ifndef BR_CLUSTER_WORKLOAD_READ_ROWS_H
#define BR_CLUSTER_WORKLOAD_READ_ROWS_H

#include "base/collections/index.h"
#include "parsers/text/source.h"
#include "cluster/workload/read/options.h"
#include "cluster/workload/workload.h"

/* The fields of a job in a workload, with equal names in both forms. */
enum br_row_field {
    BR_ROW_FILE,     /* path of its job file, from the workload's folder; or "generate:KIND" */
    BR_ROW_ENTRY,    /* which job of that file; for a generated one the seed */
    BR_ROW_ID,       /* its number in the file if missing */
    BR_ROW_ARRIVAL,  /* seconds; 0 if missing */
    BR_ROW_GROUP,    /* "default" if missing */
    BR_ROW_WEIGHT,   /* 1 if missing */
    BR_ROW_DEADLINE, /* seconds on the clock of arrivals */
    BR_ROW_SEED,     /* its number in the file if missing */
    BR_ROW_SCALE,    /* factor on the durations of the job file; 1 if missing */
    BR_ROW_PARALLEL, /* how a record is read; if missing, as --parallel and --cpu-only say */
    BR_ROW_CPU_ONLY,
    BR_ROW_FIELDS
};
extern const char *const br_row_name[BR_ROW_FIELDS + 1]; /* NULL ends them */

/* The largest weight and factor; the least is its inverse. */
#define BR_ROW_MOST 1e9
/* A number within these limits, of which 15 digits count; `name` and `owner` as in
 * br_value_seconds. */
enum br_status br_row_number(const char *text, const char *name, const char *owner, double *value,
                             struct br_diag *diag);

struct br_row_file;
struct br_row_dag;

struct br_rows {
    struct br_workload *workload;              /* borrowed, as are the next two */
    const struct br_workload_options *options; /* of the job files */
    const char *source;                        /* name of the workload's file */
    const char *folder; /* of it, with a slash at its end; "": the current one */
    struct br_arena arena;
    struct br_index files, dags;
    uint32_t file_count, file_room, dag_count, dag_room;
    struct br_row_file *file;
    struct br_row_dag *dag;
    uint32_t last; /* the dag of the last row; usually also that of the next one */
};

/* Starts; release by br_rows_finish, also after a failure. */
enum br_status br_rows_begin(struct br_rows *rows, struct br_source *source,
                             const struct br_workload_options *options,
                             struct br_workload *workload, struct br_diag *diag);
/* Adds the job with these fields (NULL or "": missing), at this place of the file. The group must
 * be one of the workload's unless `new_groups`. O(1) expected, and the reading of a file that no
 * row has named before. */
enum br_status br_rows_add(struct br_rows *rows, const char *const field[BR_ROW_FIELDS],
                           bool new_groups, struct br_pos pos, struct br_diag *diag);
void br_rows_finish(struct br_rows *rows);

#endif
