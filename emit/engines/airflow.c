/* An Airflow DAG in Python: an operator per task, weights in the plan's order. Airflow counts tasks
 * and slots of one pool, so tasks are chained. The next task of a chain waits only for an end, good
 * or bad; an operator without work says so. */
#include "emit/engines/tuples.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char body[] =
    "\n"
    "\n"
    "class Command(BashOperator):\n"
    "    \"\"\"Runs its line as it stands: none of it is a template, and no exit status "
    "skips.\"\"\"\n"
    "    template_fields = ()\n"
    "    template_ext = ()\n"
    "\n"
    "    def __init__(self, *, line, **options):\n"
    "        super().__init__(bash_command='', **options)\n"
    "        self.line = line\n"
    "\n"
    "    def execute(self, context):\n"
    "        code = self.subprocess_hook.run_command(\n"
    "            command=['/bin/sh', '-c', self.line], env=self.get_env(context)).exit_code\n"
    "        if code != 0:\n"
    "            raise AirflowException('the command ended with status %d' % code)\n"
    "\n"
    "\n"
    "with DAG(dag_id=NAME, schedule=None, start_date=datetime(2000, 1, 1), catchup=False,\n"
    "         max_active_tasks=AT_ONCE, tags=['bigrocks']) as dag:\n"
    "    operator = {}\n"
    "    for name, parents, weight, cpus, line, room in TASKS:\n"
    "        if line is None:\n"
    "            operator[name] = EmptyOperator(task_id=name)\n"
    "        else:\n"
    "            operator[name] = Command(\n"
    "                task_id=name, line=line, priority_weight=weight, weight_rule='absolute',\n"
    "                **({'pool': POOL, 'pool_slots': cpus} if POOL else {}))\n"
    "    for name, parents, *_ in TASKS:\n"
    "        for parent in parents:\n"
    "            operator[parent] >> operator[name]\n"
    "    # What takes the room of others waits for their end, also for a bad one.\n"
    "    ended = {}\n"
    "    for name, *_, room in TASKS:\n"
    "        for before in room:\n"
    "            if before not in ended:\n"
    "                ended[before] = EmptyOperator(task_id=before + '_ended', "
    "trigger_rule='all_done')\n"
    "                operator[before] >> ended[before]\n"
    "            ended[before] >> operator[name]\n";

static enum br_status airflow_write_demands(FILE *out, const struct br_engine *engine,
                                            uint32_t task, struct br_diag *diag)
{
    (void)diag;
    fprintf(out, "%" PRIu32 ", %" PRIu32, br_engine_priority(engine, task),
            engine->need[br_dag_task_stage(engine->dag, task)].cpus);
    return BR_OK;
}

static void airflow_write_joint(FILE *out, const struct br_engine *engine)
{
    (void)engine;
    fputs("0, 0", out);
}

static const struct br_tuple_form airflow_form = {airflow_write_demands, airflow_write_joint, true};

/* An id of a DAG may have letters, digits, dashes, dots and underscores. */
static void airflow_write_id(FILE *out, const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    for (; *name; name++)
        putc(strchr(plain, *name) ? *name : '_', out);
}

enum br_status br_emit_airflow(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    static const char *const usage[] = {
        "Put it into Airflow's folder of DAGs (2.4 or later), and trigger it there.",
        "To share cores with other DAGs, make a pool of as many slots, and name it below.", NULL};
    static const char *const left_out[] = {
        "machines and start times: executors take what is ready, higher priority_weight first;",
        "  limits are of all machines together",
        "room that is free early: a task waits for those that leave it theirs",
        "short tasks: Airflow's scheduler takes a second or two between an end and a start", NULL};
    struct br_engine engine;
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (!status)
        status = br_engine_chain(&engine, BR_CHAIN_ALL, BR_KEEPS_ALL, diag);
    if (status) {
        br_engine_finish(&engine);
        return status;
    }
    br_engine_header(out, "#", &engine, usage, BR_KEEPS_ALL, left_out);
    fputs("from datetime import datetime\n\nfrom airflow import DAG\n"
          "from airflow.exceptions import AirflowException\n"
          "from airflow.operators.bash import BashOperator\n"
          "from airflow.operators.empty import EmptyOperator\n\nNAME = \"",
          out);
    airflow_write_id(out, *input->dag->name ? input->dag->name : "job");
    fprintf(out,
            "\"\nAT_ONCE = %" PRIu32 "\nPOOL = None\n"
            "# In the plan's order: name, parents, weight, cores, line for a shell,\n"
            "# and those whose room the task takes.\n",
            engine.most_at_once);
    status = br_engine_tuples(out, &engine, &airflow_form, diag);
    fputs(body, out);
    br_engine_finish(&engine);
    return status;
}
