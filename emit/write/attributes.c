/* Groups attributes by owner: sorts them once by name to find repetitions, once by place. */
#include "emit/write/attributes.h"

#include <stdlib.h>
#include <string.h>

typedef const struct br_attribute *item;

static uint32_t owner_slot(enum br_owner owner, uint32_t index, uint32_t stages)
{
    return owner == BR_OWNER_JOB ? 0 : owner == BR_OWNER_STAGE ? 1 + index : 1 + stages + index;
}

/* The job, then the stages, then the edges, in the order of the enumeration. */
static int by_owner(item x, item y)
{
    if (x->owner != y->owner)
        return x->owner < y->owner ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static int attributes_by_name(const void *a, const void *b)
{
    item x = *(const item *)a, y = *(const item *)b;
    int order = by_owner(x, y);
    if (order == 0)
        order = strcmp(x->name, y->name);
    return order ? order : x < y ? -1 : x > y;
}

static int attributes_by_place(const void *a, const void *b)
{
    item x = *(const item *)a, y = *(const item *)b;
    int order = by_owner(x, y);
    return order ? order : x < y ? -1 : x > y;
}

enum br_status br_attributes_init(struct br_attributes *by, const struct br_dag *dag,
                                  struct br_diag *diag)
{
    size_t owners = 1 + (size_t)dag->stages + dag->edges;
    *by = (struct br_attributes){.stages = dag->stages,
                                 .first = calloc(owners + 1, sizeof *by->first),
                                 .item = malloc(((size_t)dag->attributes + 1) * sizeof *by->item)};
    if (!by->first || !by->item) {
        br_attributes_finish(by);
        return br_fail_memory(diag);
    }
    for (uint32_t a = 0; a < dag->attributes; a++)
        by->item[a] = &dag->attribute[a];
    qsort(by->item, dag->attributes, sizeof *by->item, attributes_by_name);
    uint32_t kept = 0;
    for (uint32_t a = 0; a < dag->attributes; a++) {
        item next = a + 1 < dag->attributes ? by->item[a + 1] : NULL;
        if (!next || by_owner(by->item[a], next) || strcmp(by->item[a]->name, next->name) != 0)
            by->item[kept++] = by->item[a];
    }
    qsort(by->item, kept, sizeof *by->item, attributes_by_place);
    for (uint32_t a = 0; a < kept; a++)
        by->first[owner_slot(by->item[a]->owner, by->item[a]->index, dag->stages) + 1]++;
    for (size_t k = 1; k <= owners; k++)
        by->first[k] += by->first[k - 1];
    return BR_OK;
}

void br_attributes_finish(struct br_attributes *by)
{
    free(by->first);
    free(by->item);
    *by = (struct br_attributes){0};
}

const struct br_attribute **br_attributes_run(const struct br_attributes *by, enum br_owner owner,
                                              uint32_t index, uint32_t *count)
{
    uint32_t slot = owner_slot(owner, index, by->stages);
    *count = by->first[slot + 1] - by->first[slot];
    return by->item + by->first[slot];
}

const char **br_attributes_words(const struct br_dag *dag)
{
    static const char *const names[] = {"name", "operators"}; /* the later one wins */
    const char **words = calloc((size_t)dag->stages + 1, sizeof *words);
    for (size_t n = 0; words && n < sizeof names / sizeof *names; n++)
        for (uint32_t a = 0; a < dag->attributes; a++) {
            const struct br_attribute *it = &dag->attribute[a];
            if (it->owner == BR_OWNER_STAGE && *it->value && strcmp(it->name, names[n]) == 0)
                words[it->index] = it->value;
        }
    return words;
}
