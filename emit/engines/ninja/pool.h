/* The pool that keeps the memory and the cores of a machine while ninja builds. Internal to this
 * room. */
#ifndef BR_EMIT_ENGINES_NINJA_POOL_H
#define BR_EMIT_ENGINES_NINJA_POOL_H

#include "emit/engines/engine.h"

/* A pool of the build itself. */
struct br_ninja_own_pool {
    char *name;
    uint32_t depth;
    int64_t mem_bytes; /* the need of its largest command */
    uint32_t cpus;
    bool merged; /* its commands are all in ours */
};

struct br_ninja_pooling {
    uint32_t jobs;  /* commands that ninja may start at once */
    uint32_t depth; /* depth of our pool; 0: none is needed */
    bool *in;       /* by stage: is it in our pool? */
    struct br_ninja_own_pool *own;
    uint32_t owns;
    uint32_t *own_of; /* by stage; UINT32_MAX: none */
};

/* Chooses so that `jobs` commands at once, `depth` of ours and as many of the build's own pools as
 * these let, never take more than the machine has, whichever they are; of these choices, the one
 * that leaves the work most room. pool_of(context, stage) names the build's own pool of a stage in
 * a buffer that the next call reuses; NULL: none. `head` has their depths, as ninja reads them. */
enum br_status br_ninja_pooling_init(struct br_ninja_pooling *pooling,
                                     const struct br_engine *engine,
                                     const char *(*pool_of)(void *context, uint32_t stage),
                                     void *context, const char *head, struct br_diag *diag);
void br_ninja_pooling_finish(struct br_ninja_pooling *pooling);

#endif
