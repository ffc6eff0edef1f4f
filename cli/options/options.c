/* The options that several sub-commands take; each sub-command has its own beside it. */
#include <assert.h>

#include <bigrocks/bigrocks.h>

#include "cli/options/options.h"
#include "cli/options/choices.h"
#include "cli/options/enforcer.h"
#include "emit/emit.h"
#include "generate/generate.h"
#include "parsers/parsers.h"
#include "runtime/enforcer/jobs/capacities.h"
#include "planner/instance/completions.h"
#include "planner/search/method.h"

enum { OPTIONS_MOST = 512 }; /* of all sub-commands together */

enum {
    JOB = CLI_ANNOTATE | CLI_PLAN | CLI_BOUND | CLI_CHECK | CLI_CONVERT | CLI_SHOW | CLI_BATCH |
          CLI_RUN | CLI_SIMULATE | CLI_DEADLINE, /* read jobs */
    READ = JOB | CLI_WORKLOAD | CLI_PREDICT,     /* and take their formats as they come */
    SEARCH = CLI_PLAN | CLI_BATCH | CLI_RUN,     /* plan them */
    FILES = CLI_PLAN | CLI_BOUND | CLI_RENDER | CLI_CONVERT | CLI_GENERATE | CLI_IMPORT |
            CLI_ANNOTATE | CLI_HISTORY | CLI_WORKLOAD | CLI_SIMULATE | CLI_PREDICT | CLI_DEADLINE |
            CLI_COFLOW | CLI_TRAIN | CLI_CHECK, /* write a file */
};

static const struct br_option shared_rows[] = {
    OPTION(TEXT, "cluster", "FILE", job.cluster,
           "the cluster, in the native XML form (default: the one in the job's file)",
           .commands = READ | CLI_RENDER),
    OPTION(COUNT, "machines", "N", job.machines,
           "a cluster of N equal machines (default with --capacity: 1)", .least = 1,
           .most = BR_MAX_MACHINES, .commands = READ | CLI_RENDER),
    OPTION(TEXT, "capacity", "R=A,...", job.capacity,
           "capacity of each machine, such as cpu=16,mem=64GiB", .commands = READ | CLI_RENDER),
    OPTION(TEXT, "shared", "R=A,...", job.shared,
           "what all machines share, such as licence=5,scratch=2TiB",
           .commands = READ | CLI_RENDER | CLI_IMPORT),
    OPTION(TEXT, "order", "FILE", search.order,
           "follow the order of tasks in FILE, an id a line or in a column id: these first, each "
           "after what it waits for, then the others by --plan or by critical path",
           .commands = CLI_PLAN | CLI_RUN),
    OPTION(TEXT, "port-rate", "RATE", job.port_rate,
           "rate at which the port of every machine sends and receives, in bytes a second or as "
           "10Gbit (default: the cluster's)",
           .commands = CLI_PLAN | CLI_SHOW | CLI_SIMULATE),
    OPTION(NAME, "from", "FORMAT", job.from,
           "the job's format (default: recognised from the content)", .rows = &br_job_formats,
           .commands = JOB),
    OPTION(AMOUNT, "transfer-rate", "R", job.transfer_rate,
           "bytes a second at which files go from task to task (default: files are ignored)",
           .commands = READ),
    OPTION(CHOICE, "transfer-mode", "MODE", job.transfer_mode,
           "how a file that is handed on counts", .rows = &cli_transfers, .commands = READ),
    OPTION(TEXT, "files", "R", job.files,
           "the resource on which files of a DAX or a WfFormat are held until their last reader "
           "ends (default: they take no room)",
           .commands = READ),
    OPTION(AMOUNT, "speed", "S", job.speed,
           "operations a second of one core, for formats that count operations", .commands = READ),
    OPTION(SECONDS, "default-duration", "S", job.default_duration_ns,
           "seconds that a task takes if the file does not say (default: 0)", .commands = READ),
    OPTION(COUNT, "measured-cores", "N", job.measured_cores,
           "cores on which explained queries were timed, if they had more processes",
           .most = 1000000, .commands = JOB | CLI_IMPORT),
    OPTION(FLAG, "overlap", NULL, job.overlap,
           "let pipelines of a PostgreSQL query overlap, as other engines do",
           .commands = JOB | CLI_IMPORT),
    OPTION(FLAG, "any-order", NULL, job.any_order,
           "let pipelines of a PostgreSQL query take turns in any order, by the shared resource "
           "'backend'",
           .commands = JOB | CLI_IMPORT),
    OPTION(CHOICE, "hold", "WHAT", job.hold, "what of an explained query outlives its pipeline",
           .rows = &cli_holds, .commands = JOB | CLI_IMPORT),
    OPTION(FLAG, "reverse", NULL, job.reverse,
           "the arrows of a DOT graph go from a task to those for which it waits",
           .commands = READ),
    OPTION(FLAG, "skip-self-loops", NULL, job.skip_self_loops,
           "leave out arrows of a DOT graph from a node to itself", .commands = READ),
    OPTION(TEXT, "duration", "ATTRIBUTE", job.duration,
           "the attribute of a DOT graph's nodes that has their duration: seconds, or a number "
           "with a unit, as in a label (default: duration)",
           .commands = READ),
    OPTION(TEXT, "demand", "R=ATTRIBUTE,...", job.demands,
           "attributes of a DOT graph's nodes that have their demands, such as "
           "cpu=threads,mem=rss",
           .commands = READ),
    OPTION(TEXT, "graph", "NAME", job.graph,
           "the graph of a DOT file with several, by its name or number; all: join them by the "
           "names of their nodes",
           .commands = READ),
    OPTION(
        TEXT, "processes", "FILE", job.processes,
        "the graph that Nextflow's -with-dag wrote of the run whose trace is the job: .mmd, .dot "
        "or .html",
        .commands = READ),
    OPTION(
        TEXT, "durations", "FILE", job.durations,
        "a table (CSV) of stages, by id or by a pattern such as 'map*', and the seconds that each "
        "task lasts; overrides the job's file and a history, and the last row that fits decides",
        .commands = READ | CLI_IMPORT),
    OPTION(COUNT, "tasks", "N", generate.tasks,
           "exactly N tasks (default: as many as the kind has)", .least = 1, .most = BR_MAX_TASKS,
           .commands = CLI_GENERATE | CLI_WORKLOAD),
    OPTION(COUNT, "stages", "N", generate.stages,
           "exactly N stages (default: as many as the kind has)", .least = 1, .most = BR_MAX_TASKS,
           .commands = CLI_GENERATE | CLI_WORKLOAD),
    OPTION(REAL, "spread", "S", generate.spread,
           "standard deviation of the logarithm of durations inside a stage, such as 0.3 "
           "(default: 0, all equal)",
           .high = BR_GENERATE_SPREAD_MAX, .example = "0.3",
           .commands = CLI_GENERATE | CLI_WORKLOAD),
    OPTION(REAL, "rocks", "P", generate.rocks,
           "share of stages that are long and heavy in one resource alone, so that they fit "
           "together, while what leads up to them does not fit beside them (default: 0)",
           .high = 1, .example = "0.2", .commands = CLI_GENERATE | CLI_WORKLOAD),
    OPTION(FLAG, "shell", NULL, output.shell,
           "all commands are scripts for /bin/sh (default: those with shell=\"true\")",
           .commands = CLI_PLAN | CLI_RENDER),
    OPTION(CHOICE, "jobserver", "KIND", run.jobserver,
           "how commands such as make and cargo share one limit with the tasks (default: by the "
           "jobserver of the make that has started this, if any)",
           .rows = &cli_jobservers, .commands = CLI_RUN | CLI_SERVE),
    OPTION(LIST, "fungible", "R,...", enforcer.fungible,
           "resources such as net,disk for which demand beyond the capacity only slows tasks down; "
           "added to those that the cluster's file declares",
           .list = BR_LIST_WORD, .example = "net,disk", .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(LIST, "overbook", "R=P,...", enforcer.overbook,
           "let tasks demand up to P percent of the capacity of the fungible resource R, such as "
           "net=150,disk=120",
           .low = 100, .high = BR_OVERBOOK_MOST, .whole = true, .example = "net=150,disk=120",
           .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(REAL, "eta", "X", enforcer.eta,
           "weight of jobs with little work left against good packing, from 0 (default: 3; 1: as "
           "in the paper)",
           .high = 1000, .example = "1", .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(REAL, "remote-penalty", "X", enforcer.remote_penalty,
           "factor on the packing score of a task away from its machine in the plan, 0 to 1 "
           "(default: 0.8)",
           .high = 1, .example = "0.8", .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(REAL, "kappa", "X", enforcer.kappa,
           "how far a group may fall behind its share, in clusters, before it goes first, above "
           "0 (default: 0.1)",
           .high = 1000, .above = true, .example = "0.1", .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(CHOICE, "fairness", "F", enforcer.fairness,
           "how a task counts against the share of its group", .rows = &cli_fairness,
           .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(COUNT, "bundle", "N", enforcer.bundle,
           "candidates that one look at the ready tasks collects for a machine (default: 8)",
           .least = 1, .most = 65536, .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(FLAG, "refine", NULL, enforcer.refine,
           "jobs have as much work left as their ended tasks tell: where these took longer or "
           "shorter than declared, others of their stage are believed to do so, too",
           .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(LIST, "utility", "S:U,...", control.utility,
           "instead of a deadline: the value U of a job that ends S seconds after its start, on "
           "lines through these points, never rising; one for all jobs, or one for each with '/' "
           "between them",
           .list = BR_LIST_PAIRS, .low = -1e15, .high = 1e15, .example = "0:1,2700:1,3300:-1",
           .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(COUNT, "most-tokens", "N", control.most,
           "a job with a deadline runs at most N tasks at once; under run and deadline-arbiter, "
           "all such jobs together (default: 100; under run at most what the cluster holds)",
           .least = 1, .most = 1000000, .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(FLAG, "spare", NULL, control.spare,
           "a job with a deadline may use, beyond what its loop gives it, what nobody else wants",
           .commands = CLI_SIMULATE),
    OPTION(FLAG, "evict-spare", NULL, control.evict,
           "with --spare or deadline-arbiter: tasks beyond a job's tokens are ended if a job that "
           "has fewer tokens than it is given needs their room",
           .commands = CLI_SIMULATE),
    OPTION(REAL, "slack", "X", control.slack,
           "factor on forecasts of the time left, for deadlines (default: 1.2)", .low = 1,
           .high = 100, .example = "1.2", .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(REAL, "hysteresis", "X", control.hysteresis,
           "share of the way that an allocation goes towards the right one each period, above 0 up "
           "to 1 (default: 0.2)",
           .high = 1, .above = true, .example = "0.2", .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(REAL, "dead-zone", "S", control.dead_zone,
           "seconds by which deadlines are moved ahead, and by which a job may be late before it "
           "gets more (default: 180)",
           .high = 1e9, .example = "180", .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(REAL, "period", "S", control.period,
           "seconds between decisions about a job with a deadline (default: 60)", .high = 1e9,
           .above = true, .example = "60", .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(REAL, "on-time", "P", control.on_time,
           "take the least allocation that ends by the deadline with probability P, instead of "
           "that with the greatest utility",
           .high = 1, .example = "0.95", .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(PATH, "store", "FILE", search.store,
           "kept plans (SQLite; created if missing): look the job up first, and keep the plan that "
           "is found",
           .commands = CLI_PLAN | CLI_BATCH),
    OPTION(PATH, "history", "FILE", needs.history,
           "take the durations that runs measured from this history, for the stages that it knows",
           .commands = CLI_DEADLINE | CLI_PLAN | CLI_BOUND),
    OPTION(TEXT, "directory", "DIR", import.directory,
           "the folder of the build, where ninja, make or Snakemake would be started (default: .)",
           .letter = 'C', .commands = CLI_IMPORT | CLI_BUILD),
    OPTION(TEXT, "name", "NAME", import.name,
           "the job's name, by which a history knows it (default: the whole path of its folder)",
           .commands = CLI_IMPORT | CLI_BUILD),
    OPTION(TEXT, "capacity", "R=A,...", job.capacity,
           "the machine's capacity, such as cpu=16,mem=64GiB (default: the processors and the "
           "memory of this one)",
           .commands = CLI_IMPORT | CLI_BUILD | CLI_SERVE),
    OPTION(TEXT, "demand", "R=A,...", needs.demand,
           "demand of commands that were never measured (default: cpu=1); after a ';', that of all "
           "commands whose names fit a pattern, as in 'cpu=1; *.cc.o: mem=2GiB'",
           .commands = CLI_IMPORT | CLI_BUILD | CLI_SERVE),
    OPTION(PATH, "socket", "PATH", admission.socket,
           "the server's (serve: default one of its own; admit: default BIGROCKS_SOCKET)",
           .commands = CLI_SERVE | CLI_ADMIT),
    OPTION(PATH, "history", "FILE", needs.history,
           "measurements of runs (SQLite); created if missing",
           .commands = CLI_IMPORT | CLI_ANNOTATE | CLI_SERVE | CLI_RUN),
    OPTION(NAME, "method", "M", search.method, "how to plan", .letter = 'm', .rows = &br_methods,
           .commands = SEARCH),
    OPTION(FLAG, "network", NULL, search.network,
           "account for the bytes that edges carry, between the ports of the machines",
           .commands = CLI_PLAN | CLI_SIMULATE),
    OPTION(CHOICE, "effort", "E", search.effort,
           "how hard to search (default: max with --time-limit, so that it searches until then "
           "or a proof; else default)",
           .rows = &cli_efforts, .commands = SEARCH & ~CLI_RUN),
    OPTION(CHOICE, "bound", "B", search.bound,
           "effort for the lower bound, at which the search ends (default: full); only full asks "
           "the linear program",
           .rows = &cli_plan_bounds, .commands = SEARCH & ~CLI_RUN),
    OPTION(CHOICE, "objective", "O", search.objective,
           "the objective of the plan (default: makespan)", .rows = &br_objectives,
           .commands = CLI_PLAN | CLI_BATCH),
    OPTION(COUNT, "seed", "N", search.seed, "seed of the random choices (default: 1)",
           .most = UINT64_MAX, .commands = SEARCH),
    OPTION(COUNT, "threads", "N", search.threads,
           "threads (batch: one job each); plans and bounds do not depend on them (default: 0, one "
           "per "
           "processor)",
           .most = 1024, .commands = SEARCH | CLI_BOUND | CLI_SIMULATE | CLI_PREDICT | CLI_COFLOW),
    OPTION(SECONDS, "time-limit", "S", search.time_limit_ns,
           "seconds; then the best so far is the result (plan, batch: of the search for one job, "
           "which a proof or --effort may end sooner; default: none; bound, coflow --bound: by "
           "default a fixed amount of work)",
           .commands = SEARCH | CLI_BOUND | CLI_COFLOW),
    OPTION(COUNT, "placements", "N", search.placements,
           "tasks placed before the search ends: a limit that gives the same plan on every "
           "machine (default: 0, none)",
           .most = UINT64_MAX, .commands = SEARCH),
    OPTION(CHOICE, "frag-score", "F", search.frag_score, "how a stage's packing is scored",
           .rows = &cli_frag_scores, .commands = SEARCH),
    OPTION(COUNT, "thresholds", "N", search.thresholds,
           "values that each of the two thresholds of graphene takes, at most; the default effort "
           "of method best takes fewer on large jobs, effort fast 4 (default: 16; 0: all)",
           .most = UINT32_MAX, .commands = SEARCH),
    OPTION(REAL, "troublesome-limit", "X", search.troublesome,
           "a part of the work: graphene leaves out troublesome sets with more than that (default: "
           "1, none)",
           .high = 1, .example = "0.8", .commands = SEARCH),
    OPTION(REAL, "tolerance", "P", search.tolerance,
           "per cent of the makespan by which a plan of measured durations may be longer than its "
           "lower bound and count as optimal (default: 0.01)",
           .high = 100, .example = "1", .commands = SEARCH | CLI_BOUND),
    OPTION(SWITCH, "lp", NULL, bound.lp,
           "ask bigrocks-bound for a tighter bound (default: if the bound is not met yet and the "
           "job is not large)",
           .commands = CLI_PLAN | CLI_BOUND),
    OPTION(NAME, "format", "F", output.format,
           "write the plan in this format (default: by the ending of -o FILE)", .letter = 'f',
           .rows = &br_emit_plans, .commands = CLI_PLAN | CLI_RENDER),
    OPTION(NAME, "format", "F", output.format,
           "write the job in this format (default: by the ending of -o FILE, else xml)",
           .letter = 'f', .rows = &br_emit_jobs,
           .commands = CLI_GENERATE | CLI_IMPORT | CLI_ANNOTATE),
    OPTION(TEXT, "output", "FILE", output.path,
           "write to FILE, which appears when it is complete (default: -, standard output)",
           .letter = 'o', .commands = FILES),
    OPTION(CHOICE, "colour", "C", output.colour, "what colours mean in dot, svg and html",
           .rows = &cli_colours, .commands = CLI_PLAN | CLI_RENDER),
    OPTION(CHOICE, "layout", "L", output.layout, "the lines that boxes of dot stand on",
           .rows = &cli_layouts, .commands = CLI_PLAN | CLI_RENDER),
    OPTION(CHOICE, "nodes", "N", output.nodes, "what a box of dot stands for",
           .rows = &cli_node_kinds, .commands = CLI_PLAN | CLI_RENDER),
    OPTION(FLAG, "by-machine", NULL, output.by_machine,
           "dot: the boxes of each machine in a frame of their own",
           .commands = CLI_PLAN | CLI_RENDER),
    OPTION(FLAG, "plain", NULL, output.plain,
           "dot: for readers that know neither texts like HTML nor boxes within frames",
           .commands = CLI_PLAN | CLI_RENDER),
    OPTION(FLAG, "stats", NULL, output.stats,
           "write counters of the work to standard error: what was tried, left out and given up, "
           "and the time by phase",
           .commands = SEARCH | CLI_BOUND),
    OPTION(FLAG, "json", NULL, output.json, "write the counters of --stats as JSON",
           .commands = SEARCH),
    OPTION(FLAG, "verbose", NULL, output.verbose,
           "print the version and all options in effect, every better plan that the search finds, "
           "and its cost",
           .letter = 'v', .commands = SEARCH),
    OPTION(FLAG, "quiet", NULL, output.quiet, "no summary and no notes, only results and errors",
           .letter = 'q',
           .commands = CLI_PLAN | CLI_BOUND | CLI_CHECK | CLI_RENDER | CLI_BATCH | CLI_IMPORT |
                       CLI_ANNOTATE | CLI_HISTORY | CLI_BUILD | CLI_SERVE | CLI_RUN | CLI_WORKLOAD |
                       CLI_SIMULATE | CLI_PREDICT | CLI_DEADLINE | CLI_TRAIN | CLI_COFLOW),
    OPTION(FLAG, "help", NULL, about.help, "show this help", .letter = 'h', .commands = CLI_ALL),
    OPTION(FLAG, "version", NULL, about.version, "show the version", .letter = 'V',
           .commands = CLI_ALL),
    OPTIONS_END};

/* Behind those before it, which are `used`; its own sub-command is filled in. */
static uint32_t options_append(struct br_option *to, uint32_t used, const struct br_option *table,
                               uint32_t command)
{
    for (; table && table->name; table++) {
        assert(used + 1 < OPTIONS_MOST);
        to[used] = *table;
        if (!to[used].commands)
            to[used].commands = command;
        used++;
    }
    return used;
}

const struct br_option *cli_options(void)
{
    static struct br_option all[OPTIONS_MOST];
    if (all[0].name)
        return all;
    uint32_t used = options_append(all, 0, shared_rows, 0);
    for (const struct cli_command *const *command = cli_commands; *command; command++)
        used = options_append(all, used, (*command)->options, (*command)->bit);
    return all;
}

static void options_set_shared_defaults(struct cli_settings *settings)
{
    struct br_plan_options plan = br_plan_options_default();
    struct br_parse_options parse = br_parse_options_default();
    struct br_runtime_options enforcer = br_runtime_options_default();
    *settings = (struct cli_settings){
        .job = {.transfer_rate = parse.transfer_rate, .speed = parse.speed},
        .search = {.method = plan.method,
                   .thresholds = plan.threshold_limit,
                   .threads = plan.threads,
                   .seed = plan.seed,
                   .placements = plan.placements,
                   .time_limit_ns = -1},
        .bound = {.conflicts = CLI_CONFLICTS_DEFAULT, .cpu_limit_ns = -1, .lp_time_ns = -1},
        .enforcer = {.policy = enforcer.policy, .bundle = enforcer.bundle},
    };
    br_options_clear(cli_options(), settings);
    settings->job.transfer_mode = parse.transfer_mode;
    settings->search.frag_score = plan.frag_score;
    settings->enforcer.fairness = enforcer.fairness;
}

struct cli_settings cli_settings_default(void)
{
    struct cli_settings settings;
    options_set_shared_defaults(&settings);
    for (const struct cli_command *const *command = cli_commands; *command; command++)
        if ((*command)->set_defaults)
            (*command)->set_defaults(&settings);
    return settings;
}
