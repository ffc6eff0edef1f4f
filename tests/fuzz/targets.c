/* The table of targets, and the ground that they stand on. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

const struct fuzz_row fuzz_rows[] = {
    {"xml", fuzz_xml},
    {"dot", fuzz_dot},
    {"dax", fuzz_dax},
    {"wfformat", fuzz_wfformat},
    {"postgres", fuzz_postgres},
    {"duckdb", fuzz_duckdb},
    {"snakemake", fuzz_snakemake},
    {"dagman", fuzz_dagman},
    {"dagman-log", fuzz_dagman_log},
    {"jobshop", fuzz_jobshop},
    {"mspdi", fuzz_mspdi},
    {"flexible", fuzz_flexible},
    {"minizinc", fuzz_minizinc},
    {"bazel", fuzz_bazel},
    {"chakra", fuzz_chakra},
    {"cargo", fuzz_cargo},
    {"nx", fuzz_nx},
    {"turbo", fuzz_turbo},
    {"gitlab", fuzz_gitlab},
    {"github", fuzz_github},
    {"pegasus", fuzz_pegasus},
    {"kickstart", fuzz_kickstart},
    {"nextflow", fuzz_nextflow},
    {"stg", fuzz_stg},
    {"profile", fuzz_profile},
    {"psplib", fuzz_psplib},
    {"patterson", fuzz_patterson},
    {"cluster", fuzz_cluster},
    {"capacity", fuzz_capacity},
    {"plan", fuzz_plan},
    {"proof", fuzz_proof},
    {"bound", fuzz_bound},
    {"make", fuzz_printed},
    {"ninja", fuzz_ninja},
    {"ninja-log", fuzz_ninja_log},
    {"ninja-deps", fuzz_ninja_deps},
    {"depfile", fuzz_depfile},
    {"snippets", fuzz_snippets},
    {"journal", fuzz_journal},
    {"history", fuzz_history},
    {"serve", fuzz_serve},
    {"options", fuzz_options},
    {"search", fuzz_search},
    {"swf", fuzz_swf},
    {"sacct", fuzz_sacct},
    {"coflow", fuzz_coflow},
    {"spark", fuzz_spark},
    {"workload-xml", fuzz_workload_xml},
    {"workload-csv", fuzz_workload_csv},
    {"table", fuzz_table},
    {"model", fuzz_model},
    {"settings", fuzz_settings},
    {"job-list", fuzz_list},
    {"merge", fuzz_merge},
    {"values", fuzz_values},
    {"pipe", fuzz_pipe},
    {"machine", fuzz_machine},
    {"allocation", fuzz_allocation},
    {"proc", fuzz_proc},
    {"slurm", fuzz_slurm},
    {"status", fuzz_status},
    {"store", fuzz_store},
    {NULL, NULL},
};

fuzz_target *fuzz_find(const char *name)
{
    for (const struct fuzz_row *row = fuzz_rows; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row->run;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_target *target;
    if (!target) {
        const char *name = getenv("BIGROCKS_FUZZ");
        target = name ? fuzz_find(name) : NULL;
        if (!target)
            fuzz_fail(NULL, "BIGROCKS_FUZZ names no target");
    }
    target(data, size);
    return 0;
}

void fuzz_fail(const struct br_diag *diag, const char *what)
{
    fprintf(stderr, "FUZZ: %s", what);
    if (diag)
        fprintf(stderr, ": %s:%u:%u: %s; %s", diag->file, (unsigned)diag->line,
                (unsigned)diag->column, diag->what, diag->hint);
    putc('\n', stderr);
    abort();
}

void fuzz_said(enum br_status status, const struct br_diag *diag)
{
    if (status && (!diag->what[0] || diag->status != status))
        fuzz_fail(diag, "a failure without a word");
}

static void write_all(int fd, const void *data, size_t size)
{
    const char *at = data;
    for (ssize_t done; size; at += done, size -= (size_t)done) {
        done = write(fd, at, size);
        if (done <= 0)
            fuzz_fail(NULL, "the target's own file cannot be written");
    }
}

const char *fuzz_file(uint32_t slot, const void *data, size_t size)
{
    static int file[4] = {-1, -1, -1, -1};
    static char path[4][32];
    if (file[slot] < 0)
        file[slot] = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(path[slot], sizeof path[slot], "/proc/self/fd/%d", file[slot]);
    if (file[slot] < 0 || ftruncate(file[slot], 0) || lseek(file[slot], 0, SEEK_SET))
        fuzz_fail(NULL, "the target's own file cannot be made");
    write_all(file[slot], data, size);
    return path[slot];
}

static char folder[64];
static pid_t owner;

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (getpid() == owner && system(command) != 0)
        fprintf(stderr, "%s is left\n", folder);
}

const char *fuzz_folder(void)
{
    if (!folder[0]) {
        struct stat state;
        snprintf(folder, sizeof folder, "%s/bigrocks-fuzz-XXXXXX",
                 stat("/dev/shm", &state) == 0 ? "/dev/shm" : "/tmp");
        if (!mkdtemp(folder))
            fuzz_fail(NULL, "no folder can be made");
        owner = getpid();
        atexit(remove_folder);
    }
    return folder;
}

void fuzz_put(const char *name, const void *data, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    unlink(path);
    if (!data)
        return;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        fuzz_fail(NULL, "the target's own file cannot be made");
    write_all(file, data, size);
    close(file);
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        fuzz_fail(NULL, "memory is out");
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}
