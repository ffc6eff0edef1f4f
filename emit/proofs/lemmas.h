/* Lines about spans of time in which tasks have more to do than there is, for unit propagation:
 * what a clause needs that bounds of starts alone do not show. */
#ifndef BR_EMIT_PROOFS_LEMMAS_H
#define BR_EMIT_PROOFS_LEMMAS_H

#include "emit/proofs/busy.h"

struct br_lemma_key {
    uint32_t task;
    int64_t from, to, part;
};

/* A line is kept for each task, span and mandatory part, as long as its place is not needed. */
struct br_lemma {
    struct br_lemma_key key;
    uint64_t line; /* 0: none */
};

struct br_lemmas {
    struct br_arena arena;
    const struct br_busy *busy; /* borrowed */
    FILE *out;
    uint64_t next;  /* the number of the last line */
    uint64_t terms; /* written so far */
    int64_t *unit;  /* by resource: its amounts count in these */
    uint64_t *held; /* [resource x M + time]: a line in units; 0: not yet */
    uint64_t *part; /* by task, scratch */
    struct br_lemma *lemma;
};

/* BR_SYSTEM. br_lemmas_finish releases it, also on failure. */
enum br_status br_lemmas_init(struct br_lemmas *lemmas, const struct br_busy *busy, FILE *out,
                              struct br_diag *diag);
void br_lemmas_finish(struct br_lemmas *lemmas);

/* Writes a line that is false if every task starts within its bounds, least and most, since the
 * tasks then demand more of the resource in from .. to than there is. O(terms). */
void br_lemmas_overfull(struct br_lemmas *lemmas, uint32_t resource, int64_t from, int64_t to,
                        const int64_t *least, const int64_t *most);

#endif
