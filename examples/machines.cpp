// A job whose tasks may run in several ways on machines of several kinds, in C++: links on one
// core, on four or on a GPU, where each takes one of two paid runs. Checks what the plan promises.
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

static void expect(bool holds, const char *what)
{
    if (!holds)
        throw std::runtime_error(std::string("the plan does not keep ") + what);
}

constexpr std::int64_t second = 1000000000;
constexpr std::uint32_t links = 6;

static void fill(const Dag &dag)
{
    br_dag *d = dag.get();
    std::uint32_t stage = 0, one = 0, four = 0, gpu = 0;
    call(br_dag_add_stage, d, "link", links, 90 * second, &stage);
    call(br_dag_add_demand, d, stage, "mem", "2GiB");
    call(br_dag_add_alternative, d, stage, "one", BR_STAGE_DURATION, &one);
    call(br_dag_add_alternative_demand, d, stage, one, "cpu", "1");
    call(br_dag_add_alternative, d, stage, "four", 30 * second, &four);
    call(br_dag_add_alternative_demand, d, stage, four, "cpu", "4");
    call(br_dag_add_alternative, d, stage, "gpu", 9 * second, &gpu);
    call(br_dag_add_alternative_demand, d, stage, gpu, "gpu", "1");
    call(br_dag_set_classes, d, stage, gpu, "gpu-node");
    call(br_dag_add_consumed, d, stage, gpu, "runs", "1");
    call(br_dag_set_alternative_duration, d, stage, gpu, links - 1, 4 * second);
    call(br_dag_finish, d);
}

static void fill(const Cluster &cluster)
{
    br_cluster *c = cluster.get();
    std::uint32_t node = 0, gpu_node = 0;
    call(br_cluster_add_class, c, "node", 2u, &node);
    call(br_cluster_add_capacity, c, node, "cpu", "4");
    call(br_cluster_add_capacity, c, node, "mem", "8GiB");
    call(br_cluster_add_class, c, "gpu-node", 1u, &gpu_node);
    call(br_cluster_add_capacity, c, gpu_node, "gpu", "1");
    call(br_cluster_add_capacity, c, gpu_node, "mem", "8GiB");
    call(br_cluster_set_speed, c, gpu_node, "0.5");
    call(br_cluster_add_shared, c, "runs", "2");
}

int main()
try {
    const Dag dag{br_dag_create("links")};
    const Cluster cluster{br_cluster_create("mixed")};
    fill(dag);
    fill(cluster);
    br_plan *made = nullptr;
    call(br_plan_make, dag.get(), cluster.get(), static_cast<const br_plan_options *>(nullptr),
         &made);
    const Plan plan{made};
    std::uint32_t runs = 0;
    for (std::uint32_t task = 0; task < br_plan_task_count(plan.get()); task++) {
        const br_plan_task of = br_plan_of(plan.get(), task);
        const std::string id =
            br_dag_alternative_id(dag.get(), 0, br_plan_alternative(plan.get(), task));
        const std::int64_t lasts = (of.end_ns - of.start_ns) / second;
        char name[40], machine[40];
        br_dag_task_id(dag.get(), task, name, sizeof name);
        br_cluster_machine_name(cluster.get(), of.machine, machine, sizeof machine);
        std::printf("%s by %s on %s, %lld s\n", name, id.c_str(), machine,
                    static_cast<long long>(lasts));
        runs += id == "gpu";
        expect((id == "gpu") == (of.machine == 2), "the classes");
        expect(lasts == (id == "one"         ? 90
                         : id == "four"      ? 30
                         : task == links - 1 ? 8
                                             : 18),
               "the durations");
    }
    expect(runs == 2, "the budget, which the shortest plan needs whole");
    expect(br_plan_makespan_ns(plan.get()) == 60 * second, "the length of the best plan");
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
