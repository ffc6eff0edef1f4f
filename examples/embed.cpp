// How a C++ program embeds the planner: owners in place of create and destroy, exceptions in place
// of statuses.
#include <bigrocks/bigrocks.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

template <auto destroy> struct Destroy {
    template <typename T> void operator()(T *object) const
    {
        destroy(object);
    }
};
using Dag = std::unique_ptr<br_dag, Destroy<br_dag_destroy>>;
using Cluster = std::unique_ptr<br_cluster, Destroy<br_cluster_destroy>>;
using Plan = std::unique_ptr<br_plan, Destroy<br_plan_destroy>>;

template <typename Function, typename... Arguments>
void call(Function function, Arguments... arguments)
{
    br_diag diag{};
    if (function(arguments..., &diag) != BR_OK)
        throw std::runtime_error(diag.what);
}

static uint32_t add_stage(const Dag &dag, const char *id, uint32_t tasks, double seconds,
                          const char *cpu)
{
    uint32_t stage = 0;
    call(br_dag_add_stage, dag.get(), id, tasks, static_cast<int64_t>(seconds * 1e9), &stage);
    call(br_dag_add_demand, dag.get(), stage, "cpu", cpu);
    return stage;
}

int main()
try {
    Dag dag{br_dag_create("simulation")};
    uint32_t mesh = add_stage(dag, "mesh", 1, 4, "1");
    uint32_t step = add_stage(dag, "step", 12, 9, "4");
    uint32_t plot = add_stage(dag, "plot", 12, 2, "1");
    uint32_t film = add_stage(dag, "film", 1, 6, "2");
    call(br_dag_add_edge, dag.get(), mesh, step, BR_BARRIER);
    call(br_dag_add_edge, dag.get(), step, plot, BR_ONE_TO_ONE);
    call(br_dag_add_edge, dag.get(), plot, film, BR_BARRIER);
    call(br_dag_finish, dag.get());

    Cluster cluster{br_cluster_create("lab")};
    call(br_cluster_add_class, cluster.get(), "node", 3u, static_cast<uint32_t *>(nullptr));
    call(br_cluster_add_capacity, cluster.get(), 0u, "cpu", "8");

    br_plan *made = nullptr;
    call(br_plan_make, dag.get(), cluster.get(), static_cast<const br_plan_options *>(nullptr),
         &made);
    Plan plan{made};
    std::printf("%u tasks in %.0f s, gap %.1f %%\n", br_plan_task_count(plan.get()),
                static_cast<double>(br_plan_makespan_ns(plan.get())) / 1e9,
                100 * br_plan_gap(plan.get()));
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "embed: %s\n", error.what());
    return 1;
}
