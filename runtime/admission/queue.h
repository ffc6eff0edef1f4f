/* Commands that no plan knows, by age: the oldest that finds no room gets a promised start, and
 * younger ones pass it only if they do not delay that.
 */
#ifndef BR_RUNTIME_ADMISSION_QUEUE_H
#define BR_RUNTIME_ADMISSION_QUEUE_H

#include "planner/model/cluster/cluster.h"

struct cli_queue;

/* The machines of the cluster, which is borrowed, all free. NULL when memory is out. */
struct cli_queue *cli_queue_create(const struct br_cluster *cluster);
void cli_queue_destroy(struct cli_queue *queue);

/* Adds a client, an unused number, with its demand (by capacity of the cluster's first class;
 * borrowed until it leaves), and its expected duration; -1: unknown. It waits, or is known only for
 * cli_queue_hold. BR_SYSTEM (memory). */
enum br_status cli_queue_add(struct cli_queue *queue, uint32_t client, const double *demand,
                             int64_t lasts_ns, bool waits, struct br_diag *diag);
/* The client runs on the machine from now on. */
void cli_queue_hold(struct cli_queue *queue, uint32_t client, uint32_t machine, int64_t now_ns);
/* It has ended, or gives up; nothing happens if it was not added. */
void cli_queue_remove(struct cli_queue *queue, uint32_t client);
/* The client that starts now, and its machine; it already holds its demand. UINT32_MAX: none.
 * `before`: a client that waits and comes before all others, though not by this queue; UINT32_MAX:
 * none. O(clients) per machine. */
uint32_t cli_queue_next(struct cli_queue *queue, uint32_t before, int64_t now_ns,
                        uint32_t *machine);

#endif
