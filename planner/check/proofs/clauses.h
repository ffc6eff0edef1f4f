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

/* What a check comes to on the way, for whoever writes the proof in another form. */
struct br_clauses_watch {
    void *context;
    /* The clause follows from what comes before it, with `span` (NULL: without) where tasks demand
     * more of the resource than there is. least and most are the bounds of the starts by then, by
     * task; borrowed for the call. */
    void (*follows)(void *context, uint32_t clause, const struct br_proof_span *span,
                    uint32_t resource, const int64_t *least, const int64_t *most);
    /* What follows if the first of two rivals starts at `start` or later, and ends before the other
     * starts; or that it does not. Called for all that is used. May be NULL. */
    void (*ordered)(void *context, uint32_t before, uint32_t after, int64_t start);
    /* What tasks hold of the resource at that time. Called for all that is used but spans. May be
     * NULL. */
    void (*full)(void *context, uint32_t resource, int64_t time);
};
/* The same check without the order of equal tasks, so that fewer proofs hold. */
enum br_clauses_answer br_clauses_follow(const struct br_instance *in, int64_t bound,
                                         const struct br_proof_clause *clause, uint32_t clauses,
                                         const struct br_clauses_watch *watch, uint32_t *where);

/* Most tasks of a job whose clauses say in which order tasks run; of larger ones than the first,
 * orders are followed only if some clause does. */
enum { BR_CLAUSES_ORDERED = 256, BR_CLAUSES_ORDERED_MOST = 512 };

/* Do both last, and demand more of some resource together than the machine has? */
bool br_clauses_rivals(const struct br_instance *in, uint32_t a, uint32_t b);

#endif
