/* Random jobs whose outputs are held, that share resources, and that have times; described in plain
 * numbers, so that a test can keep its own books of them. */
#ifndef BR_TESTS_SUPPORT_FEATURED_JOB_H
#define BR_TESTS_SUPPORT_FEATURED_JOB_H

#include <bigrocks/bigrocks.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    FEATURED_STAGES = 9,
    FEATURED_TASKS = 5, /* of a stage, at most */
    FEATURED_ALL = FEATURED_STAGES * FEATURED_TASKS,
    FEATURED_OUTPUTS = 2, /* of a stage, at most */
    FEATURED_EDGES = FEATURED_STAGES * FEATURED_STAGES,
    FEATURED_MACHINES = 3,
    FEATURED_WINDOWS = 5,
    FEATURED_RESOURCES = 4, /* cpu and mem of machines; scratch and licence that all share */
    FEATURED_OF_MACHINES = 2
};

struct featured_output {
    int resource;
    int64_t amount;
    bool from_end, unkept;
};

struct featured_edge {
    uint32_t parent, child;
    bool one_to_one; /* between stages of more than one task */
    bool stream;
    int64_t lag_ns;
    bool reads[FEATURED_OUTPUTS]; /* of the parent's outputs */
};

struct featured_job {
    uint32_t stages, tasks, edges;
    uint32_t count[FEATURED_STAGES], first[FEATURED_STAGES];
    int64_t duration_ns[FEATURED_STAGES], release_ns[FEATURED_STAGES];
    int64_t demand[FEATURED_STAGES][FEATURED_RESOURCES];
    uint32_t outputs[FEATURED_STAGES];
    struct featured_output output[FEATURED_STAGES][FEATURED_OUTPUTS];
    struct featured_edge edge[FEATURED_EDGES];
};

/* A time in which a machine is away, or has less (or, of a resource that is shared, all have). */
struct featured_window {
    uint32_t machine;
    int resource; /* -1: it is away */
    int64_t from_ns, to_ns, amount;
};

struct featured_cluster {
    uint32_t machines;
    int64_t capacity[FEATURED_RESOURCES];
    uint32_t windows;
    struct featured_window window[FEATURED_WINDOWS]; /* those of a resource do not overlap */
};

/* All depends on the seed alone. Parents come before their children. */
void featured_job_make(uint64_t seed, struct featured_job *job);
/* The least cluster of that many machines that holds each task of the jobs alone. */
void featured_cluster_make(const struct featured_job *job, uint32_t jobs, uint32_t machines,
                           struct featured_cluster *cluster);
/* Windows of machines that are away, and times with fewer cores. */
void featured_cluster_change(uint64_t seed, struct featured_cluster *cluster);
/* What there is of the resource at the time. */
int64_t featured_cluster_has(const struct featured_cluster *cluster, uint32_t machine, int resource,
                             int64_t at_ns);
/* As the library has them; NULL when memory is out. The caller's. */
struct br_dag *featured_job_dag(const struct featured_job *job);
struct br_cluster *featured_cluster_real(const struct featured_cluster *cluster);

#endif
