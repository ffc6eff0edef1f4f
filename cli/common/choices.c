/* The words of options that take a choice, each with a line on it, unless another room has the
 * table. */
#include "cli/common/choices.h"

static const struct cli_choice efforts[] = {
    {"fast", "all methods and justification; few sets of troublesome tasks"},
    {"default", "many sets, and a search of some seconds"},
    {"max", "searches on until the bound, a limit or Ctrl-C"},
};
CLI_CHOICE(, cli_effort, efforts)

static const struct cli_choice plan_bounds[] = {
    {"none", "the critical path, not proven: the least that a plan can cost"},
    {"cheap", "arguments of linear time: critical path, waves of stages, work"},
    {"full", "the best by arguments without a search"},
};
CLI_CHOICE(, cli_plan_bound, plan_bounds)

static const struct cli_choice plan_objectives[] = {
    {"makespan", "the shortest plan; of equal ones that in which the jobs of one file end sooner"},
    {"mean", "jobs, or the last stages of one, end soon on average"},
    {"weighted", "as mean, weighted by the attribute weight of stages"},
};
CLI_CHOICE(, cli_plan_objective, plan_objectives)

static const struct cli_choice jobservers[] = {
    {"pipe",
     "one of our own, as GNU make up to 4.3 and cargo know it; as many as there are processors"},
    {"fifo", "the same as a named pipe, for GNU make from 4.4, cargo and ninja from 1.13"},
    {"none", "none, even if make has one"},
};
CLI_CHOICE(, cli_jobserver, jobservers)

static const struct cli_choice transfers[] = {
    {"delay", "a file handed on delays the reader by size / rate"},
    {"demand", "both ends demand the resource \"net\""},
    {"keep", "bytes of the edge, for plan --network; takes no rate"},
};
CLI_CHOICE(, cli_transfer, transfers)

static const struct cli_choice colours[] = {
    {"auto", "by subset if the plan has subsets, else by stage"},
    {"subset", "by the subset through which a task was placed"},
    {"stage", "by stage"},
    {"machine", "by machine; dot alone"},
    {"input", "as the job's file says; dot alone"},
};
CLI_CHOICE(, cli_colour, colours)

static const struct cli_choice layouts[] = {
    {"graph", "as Graphviz puts them"},
    {"depth", "a line for every depth: the boxes on the longest way from a first one"},
    {"time", "lines by start, with an axis"},
};
CLI_CHOICE(, cli_layout, layouts)

static const struct cli_choice nodes[] = {
    {"stage", "a box for every stage"},
    {"task", "a box for every task"},
};
CLI_CHOICE(, cli_nodes, nodes)

static const struct cli_choice frag_scores[] = {
    {"bound", "max(TWork, longest task) / ExecTime: tiny stages do not look hard to pack"},
    {"paper", "TWork / ExecTime, as published"},
};
CLI_CHOICE(, cli_frag, frag_scores)

static const struct cli_choice places[] = {
    {"here", "as processes on this machine"},
    {"slurm", "by Slurm: as jobs if tasks last 30 s or more on average, else as steps"},
    {"slurm-jobs", "a batch job for every task; needs --journal"},
    {"slurm-steps", "a step (srun) for every task, inside of an allocation"},
};
CLI_CHOICE(, cli_place, places)
