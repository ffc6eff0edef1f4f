#include "store/history/gather.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/arena.h"
#include "base/collections/grow.h"
#include "base/collections/index.h"
#include "base/text/diag.h"
#include "store/history/way.h"

/* Limit of a sample; a file may contain anything, and sums of two must still fit. */
static const int64_t longest_ns = INT64_MAX / 4;

/* A list that grows while the file is read. */
struct run {
    struct br_gathered_run told;
    int64_t number; /* of the file */
};
struct stage {
    const char *name; /* of the file */
    struct br_gathered_stage told;
    struct br_gathered_sample *sample;
    uint32_t room;
};
struct job {
    struct br_gathered_job told;
    struct run *run;
    uint32_t room;
};

struct br_gathering {
    struct br_arena arena;
    struct job *job;
    struct br_index by_name; /* of the jobs */
    struct stage *stage;
    uint32_t jobs, job_room, stages, stage_room;
    const char *only; /* NULL: all jobs */
    bool failed;      /* memory is out */
};

static uint64_t gather_hash_job(const void *context, uint32_t number)
{
    return br_hash_text(((const struct br_gathering *)context)->job[number].told.name);
}

static bool is_job(const void *context, uint32_t number, const void *name)
{
    return strcmp(((const struct br_gathering *)context)->job[number].told.name, name) == 0;
}

static const struct br_index_keys keys = {gather_hash_job, is_job};

static void gather_add_job(void *context, const struct br_history_job *row)
{
    struct br_gathering *g = context;
    if (g->only && strcmp(row->name, g->only) != 0)
        return;
    struct job job = {.told.name = br_arena_text(&g->arena, row->name)};
    if (!job.told.name || !br_grow(&g->job, g->jobs, &g->job_room, sizeof *g->job))
        g->failed = true;
    else {
        g->job[g->jobs++] = job;
        g->failed |= !br_index_add(&g->by_name, &keys, g, g->jobs - 1);
    }
}

static struct job *gather_find_job(struct br_gathering *g, const char *name)
{
    const uint32_t j = br_index_find(&g->by_name, &keys, g, name, br_hash_text(name));
    return j == UINT32_MAX ? NULL : &g->job[j];
}

static void gather_add_run(void *context, const struct br_history_run *row)
{
    struct br_gathering *g = context;
    struct job *job = gather_find_job(g, row->job);
    if (!job)
        return;
    assert(job->told.runs == 0 || job->run[job->told.runs - 1].number < row->run);
    if (!br_grow(&job->run, job->told.runs, &job->room, sizeof *job->run))
        g->failed = true;
    else
        job->run[job->told.runs++] =
            (struct run){{row->began_s, row->samples, row->work_s}, row->run};
}

/* "link by four on node", "test on old (speed 0.5)". */
static const char *gather_label(struct br_arena *arena, const struct br_history_way *way)
{
    char speed[BR_DECIMAL_TEXT];
    const char *by = way->alternative ? way->alternative : "";
    const bool plain = way->speed.mantissa == 1 && way->speed.exponent == 0;
    if (!way->cls)
        return br_arena_text(arena, way->stage);
    br_decimal_format(way->speed, speed, sizeof speed);
    const size_t size = strlen(way->stage) + strlen(by) + strlen(way->cls) + sizeof speed + 24;
    char *label = br_arena_alloc(arena, size);
    if (label)
        snprintf(label, size, "%s%s%s on %s%s%s%s", way->stage, *by ? " by " : "", by, way->cls,
                 plain ? "" : " (speed ", plain ? "" : speed, plain ? "" : ")");
    return label;
}

static bool gather_tell_way(struct br_gathering *g, struct stage *stage)
{
    struct br_history_way way;
    if (!stage->name || !br_history_way_read(stage->name, &way))
        return false;
    struct br_gathered_stage *told = &stage->told;
    told->name = br_arena_text(&g->arena, way.stage);
    told->alternative = way.alternative ? br_arena_text(&g->arena, way.alternative) : NULL;
    told->cls = way.cls ? br_arena_text(&g->arena, way.cls) : NULL;
    told->speed = way.speed;
    told->label = gather_label(&g->arena, &way);
    const bool good = told->name && told->label && !told->alternative == !way.alternative &&
                      !told->cls == !way.cls;
    free(way.text);
    return good;
}

static void gather_add_stage(void *context, const struct br_history_job *row)
{
    struct br_gathering *g = context;
    struct job *job = gather_find_job(g, row->name);
    if (!job)
        return;
    job->told.stages++;
    if (!g->only)
        return;
    struct stage stage = {.name = br_arena_text(&g->arena, row->stage)};
    if (!gather_tell_way(g, &stage) ||
        !br_grow(&g->stage, g->stages, &g->stage_room, sizeof *g->stage))
        g->failed = true;
    else
        g->stage[g->stages++] = stage;
}

/* Samples of a run come stage by stage, in the order of stages. */
struct reading {
    struct br_gathering *g;
    uint32_t run, stage;
};

static void add_sample(void *context, const struct br_history_row *row)
{
    struct reading *reading = context;
    struct br_gathering *g = reading->g;
    assert(g->jobs > 0);
    const struct job *job = &g->job[0];
    while (reading->run < job->told.runs && job->run[reading->run].number < row->run)
        reading->run++;
    if (reading->run == job->told.runs)
        return; /* of a run that has begun since */
    for (uint32_t k = 0; k < g->stages; k++) {
        assert(reading->stage < g->stages);
        struct stage *stage = &g->stage[reading->stage];
        if (strcmp(stage->name, row->stage) == 0) {
            if (!br_grow(&stage->sample, stage->told.samples, &stage->room, sizeof *stage->sample))
                g->failed = true;
            else
                stage->sample[stage->told.samples++] = (struct br_gathered_sample){
                    reading->run, row->wall_ns < longest_ns ? row->wall_ns : longest_ns};
            return;
        }
        reading->stage = (reading->stage + 1) % g->stages;
    }
}

static enum br_status estimate_all(struct br_gathering *g, struct br_history *history,
                                   struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < g->stages && !status; s++)
        status = br_history_estimate(history, g->stage[s].name, &g->stage[s].told.estimate, diag);
    return status;
}

/* Arranges the gathered data for the caller. */
static bool gather_lay_out(struct br_gathering *g, struct br_gathered *gathered)
{
    struct br_gathered_job *job = br_arena_array(&g->arena, g->jobs, sizeof *job);
    struct br_gathered_stage *stage = br_arena_array(&g->arena, g->stages, sizeof *stage);
    if (!job || !stage)
        return false;
    for (uint32_t s = 0; s < g->stages; s++) {
        stage[s] = g->stage[s].told;
        stage[s].sample = g->stage[s].sample;
    }
    uint32_t jobs = 0;
    for (uint32_t j = 0; j < g->jobs; j++) {
        if (!g->job[j].told.runs)
            continue; /* another program has deleted them since */
        struct br_gathered_run *run = br_arena_array(&g->arena, g->job[j].told.runs, sizeof *run);
        if (!run)
            return false;
        for (uint32_t r = 0; r < g->job[j].told.runs; r++)
            run[r] = g->job[j].run[r].told;
        job[jobs] = g->job[j].told;
        job[jobs].run = run;
        job[jobs++].stage = g->only ? stage : NULL;
    }
    gathered->jobs = jobs;
    gathered->job = job;
    return true;
}

static enum br_status gather_read_all(struct br_gathering *g, struct br_history *history,
                                      struct br_diag *diag)
{
    enum br_status status = br_history_jobs(history, gather_add_job, g, diag);
    if (!status)
        status = br_history_runs(history, gather_add_run, g, diag);
    if (!status)
        status = br_history_stages(history, gather_add_stage, g, diag);
    struct reading reading = {g, 0, 0};
    if (!status && g->jobs && g->only)
        status = br_history_samples(history, add_sample, &reading, diag);
    if (!status)
        status = estimate_all(g, history, diag);
    return status;
}

enum br_status br_gather(struct br_history *history, bool detailed, struct br_gathered *gathered,
                         struct br_diag *diag)
{
    struct br_gathering *g = calloc(1, sizeof *g);
    *gathered = (struct br_gathered){.memory = g};
    if (!g)
        return br_fail_memory(diag);
    g->only = detailed ? br_history_job(history) : NULL;
    enum br_status status = br_history_hold(history, diag);
    if (status)
        return status;
    struct br_history_cost *cost = NULL;
    status = gather_read_all(g, history, diag);
    if (!status)
        status = br_history_costs(history, &cost, &gathered->queries, diag);
    free(cost);
    br_history_let_go(history);
    if (!status && (g->failed || !gather_lay_out(g, gathered)))
        status = br_fail_memory(diag);
    return status;
}

void br_gathered_finish(struct br_gathered *gathered)
{
    struct br_gathering *g = gathered->memory;
    for (uint32_t j = 0; g && j < g->jobs; j++)
        free(g->job[j].run);
    for (uint32_t s = 0; g && s < g->stages; s++)
        free(g->stage[s].sample);
    if (g) {
        free(g->job);
        free(g->stage);
        br_index_finish(&g->by_name);
        br_arena_finish(&g->arena);
    }
    free(g);
    *gathered = (struct br_gathered){0};
}
