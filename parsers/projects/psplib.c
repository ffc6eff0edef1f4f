/* The PSPLIB form of one project, with one mode per job (.sm) or with several (.mm). [Kolisch96]
 * Sections begin with a line in capitals; in them, lines that do not begin with a digit are
 * headings. If some job has several modes, or there are nonrenewable resources, the modes of all
 * jobs are alternatives "1", "2", ...; nonrenewable resources are shared and consumed. */
#include "parsers/projects/project.h"
#include "parsers/text/tokens.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "planner/model/dag.h"

enum { TEXT_LIMIT = 256 << 20, WHAT = 64 };

enum section { HEADER, OTHER, PRECEDENCE, REQUESTS, AVAILABILITIES, DONE };

struct mode_count {
    uint32_t number, modes;
};

struct psplib {
    struct br_project project;
    enum section section;
    uint32_t jobs;      /* from the header; UINT32_MAX: not given */
    uint32_t resources; /* renewable; from the header */
    uint32_t consumed;  /* nonrenewable */
    bool several;       /* modes are alternatives */
    uint32_t counts, count_room;
    struct mode_count *count; /* in the order of the file */
    uint32_t near;            /* the job of `count` that was asked for last */
    uint32_t stage, number;   /* the job under way */
    uint32_t left;            /* its modes to come */
};

/* "- renewable :  4   R": the number after the colon. */
static enum br_status psplib_read_header(struct psplib *reader, struct br_tokens *tokens,
                                         struct br_diag *diag)
{
    static const struct {
        const char *key, *what;
    } keys[] = {
        {"jobs", "the number of jobs"},
        {"- renewable", "the number of renewable resources"},
        {"- nonrenewable", "the number of nonrenewable resources"},
        {"- doubly constrained", "the number of doubly constrained resources"},
        {"projects", "the number of projects"},
    };
    br_tokens_skip(tokens, true);
    struct br_pos pos = tokens->pos;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        if (!br_tokens_accept(tokens, keys[k].key))
            continue;
        while (*tokens->at && *tokens->at != ':' && *tokens->at != '\n') {
            char one[2] = {*tokens->at, 0};
            br_tokens_accept(tokens, one);
        }
        br_tokens_accept(tokens, ":");
        uint32_t count;
        enum br_status status = br_tokens_count(tokens, true, keys[k].what, &count, diag);
        if (status)
            return status;
        if (k == 0)
            reader->jobs = count;
        else if (k == 1)
            reader->resources = count;
        else if (k == 2)
            reader->consumed = count;
        else if (k == 4 && count != 1)
            return br_fail_at(diag, pos, BR_BAD_INPUT, "split the file",
                              "the file holds %" PRIu32 " projects, and one is read", count);
        else if (k == 3 && count != 0)
            return br_fail_at(diag, pos, BR_BAD_INPUT, "make them renewable or nonrenewable",
                              "%s is %" PRIu32 ", and such resources are not supported",
                              keys[k].what, count);
        return BR_OK;
    }
    return BR_OK;
}

/* "jobnr. #modes #successors successors" */
static enum br_status read_precedence(struct psplib *reader, struct br_tokens *tokens,
                                      struct br_diag *diag)
{
    uint32_t number, modes, successors, child;
    char what[WHAT];
    enum br_status status = br_tokens_count(tokens, true, "the number of a job", &number, diag);
    if (status)
        return status;
    snprintf(what, sizeof what, "the number of modes of job %" PRIu32, number);
    br_tokens_skip(tokens, true);
    struct br_pos pos = tokens->pos;
    status = br_tokens_count(tokens, true, what, &modes, diag);
    if (!status && modes == 0)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "give it a mode", "job %" PRIu32 " has no modes",
                          number);
    if (!status &&
        !br_grow(&reader->count, reader->counts, &reader->count_room, sizeof *reader->count))
        return br_fail_memory(diag);
    if (!status) {
        reader->count[reader->counts++] = (struct mode_count){number, modes};
        reader->several |= modes > 1;
    }
    if (!status) {
        snprintf(what, sizeof what, "the number of successors of job %" PRIu32, number);
        status = br_tokens_count(tokens, true, what, &successors, diag);
    }
    for (uint32_t k = 0; !status && k < successors; k++) {
        snprintf(what, sizeof what, "successor %" PRIu32 " of %" PRIu32 " of job %" PRIu32, k + 1,
                 successors, number);
        br_tokens_skip(tokens, true);
        pos = tokens->pos;
        status = br_tokens_count(tokens, true, what, &child, diag);
        if (!status)
            status = br_project_successor(&reader->project, number, child, pos, diag);
    }
    return status;
}

/* The number of modes that the job has; 1 if nothing was said of it. */
static uint32_t modes_of(struct psplib *reader, uint32_t number)
{
    for (uint32_t k = 0; k < reader->counts; k++) {
        const uint32_t at = (reader->near + 1 + k) % reader->counts;
        if (reader->count[at].number == number) {
            reader->near = at;
            return reader->count[at].modes;
        }
    }
    return 1;
}

/* "mode duration R1 R2 ... N1 N2 ...", on the line of its job or on a line of its own. */
static enum br_status read_mode(struct psplib *reader, struct br_tokens *tokens, struct br_pos pos,
                                bool first, struct br_diag *diag)
{
    uint32_t mode, way = 0;
    uint64_t amount;
    int64_t duration_ns = 0;
    char what[WHAT];
    const uint32_t number = reader->number;
    snprintf(what, sizeof what, "the mode of job %" PRIu32, number);
    enum br_status status = br_tokens_count(tokens, true, what, &mode, diag);
    if (!status) {
        snprintf(what, sizeof what, "the duration of job %" PRIu32, number);
        status = br_tokens_seconds(tokens, true, what, &duration_ns, diag);
    }
    if (!status && first)
        status = br_project_job(&reader->project, number, duration_ns, pos, &reader->stage, diag);
    if (!status)
        status =
            br_project_mode(&reader->project, reader->stage, mode, duration_ns, pos, &way, diag);
    const uint64_t all = (uint64_t)reader->resources + reader->consumed;
    for (uint64_t r = 0; r < all && !status; r++) {
        const bool consumed = r >= reader->resources;
        const uint32_t k = (uint32_t)(consumed ? r - reader->resources : r) + 1;
        snprintf(what, sizeof what, "the demand of job %" PRIu32 " for %c%" PRIu32, number,
                 consumed ? 'N' : 'R', k);
        status = br_tokens_amount(tokens, true, what, &amount, diag);
        if (!status)
            status =
                br_project_use(&reader->project, reader->stage, way, consumed, k, amount, diag);
    }
    return status;
}

/* A line of a project with several modes. */
static enum br_status read_modes(struct psplib *reader, struct br_tokens *tokens,
                                 struct br_diag *diag)
{
    const struct br_pos pos = tokens->pos;
    const bool first = reader->left == 0;
    enum br_status status = BR_OK;
    if (reader->resources == UINT32_MAX)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "add \"- renewable : 2 R\" to the header",
                          "the header does not say how many renewable resources there are");
    if (first)
        status = br_tokens_count(tokens, true, "the number of a job", &reader->number, diag);
    if (!status && first)
        reader->left = modes_of(reader, reader->number);
    reader->left--;
    return status ? status : read_mode(reader, tokens, pos, first, diag);
}

/* "jobnr. mode duration R1 R2 ..." */
static enum br_status read_request(struct psplib *reader, struct br_tokens *tokens,
                                   struct br_diag *diag)
{
    uint32_t number, mode, stage;
    uint64_t amount;
    int64_t duration_ns;
    char what[WHAT];
    struct br_pos pos = tokens->pos;
    enum br_status status = br_tokens_count(tokens, true, "the number of a job", &number, diag);
    if (!status)
        status = br_tokens_count(tokens, true, "the mode", &mode, diag);
    if (!status) {
        snprintf(what, sizeof what, "the duration of job %" PRIu32, number);
        status = br_tokens_seconds(tokens, true, what, &duration_ns, diag);
    }
    if (!status)
        status = br_project_job(&reader->project, number, duration_ns, pos, &stage, diag);
    for (uint32_t r = 1; !status; r++) {
        bool known = reader->resources != UINT32_MAX;
        if (known ? r > reader->resources : !br_tokens_skip(tokens, true))
            break;
        snprintf(what, sizeof what, "the demand of job %" PRIu32 " for R%" PRIu32, number, r);
        status = br_tokens_amount(tokens, true, what, &amount, diag);
        if (!status)
            status = br_project_demand(&reader->project, stage, r, amount, diag);
    }
    return status;
}

static enum br_status read_availabilities(struct psplib *reader, struct br_tokens *tokens,
                                          struct br_diag *diag)
{
    uint32_t r = 0, renewable = 0;
    uint64_t amount;
    enum br_status status = BR_OK;
    while (!status && br_tokens_skip(tokens, true)) {
        char what[WHAT];
        struct br_pos pos = tokens->pos;
        const bool consumed = r++ >= reader->resources;
        renewable += !consumed;
        snprintf(what, sizeof what, "the capacity of %c%" PRIu32, consumed ? 'N' : 'R',
                 consumed ? r - renewable : r);
        status = br_tokens_amount(tokens, true, what, &amount, diag);
        br_value_place(status ? NULL : diag, pos);
        if (!status && consumed && r - renewable <= reader->consumed)
            status = br_project_budget(&reader->project, r - renewable, amount, diag);
        else if (!status && !consumed)
            status = br_project_capacity(&reader->project, r, amount, diag);
    }
    if (!status && reader->resources != UINT32_MAX && r != reader->resources + reader->consumed)
        return br_fail_at(diag, tokens->pos, BR_BAD_INPUT, "is the line complete?",
                          "there are %" PRIu32 " capacities for %" PRIu32 " resources", r,
                          reader->resources + reader->consumed);
    reader->section = DONE;
    return status;
}

/* Reads one line; the caller skips its end. */
static enum br_status psplib_read_line(struct psplib *reader, struct br_tokens *tokens,
                                       struct br_diag *diag)
{
    static const struct {
        const char *heading;
        enum section section;
    } headings[] = {
        {"PRECEDENCE", PRECEDENCE},        {"REQUESTS", REQUESTS},
        {"RESOURCEAVAIL", AVAILABILITIES}, {"RESOURCE AVAIL", AVAILABILITIES}, /* of MMLIB */
        {"PROJECT INFORMATION", OTHER},
    };
    br_tokens_skip(tokens, true);
    for (size_t h = 0; h < sizeof headings / sizeof headings[0]; h++)
        if (br_tokens_accept(tokens, headings[h].heading)) {
            reader->section = headings[h].section;
            return BR_OK;
        }
    if (reader->section == HEADER)
        return psplib_read_header(reader, tokens, diag);
    if (!br_tokens_skip(tokens, true) ||
        ((*tokens->at < '0' || *tokens->at > '9') && *tokens->at != '-'))
        return BR_OK;
    if (strncmp(tokens->at, "---", 3) == 0)
        return BR_OK;
    enum br_status status = BR_OK;
    switch (reader->section) {
    case PRECEDENCE:
        status = read_precedence(reader, tokens, diag);
        break;
    case REQUESTS:
        status = reader->several || reader->consumed ? read_modes(reader, tokens, diag)
                                                     : read_request(reader, tokens, diag);
        break;
    case AVAILABILITIES:
        status = read_availabilities(reader, tokens, diag);
        break;
    case HEADER:
    case OTHER:
    case DONE:
        return BR_OK;
    }
    if (!status && br_tokens_skip(tokens, true))
        return br_fail_at(diag, tokens->pos, BR_BAD_INPUT, "do the numbers of the line fit?",
                          "there is more in the line than its section has columns");
    return status;
}

static enum br_status psplib_read_project(struct psplib *reader, struct br_tokens *tokens,
                                          struct br_diag *diag)
{
    enum br_status status = BR_OK;
    do
        status = psplib_read_line(reader, tokens, diag);
    while (!status && br_tokens_end_line(tokens));
    if (status)
        return status;
    struct br_dag *dag = reader->project.input->dag;
    if (reader->jobs != UINT32_MAX && br_dag_stage_count(dag) != reader->jobs)
        return br_fail_at(diag, tokens->pos, BR_BAD_INPUT, "is the file complete?",
                          "the header speaks of %" PRIu32 " jobs, and REQUESTS lists %" PRIu32,
                          reader->jobs, br_dag_stage_count(dag));
    if (reader->left)
        return br_fail_at(diag, tokens->pos, BR_BAD_INPUT, "is the file complete?",
                          "job %" PRIu32 " lacks %" PRIu32 " of its modes", reader->number,
                          reader->left);
    if (reader->section != DONE)
        return br_fail_at(diag, tokens->pos, BR_BAD_INPUT, "is the file complete?",
                          "the section RESOURCEAVAILABILITIES is missing or empty");
    return br_project_link(&reader->project, diag);
}

enum br_status br_read_psplib(struct br_source *source, const struct br_parse_options *options,
                              struct br_input *input, struct br_diag *diag)
{
    struct psplib reader = {.jobs = UINT32_MAX, .resources = UINT32_MAX};
    char stem[256], *text;
    (void)options;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "psplib", &text, diag);
    if (status)
        return status;
    struct br_tokens tokens = br_tokens_of(text);
    status = br_project_init(&reader.project, input,
                             br_source_stem(source, "project", stem, sizeof stem), diag);
    if (!status)
        status = psplib_read_project(&reader, &tokens, diag);
    br_project_finish(&reader.project);
    br_free(reader.count);
    free(text);
    return status;
}
