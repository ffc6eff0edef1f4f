/* The sub-commands: a table from which the program is run and its helps, manual pages and
 * completions are made. */
#include <string.h>
#include <unistd.h>

#include "cli/common.h"

const struct cli_command cli_commands[] = {
    {"plan", "JOB", "plan a job and say how good the plan is",
     "Reads a job, plans it on the cluster and proves how far the plan can be from the optimum.\n"
     "Without --format or -o, prints a summary; with one of them, writes the plan to standard\n"
     "output or to FILE, and the summary goes to standard error. Ctrl-C (or SIGTERM, or the time\n"
     "limit) ends the search, and the best plan so far is the result.\n",
     "bigrocks plan examples/motivating.xml --machines 1 --capacity cpu=1,mem=1 --explain\n"
     "bigrocks plan examples/query.xml --cluster examples/cluster-rack.xml -o plan.json\n"
     "bigrocks plan examples/build.dot --capacity cpu=4,mem=4GiB --method cp --format order\n",
     1, 1, cli_plan},
    {"bound", "JOB", "prove how short no plan can be",
     "Prints a lower bound on the makespan of every plan, and the argument that proves it: the\n"
     "best of the combinatorial bounds and, where the program bigrocks-bound is installed, of a\n"
     "linear program. --explain says what limits the job; --what-if tries other clusters.\n",
     "bigrocks bound examples/build.dot --capacity cpu=4,mem=4GiB\n"
     "bigrocks bound examples/query.xml --cluster examples/cluster-rack.xml --explain\n"
     "bigrocks bound examples/query.xml --cluster examples/cluster-rack.xml --no-lp --json\n"
     "bigrocks bound examples/query.xml --cluster examples/cluster-rack.xml --what-if disk+25%\n",
     1, 1, cli_bound},
    {"check", "JOB PLAN | --certificate FILE...", "check a plan against its job, or proofs",
     "Checks that the plan (JSON) is one of this very job, and that every task runs once, for its\n"
     "duration, after its parents, on a machine that has room for it. Durations and demands are\n"
     "the job's, not the plan's. The cluster is the one of the options, else the job's own, else\n"
     "the one that the plan carries. Exit status 0, or 1 with every fault on standard output.\n"
     "\n"
     "With --certificate: checks, in exact integers and without a solver, the proofs of the lower\n"
     "bounds that files carry for the job and the cluster inside them.\n",
     "bigrocks plan examples/query.xml --cluster examples/cluster-rack.xml -q -o plan.json\n"
     "bigrocks check examples/query.xml plan.json --cluster examples/cluster-rack.xml\n"
     "bigrocks check --certificate plan.json\n",
     1, UINT32_MAX, cli_check},
    {"render", "PLAN [PLAN]", "write a plan in another form, or draw it",
     "Reads a plan (JSON), which carries its job and its cluster, and writes it in another form:\n"
     "as a picture, as a report for a browser, or as the file of a workflow engine that runs it.\n"
     "A second plan is drawn beside the first, on one time scale (svg, html).\n",
     "bigrocks plan examples/query.xml --cluster examples/cluster-rack.xml -q -o plan.json\n"
     "bigrocks render plan.json --format order\n"
     "bigrocks render plan.json -o plan.html\n"
     "bigrocks plan examples/query.xml --cluster examples/cluster-rack.xml -q -o cp.json --method "
     "cp\n"
     "bigrocks render plan.json cp.json --colour stage -o both.svg\n",
     1, 2, cli_render},
    {"convert", "JOB", "write a job in another form",
     "Reads a job in any known format and writes it in another. The cluster, where there is one,\n"
     "goes along in the XML form.\n",
     "bigrocks convert examples/build.dot --format xml\n"
     "bigrocks convert examples/query.xml -o query.dot\n",
     1, 1, cli_convert},
    {"show", "JOB", "show what a job is made of",
     "Prints the job's size and shape: stages, tasks, depth, width, the parts between cuts, the\n"
     "work by resource, the longest task and the critical path; with a cluster, also the bounds.\n",
     "bigrocks show examples/motivating.xml\n"
     "bigrocks show examples/word-count.xml --machines 3 --capacity cpu=4,mem=8GiB\n",
     1, 1, cli_show},
    {"generate", "", "make up a job from a seed",
     "Makes a job of a given kind, for benchmarks and to try a cluster out; equal options give\n"
     "the same job on every machine. Its tasks demand cpu, mem, net and disk, and each fits a\n"
     "machine of 16 cores, 64 GiB, and 1,000 MB/s of network and of disk.\n",
     "bigrocks generate -o job.xml\n"
     "bigrocks generate --like layered --tasks 500 --stages 25 --seed 7 -o job.dot\n"
     "bigrocks generate --tasks 300 | bigrocks plan - --cluster examples/cluster-cosmos.xml\n",
     0, 0, cli_generate},
    {"batch", "LIST|DIR", "plan many jobs, one row of a table each",
     "Plans all jobs of a list (a file with a path a line; # begins a comment) or of a folder, a\n"
     "worker on every core, and writes a CSV row for each in the order of the list, whatever the\n"
     "number of threads. A job that cannot be planned gets a row that says why, and the others\n"
     "go on: exit status 0, or 3 where none could be planned. Ctrl-C ends it with what is done,\n"
     "and --resume goes on from there, also after a crash. --shard 2/8 takes the second of eight\n"
     "shares, on another machine say; --merge FILE... puts their files together.\n",
     "bigrocks batch examples --cluster examples/cluster-rack.xml\n"
     "bigrocks batch examples/jobs.txt --capacity cpu=8,mem=16GiB -o jobs.csv --resume\n"
     "bigrocks batch examples/jobs.txt --capacity cpu=8,mem=16GiB -o part-1.csv --shard 1/2\n"
     "bigrocks batch examples/jobs.txt --capacity cpu=8,mem=16GiB -o part-2.csv --shard 2/2\n"
     "bigrocks batch --merge part-1.csv part-2.csv -o jobs.csv\n",
     1, UINT32_MAX, cli_batch},
    {"import", "ninja [TARGET...]", "make a job of a build",
     "Reads build.ninja and .ninja_log of a configured build as a job: a task per command that\n"
     "the targets (default: those that ninja builds by default) need, with the time that it took\n"
     "last. The commands do what ninja does for them, so that 'bigrocks run' can build from\n"
     "nothing. The cluster that goes along is --capacity, by default this machine's processors\n"
     "and memory, with the pools of the build. 'bigrocks render' writes a plan of such a job as\n"
     "what ninja reads. See docs/build.md.\n",
     "bigrocks import ninja -C examples/ninja -o job.xml\n"
     "bigrocks import ninja -C examples/ninja app --capacity cpu=2,mem=1GiB --demand "
     "cpu=1,mem=200MiB\n"
     "bigrocks import --list\n",
     0, UINT32_MAX, cli_import},
    {"annotate", "JOB", "write what runs have measured into a job",
     "Reads a job and writes it with the durations and the demands for cpu and mem that its "
     "history\n"
     "knows: the median of the last runs, and the most memory. Stages are found by the job's name\n"
     "and their own; what the history does not know stays as it is.\n",
     "bigrocks annotate examples/etl.xml --history runs.sqlite -o job.xml\n", 1, 1, cli_annotate},
    {"serve", "-- [COMMAND...]", "let the commands of a build start when there is room for them",
     "Runs a build (such as ninja or make, with more jobs than the machine can bear) and listens\n"
     "on a Unix socket, which the build finds in BIGROCKS_SOCKET. Commands that are started by "
     "way\n"
     "of 'bigrocks admit' wait until what they demand is free, in the order of the plan where one\n"
     "is given. It ends with the build, and with its exit status; without a build, when nobody "
     "has\n"
     "come for a while, when its parent ends, or with Ctrl-C. See docs/build.md.\n",
     "bigrocks serve --capacity cpu=2,mem=1GiB -- sh -c 'bigrocks admit -- echo in'\n"
     "bigrocks serve --plan plan.json --history runs.sqlite -- ninja -j 64\n",
     0, UINT32_MAX, cli_serve},
    {"admit", "-- COMMAND...", "run a command once 'bigrocks serve' lets it",
     "A launcher for compilers and the like: waits until the server that BIGROCKS_SOCKET or\n"
     "--socket names has room, runs the command, and tells the server what it has used. What it\n"
     "demands is known from --demand, the plan or the history. Without a server it just runs the\n"
     "command. The exit status is the command's; 5 where a server is named and does not answer.\n",
     "bigrocks admit --demand cpu=1,mem=300MiB -- cc --version\n"
     "cmake -DCMAKE_C_COMPILER_LAUNCHER='bigrocks;admit;--'\n",
     1, UINT32_MAX, cli_admit},
    {"run", "JOB", "run a job's commands in the plan's order",
     "Runs the commands of the job's stages as processes on this machine, in the soft order of "
     "the\n"
     "plan, never beyond what the cluster offers (default: this machine's processors and memory).\n"
     "JOB may be a plan (JSON), which carries its job; without a plan, one is made first. What a\n"
     "task writes is shown whole when it ends. Exit status 0, or 1 where a task failed. Ctrl-C\n"
     "stops all tasks and waits for them, twice kills them. With --journal FILE, a run that was\n"
     "interrupted or killed at any moment goes on with --resume. See docs/run.md.\n",
     "bigrocks run examples/run.xml --capacity cpu=2,mem=64MiB\n"
     "bigrocks run examples/run.xml --capacity cpu=4,mem=1GiB --journal run.journal --trace "
     "trace.csv\n"
     "bigrocks run examples/query.xml --cluster examples/cluster-rack.xml --simulate --spread "
     "0.3\n",
     1, 1, cli_run},
    {"doctor", "", "show what is installed, what is missing, and what that costs",
     "Shows the version, what the program was built with, and which of the programs that it uses "
     "or\n"
     "writes files for are there.\n",
     "bigrocks doctor\n", 0, 0, cli_doctor},
    {"completion", "SHELL", "print the completion of a shell: bash, zsh or fish",
     "Prints a script that lets the shell complete sub-commands, options and their values.\n",
     "bigrocks completion bash > bigrocks.bash\n", 1, 1, cli_completion},
    {"help", "[COMMAND]", "show this overview, or the help of a sub-command",
     "Shows the overview, or the help of a sub-command.\n", "bigrocks help plan\n", 0, 1, cli_help},
    {0},
};

const struct cli_command *cli_command_find(const char *name, struct br_diag *diag)
{
    struct br_suggestion suggestion = {.word = name};
    for (const struct cli_command *command = cli_commands; command->name; command++) {
        if (strcmp(command->name, name) == 0)
            return command;
        br_suggestion_offer(&suggestion, command->name);
    }
    char hint[160] = "'bigrocks help' lists them";
    if (access(name, R_OK) == 0)
        snprintf(hint, sizeof hint, "did you mean 'bigrocks plan %.100s'?", name);
    else if (suggestion.best)
        snprintf(hint, sizeof hint, "did you mean '%s'?", suggestion.best);
    br_fail(diag, BR_USAGE, hint, "unknown sub-command '%.100s'", name);
    return NULL;
}
