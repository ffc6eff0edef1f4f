/* The readers behind the table in parsers.c: the calls of one row, and the parts shared by the
 * native XML readers. Internal to this room. */
#ifndef BR_PARSERS_READER_FORMATS_H
#define BR_PARSERS_READER_FORMATS_H

#include "parsers/reader/input.h"
#include "parsers/text/source.h"
#include "parsers/text/xml.h"

/* Reads the job into input->dag, and a cluster into input->cluster if the file has one. The dag
 * need not be finished. On failure the caller releases the input. */
typedef enum br_status br_read_job(struct br_source *source, const struct br_parse_options *options,
                                   struct br_input *input, struct br_diag *diag);

br_read_job br_read_job_xml, br_read_dot, br_read_dax, br_read_wfformat, br_read_postgres,
    br_read_duckdb, br_read_stg, br_read_psplib, br_read_patterson, br_read_spark_job,
    br_read_profile, br_read_snakemake, br_read_dagman, br_read_jobshop, br_read_nextflow,
    br_read_pegasus, br_read_github, br_read_gitlab, br_read_turbo, br_read_nx, br_read_cargo,
    br_read_bazel, br_read_minizinc, br_read_flexible, br_read_mspdi, br_read_chakra;

/* Picks the reader, from the content or from options->from. */
typedef enum br_status br_choose_reader(const struct br_source *source,
                                        const struct br_parse_options *options, br_read_job **read,
                                        struct br_diag *diag);

/* Opens the file, lets `choose` pick the reader, reads and finishes the job. */
enum br_status br_read_whole_job(const char *path, const struct br_parse_options *options,
                                 br_choose_reader *choose, struct br_input *input,
                                 struct br_diag *diag);

/* Names the source in the job and finishes it. For readers that have more to do afterwards; the
 * others leave it to br_read_whole_job. */
enum br_status br_read_finish(const struct br_source *source, struct br_dag *dag,
                              struct br_diag *diag);

/* Elements inside <cluster>, for the cluster's own file and for a job that carries one. */
struct br_cluster_reader {
    struct br_cluster *cluster;
    uint32_t cls;     /* class that capacities belong to */
    uint32_t depth;   /* of <cluster> */
    const char *open; /* the child of <cluster> that is open, or was last */
    /* Windows and changes, in their order: they wait for their machines. The cluster's. */
    struct br_waiting_span *span, *last_span;
};
/* For <cluster> itself and for every element in it. */
enum br_status br_cluster_reader_start(struct br_cluster_reader *reader, struct br_xml *xml);
/* Once, at the end of <cluster>. */
enum br_status br_cluster_reader_end(struct br_cluster_reader *reader, struct br_xml *xml);

#endif
