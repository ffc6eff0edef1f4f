/* The cluster as the rooms see it; the calls that build it are public, in bigrocks/cluster.h. */
#ifndef BR_PLANNER_MODEL_CLUSTER_CLUSTER_H
#define BR_PLANNER_MODEL_CLUSTER_CLUSTER_H

#include <bigrocks/cluster.h>

#include <stdbool.h>

#include "base/collections/arena.h"
#include "base/numbers/decimal.h"
#include "base/text/diag.h"
#include "planner/model/cluster/calendar.h"

struct br_capacity {
    const char *resource;
    struct br_decimal amount;
    bool in_bytes; /* it is written so, such as "64GiB" */
};

struct br_class {
    const char *name;
    uint32_t count;
    uint32_t first_machine;
    struct br_decimal speed; /* durations are divided by it; 1 unless it is set */
    int64_t up, down; /* bytes a second that each machine's port sends and receives; 0: unknown */
    uint32_t capacities;
    struct br_capacity *capacity;
};

struct br_cluster {
    struct br_arena arena; /* owns all texts and capacities */
    const char *name;      /* NULL if not given */
    uint32_t classes, machines;
    struct br_class *cls;
    bool speeds; /* some class has another speed than 1 */
    uint32_t shareds;
    struct br_capacity *shared;   /* that tasks on all machines draw from */
    struct br_calendar *calendar; /* owned; NULL: all is offered at all times */
    uint32_t fungibles;
    const char **fungible; /* resources, in the order in which they were declared */
    /* Settings that the site's scheduler (Slurm) needs with every job; NULL, 0: nothing. A job may
     * last time_factor times as long as planned. */
    const char *partition, *account;
    struct br_decimal time_factor;
    uint32_t generics;
    const char *
        *generic; /* resources that it counts on each node; it counts the others as licenses */
};

/* Gives the class of the cluster the speed of `from`. */
enum br_status br_cluster_copy_speed(struct br_cluster *cluster, uint32_t cls,
                                     const struct br_class *from, struct br_diag *diag);
/* What a task of this duration lasts on machines of the class: duration / speed, rounded up to a
 * nanosecond; INT64_MAX if that is too large. O(1). */
int64_t br_class_duration(const struct br_class *cls, int64_t duration_ns);
/* Is there a class of that name? O(classes). */
bool br_cluster_has_class(const struct br_cluster *cluster, const char *name);
/* The class of a machine. O(log classes). */
uint32_t br_cluster_machine_class(const struct br_cluster *cluster, uint32_t machine);
/* The machines' capacity of the resource; NULL if they have none. */
const struct br_capacity *br_class_capacity(const struct br_class *cls, const char *resource);
/* The shared resource of that name; NULL if there is none. */
const struct br_capacity *br_cluster_shared(const struct br_cluster *cluster, const char *resource);
/* The amount of the resource on machines of the class; 0 if they have none. */
struct br_decimal br_cluster_capacity(const struct br_cluster *cluster, uint32_t cls,
                                      const char *resource);
/* Is the resource declared fungible? */
bool br_cluster_is_fungible(const struct br_cluster *cluster, const char *resource);
/* Does the scheduler of the site count it on each node? */
bool br_cluster_is_generic(const struct br_cluster *cluster, const char *resource);
/* Declares it. BR_BAD_INPUT if no machine has it. */
enum br_status br_cluster_set_generic(struct br_cluster *cluster, const char *resource,
                                      struct br_diag *diag);
/* Sets the values that are not NULL: names of letters, digits and "_.,+-", and a factor from 1 to
 * 1000. */
enum br_status br_cluster_set_site(struct br_cluster *cluster, const char *partition,
                                   const char *account, const char *time_factor,
                                   struct br_diag *diag);
/* The time limit to ask for in minutes, at least 1, for tasks of this duration; 0: no limit. */
int64_t br_cluster_minutes(const struct br_cluster *cluster, int64_t duration_ns);
/* The machine with this name, or UINT32_MAX. O(classes). */
uint32_t br_cluster_find_machine(const struct br_cluster *cluster, const char *name);
/* A span of machines in words: a class, and one machine of it. */
struct br_span_words {
    const struct br_class *cls; /* NULL: all machines, or a shared resource */
    uint32_t index;             /* UINT32_MAX: all of the class */
};
/* The part of the span with that number, from 0; false if it has no more. With `all` a span of all
 * machines has one part without a class. */
bool br_span_part(const struct br_cluster *cluster, const struct br_span_of_machines *span,
                  bool all, uint32_t part, struct br_span_words *words);
/* Adds the windows and changes of `from`, as far as they are of machines, classes and resources
 * that `to` has, too. */
enum br_status br_cluster_copy_calendar(struct br_cluster *to, const struct br_cluster *from,
                                        struct br_diag *diag);
/* A fingerprint of the cluster's classes, counts and capacities, without its name, its ports and
 * which resources are fungible. Never 0. O(classes x capacities). */
uint64_t br_cluster_fingerprint(const struct br_cluster *cluster);

#endif
