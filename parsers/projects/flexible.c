/* Flexible job shops in the form of FJSPLib: jobs and machines (and how many machines an operation
 * may choose from on average, which is not read), then a line for each job: the number of its
 * operations, and for each the number of machines that can do it, with pairs of machine and
 * duration. An operation that has a choice is a stage with alternatives. Machines are numbered from
 * 0 if one has that number, else from 1: both are common. */
#include "parsers/reader/formats.h"
#include "parsers/text/tokens.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 256 << 20, WORDS = 80, MACHINES_MOST = 1000 };

struct flexible {
    struct br_input *input;
    struct br_diag *diag;
    uint32_t machines;
    bool from_zero;
};

/* What a pass over the operations does with one: `choices` pairs follow in the line. */
typedef enum br_status flexible_operation(struct flexible *shop, struct br_tokens *tokens,
                                          uint32_t job, uint32_t number, uint32_t choices);

static enum br_status read_pair(struct flexible *shop, struct br_tokens *tokens, uint32_t job,
                                uint32_t number, uint32_t *machine, int64_t *ns)
{
    char what[WORDS];
    snprintf(what, sizeof what, "a machine of operation %" PRIu32 " of job %" PRIu32, number, job);
    enum br_status status = br_tokens_count(tokens, true, what, machine, shop->diag);
    snprintf(what, sizeof what, "a duration of operation %" PRIu32 " of job %" PRIu32, number, job);
    return status ? status : br_tokens_seconds(tokens, true, what, ns, shop->diag);
}

/* The first pass: is there a machine 0? */
static enum br_status find_zero(struct flexible *shop, struct br_tokens *tokens, uint32_t job,
                                uint32_t number, uint32_t choices)
{
    uint32_t machine;
    int64_t ns;
    enum br_status status = BR_OK;
    for (uint32_t c = 0; c < choices && !status; c++) {
        br_tokens_skip(tokens, true);
        const struct br_pos pos = tokens->pos;
        status = read_pair(shop, tokens, job, number, &machine, &ns);
        shop->from_zero |= !status && machine == 0;
        if (!status && machine > shop->machines)
            return br_fail_at(shop->diag, pos, BR_BAD_INPUT, "machines are numbered from 0 or 1",
                              "operation %" PRIu32 " of job %" PRIu32 " is on machine %" PRIu32
                              ", and there are %" PRIu32,
                              number, job, machine, shop->machines);
    }
    return status;
}

static enum br_status add_choice(struct flexible *shop, uint32_t stage, uint32_t choices,
                                 uint32_t machine, int64_t ns)
{
    struct br_dag *dag = shop->input->dag;
    uint32_t alternative;
    char name[WORDS];
    snprintf(name, sizeof name, "M%" PRIu32, machine);
    if (choices == 1) {
        br_dag_set_stage_duration(dag, stage, ns);
        return br_dag_add_demand(dag, stage, name, "1", shop->diag);
    }
    enum br_status status = br_dag_add_alternative(dag, stage, name, ns, &alternative, shop->diag);
    return status ? status
                  : br_dag_add_alternative_demand(dag, stage, alternative, name, "1", shop->diag);
}

/* The second pass. */
static enum br_status add_operation(struct flexible *shop, struct br_tokens *tokens, uint32_t job,
                                    uint32_t number, uint32_t choices)
{
    struct br_dag *dag = shop->input->dag;
    uint32_t stage, machine;
    char name[WORDS];
    int64_t ns;
    const struct br_pos pos = tokens->pos;
    snprintf(name, sizeof name, "J%" PRIu32 ".%" PRIu32, job, number);
    br_value_place(shop->diag, pos);
    enum br_status status = br_dag_add_stage(dag, name, 1, 0, &stage, shop->diag);
    if (status)
        return status;
    br_dag_set_stage_pos(dag, stage, pos);
    for (uint32_t c = 0; c < choices && !status; c++) {
        br_tokens_skip(tokens, true);
        const struct br_pos place = tokens->pos;
        status = read_pair(shop, tokens, job, number, &machine, &ns);
        if (!status && machine >= shop->machines + !shop->from_zero)
            return br_fail_at(shop->diag, place, BR_BAD_INPUT,
                              "machines are numbered from 0 here, since one is",
                              "operation %" PRIu32 " of job %" PRIu32 " is on machine %" PRIu32
                              ", and there are %" PRIu32,
                              number, job, machine, shop->machines);
        if (!status) {
            br_value_place(shop->diag, place);
            status = add_choice(shop, stage, choices, machine, ns);
        }
    }
    if (!status && number > 0) {
        status = br_dag_add_edge(dag, stage - 1, stage, BR_BARRIER, shop->diag);
        if (!status)
            br_dag_set_edge_pos(dag, pos);
    }
    return status;
}

static enum br_status read_jobs(struct flexible *shop, struct br_tokens tokens, uint32_t jobs,
                                flexible_operation *operation)
{
    enum br_status status = BR_OK;
    for (uint32_t j = 0; j < jobs && !status; j++) {
        char what[WORDS];
        uint32_t operations, choices;
        br_tokens_end_line(&tokens);
        br_tokens_skip(&tokens, false);
        snprintf(what, sizeof what, "the number of operations of job %" PRIu32, j);
        status = br_tokens_count(&tokens, true, what, &operations, shop->diag);
        for (uint32_t k = 0; !status && k < operations; k++) {
            snprintf(what, sizeof what,
                     "the number of machines of operation %" PRIu32 " of job %" PRIu32, k, j);
            br_tokens_skip(&tokens, true);
            const struct br_pos pos = tokens.pos;
            status = br_tokens_count(&tokens, true, what, &choices, shop->diag);
            if (!status && choices == 0)
                return br_fail_at(shop->diag, pos, BR_BAD_INPUT, "name at least one",
                                  "operation %" PRIu32 " of job %" PRIu32 " has no machine", k, j);
            if (!status)
                status = operation(shop, &tokens, j, k, choices);
        }
        if (!status && br_tokens_skip(&tokens, true))
            return br_fail_at(shop->diag, tokens.pos, BR_BAD_INPUT,
                              "do its number of operations and their numbers of machines fit?",
                              "there is more after the last operation of job %" PRIu32, j);
    }
    if (!status && br_tokens_skip(&tokens, false))
        return br_fail_at(shop->diag, tokens.pos, BR_BAD_INPUT, "do the two first numbers fit?",
                          "there is more after the last of %" PRIu32 " jobs", jobs);
    return status;
}

static enum br_status flexible_machines(struct flexible *shop)
{
    char name[WORDS];
    enum br_status status = br_cluster_add_class(shop->input->cluster, "shop", 1, NULL, shop->diag);
    for (uint32_t m = 0; m < shop->machines && !status; m++) {
        snprintf(name, sizeof name, "M%" PRIu32, m + !shop->from_zero);
        status = br_dag_add_resource(shop->input->dag, name, NULL, shop->diag);
        if (!status)
            status = br_cluster_add_capacity(shop->input->cluster, 0, name, "1", shop->diag);
    }
    return status;
}

enum br_status br_read_flexible(struct br_source *source, const struct br_parse_options *options,
                                struct br_input *input, struct br_diag *diag)
{
    struct flexible shop = {.input = input, .diag = diag};
    char stem[256], *text;
    uint32_t jobs = 0;
    (void)options;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "flexible", &text, diag);
    if (status)
        return status;
    struct br_tokens tokens = br_tokens_of(text);
    input->dag = br_dag_create(br_source_stem(source, "shop", stem, sizeof stem));
    input->cluster = br_cluster_create(NULL);
    if (!input->dag || !input->cluster)
        status = br_fail_memory(diag);
    while (br_tokens_skip(&tokens, false) && *tokens.at == '#')
        br_tokens_end_line(&tokens);
    const struct br_pos pos = tokens.pos;
    if (!status)
        status = br_tokens_count(&tokens, true, "the number of jobs", &jobs, diag);
    if (!status)
        status = br_tokens_count(&tokens, true, "the number of machines", &shop.machines, diag);
    if (!status && (jobs == 0 || shop.machines == 0 || shop.machines > MACHINES_MOST))
        status =
            br_fail_at(diag, pos, BR_BAD_INPUT, "a shop has up to 1000 machines",
                       "there are %" PRIu32 " jobs and %" PRIu32 " machines", jobs, shop.machines);
    if (!status)
        status = read_jobs(&shop, tokens, jobs, find_zero);
    if (!status)
        status = flexible_machines(&shop);
    if (!status)
        status = read_jobs(&shop, tokens, jobs, add_operation);
    free(text);
    return status;
}
