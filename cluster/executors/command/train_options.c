#include "cluster/executors/command/train_options.h"
#include "cli/inputs/load.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/text/shell.h"
#include "cli/options/choices.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cluster/executors/classes.h"

static const struct br_named objectives[] = {
    {"completion", "the mean completion time of jobs"},
    {"makespan", "the end of the last job"},
    {"misses", "the share of jobs that miss their deadlines, which --deadlines gives them"},
};
static const struct br_names objective_rows = {BR_NAMES(objectives)};

static const struct br_named methods[] = {
    {"reinforce", "drawn decisions that have cost less become likelier [Mao19]"},
    {"evolve", "parameters changed at random, towards those that cost less; of a planned network, "
               "the numbers of the planner's rule, else all"}};
static const struct br_names method_rows = {BR_NAMES(methods)};

const struct br_option cli_train_rows[] = {
    OPTION(COUNT, "executors", "N", train.executors, "train for N executors (default: 50)",
           .least = 1, .most = 1000000),
    OPTION(SECONDS, "moving", "S", train.moving_ns,
           "seconds that an executor takes to move to another job (default: 2)"),
    OPTION(FLAG, "yield", NULL, train.yields,
           "decide about an executor that ends a task if a job has come, even if its stage has "
           "more tasks"),
    OPTION(COUNT, "count", "N", train.count,
           "jobs of an episode, drawn from those given (default: 20)", .least = 1, .most = 100000),
    OPTION(PAIR, "interarrival", "A[:B]", train.interarrival,
           "mean seconds between arrivals (default: 0, all at once); with two, a mean from A to "
           "B is drawn for each sequence of arrivals",
           .high = 1e9, .example = "30"),
    OPTION(LIST, "classes", "M,M,...", train.classes,
           "executors of several sizes, as of 'simulate', such as 0.25,0.5,0.75,1",
           .list = BR_LIST_NUMBER, .high = 1e15, .above = true, .rising = true,
           .most = BR_EXECUTOR_CLASSES, .example = "0.25,0.5,0.75,1"),
    OPTION(FLAG, "draw-requests", NULL, train.draw_requests,
           "with --classes: a stage that demands no 'mem' asks for a random part of the largest "
           "class"),
    OPTION(TEXT, "deadlines", "S|Fx", train.deadlines,
           "give every job a deadline S seconds after its arrival, or F times its critical path "
           "after, such as 2.5x"),
    OPTION(PAIR, "length", "A:B", train.length,
           "episodes end at a random time, after A seconds in the mean at the start of the "
           "training and B at its end (default: with their last job)",
           .high = 1e9, .example = "1000:5000"),
    OPTION(COUNT, "iterations", "N", train.iterations, "(default: 1000)", .least = 1,
           .most = 1000000000),
    OPTION(COUNT, "episodes", "N", train.episodes,
           "of an iteration, all with the same arrivals (default: 16)", .least = 2, .most = 1024),
    OPTION(CHOICE, "method", "M", train.method, "how it learns", .rows = &method_rows),
    OPTION(REAL, "reach", "X", train.reach,
           "of the method evolve: the spread of changes (default: 0.5)", .high = 10, .above = true,
           .example = "0.5"),
    OPTION(REAL, "step", "X", train.step,
           "shorten each step of the method reinforce until it changes decisions by at most X, in "
           "nats of relative entropy (default: 0, as long as it comes)",
           .high = 10, .example = "0.01"),
    OPTION(SECONDS, "horizon", "S", train.horizon_ns,
           "count costs S seconds after a decision to 37 %, and an estimate of the jobs' remaining "
           "cost instead (default: all counts)"),
    OPTION(FLAG, "own-arrivals", NULL, train.own_arrivals,
           "give each episode arrivals of its own, which makes learning from them less sure"),
    OPTION(FLAG, "without-graph", NULL, train.without_graph,
           "let stages hear nothing of those that wait for them, to measure what that is worth"),
    OPTION(FLAG, "without-limits", NULL, train.without_limits,
           "let jobs have all executors, to measure what their limits are worth"),
    OPTION(CHOICE, "objective", "O", train.objective, "what is to be little",
           .rows = &objective_rows),
    OPTION(CHOICE, "network", "N", train.network, "the form of the network",
           .rows = &br_network_forms),
    OPTION(PAIR, "rate", "A[:B]", train.rate,
           "rate of learning, at the start and at the end (default: 0.003:0.0003)", .high = 10,
           .example = "0.003:0.0003"),
    OPTION(
        PAIR, "entropy", "A[:B]", train.entropy,
        "weight of the entropy (planned: by how little it differs from the advice), at the start "
        "and at the end (default: 0.02:0.001)",
        .high = 10, .example = "0.02:0.001"),
    OPTION(TEXT, "teacher", "POLICY:N", train.teacher,
           "for the first N iterations learn to do what a policy of 'simulate' does, such as "
           "weighted-fair=-1:100"),
    OPTION(COUNT, "seed", "N", train.seed, "seed of the training (default: 1)", .most = UINT64_MAX),
    OPTION(
        COUNT, "every", "N", train.every,
        "try what has been learned, and keep a checkpoint, after every N iterations (default: 25)",
        .least = 1, .most = 1000000000),
    OPTION(COUNT, "trials", "N", train.trials,
           "sequences of arrivals of such a trial, always the same (default: 16)", .least = 1,
           .most = 100000),
    OPTION(COUNT, "trial-seed", "N", train.trial_seed, "seed of these (default: 1)",
           .most = UINT64_MAX),
    OPTION(PATH, "checkpoint", "FILE", train.checkpoint,
           "keep checkpoints in FILE (default: the model's path with .part)"),
    OPTION(FLAG, "resume", NULL, train.resume, "go on from the checkpoint, if there is one"),
    OPTION(TEXT, "curve", "FILE", train.curve, "write the course of the training, as .csv or .svg"),
    OPTIONS_END};

void cli_train_set_defaults(struct cli_settings *settings)
{
    settings->train.network = BR_NETWORK_SPLIT;
    settings->train.interarrival = (struct br_option_pair){0, NAN};
    settings->train.objective = BR_MEAN_COMPLETION;
    settings->train.method = BR_REINFORCE;
    settings->train.reach = 0.5;
    settings->train.step = 0;
    settings->train.rate = (struct br_option_pair){0.003, 0.0003};
    settings->train.entropy = (struct br_option_pair){0.02, 0.001};
    settings->train.executors = 50;
    settings->train.count = 20;
    settings->train.iterations = 1000;
    settings->train.episodes = 16;
    settings->train.seed = 1;
    settings->train.every = 25;
    settings->train.trials = 16;
    settings->train.trial_seed = 1;
    settings->train.moving_ns = INT64_C(2000000000);
}

/* The second number of a pair is the first if it is not given. */
static void train_options_take_pair(struct br_option_pair pair, double *first, double *last)
{
    br_option_take(pair.first, first);
    *last = *first;
    br_option_take(pair.second, last);
}

/* "POLICY:N" or "POLICY=X:N". */
static enum br_status read_teacher(const char *text, struct br_train_options *options,
                                   struct br_diag *diag)
{
    if (!text)
        return BR_OK;
    size_t name = strcspn(text, "=:");
    const char *at = text + name;
    double count;
    bool read = true;
    options->teacher_number = NAN;
    for (uint32_t k = 0; br_executors_policy(k); k++) {
        const char *known = br_executors_policy(k)->named.name;
        if (strlen(known) == name && memcmp(known, text, name) == 0 &&
            !br_executors_policy(k)->step)
            options->teacher = br_executors_policy(k);
    }
    if (!options->teacher)
        return br_fail(diag, BR_USAGE, "see 'bigrocks simulate --help'",
                       "--teacher: there is no policy '%.*s' for executors", (int)name, text);
    if (*at == '=') {
        at++;
        read = br_real_read(&at, ":", &options->teacher_number);
    }
    read =
        read && *at++ == ':' && br_real_read(&at, "", &count) && !*at && count >= 0 && count < 1e15;
    if (!read)
        return br_fail(diag, BR_USAGE, "as in --teacher weighted-fair=-1:100",
                       "--teacher takes a policy and a number of iterations");
    options->taught = (uint64_t)count;
    return BR_OK;
}

enum br_status cli_train_options(const struct cli_settings *settings,
                                 struct br_train_options *options, struct br_course_options *course,
                                 struct br_diag *diag)
{
    const struct cli_train_settings *train = &settings->train;
    enum br_network_form form = (enum br_network_form)train->network;
    double first_s = 0, last_s = 0, interarrival_s = 0, last_interarrival_s = 0;
    *options = br_train_options_default();
    options->shape = form == BR_NETWORK_CODE    ? br_network_shape_code()
                     : form == BR_NETWORK_PAPER ? br_network_shape_paper()
                     : form == BR_NETWORK_SPLIT ? br_network_shape_split()
                                                : br_network_shape_planned();
    options->shape.without = (train->without_graph ? BR_WITHOUT_GRAPH : 0) |
                             (train->without_limits ? BR_WITHOUT_LIMITS : 0);
    options->cluster.executors = (uint32_t)train->executors;
    options->cluster.moving_ns = train->moving_ns;
    options->cluster.yields = train->yields;
    options->objective = (enum br_training_objective)train->objective;
    options->draw_requests = train->draw_requests;
    options->method = train->method == BR_EVOLVE ? BR_EVOLVE : BR_REINFORCE;
    options->seed = train->seed;
    options->threads = cli_threads(&settings->search);
    options->episodes = (uint32_t)train->episodes;
    options->jobs = (uint32_t)train->count;
    options->iterations = train->iterations;
    options->horizon_s = (double)train->horizon_ns * 1e-9;
    options->own_arrivals = train->own_arrivals;
    *course = (struct br_course_options){train->every, (uint32_t)train->trials, train->trial_seed};
    train_options_take_pair(train->rate, &options->rate, &options->last_rate);
    train_options_take_pair(train->entropy, &options->care, &options->last_care);
    train_options_take_pair(train->length, &first_s, &last_s);
    train_options_take_pair(train->interarrival, &interarrival_s, &last_interarrival_s);
    options->reach = train->reach;
    options->most_shift = train->step;
    options->interarrival_ns = llround(interarrival_s * 1e9);
    options->last_interarrival_ns = llround(last_interarrival_s * 1e9);
    options->length_ns = (int64_t)(first_s * 1e9);
    options->last_length_ns = (int64_t)(last_s * 1e9);
    enum br_status status = read_teacher(train->teacher, options, diag);
    if (!status && train->classes)
        status = br_executors_classes_read(train->classes, &options->cluster, diag);
    return status ? status : br_train_options_check(options, diag);
}

/* ---- Files ---- */

bool cli_train_is_file(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".toml") == 0;
}

/* Cuts the blanks at both ends, in place. */
static char *train_options_trim(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* Cuts off a comment that is not within quotes. */
static void cut_comment(char *line)
{
    bool quoted = false;
    for (; *line && (quoted || *line != '#'); line++)
        quoted ^= *line == '"';
    *line = '\0';
}

static enum br_status train_options_take_line(char *line, uint32_t number, struct br_arena *arena,
                                              struct cli_settings *settings, const char **jobs,
                                              struct br_diag *diag)
{
    const struct br_pos pos = {number, 1};
    char word[512];
    const char *positional[1];
    uint32_t positionals;
    cut_comment(line);
    char *key = train_options_trim(line), *value = strchr(key, '=');
    if (!*key)
        return BR_OK;
    if (!value)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "write OPTION = VALUE",
                          "there is no '=' in this line");
    *value++ = '\0';
    key = train_options_trim(key);
    value = train_options_trim(value);
    size_t length = strlen(value);
    if (length >= 2 && value[0] == '"' && value[length - 1] == '"') {
        value[length - 1] = '\0';
        value++;
    }
    if (strcmp(key, "jobs") == 0)
        return (*jobs = br_arena_text(arena, value)) ? BR_OK : br_fail_memory(diag);
    bool flag = strcmp(value, "true") == 0;
    if (strcmp(value, "false") == 0)
        return BR_OK;
    int used = snprintf(word, sizeof word, flag ? "--%s" : "--%s=%s", key, value);
    char *kept = used < (int)sizeof word ? br_arena_text(arena, word) : NULL;
    if (!kept)
        return br_fail_at(diag, pos, BR_BAD_INPUT, NULL, "this line is too long");
    enum br_status status = br_options_parse(cli_options(), CLI_TRAIN, 1, &kept, settings,
                                             positional, 0, &positionals, diag);
    if (status && diag) {
        diag->status = BR_BAD_INPUT;
        diag->line = number;
        diag->column = 1;
    }
    return status ? BR_BAD_INPUT : BR_OK;
}

enum br_status cli_train_read(const char *path, struct br_arena *arena,
                              struct cli_settings *settings, const char **jobs,
                              struct br_diag *diag)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    enum br_status status = BR_OK;
    br_diag_file(diag, path);
    if (!file)
        return br_fail(diag, errno == ENOENT ? BR_BAD_INPUT : BR_SYSTEM, NULL,
                       "the file cannot be opened: %s", strerror(errno));
    for (uint32_t number = 1; !status && fgets(line, sizeof line, file); number++) {
        const struct br_pos pos = {number, 1};
        if (!strchr(line, '\n') && !feof(file))
            status = br_fail_at(diag, pos, BR_BAD_INPUT, NULL, "this line is too long");
        else
            status = train_options_take_line(line, number, arena, settings, jobs, diag);
    }
    fclose(file);
    if (!status)
        br_diag_file(diag, NULL);
    return status;
}

/* ---- The command ---- */

static void train_options_print_pair(FILE *out, const char *name, struct br_option_pair pair)
{
    char text[80];
    br_pair_format(pair, text, sizeof text);
    fprintf(out, " --%s %s", name, text);
}

const char *cli_train_command(const struct cli_settings *settings, const char *const *argument,
                              uint32_t arguments, struct br_arena *arena)
{
    const struct cli_train_settings *train = &settings->train;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("bigrocks train", out);
    for (uint32_t k = 0; k < arguments; k++) {
        putc(' ', out);
        br_shell_write(out, argument[k]);
    }
    fprintf(out,
            " --executors %" PRIu64 " --count %" PRIu64 " --iterations %" PRIu64
            " --episodes %" PRIu64 " --seed %" PRIu64 " --network %s --objective %s"
            " --every %" PRIu64 " --trials %" PRIu64 " --trial-seed %" PRIu64,
            train->executors, train->count, train->iterations, train->episodes, train->seed,
            br_named_name(&br_network_forms, train->network),
            br_named_name(&objective_rows, train->objective), train->every, train->trials,
            train->trial_seed);
    fprintf(out, " --moving %.15g", (double)train->moving_ns * 1e-9);
    train_options_print_pair(out, "interarrival", train->interarrival);
    train_options_print_pair(out, "rate", train->rate);
    train_options_print_pair(out, "entropy", train->entropy);
    if (!isnan(train->length.first))
        train_options_print_pair(out, "length", train->length);
    if (train->teacher)
        fprintf(out, " --teacher %s", train->teacher);
    if (train->method != BR_REINFORCE) {
        fprintf(out, " --method %s", br_named_name(&method_rows, train->method));
        train_options_print_pair(out, "reach", (struct br_option_pair){train->reach, NAN});
    }
    if (train->step > 0)
        train_options_print_pair(out, "step", (struct br_option_pair){train->step, NAN});
    if (train->horizon_ns)
        fprintf(out, " --horizon %.15g", (double)train->horizon_ns * 1e-9);
    if (train->own_arrivals)
        fputs(" --own-arrivals", out);
    if (train->yields)
        fputs(" --yield", out);
    if (train->without_graph)
        fputs(" --without-graph", out);
    if (train->without_limits)
        fputs(" --without-limits", out);
    if (train->classes)
        fprintf(out, " --classes %s%s", train->classes,
                train->draw_requests ? " --draw-requests" : "");
    if (train->deadlines)
        fprintf(out, " --deadlines %s", train->deadlines);
    const char *kept = fclose(out) == 0 ? br_arena_text(arena, text) : NULL;
    free(text);
    return kept;
}
