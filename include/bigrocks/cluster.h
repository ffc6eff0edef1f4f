/* A cluster: classes of equal machines, each with a count and a capacity vector.
 *
 * A task runs on exactly one machine. One machine that holds everything is the aggregate pool of
 * the resource-constrained project scheduling problem. Machines are numbered from 0 over the
 * classes in the order of the add calls.
 */
#ifndef BIGROCKS_CLUSTER_H
#define BIGROCKS_CLUSTER_H

#include <bigrocks/diag.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most machines that one cluster may have. */
#define BR_MAX_MACHINES 1000000u
/* Most classes of machines that one cluster may have. */
#define BR_MAX_CLASSES 10000u
/* Most bytes a second of one port. */
#define BR_MAX_RATE INT64_C(1000000000000000)

struct br_cluster;

/* An empty cluster. The name is copied and may be NULL. NULL when memory is out. */
BR_API struct br_cluster *br_cluster_create(const char *name);
/* Releases the cluster; NULL is fine. */
BR_API void br_cluster_destroy(struct br_cluster *cluster);

/* Adds `count` >= 1 equal machines under a unique class name, copied. *cls (may be NULL) receives
 * the class's number. */
BR_API enum br_status br_cluster_add_class(struct br_cluster *cluster, const char *name,
                                           uint32_t count, uint32_t *cls, struct br_diag *diag);

/* Each machine of the class offers `amount` (>= 0, also "64GiB") of the resource. A resource that
 * is not mentioned is absent. Call it once per class and resource. If a job counts the resource in
 * a multiple of bytes, such as MiB, planning refuses that job on a cluster that gives bytes
 * ("64GiB"). */
BR_API enum br_status br_cluster_add_capacity(struct br_cluster *cluster, uint32_t cls,
                                              const char *resource, const char *amount,
                                              struct br_diag *diag);

/* Machines of the class run tasks at this speed: a task lasts its duration divided by it, rounded
 * up to a nanosecond. A decimal within 0.000001 and 1000000, such as "0.5", kept exactly; 1 without
 * this call. The last of several calls counts. */
BR_API enum br_status br_cluster_set_speed(struct br_cluster *cluster, uint32_t cls,
                                           const char *speed, struct br_diag *diag);

/* Declares the resource fungible: tasks that together demand more than there is only slow one
 * another down, as with network or disk, so it may be overbooked (br_runtime_overbook). The name is
 * copied. A second call changes nothing. BR_BAD_INPUT: no machine so far has the resource, or it is
 * memory, which is not fungible. */
BR_API enum br_status br_cluster_set_fungible(struct br_cluster *cluster, const char *resource,
                                              struct br_diag *diag);

/* The whole cluster offers `amount` (>= 0, also "2TiB") of the resource to tasks on all machines
 * together, such as licences or a file system. Copied. BR_BAD_INPUT: it is shared already, or a
 * machine has it, too. */
BR_API enum br_status br_cluster_add_shared(struct br_cluster *cluster, const char *resource,
                                            const char *amount, struct br_diag *diag);

/* Most times without machines and changes of amounts together that one cluster may have. */
#define BR_MAX_WINDOWS 100000u
/* An end of a time that never comes. */
#define BR_FOREVER INT64_MAX

/* No task runs on machine `index` of the class (UINT32_MAX: on none of its machines) from from_ns
 * until to_ns after the start of the plan. Tasks are not interrupted by it, so none begins that
 * would not end before. `cls` may be UINT32_MAX: all machines. */
BR_API enum br_status br_cluster_add_unavailable(struct br_cluster *cluster, uint32_t cls,
                                                 uint32_t index, int64_t from_ns, int64_t to_ns,
                                                 struct br_diag *diag);
/* From from_ns until to_ns each such machine offers `amount` of the resource, which it offers at
 * other times, too; a later call counts more than an earlier one. With cls UINT32_MAX it is the
 * amount of a shared resource. */
BR_API enum br_status br_cluster_add_change(struct br_cluster *cluster, const char *resource,
                                            uint32_t cls, uint32_t index, int64_t from_ns,
                                            int64_t to_ns, const char *amount,
                                            struct br_diag *diag);

/* Each machine of the class has a port that sends up to `up` bytes a second and receives up to
 * `down`, both from 1 to BR_MAX_RATE; the network between the ports is never short. A class without
 * this call has no known port. The last of several calls counts. */
BR_API enum br_status br_cluster_set_network(struct br_cluster *cluster, uint32_t cls, int64_t up,
                                             int64_t down, struct br_diag *diag);

/* Number of machines over all classes. */
BR_API uint32_t br_cluster_machine_count(const struct br_cluster *cluster);
/* Writes "class[i]", or "class" if the class has one machine; an empty text if there is no such
 * machine. Returns like snprintf. text may be NULL. */
BR_API int br_cluster_machine_name(const struct br_cluster *cluster, uint32_t machine, char *text,
                                   size_t size);

#ifdef __cplusplus
}
#endif
#endif
