/* Draws are made in the order of edges and classes, so that a seed gives the same job everywhere.
 */
#include "tests/support/transfers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

uint32_t transfers_stage(struct br_dag *dag, const char *id, uint32_t tasks, int64_t seconds)
{
    uint32_t s;
    assert_int_equal(br_dag_add_stage(dag, id, tasks, seconds * 1000000000, &s, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1", NULL), BR_OK);
    return s;
}

void transfers_edge(struct br_dag *dag, uint32_t from, uint32_t to, enum br_edge_type type,
                    int64_t bytes)
{
    assert_int_equal(br_dag_add_edge(dag, from, to, type, NULL), BR_OK);
    assert_int_equal(br_dag_set_edge_bytes(dag, from, to, bytes, NULL), BR_OK);
}

void transfers_draw_bytes(struct br_dag *dag, struct br_rng *rng, int64_t most)
{
    for (uint32_t e = 0; e < dag->edges; e++)
        if (br_rng_below(rng, 4))
            dag->bytes += dag->edge[e].bytes = (int64_t)br_rng_below(rng, (uint64_t)most);
}

void transfers_draw_ports(struct br_cluster *cluster, struct br_rng *rng, int64_t most)
{
    for (uint32_t c = 0; c < cluster->classes; c++) {
        int64_t up = 1 + (int64_t)br_rng_below(rng, (uint64_t)most);
        int64_t down = 1 + (int64_t)br_rng_below(rng, (uint64_t)most);
        assert_int_equal(br_cluster_set_network(cluster, c, up, down, NULL), BR_OK);
    }
}
