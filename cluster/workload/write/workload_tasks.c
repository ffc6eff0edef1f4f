/* A workload as a table of jobs with the durations of their tasks, and their features. */
#include <inttypes.h>
#include <string.h>

#include "cluster/workload/write/form.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

/* Consecutive stages, in their order, each after a barrier. */
static bool is_chain(const struct br_dag *dag)
{
    bool behind = dag->edges + 1 == dag->stages;
    for (uint32_t e = 0; e < dag->edges && behind; e++)
        behind = dag->edge[e].parent == e && dag->edge[e].child == e + 1 &&
                 dag->edge[e].type == BR_BARRIER;
    return behind;
}

/* The demand of every task for the resource; 0 if there is none. False: they differ. */
static bool find_demand(const struct br_dag *dag, const char *name, struct br_decimal *amount)
{
    uint32_t with = 0;
    *amount = (struct br_decimal){0, 0};
    for (uint32_t d = 0; d < dag->demands; d++) {
        if (strcmp(dag->resource[dag->demand[d].resource].name, name) != 0)
            continue;
        if (with++ && br_decimal_compare(*amount, dag->demand[d].amount) != 0)
            return false;
        *amount = dag->demand[d].amount;
    }
    return with == 0 || with == dag->stages;
}

const char *br_tasks_fault(const struct br_dag *dag)
{
    struct br_decimal amount;
    if (!is_chain(dag))
        return "its stages do not follow one another";
    for (uint32_t r = 0; r < dag->resources; r++)
        if (strcmp(dag->resource[r].name, "cpu") != 0 && strcmp(dag->resource[r].name, "mem") != 0)
            return "it demands more than cpu and mem";
    if (!find_demand(dag, "cpu", &amount) || !find_demand(dag, "mem", &amount))
        return "its stages differ in their demands";
    for (uint32_t t = 1; t < dag->tasks; t++)
        if (dag->duration_ns[t] != dag->duration_ns[0])
            return "its tasks differ in what is declared";
    return NULL;
}

static void write_durations(FILE *out, const struct br_workload *workload,
                            const struct br_workload_job *job)
{
    const struct br_dag *dag = workload->dag[job->dag].dag;
    const int64_t *ns = job->true_ns ? job->true_ns : dag->duration_ns;
    for (uint32_t s = 0, t = 0; s < dag->stages; s++)
        for (uint32_t k = 0; k < dag->stage[s].tasks; k++, t++) {
            if (t)
                putc(k ? ' ' : ';', out);
            br_write_seconds(out, ns[t]);
        }
}

static void workload_tasks_write_job(FILE *out, const struct br_workload *workload,
                                     const struct br_workload_job *job)
{
    const struct br_dag *dag = workload->dag[job->dag].dag;
    struct br_decimal amount;
    br_write_table_text(out, job->id);
    putc(',', out);
    br_write_seconds(out, job->arrival_ns);
    putc(',', out);
    br_write_table_text(out, job->group ? workload->group[job->group].name : "");
    putc(',', out);
    br_write_real(out, job->weight);
    putc(',', out);
    if (job->deadline_ns != BR_NEVER)
        br_write_seconds(out, job->deadline_ns);
    putc(',', out);
    br_write_seconds(out, dag->duration_ns[0]);
    putc(',', out);
    find_demand(dag, "cpu", &amount);
    br_write_decimal(out, amount);
    putc(',', out);
    find_demand(dag, "mem", &amount);
    br_write_decimal(out, amount);
    for (uint32_t f = 0; f < workload->features; f++) {
        putc(',', out);
        br_write_table_text(out, job->feature && job->feature[f] ? job->feature[f] : "");
    }
    putc(',', out);
    write_durations(out, workload, job);
    putc('\n', out);
}

void br_write_workload_tasks(const struct br_workload *workload, const char *const *path, FILE *out)
{
    fputs("id,arrival,group,weight,deadline,seconds,cpu,mem", out);
    for (uint32_t f = 0; f < workload->features; f++) {
        putc(',', out);
        br_write_table_text(out, workload->feature[f]);
    }
    fputs(",durations\n", out);
    for (uint32_t j = 0; j < workload->jobs && !ferror(out); j++)
        workload_tasks_write_job(out, workload, &workload->job[j]);
}
