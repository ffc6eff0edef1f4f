/* A Python script that hands the tasks to Dask's distributed scheduler, with priorities, and with
 * demands as abstract resources that its workers declare. */
#include "emit/engines/tuples.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <stdio.h>

static const char body[] =
    "\n"
    "\n"
    "def run(line, *parents):\n"
    "    subprocess.run(['/bin/sh', '-c', line], check=True)\n"
    "\n"
    "\n"
    "def joint(*parents):\n"
    "    pass\n"
    "\n"
    "\n"
    "def main():\n"
    "    if len(sys.argv) > 1:\n"
    "        client = Client(sys.argv[1])\n"
    "    else:\n"
    "        client = Client(LocalCluster(n_workers=1, threads_per_worker=THREADS,\n"
    "                                     processes=False, dashboard_address=None,\n"
    "                                     resources=MACHINE))\n"
    "    future = {}\n"
    "    for name, parents, priority, resources, line in TASKS:\n"
    "        waits = [future[p] for p in parents]\n"
    "        if line is None:\n"
    "            future[name] = client.submit(joint, *waits, key=name, priority=priority)\n"
    "        else:\n"
    "            future[name] = client.submit(run, line, *waits, key=name, pure=False,\n"
    "                                         priority=priority, resources=resources)\n"
    "    # All of them, also after a failure: what does not depend on it goes on.\n"
    "    wait(list(future.values()))\n"
    "    failed = [name for name in future if future[name].status != 'finished']\n"
    "    client.close()\n"
    "    if failed:\n"
    "        sys.exit('not finished: ' + ' '.join(failed))\n"
    "\n"
    "\n"
    "if __name__ == '__main__':\n"
    "    main()\n";

static void write_amount(FILE *out, const char *name, struct br_decimal amount, bool *any)
{
    fputs(*any ? ", \"" : "\"", out);
    br_write_text(out, BR_QUOTE_JSON, name);
    fputs("\": ", out);
    br_write_decimal(out, amount);
    *any = true;
}

/* The amounts of the largest machine, of the resources that tasks take. */
static void write_machine(FILE *out, const struct br_engine *engine)
{
    bool any = false;
    fputs("MACHINE = {", out);
    for (uint32_t l = 0; l < engine->limits.count; l++) {
        const struct br_limit *limit = &engine->limits.limit[l];
        if (br_engine_is_held(engine, limit->resource))
            continue;
        write_amount(out, engine->dag->resource[limit->resource].name,
                     br_decimal_unscale(limit->most, limit->digits), &any);
    }
    fputs("}\n", out);
}

static enum br_status dask_write_demands(FILE *out, const struct br_engine *engine, uint32_t task,
                                         struct br_diag *diag)
{
    const struct br_dag *dag = engine->dag;
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, task)];
    bool any = false;
    (void)diag;
    fprintf(out, "%" PRIu32 ", {", br_engine_priority(engine, task));
    for (uint32_t d = 0; d < stage->demands; d++) {
        const struct br_demand *demand = &dag->demand[stage->first_demand + d];
        if (demand->amount.mantissa > 0 && !br_engine_is_held(engine, demand->resource))
            write_amount(out, dag->resource[demand->resource].name, demand->amount, &any);
    }
    putc('}', out);
    return BR_OK;
}

static void dask_write_joint(FILE *out, const struct br_engine *engine)
{
    fprintf(out, "%" PRIu32 ", {}", engine->dag->tasks + 1);
}

static const struct br_tuple_form dask_form = {dask_write_demands, dask_write_joint, false};

/* Workers count their own resources only. */
static enum br_status refuse_spread(const struct br_engine *engine, struct br_diag *diag)
{
    const struct br_cluster *cluster = engine->input->cluster;
    for (uint32_t l = 0; l < engine->limits.count && cluster->machines > 1; l++) {
        const uint32_t resource = engine->limits.limit[l].resource;
        const char *name = engine->dag->resource[resource].name;
        if (br_cluster_shared(cluster, name) && !br_engine_is_held(engine, resource))
            return br_fail(diag, BR_BAD_INPUT, "plan it for one machine",
                           "the format dask cannot share '%.80s' between workers", name);
    }
    return BR_OK;
}

enum br_status br_emit_dask(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    static const char *const usage[] = {
        "Run it by: python3 FILE [ADDRESS of a scheduler]; without one, workers are threads here.",
        "Workers elsewhere declare what they have: dask worker ADDRESS --resources \"cpu=16 ...\".",
        NULL};
    const char *left_out[] = {
        "machines and start times: any worker that has the resources takes the next task",
        "the order of a task that becomes ready late: priorities decide among what is ready", NULL,
        NULL};
    struct br_engine engine;
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (status)
        return status;
    status = refuse_spread(&engine, diag);
    if (!status)
        status = br_engine_hand_over(&engine, "the format dask", diag);
    if (status) {
        br_engine_finish(&engine);
        return status;
    }
    if (engine.handover.first)
        left_out[2] =
            "other orders of what is held: a task also waits for those whose end frees its "
            "room in the plan";
    fputs("#!/usr/bin/env python3\n", out);
    br_engine_header(out, "#", &engine, usage, BR_KEEPS_ALL, left_out);
    fprintf(
        out,
        "import subprocess\nimport sys\n\nfrom distributed import Client, LocalCluster, wait\n\n"
        "THREADS = %" PRIu32 "\n",
        engine.most_at_once);
    write_machine(out, &engine);
    fputs("# In the plan's order: name, parents, priority, demands, line for a shell.\n", out);
    status = br_engine_tuples(out, &engine, &dask_form, diag);
    fputs(body, out);
    br_engine_finish(&engine);
    return status;
}
