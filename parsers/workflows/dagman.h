/* Input files of HTCondor's DAGMan: how they are recognised, and the submit descriptions in them.
 */
#ifndef BR_PARSERS_WORKFLOWS_DAGMAN_H
#define BR_PARSERS_WORKFLOWS_DAGMAN_H

#include "planner/model/dag.h"

/* Does the text begin with a command of DAGMan's? */
bool br_is_dagman(const char *text);
/* Is the word a command's name, also of one that is passed over? */
bool br_dagman_has_command(const char *word, size_t length);

/* What the jobs of a submit description demand; texts are borrowed. */
struct br_dagman_description {
    const char *name;
    const char *cpus, *mem, *gpus, *limits; /* as written; NULL: nothing */
};

/* Keeps the value if the key is one of these. */
void br_dagman_set(struct br_dagman_description *description, const char *key, const char *value);
/* Adds the demands to the stage: 1 cpu if none is said, memory in MiB if no unit is, and each
 * concurrency limit as a resource. Values that are no plain numbers are counted, and left out. */
enum br_status br_dagman_demand(struct br_dag *dag, uint32_t stage,
                                const struct br_dagman_description *description,
                                uint32_t *expressions, struct br_diag *diag);

#endif
