/* How a build tool with processes of its own uses the planner: it plans the build, hands the plan
 * to the enforcer, and starts what the enforcer decides, so that memory is kept and the long
 * commands come first. The enforcer has no clock and no processes; both are here. */
#include <bigrocks/bigrocks.h>
#include <bigrocks/runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TASKS = 7 };

/* Stand-ins for compilers and a linker; `seconds` and `mib` are what an earlier build measured. */
static const struct {
    const char *id, *command;
    double seconds;
    const char *mib;
    int parents[4]; /* -1 ends them */
} tasks[TASKS] = {
    {"parser.c", "sleep 0.02", 0.02, "100", {-1}},
    {"parser.o", "sleep 0.1", 0.1, "300", {0, -1}},
    {"util.o", "sleep 0.02", 0.02, "80", {-1}},
    {"main.o", "sleep 0.03", 0.03, "90", {-1}},
    {"tables.o", "sleep 0.12", 0.12, "700", {-1}},
    {"docs", "sleep 0.05", 0.05, "40", {-1}},
    {"program", "sleep 0.05", 0.05, "600", {1, 2, 3, -1}},
};

static void fail(const struct br_diag *diag)
{
    char text[1400];
    br_diag_format(diag, text, sizeof text);
    fprintf(stderr, "build_tool: %s\n", text);
    exit(1);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static pid_t start(const char *command)
{
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return child;
}

static struct br_dag *build_job(struct br_diag *diag)
{
    struct br_dag *dag = br_dag_create("build");
    uint32_t stage;
    for (uint32_t t = 0; dag && t < TASKS; t++) {
        if (br_dag_add_stage(dag, tasks[t].id, 1, (int64_t)(tasks[t].seconds * 1e9), &stage,
                             diag) ||
            br_dag_add_demand(dag, stage, "cpu", "1", diag) ||
            br_dag_add_demand(dag, stage, "mib", tasks[t].mib, diag))
            fail(diag);
        for (const int *parent = tasks[t].parents; *parent >= 0; parent++)
            if (br_dag_add_edge(dag, (uint32_t)*parent, stage, BR_BARRIER, diag))
                fail(diag);
    }
    if (!dag || br_dag_finish(dag, diag))
        fail(diag);
    return dag;
}

int main(void)
{
    struct br_diag diag = {0};
    struct br_cluster *machine = br_cluster_create("here");
    struct br_plan *plan;
    struct br_runtime *runtime;
    uint32_t job, done = 0, running = 0;
    pid_t child[TASKS] = {0};
    if (!machine || br_cluster_add_class(machine, "here", 1, NULL, &diag) ||
        br_cluster_add_capacity(machine, 0, "cpu", "3", &diag) ||
        br_cluster_add_capacity(machine, 0, "mib", "1000", &diag))
        fail(&diag);
    struct br_dag *dag = build_job(&diag);
    if (br_plan_make(dag, machine, NULL, &plan, &diag) ||
        br_runtime_create(machine, NULL, &runtime, &diag) ||
        br_runtime_submit(runtime, dag, plan, 0, BR_READY_BY_EDGES, &job, &diag))
        fail(&diag);
    printf("planned: %.2f s\n", (double)br_plan_makespan_ns(plan) / 1e9);
    while (done < TASKS) {
        struct br_decision decision;
        while (br_runtime_decide(runtime, BR_ANY, now_ns(), &decision, 1) == 1) {
            printf("start %s\n", tasks[decision.task].id);
            fflush(stdout);
            child[decision.task] = start(tasks[decision.task].command);
            running++;
        }
        if (running == 0)
            return 1; /* what failed is needed by all that is left */
        int status;
        pid_t ended = wait(&status);
        for (uint32_t t = 0; t < TASKS; t++)
            if (child[t] == ended) {
                bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
                if (ok ? br_runtime_finished(runtime, job, t, &diag)
                       : br_runtime_failed(runtime, job, t, false, &diag))
                    fail(&diag);
                done += ok;
                running--;
            }
    }
    printf("built %u targets\n", (unsigned)done);
    br_runtime_destroy(runtime);
    br_plan_destroy(plan);
    br_dag_destroy(dag);
    br_cluster_destroy(machine);
    return 0;
}
