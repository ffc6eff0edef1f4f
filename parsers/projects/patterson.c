/* The Patterson form (.rcp) of one project: whole numbers and nothing else. The number of jobs and
 * of resources; the capacities; then for each job its duration, its demands, the number of its
 * successors, and their numbers, counted from 1. Line breaks have no meaning. */
#include "parsers/projects/project.h"
#include "parsers/text/tokens.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_LIMIT = 256 << 20, WHAT = 64 };

static enum br_status patterson_read_job(struct br_project *project, struct br_tokens *tokens,
                                         uint32_t number, uint32_t resources, struct br_diag *diag)
{
    char what[WHAT];
    uint32_t stage, successors, child;
    uint64_t amount;
    int64_t duration_ns;
    snprintf(what, sizeof what, "the duration of job %" PRIu32, number);
    br_tokens_skip(tokens, false);
    struct br_pos pos = tokens->pos;
    enum br_status status = br_tokens_seconds(tokens, false, what, &duration_ns, diag);
    if (!status)
        status = br_project_job(project, number, duration_ns, pos, &stage, diag);
    for (uint32_t r = 1; r <= resources && !status; r++) {
        snprintf(what, sizeof what, "the demand of job %" PRIu32 " for R%" PRIu32, number, r);
        status = br_tokens_amount(tokens, false, what, &amount, diag);
        if (!status)
            status = br_project_demand(project, stage, r, amount, diag);
    }
    if (status)
        return status;
    snprintf(what, sizeof what, "the number of successors of job %" PRIu32, number);
    status = br_tokens_count(tokens, false, what, &successors, diag);
    for (uint32_t k = 0; k < successors && !status; k++) {
        snprintf(what, sizeof what, "a successor of job %" PRIu32, number);
        br_tokens_skip(tokens, false);
        pos = tokens->pos;
        status = br_tokens_count(tokens, false, what, &child, diag);
        if (!status)
            status = br_project_successor(project, number, child, pos, diag);
    }
    return status;
}

static enum br_status patterson_read_project(struct br_project *project, struct br_tokens *tokens,
                                             struct br_diag *diag)
{
    uint32_t jobs = 0, resources = 0;
    uint64_t amount;
    enum br_status status = br_tokens_count(tokens, false, "the number of jobs", &jobs, diag);
    if (!status)
        status = br_tokens_count(tokens, false, "the number of resources", &resources, diag);
    for (uint32_t r = 1; !status && r <= resources; r++) {
        char what[WHAT];
        snprintf(what, sizeof what, "the capacity of R%" PRIu32, r);
        status = br_tokens_amount(tokens, false, what, &amount, diag);
        br_value_place(status ? NULL : diag, tokens->pos);
        if (!status)
            status = br_project_capacity(project, r, amount, diag);
    }
    for (uint32_t j = 1; !status && j <= jobs; j++)
        status = patterson_read_job(project, tokens, j, resources, diag);
    if (!status && br_tokens_skip(tokens, false))
        status = br_fail_at(diag, tokens->pos, BR_BAD_INPUT, "do the two first numbers fit?",
                            "there is more after the last of %" PRIu32 " jobs", jobs);
    return status ? status : br_project_link(project, diag);
}

enum br_status br_read_patterson(struct br_source *source, const struct br_parse_options *options,
                                 struct br_input *input, struct br_diag *diag)
{
    struct br_project project;
    char stem[256], *text;
    (void)options;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "patterson", &text, diag);
    if (status)
        return status;
    struct br_tokens tokens = br_tokens_of(text);
    status = br_project_init(&project, input, br_source_stem(source, "project", stem, sizeof stem),
                             diag);
    if (!status)
        status = patterson_read_project(&project, &tokens, diag);
    br_project_finish(&project);
    free(text);
    return status;
}
