/* Tasks as steps of an existing allocation: the enforcer runs in it, and runs srun instead of the
 * task's process on this machine. To Slurm, starting a step is far less work than starting a
 * job. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/diag.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "runtime/drivers/local/local.h"
#include "runtime/drivers/slurm/slurm.h"

enum { WORDS = 9 };

struct steps {
    const struct br_run_jobs *jobs;
    struct br_arena arena;
    struct br_slurm_need **need; /* by job */
    char **node;                 /* by machine */
    char cpus[32], memory[48];
    char **word;
    size_t room;
};

/* The task's words after those of srun. */
static char *const *wrap(void *context, const struct br_run_job *job, uint32_t task,
                         uint32_t machine, char *const *words)
{
    struct steps *steps = context;
    const struct br_slurm_need *need =
        &steps->need[job - steps->jobs->job][br_dag_task_stage(job->dag, task)];
    assert((uint32_t)(job - steps->jobs->job) < steps->jobs->count);
    size_t count = 0, used = 0;
    while (words[count])
        count++;
    if (count + WORDS + 1 > steps->room) {
        char **word = realloc(steps->word, (count + WORDS + 1) * 2 * sizeof *word);
        if (!word)
            return NULL;
        steps->word = word;
        steps->room = (count + WORDS + 1) * 2;
    }
    snprintf(steps->cpus, sizeof steps->cpus, "--cpus-per-task=%u", need->cpus);
    /* A step without this would get the allocation's default, for which others would wait. */
    snprintf(steps->memory, sizeof steps->memory, need->kib ? "--mem=%lldK" : "--mem=%lld",
             (long long)need->kib);
    const char *before[WORDS] = {"srun",       "--exact",    "--nodes=1",          "--ntasks=1",
                                 "--quiet",    "--nodelist", steps->node[machine], steps->cpus,
                                 steps->memory};
    for (size_t k = 0; k < WORDS; k++)
        steps->word[used++] = (char *)before[k];
    memcpy(steps->word + used, words, (count + 1) * sizeof *words);
    return steps->word;
}

/* The names of the allocation's nodes, the k-th for machine k. */
static enum br_status name_nodes(struct steps *steps, const struct br_cluster *cluster,
                                 struct br_diag *diag)
{
    const char *list = getenv("SLURM_JOB_NODELIST");
    const char *argv[] = {"scontrol", "show", "hostnames", list ? list : "", NULL};
    char *text;
    uint32_t count = 0;
    steps->node = br_arena_array(&steps->arena, cluster->machines, sizeof *steps->node);
    if (!steps->node)
        return br_fail_memory(diag);
    enum br_status status = br_slurm_ask(argv, &text, diag);
    if (status)
        return status;
    for (char *name = strtok(text, "\n"); name && count < cluster->machines;
         name = strtok(NULL, "\n"))
        if (!(steps->node[count++] = br_arena_text(&steps->arena, name)))
            status = br_fail_memory(diag);
    free(text);
    if (!status && count < cluster->machines)
        return br_fail(diag, BR_USAGE, "ask salloc or sbatch for as many nodes",
                       "the cluster has %u machines, and the allocation %u", cluster->machines,
                       count);
    return status;
}

static enum br_status find_needs(struct steps *steps, struct br_diag *diag)
{
    steps->need = br_arena_array(&steps->arena, steps->jobs->count, sizeof(struct br_slurm_need *));
    for (uint32_t k = 0; steps->need && k < steps->jobs->count; k++)
        if (!(steps->need[k] = br_slurm_needs(&steps->arena, steps->jobs->job[k].dag, NULL, NULL)))
            return br_fail_memory(diag);
    return steps->need ? BR_OK : br_fail_memory(diag);
}

enum br_status br_slurm_run_steps(const struct br_cluster *cluster, const struct br_run_jobs *jobs,
                                  const struct br_run_options *options,
                                  struct br_run_result *result, struct br_diag *diag)
{
    struct steps steps = {.jobs = jobs};
    struct br_run_options inner = *options;
    *result = (struct br_run_result){0};
    if (!getenv("SLURM_JOB_ID"))
        return br_fail(diag, BR_USAGE,
                       "put salloc before it, such as: salloc --nodes=3 bigrocks run",
                       "steps need a Slurm allocation, and there is none");
    enum br_status status = find_needs(&steps, diag);
    if (!status)
        status = name_nodes(&steps, cluster, diag);
    const struct br_slurm_allocation allocation = br_slurm_allocation();
    if (!status)
        status = br_slurm_allocation_suffices(&allocation, cluster, jobs, diag);
    inner.wrap = wrap;
    inner.wrap_context = &steps;
    if (!status)
        status = br_local_run(cluster, jobs, NULL, &inner, result, diag);
    free(steps.word);
    br_arena_finish(&steps.arena);
    return status;
}
