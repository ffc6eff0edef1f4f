/* The words of options that take a choice, each with a line on it, unless another room has the
 * table. */
#include "cli/common/choices.h"

#include <stddef.h>

#include "generate/generate.h"
#include "cluster/workload/traces.h"

struct choice {
    const char *name, *summary;
};

/* Defines the two functions of a table. */
#define CHOICE(option, table)                                                                      \
    const char *cli_##option##_name(uint32_t k)                                                    \
    {                                                                                              \
        return k < sizeof table / sizeof *table ? table[k].name : NULL;                            \
    }                                                                                              \
    const char *cli_##option##_summary(uint32_t k)                                                 \
    {                                                                                              \
        return k < sizeof table / sizeof *table ? table[k].summary : NULL;                         \
    }

static const struct choice efforts[] = {
    {"fast", "all methods and justification; few sets of troublesome tasks"},
    {"default", "many sets, and a search of some seconds"},
    {"max", "searches on until the bound, a limit or Ctrl-C"},
};
CHOICE(effort, efforts)

static const struct choice plan_bounds[] = {
    {"none", "the critical path, not proven: the least that a plan can cost"},
    {"cheap", "what takes linear time: critical path, waves of stages, work"},
    {"full", "the best by arguments without a search"},
};
CHOICE(plan_bound, plan_bounds)

static const struct choice plan_objectives[] = {
    {"makespan", "the shortest plan; of equal ones that in which the jobs of one file end sooner"},
    {"mean", "jobs, or the last stages of one, end soon on average"},
    {"weighted", "the same by the attribute weight of stages"},
};
CHOICE(plan_objective, plan_objectives)

static const struct choice jobservers[] = {
    {"pipe",
     "one of our own, as GNU make up to 4.3 and cargo know it; as many as there are processors"},
    {"fifo", "the same as a named pipe, for GNU make from 4.4, cargo and ninja from 1.13"},
    {"none", "none, also where make has one"},
};
CHOICE(jobserver, jobservers)

static const struct choice transfers[] = {
    {"delay", "a file handed on delays the reader by size / rate"},
    {"demand", "both ends demand the resource \"net\""},
    {"keep", "bytes of the edge, for plan --network; takes no rate"},
};
CHOICE(transfer, transfers)

static const struct choice colours[] = {
    {"auto", "by subset where the plan has subsets, else by stage"},
    {"subset", "by the subset through which a task was placed"},
    {"stage", "by stage"},
    {"machine", "by machine; dot alone"},
    {"input", "as the job's file says; dot alone"},
};
CHOICE(colour, colours)

static const struct choice layouts[] = {
    {"graph", "as Graphviz puts them"},
    {"depth", "a line for every depth: the boxes on the longest way from a first one"},
    {"time", "lines by start, with an axis"},
};
CHOICE(layout, layouts)

static const struct choice nodes[] = {
    {"stage", "a box for every stage"},
    {"task", "a box for every task"},
};
CHOICE(nodes, nodes)

static const struct choice frag_scores[] = {
    {"bound", "max(TWork, longest task) / ExecTime: tiny stages do not look hard to pack"},
    {"paper", "TWork / ExecTime, as published"},
};
CHOICE(frag, frag_scores)

static const struct choice places[] = {
    {"here", "as processes on this machine"},
    {"slurm", "by Slurm: as jobs where tasks last 30 s or more on average, else as steps"},
    {"slurm-jobs", "a batch job for every task; needs --journal"},
    {"slurm-steps", "a step (srun) for every task, inside of an allocation"},
};
CHOICE(place, places)

static const struct choice draws[] = {
    {"random", "one of the job files each time, all as likely"},
    {"all", "the job files in their order, again from the first after the last"},
};
CHOICE(draw, draws)

static const struct choice assigns[] = {
    {"random", "each group as likely"},
    {"in-turn", "one after the other"},
};
CHOICE(assign, assigns)

static const struct choice workload_forms[] = {
    {"xml", "the workload in its native form"},
    {"csv", "the workload as a table, a job a line"},
    {"tasks", "the same with the durations of single tasks and what is known of jobs"},
    {"text", "what it is like, for people"},
    {"json", "what it is like, for programs"},
};
CHOICE(workload_form, workload_forms)

static const struct choice parallels[] = {
    {"pool", "one task that takes all processors of the job"},
    {"tasks", "a task for every processor, which may start apart"},
    {"nodes", "a task for every node that the job ran on"},
};
CHOICE(parallel, parallels)

static const struct choice groupings[] = {
    {"user", "users"},
    {"account", "accounts; of SWF its groups"},
    {"queue", "queues; of Slurm its partitions"},
    {"nothing", "all jobs are of one group"},
};
CHOICE(grouping, groupings)

/* Kinds of generated jobs, then traces of jobs that recur. */
const char *cli_like_name(uint32_t k)
{
    uint32_t kinds = 0;
    while (br_generate_name(kinds))
        kinds++;
    return k < kinds ? br_generate_name(k) : br_trace_name(k - kinds);
}

const char *cli_like_summary(uint32_t k)
{
    uint32_t kinds = 0;
    while (br_generate_name(kinds))
        kinds++;
    return k < kinds ? br_generate_summary(k) : br_trace_summary(k - kinds);
}

static const struct choice clocks[] = {
    {"exact", "fluid, without ticks; what a flow leaves free is given on at once"},
    {"epochs", "as the published simulator: ticks of 8 ms, epochs of 10.24 s that admit"},
};
CHOICE(clock, clocks)

static const struct choice networks[] = {
    {"code", "as in the public simulator of Decima's authors: 4,770 parameters"},
    {"paper", "as their paper prints it: 12,736 parameters"},
    {"split", "what all stages of a job share goes to the decisions alone: a fifth of the time"},
    {"planned", "as split, and told what a planner would do, which it begins with"},
};
CHOICE(network, networks)

static const struct choice objectives[] = {
    {"completion", "the mean completion time of jobs"},
    {"makespan", "the end of the last job"},
    {"misses", "the share of jobs that miss their deadlines, which --deadlines gives them"},
};
CHOICE(objective, objectives)
static const struct choice methods[] = {
    {"reinforce", "drawn decisions that have cost less become likelier [Mao19]"},
    {"evolve", "parameters changed at random, towards those that cost less; of a planned network, "
               "the numbers of the planner's rule, else all"}};
CHOICE(method, methods)
