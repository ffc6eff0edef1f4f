/* Workflows of GitHub Actions. A job waits for those that its `needs` names. Conditions (`if`) are
 * not evaluated: what a run left out, its record tells. */
#include "parsers/pipelines/pipeline.h"
#include "parsers/reader/formats.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum br_status github_add_job(struct br_pipeline *pipeline, const char *id,
                                     br_tree_node node)
{
    struct br_tree *tree = pipeline->tree;
    const char *name = br_tree_get_text(tree, node, "name");
    br_tree_node strategy = br_tree_get(tree, node, "strategy");
    br_tree_node matrix = br_tree_get(tree, strategy, "matrix");
    struct br_pipeline_job job = {.id = id, .tasks = 1, .node = node};
    if (!br_tree_is_map(tree, node))
        return br_fail_at(pipeline->diag, br_tree_pos(tree, node), BR_BAD_INPUT,
                          "give it 'runs-on' and 'steps', or 'uses'", "job '%.80s' is no mapping",
                          id);
    if (name) {
        job.pattern = br_pipeline_pattern(pipeline, name);
        if (!job.pattern)
            return br_fail_memory(pipeline->diag);
    }
    if (matrix)
        job.tasks = br_pipeline_matrix(tree, matrix);
    return br_pipeline_add(pipeline, job);
}

static enum br_status github_need(struct br_pipeline *pipeline, uint32_t stage, br_tree_node node)
{
    const char *name = br_tree_text(pipeline->tree, node);
    uint32_t parent = name ? br_dag_find_stage(pipeline->dag, name) : UINT32_MAX;
    struct br_pos pos = br_tree_pos(pipeline->tree, node);
    if (parent == UINT32_MAX)
        return br_fail_at(pipeline->diag, pos, BR_BAD_INPUT,
                          "name a job of this workflow by its id",
                          "job '%.80s' needs '%.80s', and there is no such job",
                          br_dag_stage_id(pipeline->dag, stage), name ? name : "");
    br_value_place(pipeline->diag, pos);
    enum br_status status =
        br_dag_add_edge(pipeline->dag, parent, stage, BR_BARRIER, pipeline->diag);
    if (!status)
        br_dag_set_edge_pos(pipeline->dag, pos);
    return status;
}

static enum br_status github_link(struct br_pipeline *pipeline)
{
    struct br_tree *tree = pipeline->tree;
    uint32_t limits = 0;
    enum br_status status = BR_OK;
    for (uint32_t j = 0; j < pipeline->jobs && !status; j++) {
        br_tree_node node = pipeline->job[j].node, needs = br_tree_get(tree, node, "needs");
        const char *runs_on = br_tree_get_text(tree, node, "runs-on");
        limits += br_tree_get(tree, br_tree_get(tree, node, "strategy"), "max-parallel") != 0;
        if (runs_on && !strchr(runs_on, '\n'))
            status = br_dag_add_attribute(pipeline->dag, BR_OWNER_STAGE, j, "runs-on", runs_on,
                                          pipeline->diag);
        if (!status && br_tree_text(tree, needs))
            status = github_need(pipeline, j, needs);
        for (uint32_t k = 0; k < br_tree_count(tree, needs) && !status; k++)
            status = github_need(pipeline, j, br_tree_item(tree, needs, k));
    }
    return status || !limits
               ? status
               : br_dag_add_doubt(pipeline->dag, pipeline->diag,
                                  "%" PRIu32 " jobs have 'max-parallel', which is left out",
                                  limits);
}

enum br_status br_read_github(struct br_source *source, const struct br_parse_options *options,
                              struct br_input *input, struct br_diag *diag)
{
    struct br_diag own = {0};
    struct br_pipeline pipeline = {.options = options, .input = input, .diag = diag ? diag : &own};
    enum br_status status = br_pipeline_open(&pipeline, source, "github");
    struct br_tree *tree = pipeline.tree;
    br_tree_node jobs = status ? 0 : br_tree_get(tree, br_tree_root(tree), "jobs");
    if (!status && !br_tree_is_map(tree, jobs))
        status = br_fail_at(pipeline.diag, br_tree_pos(tree, br_tree_root(tree)), BR_BAD_INPUT,
                            "give a workflow of .github/workflows",
                            "the workflow has no mapping 'jobs'");
    for (uint32_t k = 0; k < br_tree_count(tree, jobs) && !status; k++) {
        const char *id = br_tree_key(tree, jobs, k);
        if (id)
            status = github_add_job(&pipeline, id, br_tree_item(tree, jobs, k));
    }
    if (!status)
        status = br_pipeline_stages(&pipeline);
    if (!status)
        status = github_link(&pipeline);
    br_pipeline_close(&pipeline);
    return status;
}
