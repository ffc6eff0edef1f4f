/* Pipelines of GitLab and workflows of GitHub Actions: a job for each task. They know what a job
 * needs, and neither cores nor memory, so tasks are chained. Of the jobs that could run, GitLab's
 * runners take the one with the lowest number first, and jobs are numbered as they stand in the
 * file: there they stand in the plan's order. */
#include "emit/engines/engine.h"
#include "emit/write/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/collections/memory.h"

struct forge {
    const char *const *usage;
    const char *const *left_out;
    const char *head;          /* of the file, behind the comment and before the jobs */
    const char *indent;        /* of a job's name */
    const char *before_needs;  /* behind the name, if the job needs others, whose names follow */
    const char *without_needs; /* if it needs none */
    const char *before_line, *after_line; /* around its command, a text in double quotes */
};

static void forge_begin_needs(FILE *out, const struct forge *forge, bool any)
{
    fputs(any ? forge->before_needs : forge->without_needs, out);
}

static enum br_status forge_write_task(FILE *out, const struct forge *forge,
                                       const struct br_engine *engine, uint32_t task,
                                       struct br_diag *diag)
{
    char *line;
    const uint32_t *parents = engine->parents.first + br_dag_task_stage(engine->dag, task);
    const uint32_t *before = engine->chain.first + task;
    const bool waits = parents[0] < parents[1], chained = before[0] < before[1];
    enum br_status status = br_engine_task_line(engine, task, &line, diag);
    if (status)
        return status;
    fprintf(out, "\n%s", forge->indent);
    br_engine_task(out, engine, task);
    forge_begin_needs(out, forge, waits || chained);
    br_engine_parents(out, engine, task, ", ", "");
    br_engine_chained(out, engine, task, waits ? ", " : "", ", ", "");
    fputs(waits || chained ? "]\n" : "", out);
    fputs(forge->before_line, out);
    br_write_text(out, BR_QUOTE_JSON, line);
    fputs(forge->after_line, out);
    free(line);
    return BR_OK;
}

static void forge_write_joint(FILE *out, const struct forge *forge, const struct br_engine *engine,
                              uint32_t stage)
{
    fprintf(out, "\n%s", forge->indent);
    br_engine_joint(out, engine, stage);
    forge_begin_needs(out, forge, true);
    br_engine_joined(out, engine, stage, ", ", "");
    fprintf(out, "]\n%s:%s", forge->before_line, forge->after_line);
}

static enum br_status forge_write_jobs(FILE *out, const struct forge *forge,
                                       const struct br_engine *engine, struct br_diag *diag)
{
    const struct br_dag *dag = engine->dag;
    uint32_t *written = br_calloc((size_t)dag->stages + 1, sizeof *written); /* by stage */
    enum br_status status = written ? BR_OK : br_fail_memory(diag);
    for (uint32_t k = 0; k < dag->tasks && !status; k++) {
        const uint32_t task = engine->input->plan->order[k];
        const uint32_t stage = br_dag_task_stage(dag, task);
        status = forge_write_task(out, forge, engine, task, diag);
        if (!status && ++written[stage] == dag->stage[stage].tasks && engine->has_joint[stage])
            forge_write_joint(out, forge, engine, stage);
    }
    br_free(written);
    return status;
}

static enum br_status forge_write(FILE *out, const struct forge *forge,
                                  const struct br_emit_input *input, struct br_diag *diag)
{
    struct br_engine engine;
    enum br_status status = br_engine_init_commands(&engine, input, diag);
    if (!status)
        status = br_engine_chain(&engine, BR_CHAIN_ALL, BR_KEEPS_ALL, diag);
    if (!status) {
        br_engine_header(out, "#", &engine, forge->usage, BR_KEEPS_ALL, forge->left_out);
        fprintf(out, "# As many runners as the plan has tasks at once: %" PRIu32 ".\n",
                engine.most_at_once);
        fputs(forge->head, out);
        status = forge_write_jobs(out, forge, &engine, diag);
    }
    br_engine_finish(&engine);
    return status;
}

#define FORGE_LEFT_OUT                                                                             \
    "machines and start times: any runner takes the next job",                                     \
        "room that is free early: a job needs those that leave it theirs, and does not run after", \
        "  one of them has failed", "files: what a job writes stays where its runner keeps it"

enum br_status br_emit_gitlab(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    static const char *const usage[] = {
        "Run it as .gitlab-ci.yml, by runners whose executor is a shell or has /bin/sh.", NULL};
    static const char *const left_out[] = {
        FORGE_LEFT_OUT, "more than 50 needs of a job, unless GitLab's limit is raised", NULL};
    static const struct forge forge = {
        .usage = usage,
        .left_out = left_out,
        .head = "stages: [plan]\n",
        .indent = "",
        .before_needs = ":\n  stage: plan\n  needs: [",
        .without_needs = ":\n  stage: plan\n  needs: []\n",
        .before_line = "  script: [\"(",
        .after_line = ")\"]\n",
    };
    return forge_write(out, &forge, input, diag);
}

enum br_status br_emit_github(const struct br_emit_input *input, FILE *out, struct br_diag *diag)
{
    static const char *const usage[] = {
        "Run it as .github/workflows/plan.yml, by 'gh workflow run plan.yml'.", NULL};
    static const char *const left_out[] = {
        "the plan's order where fewer runners are free than that: GitHub has no priorities",
        FORGE_LEFT_OUT, NULL};
    static const struct forge forge = {
        .usage = usage,
        .left_out = left_out,
        .head = "name: plan\non: workflow_dispatch\njobs:\n",
        .indent = "  ",
        .before_needs = ":\n    runs-on: ${{ vars.RUNNER || 'ubuntu-latest' }}\n    needs: [",
        .without_needs = ":\n    runs-on: ${{ vars.RUNNER || 'ubuntu-latest' }}\n",
        .before_line = "    steps:\n      - uses: actions/checkout@v4\n      - shell: sh\n"
                       "        run: \"",
        .after_line = "\"\n",
    };
    return forge_write(out, &forge, input, diag);
}
