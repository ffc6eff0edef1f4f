// A C++ program whose job has storage, licences and times: files that are kept until they are read,
// a release, a deadline, a lag and a stream, on machines that are away for a while. It checks by
// itself that the plan keeps all of it.
#include <bigrocks/bigrocks.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

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
        throw std::runtime_error(std::string("the plan does not keep this: ") + what);
}

static constexpr std::int64_t second = 1000000000;
static constexpr std::uint32_t all = UINT32_MAX;

struct Stages {
    std::uint32_t fetch, unpack, index, report;
};

static std::uint32_t add_stage(const Dag &dag, const char *id, std::uint32_t tasks,
                               std::int64_t seconds)
{
    std::uint32_t stage = 0;
    call(br_dag_add_stage, dag.get(), id, tasks, seconds * second, &stage);
    call(br_dag_add_demand, dag.get(), stage, "cpu", "1");
    return stage;
}

// Three files are fetched by two licences and unpacked; what is unpacked is indexed while it comes.
static Stages fill(const Dag &dag, std::int64_t deadline)
{
    const Stages s{add_stage(dag, "fetch", 3, 4), add_stage(dag, "unpack", 3, 6),
                   add_stage(dag, "index", 3, 5), add_stage(dag, "report", 1, 2)};
    br_dag *d = dag.get();
    call(br_dag_add_demand, d, s.fetch, "licence", "1");
    call(br_dag_add_output, d, s.fetch, "archive", "scratch", "10GiB", 0u);
    call(br_dag_add_output, d, s.fetch, "log", "scratch", "1GiB", BR_OUTPUT_UNKEPT);
    call(br_dag_set_output_free, d, s.fetch, "archive", "rm -f {index}.tar");
    call(br_dag_add_output, d, s.unpack, "files", "scratch", "20GiB", BR_OUTPUT_FROM_END);
    call(br_dag_add_edge, d, s.fetch, s.unpack, BR_ONE_TO_ONE);
    call(br_dag_set_edge_reads, d, s.fetch, s.unpack, "archive");
    call(br_dag_add_edge, d, s.unpack, s.index, BR_ONE_TO_ONE);
    call(br_dag_set_edge_stream, d, s.unpack, s.index);
    call(br_dag_set_edge_lag, d, s.unpack, s.index, 2 * second);
    call(br_dag_add_edge, d, s.index, s.report, BR_BARRIER);
    call(br_dag_set_edge_lag, d, s.index, s.report, 3 * second);
    call(br_dag_set_release, d, s.fetch, all, second);
    call(br_dag_set_release, d, s.fetch, 2u, 7 * second);
    call(br_dag_set_deadline, d, s.report, all, deadline);
    call(br_dag_finish, d);
    return s;
}

static void fill(const Cluster &cluster)
{
    br_cluster *c = cluster.get();
    call(br_cluster_add_class, c, "node", 2u, static_cast<std::uint32_t *>(nullptr));
    call(br_cluster_add_capacity, c, 0u, "cpu", "4");
    call(br_cluster_add_shared, c, "licence", "2");
    call(br_cluster_add_shared, c, "scratch", "60GiB");
    call(br_cluster_add_unavailable, c, 0u, 1u, 3 * second, 12 * second);
    call(br_cluster_add_change, c, "cpu", 0u, 0u, 5 * second, 9 * second, "2");
    call(br_cluster_add_change, c, "licence", all, all, std::int64_t{0}, 6 * second, "1");
}

struct Judge {
    const Dag &dag;
    const Plan &plan;

    br_plan_task of(std::uint32_t stage, std::uint32_t index) const
    {
        std::uint32_t first = 0;
        br_dag_stage_tasks(dag.get(), stage, &first, nullptr);
        return br_plan_of(plan.get(), first + index);
    }

    // How many of the stages' three tasks run at the time, of those that are asked for.
    int running(std::vector<std::uint32_t> stages, std::int64_t at,
                const std::function<bool(const br_plan_task &)> &asked) const
    {
        int count = 0;
        for (std::uint32_t stage : stages)
            for (std::uint32_t i = 0; i < 3; i++) {
                const br_plan_task task = of(stage, i);
                count += task.start_ns <= at && at < task.end_ns && asked(task);
            }
        return count;
    }
};

static void judge(const Judge &plan, const Stages &s)
{
    const br_plan_task report = plan.of(s.report, 0);
    expect(plan.of(s.fetch, 2).start_ns >= 7 * second, "the release of one task");
    for (std::uint32_t i = 0; i < 3; i++) {
        const br_plan_task fetch = plan.of(s.fetch, i), unpack = plan.of(s.unpack, i);
        const br_plan_task index = plan.of(s.index, i);
        expect(fetch.start_ns >= second, "the release");
        expect(unpack.start_ns >= fetch.end_ns, "the edge");
        expect(index.start_ns >= unpack.start_ns + 2 * second, "the lag of the stream");
        expect(index.end_ns >= unpack.end_ns, "the end of the stream");
        expect(report.start_ns >= index.end_ns + 3 * second, "the lag");
    }
    for (std::int64_t at = 0; at < br_plan_makespan_ns(plan.plan.get()); at += second / 2) {
        const std::vector<std::uint32_t> stages{s.fetch, s.unpack, s.index};
        const auto on = [](std::uint32_t machine) {
            return [machine](const br_plan_task &task) { return task.machine == machine; };
        };
        const auto any = [](const br_plan_task &) { return true; };
        const int away = plan.running(stages, at, on(1));
        const int cpu = plan.running(stages, at, on(0));
        expect(at < 3 * second || at >= 12 * second || away == 0, "the machine that is away");
        expect(at < 5 * second || at >= 9 * second || cpu <= 2, "the cores that are fewer");
        expect(plan.running({s.fetch}, at, any) <= (at < 6 * second ? 1 : 2), "the licences");
    }
}

int main()
try {
    Dag dag{br_dag_create("archives")};
    Cluster cluster{br_cluster_create("two nodes")};
    const Stages stages = fill(dag, 40 * second);
    fill(cluster);
    br_plan *made = nullptr;
    call(br_plan_make, dag.get(), cluster.get(), static_cast<const br_plan_options *>(nullptr),
         &made);
    Plan plan{made};
    call(br_plan_verify, plan.get(), dag.get(), cluster.get(), 1u,
         static_cast<void (*)(void *, const char *)>(nullptr), static_cast<void *>(nullptr));
    judge(Judge{dag, plan}, stages);
    expect(br_plan_of(plan.get(), br_plan_task_count(plan.get()) - 1).end_ns <= 40 * second,
           "the deadline");

    // No plan keeps a deadline of 20 s: the last file is fetched from 7 s on, and takes 4, 6, 3
    // and 2.
    Dag hasty{br_dag_create("hasty")};
    br_diag diag{};
    fill(hasty, 20 * second);
    made = nullptr;
    const br_status status = br_plan_make(hasty.get(), cluster.get(), nullptr, &made, &diag);
    Plan none{made};
    expect(status != BR_OK && !made, "the deadline that nobody can keep is refused");
    std::printf("%u tasks in %.0f s\n%s\n", br_plan_task_count(plan.get()),
                static_cast<double>(br_plan_makespan_ns(plan.get())) / second, diag.what);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "held: %s\n", error.what());
    return 1;
}
