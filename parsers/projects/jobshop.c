/* Job shops as JSPLib and the OR-Library write them: after comments that begin with #, the number
 * of jobs and of machines; then for each job a line with a pair of machine (from 0) and duration
 * for each of its operations, in their order. An operation is a stage of one task that takes its
 * machine, and waits for the operation before it. */
#include "parsers/reader/formats.h"
#include "parsers/text/tokens.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_LIMIT = 256 << 20, WORDS = 80 };

/* Machines are resources of which there is one each. */
static enum br_status jobshop_machines(struct br_input *input, uint32_t machines,
                                       struct br_diag *diag)
{
    char name[WORDS];
    enum br_status status = br_cluster_add_class(input->cluster, "shop", 1, NULL, diag);
    for (uint32_t m = 0; m < machines && !status; m++) {
        snprintf(name, sizeof name, "M%" PRIu32, m);
        status = br_dag_add_resource(input->dag, name, NULL, diag);
        if (!status)
            status = br_cluster_add_capacity(input->cluster, 0, name, "1", diag);
    }
    return status;
}

static enum br_status jobshop_operation(struct br_dag *dag, struct br_tokens *tokens, uint32_t job,
                                        uint32_t number, uint32_t machines, struct br_diag *diag)
{
    char what[WORDS], name[WORDS];
    uint32_t machine = 0, stage = 0;
    int64_t duration_ns = 0;
    br_tokens_skip(tokens, true);
    const struct br_pos pos = tokens->pos;
    snprintf(what, sizeof what, "the machine of operation %" PRIu32 " of job %" PRIu32, number,
             job);
    enum br_status status = br_tokens_count(tokens, true, what, &machine, diag);
    if (!status && machine >= machines)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "machines are numbered from 0",
                          "operation %" PRIu32 " of job %" PRIu32 " is on machine %" PRIu32
                          ", and there are %" PRIu32,
                          number, job, machine, machines);
    snprintf(what, sizeof what, "the duration of operation %" PRIu32 " of job %" PRIu32, number,
             job);
    if (!status)
        status = br_tokens_seconds(tokens, true, what, &duration_ns, diag);
    if (status)
        return status;
    br_value_place(diag, pos);
    snprintf(name, sizeof name, "J%" PRIu32 ".%" PRIu32, job, number);
    status = br_dag_add_stage(dag, name, 1, duration_ns, &stage, diag);
    if (status)
        return status;
    br_dag_set_stage_pos(dag, stage, pos);
    snprintf(name, sizeof name, "M%" PRIu32, machine);
    status = br_dag_add_demand(dag, stage, name, "1", diag);
    if (!status && number > 0)
        status = br_dag_add_edge(dag, stage - 1, stage, BR_BARRIER, diag);
    if (!status && number > 0)
        br_dag_set_edge_pos(dag, pos);
    return status;
}

static enum br_status jobshop_read(struct br_input *input, struct br_tokens *tokens,
                                   struct br_diag *diag)
{
    uint32_t jobs = 0, machines = 0;
    while (br_tokens_skip(tokens, false) && *tokens->at == '#')
        br_tokens_end_line(tokens);
    const struct br_pos pos = tokens->pos;
    enum br_status status = br_tokens_count(tokens, true, "the number of jobs", &jobs, diag);
    if (!status)
        status = br_tokens_count(tokens, true, "the number of machines", &machines, diag);
    if (!status && (jobs == 0 || machines == 0 || machines > 1000))
        return br_fail_at(diag, pos, BR_BAD_INPUT, "a shop has up to 1000 machines",
                          "there are %" PRIu32 " jobs and %" PRIu32 " machines", jobs, machines);
    if (!status)
        status = jobshop_machines(input, machines, diag);
    for (uint32_t j = 0; j < jobs && !status; j++) {
        br_tokens_end_line(tokens);
        br_tokens_skip(tokens, false);
        for (uint32_t k = 0; k < machines && !status; k++)
            status = jobshop_operation(input->dag, tokens, j, k, machines, diag);
        if (!status && br_tokens_skip(tokens, true))
            status = br_fail_at(diag, tokens->pos, BR_BAD_INPUT,
                                "a job has one operation on each machine",
                                "there is more after the last operation of job %" PRIu32, j);
    }
    if (!status && br_tokens_skip(tokens, false))
        status = br_fail_at(diag, tokens->pos, BR_BAD_INPUT, "do the two first numbers fit?",
                            "there is more after the last of %" PRIu32 " jobs", jobs);
    return status;
}

enum br_status br_read_jobshop(struct br_source *source, const struct br_parse_options *options,
                               struct br_input *input, struct br_diag *diag)
{
    char stem[256], *text;
    (void)options;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "jobshop", &text, diag);
    if (status)
        return status;
    struct br_tokens tokens = br_tokens_of(text);
    input->dag = br_dag_create(br_source_stem(source, "shop", stem, sizeof stem));
    input->cluster = br_cluster_create(NULL);
    status =
        input->dag && input->cluster ? jobshop_read(input, &tokens, diag) : br_fail_memory(diag);
    free(text);
    return status;
}
