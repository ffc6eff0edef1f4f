/* A job of make's commands. A recipe is a task, named by its target as seen from the folder of the
 * first make, and waits for the recipes of its prerequisites; a prerequisite without a recipe, or
 * up to date, is replaced by its own prerequisites. A recipe that calls make is split at each call:
 * the tasks of that make wait for the parts before, and the parts after wait for them. All edges go
 * from earlier to later output of make, so there are no cycles. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/collections/grow.h"
#include "base/text/text.h"
#include "parsers/make/making.h"
#include "parsers/reader/demand.h"
#include "parsers/text/source.h"

enum { TEXT_LIMIT = 1 << 30 };
static const int64_t preset_ns = INT64_C(1000000000);

static enum br_status make_job_add_edge(struct br_making *making, uint32_t parent, uint32_t child)
{
    assert(child < making->stages);
    if (parent >= child || making->mark[parent] == child + 1)
        return BR_OK;
    making->mark[parent] = child + 1;
    making->leads[parent] = true;
    return br_dag_add_edge(making->dag, parent, child, BR_BARRIER, making->diag);
}

/* ---- Tasks ---- */

/* The name of the target as seen from the top; with a number if it was used before. */
static enum br_status make_job_add_stage(struct br_making *making, const char *path,
                                         int64_t duration_ns, uint32_t *stage)
{
    size_t n = strlen(making->top);
    n -= n && making->top[n - 1] == '/';
    const char *name = strncmp(path, making->top, n) == 0 && path[n] == '/' ? path + n + 1 : path;
    char *id = strdup(name);
    for (uint32_t k = 2; id && br_dag_find_stage(making->dag, id) != UINT32_MAX; k++) {
        free(id);
        if (asprintf(&id, "%s (%u)", name, k) < 0)
            id = NULL;
    }
    if (!id ||
        !br_grow(&making->leads, making->stages, &making->leads_room, sizeof *making->leads) ||
        !br_grow(&making->mark, making->stages, &making->mark_room, sizeof *making->mark)) {
        free(id);
        return br_fail_memory(making->diag);
    }
    enum br_status status = br_dag_add_stage(making->dag, id, 1, duration_ns, stage, making->diag);
    free(id);
    making->leads[making->stages] = false;
    making->mark[making->stages++] = 0;
    assert(status || *stage + 1 == making->stages);
    return status;
}

/* One task of the recipe, after `list`, and after `entry` if all of these belong to other makes. */
static enum br_status make_job_add_task(struct br_making *making, uint32_t number,
                                        const struct br_make_part *part,
                                        const struct br_make_list *list,
                                        const struct br_make_list *entry, uint32_t first,
                                        uint32_t *stage)
{
    const struct br_make_recipe *recipe = &making->make->recipe[number];
    struct br_pos pos = {recipe->line, 1};
    char *script = br_making_write_script(making, recipe, part);
    bool inside = false;
    enum br_status status = BR_OK;
    assert(number < making->make->recipes && making->path[number]);
    if (!script)
        return br_fail_memory(making->diag);
    if (!br_text_is_lines(script))
        status = br_fail_at(making->diag, pos, BR_BAD_INPUT, NULL,
                            "the recipe of '%.200s' holds control characters", recipe->target);
    else if (strstr(script, "{index}"))
        status =
            br_fail_at(making->diag, pos, BR_BAD_INPUT, "put it into a script",
                       "the recipe of '%.200s' holds {index}, which jobs replace", recipe->target);
    if (!status)
        status =
            make_job_add_stage(making, making->path[number], part->lines ? preset_ns : 0, stage);
    if (!status) {
        br_dag_set_stage_pos(making->dag, *stage, pos);
        making->report->commands++;
        status = br_dag_set_command(making->dag, *stage, script, making->diag);
    }
    if (!status && part->lines)
        status = br_read_command_demands(making->dag, *stage, making->options->demand,
                                         making->options->machine, script, &making->report->wide,
                                         making->diag);
    for (uint32_t k = 0; k < list->count && !status; k++) {
        inside |= list->stage[k] >= first;
        status = make_job_add_edge(making, list->stage[k], *stage);
    }
    for (uint32_t k = 0; k < entry->count && !inside && !status; k++)
        status = make_job_add_edge(making, entry->stage[k], *stage);
    free(script);
    return status;
}

/* ---- Recipes and makes ---- */

static enum br_status add_level(struct br_making *making, uint32_t number,
                                const struct br_make_list *entry);

/* The tasks from `first` on for which none waits. */
static enum br_status replace_by_ends(struct br_making *making, uint32_t first,
                                      struct br_make_list *list)
{
    assert(first <= making->stages);
    if (first == making->stages)
        return BR_OK; /* that make does nothing */
    list->count = 0;
    for (uint32_t k = first; k < making->stages; k++)
        if (!making->leads[k] && !br_make_list_add(list, k))
            return br_fail_memory(making->diag);
    assert(list->count > 0);
    return BR_OK;
}

/* The parts of a recipe in order, with the tasks of the makes that it calls between them. The next
 * part waits for `list`. */
static enum br_status add_parts(struct br_making *making, uint32_t number, uint32_t first,
                                const struct br_make_list *entry, struct br_make_list *list)
{
    struct br_make *make = making->make;
    struct br_make_recipe *recipe = &make->recipe[number];
    uint32_t from = recipe->first, stage = BR_MAKE_NONE;
    enum br_status status = BR_OK;
    for (uint32_t k = from; k != BR_MAKE_NONE && !making->options->whole && !status;
         k = make->item[k].next) {
        const struct br_make_item *item = &make->item[k];
        if (item->kind != BR_MAKE_LEVEL) {
            /* The rest of a part that calls make comes after that make. */
            if (!item->calls || from == k)
                continue;
            struct br_make_part part = br_making_count_lines(making, from, k);
            from = k;
            if (!part.lines)
                continue;
            status = make_job_add_task(making, number, &part, list, entry, first, &stage);
            list->count = 0;
            if (!status && !br_make_list_add(list, stage))
                status = br_fail_memory(making->diag);
            continue;
        }
        bool inside = false;
        for (uint32_t j = 0; j < list->count; j++)
            inside |= list->stage[j] >= first;
        for (uint32_t j = 0; j < entry->count && !inside && !status; j++)
            status = br_make_list_add(list, entry->stage[j]) ? BR_OK : br_fail_memory(making->diag);
        uint32_t before = making->stages;
        if (!status)
            status = add_level(making, item->level, list);
        if (!status)
            status = replace_by_ends(making, before, list);
    }
    struct br_make_part part = br_making_count_lines(making, from, BR_MAKE_NONE);
    if (!status)
        status = make_job_add_task(making, number, &part, list, entry, first, &stage);
    recipe->stage = stage;
    return status;
}

static void count_calls(struct br_making *making, uint32_t number)
{
    const struct br_make_recipe *recipe = &making->make->recipe[number];
    bool calls = br_make_calls(making->make, number), beside = false;
    for (uint32_t k = recipe->first; k != BR_MAKE_NONE; k = making->make->item[k].next) {
        const struct br_make_item *item = &making->make->item[k];
        beside |= item->calls && !br_make_is_call(item->text);
    }
    making->report->makes += calls;
    making->report->beside += calls && beside;
    making->report->whole += calls && making->options->whole;
}

static enum br_status check_lines(struct br_making *making, uint32_t number)
{
    struct br_make *make = making->make;
    const struct br_make_recipe *recipe = &make->recipe[number];
    struct br_pos pos = {recipe->line, 1};
    if (!br_make_sort_lines(make, number))
        return br_fail_at(
            making->diag, pos, BR_BAD_INPUT,
            "give --whole, or let make build it while 'bigrocks serve' "
            "says when: CC='bigrocks-admit gcc'",
            "commands cannot be told from output in what the recipe of '%.200s' prints",
            recipe->target);
    for (uint32_t k = recipe->first; k != BR_MAKE_NONE && !making->options->whole;
         k = make->item[k].next)
        if (make->item[k].kind == BR_MAKE_LINE && make->item[k].calls &&
            !br_make_is_call(make->item[k].text) && !br_make_is_bare(make->item[k].text))
            return br_fail_at(making->diag, pos, BR_BAD_INPUT, "give --whole",
                              "the recipe of '%.200s' does more than call make, by its path",
                              recipe->target);
    return BR_OK;
}

/* Has another make said that it builds this very file? It is not built twice. */
static uint32_t built_by(const struct br_making *making, uint32_t number)
{
    const struct br_make_recipe *recipe = &making->make->recipe[number];
    if (recipe->entry != BR_MAKE_NONE && making->make->entry[recipe->entry].phony)
        return BR_MAKE_NONE;
    uint32_t other = br_making_find_file(making, making->path[number]);
    return other != BR_MAKE_NONE && making->make->recipe[other].level != recipe->level
               ? other
               : BR_MAKE_NONE;
}

static enum br_status make_job_add_recipe(struct br_making *making, uint32_t number, uint32_t first,
                                          const struct br_make_list *entry,
                                          const struct br_make_list *previous)
{
    struct br_make *make = making->make;
    struct br_make_recipe *recipe = &make->recipe[number];
    assert(recipe->stage == BR_MAKE_NONE);
    struct br_make_list list = {0};
    char *path = br_making_path(make->level[recipe->level].folder, recipe->target);
    if (!path)
        return br_fail_memory(making->diag);
    making->path[number] = br_arena_text(&make->arena, path);
    free(path);
    if (!making->path[number])
        return br_fail_memory(making->diag);
    uint32_t other = built_by(making, number);
    if (other != BR_MAKE_NONE) {
        recipe->stage = make->recipe[other].stage;
        return BR_OK;
    }
    enum br_status status = check_lines(making, number);
    if (!status)
        count_calls(making, number);
    if (!status)
        status = br_making_find_parents(making, recipe, &list);
    for (uint32_t k = 0; k < previous->count && !status; k++)
        status = br_make_list_add(&list, previous->stage[k]) ? BR_OK : br_fail_memory(making->diag);
    if (!status)
        status = add_parts(making, number, first, entry, &list);
    free(list.stage);
    bool phony = recipe->entry != BR_MAKE_NONE && make->entry[recipe->entry].phony;
    if (!status && !phony && br_making_find_file(making, making->path[number]) == BR_MAKE_NONE &&
        !br_index_add(&making->files, &br_making_files, making, number))
        status = br_fail_memory(making->diag);
    return status;
}

/* The tasks of one make; those that wait for no other of it wait for `entry`. */
static enum br_status add_level(struct br_making *making, uint32_t number,
                                const struct br_make_list *entry)
{
    struct br_make *make = making->make;
    const struct br_make_level *level = &make->level[number];
    uint32_t first = making->stages, last = BR_MAKE_NONE;
    enum br_status status = BR_OK;
    for (uint32_t r = level->first_recipe; r != BR_MAKE_NONE && !status; r = make->recipe[r].next) {
        uint32_t before = level->serial ? last : BR_MAKE_NONE;
        uint32_t stage = before == BR_MAKE_NONE ? BR_MAKE_NONE : make->recipe[before].stage;
        const struct br_make_list previous = {&stage, stage != BR_MAKE_NONE, 1};
        status = make_job_add_recipe(making, r, first, entry, &previous);
        last = r;
    }
    return status;
}

static enum br_status make_job_fill(struct br_making *making)
{
    struct br_make *make = making->make;
    const struct br_make_list none = {0};
    char *top = br_making_path(make->level[0].folder, "");
    making->top = top ? br_arena_text(&make->arena, top) : NULL;
    free(top);
    making->path = br_arena_array(&make->arena, (size_t)make->recipes + 1, sizeof *making->path);
    /* Each statement of a target is looked through at most once per task. */
    making->stack = br_arena_array(&make->arena, (size_t)make->entries + 1, sizeof *making->stack);
    if (!making->top || !making->path || !making->stack)
        return br_fail_memory(making->diag);
    if (!make->recipes)
        return br_fail(making->diag, BR_NO, NULL, "nothing is out of date");
    if (!br_making_find_waits(making))
        return br_fail_memory(making->diag);
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < make->levels && !status; k++)
        if (make->level[k].depth == make->level[0].depth)
            status = add_level(making, k, &none);
    assert(status || making->report->commands == making->dag->stages);
    if (!status)
        status = br_making_doubt_order(making);
    if (!status)
        status = br_dag_add_attribute(making->dag, BR_OWNER_JOB, 0, "shell", "true", making->diag);
    return status ? status : br_dag_finish(making->dag, making->diag);
}

static enum br_status parsers_make_job(struct br_making *making, const char *path)
{
    const char *folder = making->make->level[0].folder;
    making->dag = br_dag_create(*folder && br_text_is_plain(folder) ? folder : "build");
    if (!making->dag)
        return br_fail_memory(making->diag);
    enum br_status status =
        making->options->own ? BR_OK : br_dag_set_source(making->dag, path, making->diag);
    return status ? status : make_job_fill(making);
}

enum br_status br_parse_make(const char *path, const struct br_make_options *options,
                             struct br_input *input, struct br_make_report *report,
                             struct br_diag *diag)
{
    struct br_source source;
    struct br_make make;
    char *text;
    input->dag = NULL;
    *report = (struct br_make_report){0};
    enum br_status status = br_source_open(&source, path, diag);
    if (status)
        return status;
    status = br_source_text(&source, TEXT_LIMIT, "output of make", &text, diag);
    br_source_close(&source);
    if (options->own)
        br_diag_file(diag, NULL);
    if (!status)
        status = br_make_read(&make, text, diag);
    if (status)
        return status;
    struct br_making making = {.make = &make, .options = options, .report = report, .diag = diag};
    status = parsers_make_job(&making, path);
    if (!status) {
        input->dag = making.dag;
        br_diag_file(diag, NULL);
    } else {
        br_dag_destroy(making.dag);
    }
    free(making.leads);
    free(making.mark);
    br_index_finish(&making.files);
    br_make_finish(&make);
    return status;
}
