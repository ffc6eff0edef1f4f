/* The words of options that take a choice, each with a line on it, unless another room has the
 * table. */
#include "cli/options/choices.h"

#include <bigrocks/planner.h>

#include "emit/write/input.h"
#include "parsers/reader/input.h"

static const struct br_named efforts[] = {
    [BR_EFFORT_FAST] = {"fast",
                        "all quick methods; on large jobs at most 200 schedules' worth of work"},
    [BR_EFFORT_DEFAULT] = {"default", "many sets, and a search of some seconds"},
    [BR_EFFORT_MAX] = {"max", "searches on until the bound, a limit or Ctrl-C"},
};
const struct br_names cli_efforts = {BR_NAMES(efforts)};

/* As enum br_plan_bound from BR_PLAN_BOUND_NONE on. */
static const struct br_named plan_bounds[] = {
    {"none", "the critical path, not proven: the least that a plan can cost"},
    {"cheap", "arguments of linear time: critical path, waves of stages, work"},
    {"full", "the best by arguments without a search"},
};
const struct br_names cli_plan_bounds = {BR_NAMES(plan_bounds)};

static const struct br_named jobservers[] = {
    [CLI_JOBSERVER_PIPE] = {"pipe", "one of our own, as GNU make up to 4.3 and cargo know it; as "
                                    "many as there are processors"},
    [CLI_JOBSERVER_FIFO] =
        {"fifo", "the same as a named pipe, for GNU make from 4.4, cargo and ninja from 1.13"},
    [CLI_JOBSERVER_NONE] = {"none", "none, even if make has one"},
};
const struct br_names cli_jobservers = {BR_NAMES(jobservers)};

static const struct br_named transfers[] = {
    [BR_TRANSFER_DELAY] = {"delay", "a file handed on delays the reader by size / rate"},
    [BR_TRANSFER_DEMAND] = {"demand", "both ends demand the resource \"net\""},
    [BR_TRANSFER_KEEP] = {"keep", "bytes of the edge, for plan --network; takes no rate"},
};
const struct br_names cli_transfers = {BR_NAMES(transfers)};

static const struct br_named holds[] = {
    [CLI_HOLD_NOTHING] = {"nothing", "the pipeline that fills a table and the one that reads it "
                                     "demand its memory"},
    [CLI_HOLD_MEMORY] = {"memory", "hash tables, sorts and kept rows are outputs on mem until all "
                                   "that read them have ended"},
};
const struct br_names cli_holds = {BR_NAMES(holds)};

static const struct br_named colours[] = {
    [BR_COLOUR_CHOOSE] = {"auto", "by subset if the plan has subsets, else by stage"},
    [BR_COLOUR_SUBSET] = {"subset", "by the subset through which a task was placed"},
    [BR_COLOUR_STAGE] = {"stage", "by stage"},
    [BR_COLOUR_MACHINE] = {"machine", "by machine; dot alone"},
    [BR_COLOUR_INPUT] = {"input", "as the job's file says; dot alone"},
};
const struct br_names cli_colours = {BR_NAMES(colours)};

static const struct br_named layouts[] = {
    [BR_LAYOUT_GRAPH] = {"graph", "as Graphviz puts them"},
    [BR_LAYOUT_DEPTH] = {"depth",
                         "a line for every depth: the boxes on the longest way from a first one"},
    [BR_LAYOUT_TIME] = {"time", "lines by start, with an axis"},
};
const struct br_names cli_layouts = {BR_NAMES(layouts)};

static const struct br_named nodes[] = {
    [BR_NODES_STAGE] = {"stage", "a box for every stage"},
    [BR_NODES_TASK] = {"task", "a box for every task"},
};
const struct br_names cli_node_kinds = {BR_NAMES(nodes)};

static const struct br_named frag_scores[] = {
    [BR_FRAG_BOUND] = {"bound",
                       "max(TWork, longest task) / ExecTime: tiny stages do not look hard to pack"},
    [BR_FRAG_PAPER] = {"paper", "TWork / ExecTime, as published"},
};
const struct br_names cli_frag_scores = {BR_NAMES(frag_scores)};

static const struct br_named places[] = {
    [CLI_HERE] = {"here", "as processes on this machine"},
    [CLI_SLURM] = {"slurm",
                   "by Slurm: as jobs if tasks last 30 s or more on average, else as steps"},
    [CLI_SLURM_JOBS] = {"slurm-jobs", "a batch job for every task; needs --journal"},
    [CLI_SLURM_STEPS] = {"slurm-steps", "a step (srun) for every task, inside of an allocation"},
};
const struct br_names cli_places = {BR_NAMES(places)};
