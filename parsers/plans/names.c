/* Finds the tasks and machines that texts of a plan name. */
#include "parsers/plans/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int by_class_name(const void *a, const void *b, void *cluster)
{
    const struct br_class *cls = ((const struct br_cluster *)cluster)->cls;
    return strcmp(cls[*(const uint32_t *)a].name, cls[*(const uint32_t *)b].name);
}

bool br_class_names_init(struct br_class_names *names, const struct br_cluster *cluster)
{
    names->cluster = cluster;
    names->by_name = malloc(((size_t)cluster->classes + 1) * sizeof *names->by_name);
    if (!names->by_name)
        return false;
    for (uint32_t c = 0; c < cluster->classes; c++)
        names->by_name[c] = c;
    qsort_r(names->by_name, cluster->classes, sizeof *names->by_name, by_class_name,
            (void *)cluster);
    return true;
}

void br_class_names_finish(struct br_class_names *names)
{
    free(names->by_name);
    names->by_name = NULL;
}

/* Splits "name[12]" in place, at *open, which is '[' again after `*open = '['`. NULL if the text
 * has no such form. */
static char *split_index(char *text, uint32_t *index)
{
    size_t length = strlen(text);
    char *open = strrchr(text, '[');
    if (!open || open == text || text[length - 1] != ']' || open + 2 > text + length - 1 ||
        (open[1] == '0' && open[2] != ']'))
        return NULL;
    uint64_t value = 0;
    for (const char *p = open + 1; p < text + length - 1; p++) {
        if (*p < '0' || *p > '9' || value > UINT32_MAX)
            return NULL;
        value = value * 10 + (uint64_t)(*p - '0');
    }
    if (value > UINT32_MAX)
        return NULL;
    *open = 0;
    *index = (uint32_t)value;
    return open;
}

uint32_t br_find_task_named(const struct br_dag *dag, char *name)
{
    uint32_t index = 0, s = br_dag_find_stage(dag, name);
    if (s != UINT32_MAX && dag->stage[s].tasks == 1)
        return dag->stage[s].first_task;
    char *open = split_index(name, &index);
    if (!open)
        return UINT32_MAX;
    s = br_dag_find_stage(dag, name);
    *open = '[';
    if (s == UINT32_MAX || dag->stage[s].tasks == 1 || index >= dag->stage[s].tasks)
        return UINT32_MAX;
    return dag->stage[s].first_task + index;
}

static const struct br_class *class_named(const struct br_class_names *names, const char *name)
{
    uint32_t low = 0, high = names->cluster->classes;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct br_class *cls = &names->cluster->cls[names->by_name[middle]];
        int order = strcmp(cls->name, name);
        if (order == 0)
            return cls;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

uint32_t br_find_machine_named(const struct br_class_names *names, char *name)
{
    const struct br_class *cls = class_named(names, name);
    uint32_t index = 0;
    if (cls && cls->count == 1)
        return cls->first_machine;
    char *open = split_index(name, &index);
    if (!open)
        return UINT32_MAX;
    cls = class_named(names, name);
    *open = '[';
    if (!cls || cls->count == 1 || index >= cls->count)
        return UINT32_MAX;
    return cls->first_machine + index;
}
