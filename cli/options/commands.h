/* The table of sub-commands. A new one is a file that defines `cli_NAME` (struct cli_command) and a
 * row here, which gives it its bit and its place in help, completions and manual pages. */
#ifndef BR_CLI_OPTIONS_COMMANDS_H
#define BR_CLI_OPTIONS_COMMANDS_H

#include <bigrocks/diag.h>
#include <stdint.h>

/* The rows, in the order in which help lists them: ROW(BIT, name). */
#define CLI_COMMANDS(ROW, CLUSTER)                                                                 \
    ROW(PLAN, plan)                                                                                \
    ROW(BOUND, bound)                                                                              \
    ROW(CHECK, check)                                                                              \
    ROW(RENDER, render)                                                                            \
    ROW(CONVERT, convert)                                                                          \
    ROW(SHOW, show)                                                                                \
    ROW(GENERATE, generate)                                                                        \
    ROW(BATCH, batch)                                                                              \
    ROW(IMPORT, import)                                                                            \
    ROW(ANNOTATE, annotate)                                                                        \
    ROW(HISTORY, history)                                                                          \
    ROW(BUILD, build)                                                                              \
    ROW(SERVE, serve)                                                                              \
    ROW(ADMIT, admit)                                                                              \
    ROW(RUN, run)                                                                                  \
    CLUSTER(WORKLOAD, workload)                                                                    \
    CLUSTER(SIMULATE, simulate)                                                                    \
    CLUSTER(TRAIN, train)                                                                          \
    CLUSTER(COFLOW, coflow)                                                                        \
    CLUSTER(PREDICT, predict)                                                                      \
    CLUSTER(DEADLINE, deadline)                                                                    \
    ROW(DOCTOR, doctor)                                                                            \
    ROW(COMPLETION, completion)                                                                    \
    ROW(HELP, help)

struct br_option;
struct cli_settings;

/* Performs a sub-command on its positional arguments. Returns the exit status of the program: an
 * enum br_status, or that of the command which ran in its place (serve, admit). If that is not 0
 * and the diagnostic is filled, main prints it; a sub-command that has said everything itself
 * leaves it empty. */
typedef int cli_perform(const struct cli_settings *settings, const char *const *argument,
                        uint32_t arguments, struct br_diag *diag);

struct cli_command {
    const char *name;
    uint32_t bit;                    /* of br_option.commands: CLI_PLAN, ... */
    const struct br_option *options; /* that it owns (cli/options/options.h); NULL: none */
    void (*set_defaults)(struct cli_settings *settings); /* of these, if they are not 0 */
    uint32_t least, most;                                /* number of positional arguments */
    cli_perform *perform;
    const char *words; /* the first argument is one of these, with blanks between; NULL: anything */
    const char *arguments; /* as in the usage line, such as "JOB PLAN" */
    const char *summary;   /* a phrase, for the list of sub-commands */
    const char *text;      /* what it does, for its help; lines end with \n */
    const char *examples;  /* lines of shell, each ending with \n */
};

/* CLI_PLAN, CLI_BOUND, ...: bits of br_option.commands. CLI_ALL has them all. */
enum {
#define ROW(BIT, name) CLI_NUMBER_##BIT,
    CLI_COMMANDS(ROW, ROW)
#undef ROW
        CLI_COMMAND_COUNT
};
enum {
#define ROW(BIT, name) CLI_##BIT = 1 << CLI_NUMBER_##BIT,
    CLI_COMMANDS(ROW, ROW)
#undef ROW
        CLI_ALL = (1 << CLI_COMMAND_COUNT) - 1
};

#define ROW(BIT, name) extern const struct cli_command cli_##name;
CLI_COMMANDS(ROW, ROW)
#undef ROW

/* All of them that the program is built with, in the order of the rows; NULL ends it. */
extern const struct cli_command *const cli_commands[];
/* All options of all of them: those that several take, then each one's own; a row without a name
 * ends it. Equal for every call; the first is not for several threads. */
const struct br_option *cli_options(void);
/* The settings if nothing is given. */
struct cli_settings cli_settings_default(void);

#endif
