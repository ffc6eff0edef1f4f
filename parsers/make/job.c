/* A job of what make would do. A recipe is a task, named by its target as seen from the folder of
 * the first make, and waits for the recipes of its prerequisites; what has none, or is up to date,
 * is looked through. A recipe that calls make is divided at each call: the tasks of that make wait
 * for what comes before, and what comes after waits for them. All edges go from what make prints
 * first to what it prints later, so there are no circles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/collections/grow.h"
#include "base/text/shell.h"
#include "base/text/text.h"
#include "parsers/make/build.h"
#include "parsers/make/make.h"
#include "parsers/reader/demand.h"
#include "parsers/text/source.h"

enum { TEXT_LIMIT = 1 << 30 };
static const int64_t preset_ns = INT64_C(1000000000);

/* Tasks that other tasks wait for. */
struct list {
    uint32_t *stage;
    uint32_t count, room;
};

struct making {
    struct br_make *make;
    const struct br_make_options *options;
    struct br_make_report *report;
    struct br_dag *dag;
    struct br_diag *diag;
    const char *top;       /* folder of the first make */
    struct br_index files; /* recipes by path, the first of each */
    char **path;           /* by recipe; of the arena */
    bool *leads;           /* by stage: another waits for it */
    uint32_t *mark;        /* by stage: 1 + the stage that waits for it */
    uint32_t stages, leads_room, mark_room;
    uint32_t *stack; /* entries */
    uint32_t visit;  /* of entries */
};

/* ---- Files ---- */

/* Shortens the path in place: no "//", no "./", no "x/../". */
static void shorten(char *path)
{
    char *to = path;
    for (char *from = path; *from;) {
        from += strspn(from, "/");
        size_t n = strcspn(from, "/");
        if (n == 2 && from[0] == '.' && from[1] == '.') {
            while (to > path && *--to != '/')
                ;
        } else if (n && !(n == 1 && *from == '.')) {
            *to++ = '/';
            memmove(to, from, n);
            to += n;
        }
        from += n;
    }
    *to = '\0';
}

/* The absolute path of a name in a folder; the caller's to free. */
static char *path_of(const char *folder, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", *name == '/' ? "" : folder, name) < 0)
        return NULL;
    shorten(path);
    return path;
}

static uint64_t hash_file(const void *context, uint32_t number)
{
    return br_hash_text(((const struct making *)context)->path[number]);
}

static bool is_file(const void *context, uint32_t number, const void *path)
{
    return strcmp(((const struct making *)context)->path[number], path) == 0;
}

static const struct br_index_keys file_keys = {hash_file, is_file};

static uint32_t find_file(const struct making *making, const char *path)
{
    return br_index_find(&making->files, &file_keys, making, path, br_hash_text(path));
}

/* ---- Edges ---- */

static enum br_status add_edge(struct making *making, uint32_t parent, uint32_t child)
{
    if (parent >= child || making->mark[parent] == child + 1)
        return BR_OK;
    making->mark[parent] = child + 1;
    making->leads[parent] = true;
    return br_dag_add_edge(making->dag, parent, child, BR_BARRIER, making->diag);
}

static bool add_to(struct list *list, uint32_t stage)
{
    if (!br_grow(&list->stage, list->count, &list->room, sizeof *list->stage))
        return false;
    list->stage[list->count++] = stage;
    return true;
}

/* The task of a name that another level makes. */
static enum br_status look_at_file(struct making *making, uint32_t level, const char *name,
                                   struct list *list)
{
    char *path = path_of(making->make->level[level].folder, name);
    if (!path)
        return br_fail_memory(making->diag);
    uint32_t recipe = find_file(making, path);
    free(path);
    uint32_t stage = recipe == BR_MAKE_NONE ? BR_MAKE_NONE : making->make->recipe[recipe].stage;
    return stage == BR_MAKE_NONE || add_to(list, stage) ? BR_OK : br_fail_memory(making->diag);
}

/* What the recipe waits for: the tasks of its prerequisites. */
static enum br_status find_parents(struct making *making, const struct br_make_recipe *recipe,
                                   struct list *list)
{
    struct br_make *make = making->make;
    uint32_t depth = 0;
    making->visit++;
    if (recipe->entry != BR_MAKE_NONE)
        making->stack[depth++] = recipe->entry;
    while (depth) {
        const struct br_make_entry *entry = &make->entry[making->stack[--depth]];
        for (uint32_t k = 0; k < entry->names; k++) {
            const char *name = make->name[entry->first_name + k];
            uint32_t e = br_make_find(make, entry->level, name);
            bool made = false;
            for (; e != BR_MAKE_NONE; e = make->entry[e].next) {
                struct br_make_entry *next = &make->entry[e];
                if (next->seen == making->visit)
                    continue;
                next->seen = making->visit;
                uint32_t stage =
                    next->recipe == BR_MAKE_NONE ? BR_MAKE_NONE : make->recipe[next->recipe].stage;
                made |= stage != BR_MAKE_NONE;
                if (stage == BR_MAKE_NONE)
                    making->stack[depth++] = e;
                else if (!add_to(list, stage))
                    return br_fail_memory(making->diag);
            }
            enum br_status status = made ? BR_OK : look_at_file(making, entry->level, name, list);
            if (status)
                return status;
        }
    }
    return BR_OK;
}

/* ---- Scripts ---- */

static bool is_default(const struct br_make_level *level)
{
    return strcmp(level->shell, "/bin/sh") == 0 && strcmp(level->flags, "-c") == 0;
}

static void write_environment(const struct making *making, const struct br_make_level *level,
                              FILE *out)
{
    for (uint32_t k = 0; k < level->variables; k++) {
        const char *text = making->make->variable[level->first_variable + k];
        const char *value = strchr(text, '=');
        if (!value)
            continue;
        fprintf(out, "export %.*s=", (int)(value - text), text);
        br_shell_write(out, value + 1);
        fputc('\n', out);
    }
}

/* The recipe's own shell gets the line as one word. False when memory is out. */
static bool write_call(const struct br_make_level *level, const char *line, bool silenced,
                       FILE *out)
{
    static const char mute[] = "make() { :; }; gmake() { :; }\n";
    char *text = NULL;
    fprintf(out, "%s %s ", level->shell, level->flags);
    if (silenced && asprintf(&text, "%s%s", mute, line) < 0)
        return false;
    br_shell_write(out, silenced ? text : line);
    free(text);
    return true;
}

/* A part of a recipe: items from `first` up to `end`, which calls make, or is none. */
struct part {
    uint32_t first, end;
    uint32_t lines;
    const char *only;
};

static bool is_told(const struct making *making, const struct br_make_item *item)
{
    return item->kind == BR_MAKE_LINE && !item->noise &&
           !(item->calls && !making->options->whole && br_make_is_call(item->text));
}

static struct part count_lines(const struct making *making, uint32_t first, uint32_t end)
{
    struct part part = {.first = first, .end = end};
    for (uint32_t k = first; k != end; k = making->make->item[k].next) {
        const struct br_make_item *item = &making->make->item[k];
        if (!is_told(making, item))
            continue;
        part.lines++;
        part.only = item->calls || item->ignored ? NULL : item->text;
    }
    return part;
}

/* With .ONESHELL all lines are one call, whose failure does not count where the first has a '-'. */
static bool write_together(const struct making *making, const struct br_make_level *level,
                           const struct part *part, const char *failed, FILE *out)
{
    const struct br_make_item *first = NULL;
    bool calls = false;
    char *text = NULL;
    size_t size;
    FILE *all = open_memstream(&text, &size);
    if (!all)
        return false;
    for (uint32_t k = part->first; k != part->end; k = making->make->item[k].next) {
        const struct br_make_item *item = &making->make->item[k];
        if (!is_told(making, item))
            continue;
        fprintf(all, "%s%s", first ? "\n" : "", item->text);
        first = first ? first : item;
        calls |= item->calls;
    }
    bool good = fclose(all) == 0;
    good = good && write_call(level, text, calls && !making->options->whole, out);
    fprintf(out, " || %s", first && first->ignored ? ":" : failed);
    free(text);
    return good;
}

static bool write_lines(const struct making *making, const struct br_make_level *level,
                        const struct part *part, const char *failed, FILE *out)
{
    uint32_t left = part->lines;
    for (uint32_t k = part->first; k != part->end; k = making->make->item[k].next) {
        const struct br_make_item *item = &making->make->item[k];
        if (!is_told(making, item))
            continue;
        if (!write_call(level, item->text, item->calls && !making->options->whole, out))
            return false;
        fprintf(out, " || %s", item->ignored ? ":" : failed);
        if (--left)
            fputc('\n', out);
    }
    return true;
}

/* The script of the part; the caller's to free. NULL when memory is out. */
static char *write_script(const struct making *making, const struct br_make_recipe *recipe,
                          const struct part *part)
{
    const struct br_make_level *level = &making->make->level[recipe->level];
    bool phony = recipe->entry != BR_MAKE_NONE && making->make->entry[recipe->entry].phony;
    bool removed = level->delete_on_error && !phony && part->end == BR_MAKE_NONE;
    char *text = NULL, *failed = NULL;
    size_t size, failed_size;
    FILE *out = open_memstream(&text, &size);
    FILE *failure = open_memstream(&failed, &failed_size);
    if (failure && removed) {
        fputs("{ status=$?; rm -f ", failure);
        br_shell_write(failure, recipe->target);
        fputs("; exit $status; }", failure);
    } else if (failure) {
        fputs("exit", failure);
    }
    bool good = failure && fclose(failure) == 0;
    if (out && good && part->lines) {
        fputs("cd ", out);
        br_shell_write(out, level->folder);
        fputs(" || exit\n", out);
        write_environment(making, level, out);
        if (part->lines == 1 && part->only && is_default(level) && !removed)
            fputs(part->only, out);
        else if (level->one_shell)
            good = write_together(making, level, part, failed, out);
        else
            good = write_lines(making, level, part, failed, out);
    } else if (out) {
        fputc(':', out);
    }
    good = out && fclose(out) == 0 && good;
    free(failed);
    if (good)
        return text;
    free(text);
    return NULL;
}

/* ---- Tasks ---- */

/* The name of the target as seen from the top; with a number where it was used before. */
static enum br_status add_stage(struct making *making, const char *path, int64_t duration_ns,
                                uint32_t *stage)
{
    size_t n = strlen(making->top);
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
    return status;
}

/* One task of the recipe, after `list`, and after `entry` where all of these are of other makes. */
static enum br_status add_task(struct making *making, uint32_t number, const struct part *part,
                               const struct list *list, const struct list *entry, uint32_t first,
                               uint32_t *stage)
{
    const struct br_make_recipe *recipe = &making->make->recipe[number];
    struct br_pos pos = {recipe->line, 1};
    char *script = write_script(making, recipe, part);
    bool inside = false;
    enum br_status status = BR_OK;
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
        status = add_stage(making, making->path[number], part->lines ? preset_ns : 0, stage);
    if (!status) {
        br_dag_set_stage_pos(making->dag, *stage, pos);
        making->report->commands++;
        status = br_dag_set_command(making->dag, *stage, script, making->diag);
    }
    if (!status && part->lines)
        status = br_read_demands(making->dag, *stage, making->options->demand, making->diag);
    for (uint32_t k = 0; k < list->count && !status; k++) {
        inside |= list->stage[k] >= first;
        status = add_edge(making, list->stage[k], *stage);
    }
    for (uint32_t k = 0; k < entry->count && !inside && !status; k++)
        status = add_edge(making, entry->stage[k], *stage);
    free(script);
    return status;
}

/* ---- Recipes and makes ---- */

static enum br_status add_level(struct making *making, uint32_t number, const struct list *entry);

/* The tasks from `first` on that none waits for. */
static enum br_status replace_by_ends(struct making *making, uint32_t first, struct list *list)
{
    if (first == making->stages)
        return BR_OK; /* that make does nothing */
    list->count = 0;
    for (uint32_t k = first; k < making->stages; k++)
        if (!making->leads[k] && !add_to(list, k))
            return br_fail_memory(making->diag);
    return BR_OK;
}

/* The parts of a recipe in their order, with the tasks of the makes that it calls between them.
 * `list` is what the next part waits for. */
static enum br_status add_parts(struct making *making, uint32_t number, uint32_t first,
                                const struct list *entry, struct list *list)
{
    struct br_make *make = making->make;
    struct br_make_recipe *recipe = &make->recipe[number];
    uint32_t from = recipe->first, stage = BR_MAKE_NONE;
    enum br_status status = BR_OK;
    for (uint32_t k = from; k != BR_MAKE_NONE && !making->options->whole && !status;
         k = make->item[k].next) {
        const struct br_make_item *item = &make->item[k];
        if (item->kind != BR_MAKE_LEVEL) {
            /* What calls make comes after it, with what it does besides. */
            if (!item->calls || from == k)
                continue;
            struct part part = count_lines(making, from, k);
            from = k;
            if (!part.lines)
                continue;
            status = add_task(making, number, &part, list, entry, first, &stage);
            list->count = 0;
            if (!status && !add_to(list, stage))
                status = br_fail_memory(making->diag);
            continue;
        }
        bool inside = false;
        for (uint32_t j = 0; j < list->count; j++)
            inside |= list->stage[j] >= first;
        for (uint32_t j = 0; j < entry->count && !inside && !status; j++)
            status = add_to(list, entry->stage[j]) ? BR_OK : br_fail_memory(making->diag);
        uint32_t before = making->stages;
        if (!status)
            status = add_level(making, item->level, list);
        if (!status)
            status = replace_by_ends(making, before, list);
    }
    struct part part = count_lines(making, from, BR_MAKE_NONE);
    if (!status)
        status = add_task(making, number, &part, list, entry, first, &stage);
    recipe->stage = stage;
    return status;
}

static void count_calls(struct making *making, uint32_t number)
{
    const struct br_make_recipe *recipe = &making->make->recipe[number];
    bool calls = false, beside = false;
    for (uint32_t k = recipe->first; k != BR_MAKE_NONE; k = making->make->item[k].next) {
        const struct br_make_item *item = &making->make->item[k];
        calls |= item->kind == BR_MAKE_LEVEL;
        beside |= item->calls && !br_make_is_call(item->text);
    }
    making->report->makes += calls;
    making->report->beside += calls && beside;
    making->report->whole += calls && making->options->whole;
}

static enum br_status check_lines(struct making *making, uint32_t number)
{
    struct br_make *make = making->make;
    const struct br_make_recipe *recipe = &make->recipe[number];
    struct br_pos pos = {recipe->line, 1};
    if (!br_make_sort_lines(make, number))
        return br_fail_at(making->diag, pos, BR_BAD_INPUT, "import the folders of its makes apart",
                          "of what the recipe of '%.200s' prints it is not known what are commands",
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

/* Has another make said to build this very file? There is no second time. */
static uint32_t built_by(const struct making *making, uint32_t number)
{
    const struct br_make_recipe *recipe = &making->make->recipe[number];
    if (recipe->entry != BR_MAKE_NONE && making->make->entry[recipe->entry].phony)
        return BR_MAKE_NONE;
    uint32_t other = find_file(making, making->path[number]);
    return other != BR_MAKE_NONE && making->make->recipe[other].level != recipe->level
               ? other
               : BR_MAKE_NONE;
}

static enum br_status add_recipe(struct making *making, uint32_t number, uint32_t first,
                                 const struct list *entry, const struct list *previous)
{
    struct br_make *make = making->make;
    struct br_make_recipe *recipe = &make->recipe[number];
    struct list list = {0};
    char *path = path_of(make->level[recipe->level].folder, recipe->target);
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
        status = find_parents(making, recipe, &list);
    for (uint32_t k = 0; k < previous->count && !status; k++)
        status = add_to(&list, previous->stage[k]) ? BR_OK : br_fail_memory(making->diag);
    if (!status)
        status = add_parts(making, number, first, entry, &list);
    free(list.stage);
    bool phony = recipe->entry != BR_MAKE_NONE && make->entry[recipe->entry].phony;
    if (!status && !phony && find_file(making, making->path[number]) == BR_MAKE_NONE &&
        !br_index_add(&making->files, &file_keys, making, number))
        status = br_fail_memory(making->diag);
    return status;
}

/* The statement of the same target before, of those with "::". */
static uint32_t twin(const struct br_make *make, uint32_t number)
{
    const struct br_make_recipe *recipe = &make->recipe[number];
    uint32_t e = recipe->entry == BR_MAKE_NONE ? BR_MAKE_NONE
                                               : br_make_find(make, recipe->level, recipe->target);
    uint32_t before = BR_MAKE_NONE;
    for (; e != BR_MAKE_NONE && e != recipe->entry; e = make->entry[e].next)
        before = make->entry[e].recipe == BR_MAKE_NONE ? before : make->entry[e].recipe;
    return before;
}

/* The tasks of one make; those that wait for no other of it wait for `entry`. */
static enum br_status add_level(struct making *making, uint32_t number, const struct list *entry)
{
    struct br_make *make = making->make;
    const struct br_make_level *level = &make->level[number];
    uint32_t first = making->stages, last = BR_MAKE_NONE;
    enum br_status status = BR_OK;
    for (uint32_t r = level->first_recipe; r != BR_MAKE_NONE && !status; r = make->recipe[r].next) {
        uint32_t before = level->serial ? last : twin(make, r);
        uint32_t stage = before == BR_MAKE_NONE ? BR_MAKE_NONE : make->recipe[before].stage;
        const struct list previous = {&stage, stage != BR_MAKE_NONE, 1};
        status = add_recipe(making, r, first, entry, &previous);
        last = r;
    }
    return status;
}

static enum br_status fill(struct making *making)
{
    struct br_make *make = making->make;
    const struct list none = {0};
    making->top = make->level[0].folder;
    making->path = br_arena_array(&make->arena, (size_t)make->recipes + 1, sizeof *making->path);
    /* A target is looked through at most once for a task, by each of its statements. */
    making->stack = br_arena_array(&make->arena, (size_t)make->entries + 1, sizeof *making->stack);
    if (!making->path || !making->stack)
        return br_fail_memory(making->diag);
    if (!make->recipes)
        return br_fail(making->diag, BR_NO, NULL, "nothing is out of date");
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < make->levels && !status; k++)
        if (make->level[k].depth == make->level[0].depth)
            status = add_level(making, k, &none);
    if (!status)
        status = br_dag_add_attribute(making->dag, BR_OWNER_JOB, 0, "shell", "true", making->diag);
    return status ? status : br_dag_finish(making->dag, making->diag);
}

static enum br_status make_job(struct making *making, const char *path)
{
    const char *slash = strrchr(making->make->level[0].folder, '/');
    making->dag = br_dag_create(slash && slash[1] && br_text_is_plain(slash) ? slash + 1 : "build");
    if (!making->dag)
        return br_fail_memory(making->diag);
    enum br_status status =
        making->options->own ? BR_OK : br_dag_set_source(making->dag, path, making->diag);
    return status ? status : fill(making);
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
    struct making making = {.make = &make, .options = options, .report = report, .diag = diag};
    status = make_job(&making, path);
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
