/* The check of proofs by clauses, for jobs on one machine and small ones on several: a solver's
 * learned clauses, each of which follows from those before it by propagation alone. */
#ifndef BR_PLANNER_CHECK_PROOFS_CLAUSES_H
#define BR_PLANNER_CHECK_PROOFS_CLAUSES_H

#include "planner/instance/certificate.h"

enum br_clauses_answer {
    BR_CLAUSES_PROVE,
    BR_CLAUSES_MALFORMED, /* a task, time, hint or span that cannot be; *where is the clause */
    BR_CLAUSES_GAP,       /* clause *where does not follow */
    BR_CLAUSES_SHORT,     /* all follow, and refute nothing */
    BR_CLAUSES_MEMORY,
};

/* Whether clauses can be checked for the instance: on one machine, or of up to 64 tasks on up
 * to 16. */
bool br_clauses_suit(const struct br_instance *in);

/* Checks that the clauses prove that no plan of the instance, which they suit (asserted), ends
 * within bound - 1 ticks. */
enum br_clauses_answer br_clauses_check(const struct br_instance *in, int64_t bound,
                                        const struct br_proof_clause *clause, uint32_t clauses,
                                        uint32_t *where);

#endif
