/* One proof under check, with its part as an instance: shared by the files of the kinds. */
#ifndef BR_PLANNER_CHECK_PROOFS_PROOF_H
#define BR_PLANNER_CHECK_PROOFS_PROOF_H

#include "planner/check/proofs/ahead.h"
#include "planner/instance/certificate.h"

struct br_checked_measure {
    int64_t *weight; /* by stage */
    int64_t capacity;
};

struct br_proof_check {
    struct br_arena arena;
    const struct br_proof *proof;
    const struct br_dag *dag; /* for names */
    const struct br_instance *whole, *in;
    struct br_diag *diag;
    uint32_t number;  /* of the part, from 1 */
    uint32_t depth;   /* of cases within cases */
    int64_t makespan; /* M */
    /* By task, what is known before the proof's own passes; NULL: nothing. */
    const int64_t *head_from, *tail_from;
    struct br_ahead ahead;
    struct br_checked_measure *measure;
    /* Least time before and after, by task and by stage. */
    int64_t *head, *tail, *stage_head, *stage_tail;
    int64_t *rounds; /* by stage */
    int64_t *slots;  /* the same */
};

/* BR_NO with "part N: ...". */
enum br_status br_proof_fails(struct br_proof_check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Name of a stage of the part. */
const char *br_proof_stage_name(const struct br_proof_check *check, uint32_t stage);
/* The part's number for a stage of the job; UINT32_MAX if it is not in the part. */
uint32_t br_proof_stage(const struct br_proof_check *check, uint32_t stage);

/* Fills in the weights and capacities of the proof's measures. */
enum br_status br_proof_measures(struct br_proof_check *check);
/* All windows that the passes give, with every claim checked; and the measures. */
enum br_status br_proof_windows(struct br_proof_check *check);
/* Does some task, or stage alone, not fit its window within M? *stage is set also if all fit. */
bool br_proof_overfull(const struct br_proof_check *check, uint32_t *stage);
/* The inequalities of the kinds. */
enum br_status br_proof_energy(struct br_proof_check *check);
enum br_status br_proof_rounds(struct br_proof_check *check);
enum br_status br_proof_prices(struct br_proof_check *check);
/* The group, and all cases, from the windows that are known; `any` checks a proof of any kind. */
enum br_status br_proof_cases(struct br_proof_check *check,
                              enum br_status any(struct br_proof_check *inner));

#endif
