/* The one option table of the program. The parser, the help of every sub-command and all that
 * lists options read it; to add an option is to add a member to the settings and a row here. */
#include <stddef.h>

#include "cli/common.h"
#include "emit/emit.h"

enum {
    JOB = CLI_PLAN | CLI_BOUND | CLI_CHECK | CLI_CONVERT | CLI_SHOW, /* read a job */
    FILES = CLI_PLAN | CLI_RENDER | CLI_CONVERT,                     /* write a file */
};

static const char *const efforts[] = {"fast", "default", NULL};
static const char *const effort_summaries[] = {
    "few sets of troublesome tasks",
    "many sets of troublesome tasks",
    NULL,
};
static const char *const transfer_modes[] = {"delay", "demand", NULL};
static const char *const transfer_summaries[] = {
    "a file handed on delays the reader by size / rate",
    "both ends demand the resource \"net\"",
    NULL,
};
static const char *const frag_scores[] = {"bound", "paper", NULL};
static const char *const frag_summaries[] = {
    "max(TWork, longest task) / ExecTime: tiny stages do not look hard to pack",
    "TWork / ExecTime, as published",
    NULL,
};

/* A choice is a function, since the formats' and the methods' tables are known by functions. */
#define CHOICE(function, texts)                                                                    \
    static const char *function(uint32_t k)                                                        \
    {                                                                                              \
        return k < sizeof texts / sizeof *texts ? texts[k] : NULL;                                 \
    }
CHOICE(effort_name, efforts)
CHOICE(effort_summary, effort_summaries)
CHOICE(transfer_name, transfer_modes)
CHOICE(transfer_summary, transfer_summaries)
CHOICE(frag_name, frag_scores)
CHOICE(frag_summary, frag_summaries)

#define MEMBER(name) offsetof(struct cli_settings, name)

const struct br_option cli_options[] = {
    {.name = "cluster",
     .argument = "FILE",
     .help = "the cluster, in the native XML form (default: the one in the job's file)",
     .commands = JOB,
     .kind = BR_OPTION_TEXT,
     .offset = MEMBER(cluster)},
    {.name = "machines",
     .argument = "N",
     .help = "a cluster of N equal machines (default with --capacity: 1)",
     .commands = JOB,
     .kind = BR_OPTION_COUNT,
     .least = 1,
     .most = BR_MAX_MACHINES,
     .offset = MEMBER(machines)},
    {.name = "capacity",
     .argument = "R=A,...",
     .help = "what each of the machines offers, such as cpu=16,mem=64GiB",
     .commands = JOB,
     .kind = BR_OPTION_TEXT,
     .offset = MEMBER(capacity)},
    {.name = "from",
     .argument = "FORMAT",
     .help = "the job's format (default: recognised from the content)",
     .commands = JOB,
     .kind = BR_OPTION_CHOICE,
     .choice = br_parser_name,
     .summary = br_parser_summary,
     .offset = MEMBER(from)},
    {.name = "transfer-rate",
     .argument = "R",
     .help = "bytes a second at which files go from task to task (default: files are ignored)",
     .commands = JOB,
     .kind = BR_OPTION_AMOUNT,
     .offset = MEMBER(transfer_rate)},
    {.name = "transfer-mode",
     .argument = "MODE",
     .help = "what a file handed on becomes",
     .commands = JOB,
     .kind = BR_OPTION_CHOICE,
     .choice = transfer_name,
     .summary = transfer_summary,
     .offset = MEMBER(transfer_mode)},
    {.name = "speed",
     .argument = "S",
     .help = "operations a second of one core, for formats that count operations",
     .commands = JOB,
     .kind = BR_OPTION_AMOUNT,
     .offset = MEMBER(speed)},

    {.name = "method",
     .letter = 'm',
     .argument = "M",
     .help = "how to plan",
     .commands = CLI_PLAN,
     .kind = BR_OPTION_CHOICE,
     .choice = br_method_name,
     .summary = br_method_summary,
     .offset = MEMBER(method)},
    {.name = "effort",
     .argument = "E",
     .help = "how hard to search",
     .commands = CLI_PLAN,
     .kind = BR_OPTION_CHOICE,
     .choice = effort_name,
     .summary = effort_summary,
     .offset = MEMBER(effort)},
    {.name = "seed",
     .argument = "N",
     .help = "of the random choices (default: 1)",
     .commands = CLI_PLAN,
     .kind = BR_OPTION_COUNT,
     .most = UINT64_MAX,
     .offset = MEMBER(seed)},
    {.name = "threads",
     .argument = "N",
     .help = "to search with; the plan does not depend on it (default: 0, one per processor)",
     .commands = CLI_PLAN,
     .kind = BR_OPTION_COUNT,
     .most = 1024,
     .offset = MEMBER(threads)},
    {.name = "time-limit",
     .argument = "S",
     .help = "seconds; the best so far is the result (plan: of the search, default none; bound: "
             "of the linear program, default 10)",
     .commands = CLI_PLAN | CLI_BOUND,
     .kind = BR_OPTION_SECONDS,
     .offset = MEMBER(time_limit_ns)},
    {.name = "placements",
     .argument = "N",
     .help = "tasks placed before the search ends: a limit that gives the same plan on every "
             "machine (default: 0, none)",
     .commands = CLI_PLAN,
     .kind = BR_OPTION_COUNT,
     .most = UINT64_MAX,
     .offset = MEMBER(placements)},
    {.name = "frag-score",
     .argument = "F",
     .help = "how a stage's packing is scored",
     .commands = CLI_PLAN,
     .kind = BR_OPTION_CHOICE,
     .choice = frag_name,
     .summary = frag_summary,
     .offset = MEMBER(frag_score)},
    {.name = "lp",
     .help = "ask bigrocks-bound for a tighter bound (default: where the bound is not met yet and "
             "the job is not large)",
     .commands = CLI_PLAN | CLI_BOUND,
     .kind = BR_OPTION_SWITCH,
     .offset = MEMBER(lp)},
    {.name = "lp-time",
     .argument = "S",
     .help = "seconds for that (default: 2)",
     .commands = CLI_PLAN,
     .kind = BR_OPTION_SECONDS,
     .offset = MEMBER(lp_time_ns)},

    {.name = "format",
     .letter = 'f',
     .argument = "F",
     .help = "write the plan in this format (default: what the ending of -o FILE suggests)",
     .commands = CLI_PLAN | CLI_RENDER,
     .kind = BR_OPTION_CHOICE,
     .choice = br_emit_plan_name,
     .summary = br_emit_plan_summary,
     .offset = MEMBER(format)},
    {.name = "format",
     .letter = 'f',
     .argument = "F",
     .help = "write the job in this format (default: what the ending of -o FILE suggests)",
     .commands = CLI_CONVERT,
     .kind = BR_OPTION_CHOICE,
     .choice = br_emit_job_name,
     .summary = br_emit_job_summary,
     .offset = MEMBER(format)},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "write to FILE, which appears when it is complete (default: -, standard output)",
     .commands = FILES,
     .kind = BR_OPTION_TEXT,
     .offset = MEMBER(output)},
    {.name = "explain",
     .help = "add how the plan was found, part by part",
     .commands = CLI_PLAN,
     .kind = BR_OPTION_FLAG,
     .offset = MEMBER(explain)},
    {.name = "json",
     .help = "write the bound as JSON",
     .commands = CLI_BOUND,
     .kind = BR_OPTION_FLAG,
     .offset = MEMBER(json)},
    {.name = "verbose",
     .letter = 'v',
     .help = "say the version and all options in effect, and what the search cost",
     .commands = CLI_PLAN,
     .kind = BR_OPTION_FLAG,
     .offset = MEMBER(verbose)},
    {.name = "quiet",
     .letter = 'q',
     .help = "no summary and no notes, only what was asked for and errors",
     .commands = CLI_PLAN | CLI_BOUND | CLI_CHECK | CLI_RENDER,
     .kind = BR_OPTION_FLAG,
     .offset = MEMBER(quiet)},
    {.name = "help",
     .letter = 'h',
     .help = "show this help",
     .commands = CLI_ALL,
     .kind = BR_OPTION_FLAG,
     .offset = MEMBER(help)},
    {.name = "version",
     .letter = 'V',
     .help = "show the version",
     .commands = CLI_ALL,
     .kind = BR_OPTION_FLAG,
     .offset = MEMBER(version)},
    {.name = NULL},
};

struct cli_settings cli_settings_default(void)
{
    struct br_plan_options plan = br_plan_options_default();
    struct br_parse_options parse = br_parse_options_default();
    return (struct cli_settings){
        .transfer_rate = parse.transfer_rate,
        .speed = parse.speed,
        .transfer_mode = transfer_modes[parse.transfer_mode == BR_TRANSFER_DEMAND],
        .method = plan.method,
        .effort = efforts[plan.effort == BR_EFFORT_DEFAULT],
        .frag_score = frag_scores[plan.frag_score == BR_FRAG_PAPER],
        .threads = plan.threads,
        .seed = plan.seed,
        .placements = plan.placements,
        .time_limit_ns = -1,
        .lp_time_ns = INT64_C(2000000000),
    };
}
