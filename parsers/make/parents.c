/* The tasks that a recipe of make waits for. A prerequisite without a recipe, or up to date, is
 * replaced by its own prerequisites. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/text/path.h"
#include "parsers/make/making.h"

/* ---- Files ---- */

/* The path of a name in a folder, which is absolute if the folder is; the caller's to free. */
char *br_making_path(const char *folder, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", *name == '/' ? "" : folder, name) < 0)
        return NULL;
    br_path_shorten(path);
    return path;
}

static uint64_t make_parents_hash_file(const void *context, uint32_t number)
{
    return br_hash_text(((const struct br_making *)context)->path[number]);
}

static bool is_file(const void *context, uint32_t number, const void *path)
{
    return strcmp(((const struct br_making *)context)->path[number], path) == 0;
}

const struct br_index_keys br_making_files = {make_parents_hash_file, is_file};

uint32_t br_making_find_file(const struct br_making *making, const char *path)
{
    return br_index_find(&making->files, &br_making_files, making, path, br_hash_text(path));
}

/* ---- Edges ---- */

bool br_make_list_add(struct br_make_list *list, uint32_t stage)
{
    if (!br_grow(&list->stage, list->count, &list->room, sizeof *list->stage))
        return false;
    list->stage[list->count++] = stage;
    return true;
}

/* The task of a name that another level makes. */
static enum br_status look_at_file(struct br_making *making, uint32_t level, const char *name,
                                   struct br_make_list *list)
{
    char *path = br_making_path(making->make->level[level].folder, name);
    if (!path)
        return br_fail_memory(making->diag);
    uint32_t recipe = br_making_find_file(making, path);
    free(path);
    uint32_t stage = recipe == BR_MAKE_NONE ? BR_MAKE_NONE : making->make->recipe[recipe].stage;
    return stage == BR_MAKE_NONE || br_make_list_add(list, stage) ? BR_OK
                                                                  : br_fail_memory(making->diag);
}

/* Pushes the entry, and targets made with it: make considers the prerequisites of all of these. */
static uint32_t make_parents_push(struct br_making *making, uint32_t e, uint32_t depth)
{
    struct br_make *make = making->make;
    const struct br_make_entry *entry = &make->entry[e];
    assert(entry->seen != making->visit);
    make->entry[e].seen = making->visit;
    making->stack[depth++] = e;
    for (uint32_t k = 0; k < entry->also; k++) {
        uint32_t other = br_make_find(make, entry->level, make->name[entry->first_also + k]);
        if (other != BR_MAKE_NONE && make->entry[other].seen != making->visit) {
            make->entry[other].seen = making->visit;
            making->stack[depth++] = other;
        }
    }
    assert(depth <= make->entries);
    return depth;
}

/* The tasks of a name in an entry's list; a name without tasks is pushed. */
static enum br_status make_parents_add_name(struct br_making *making, uint32_t level,
                                            const char *name, struct br_make_list *list,
                                            uint32_t *depth)
{
    struct br_make *make = making->make;
    bool made = !br_make_is_file(name);
    for (uint32_t e = made ? BR_MAKE_NONE : br_make_find(make, level, name); e != BR_MAKE_NONE;
         e = make->entry[e].next) {
        const struct br_make_entry *next = &make->entry[e];
        if (next->seen == making->visit)
            continue;
        uint32_t stage =
            next->recipe == BR_MAKE_NONE ? BR_MAKE_NONE : make->recipe[next->recipe].stage;
        made |= stage != BR_MAKE_NONE;
        if (stage == BR_MAKE_NONE)
            *depth = make_parents_push(making, e, *depth);
        else if (!br_make_list_add(list, stage))
            return br_fail_memory(making->diag);
        make->entry[e].seen = making->visit;
    }
    return made ? BR_OK : look_at_file(making, level, name, list);
}

/* The tasks behind the pushed entries. */
static enum br_status add_pushed(struct br_making *making, uint32_t depth,
                                 struct br_make_list *list)
{
    enum br_status status = BR_OK;
    while (depth && !status) {
        const struct br_make_entry *entry = &making->make->entry[making->stack[--depth]];
        for (uint32_t k = 0; k < entry->names && !status; k++)
            status = make_parents_add_name(making, entry->level,
                                           making->make->name[entry->first_name + k], list, &depth);
    }
    return status;
}

/* The task of the statement, or those behind it. */
static enum br_status make_parents_add_statement(struct br_making *making, uint32_t e,
                                                 struct br_make_list *list)
{
    const struct br_make *make = making->make;
    uint32_t recipe = make->entry[e].recipe;
    uint32_t stage = recipe == BR_MAKE_NONE ? BR_MAKE_NONE : make->recipe[recipe].stage;
    if (stage == BR_MAKE_NONE)
        return add_pushed(making, make_parents_push(making, e, 0), list);
    return br_make_list_add(list, stage) ? BR_OK : br_fail_memory(making->diag);
}

/* The tasks of an entry's names before .WAIT. Make prints .WAIT in its place, but all order-only
 * names after the others: for a .WAIT among the others all order-only names count as before. */
static enum br_status add_wait(struct br_making *making, const struct br_make_wait *wait,
                               struct br_make_list *list)
{
    const struct br_make_entry *entry = &making->make->entry[wait->entry];
    bool order = false, inside = false;
    uint32_t depth = 0;
    enum br_status status = BR_OK;
    making->visit++;
    if (wait->name == BR_MAKE_NONE)
        return make_parents_add_statement(making, wait->entry, list);
    for (uint32_t k = 0; k < entry->names && !status; k++) {
        uint32_t n = entry->first_name + k;
        order |= strcmp(making->make->name[n], "|") == 0;
        inside |= order && n < wait->name;
        if (n < wait->name || (order && !inside))
            status =
                make_parents_add_name(making, entry->level, making->make->name[n], list, &depth);
    }
    return status ? status : add_pushed(making, depth, list);
}

/* The tasks that the recipe waits for: those of its prerequisites, and those before a .WAIT. */
enum br_status br_making_find_parents(struct br_making *making, const struct br_make_recipe *recipe,
                                      struct br_make_list *list)
{
    const struct br_make *make = making->make;
    making->visit++;
    uint32_t depth =
        recipe->entry == BR_MAKE_NONE ? 0 : make_parents_push(making, recipe->entry, 0);
    enum br_status status = add_pushed(making, depth, list);
    for (uint32_t w = recipe->wait; w != BR_MAKE_NONE && !status; w = make->wait[w].next)
        status = add_wait(making, &make->wait[w], list);
    return status;
}

/* ---- .WAIT ---- */

static bool wait_at(struct br_making *making, uint32_t recipe, struct br_make_wait wait)
{
    struct br_make *make = making->make;
    assert(wait.entry < make->entries && (wait.name == BR_MAKE_NONE || wait.name < make->names));
    if (!br_grow(&make->wait, make->waits, &make->wait_room, sizeof *make->wait))
        return false;
    wait.next = make->recipe[recipe].wait;
    make->wait[make->waits] = wait;
    make->recipe[recipe].wait = make->waits++;
    return true;
}

/* Pushes the entries of the name that have not been seen. */
static uint32_t push_name(struct br_making *making, uint32_t level, const char *name,
                          uint32_t depth)
{
    const struct br_make *make = making->make;
    uint32_t e = br_make_is_file(name) ? br_make_find(make, level, name) : BR_MAKE_NONE;
    for (; e != BR_MAKE_NONE; e = make->entry[e].next)
        if (make->entry[e].seen != making->visit)
            depth = make_parents_push(making, e, depth);
    return depth;
}

/* Make considers nothing after .WAIT, nor its prerequisites, until all before it is done. A recipe
 * needed on both sides counts as before. */
static bool find_waits_of(struct br_making *making, uint32_t number)
{
    const struct br_make *make = making->make;
    const struct br_make_entry *entry = &make->entry[number];
    struct br_make_wait wait = {.entry = number, .name = BR_MAKE_NONE};
    making->visit++;
    for (uint32_t k = 0; k < entry->names; k++) {
        const char *name = make->name[entry->first_name + k];
        if (strcmp(name, ".WAIT") == 0)
            wait.name = entry->first_name + k;
        uint32_t depth = push_name(making, entry->level, name, 0);
        while (depth) {
            const struct br_make_entry *under = &make->entry[making->stack[--depth]];
            if (wait.name != BR_MAKE_NONE && under->recipe != BR_MAKE_NONE &&
                !wait_at(making, under->recipe, wait))
                return false;
            for (uint32_t j = 0; j < under->names; j++)
                depth = push_name(making, under->level, make->name[under->first_name + j], depth);
        }
    }
    return true;
}

/* Make considers a statement of a target with "::", and its prerequisites, when those before it are
 * done. The first has no wait. */
static bool find_waits_of_statements(struct br_making *making, uint32_t first)
{
    const struct br_make *make = making->make;
    uint32_t from = first;
    making->visit++;
    for (uint32_t e = first; e != BR_MAKE_NONE; e = make->entry[e].next) {
        uint32_t depth = make->entry[e].seen == making->visit ? 0 : make_parents_push(making, e, 0);
        while (depth) {
            uint32_t under = making->stack[--depth];
            const struct br_make_entry *entry = &make->entry[under];
            for (uint32_t k = from; k != e && entry->recipe != BR_MAKE_NONE;
                 k = make->entry[k].next)
                if (!wait_at(making, entry->recipe,
                             (struct br_make_wait){.entry = k, .name = BR_MAKE_NONE}))
                    return false;
            for (uint32_t j = 0; j < entry->names; j++)
                depth = push_name(making, entry->level, make->name[entry->first_name + j], depth);
        }
        from = make->entry[e].recipe == BR_MAKE_NONE ? from : e;
    }
    return true;
}

/* For the lists that make has considered; make knows .WAIT since 4.4. */
bool br_making_find_waits(struct br_making *making)
{
    const struct br_make *make = making->make;
    for (uint32_t e = 0; e < make->entries; e++) {
        uint32_t version = make->level[make->entry[e].level].version;
        bool waits = false, several = make->entry[e].next != BR_MAKE_NONE;
        for (uint32_t k = 0; k < make->entry[e].names && !waits; k++)
            waits = strcmp(make->name[make->entry[e].first_name + k], ".WAIT") == 0;
        if (waits && make->entry[e].considered && (!version || version >= 404) &&
            !find_waits_of(making, e))
            return false;
        if (several && br_make_find(make, make->entry[e].level, make->entry[e].name) == e &&
            !find_waits_of_statements(making, e))
            return false;
    }
    return true;
}
