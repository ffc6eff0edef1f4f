/* Targets for fuzzers: each takes any bytes, and must come back without a fault.
 *
 * libFuzzer and AFL++ call LLVMFuzzerTestOneInput (targets.c), which takes the target's name from
 * the variable BIGROCKS_FUZZ. replay.c runs the same targets over files, as an ordinary test.
 */
#ifndef BR_TESTS_FUZZ_H
#define BR_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "parsers/parsers.h"

typedef void fuzz_target(const uint8_t *data, size_t size);
struct fuzz_row {
    const char *name;
    fuzz_target *run;
};
extern const struct fuzz_row fuzz_rows[]; /* a row without a name ends it */
fuzz_target *fuzz_find(const char *name);

fuzz_target fuzz_xml, fuzz_dot, fuzz_dax, fuzz_wfformat, fuzz_postgres, fuzz_duckdb, fuzz_snakemake,
    fuzz_stg, fuzz_dagman, fuzz_dagman_log, fuzz_jobshop, fuzz_mspdi, fuzz_flexible, fuzz_minizinc,
    fuzz_bazel, fuzz_chakra, fuzz_cargo, fuzz_nx, fuzz_turbo, fuzz_gitlab, fuzz_github,
    fuzz_pegasus, fuzz_kickstart, fuzz_nextflow, fuzz_profile, fuzz_psplib, fuzz_patterson,
    fuzz_cluster, fuzz_capacity;
fuzz_target fuzz_plan, fuzz_proof, fuzz_bound;
fuzz_target fuzz_printed, fuzz_ninja, fuzz_ninja_log, fuzz_ninja_deps, fuzz_depfile, fuzz_snippets;
fuzz_target fuzz_journal, fuzz_history, fuzz_serve, fuzz_options;
fuzz_target fuzz_search;
fuzz_target fuzz_coflow, fuzz_swf, fuzz_sacct, fuzz_spark, fuzz_workload_xml, fuzz_workload_csv;
fuzz_target fuzz_table;
fuzz_target fuzz_model;
fuzz_target fuzz_proc, fuzz_slurm;
fuzz_target fuzz_machine, fuzz_allocation, fuzz_status, fuzz_store;
fuzz_target fuzz_settings, fuzz_list, fuzz_merge, fuzz_values, fuzz_pipe;

/* Ends the program with the text, and what the diagnostic (may be NULL) says. */
_Noreturn void fuzz_fail(const struct br_diag *diag, const char *what);
/* A call that has failed must say what is wrong, and not that the call makes no sense. */
void fuzz_said(enum br_status status, const struct br_diag *diag);

/* A path under which these bytes can be read, until the next call with the same slot (0 to 3). */
const char *fuzz_file(uint32_t slot, const void *data, size_t size);
/* A folder of this process, gone at its end. */
const char *fuzz_folder(void);
/* Writes a file of that folder; NULL data removes it. */
void fuzz_put(const char *name, const void *data, size_t size);
/* A copy with a NUL behind it; the caller's. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Follows up a job that was read: written in every form, and read again, bounded, planned, the
 * plan checked, written in every form, and read again. Large jobs are only written. */
void fuzz_job(struct br_input *input);
/* Follows up a plan: it is written in every form. */
void fuzz_emit(const struct br_input *input, const struct br_plan *plan);
/* Plans, and checks all that is promised of plans, bounds and proofs. */
void fuzz_make(struct br_input *input, const char *method, uint64_t seed);

#endif
