/* Finds the stages, tasks and machines named by strings of a plan. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/plans/plan_reader.h"

static int by_class_name(const void *a, const void *b, void *cluster)
{
    const struct br_class *cls = ((const struct br_cluster *)cluster)->cls;
    return strcmp(cls[*(const uint32_t *)a].name, cls[*(const uint32_t *)b].name);
}

bool br_plan_index_classes(struct br_plan_reader *r)
{
    struct br_json *json = &r->json;
    r->by_name = malloc(r->cluster->classes * sizeof *r->by_name);
    if (!r->by_name)
        return br_json_take(json, json->at, br_fail_memory(r->diag));
    for (uint32_t c = 0; c < r->cluster->classes; c++)
        r->by_name[c] = c;
    qsort_r(r->by_name, r->cluster->classes, sizeof *r->by_name, by_class_name, r->cluster);
    return true;
}

/* Splits "name[12]" in place: the name stays, the index is returned. False if it has no such form.
 */
static bool split_index(char *text, uint32_t *index)
{
    size_t length = strlen(text);
    char *open = strrchr(text, '[');
    if (!open || open == text || text[length - 1] != ']' || open + 2 > text + length - 1 ||
        (open[1] == '0' && open[2] != ']'))
        return false;
    uint64_t value = 0;
    for (const char *p = open + 1; p < text + length - 1; p++) {
        if (*p < '0' || *p > '9' || value > UINT32_MAX)
            return false;
        value = value * 10 + (uint64_t)(*p - '0');
    }
    if (value > UINT32_MAX)
        return false;
    *open = 0;
    *index = (uint32_t)value;
    return true;
}

/* The task or machine that the next string names: a member of a group with several has an index. */
bool br_plan_task_named(struct br_plan_reader *r, const struct br_json_field *field, uint32_t *task)
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field) || !br_json_string(json, "a task's id"))
        return false;
    uint32_t s = br_dag_find_stage(r->dag, json->text), index = 0;
    bool found = s != UINT32_MAX && r->dag->stage[s].tasks == 1;
    if (!found && split_index(json->text, &index)) {
        s = br_dag_find_stage(r->dag, json->text);
        found = s != UINT32_MAX && r->dag->stage[s].tasks > 1 && index < r->dag->stage[s].tasks;
    }
    if (!found) {
        br_json_go(json, field);
        br_json_string(json, "a task's id");
        return br_json_fail(json, field->at, BR_PLAN_REWRITE, "the job has no task '%s'",
                            json->text);
    }
    assert(index < r->dag->stage[s].tasks);
    *task = r->dag->stage[s].first_task + index;
    return true;
}

static const struct br_class *class_named(const struct br_plan_reader *r, const char *name)
{
    uint32_t low = 0, high = r->cluster->classes;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct br_class *cls = &r->cluster->cls[r->by_name[middle]];
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

bool br_plan_machine_named(struct br_plan_reader *r, const struct br_json_field *field,
                           uint32_t *machine)
{
    struct br_json *json = &r->json;
    if (!br_json_go(json, field) || !br_json_string(json, "a machine's name"))
        return false;
    const struct br_class *cls = class_named(r, json->text);
    uint32_t index = 0;
    bool found = cls && cls->count == 1;
    if (!found && split_index(json->text, &index)) {
        cls = class_named(r, json->text);
        found = cls && cls->count > 1 && index < cls->count;
    }
    if (!found) {
        br_json_go(json, field);
        br_json_string(json, "a machine's name");
        return br_json_fail(json, field->at, BR_PLAN_REWRITE, "the cluster has no machine '%s'",
                            json->text);
    }
    assert(index < cls->count);
    *machine = cls->first_machine + index;
    return true;
}
