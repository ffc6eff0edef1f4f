/* Jobs whose edges carry bytes and clusters whose machines have ports, for tests of transfers. They
 * end the test where something fails. */
#ifndef BR_TESTS_SUPPORT_TRANSFERS_H
#define BR_TESTS_SUPPORT_TRANSFERS_H

#include <bigrocks/bigrocks.h>

#include "base/numbers/rng.h"

/* A stage of the dag: so many tasks of so many seconds, each one core. */
uint32_t transfers_stage(struct br_dag *dag, const char *id, uint32_t tasks, int64_t seconds);
/* An edge that carries bytes. */
void transfers_edge(struct br_dag *dag, uint32_t from, uint32_t to, enum br_edge_type type,
                    int64_t bytes);
/* Three of four edges of the finished job carry fewer bytes than `most`. */
void transfers_draw_bytes(struct br_dag *dag, struct br_rng *rng, int64_t most);
/* Every class has a port of 1 to `most` bytes a second each way. */
void transfers_draw_ports(struct br_cluster *cluster, struct br_rng *rng, int64_t most);

#endif
