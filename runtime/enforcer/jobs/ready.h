/* The ready tasks of one job, by kind: tasks of equal demands compete by their rank alone, so that
 * only the first of each kind has to be scored. A tree over the kinds holds, by node, the least
 * ready rank and the range of every demand below; so a search for the best scores skips kinds that
 * do not fit or cannot win. Demands are those for the cluster's resources, scaled to integers.
 */
#ifndef BR_RUNTIME_ENFORCER_JOBS_READY_H
#define BR_RUNTIME_ENFORCER_JOBS_READY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"

#define BR_NO_RANK UINT32_MAX

/* The start of a kind's numbers in the arrays of br_ready; its words are its own. */
struct br_ready_kind {
    uint32_t first, word, some, somes; /* in `rank`, `bits` and `some`; words in `some` */
};

/* The fixed part: the kinds, and the ranks of each. */
struct br_ready_form {
    uint32_t kinds, width, tasks; /* width: resources */
    uint32_t leaves;              /* a power of two, at least `kinds` */
    uint32_t words, somes;        /* of all kinds */
    const int64_t *demand;        /* [kind * width]; near kinds should be alike */
    const uint32_t *rank_kind;    /* kind of the task with rank k + 1 */
    struct br_ready_kind *kind;
    uint32_t *rank, *place; /* ranks - 1 by kind, ascending; and the place of each in its kind */
    int64_t *range;         /* [leaves * 2 * width]: inner nodes' least and most demands */
};

/* The arrays are the owner's. If all are 0 except `best`, which is BR_NO_RANK, nothing is ready. */
struct br_ready {
    const struct br_ready_form *form;
    uint8_t *is_ready; /* by rank - 1 */
    /* The ready ranks of a kind, as bits in two levels: a bit for each in `bits`, and one in `some`
     * for each word of `bits` that is not 0. */
    uint64_t *bits, *some;
    uint32_t *best; /* [2 * leaves]: the least rank - 1 ready below, or BR_NO_RANK */
    /* Ranks - 1 that have come or gone, perhaps both, since `changes` was last set to 0 with their
     * is_changed; for callers that keep other data in step. */
    uint32_t *changed, changes; /* room for all tasks */
    uint8_t *is_changed;
};

/* `size[kind]` tasks have that kind; demand and rank_kind are borrowed, the rest comes from the
 * arena. False when memory is out. O(tasks + kinds x width). */
bool br_ready_form_init(struct br_ready_form *form, struct br_arena *arena, uint32_t kinds,
                        uint32_t width, const int64_t *demand, const uint32_t *rank_kind,
                        const uint32_t *size, uint32_t tasks);
/* The task with rank k + 1 becomes ready, or is no longer. O(log kinds + tasks / 4096). */
void br_ready_add(struct br_ready *ready, uint32_t k);
void br_ready_remove(struct br_ready *ready, uint32_t k);
/* The least ready rank - 1 of the kind, or BR_NO_RANK. O(1). */
uint32_t br_ready_best(const struct br_ready *ready, uint32_t kind);
/* Ready tasks of the kind. O(tasks of the kind / 64). */
uint32_t br_ready_count(const struct br_ready *ready, uint32_t kind);
/* Does the kind's demand fit into the room? */
bool br_ready_kind_fits(const struct br_ready *ready, uint32_t kind, const int64_t *room);

/* Walks over the kinds with a ready task that fits `room`, parts of the tree with a better bound
 * first. `bound(context, k, most)` gets the least rank - 1 and the largest demands of a subtree,
 * and returns its value: the subtree with the larger value goes first; -INFINITY skips it.
 * `visit(context, kind)` gets the kinds. */
struct br_ready_walk {
    double (*bound)(void *context, uint32_t k, const int64_t *most);
    void (*visit)(void *context, uint32_t kind);
    void *context;
};
void br_ready_search(const struct br_ready *ready, const int64_t *room,
                     const struct br_ready_walk *walk);

#endif
