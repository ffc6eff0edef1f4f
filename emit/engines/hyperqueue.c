/* A Python script that hands the tasks to HyperQueue, with priorities and demands. */
#include "emit/engines/tuples.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <stdio.h>

static const char body[] =
    "\n"
    "\n"
    "def main():\n"
    "    here = len(sys.argv) < 2\n"
    "    job = Job(max_fails=None)\n"
    "    task = {}\n"
    "    for name, parents, priority, cpus, others, line in TASKS:\n"
    "        words = ['/bin/true'] if line is None else ['/bin/sh', '-c', line]\n"
    "        task[name] = job.program(words, name=name, deps=[task[p] for p in parents],\n"
    "                                 priority=priority, stdout=None, stderr=None,\n"
    "                                 resources=ResourceRequest(cpus=cpus, resources=\n"
    "                                                           {} if here else dict(others)))\n"
    "    cluster = LocalCluster(worker_config=WorkerConfig(cores=CORES)) if here else None\n"
    "    client = cluster.client() if here else Client(sys.argv[1])\n"
    "    done = client.wait_for_jobs([client.submit(job)], raise_on_error=False)\n"
    "    if here:\n"
    "        cluster.stop()\n"
    "    if not done:\n"
    "        sys.exit('not all tasks have finished')\n"
    "\n"
    "\n"
    "if __name__ == '__main__':\n"
    "    main()\n";

/* In HyperQueue, names of resources are letters, digits and slashes. */
static enum br_status hyperqueue_write_resource(FILE *out, const struct br_engine *engine,
                                                const struct br_limit *limit, struct br_diag *diag)
{
    char name[80] = "";
    FILE *memory = fmemopen(name, sizeof name, "w");
    if (!memory)
        return br_fail_memory(diag);
    br_engine_resource(memory, engine, limit);
    fclose(memory);
    for (const char *at = name; *at; at++)
        putc(*at == '_' ? '/' : *at, out);
    return BR_OK;
}

/* HyperQueue knows the memory of its workers as "mem", in MiB. */
static enum br_status hyperqueue_write_others(FILE *out, const struct br_engine *engine,
                                              uint32_t stage, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    const int64_t mib = 1 << 20, bytes = engine->need[stage].mem_bytes;
    const char *before = "";
    putc('{', out);
    if (bytes > 0) {
        fprintf(out, "\"mem\": %" PRId64, bytes / mib + (bytes % mib != 0));
        before = ", ";
    }
    for (uint32_t l = 0; l < engine->limits.count && !status; l++) {
        const struct br_limit *limit = &engine->limits.limit[l];
        int64_t amount = br_limit_demand(limit, engine->dag, stage);
        if (!br_limit_is_other(limit) || amount == 0)
            continue;
        fprintf(out, "%s\"", before);
        status = hyperqueue_write_resource(out, engine, limit, diag);
        fprintf(out, "\": %" PRId64, amount);
        before = ", ";
    }
    putc('}', out);
    return status;
}

static enum br_status hyperqueue_write_demands(FILE *out, const struct br_engine *engine,
                                               uint32_t task, struct br_diag *diag)
{
    uint32_t stage = br_dag_task_stage(engine->dag, task);
    fprintf(out, "%" PRIu32 ", %" PRIu32 ", ", br_engine_priority(engine, task),
            engine->need[stage].cpus);
    return hyperqueue_write_others(out, engine, stage, diag);
}

/* the least part of a core: HyperQueue has no task without cores */
static void hyperqueue_write_joint(FILE *out, const struct br_engine *engine)
{
    fprintf(out, "%" PRIu32 ", 0.0001, {}", engine->dag->tasks + 1);
}

static const struct br_tuple_form hyperqueue_form = {hyperqueue_write_demands,
                                                     hyperqueue_write_joint, false};

enum br_status br_emit_hyperqueue(const struct br_emit_input *input, FILE *out,
                                  struct br_diag *diag)
{
    static const char *const usage[] = {
        "Run it by: python3 FILE DIR, the directory of a server's files (hq server start);",
        "without one, the cores of this machine are the worker. It needs the package hyperqueue.",
        NULL};
    static const char *const left_out[] = {
        "machines and start times: any worker that has the resources takes the next task",
        "without a server: all resources but cores, which such a worker does not know", NULL};
    struct br_engine engine;
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (status)
        return status;
    engine.others_where = "workers have it, as by --resource \"net=sum(12)\", with / for _";
    fputs("#!/usr/bin/env python3\n", out);
    br_engine_header(out, "#", &engine, usage, BR_KEEPS_ALL, left_out);
    fputs("import sys\n\nfrom hyperqueue import Client, Job, LocalCluster\n"
          "from hyperqueue.cluster import WorkerConfig\n"
          "from hyperqueue.ffi.protocol import ResourceRequest\n\n",
          out);
    if (engine.cpus)
        fprintf(out, "CORES = %" PRIu32 "\n", engine.cpus);
    else
        fputs("CORES = None # all\n", out);
    fputs("# In the plan's order: name, parents, priority, cores, other resources, line for a "
          "shell.\n",
          out);
    status = br_engine_tuples(out, &engine, &hyperqueue_form, diag);
    fputs(body, out);
    br_engine_finish(&engine);
    return status;
}
