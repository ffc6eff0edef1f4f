/* Pipelines of GitLab (.gitlab-ci.yml). A job waits for those that its `needs` names, and without
 * `needs` for all jobs of earlier stages. Rules are not evaluated: what a run left out, its record
 * tells. What `include` brings is in other files; needs of it are left out. */
#include "parsers/pipelines/pipeline.h"
#include "parsers/reader/formats.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    STAGES_MOST = 1000,
    EXTENDS_MOST = 11,
    POST = STAGES_MOST + 1,
    TASKS_MOST = 200,
    KEYS_MOST = 10000
};
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct gitlab {
    struct br_pipeline pipeline;
    br_tree_node root;
    bool includes;
    uint32_t stages;
    const char *stage[STAGES_MOST];
    uint32_t *stage_of;         /* by job: 1 and on; 0: before all, POST: after all */
    uint32_t elsewhere, groups; /* needs in other files; jobs with resource_group */
};

/* The job's value of that key, or that of what it extends, the last first. */
static br_tree_node gitlab_value(struct gitlab *gitlab, br_tree_node job, const char *key,
                                 uint32_t depth)
{
    struct br_tree *tree = gitlab->pipeline.tree;
    br_tree_node found = br_tree_get(tree, job, key), extends = br_tree_get(tree, job, "extends");
    if (found || depth > EXTENDS_MOST)
        return found;
    const char *one = br_tree_text(tree, extends);
    if (one)
        return gitlab_value(gitlab, br_tree_get(tree, gitlab->root, one), key, depth + 1);
    for (uint32_t k = br_tree_count(tree, extends); k-- > 0 && !found;) {
        one = br_tree_text(tree, br_tree_item(tree, extends, k));
        if (one)
            found = gitlab_value(gitlab, br_tree_get(tree, gitlab->root, one), key, depth + 1);
    }
    return found;
}

/* `parallel`: a number, or a list of matrices, each with all combinations of its values. */
static uint32_t gitlab_tasks(struct gitlab *gitlab, br_tree_node job)
{
    struct br_tree *tree = gitlab->pipeline.tree;
    br_tree_node parallel = gitlab_value(gitlab, job, "parallel", 0);
    br_tree_node matrix = br_tree_get(tree, parallel, "matrix");
    const char *text = br_tree_text(tree, parallel);
    uint32_t number, sum = 0;
    if (text)
        return br_value_count(text, "parallel", "job", &number, NULL) || number > TASKS_MOST
                   ? 0
                   : number;
    for (uint32_t k = 0; k < br_tree_count(tree, matrix); k++) {
        br_tree_node entry = br_tree_item(tree, matrix, k);
        uint32_t product = 1;
        for (uint32_t v = 0; v < br_tree_count(tree, entry) && product <= TASKS_MOST; v++) {
            uint32_t count = br_tree_count(tree, br_tree_item(tree, entry, v));
            product *= count ? count : 1;
        }
        sum += product <= TASKS_MOST ? product : 0;
    }
    return parallel ? sum : 1;
}

/* 0: there is no such stage. */
static enum br_status find_stage(struct gitlab *gitlab, br_tree_node job, const char *id,
                                 uint32_t *stage)
{
    struct br_pipeline *pipeline = &gitlab->pipeline;
    br_tree_node node = gitlab_value(gitlab, job, "stage", 0);
    const char *name = br_tree_text(pipeline->tree, node);
    name = name ? name : "test";
    *stage = strcmp(name, ".post") == 0 ? POST : 0;
    if (*stage || strcmp(name, ".pre") == 0)
        return BR_OK;
    for (uint32_t s = 0; s < gitlab->stages; s++)
        if (strcmp(gitlab->stage[s], name) == 0) {
            *stage = s + 1;
            return BR_OK;
        }
    if (!gitlab->includes || gitlab->stages == STAGES_MOST)
        return br_fail_at(pipeline->diag, br_tree_pos(pipeline->tree, node ? node : job),
                          BR_BAD_INPUT, "add it to 'stages'",
                          "job '%.80s' is in stage '%.80s', which there is not", id, name);
    gitlab->stage[gitlab->stages] = name;
    *stage = ++gitlab->stages;
    return BR_OK;
}

static bool is_gitlab_job(const char *key)
{
    static const char *const others[] = {"default",       "include",      "stages",   "variables",
                                         "workflow",      "image",        "services", "cache",
                                         "before_script", "after_script", "spec",     "types"};
    for (size_t k = 0; k < COUNT(others); k++)
        if (strcmp(key, others[k]) == 0)
            return false;
    return *key != '.' && strcmp(key, "<<") != 0;
}

/* Of several keys of one name the last counts, as in GitLab. */
static bool is_last_of_name(struct br_tree *tree, br_tree_node root, uint32_t k)
{
    for (uint32_t later = k + 1; later < br_tree_count(tree, root); later++) {
        const char *key = br_tree_key(tree, root, later);
        if (key && strcmp(key, br_tree_key(tree, root, k)) == 0)
            return false;
    }
    return true;
}

static enum br_status read_stages(struct gitlab *gitlab)
{
    struct br_tree *tree = gitlab->pipeline.tree;
    br_tree_node list = br_tree_get(tree, gitlab->root, "stages");
    static const char *const usual[] = {"build", "test", "deploy"};
    gitlab->includes = br_tree_get(tree, gitlab->root, "include") != 0;
    for (size_t k = 0; k < COUNT(usual) && !list; k++)
        gitlab->stage[gitlab->stages++] = usual[k];
    for (uint32_t k = 0; k < br_tree_count(tree, list); k++) {
        const char *name = br_tree_text(tree, br_tree_item(tree, list, k));
        if (name && gitlab->stages == STAGES_MOST)
            return br_fail_at(gitlab->pipeline.diag, br_tree_pos(tree, list), BR_BAD_INPUT, NULL,
                              "there are more than %d stages", STAGES_MOST);
        if (name)
            gitlab->stage[gitlab->stages++] = name;
    }
    return BR_OK;
}

static enum br_status read_jobs(struct gitlab *gitlab)
{
    struct br_pipeline *pipeline = &gitlab->pipeline;
    struct br_tree *tree = pipeline->tree;
    const uint32_t keys = br_tree_count(tree, gitlab->root);
    enum br_status status = BR_OK;
    gitlab->stage_of = br_arena_array(&pipeline->arena, (size_t)keys + 1, sizeof(uint32_t));
    if (!gitlab->stage_of)
        return br_fail_memory(pipeline->diag);
    if (keys > KEYS_MOST)
        return br_fail_at(pipeline->diag, BR_NO_POS, BR_BAD_INPUT, "give a .gitlab-ci.yml",
                          "the pipeline has more than %d keys", KEYS_MOST);
    for (uint32_t k = 0; k < keys && !status; k++) {
        const char *id = br_tree_key(tree, gitlab->root, k);
        br_tree_node node = br_tree_item(tree, gitlab->root, k);
        if (!id || !is_gitlab_job(id) || !br_tree_is_map(tree, node) ||
            !is_last_of_name(tree, gitlab->root, k))
            continue;
        status = find_stage(gitlab, node, id, &gitlab->stage_of[pipeline->jobs]);
        gitlab->groups += gitlab_value(gitlab, node, "resource_group", 0) != 0;
        if (!status)
            status = br_pipeline_add(
                pipeline, (struct br_pipeline_job){
                              .id = id, .tasks = gitlab_tasks(gitlab, node), .node = node});
    }
    return status;
}

/* The stage of that job; "JOB: [VALUES]" and "JOB 1/3" name one task of it, and stand for all. */
static uint32_t gitlab_find(const struct gitlab *gitlab, const char *name)
{
    const struct br_dag *dag = gitlab->pipeline.dag;
    uint32_t stage = br_dag_find_stage(dag, name);
    const char *end = strstr(name, ": [");
    char job[256];
    if (!end) {
        end = strrchr(name, ' ');
        end = end && end[1 + strspn(end + 1, "0123456789")] == '/' ? end : NULL;
    }
    if (stage != UINT32_MAX || !end || end - name >= (ptrdiff_t)sizeof job)
        return stage;
    snprintf(job, sizeof job, "%.*s", (int)(end - name), name);
    return br_dag_find_stage(dag, job);
}

/* A name, or a mapping with the job's name; those of other pipelines and projects are no jobs of
 * this one. */
static enum br_status gitlab_need(struct gitlab *gitlab, uint32_t stage, br_tree_node node)
{
    struct br_pipeline *pipeline = &gitlab->pipeline;
    struct br_tree *tree = pipeline->tree;
    const char *name = br_tree_text(tree, node), *optional = NULL;
    if (!name) {
        name = br_tree_get_text(tree, node, "job");
        optional = br_tree_get_text(tree, node, "optional");
        if (br_tree_get(tree, node, "project") || br_tree_get(tree, node, "pipeline"))
            name = NULL;
    }
    if (!name)
        return BR_OK;
    uint32_t parent = gitlab_find(gitlab, name);
    if (parent == UINT32_MAX && (gitlab->includes || (optional && strcmp(optional, "true") == 0))) {
        gitlab->elsewhere++;
        return BR_OK;
    }
    if (parent == UINT32_MAX)
        return br_fail_at(pipeline->diag, br_tree_pos(tree, node), BR_BAD_INPUT,
                          "name a job of this file",
                          "job '%.80s' needs '%.80s', and there is no such job",
                          br_dag_stage_id(pipeline->dag, stage), name);
    br_value_place(pipeline->diag, br_tree_pos(tree, node));
    enum br_status status =
        br_dag_add_edge(pipeline->dag, parent, stage, BR_BARRIER, pipeline->diag);
    if (!status)
        br_dag_set_edge_pos(pipeline->dag, br_tree_pos(tree, node));
    return status;
}

static enum br_status gitlab_link(struct gitlab *gitlab)
{
    struct br_pipeline *pipeline = &gitlab->pipeline;
    struct br_tree *tree = pipeline->tree;
    enum br_status status = BR_OK;
    for (uint32_t j = 0; j < pipeline->jobs && !status; j++) {
        br_tree_node needs = gitlab_value(gitlab, pipeline->job[j].node, "needs", 0);
        for (uint32_t k = 0; k < br_tree_count(tree, needs) && !status; k++)
            status = gitlab_need(gitlab, j, br_tree_item(tree, needs, k));
        if (!needs)
            br_value_place(pipeline->diag, br_tree_pos(tree, pipeline->job[j].node));
        for (uint32_t p = 0; p < pipeline->jobs && !needs && !status; p++)
            if (gitlab->stage_of[p] < gitlab->stage_of[j])
                status = br_dag_add_edge(pipeline->dag, p, j, BR_BARRIER, pipeline->diag);
    }
    return status;
}

static enum br_status gitlab_doubts(struct gitlab *gitlab)
{
    struct br_dag *dag = gitlab->pipeline.dag;
    struct br_diag *diag = gitlab->pipeline.diag;
    enum br_status status = BR_OK;
    if (gitlab->includes)
        status = br_dag_add_doubt(dag, diag,
                                  "what 'include' brings is not read, and %" PRIu32
                                  " needs of it are left out: give the merged file of the "
                                  "pipeline editor, or of 'glab ci config compile'",
                                  gitlab->elsewhere);
    if (!status && gitlab->groups)
        status = br_dag_add_doubt(
            dag, diag, "%" PRIu32 " jobs have 'resource_group', which is left out", gitlab->groups);
    return status;
}

enum br_status br_read_gitlab(struct br_source *source, const struct br_parse_options *options,
                              struct br_input *input, struct br_diag *diag)
{
    struct br_diag own = {0};
    struct gitlab gitlab = {
        .pipeline = {.options = options, .input = input, .diag = diag ? diag : &own}};
    struct br_pipeline *pipeline = &gitlab.pipeline;
    enum br_status status = br_pipeline_open(pipeline, source, "gitlab");
    if (!status) {
        gitlab.root = br_tree_root(pipeline->tree);
        status = read_stages(&gitlab);
    }
    if (!status)
        status = read_jobs(&gitlab);
    if (!status && pipeline->jobs == 0)
        status = br_fail_at(pipeline->diag, BR_NO_POS, BR_BAD_INPUT, "give a .gitlab-ci.yml",
                            "the pipeline has no jobs");
    if (!status)
        status = br_pipeline_stages(pipeline);
    if (!status)
        status = gitlab_link(&gitlab);
    if (!status)
        status = gitlab_doubts(&gitlab);
    br_pipeline_close(pipeline);
    return status;
}
