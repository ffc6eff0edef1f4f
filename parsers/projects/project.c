/* From the numbers of a project file to a job and its pool. */
#include "parsers/projects/project.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/collections/grow.h"

enum { NUMBER_TEXT = 16, AMOUNT_TEXT = 24 };

enum br_status br_project_init(struct br_project *project, struct br_input *input, const char *name,
                               struct br_diag *diag)
{
    *project = (struct br_project){.input = input};
    input->dag = br_dag_create(name);
    input->cluster = br_cluster_create(NULL);
    if (!input->dag || !input->cluster)
        return br_fail_memory(diag);
    return br_cluster_add_class(input->cluster, "pool", 1, NULL, diag);
}

void br_project_finish(struct br_project *project)
{
    free(project->successor);
    project->successor = NULL;
}

enum br_status br_project_capacity(struct br_project *project, uint32_t number, uint64_t amount,
                                   struct br_diag *diag)
{
    char name[NUMBER_TEXT], text[AMOUNT_TEXT];
    snprintf(name, sizeof name, "R%" PRIu32, number);
    snprintf(text, sizeof text, "%" PRIu64, amount);
    enum br_status status = br_dag_add_resource(project->input->dag, name, NULL, diag);
    return status ? status : br_cluster_add_capacity(project->input->cluster, 0, name, text, diag);
}

enum br_status br_project_job(struct br_project *project, uint32_t number, int64_t duration_ns,
                              struct br_pos pos, uint32_t *stage, struct br_diag *diag)
{
    char id[NUMBER_TEXT];
    snprintf(id, sizeof id, "%" PRIu32, number);
    br_value_place(diag, pos);
    enum br_status status = br_dag_add_stage(project->input->dag, id, 1, duration_ns, stage, diag);
    if (!status)
        br_dag_set_stage_pos(project->input->dag, *stage, pos);
    return status;
}

enum br_status br_project_demand(struct br_project *project, uint32_t stage, uint32_t number,
                                 uint64_t amount, struct br_diag *diag)
{
    char name[NUMBER_TEXT], text[AMOUNT_TEXT];
    if (amount == 0)
        return BR_OK;
    snprintf(name, sizeof name, "R%" PRIu32, number);
    snprintf(text, sizeof text, "%" PRIu64, amount);
    return br_dag_add_demand(project->input->dag, stage, name, text, diag);
}

enum br_status br_project_budget(struct br_project *project, uint32_t number, uint64_t amount,
                                 struct br_diag *diag)
{
    char name[NUMBER_TEXT], text[AMOUNT_TEXT];
    snprintf(name, sizeof name, "N%" PRIu32, number);
    snprintf(text, sizeof text, "%" PRIu64, amount);
    enum br_status status = br_dag_add_resource(project->input->dag, name, NULL, diag);
    return status ? status : br_cluster_add_shared(project->input->cluster, name, text, diag);
}

enum br_status br_project_mode(struct br_project *project, uint32_t stage, uint32_t mode,
                               int64_t duration_ns, struct br_pos pos, uint32_t *alternative,
                               struct br_diag *diag)
{
    char id[NUMBER_TEXT];
    snprintf(id, sizeof id, "%" PRIu32, mode);
    br_value_place(diag, pos);
    enum br_status status =
        br_dag_add_alternative(project->input->dag, stage, id, duration_ns, alternative, diag);
    if (!status)
        br_dag_set_alternative_pos(project->input->dag, pos);
    return status;
}

enum br_status br_project_use(struct br_project *project, uint32_t stage, uint32_t alternative,
                              bool consumed, uint32_t number, uint64_t amount, struct br_diag *diag)
{
    char name[NUMBER_TEXT], text[AMOUNT_TEXT];
    if (amount == 0)
        return BR_OK;
    snprintf(name, sizeof name, "%c%" PRIu32, consumed ? 'N' : 'R', number);
    snprintf(text, sizeof text, "%" PRIu64, amount);
    return consumed ? br_dag_add_consumed(project->input->dag, stage, alternative, name, text, diag)
                    : br_dag_add_alternative_demand(project->input->dag, stage, alternative, name,
                                                    text, diag);
}

enum br_status br_project_successor(struct br_project *project, uint32_t parent, uint32_t child,
                                    struct br_pos pos, struct br_diag *diag)
{
    if (!br_grow(&project->successor, project->successors, &project->room,
                 sizeof *project->successor))
        return br_fail_memory(diag);
    project->successor[project->successors++] = (struct br_successor){parent, child, pos};
    return BR_OK;
}

enum br_status br_project_link(struct br_project *project, struct br_diag *diag)
{
    struct br_dag *dag = project->input->dag;
    for (uint32_t k = 0; k < project->successors; k++) {
        const struct br_successor *link = &project->successor[k];
        char parent[NUMBER_TEXT], child[NUMBER_TEXT];
        snprintf(parent, sizeof parent, "%" PRIu32, link->parent);
        snprintf(child, sizeof child, "%" PRIu32, link->child);
        uint32_t from = br_dag_find_stage(dag, parent), to = br_dag_find_stage(dag, child);
        br_value_place(diag, link->pos);
        if (from == UINT32_MAX || to == UINT32_MAX)
            return br_fail(diag, BR_BAD_INPUT, "successors are numbers of jobs",
                           "job %s is followed by job %s, but there is no job %s", parent, child,
                           from == UINT32_MAX ? parent : child);
        enum br_status status = br_dag_add_edge(dag, from, to, BR_BARRIER, diag);
        if (status)
            return status;
        br_dag_set_edge_pos(dag, link->pos);
    }
    return BR_OK;
}
