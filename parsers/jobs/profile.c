/* Profiles of Spark jobs: how long each task of each stage lasted, by the number of executors that
 * the job was run with. [Mao19] A record a line:
 *
 *     query Q
 *     size_gb G
 *     stages N
 *     edge A B             stage B waits for stage A
 *     stage S tasks T      then, for each number of executors K,
 *     first K N d1 .. dN   tasks that were the first of the stage on their executor
 *     fresh K N d1 .. dN   those of them whose executor had run nothing of the job
 *     rest K N d1 .. dN    the others; all in whole milliseconds
 *     end
 *
 * The job is named after its file. Its stages are s0, s1, ...; every task demands one cpu and is
 * declared to last its stage's mean over all that was measured. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "parsers/reader/formats.h"
#include "parsers/text/tokens.h"
#include "parsers/text/value.h"
#include "planner/model/waves.h"

enum { TEXT_LIMIT = 256 << 20, MOST_STAGES = 1000000 };

struct profile {
    struct br_tokens tokens;
    struct br_waves *waves;
    uint32_t stage; /* that the lines refer to; UINT32_MAX: none yet */
    bool ended;
    /* The waves of one number of executors, until another number comes. */
    struct br_wave_measured measured;
    bool given[BR_WAVES];
    uint32_t *ms[BR_WAVES], room[BR_WAVES];
    struct br_pos pos; /* of the last wave */
};

static enum br_status jobs_profile_read_number(struct profile *profile, const char *what,
                                               uint32_t *value, struct br_diag *diag)
{
    return br_tokens_count(&profile->tokens, true, what, value, diag);
}

/* A stage's number, below the number of stages. */
static enum br_status jobs_profile_read_stage(struct profile *profile, const char *what,
                                              uint32_t *stage, struct br_diag *diag)
{
    br_tokens_skip(&profile->tokens, true);
    struct br_pos pos = profile->tokens.pos;
    enum br_status status = jobs_profile_read_number(profile, what, stage, diag);
    if (!status && !profile->waves)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "write 'stages N' before them",
                          "%s comes before the number of stages", what);
    if (!status && *stage >= profile->waves->stages)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "stages count from 0",
                          "%s is %" PRIu32 ", and there are %" PRIu32 " stages", what, *stage,
                          profile->waves->stages);
    return status;
}

/* Passes on the durations read for one number of executors. */
static enum br_status flush(struct profile *profile, struct br_diag *diag)
{
    struct br_wave_measured *measured = &profile->measured;
    if (measured->executors == 0)
        return BR_OK;
    for (int wave = 0; wave < BR_WAVES; wave++) {
        measured->ms[wave] = profile->ms[wave];
        if (!profile->given[wave])
            return br_fail_at(diag, profile->pos, BR_BAD_INPUT,
                              "give first, fresh and rest, even if they are empty",
                              "stage %" PRIu32 " on %" PRIu32 " executors lacks a wave",
                              profile->stage, measured->executors);
        profile->given[wave] = false;
    }
    br_value_place(diag, profile->pos);
    assert(profile->stage < profile->waves->stages);
    enum br_status status = br_waves_add(profile->waves, profile->stage, measured, diag);
    measured->executors = 0;
    return status;
}

static enum br_status jobs_profile_read_durations(struct profile *profile, enum br_wave wave,
                                                  struct br_diag *diag)
{
    uint32_t *count = &profile->measured.count[wave];
    enum br_status status =
        jobs_profile_read_number(profile, "the number of durations", count, diag);
    for (uint32_t k = 0; k < *count && !status; k++) {
        if (!br_grow(&profile->ms[wave], k, &profile->room[wave], sizeof *profile->ms[wave]))
            return br_fail_memory(diag);
        status = jobs_profile_read_number(profile, "a duration", &profile->ms[wave][k], diag);
    }
    return status;
}

static enum br_status read_wave(struct profile *profile, enum br_wave wave, struct br_diag *diag)
{
    uint32_t executors;
    struct br_pos pos = profile->tokens.pos;
    if (profile->stage == UINT32_MAX)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "write 'stage S tasks T' before them",
                          "durations come before a stage");
    enum br_status status =
        jobs_profile_read_number(profile, "the number of executors", &executors, diag);
    if (!status && executors == 0)
        return br_fail_at(diag, pos, BR_BAD_INPUT, NULL, "nothing runs on 0 executors");
    if (!status && executors != profile->measured.executors)
        status = flush(profile, diag);
    if (!status && profile->given[wave])
        return br_fail_at(diag, pos, BR_BAD_INPUT, "leave out one of them",
                          "stage %" PRIu32 " on %" PRIu32 " executors has a wave twice",
                          profile->stage, executors);
    if (status)
        return status;
    profile->measured.executors = executors;
    profile->given[wave] = true;
    profile->pos = pos;
    return jobs_profile_read_durations(profile, wave, diag);
}

static enum br_status read_stage_line(struct profile *profile, struct br_diag *diag)
{
    uint32_t stage, tasks;
    struct br_pos pos = profile->tokens.pos;
    enum br_status status = flush(profile, diag);
    if (!status)
        status = jobs_profile_read_stage(profile, "the number of a stage", &stage, diag);
    if (status)
        return status;
    br_tokens_skip(&profile->tokens, true);
    if (!br_tokens_accept(&profile->tokens, "tasks "))
        return br_fail_at(diag, profile->tokens.pos, BR_BAD_INPUT, "write 'stage S tasks T'",
                          "the number of tasks is missing");
    status = jobs_profile_read_number(profile, "the number of tasks", &tasks, diag);
    if (!status && tasks == 0)
        return br_fail_at(diag, pos, BR_BAD_INPUT, NULL, "stage %" PRIu32 " has no tasks", stage);
    if (!status && profile->waves->stage[stage].tasks)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "leave out one of them",
                          "there are two stages %" PRIu32, stage);
    if (status)
        return status;
    profile->waves->stage[stage].tasks = tasks;
    profile->stage = stage;
    return BR_OK;
}

static enum br_status read_stages(struct profile *profile, struct br_diag *diag)
{
    uint32_t stages;
    struct br_pos pos = profile->tokens.pos;
    enum br_status status =
        jobs_profile_read_number(profile, "the number of stages", &stages, diag);
    if (status)
        return status;
    if (profile->waves || stages == 0 || stages > MOST_STAGES)
        return br_fail_at(diag, pos, BR_BAD_INPUT, "write it once, from 1 to 1000000",
                          "the number of stages is %s",
                          profile->waves ? "given twice" : "not within its limits");
    profile->waves = br_waves_create(stages);
    return profile->waves ? BR_OK : br_fail_memory(diag);
}

static enum br_status jobs_profile_read_edge(struct profile *profile, struct br_diag *diag)
{
    uint32_t parent, child;
    struct br_pos pos = profile->tokens.pos;
    enum br_status status =
        jobs_profile_read_stage(profile, "the parent of an edge", &parent, diag);
    if (!status)
        status = jobs_profile_read_stage(profile, "the child of an edge", &child, diag);
    if (!status && parent == child)
        return br_fail_at(diag, pos, BR_BAD_INPUT, NULL, "stage %" PRIu32 " waits for itself",
                          parent);
    return status ? status : br_waves_add_edge(profile->waves, parent, child, diag);
}

static enum br_status jobs_profile_read_line(struct profile *profile, struct br_diag *diag)
{
    struct br_tokens *tokens = &profile->tokens;
    uint32_t unused;
    struct br_pos pos = tokens->pos;
    enum br_status status;
    if (br_tokens_accept(tokens, "first "))
        status = read_wave(profile, BR_WAVE_FIRST, diag);
    else if (br_tokens_accept(tokens, "fresh "))
        status = read_wave(profile, BR_WAVE_FRESH, diag);
    else if (br_tokens_accept(tokens, "rest "))
        status = read_wave(profile, BR_WAVE_REST, diag);
    else if (br_tokens_accept(tokens, "stage "))
        status = read_stage_line(profile, diag);
    else if (br_tokens_accept(tokens, "edge "))
        status = jobs_profile_read_edge(profile, diag);
    else if (br_tokens_accept(tokens, "stages "))
        status = read_stages(profile, diag);
    else if (br_tokens_accept(tokens, "query ") || br_tokens_accept(tokens, "size_gb "))
        status =
            jobs_profile_read_number(profile, "the number of the query or its size", &unused, diag);
    else if (br_tokens_accept(tokens, "end"))
        profile->ended = true, status = BR_OK;
    else
        return br_fail_at(
            diag, pos, BR_BAD_INPUT,
            "lines begin with query, size_gb, stages, edge, stage, first, fresh, rest "
            "or end",
            "the line begins with no word that is known");
    if (!status && br_tokens_skip(tokens, true))
        return br_fail_at(diag, tokens->pos, BR_BAD_INPUT, "correct the count",
                          "there is more in the line than it says");
    return status;
}

static enum br_status jobs_profile_read_lines(struct profile *profile, struct br_diag *diag)
{
    struct br_tokens *tokens = &profile->tokens;
    enum br_status status = BR_OK;
    bool more = *tokens->at != 0;
    for (; more && !profile->ended && !status; more = br_tokens_end_line(tokens))
        if (br_tokens_skip(tokens, true))
            status = jobs_profile_read_line(profile, diag);
    if (!status)
        status = flush(profile, diag);
    if (!status && !(profile->ended && profile->waves))
        return br_fail_at(diag, tokens->pos, BR_BAD_INPUT, "is the file complete?",
                          "the file ends before its line 'end'");
    if (status)
        return status;
    br_value_place(diag, BR_NO_POS);
    return br_waves_finish(profile->waves, diag);
}

static enum br_status jobs_profile_make_dag(const struct br_waves *waves, struct br_dag *dag,
                                            struct br_diag *diag)
{
    enum br_status status = br_dag_add_resource(dag, "cpu", "cores", diag);
    for (uint32_t s = 0; s < waves->stages && !status; s++) {
        uint32_t number;
        char id[16];
        snprintf(id, sizeof id, "s%" PRIu32, s);
        status = br_dag_add_stage(dag, id, waves->stage[s].tasks, waves->stage[s].mean_us * 1000,
                                  &number, diag);
        if (!status)
            status = br_dag_add_demand(dag, number, "cpu", "1", diag);
    }
    for (uint32_t s = 0; s < waves->stages; s++)
        for (uint32_t k = 0; k < waves->stage[s].children && !status; k++)
            status = br_dag_add_edge(dag, s, waves->child[waves->stage[s].first_child + k],
                                     BR_BARRIER, diag);
    return status;
}

enum br_status br_read_profile(struct br_source *source, const struct br_parse_options *options,
                               struct br_input *input, struct br_diag *diag)
{
    struct profile profile = {.stage = UINT32_MAX};
    char stem[256], *text;
    (void)options;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "profile", &text, diag);
    if (status)
        return status;
    profile.tokens = br_tokens_of(text);
    input->dag = br_dag_create(br_source_stem(source, "profile", stem, sizeof stem));
    status = input->dag ? jobs_profile_read_lines(&profile, diag) : br_fail_memory(diag);
    if (!status)
        status = jobs_profile_make_dag(profile.waves, input->dag, diag);
    if (input->dag)
        input->dag->waves = profile.waves;
    else
        br_waves_destroy(profile.waves);
    for (int wave = 0; wave < BR_WAVES; wave++)
        free(profile.ms[wave]);
    free(text);
    return status;
}
