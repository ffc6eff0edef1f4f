/* The Standard Task Graph form (.stg) [Tobita02]: the number of tasks without the two dummies at
 * both ends; then for each task, the dummies included, its number, its processing time, how many
 * predecessors it has, and their numbers. Lines that begin with # are remarks. */
#include "parsers/reader/formats.h"
#include "parsers/text/tokens.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/collections/grow.h"

enum { TEXT_LIMIT = 256 << 20, WHAT = 64, NUMBER_TEXT = 16 };

struct predecessor {
    uint32_t parent; /* as numbered in the file */
    uint32_t child;  /* stage */
    struct br_pos pos;
};

struct stg {
    struct br_dag *dag;
    uint32_t predecessors, room;
    struct predecessor *predecessor;
};

/* Is there another row? Skips blanks and remarks. */
static bool more_rows(struct br_tokens *tokens)
{
    while (br_tokens_skip(tokens, false))
        if (*tokens->at != '#')
            return true;
        else if (!br_tokens_end_line(tokens))
            return false;
    return false;
}

static enum br_status stg_read_row(struct stg *stg, struct br_tokens *tokens, struct br_diag *diag)
{
    uint32_t number, predecessors, parent, stage;
    int64_t duration_ns;
    char what[WHAT], id[NUMBER_TEXT];
    struct br_pos pos = tokens->pos;
    enum br_status status = br_tokens_count(tokens, false, "the number of a task", &number, diag);
    if (status)
        return status;
    snprintf(what, sizeof what, "the processing time of task %" PRIu32, number);
    status = br_tokens_seconds(tokens, true, what, &duration_ns, diag);
    if (!status) {
        snprintf(what, sizeof what, "the number of predecessors of task %" PRIu32, number);
        status = br_tokens_count(tokens, true, what, &predecessors, diag);
    }
    if (status)
        return status;
    snprintf(id, sizeof id, "%" PRIu32, number);
    br_value_place(diag, pos);
    status = br_dag_add_stage(stg->dag, id, 1, duration_ns, &stage, diag);
    if (!status)
        status = br_dag_add_demand(stg->dag, stage, "cpu", "1", diag);
    if (status)
        return status;
    br_dag_set_stage_pos(stg->dag, stage, pos);
    for (uint32_t k = 1; k <= predecessors && !status; k++) {
        snprintf(what, sizeof what, "predecessor %" PRIu32 " of %" PRIu32 " of task %" PRIu32, k,
                 predecessors, number);
        br_tokens_skip(tokens, true);
        pos = tokens->pos;
        status = br_tokens_count(tokens, true, what, &parent, diag);
        if (!status &&
            !br_grow(&stg->predecessor, stg->predecessors, &stg->room, sizeof *stg->predecessor))
            status = br_fail_memory(diag);
        if (!status)
            stg->predecessor[stg->predecessors++] = (struct predecessor){parent, stage, pos};
    }
    if (!status && br_tokens_skip(tokens, true))
        return br_fail_at(diag, tokens->pos, BR_BAD_INPUT,
                          "graphs with communication costs are not read; else correct the count",
                          "there is more in the line than the %" PRIu32 " predecessors of task "
                          "%" PRIu32,
                          predecessors, number);
    return status;
}

static enum br_status stg_link_tasks(const struct stg *stg, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < stg->predecessors && !status; k++) {
        const struct predecessor *link = &stg->predecessor[k];
        char parent[NUMBER_TEXT];
        snprintf(parent, sizeof parent, "%" PRIu32, link->parent);
        uint32_t from = br_dag_find_stage(stg->dag, parent);
        br_value_place(diag, link->pos);
        if (from == UINT32_MAX)
            return br_fail(diag, BR_BAD_INPUT, "predecessors are numbers of tasks",
                           "task %s follows task %s, but there is no task %s",
                           stg->dag->stage[link->child].id, parent, parent);
        status = br_dag_add_edge(stg->dag, from, link->child, BR_BARRIER, diag);
        if (!status)
            br_dag_set_edge_pos(stg->dag, link->pos);
    }
    return status;
}

static enum br_status stg_read_graph(struct stg *stg, struct br_tokens *tokens,
                                     struct br_diag *diag)
{
    uint32_t tasks, rows = 0;
    more_rows(tokens);
    struct br_pos pos = tokens->pos;
    enum br_status status = br_tokens_count(tokens, true, "the number of tasks", &tasks, diag);
    if (!status)
        status = br_dag_add_resource(stg->dag, "cpu", "cores", diag);
    for (; !status && more_rows(tokens); rows++)
        status = stg_read_row(stg, tokens, diag);
    /* Some files count the dummies. */
    if (!status && rows != tasks && rows != (uint64_t)tasks + 2)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "is the file complete?",
                          "the first line speaks of %" PRIu32 " tasks and two dummies, and there "
                          "are %" PRIu32 " rows",
                          tasks, rows);
    return status ? status : stg_link_tasks(stg, diag);
}

enum br_status br_read_stg(struct br_source *source, const struct br_parse_options *options,
                           struct br_input *input, struct br_diag *diag)
{
    struct stg stg = {0};
    char stem[256], *text;
    (void)options;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "stg", &text, diag);
    if (status)
        return status;
    struct br_tokens tokens = br_tokens_of(text);
    input->dag = stg.dag = br_dag_create(br_source_stem(source, "graph", stem, sizeof stem));
    status = stg.dag ? stg_read_graph(&stg, &tokens, diag) : br_fail_memory(diag);
    free(stg.predecessor);
    free(text);
    return status;
}
