/* bigrocks doctor: what is installed, what is missing, and the effect of that. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/process/machine.h"
#include "cli/help.h"
#include "cli/terminal/child.h"
#include "lp/client/child.h"
#include "lp/client/program.h"
#include "runtime/drivers/local/cgroup.h"

static void doctor_print_row(bool found, const char *name, const char *place, const char *use)
{
    printf("%-8s %-18s %s%s%s\n", found ? "found" : "missing", name, found ? place : "",
           found ? "; " : "", use);
}

static void print_machine(void)
{
    struct br_machine machine;
    br_machine_ask(&machine);
    printf("%-8s %-18s %" PRIu32, "have", "processors", machine.processors);
    if (machine.all_processors)
        printf(" of %" PRIu32 ", as affinity and control groups allow", machine.all_processors);
    puts("; all used unless --threads or --capacity says less");
    if (!machine.memory_bytes)
        return;
    printf("%-8s %-18s %.1f GiB", "have", "memory", (double)machine.memory_bytes / (1 << 30));
    if (machine.all_memory_bytes)
        printf(" of %.1f, as control groups allow", (double)machine.all_memory_bytes / (1 << 30));
    putchar('\n');
}

/* bigrocks-bound may be there and not start for want of a library, as in a wheel without GLPK. */
static void doctor_print_bound(void)
{
    enum { LIMIT_SECONDS = 10 };
    static const char *const words[] = {"bigrocks-bound", "--version", NULL};
    char path[PATH_MAX], why[PATH_MAX + 512];
    if (!br_bound_program_path(path)) {
        doctor_print_row(false, words[0], "",
                         "bounds are the combinatorial ones; build with GLPK to have it");
        return;
    }
    struct br_talk talk = {.program = path,
                           .argv = words,
                           .text = "",
                           .limit_ns = LIMIT_SECONDS * INT64_C(1000000000),
                           .processor_seconds = LIMIT_SECONDS};
    int error = br_talk(&talk);
    bool starts = !error && WIFEXITED(talk.state) && WEXITSTATUS(talk.state) == 0;
    const char *complaint = error            ? strerror(error)
                            : talk.complaint ? talk.complaint
                                             : "it does not answer";
    if (!starts)
        snprintf(why, sizeof why,
                 "bounds are the combinatorial ones, since %s does not start (%.*s); install what "
                 "it lacks (GLPK is libglpk40 on Debian)",
                 path, (int)(strcspn(complaint, "\n") % 256), complaint);
    doctor_print_row(starts, words[0], path,
                     starts ? "proves tighter bounds by linear programs" : why);
    br_talk_finish(&talk);
}

static int doctor_perform(const struct cli_settings *settings, const char *const *argument,
                          uint32_t arguments, struct br_diag *diag)
{
    static const struct {
        const char *program, *use, *without;
    } programs[] = {
        {"dot", "draws what --format dot writes", "the job graph cannot be drawn"},
        {"neato", "draws what --format gantt writes", "use --format svg, which needs nothing"},
        {"rsvg-convert", "draws -o FILE.pdf and FILE.png", "pictures are written as SVG"},
        {"ninja", "import reads its builds", "builds cannot be imported"},
        {"make", "runs --format make", "only needed for --format make"},
        {"sbatch", "runs --format slurm", "only needed for --format slurm"},
        {"condor_submit_dag", "runs --format dagman", "only needed for --format dagman"},
        {"snakemake", "runs --format snakemake; 'bigrocks import snakemake' needs version 9",
         "only needed for --format snakemake and import snakemake"},
        {"argo", "runs --format argo", "only needed for --format argo"},
        {"python3", "runs --format dask, hyperqueue, parsl and airflow",
         "only needed for --format dask, hyperqueue, parsl and airflow"},
    };
    char path[PATH_MAX];
    (void)settings, (void)argument, (void)arguments, (void)diag;
    cli_print_version(stdout);
    print_machine();
    struct br_cgroups groups;
    br_cgroups_open(&groups, NULL, 0);
    br_cgroups_close(&groups);
    printf("%-8s %-18s %s%s\n", *groups.why ? "missing" : "found", "control groups",
           *groups.why ? "run counts tasks as processes, and has no --limit-memory: "
                       : "run counts tasks by them, and limits memory by --limit-memory",
           groups.why);
    doctor_print_bound();
    for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++) {
        bool found = cli_find_program(programs[k].program, path);
        doctor_print_row(found, programs[k].program, path,
                         found ? programs[k].use : programs[k].without);
    }
    return BR_OK;
}

const struct cli_command cli_doctor = {
    .name = "doctor",
    .bit = CLI_DOCTOR,
    .least = 0,
    .most = 0,
    .perform = doctor_perform,
    .arguments = "",
    .summary = "show what is installed, what is missing, and what that costs",
    .text = "Shows the version, what the program was built with, and which of the programs that it "
            "uses "
            "or\n"
            "writes files for are there.\n",
    .examples = "bigrocks doctor\n",
};
