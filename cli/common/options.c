/* The options that several sub-commands take; each sub-command has its own beside it. */
#include <assert.h>

#include <bigrocks/bigrocks.h>

#include "cli/common/choices.h"
#include "cli/common/enforcer.h"
#include "cli/common/options.h"
#include "emit/emit.h"
#include "parsers/parsers.h"

enum { OPTIONS_MOST = 512 }; /* of all sub-commands together */

enum {
    JOB = CLI_ANNOTATE | CLI_PLAN | CLI_BOUND | CLI_CHECK | CLI_CONVERT | CLI_SHOW | CLI_BATCH |
          CLI_RUN | CLI_SIMULATE | CLI_DEADLINE, /* read jobs */
    READ = JOB | CLI_WORKLOAD | CLI_PREDICT,     /* and take their formats as they come */
    SEARCH = CLI_PLAN | CLI_BATCH | CLI_RUN,     /* plan them */
    FILES = CLI_PLAN | CLI_BOUND | CLI_RENDER | CLI_CONVERT | CLI_GENERATE | CLI_IMPORT |
            CLI_ANNOTATE | CLI_HISTORY | CLI_WORKLOAD | CLI_SIMULATE | CLI_PREDICT | CLI_DEADLINE |
            CLI_COFLOW | CLI_TRAIN, /* write a file */
};

static const struct br_option shared_rows[] = {
    OPTION(TEXT, "cluster", "FILE", job.cluster,
           "the cluster, in the native XML form (default: the one in the job's file)",
           .commands = READ),
    OPTION(COUNT, "machines", "N", job.machines,
           "a cluster of N equal machines (default with --capacity: 1)", .least = 1,
           .most = BR_MAX_MACHINES, .commands = READ),
    OPTION(TEXT, "capacity", "R=A,...", job.capacity,
           "what each of the machines offers, such as cpu=16,mem=64GiB", .commands = READ),
    OPTION(TEXT, "port-rate", "RATE", job.port_rate,
           "what the port of every machine sends and receives, in bytes a second or as 10Gbit "
           "(default: as the cluster says)",
           .commands = CLI_PLAN | CLI_SHOW | CLI_SIMULATE),
    OPTION(CHOICE, "from", "FORMAT", job.from,
           "the job's format (default: recognised from the content)", .choice = br_parser_name,
           .summary = br_parser_summary, .commands = JOB),
    OPTION(AMOUNT, "transfer-rate", "R", job.transfer_rate,
           "bytes a second at which files go from task to task (default: files are ignored)",
           .commands = READ),
    OPTION(CHOICE, "transfer-mode", "MODE", job.transfer_mode, "what a file handed on becomes",
           .choice = cli_transfer_name, .summary = cli_transfer_summary, .commands = READ),
    OPTION(AMOUNT, "speed", "S", job.speed,
           "operations a second of one core, for formats that count operations", .commands = READ),
    OPTION(SECONDS, "default-duration", "S", job.default_duration_ns,
           "seconds that a task takes where the file does not say (default: 0)", .commands = READ),
    OPTION(COUNT, "measured-cores", "N", job.measured_cores,
           "cores that explained queries were timed on, if they had more processes",
           .most = 1000000, .commands = JOB | CLI_IMPORT),
    OPTION(FLAG, "overlap", NULL, job.overlap,
           "let pipelines of a PostgreSQL query overlap, as other engines do",
           .commands = JOB | CLI_IMPORT),
    OPTION(FLAG, "reverse", NULL, job.reverse,
           "the arrows of a graph in DOT go from what waits to what it waits for",
           .commands = READ),
    OPTION(TEXT, "graph", "NAME", job.graph,
           "which graph of a file with several in DOT, by its name or number; all: joins them by "
           "the names of their nodes",
           .commands = READ),
    OPTION(TEXT, "durations", "FILE", job.durations,
           "a table (CSV) of stages, by id or by a pattern such as 'map*', and of the seconds "
           "that each "
           "task lasts, whatever the job's file or a history says; the last row that fits decides",
           .commands = READ | CLI_IMPORT),
    OPTION(COUNT, "tasks", "N", generate.tasks, "exactly N tasks (default: as the kind has it)",
           .least = 1, .most = BR_MAX_TASKS, .commands = CLI_GENERATE | CLI_WORKLOAD),
    OPTION(COUNT, "stages", "N", generate.stages, "exactly N stages (default: as the kind has it)",
           .least = 1, .most = BR_MAX_TASKS, .commands = CLI_GENERATE | CLI_WORKLOAD),
    OPTION(TEXT, "spread", "S", generate.spread,
           "standard deviation of the logarithm of durations inside a stage, such as 0.3 "
           "(default: 0, all equal)",
           .commands = CLI_GENERATE | CLI_WORKLOAD),
    OPTION(FLAG, "shell", NULL, output.shell,
           "all commands are scripts for /bin/sh (default: those with shell=\"true\")",
           .commands = CLI_PLAN | CLI_RENDER),
    OPTION(CHOICE, "jobserver", "KIND", run.jobserver,
           "how commands such as make and cargo share one limit with the tasks (default: by the "
           "jobserver of the make that has started this, if any)",
           .choice = cli_jobserver_name, .summary = cli_jobserver_summary,
           .commands = CLI_RUN | CLI_SERVE),
    OPTION(TEXT, "fungible", "R,...", enforcer.fungible,
           "resources of which demand beyond the capacity only slows tasks down, beside those "
           "that the cluster's file declares, such as net,disk",
           .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(TEXT, "overbook", "R=P,...", enforcer.overbook,
           "let tasks demand up to P percent of the capacity of R, which is declared fungible, "
           "such as net=150,disk=120",
           .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(TEXT, "eta", "X", enforcer.eta,
           "how much a job with little work left counts against packing, from 0 (default: 3; "
           "1: as in the paper)",
           .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(TEXT, "remote-penalty", "X", enforcer.remote_penalty,
           "factor on the packing of a task away from the machine that the plan has it on, 0 to "
           "1 (default: 0.8)",
           .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(TEXT, "kappa", "X", enforcer.kappa,
           "how far a group may fall behind its share, in clusters, before it goes first, above "
           "0 (default: 0.1)",
           .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(CHOICE, "fairness", "F", enforcer.fairness,
           "what a task counts against the share of its group", .choice = cli_fairness_name,
           .summary = cli_fairness_summary, .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(COUNT, "bundle", "N", enforcer.bundle,
           "tasks that one look at all that could start collects for a machine (default: 8)",
           .least = 1, .most = 65536, .commands = CLI_RUN | CLI_SIMULATE),
    OPTION(TEXT, "utility", "S:U,...", control.utility,
           "what it is worth that a job ends S seconds after its start, along lines through these "
           "points, never rising, in place of a deadline; one for all jobs, or one for each with "
           "'/' between them",
           .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(COUNT, "most-tokens", "N", control.most,
           "a job with a deadline runs at most N tasks at once, and all together under run and "
           "deadline-arbiter (default: 100; of run at most what the cluster holds)",
           .least = 1, .most = 1000000, .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(TEXT, "slack", "X", control.slack,
           "forecasts of the time left times X, for deadlines (default: 1.2)",
           .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(TEXT, "hysteresis", "X", control.hysteresis,
           "how far an allocation goes towards the right one each period, above 0 up to 1 "
           "(default: 0.2)",
           .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(TEXT, "dead-zone", "S", control.dead_zone,
           "seconds that deadlines are moved ahead, and that a job may be late by before it gets "
           "more (default: 180)",
           .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(TEXT, "period", "S", control.period,
           "seconds between decisions about a job with a deadline (default: 60)",
           .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(TEXT, "on-time", "P", control.on_time,
           "the least allocation that ends by the deadline with probability P, in place of the "
           "greatest utility",
           .commands = CLI_SIMULATE | CLI_RUN),
    OPTION(PATH, "store", "FILE", search.store,
           "plans that are kept (SQLite; made where it is not there): look the job up first, and "
           "keep what is found",
           .commands = CLI_PLAN | CLI_BATCH),
    OPTION(PATH, "history", "FILE", needs.history,
           "durations as the runs in this history measured them, for the stages that it knows",
           .commands = CLI_DEADLINE | CLI_PLAN | CLI_BOUND),
    OPTION(TEXT, "directory", "DIR", import.directory,
           "the folder of the build, where ninja, make or Snakemake would be started (default: .)",
           .letter = 'C', .commands = CLI_IMPORT | CLI_BUILD),
    OPTION(TEXT, "name", "NAME", import.name,
           "the job's name, by which a history knows it (default: the whole path of its folder)",
           .commands = CLI_IMPORT | CLI_BUILD),
    OPTION(TEXT, "capacity", "R=A,...", job.capacity,
           "what the machine offers, such as cpu=16,mem=64GiB (default: the processors and the "
           "memory of this one)",
           .commands = CLI_IMPORT | CLI_BUILD | CLI_SERVE),
    OPTION(TEXT, "demand", "R=A,...", needs.demand,
           "what a command demands that was never measured (default: cpu=1); after a ';' also "
           "what those "
           "demand in any case whose name fits a pattern, as in 'cpu=1; *.cc.o: mem=2GiB'",
           .commands = CLI_IMPORT | CLI_BUILD | CLI_SERVE),
    OPTION(PATH, "socket", "PATH", admission.socket,
           "the server's (serve: default one of its own; admit: default BIGROCKS_SOCKET)",
           .commands = CLI_SERVE | CLI_ADMIT),
    OPTION(PATH, "history", "FILE", needs.history,
           "what runs have measured (SQLite); made where it is not there",
           .commands = CLI_IMPORT | CLI_ANNOTATE | CLI_SERVE | CLI_RUN),
    OPTION(CHOICE, "method", "M", search.method, "how to plan", .letter = 'm',
           .choice = br_method_name, .summary = br_method_summary, .commands = SEARCH),
    OPTION(FLAG, "network", NULL, search.network,
           "account for the bytes that edges carry, between the ports of the machines",
           .commands = CLI_PLAN | CLI_SIMULATE),
    OPTION(CHOICE, "effort", "E", search.effort,
           "how hard to search (default: max with --time-limit, so that it searches until then "
           "or a proof; else default)",
           .choice = cli_effort_name, .summary = cli_effort_summary, .commands = SEARCH & ~CLI_RUN),
    OPTION(CHOICE, "bound", "B", search.bound,
           "how much goes into the lower bound, at which the search ends (default: full); without "
           "full, the linear program is not asked",
           .choice = cli_plan_bound_name, .summary = cli_plan_bound_summary,
           .commands = SEARCH & ~CLI_RUN),
    OPTION(CHOICE, "objective", "O", search.objective,
           "what the plan is to be good at (default: makespan)", .choice = cli_plan_objective_name,
           .summary = cli_plan_objective_summary, .commands = CLI_PLAN | CLI_BATCH),
    OPTION(COUNT, "seed", "N", search.seed, "of the random choices (default: 1)",
           .most = UINT64_MAX, .commands = SEARCH),
    OPTION(COUNT, "threads", "N", search.threads,
           "to work with (batch: on one job each); the plans do not depend on it (default: 0, "
           "one per processor)",
           .most = 1024, .commands = SEARCH | CLI_SIMULATE | CLI_PREDICT | CLI_COFLOW),
    OPTION(SECONDS, "time-limit", "S", search.time_limit_ns,
           "seconds; the best so far is the result (plan, batch: of the search for one job, "
           "which goes on until then or a proof, unless --effort ends it; default none; bound, "
           "coflow --bound: default a fixed amount of work)",
           .commands = SEARCH | CLI_BOUND | CLI_COFLOW),
    OPTION(COUNT, "placements", "N", search.placements,
           "tasks placed before the search ends: a limit that gives the same plan on every "
           "machine (default: 0, none)",
           .most = UINT64_MAX, .commands = SEARCH),
    OPTION(CHOICE, "frag-score", "F", search.frag_score, "how a stage's packing is scored",
           .choice = cli_frag_name, .summary = cli_frag_summary, .commands = SEARCH),
    OPTION(COUNT, "thresholds", "N", search.thresholds,
           "values that each of the two thresholds of graphene takes, at most; the default effort "
           "of method best takes fewer on large jobs, effort fast 4 (default: 16; 0: all)",
           .most = UINT32_MAX, .commands = SEARCH),
    OPTION(SWITCH, "lp", NULL, bound.lp,
           "ask bigrocks-bound for a tighter bound (default: where the bound is not met yet and "
           "the job is not large)",
           .commands = CLI_PLAN | CLI_BOUND),
    OPTION(CHOICE, "format", "F", output.format,
           "write the plan in this format (default: what the ending of -o FILE suggests)",
           .letter = 'f', .choice = br_emit_plan_name, .summary = br_emit_plan_summary,
           .commands = CLI_PLAN | CLI_RENDER),
    OPTION(CHOICE, "format", "F", output.format,
           "write the job in this format (default: what the ending of -o FILE suggests, else xml)",
           .letter = 'f', .choice = br_emit_job_name, .summary = br_emit_job_summary,
           .commands = CLI_GENERATE | CLI_IMPORT | CLI_ANNOTATE),
    OPTION(TEXT, "output", "FILE", output.path,
           "write to FILE, which appears when it is complete (default: -, standard output)",
           .letter = 'o', .commands = FILES),
    OPTION(CHOICE, "colour", "C", output.colour, "what colours mean in dot, svg and html",
           .choice = cli_colour_name, .summary = cli_colour_summary,
           .commands = CLI_PLAN | CLI_RENDER),
    OPTION(CHOICE, "layout", "L", output.layout, "the lines that boxes of dot stand on",
           .choice = cli_layout_name, .summary = cli_layout_summary,
           .commands = CLI_PLAN | CLI_RENDER),
    OPTION(CHOICE, "nodes", "N", output.nodes, "what a box of dot stands for",
           .choice = cli_nodes_name, .summary = cli_nodes_summary,
           .commands = CLI_PLAN | CLI_RENDER),
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
           "say the version and all options in effect, every better plan that the search finds, "
           "and what it cost",
           .letter = 'v', .commands = SEARCH),
    OPTION(FLAG, "quiet", NULL, output.quiet,
           "no summary and no notes, only what was asked for and errors", .letter = 'q',
           .commands = CLI_PLAN | CLI_BOUND | CLI_CHECK | CLI_RENDER | CLI_BATCH | CLI_IMPORT |
                       CLI_ANNOTATE | CLI_HISTORY | CLI_BUILD | CLI_SERVE | CLI_RUN | CLI_WORKLOAD |
                       CLI_SIMULATE | CLI_PREDICT | CLI_DEADLINE | CLI_TRAIN | CLI_COFLOW),
    OPTION(FLAG, "help", NULL, about.help, "show this help", .letter = 'h', .commands = CLI_ALL),
    OPTION(FLAG, "version", NULL, about.version, "show the version", .letter = 'V',
           .commands = CLI_ALL),
    OPTIONS_END};

static struct cli_settings options_shared_defaults(void)
{
    struct br_plan_options plan = br_plan_options_default();
    struct br_parse_options parse = br_parse_options_default();
    struct br_runtime_options enforcer = br_runtime_options_default();
    return (struct cli_settings){
        .job = {.transfer_rate = parse.transfer_rate,
                .transfer_mode = cli_transfer_name(parse.transfer_mode == BR_TRANSFER_DEMAND),
                .speed = parse.speed},
        .search = {.method = plan.method,
                   .frag_score = cli_frag_name(plan.frag_score == BR_FRAG_PAPER),
                   .thresholds = plan.threshold_limit,
                   .threads = plan.threads,
                   .seed = plan.seed,
                   .placements = plan.placements,
                   .time_limit_ns = -1},
        .bound = {.conflicts = CLI_CONFLICTS_DEFAULT, .cpu_limit_ns = -1, .lp_time_ns = -1},
        .enforcer = {.policy = enforcer.policy,
                     .fairness = cli_fairness_name(enforcer.fairness),
                     .bundle = enforcer.bundle},
    };
}

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

struct cli_settings cli_settings_default(void)
{
    struct cli_settings settings = options_shared_defaults();
    for (const struct cli_command *const *command = cli_commands; *command; command++)
        if ((*command)->set_defaults)
            (*command)->set_defaults(&settings);
    return settings;
}
