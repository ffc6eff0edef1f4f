/* Rows: bytes that do not depend on the machine, and plans that do not depend on the bytes. */
#include "store/row.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/index.h"
#include "planner/bounds/certify.h"
#include "planner/check/proofs/certificate.h"

void br_store_row_finish(struct br_store_row *row)
{
    br_arena_finish(&row->arena);
    *row = (struct br_store_row){0};
}

static uint64_t store_row_add(uint64_t sum, uint64_t value)
{
    return br_hash_number(sum ^ value);
}

uint64_t br_store_row_sum(const struct br_store_row *row)
{
    uint64_t sum = store_row_add(store_row_add(store_row_add(1, row->keys.form), row->keys.details),
                                 row->keys.cluster);
    sum = store_row_add(store_row_add(sum, br_hash_text(row->job)), br_hash_text(row->method));
    sum =
        store_row_add(store_row_add(store_row_add(sum, br_hash_text(row->bound_method)), row->seed),
                      row->placements);
    sum = store_row_add(store_row_add(sum, (uint64_t)row->effort), (uint64_t)row->makespan_ns);
    sum = br_hash_words(store_row_add(sum, row->cells_size), row->cells, row->cells_size);
    sum = store_row_add(sum, row->certificate_size);
    return row->certificate ? br_hash_words(sum, row->certificate, row->certificate_size) : sum;
}

/* ---- From a plan ---- */

static void store_row_write_number(unsigned char *at, uint64_t number, int bytes)
{
    assert(bytes == 8 || number >> 8 * bytes == 0);
    for (int k = 0; k < bytes; k++)
        at[k] = (unsigned char)(number >> 8 * k);
}

static uint64_t store_row_read_number(const unsigned char *at, int bytes)
{
    uint64_t number = 0;
    for (int k = bytes; k-- > 0;)
        number = number << 8 | at[k];
    return number;
}

enum br_status br_store_row_fill_bound(struct br_store_row *row, const struct br_dag *dag,
                                       const struct br_plan *plan, struct br_diag *diag)
{
    row->bound_method = br_arena_text(&row->arena, plan->bound_method);
    row->certificate = NULL;
    row->certificate_size = 0;
    if (plan->certificate) {
        char *text = br_certificate_text(plan->certificate, dag);
        row->certificate = text ? br_arena_text(&row->arena, text) : NULL;
        row->certificate_size = text ? strlen(text) : 0;
        free(text);
    }
    bool whole = row->bound_method && (row->certificate || !plan->certificate);
    return whole ? BR_OK : br_fail_memory(diag);
}

enum br_status br_store_row_fill(struct br_store_row *row, const struct br_dag *dag,
                                 const struct br_plan *plan, struct br_diag *diag)
{
    unsigned char *cells = br_arena_array(&row->arena, plan->tasks, BR_STORE_CELL);
    row->job = dag->name;
    row->method = br_arena_text(&row->arena, plan->method);
    if (!cells || !row->method)
        return br_fail_memory(diag);
    for (uint32_t t = 0; t < plan->tasks; t++) {
        unsigned char *cell = cells + (size_t)t * BR_STORE_CELL;
        assert(plan->start_ns[t] >= 0);
        store_row_write_number(cell, (uint64_t)plan->start_ns[t], 8);
        store_row_write_number(cell + 8, plan->machine[t], 4);
    }
    row->cells = cells;
    row->cells_size = (uint64_t)plan->tasks * BR_STORE_CELL;
    row->seed = plan->seed;
    row->placements = plan->placements;
    row->makespan_ns = plan->makespan_ns;
    return br_store_row_fill_bound(row, dag, plan, diag);
}

/* ---- To a plan ---- */

bool br_store_row_fits(const struct br_store_row *row, uint32_t tasks)
{
    return row->cells_size == (uint64_t)tasks * BR_STORE_CELL;
}

void br_store_row_cell(const struct br_store_row *row, uint32_t task, int64_t *start_ns,
                       uint32_t *machine)
{
    assert((task + UINT64_C(1)) * BR_STORE_CELL <= row->cells_size);
    const unsigned char *cell = row->cells + (size_t)task * BR_STORE_CELL;
    *start_ns = (int64_t)store_row_read_number(cell, 8);
    *machine = (uint32_t)store_row_read_number(cell + 8, 4);
}

/* Takes the certificate if it proves a bound of this job that the plan does not violate. */
static bool store_row_prove(struct br_plan *plan, const struct br_dag *dag,
                            const struct br_instance *in, struct br_certificate *certificate,
                            const char *method)
{
    if (certificate && !br_certificate_check(certificate, dag, in, NULL))
        return !br_plan_prove(plan, certificate, method, NULL) && plan->certificate;
    br_certificate_destroy(certificate);
    return false;
}

/* The best bound by arguments without a search. */
static bool bound_anew(struct br_plan *plan, const struct br_dag *dag, const struct br_instance *in)
{
    struct br_parts parts;
    struct br_bounds bounds;
    if (br_parts_create(in, &parts, NULL))
        return false;
    const struct br_bounds_effort effort = {.enough = plan->makespan_ns / in->tick_ns};
    bool ok = br_bounds_find(&bounds, &parts, &effort) &&
              store_row_prove(plan, dag, in, br_certify_parts(&parts, &bounds, &effort),
                              bounds.sum.method);
    br_bounds_finish(&bounds);
    br_parts_finish(&parts);
    return ok;
}

enum br_status br_store_complete(struct br_plan *plan, const struct br_dag *dag,
                                 const struct br_cluster *cluster, const struct br_instance *in,
                                 struct br_certificate *certificate, const char *bound_method,
                                 struct br_diag *diag)
{
    enum br_status status = br_plan_rank(plan, dag, diag);
    if (status) {
        br_certificate_destroy(certificate);
        return status;
    }
    if (!store_row_prove(plan, dag, in, certificate, bound_method) && !bound_anew(plan, dag, in))
        plan->note = "memory was out: the bound has no proof";
    return br_plan_verify(plan, dag, cluster, 1, NULL, NULL, diag);
}

enum br_status br_store_row_revive(const struct br_store_row *row, const struct br_dag *dag,
                                   const struct br_cluster *cluster, const struct br_instance *in,
                                   struct br_plan **result, struct br_diag *diag)
{
    struct br_certificate *certificate = NULL;
    *result = NULL;
    if (!br_store_row_fits(row, dag->tasks))
        return br_fail(diag, BR_NO, NULL, "the stored plan is of another job");
    struct br_plan *plan = br_plan_create(dag->tasks);
    if (!plan)
        return br_fail_memory(diag);
    for (uint32_t t = 0; t < dag->tasks; t++) {
        br_store_row_cell(row, t, &plan->start_ns[t], &plan->machine[t]);
        if (plan->start_ns[t] < 0 || plan->start_ns[t] > BR_TICKS_MAX ||
            dag->duration_ns[t] > BR_TICKS_MAX || plan->machine[t] >= cluster->machines) {
            br_plan_destroy(plan);
            return br_fail(diag, BR_NO, NULL, "the stored plan is of another job");
        }
    }
    plan->seed = row->seed;
    plan->placements = row->placements;
    plan->method = br_arena_text(&plan->arena, row->method);
    enum br_status status = plan->method ? BR_OK : br_fail_memory(diag);
    if (!status && row->certificate) /* an unreadable one counts as none */
        status = br_certificate_read(row->certificate, (size_t)row->certificate_size, dag,
                                     &certificate, diag);
    if (status != BR_SYSTEM)
        status = br_store_complete(plan, dag, cluster, in, certificate, row->bound_method, diag);
    if (status)
        br_plan_destroy(plan);
    else
        *result = plan;
    return status;
}
