/* The words of options that take a choice, each with a line on it, unless another room has the
 * table. */
#include "cli/common/choices.h"

static const struct br_named efforts[] = {
    {"fast", "all methods and justification; few sets of troublesome tasks"},
    {"default", "many sets, and a search of some seconds"},
    {"max", "searches on until the bound, a limit or Ctrl-C"},
};
const struct br_names cli_efforts = {BR_NAMES(efforts)};

static const struct br_named plan_bounds[] = {
    {"none", "the critical path, not proven: the least that a plan can cost"},
    {"cheap", "arguments of linear time: critical path, waves of stages, work"},
    {"full", "the best by arguments without a search"},
};
const struct br_names cli_plan_bounds = {BR_NAMES(plan_bounds)};

static const struct br_named jobservers[] = {
    {"pipe",
     "one of our own, as GNU make up to 4.3 and cargo know it; as many as there are processors"},
    {"fifo", "the same as a named pipe, for GNU make from 4.4, cargo and ninja from 1.13"},
    {"none", "none, even if make has one"},
};
const struct br_names cli_jobservers = {BR_NAMES(jobservers)};

static const struct br_named transfers[] = {
    {"delay", "a file handed on delays the reader by size / rate"},
    {"demand", "both ends demand the resource \"net\""},
    {"keep", "bytes of the edge, for plan --network; takes no rate"},
};
const struct br_names cli_transfers = {BR_NAMES(transfers)};

static const struct br_named colours[] = {
    {"auto", "by subset if the plan has subsets, else by stage"},
    {"subset", "by the subset through which a task was placed"},
    {"stage", "by stage"},
    {"machine", "by machine; dot alone"},
    {"input", "as the job's file says; dot alone"},
};
const struct br_names cli_colours = {BR_NAMES(colours)};

static const struct br_named layouts[] = {
    {"graph", "as Graphviz puts them"},
    {"depth", "a line for every depth: the boxes on the longest way from a first one"},
    {"time", "lines by start, with an axis"},
};
const struct br_names cli_layouts = {BR_NAMES(layouts)};

static const struct br_named nodes[] = {
    {"stage", "a box for every stage"},
    {"task", "a box for every task"},
};
const struct br_names cli_node_kinds = {BR_NAMES(nodes)};

static const struct br_named frag_scores[] = {
    {"bound", "max(TWork, longest task) / ExecTime: tiny stages do not look hard to pack"},
    {"paper", "TWork / ExecTime, as published"},
};
const struct br_names cli_frag_scores = {BR_NAMES(frag_scores)};

static const struct br_named places[] = {
    {"here", "as processes on this machine"},
    {"slurm", "by Slurm: as jobs if tasks last 30 s or more on average, else as steps"},
    {"slurm-jobs", "a batch job for every task; needs --journal"},
    {"slurm-steps", "a step (srun) for every task, inside of an allocation"},
};
const struct br_names cli_places = {BR_NAMES(places)};
