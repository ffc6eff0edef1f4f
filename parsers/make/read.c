/* The output of `make -n -p -w --trace`, line by line. Each make that a recipe calls prints between
 * two lines of its own that name its folder and depth; its database comes at its end, right before
 * the second of them. */
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/make/build.h"
#include "parsers/make/make.h"

enum { DEEPEST = 64 };
enum place { OUTPUT, VARIABLES, DEFINITION, TARGETS };

struct reading {
    struct br_make *make;
    struct br_diag *diag;
    uint32_t stack[DEEPEST], depth; /* levels that are open */
    uint32_t recipe[DEEPEST];       /* of each, that prints */
    enum place place;
    uint32_t entry;    /* of the database that goes on; NONE: none */
    bool not_a_target; /* the next entry is none but a file */
    bool continued;    /* the last line of output ends with a backslash */
    uint32_t line;
    uint32_t first_variable;
};

struct key {
    uint32_t level;
    const char *name;
};

static uint64_t hash_key(uint32_t level, const char *name)
{
    return br_hash_number(br_hash_text(name) ^ level);
}

static uint64_t hash_entry(const void *context, uint32_t number)
{
    const struct br_make_entry *it = &((const struct br_make *)context)->entry[number];
    return hash_key(it->level, it->name);
}

static bool is_entry(const void *context, uint32_t number, const void *wanted)
{
    const struct br_make_entry *it = &((const struct br_make *)context)->entry[number];
    const struct key *key = wanted;
    return it->level == key->level && strcmp(it->name, key->name) == 0;
}

static const struct br_index_keys entry_keys = {hash_entry, is_entry};

uint32_t br_make_find(const struct br_make *make, uint32_t level, const char *name)
{
    const struct key key = {level, name};
    return br_index_find(&make->by_name, &entry_keys, make, &key, hash_key(level, name));
}

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static uint32_t top(const struct reading *reading)
{
    return reading->depth ? reading->stack[reading->depth - 1] : BR_MAKE_NONE;
}

/* ---- Words of make itself ---- */

/* "make: ", "make[2]: ": what follows, and the depth; NULL where the line does not begin so. */
static char *after_name(char *line, uint32_t *depth)
{
    char *at = line + strcspn(line, " :[");
    *depth = 0;
    if (at - line < 4 || strncmp(at - 4, "make", 4) != 0)
        return NULL;
    if (*at == '[') {
        *depth = (uint32_t)strtoul(at + 1, &at, 10);
        at += *at == ']';
    }
    return at[0] == ':' && at[1] == ' ' ? at + 2 : NULL;
}

/* The text between the quotes, cut out; NULL where there are none. */
static char *quoted(char *text)
{
    char *begin = strchr(text, '\''), *end = strrchr(text, '\'');
    if (!begin || end == begin)
        return NULL;
    *end = '\0';
    return begin + 1;
}

static enum br_status enter(struct reading *reading, char *words, uint32_t depth)
{
    struct br_make *make = reading->make;
    char *folder = quoted(words);
    while (reading->depth && make->level[top(reading)].depth >= depth)
        reading->depth--; /* one that was started anew says no good-bye */
    if (!folder || reading->depth == DEEPEST)
        return br_fail_at(reading->diag, ((struct br_pos){reading->line, 1}), BR_BAD_INPUT, NULL,
                          "makes call makes more than %d deep", DEEPEST);
    if (!br_grow(&make->level, make->levels, &make->level_room, sizeof *make->level))
        return br_fail_memory(reading->diag);
    make->level[make->levels] =
        (struct br_make_level){.folder = folder,
                               .shell = "/bin/sh",
                               .flags = "-c",
                               .depth = depth,
                               .first_recipe = BR_MAKE_NONE,
                               .last_recipe = BR_MAKE_NONE,
                               .first_variable = reading->first_variable,
                               .variables = make->variables - reading->first_variable};
    uint32_t parent = top(reading);
    uint32_t recipe = parent == BR_MAKE_NONE ? BR_MAKE_NONE : reading->recipe[reading->depth - 1];
    if (recipe != BR_MAKE_NONE) {
        struct br_make_recipe *caller = &make->recipe[recipe];
        if (!br_grow(&make->item, make->items, &make->item_room, sizeof *make->item))
            return br_fail_memory(reading->diag);
        make->item[make->items] = (struct br_make_item){
            .kind = BR_MAKE_LEVEL, .level = make->levels, .next = BR_MAKE_NONE};
        if (caller->last == BR_MAKE_NONE)
            caller->first = make->items;
        else
            make->item[caller->last].next = make->items;
        caller->last = make->items++;
    }
    reading->stack[reading->depth] = make->levels++;
    reading->recipe[reading->depth++] = BR_MAKE_NONE;
    reading->first_variable = make->variables;
    return BR_OK;
}

/* ---- What it would do ---- */

/* "FILE:LINE: target 'T' does not exist", "FILE:LINE: update target 'T' due to: ..." */
static char *traced(char *line)
{
    static const char *const end[] = {"' does not exist", "' due to: "};
    char *words = strstr(line, ": target '"), *update = strstr(line, ": update target '");
    if (update && (!words || update < words))
        words = update;
    if (!words || words == line)
        return NULL;
    const char *before = words;
    while (before > line && before[-1] >= '0' && before[-1] <= '9')
        before--;
    bool numbered = *before >= '0' && *before <= '9' && before > line + 1 && before[-1] == ':';
    if (!numbered && !begins(line, "<builtin>:"))
        return NULL;
    char *target = strchr(words, '\'') + 1;
    for (int k = 0; k < 2; k++) {
        char *stop = strstr(target, end[k]);
        if (stop && (k == 1 || stop[strlen(end[k])] == '\0')) {
            *stop = '\0';
            return target;
        }
    }
    return NULL;
}

static enum br_status add_recipe(struct reading *reading, const char *target)
{
    struct br_make *make = reading->make;
    struct br_make_level *level = &make->level[top(reading)];
    if (!br_grow(&make->recipe, make->recipes, &make->recipe_room, sizeof *make->recipe))
        return br_fail_memory(reading->diag);
    make->recipe[make->recipes] = (struct br_make_recipe){.level = top(reading),
                                                          .target = target,
                                                          .first = BR_MAKE_NONE,
                                                          .last = BR_MAKE_NONE,
                                                          .entry = BR_MAKE_NONE,
                                                          .next = BR_MAKE_NONE,
                                                          .line = reading->line,
                                                          .stage = BR_MAKE_NONE};
    if (level->last_recipe == BR_MAKE_NONE)
        level->first_recipe = make->recipes;
    else
        make->recipe[level->last_recipe].next = make->recipes;
    level->last_recipe = make->recipes;
    reading->recipe[reading->depth - 1] = make->recipes++;
    return BR_OK;
}

static bool ends_open(const char *line)
{
    size_t size = strlen(line), slashes = 0;
    while (slashes < size && line[size - 1 - slashes] == '\\')
        slashes++;
    return slashes % 2;
}

/* A line of the recipe that prints; the lines of the text that it goes on over are joined again. */
static enum br_status add_line(struct reading *reading, char *line)
{
    struct br_make *make = reading->make;
    uint32_t number = reading->depth ? reading->recipe[reading->depth - 1] : BR_MAKE_NONE;
    bool goes_on = reading->continued;
    reading->continued = ends_open(line);
    if (goes_on) {
        line[-1] = '\n';
        return BR_OK;
    }
    if (number == BR_MAKE_NONE || !*line)
        return BR_OK; /* what a Makefile prints while it is read */
    struct br_make_recipe *recipe = &make->recipe[number];
    if (!br_grow(&make->item, make->items, &make->item_room, sizeof *make->item))
        return br_fail_memory(reading->diag);
    make->item[make->items] =
        (struct br_make_item){.kind = BR_MAKE_LINE, .text = line, .next = BR_MAKE_NONE};
    if (recipe->last == BR_MAKE_NONE)
        recipe->first = make->items;
    else
        make->item[recipe->last].next = make->items;
    recipe->last = make->items++;
    return BR_OK;
}

static enum br_status add_variable(struct reading *reading, char *text)
{
    struct br_make *make = reading->make;
    for (char *at = text; *at; at++)
        if (*at == BR_MAKE_NEWLINE)
            *at = '\n';
    if (!br_grow(&make->variable, make->variables, &make->variable_room, sizeof *make->variable))
        return br_fail_memory(reading->diag);
    make->variable[make->variables++] = text;
    return BR_OK;
}

static enum br_status read_output(struct reading *reading, char *line)
{
    uint32_t depth;
    char *words, *target;
    if (reading->continued)
        return add_line(reading, line);
    if (*line == BR_MAKE_VARIABLE)
        return add_variable(reading, line + 1);
    if (reading->depth && begins(line, "# GNU Make ")) {
        reading->place = VARIABLES;
        reading->make->level[top(reading)].told = true;
        return BR_OK;
    }
    if ((words = after_name(line[0] == '#' && line[1] == ' ' ? line + 2 : line, &depth))) {
        if (begins(words, "Entering directory "))
            return enter(reading, words, depth);
        if (begins(words, "Leaving directory ") && reading->depth)
            reading->depth--;
        return BR_OK;
    }
    if (reading->depth && (target = traced(line)))
        return add_recipe(reading, target);
    return add_line(reading, line);
}

/* ---- The database ---- */

static void read_variable(struct reading *reading, char *line)
{
    struct br_make_level *level = &reading->make->level[top(reading)];
    char *value = strstr(line, "= ");
    if (begins(line, "define ")) {
        reading->place = DEFINITION;
    } else if (value && !strchr(value, '$')) {
        if (begins(line, "SHELL ") && value[2])
            level->shell = value + 2;
        else if (begins(line, ".SHELLFLAGS ") && value[2])
            level->flags = value + 2;
    }
}

static enum br_status add_names(struct reading *reading, char *text, uint32_t *count)
{
    struct br_make *make = reading->make;
    for (char *rest = NULL, *word = strtok_r(text, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "|") == 0)
            continue;
        if (!br_grow(&make->name, make->names, &make->name_room, sizeof *make->name))
            return br_fail_memory(reading->diag);
        make->name[make->names++] = word;
        ++*count;
    }
    return BR_OK;
}

/* "TARGET: A B | C", "TARGET:: A B" */
static enum br_status add_entry(struct reading *reading, char *line)
{
    struct br_make *make = reading->make;
    struct br_make_level *level = &make->level[top(reading)];
    char *colon = strstr(line, ": ");
    bool is_target = !reading->not_a_target;
    reading->not_a_target = false;
    if (!colon && *line && line[strlen(line) - 1] == ':')
        colon = line + strlen(line) - 1;
    if (!colon || colon == line)
        return BR_OK;
    char *names = colon + 1;
    if (colon[-1] == ':')
        colon--;
    *colon = '\0';
    level->serial |= is_target && strcmp(line, ".NOTPARALLEL") == 0;
    level->one_shell |= is_target && strcmp(line, ".ONESHELL") == 0;
    level->delete_on_error |= is_target && strcmp(line, ".DELETE_ON_ERROR") == 0;
    if (!br_grow(&make->entry, make->entries, &make->entry_room, sizeof *make->entry))
        return br_fail_memory(reading->diag);
    struct br_make_entry *entry = &make->entry[make->entries];
    *entry = (struct br_make_entry){.level = top(reading),
                                    .name = line,
                                    .first_name = make->names,
                                    .next = BR_MAKE_NONE,
                                    .recipe = BR_MAKE_NONE};
    uint32_t first = br_make_find(make, entry->level, line);
    reading->entry = make->entries++;
    if (first == BR_MAKE_NONE) {
        if (!br_index_add(&make->by_name, &entry_keys, make, reading->entry))
            return br_fail_memory(reading->diag);
    } else {
        while (make->entry[first].next != BR_MAKE_NONE)
            first = make->entry[first].next;
        make->entry[first].next = reading->entry;
    }
    return add_names(reading, names, &entry->names);
}

static enum br_status read_target(struct reading *reading, char *line)
{
    static const char also[] = "#  Also makes:";
    struct br_make *make = reading->make;
    struct br_make_entry *entry =
        reading->entry == BR_MAKE_NONE ? NULL : &make->entry[reading->entry];
    if (!*line) {
        reading->entry = BR_MAKE_NONE;
        reading->not_a_target = false;
    } else if (*line == '\t') {
        if (entry && entry->text)
            line[-1] = '\n';
        else if (entry)
            entry->text = line;
    } else if (*line != '#') {
        if (!entry)
            return add_entry(reading, line);
        if (entry->text) /* the prefix of recipes is another */
            line[-1] = '\n';
    } else if (strcmp(line, "# Not a target:") == 0) {
        reading->not_a_target = true;
    } else if (entry && begins(line, "#  Phony target")) {
        entry->phony = true;
    } else if (entry && begins(line, "#  File is an intermediate prerequisite")) {
        entry->intermediate = true;
    } else if (entry && begins(line, also)) {
        entry->first_also = make->names;
        return add_names(reading, line + strlen(also), &entry->also);
    }
    return BR_OK;
}

static enum br_status read_line(struct reading *reading, char *line)
{
    if (reading->place == OUTPUT)
        return read_output(reading, line);
    if (begins(line, "# Finished Make data base")) {
        reading->place = OUTPUT;
        reading->entry = BR_MAKE_NONE;
        return BR_OK;
    }
    if (reading->place == DEFINITION) {
        if (strcmp(line, "endef") == 0)
            reading->place = VARIABLES;
    } else if (strcmp(line, "# Files") == 0) {
        reading->place = TARGETS;
    } else if (begins(line, "# files hash-table stats")) {
        reading->place = VARIABLES;
    } else if (reading->place == TARGETS) {
        return read_target(reading, line);
    } else {
        read_variable(reading, line);
    }
    return BR_OK;
}

/* ---- The whole ---- */

/* Each recipe's entry, and each entry's recipe, also of what a recipe makes besides. */
static void join(struct br_make *make)
{
    for (uint32_t r = 0; r < make->recipes; r++) {
        struct br_make_recipe *recipe = &make->recipe[r];
        uint32_t e = br_make_find(make, recipe->level, recipe->target);
        while (e != BR_MAKE_NONE && make->entry[e].recipe != BR_MAKE_NONE)
            e = make->entry[e].next; /* the statements of "::" in their order */
        recipe->entry = e;
        if (e == BR_MAKE_NONE)
            continue;
        struct br_make_entry *entry = &make->entry[e];
        entry->recipe = r;
        for (uint32_t k = 0; k < entry->also; k++) {
            uint32_t other = br_make_find(make, recipe->level, make->name[entry->first_also + k]);
            if (other != BR_MAKE_NONE && make->entry[other].recipe == BR_MAKE_NONE)
                make->entry[other].recipe = r;
        }
    }
}

enum br_status br_make_read(struct br_make *make, char *text, struct br_diag *diag)
{
    *make = (struct br_make){.text = text};
    struct reading reading = {.make = make, .diag = diag, .entry = BR_MAKE_NONE};
    enum br_status status = BR_OK;
    for (char *line = text, *end; *line && !status; line = end) {
        reading.line++;
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        else
            end = line + strlen(line);
        status = read_line(&reading, line);
    }
    for (uint32_t k = 0; k < make->levels && !status; k++)
        if (!make->level[k].told)
            status = br_fail(diag, BR_BAD_INPUT, "'make -n -p -w --trace' prints it",
                             "the make in '%.200s' prints no database", make->level[k].folder);
    if (!status && !make->levels)
        status = br_fail(diag, BR_BAD_INPUT, "'make -n -p -w --trace' prints it",
                         "this is not what make prints of what it would do");
    if (status)
        br_make_finish(make);
    else
        join(make);
    return status;
}

void br_make_finish(struct br_make *make)
{
    free(make->level);
    free(make->entry);
    free(make->recipe);
    free(make->item);
    free(make->name);
    free(make->variable);
    free(make->text);
    br_index_finish(&make->by_name);
    br_arena_finish(&make->arena);
    *make = (struct br_make){0};
}
