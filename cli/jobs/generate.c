/* bigrocks generate: a job from a seed. */
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/write_job.h"
#include "generate/generate.h"
#include <bigrocks/planner.h>

static int jobs_generate_perform(const struct cli_settings *settings, const char *const *argument,
                                 uint32_t arguments, struct br_diag *diag)
{
    struct br_generate_options options = br_generate_options_default();
    struct br_dag *dag;
    options.kind = settings->generate.like;
    options.seed = settings->generate.seed;
    options.tasks = (uint32_t)settings->generate.tasks;
    options.stages = (uint32_t)settings->generate.stages;
    const struct cli_generate_settings *own = &settings->generate;
    br_option_take(own->spread, &options.spread);
    br_option_take(own->rocks, &options.rocks);
    br_option_take(own->ranges, &options.ranges);
    br_option_take(own->outputs, &options.extras.outputs);
    br_option_take(own->outputs_from_end, &options.extras.outputs_from_end);
    br_option_take(own->licences, &options.extras.licences);
    br_option_take(own->alternatives, &options.extras.alternatives);
    br_option_take(own->classes, &options.extras.classes);
    br_option_take(own->lags, &options.extras.lags);
    br_option_take(own->streams, &options.extras.streams);
    br_option_take(own->releases, &options.extras.releases);
    br_option_take(own->deadlines, &options.extras.deadlines);
    if (own->output_amount)
        options.extras.output_amount = own->output_amount;
    if (own->output_resource)
        options.extras.output_resource = own->output_resource;
    enum br_status status = br_generate(&options, &dag, diag);
    if (status)
        return status;
    status = cli_write_job(&settings->output, dag, NULL, diag);
    br_dag_destroy(dag);
    return status;
}

static const struct br_option generate_rows[] = {
    OPTION(NAME, "like", "KIND", generate.like, "the kind of job", .rows = &br_generate_kinds),
    OPTION(COUNT, "seed", "N", generate.seed, "seed of the random choices (default: 1)",
           .most = UINT64_MAX),
    OPTION(REAL, "ranges", "P", generate.ranges,
           "share of one-to-one edges that become ranges: k to one, one to k", .high = 1,
           .example = "0.5"),
    OPTION(REAL, "outputs", "P", generate.outputs, "share of stages whose tasks leave an output",
           .high = 1, .example = "0.5"),
    OPTION(TEXT, "output-amount", "A", generate.output_amount,
           "median amount of an output (default: 1GiB)"),
    OPTION(TEXT, "output-resource", "R", generate.output_resource,
           "the resource that outputs hold (default: scratch)"),
    OPTION(REAL, "outputs-from-end", "P", generate.outputs_from_end,
           "share of outputs that are held from the end of their task on (default: 0)", .high = 1,
           .example = "0.5"),
    OPTION(REAL, "licences", "P", generate.licences,
           "share of stages whose tasks demand a licence each", .high = 1, .example = "0.2"),
    OPTION(
        REAL, "alternatives", "P", generate.alternatives,
        "share of stages whose tasks may also run on four times the cores, and some of them on a "
        "GPU of the class gpu-node",
        .high = 1, .example = "0.5"),
    OPTION(
        REAL, "classes", "P", generate.classes,
        "share of stages whose tasks run on machines of the classes node, or node and old, alone",
        .high = 1, .example = "0.2"),
    OPTION(REAL, "releases", "P", generate.releases, "share of stages with a release", .high = 1,
           .example = "0.2"),
    OPTION(REAL, "deadlines", "P", generate.deadlines, "share of stages with a deadline", .high = 1,
           .example = "0.2"),
    OPTION(REAL, "lags", "P", generate.lags, "share of edges with a lag", .high = 1,
           .example = "0.2"),
    OPTION(REAL, "streams", "P", generate.streams, "share of edges that are streams", .high = 1,
           .example = "0.2"),
    OPTIONS_END};

static void generate_set_defaults(struct cli_settings *settings)
{
    settings->generate.like = br_generate_options_default().kind;
    settings->generate.seed = br_plan_options_default().seed;
}

const struct cli_command cli_generate = {
    .name = "generate",
    .bit = CLI_GENERATE,
    .options = generate_rows,
    .set_defaults = generate_set_defaults,
    .least = 0,
    .most = 0,
    .perform = jobs_generate_perform,
    .arguments = "",
    .summary = "make up a job from a seed",
    .text =
        "Makes a job of a given kind, for benchmarks and to try a cluster out; equal options give\n"
        "the same job on every machine. Its tasks demand cpu, mem, net and disk, and each fits a\n"
        "machine of 16 cores, 64 GiB, and 1,000 MB/s of network and of disk.\n",
    .examples =
        "bigrocks generate -o job.xml\n"
        "bigrocks generate --like layered --tasks 500 --stages 25 --seed 7 -o job.dot\n"
        "bigrocks generate --tasks 300 --ranges 0.5 -o ranges.xml\n"
        "bigrocks generate --tasks 60 --alternatives 0.6 -o ways.xml\n"
        "bigrocks generate --tasks 60 --outputs 0.5 --licences 0.2 --lags 0.1 -o held.xml\n"
        "bigrocks generate --tasks 300 | bigrocks plan - --cluster examples/cluster-cosmos.xml\n",
};
