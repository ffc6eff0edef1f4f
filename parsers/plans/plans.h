/* Plans and proofs of bounds as files, with their job and cluster. */
#ifndef BR_PARSERS_PLANS_PLANS_H
#define BR_PARSERS_PLANS_PLANS_H

#include "parsers/reader/input.h"
#include "planner/model/plan.h"

/* Reads a plan in the JSON form that emit writes: the job, the cluster and the plan of it. All
 * three are the caller's; the plan must go first. The plan is not checked: see br_plan_verify. */
enum br_status br_parse_plan(const char *path, struct br_input *input, struct br_plan **plan,
                             struct br_diag *diag);

/* Reads a lower bound with its proof from a plan ("bigrocks-plan/1") or from the output of
 * `bigrocks bound --json` ("bigrocks-bound/1"), with its job and cluster. All three are the
 * caller's; *certificate is NULL if the file has none. Nothing is checked. */
enum br_status br_parse_proof(const char *path, struct br_input *input, int64_t *lower_bound_ns,
                              struct br_certificate **certificate, struct br_diag *diag);

#endif
