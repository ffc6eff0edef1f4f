/* A Python script that hands the tasks to HyperQueue, with priorities and demands. */
#include "emit/engines/hyperqueue.h"
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

/* What HyperQueue knows as "mem", in MiB. */
static int64_t hyperqueue_mib(const struct br_engine *engine, uint32_t stage)
{
    const int64_t mib = 1 << 20, bytes = engine->need[stage].mem_bytes;
    return bytes / mib + (bytes % mib != 0);
}

static enum br_status hyperqueue_check(const struct br_stage *stage, const char *resource,
                                       int64_t amount, struct br_diag *diag)
{
    if (amount <= (int64_t)UINT32_MAX)
        return BR_OK;
    return br_fail_at(diag, stage->pos, BR_BAD_INPUT, "count the resource in a larger unit",
                      "tasks of '%.80s' take %" PRId64
                      " of '%.80s', and HyperQueue counts up to %" PRIu32,
                      stage->id, amount, resource, UINT32_MAX);
}

static enum br_status hyperqueue_check_all(const struct br_engine *engine, struct br_diag *diag)
{
    const struct br_dag *dag = engine->dag;
    for (uint32_t s = 0; s < dag->stages; s++) {
        enum br_status status =
            hyperqueue_check(&dag->stage[s], "mem", hyperqueue_mib(engine, s), diag);
        for (uint32_t l = 0; l < engine->limits.count && !status; l++) {
            const struct br_limit *limit = &engine->limits.limit[l];
            if (br_limit_is_other(limit))
                status = hyperqueue_check(&dag->stage[s], dag->resource[limit->resource].name,
                                          br_limit_demand(limit, dag, s), diag);
        }
        if (status)
            return status;
    }
    return BR_OK;
}

enum br_status br_hyperqueue_begin(struct br_engine *engine, const struct br_emit_input *input,
                                   struct br_diag *diag)
{
    enum br_status status = br_engine_init_commands(engine, input, diag);
    if (!status)
        status = hyperqueue_check_all(engine, diag);
    /* How workers come to know resources other than cores and memory. */
    engine->others_where = "workers have it, as by --resource \"net=sum(12)\", with / for _";
    if (status)
        br_engine_finish(engine);
    return status;
}

enum br_status br_hyperqueue_others(FILE *out, const struct br_engine *engine, uint32_t stage,
                                    const char *before, const char *is, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    if (engine->need[stage].mem_bytes > 0) {
        fprintf(out, "%s\"mem\"%s%" PRId64, before, is, hyperqueue_mib(engine, stage));
        before = ", ";
    }
    for (uint32_t l = 0; l < engine->limits.count && !status; l++) {
        const struct br_limit *limit = &engine->limits.limit[l];
        int64_t amount = br_limit_demand(limit, engine->dag, stage);
        if (!br_limit_is_other(limit) || amount == 0)
            continue;
        fprintf(out, "%s\"", before);
        status = hyperqueue_write_resource(out, engine, limit, diag);
        fprintf(out, "\"%s%" PRId64, is, amount);
        before = ", ";
    }
    return status;
}

static enum br_status hyperqueue_write_demands(FILE *out, const struct br_engine *engine,
                                               uint32_t task, struct br_diag *diag)
{
    uint32_t stage = br_dag_task_stage(engine->dag, task);
    fprintf(out, "%" PRIu32 ", %" PRIu32 ", ", br_engine_priority(engine, task),
            engine->need[stage].cpus);
    putc('{', out);
    const enum br_status status = br_hyperqueue_others(out, engine, stage, "", ": ", diag);
    putc('}', out);
    return status;
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
    enum br_status status = br_hyperqueue_begin(&engine, input, diag);
    if (status)
        return status;
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
