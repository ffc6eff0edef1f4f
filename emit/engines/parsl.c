/* A Python script that hands the tasks to Parsl. Its executor for many nodes takes the priority of
 * a task and nothing else, so tasks are chained. The next task of a chain waits for an end, good or
 * bad. */
#include "emit/engines/tuples.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <stdio.h>

static const char imports[] = "import importlib\n"
                              "import os\n"
                              "import sys\n"
                              "import tempfile\n"
                              "import threading\n"
                              "from concurrent.futures import Future, wait\n"
                              "\n"
                              "import parsl\n"
                              "from parsl.providers import LocalProvider\n"
                              "\n";

static const char body[] =
    "\n"
    "\n"
    "@parsl.python_app\n"
    "def command(line, inputs=(), parsl_resource_specification={}):\n"
    "    import subprocess\n"
    "    subprocess.run(['/bin/sh', '-c', line], check=True)\n"
    "\n"
    "\n"
    "def after(tasks, heed):\n"
    "    \"\"\"A future that ends with the last of them; with heed, badly if one did.\"\"\"\n"
    "    future, lock, left, bad = Future(), threading.Lock(), set(range(len(tasks))), []\n"
    "\n"
    "    def end(number, task):\n"
    "        with lock:\n"
    "            left.discard(number)\n"
    "            if heed and task.exception():\n"
    "                bad.append(task.exception())\n"
    "            last = not left\n"
    "        if last and bad:\n"
    "            future.set_exception(bad[0])\n"
    "        elif last:\n"
    "            future.set_result(None)\n"
    "\n"
    "    for number, task in enumerate(tasks):\n"
    "        task.add_done_callback(lambda task, number=number: end(number, task))\n"
    "    return future\n"
    "\n"
    "\n"
    "def here(folder):\n"
    "    \"\"\"This machine, with as many workers as the plan has tasks at once.\"\"\"\n"
    "    # Parsl's own programs are beside Python.\n"
    "    os.environ['PATH'] = os.path.dirname(sys.executable) + os.pathsep + os.environ['PATH']\n"
    "    return parsl.Config(\n"
    "        run_dir=folder, initialize_logging=False, strategy='none', executors=[\n"
    "            parsl.HighThroughputExecutor(\n"
    "                label='here', address='127.0.0.1', loopback_address='127.0.0.1',\n"
    "                encrypted=False, max_workers_per_node=AT_ONCE, cores_per_worker=0.5 / "
    "AT_ONCE,\n"
    "                provider=LocalProvider(init_blocks=1, max_blocks=1))])\n"
    "\n"
    "\n"
    "def run(config):\n"
    "    future, ended = {}, {}\n"
    "    with parsl.load(config):\n"
    "        for name, parents, priority, line, room in TASKS:\n"
    "            waits = [future[parent] for parent in parents]\n"
    "            if line is None:\n"
    "                future[name] = after(waits, True)\n"
    "                continue\n"
    "            for before in room:\n"
    "                if before not in ended:\n"
    "                    ended[before] = after([future[before]], False)\n"
    "                waits.append(ended[before])\n"
    "            future[name] = command(line, inputs=waits,\n"
    "                                   parsl_resource_specification={'priority': priority})\n"
    "        wait(future.values())\n"
    "    failed = [name for name in future if future[name].exception()]\n"
    "    if failed:\n"
    "        sys.exit('not finished: ' + ' '.join(failed))\n"
    "\n"
    "\n"
    "if __name__ == '__main__':\n"
    "    if len(sys.argv) > 1:\n"
    "        run(importlib.import_module(sys.argv[1]).config)\n"
    "    else:\n"
    "        with tempfile.TemporaryDirectory() as scratch:\n"
    "            run(here(scratch))\n";

/* For Parsl, a smaller number goes first. */
static enum br_status parsl_write_demands(FILE *out, const struct br_engine *engine, uint32_t task,
                                          struct br_diag *diag)
{
    (void)diag;
    fprintf(out, "%" PRIu32, engine->input->plan->rank[task]);
    return BR_OK;
}

static void parsl_write_joint(FILE *out, const struct br_engine *engine)
{
    (void)engine;
    putc('0', out);
}

static const struct br_tuple_form parsl_form = {parsl_write_demands, parsl_write_joint, true};

enum br_status br_emit_parsl(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    static const char *const usage[] = {
        "Run it by: python3 FILE [MODULE whose `config` is your site's]; without one, workers run",
        "here. The site has HighThroughputExecutors alone, which know priorities (2025.7 or "
        "later).",
        NULL};
    static const char *const left_out[] = {
        "machines and start times: any worker takes what is ready, smaller priority first;",
        "  limits are of all machines together",
        "room that is free early: a task waits for those that leave it theirs", NULL};
    struct br_engine engine;
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (!status)
        status = br_engine_chain(&engine, BR_CHAIN_ALL, BR_KEEPS_ALL, diag);
    if (!status) {
        fputs("#!/usr/bin/env python3\n", out);
        br_engine_header(out, "#", &engine, usage, BR_KEEPS_ALL, left_out);
        fputs(imports, out);
        fprintf(out,
                "AT_ONCE = %" PRIu32 "\n# In the plan's order: name, parents, priority, line for a "
                "shell,\n# and those whose room the task takes.\n",
                engine.most_at_once);
        status = br_engine_tuples(out, &engine, &parsl_form, diag);
        fputs(body, out);
    }
    br_engine_finish(&engine);
    return status;
}
