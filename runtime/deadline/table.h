/* C(p, a): the distribution of the time that a job still takes, when its progress is p and its
 * allocation a. [Ferguson12, 4.1]
 *
 * A table is made once for a job (runtime/deadline/trials), written to a file, and mapped by
 * programs that control a run of the job. Look-ups are pure functions of it: no clock, nothing
 * allocated, well below a microsecond. Many threads may use one table.
 *
 * Allocations are tokens (tasks at once) or percents of the cluster's vector. Forecasts hold for a
 * job that keeps its allocation until its end. A table has one layer for the plain order (tasks
 * start in the order in which they become ready), and may have one for the planned order.
 */
#ifndef BR_RUNTIME_DEADLINE_TABLE_H
#define BR_RUNTIME_DEADLINE_TABLE_H

#include <stdio.h>

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "runtime/deadline/progress.h"

/* Version of the file's form; a file of another version is refused. */
#define BR_TABLE_VERSION 2u
/* Most allocations, cells of progress, quantiles and bends that a table may have. */
#define BR_TABLE_ALLOCATIONS 1000u
#define BR_TABLE_CELLS 1000u
#define BR_TABLE_QUANTILES 100u
#define BR_TABLE_BENDS 100000u
/* The largest unit of bends, so that bends stay in the range of numbers. */
#define BR_TABLE_BEND_UNIT (UINT32_C(1) << 17)
/* The largest unit of time left, so that 2^32 of them stay far below 2^63 ns. */
#define BR_TABLE_UNIT_NS UINT32_C(1000000000)

enum br_allocation { BR_TOKENS = 0, BR_SHARES = 1 };              /* tasks at once; percents */
enum br_table_order { BR_PLAIN_ORDER = 0, BR_PLANNED_ORDER = 1 }; /* layers of a table */

/* A stage, from the runs behind the table: the inputs of Amdahl's model (amdahl.h). */
struct br_table_stage {
    /* Mean duration of its longest task; longest path behind it to the end of the job; and its
     * work. All in seconds; if allocations are shares, work is multiplied by its dominant demand in
     * percents of the cluster. */
    double longest_s, behind_s, work_s;
};

/* Borrowed from the file's map, or owned by its maker; read-only. */
struct br_deadline_table {
    const char *job;              /* its name */
    const char *cluster;          /* its name; "" if allocations are tokens and none was given */
    uint64_t fingerprint;         /* br_dag_fingerprint without commands */
    uint64_t cluster_fingerprint; /* br_cluster_fingerprint; 0: no cluster */
    uint64_t seed;
    enum br_allocation kind;
    enum br_indicator indicator;
    uint32_t runs;   /* number of runs simulated for each allocation */
    uint32_t layers; /* 1, or 2 with the planned order */
    uint32_t stages;
    const struct br_table_stage *stage;
    const struct br_progress_weight *weight; /* by stage, of the indicator */
    const uint32_t *tasks;                   /* by stage */

    uint32_t allocations;
    const uint32_t *allocation; /* ascending, from 1 on */

    /* Cell 0 is the start of the job, before anything has run; cell k > 0 is progress within
     * (k - 1) / (cells - 1) and k / (cells - 1). `at` is the progress to which a cell's numbers
     * belong, ascending from cell 1 on. */
    uint32_t cells;
    const double *at;

    /* A cell's numbers for an allocation: the mean, then the quantiles by `level`, which ascends
     * from 0 (the least time left that was seen) to 1 (the most), in units of unit_ns: left[((layer
     * * cells + cell) * allocations + index) * (quantiles + 1)]. */
    uint32_t quantiles;
    const double *level;
    uint32_t unit_ns;
    const uint32_t *left;

    /* From cell to cell the time left does not follow a straight line. At the progress bend_at[k],
     * which ascends and is within k / bends and (k + 1) / bends, all numbers of an allocation
     * differ from that line by bend[(k * layers + layer) * allocations + index] times
     * bend_unit[layer * allocations + index], in units of unit_ns. No bends: the lines are
     * straight. */
    uint32_t bends;
    const double *bend_at;
    const uint32_t *bend_unit; /* at least 1 */
    const int16_t *bend;

    void *map; /* of the file, with its size; NULL: made in memory */
    size_t map_size;
};

/* Maps a table file and checks it, every number of it; release by br_table_close. The file must not
 * change meanwhile (files appear complete by renaming, so a new table is usually another file).
 * BR_BAD_INPUT: no table, another version, another byte order, cut or damaged; BR_SYSTEM. */
enum br_status br_table_open(const char *path, struct br_deadline_table *table,
                             struct br_diag *diag);
/* Opens a table in memory: 8-byte aligned bytes, which are borrowed. For tests. */
enum br_status br_table_read(const void *bytes, size_t size, struct br_deadline_table *table,
                             struct br_diag *diag);
/* Unmaps it; a table of zeros is fine. */
void br_table_close(struct br_deadline_table *table);
/* Writes the file form. The caller checks the file for errors. O(its size). */
enum br_status br_table_write(const struct br_deadline_table *table, FILE *out,
                              struct br_diag *diag);

/* BR_BAD_INPUT if the table belongs to another job, or to another cluster than this one (NULL:
 * any).
 */
enum br_status br_table_check_job(const struct br_deadline_table *table, const struct br_dag *dag,
                                  const struct br_cluster *cluster, struct br_diag *diag);

/* A place in the table, between two cells. It is the same for all allocations and layers, so a
 * decision computes it once. */
struct br_table_place {
    uint32_t low, high; /* cells */
    double part;        /* from the numbers of `low` (0) to those of `high` (1) */
    bool bent;          /* off that line, by a value between two bends: */
    uint32_t bend_low, bend_high;
    double bend_part;
};
/* The place before anything has run. */
struct br_table_place br_table_start(const struct br_deadline_table *table);
/* At this progress (below 0 counts as 0, above 1 as 1), once the job has begun. O(log cells) at
 * most. */
struct br_table_place br_table_at(const struct br_deadline_table *table, double progress);
/* Progress by the table's indicator, if done[s] tasks of stage s have finished. O(stages). */
double br_table_progress(const struct br_deadline_table *table, const uint32_t *done);

/* The index of the least allocation of at least this value; the last one if there is none. */
uint32_t br_table_index(const struct br_deadline_table *table, uint32_t value);

/* The time left, in ns. `index` is into table->allocation; `layer` an enum br_table_order below
 * table->layers; q within 0 and 1. */
int64_t br_table_mean_ns(const struct br_deadline_table *table, uint32_t layer,
                         struct br_table_place place, uint32_t index);
int64_t br_table_quantile_ns(const struct br_deadline_table *table, uint32_t layer,
                             struct br_table_place place, uint32_t index, double q);
/* The probability that the time left is at most left_ns. */
double br_table_share(const struct br_deadline_table *table, uint32_t layer,
                      struct br_table_place place, uint32_t index, int64_t left_ns);
/* The whole distribution: left_s[k] is the quantile at table->level[k], in seconds, ascending;
 * between two levels it is linear. left_s has room for table->quantiles. */
void br_table_distribution(const struct br_deadline_table *table, uint32_t layer,
                           struct br_table_place place, uint32_t index, double *left_s);

#endif
