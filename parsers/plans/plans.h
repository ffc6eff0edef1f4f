/* Plans, orders of tasks, and proofs of bounds as files. */
#ifndef BR_PARSERS_PLANS_PLANS_H
#define BR_PARSERS_PLANS_PLANS_H

#include "parsers/reader/input.h"
#include "planner/instance/attempts.h"
#include "planner/instance/plan.h"

/* Reads a plan in one of the forms that emit writes and that say where and when each task runs:
 * json and xml, which carry the job and its cluster, and order, which does not: such a plan is one
 * of `job` (may be NULL) on its cluster, and *input stays empty. Input and plan are the caller's;
 * the plan must go first. The plan is not checked: see br_plan_verify. Transfers are in the form
 * json alone. */
enum br_status br_parse_plan(const char *path, const struct br_input *job, struct br_input *input,
                             struct br_plan **plan, struct br_diag *diag);

/* Reads a list of tasks of the job: an id of a task or of a stage, for all of its tasks, a line; or
 * a table between tabs with a column "id", such as the form order of a plan, in the order of its
 * lines. *task is the caller's, to be freed. Nothing is checked: see br_dag_complete_order. The
 * diagnostic keeps the file's name for later faults of the list. */
enum br_status br_parse_order(const char *path, const struct br_dag *dag, uint32_t **task,
                              uint32_t *count, struct br_diag *diag);

/* Reads the trace of a run of the job, as `bigrocks run --trace` writes it: a table with commas, or
 * an object a line. A row needs the columns task, start and end; an attempt without an outcome has
 * ended well. *run is the caller's, also after a failure, when it is empty. BR_BAD_INPUT with the
 * place for tasks that the job does not have, rows of several jobs, and traces without rows. */
enum br_status br_parse_attempts(const char *path, const struct br_dag *dag,
                                 struct br_run_attempts *run, struct br_diag *diag);

/* Reads a lower bound with its proof from a plan ("bigrocks-plan/1") or from the output of
 * `bigrocks bound --json` ("bigrocks-bound/1"), with its job and cluster. All three are the
 * caller's; *certificate is NULL if the file has none. Nothing is checked. */
enum br_status br_parse_proof(const char *path, struct br_input *input, int64_t *lower_bound_ns,
                              struct br_certificate **certificate, struct br_diag *diag);

#endif
