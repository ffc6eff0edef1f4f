/* A plan as a row of the file, and the conversion in both directions. */
#ifndef BR_STORE_ROW_H
#define BR_STORE_ROW_H

#include "planner/instance/instance.h"
#include "planner/instance/plan.h"

/* The keys of a plan. */
struct br_store_keys {
    uint64_t form, details, cluster;
};

/* Each task's start in nanoseconds and its machine, in the order of the tasks' numbers: eight and
 * four bytes, the least significant first. */
enum { BR_STORE_CELL = 12 };

struct br_store_row {
    struct br_arena arena; /* owns the texts and bytes, unless they were lent */
    int64_t id;            /* of the row in the file; 0: it is not there yet */
    struct br_store_keys keys;
    const char *job, *method, *bound_method;
    uint64_t seed, placements;
    int64_t effort;      /* as store.c counts it */
    int64_t makespan_ns; /* when it was stored */
    const unsigned char *cells;
    uint64_t cells_size;
    const char *certificate; /* JSON; NULL: none */
    uint64_t certificate_size;
};

/* Releases what the row owns; a zeroed row is fine. */
void br_store_row_finish(struct br_store_row *row);

/* A checksum of all but the id. */
uint64_t br_store_row_sum(const struct br_store_row *row);

/* Writes the plan into the row, except the keys and the effort; the job's name is lent. BR_SYSTEM
 * when memory is out. */
enum br_status br_store_row_fill(struct br_store_row *row, const struct br_dag *dag,
                                 const struct br_plan *plan, struct br_diag *diag);
/* Writes only the plan's certificate and the name of its bound. */
enum br_status br_store_row_fill_bound(struct br_store_row *row, const struct br_dag *dag,
                                       const struct br_plan *plan, struct br_diag *diag);

/* The row's values for a task. False if the row does not belong to a job with this many tasks. */
bool br_store_row_fits(const struct br_store_row *row, uint32_t tasks);
void br_store_row_cell(const struct br_store_row *row, uint32_t task, int64_t *start_ns,
                       uint32_t *machine);

/* The row's plan of the job, verified, with a proven bound. BR_NO: the row holds no plan of this
 * job. BR_SYSTEM. `in` is the instance of the job. */
enum br_status br_store_row_revive(const struct br_store_row *row, const struct br_dag *dag,
                                   const struct br_cluster *cluster, const struct br_instance *in,
                                   struct br_plan **plan, struct br_diag *diag);

/* Ranks the plan, whose starts and machines are set, proves its bound, and verifies it. The
 * certificate, which may be NULL and is taken or destroyed, proves the bound if it holds; else a
 * new one does. BR_NO: the plan is wrong. */
enum br_status br_store_complete(struct br_plan *plan, const struct br_dag *dag,
                                 const struct br_cluster *cluster, const struct br_instance *in,
                                 struct br_certificate *certificate, const char *bound_method,
                                 struct br_diag *diag);

#endif
