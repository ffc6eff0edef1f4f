/* Trees over the ready tasks of many jobs: k-d trees [Bentley75] whose nodes bound everything below
 * them, so that a search for the best scores skips offers that do not fit or cannot win.
 *
 * An offer is a kind of tasks of one job with at least one ready: all tasks of the kind, or those
 * that the plan has on one machine. Offers come and go, so a tree is rebuilt below a node that has
 * become lopsided, as in a scapegoat tree [Galperin93]. All trees share one pool of nodes, which is
 * reserved ahead: only br_offers_reserve allocates. The shape of a tree decides how long a search
 * takes, never its result. */
#ifndef BR_RUNTIME_ENFORCER_JOBS_OFFERS_H
#define BR_RUNTIME_ENFORCER_JOBS_OFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/enforcer/jobs/policy.h"

/* The times of an offer, or the least of all below a node. */
struct br_offer_times {
    int64_t duration_ns, start_ns;
};

struct br_offer {
    uint32_t job, kind;
    uint32_t tree;               /* the number of its tree, for the owner */
    uint32_t node;               /* its leaf; 0: it stands in no tree */
    const int64_t *demand;       /* by resource, borrowed */
    struct br_offer_times times; /* its first task takes no less; none that the plan has on the
                                    tree's machine starts earlier */
    double priority;             /* no task of it has more */
    double remaining;            /* its job has no less remaining work */
    double share;                /* factor on packing that no task of it exceeds */
    struct br_offer *before;     /* the job's offers that stand in a tree, chained */
    struct br_offer *after;
    bool woken; /* on the list of newly ready offers; see vacancy.h */
};

/* A node without a left child is a leaf with its offer. Children are neighbours: left, left + 1.
 * The key of an offer decides its place: the coordinate `axis`, then job and kind. */
struct br_offer_node {
    uint32_t parent, left, size;
    uint32_t job; /* the least below */
    uint32_t axis, split_job, split_kind;
    double split;
    struct br_offer *offer;
};

/* A subtree still to be searched. */
struct br_offer_front {
    double bound;
    uint32_t node;
};

struct br_offers {
    uint32_t width;            /* resources */
    const double *scale;       /* by resource: 1 / what an average machine has */
    double eta;                /* for the last search: the weight of work against packing */
    uint32_t room, used, free; /* pairs of nodes; `free` heads the chain of those given back */
    uint32_t live;             /* offers that stand in trees */
    uint64_t looked;           /* nodes visited by questions and searches */
    struct br_offer_node *node;
    double *box;                  /* by node: least and most demands, priority, remaining, share */
    double *product;              /* by node: bounds on priority x packing */
    struct br_offer_times *times; /* by node: the least */
    struct br_offer **scratch;
    struct br_offer_front *front;
};

/* The query of a search: offers whose score on a machine reaches `least`. Packing is the sum over
 * the resources of demand x free x weight. */
struct br_offer_search {
    /* By resource, and one more 0 if their number is odd; none below 0. */
    const double *room, *free, *weight;
    /* Free x weight as `whole` x scale, `twice` x scale counted twice for the resource `twice_of`,
     * and `rest` by resource; NULL unless the score uses only the product of priority and packing.
     */
    const double *rest;
    double whole, twice;
    uint32_t twice_of;
    double eta;
    double (*score)(const struct br_score_terms *terms);
    const double *least; /* visits raise it */
    /* Could an offer of at most this priority, of a job with at least this number, be useful at the
     * score *least? */
    bool (*wins_tie)(void *context, double priority, uint32_t job);
    void (*visit)(void *context, const struct br_offer *offer);
    /* May one of some tasks start? None demands less of any resource, takes less time or, if the
     * plan has it on this tree's machine, starts earlier in the plan. NULL: all may. */
    bool (*may_allow)(void *context, const double *demand, int64_t duration_ns, int64_t start_ns);
    void *context;
};

/* Makes room for this many more offers. False when memory is out; nothing changes then. */
bool br_offers_reserve(struct br_offers *offers, uint64_t more);
void br_offers_finish(struct br_offers *offers);

/* Puts the offer into the tree or takes it out. *root is the tree's; 0: it is empty. O(log offers x
 * resources), amortised (O(log^2) if all go into one corner). */
void br_offers_insert(struct br_offers *offers, uint32_t *root, struct br_offer *offer);
void br_offers_remove(struct br_offers *offers, uint32_t *root, struct br_offer *offer);
/* The offer's priority or remaining work has changed. O(log offers) at most. */
void br_offers_update(struct br_offers *offers, const struct br_offer *offer);

/* Visits the offers of the tree that fit, those with a better bound first. */
void br_offers_search(struct br_offers *offers, uint32_t root,
                      const struct br_offer_search *search);
/* Does any offer of the tree fit into the room? */
bool br_offers_any_fits(struct br_offers *offers, uint32_t root, const int64_t *room);

/* An invariant: the tree's nodes bound what is below them. O(offers x resources). */
bool br_offers_is_sound(const struct br_offers *offers, uint32_t root);

/* Does the demand fit? A task that demands nothing of an overbooked resource may start there. */
static inline bool br_demand_fits(const int64_t *demand, const int64_t *room, uint32_t width)
{
    for (uint32_t r = 0; r < width; r++)
        if (demand[r] > 0 && demand[r] > room[r])
            return false;
    return true;
}

#endif
