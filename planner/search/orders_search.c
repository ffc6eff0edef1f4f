/* Hands over to the run the result of the search over orders of starts. */
#include "planner/search/orders_search.h"

#include "base/process/clock.h"
#include "base/process/stop.h"
#include "planner/exact/enumerate.h"

/* A partial schedule counts as this many placements; the most nodes that are kept. */
enum { NODE = 30, NODES_MAX = 1 << 19 };

const char br_orders_search_method[] = "exhaustive search";

bool br_orders_search_suits(const struct br_search *s)
{
    return s->run.in->tasks <= BR_ENUMERATE_TASKS && s->run.in->machines <= BR_ENUMERATE_MACHINES;
}

bool br_orders_search(struct br_search *s, struct br_run *run, int64_t *optimum)
{
    struct br_schedule found;
    bool ok = br_schedule_init(&found, s->run.in);
    int64_t began_ns = br_now_ns();
    uint64_t nodes = run->placements / 4 / NODE;
    struct br_enumerate e = {.in = s->run.in,
                             .lower = run->lower_bound,
                             .nodes_max = nodes < NODES_MAX ? nodes : NODES_MAX,
                             .stop = run->stop,
                             .start = found.start,
                             .machine = found.machine,
                             .upper = br_search_best(s)->makespan};
    *optimum = 0;
    if (ok) {
        br_enumerate_run(&e);
        run->spent += e.nodes * NODE;
        run->counters.exact_placements += e.nodes * NODE;
        run->stopped |= br_stopped(run->stop);
        br_search_time(&run->counters.exact_ns, &began_ns);
        ok = !e.memory_out;
    }
    if (e.found) {
        br_schedule_measure(&found, s->run.in);
        br_elite_lead(run->elite, &found, "exact");
        br_run_found(run, found.makespan, br_orders_search_method);
    }
    if (e.complete)
        *optimum = e.upper;
    br_schedule_finish(&found);
    return ok;
}
