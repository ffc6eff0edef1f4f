/* Plans and proofs of bounds as files, with the job and the cluster that they are about. */
#ifndef BR_PARSERS_PLANS_PLANS_H
#define BR_PARSERS_PLANS_PLANS_H

#include "parsers/reader/input.h"
#include "planner/model/plan.h"

/* Reads a plan in the JSON form that emit writes: the job, the cluster and the plan of it. All
 * three are the caller's; the plan must go first. The plan is read, not believed: see
 * br_plan_verify. */
enum br_status br_parse_plan(const char *path, struct br_input *input, struct br_plan **plan,
                             struct br_diag *diag);

/* Reads a lower bound with its proof from a plan ("bigrocks-plan/1") or from what `bigrocks bound
 * --json` writes ("bigrocks-bound/1"), with the job and the cluster that it is about. All three
 * are the caller's; *certificate is NULL where the file has none. Nothing is believed. */
enum br_status br_parse_proof(const char *path, struct br_input *input, int64_t *lower_bound_ns,
                              struct br_certificate **certificate, struct br_diag *diag);

#endif
