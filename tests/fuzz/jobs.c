/* Readers of jobs and clusters. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static void read_job(const char *format, const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_parse_options options = br_parse_options_default();
    struct br_input input = {0};
    options.from = format;
    if (size % 3) { /* a rate makes tasks or demands of the files that DAX and DOT jobs hand on */
        options.transfer_rate = (struct br_decimal){1, 3};
        options.transfer_mode = size % 3 == 1 ? BR_TRANSFER_DELAY : BR_TRANSFER_DEMAND;
    }
    enum br_status status = br_parse_job(fuzz_file(0, data, size), &options, &input, &diag);
    fuzz_said(status, &diag);
    if (status) {
        if (input.dag || input.cluster)
            fuzz_fail(&diag, "a failure that leaves a job");
        return;
    }
    fuzz_job(&input);
    br_input_finish(&input);
}

void fuzz_xml(const uint8_t *data, size_t size)
{
    read_job("xml", data, size);
}

void fuzz_dax(const uint8_t *data, size_t size)
{
    read_job("dax", data, size);
}

void fuzz_wfformat(const uint8_t *data, size_t size)
{
    read_job("wfformat", data, size);
}

void fuzz_postgres(const uint8_t *data, size_t size)
{
    read_job("postgres", data, size);
}

void fuzz_duckdb(const uint8_t *data, size_t size)
{
    read_job("duckdb", data, size);
}

void fuzz_snakemake(const uint8_t *data, size_t size)
{
    read_job("snakemake", data, size);
}

void fuzz_stg(const uint8_t *data, size_t size)
{
    read_job("stg", data, size);
}

void fuzz_jobshop(const uint8_t *data, size_t size)
{
    read_job("jobshop", data, size);
}

/* The log of a run, for a file of a few nodes. */
void fuzz_dagman_log(const uint8_t *data, size_t size)
{
    static const char nodes[] = "JOB a x\nJOB b x\nJOB c x NOOP\nPARENT a CHILD b c\n";
    struct br_diag diag = {0};
    struct br_parse_options options = br_parse_options_default();
    struct br_input input = {0};
    options.from = "dagman";
    options.durations = fuzz_file(1, data, size);
    enum br_status status =
        br_parse_job(fuzz_file(0, nodes, sizeof nodes - 1), &options, &input, &diag);
    fuzz_said(status, &diag);
    for (uint32_t t = 0; !status && t < br_dag_task_count(input.dag); t++)
        if (input.dag->duration_ns[t] < 0)
            fuzz_fail(NULL, "a node took less than no time");
    br_input_finish(&input);
}

void fuzz_dagman(const uint8_t *data, size_t size)
{
    read_job("dagman", data, size);
}

void fuzz_nextflow(const uint8_t *data, size_t size)
{
    read_job("nextflow", data, size);
}

/* The records of a run in a folder, for a workflow of a few jobs. */
void fuzz_kickstart(const uint8_t *data, size_t size)
{
    static const char jobs[] = "pegasus: 5\njobs: [{id: a}, {id: b}]\n";
    struct br_diag diag = {0};
    struct br_parse_options options = br_parse_options_default();
    struct br_input input = {0};
    options.from = "pegasus";
    options.durations = fuzz_folder();
    fuzz_put("a.out.000", data, size);
    enum br_status status =
        br_parse_job(fuzz_file(0, jobs, sizeof jobs - 1), &options, &input, &diag);
    fuzz_said(status, &diag);
    for (uint32_t t = 0; !status && t < br_dag_task_count(input.dag); t++)
        if (input.dag->duration_ns[t] < 0)
            fuzz_fail(NULL, "a job took less than no time");
    br_input_finish(&input);
    fuzz_put("a.out.000", NULL, 0);
}

void fuzz_pegasus(const uint8_t *data, size_t size)
{
    read_job("pegasus", data, size);
}

void fuzz_github(const uint8_t *data, size_t size)
{
    read_job("github", data, size);
}

void fuzz_gitlab(const uint8_t *data, size_t size)
{
    read_job("gitlab", data, size);
}

void fuzz_turbo(const uint8_t *data, size_t size)
{
    read_job("turbo", data, size);
}

void fuzz_nx(const uint8_t *data, size_t size)
{
    read_job("nx", data, size);
}

void fuzz_cargo(const uint8_t *data, size_t size)
{
    read_job("cargo", data, size);
}

void fuzz_chakra(const uint8_t *data, size_t size)
{
    read_job("chakra", data, size);
}

void fuzz_bazel(const uint8_t *data, size_t size)
{
    read_job("bazel", data, size);
}

void fuzz_minizinc(const uint8_t *data, size_t size)
{
    read_job("minizinc", data, size);
}

void fuzz_flexible(const uint8_t *data, size_t size)
{
    read_job("flexible", data, size);
}

void fuzz_mspdi(const uint8_t *data, size_t size)
{
    read_job("mspdi", data, size);
}

void fuzz_profile(const uint8_t *data, size_t size)
{
    read_job("profile", data, size);
}

void fuzz_psplib(const uint8_t *data, size_t size)
{
    read_job("psplib", data, size);
}

void fuzz_patterson(const uint8_t *data, size_t size)
{
    read_job("patterson", data, size);
}

/* Whatever was read before, a good graph is read as always. */
void fuzz_dot(const uint8_t *data, size_t size)
{
    static const char good[] = "digraph g { a [duration=1, label=\"x\"]; b [duration=2]; a -> b; }";
    struct br_diag diag = {0};
    struct br_parse_options options = br_parse_options_default();
    struct br_input input = {0};
    read_job("dot", data, size);
    options.from = "dot";
    if (br_parse_job(fuzz_file(3, good, sizeof good - 1), &options, &input, &diag))
        fuzz_fail(&diag, "one graph spoils the next");
    if (input.dag->stages != 2 || input.dag->edges != 1)
        fuzz_fail(NULL, "one graph changes the next");
    br_input_finish(&input);
}

void fuzz_cluster(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_cluster *cluster = NULL;
    enum br_status status = br_parse_cluster(fuzz_file(0, data, size), &cluster, &diag);
    fuzz_said(status, &diag);
    if (status && cluster)
        fuzz_fail(&diag, "a failure that leaves a cluster");
    br_cluster_destroy(cluster);
}

/* The first byte is the number of machines; the rest, as --capacity has it. */
void fuzz_capacity(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_cluster *cluster = NULL;
    if (!size)
        return;
    char *text = fuzz_text(data + 1, size - 1);
    enum br_status status = br_parse_capacity(data[0], text, &cluster, &diag);
    fuzz_said(status, &diag);
    if (!status) {
        static const char job[] = "<job xmlns='urn:bigrocks:job:1'><stage id='a' duration='1'>"
                                  "<demand resource='cpu' amount='1'/></stage></job>";
        struct br_input input = {0};
        if (br_parse_job(fuzz_file(0, job, sizeof job - 1), NULL, &input, &diag))
            fuzz_fail(&diag, "the target's own job cannot be read");
        input.cluster = cluster;
        cluster = NULL;
        fuzz_make(&input, "lft", 1);
        br_input_finish(&input);
    }
    br_cluster_destroy(cluster);
    free(text);
}
