/* What the pipelines of GitHub and GitLab have in common: jobs with matrices, of which a run may be
 * recorded. A job is a stage with the same number, a task of it one of its matrix. */
#ifndef BR_PARSERS_PIPELINES_PIPELINE_H
#define BR_PARSERS_PIPELINES_PIPELINE_H

#include "parsers/pipelines/record.h"
#include "parsers/reader/input.h"
#include "parsers/text/source.h"
#include "parsers/text/tree.h"

struct br_pipeline_job {
    const char *id;      /* borrowed from the tree */
    const char *pattern; /* of its names in a record, as fnmatch has patterns; NULL: its id */
    uint32_t tasks;      /* by its matrix; 0: that is an expression */
    br_tree_node node;
};

struct br_pipeline {
    char *text;
    struct br_tree *tree;
    const struct br_parse_options *options;
    struct br_input *input;
    struct br_dag *dag;
    struct br_diag *diag;
    struct br_arena arena;
    struct br_forge_run run;
    uint32_t jobs, room;
    struct br_pipeline_job *job;
};

/* Reads the text and the record, if --durations names one. To be closed in any case. */
enum br_status br_pipeline_open(struct br_pipeline *pipeline, struct br_source *source,
                                const char *format);
void br_pipeline_close(struct br_pipeline *pipeline);
enum br_status br_pipeline_add(struct br_pipeline *pipeline, struct br_pipeline_job job);
/* Makes the stages, with the recorded tasks and times of each job. */
enum br_status br_pipeline_stages(struct br_pipeline *pipeline);
/* Turns a name with expressions, ${{ ... }} or $NAME, into a pattern. NULL when memory is out. */
const char *br_pipeline_pattern(struct br_pipeline *pipeline, const char *name);
/* The number of combinations of a matrix of GitHub's (with include and exclude); 0: it is an
 * expression. */
uint32_t br_pipeline_matrix(struct br_tree *tree, br_tree_node matrix);

#endif
