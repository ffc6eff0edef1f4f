/* Sets of commands or of outputs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/ninja/build.h"

bool br_ninja_set_add(struct br_ninja_set *set, const char *text, size_t size)
{
    if (!br_grow(&set->text, set->count, &set->room, sizeof *set->text))
        return false;
    set->text[set->count] = strndup(text, size);
    return set->text[set->count] && ++set->count;
}

static int set_by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void br_ninja_set_sort(struct br_ninja_set *set)
{
    uint32_t count = 0;
    if (set->count)
        qsort(set->text, set->count, sizeof *set->text, set_by_bytes);
    for (uint32_t k = 0; k < set->count; k++)
        if (count && strcmp(set->text[count - 1], set->text[k]) == 0)
            free(set->text[k]);
        else
            set->text[count++] = set->text[k];
    set->count = count;
}

bool br_ninja_set_have(const struct br_ninja_set *set, const char *text)
{
    assert(set->count < 2 || strcmp(set->text[0], set->text[set->count - 1]) < 0);
    return set->count && bsearch(&text, set->text, set->count, sizeof *set->text, set_by_bytes);
}

void br_ninja_set_finish(struct br_ninja_set *set)
{
    for (uint32_t k = 0; k < set->count; k++)
        free(set->text[k]);
    free(set->text);
    *set = (struct br_ninja_set){0};
}
