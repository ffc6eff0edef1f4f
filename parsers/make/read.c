/* The output of `make -n -p -w --trace --debug=basic`, line by line. Each make that a recipe calls
 * prints between two lines of its own that name its folder and depth; its database comes at its
 * end, right before the second of them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/make/build.h"
#include "parsers/make/make.h"

enum { DEEPEST = 64 };

struct reading {
    struct br_make *make;
    struct br_diag *diag;
    uint32_t stack[DEEPEST], depth;   /* open levels */
    uint32_t recipe[DEEPEST];         /* of each, that prints */
    struct br_make_database database; /* the level being read */
    bool in_database, in_header;      /* else the output */
    bool continued;                   /* the last line of the recipe ends with a backslash */
    bool expanding; /* no line belongs to a recipe: make has said which it expands, not that it runs
                       it */
    bool makefiles; /* the targets are Makefiles */
    uint32_t version; /* 100 * 4 + 3 is make 4.3; 0: not said */
    uint32_t line;
    uint32_t first_variable;
};

static uint32_t make_read_top(const struct reading *reading)
{
    return reading->depth ? reading->stack[reading->depth - 1] : BR_MAKE_NONE;
}

/* ---- Words of make itself ---- */

/* "make: ", "make[2]: ": the rest, and the depth; NULL if the line does not begin so. */
static char *after_name(char *line, uint32_t *depth)
{
    char *at = line + strcspn(line, " :[");
    *depth = 0;
    if (!br_make_is_name(line, (size_t)(at - line)))
        return NULL;
    if (*at == '[') {
        *depth = (uint32_t)strtoul(at + 1, &at, 10);
        at += *at == ']';
    }
    return at[0] == ':' && at[1] == ' ' ? at + 2 : NULL;
}

/* The text between the quotes, cut out; NULL if there are none. */
static char *make_read_quoted(char *text)
{
    char *begin = strchr(text, '\''), *end = strrchr(text, '\'');
    if (!begin || end == begin)
        return NULL;
    *end = '\0';
    return begin + 1;
}

/* A make, below the recipe that calls it; folder NULL: named later, by it or by its database. */
static enum br_status push_level(struct reading *reading, const char *folder, uint32_t depth)
{
    struct br_make *make = reading->make;
    reading->expanding = reading->continued = false;
    if (reading->depth == DEEPEST)
        return br_fail_at(reading->diag, ((struct br_pos){reading->line, 1}), BR_BAD_INPUT, NULL,
                          "makes call makes more than %d deep", DEEPEST);
    if (!br_grow(&make->level, make->levels, &make->level_room, sizeof *make->level))
        return br_fail_memory(reading->diag);
    make->level[make->levels] =
        (struct br_make_level){.folder = folder,
                               .marked = !folder,
                               .shell = "/bin/sh",
                               .flags = "-c",
                               .depth = depth,
                               .first_recipe = BR_MAKE_NONE,
                               .last_recipe = BR_MAKE_NONE,
                               .first_variable = reading->first_variable,
                               .variables = make->variables - reading->first_variable};
    uint32_t parent = make_read_top(reading);
    uint32_t recipe = parent == BR_MAKE_NONE ? BR_MAKE_NONE : reading->recipe[reading->depth - 1];
    if (recipe != BR_MAKE_NONE) {
        struct br_make_recipe *caller = &make->recipe[recipe];
        assert((caller->first == BR_MAKE_NONE) == (caller->last == BR_MAKE_NONE));
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

static enum br_status make_read_enter(struct reading *reading, char *words, uint32_t depth)
{
    struct br_make *make = reading->make;
    const char *folder = make_read_quoted(words);
    struct br_make_level *level = reading->depth ? &make->level[make_read_top(reading)] : NULL;
    if (!folder)
        return br_fail_at(reading->diag, ((struct br_pos){reading->line, 1}), BR_BAD_INPUT, NULL,
                          "a make names no folder");
    if (level && level->marked && level->depth == depth) {
        level->folder = folder;
        return BR_OK;
    }
    if (reading->makefiles && level)
        return BR_OK; /* it does its work */
    return push_level(reading, folder, depth);
}

/* The recipe that called the make goes on. */
static void make_read_leave(struct reading *reading, bool marked)
{
    while (marked && reading->depth && !reading->make->level[make_read_top(reading)].marked)
        reading->depth--;
    if (reading->depth && reading->make->level[make_read_top(reading)].marked == marked)
        reading->depth--;
    reading->expanding = reading->continued = false;
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
    if (!numbered && !br_make_begins(line, "<builtin>:"))
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

static enum br_status make_read_add_recipe(struct reading *reading, const char *target)
{
    assert(reading->depth > 0);
    struct br_make *make = reading->make;
    struct br_make_level *level = &make->level[make_read_top(reading)];
    assert((level->first_recipe == BR_MAKE_NONE) == (level->last_recipe == BR_MAKE_NONE));
    reading->recipe[reading->depth - 1] = BR_MAKE_NONE;
    if (reading->makefiles)
        return BR_OK; /* even a dry run executes it at once, and reads its result */
    if (!br_grow(&make->recipe, make->recipes, &make->recipe_room, sizeof *make->recipe))
        return br_fail_memory(reading->diag);
    make->recipe[make->recipes] = (struct br_make_recipe){.level = make_read_top(reading),
                                                          .target = target,
                                                          .first = BR_MAKE_NONE,
                                                          .last = BR_MAKE_NONE,
                                                          .entry = BR_MAKE_NONE,
                                                          .next = BR_MAKE_NONE,
                                                          .line = reading->line,
                                                          .stage = BR_MAKE_NONE,
                                                          .wait = BR_MAKE_NONE};
    if (level->last_recipe == BR_MAKE_NONE)
        level->first_recipe = make->recipes;
    else
        make->recipe[level->last_recipe].next = make->recipes;
    level->last_recipe = make->recipes;
    reading->recipe[reading->depth - 1] = make->recipes++;
    reading->continued = reading->expanding = false;
    return BR_OK;
}

/* A line of the printing recipe; lines of a continued text are joined again. */
static enum br_status make_read_add_line(struct reading *reading, char *line)
{
    struct br_make *make = reading->make;
    uint32_t number = reading->depth ? reading->recipe[reading->depth - 1] : BR_MAKE_NONE;
    bool goes_on = reading->continued;
    if (number == BR_MAKE_NONE || reading->expanding || (!*line && !goes_on))
        return BR_OK; /* output of a Makefile while it is read or expanded */
    reading->continued = br_make_ends_open(line);
    if (goes_on) {
        line[-1] = '\n';
        return BR_OK;
    }
    struct br_make_recipe *recipe = &make->recipe[number];
    assert((recipe->first == BR_MAKE_NONE) == (recipe->last == BR_MAKE_NONE));
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

static enum br_status make_read_add_variable(struct reading *reading, char *text)
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

/* The messages of `--debug=basic` about targets. They separate the output of a recipe's expansion
 * ("Must remake", before its trace) from its lines. */
static bool is_remark(const char *line)
{
    static const char *const remark[][2] = {
        {"Must remake target '", "'."},
        {"Successfully remade target file '", "'."},
        {"Failed to remake target file '", "'."},
        {"File '", "' does not exist."},
        {"Prerequisite '", "' does not exist."},
        {"Prerequisite '", "'."},
        {"Grouped target peer '", "' does not exist."},
        {"Target '", "' is double-colon and has no prerequisites."},
        {"Ignoring VPATH name '", "'."},
        {"Removing intermediate files...", ""},
        {"Reading makefiles...", ""},
        {"Updating makefiles....", ""},
        {"Updating goal targets....", ""},
        {"Re-executing[", ""},
        {"Skipping UTF-8 BOM in makefile", ""},
    };
    line += strspn(line, " ");
    size_t size = strlen(line);
    for (size_t k = 0; k < sizeof remark / sizeof *remark; k++) {
        size_t begin = strlen(remark[k][0]), end = strlen(remark[k][1]);
        if (size >= begin + end && br_make_begins(line, remark[k][0]) &&
            strcmp(line + size - end, remark[k][1]) == 0)
            return true;
    }
    return false;
}

/* "# GNU Make 4.3" and the lines of its licence, before the database or before everything. */
static bool make_read_header(struct reading *reading, const char *line)
{
    static const char *const also[] = {"# Built for ", "# Copyright ", "# License ", "# This is ",
                                       "# There is "};
    if (br_make_begins(line, "# GNU Make ")) {
        char *rest;
        unsigned long number = strtoul(line + 11, &rest, 10);
        unsigned long part = *rest == '.' ? strtoul(rest + 1, NULL, 10) : 0;
        reading->version = number < 1000 && part < 100 ? (uint32_t)(number * 100 + part) : 0;
        reading->in_header = true;
        return true;
    }
    bool known = !*line;
    for (size_t k = 0; k < sizeof also / sizeof *also; k++)
        known |= br_make_begins(line, also[k]);
    reading->in_header &= known;
    return reading->in_header;
}

static enum br_status make_read_output(struct reading *reading, char *line)
{
    uint32_t depth;
    char *words, *target;
    if (*line == BR_MAKE_VARIABLE)
        return make_read_add_variable(reading, line + 1);
    if (*line == BR_MAKE_BEGINS)
        return push_level(reading, NULL, reading->depth);
    if (*line == BR_MAKE_ENDS) {
        make_read_leave(reading, true);
        return BR_OK;
    }
    if (make_read_header(reading, line))
        return BR_OK;
    if (reading->depth && br_make_begins(line, "# Make data base, printed on ")) {
        reading->in_database = true;
        reading->make->level[make_read_top(reading)].told = true;
        br_make_begin_database(&reading->database, reading->make, make_read_top(reading),
                               reading->version);
        return BR_OK;
    }
    if ((words = after_name(line[0] == '#' && line[1] == ' ' ? line + 2 : line, &depth))) {
        if (br_make_begins(words, "Entering directory "))
            return make_read_enter(reading, words, depth);
        if (br_make_begins(words, "Leaving directory ") && !reading->makefiles)
            make_read_leave(reading, false);
        return BR_OK;
    }
    if (reading->depth && (target = traced(line)))
        return make_read_add_recipe(reading, target);
    if (is_remark(line)) {
        reading->expanding = true;
        reading->continued = false;
        reading->makefiles |= br_make_begins(line, "Updating makefiles");
        reading->makefiles &= !br_make_begins(line, "Updating goal targets");
        return BR_OK;
    }
    return make_read_add_line(reading, line);
}

static enum br_status make_read_line(struct reading *reading, char *line)
{
    if (!reading->in_database)
        return make_read_output(reading, line);
    if (br_make_begins(line, "# Finished Make data base")) {
        reading->in_database = false;
        return BR_OK;
    }
    return br_make_read_database(&reading->database, line, reading->diag);
}

/* ---- The whole ---- */

/* The next of the target's statements that has a recipe, or any. */
static uint32_t statement_of(const struct br_make *make, const struct br_make_recipe *recipe)
{
    uint32_t any = BR_MAKE_NONE;
    for (uint32_t e = br_make_find(make, recipe->level, recipe->target); e != BR_MAKE_NONE;
         e = make->entry[e].next) {
        if (make->entry[e].recipe != BR_MAKE_NONE)
            continue;
        if (make->entry[e].text)
            return e;
        any = any == BR_MAKE_NONE ? e : any;
    }
    return any;
}

/* Each recipe's entry, and each entry's recipe, also for other targets that a recipe makes. */
static void make_read_join(struct br_make *make)
{
    for (uint32_t r = 0; r < make->recipes; r++) {
        struct br_make_recipe *recipe = &make->recipe[r];
        uint32_t e = statement_of(make, recipe);
        recipe->entry = e;
        if (e == BR_MAKE_NONE)
            continue;
        struct br_make_entry *entry = &make->entry[e];
        assert(entry->recipe == BR_MAKE_NONE);
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
    struct reading reading = {
        .make = make,
        .diag = diag,
    };
    enum br_status status = BR_OK;
    for (char *line = text, *end; *line && !status; line = end) {
        reading.line++;
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        else
            end = line + strlen(line);
        status = make_read_line(&reading, line);
    }
    for (uint32_t k = 0; k < make->levels && !status; k++)
        if (!make->level[k].told || !make->level[k].folder)
            status = br_fail(diag, BR_BAD_INPUT, "'make -n -p -w --trace --debug=basic' prints it",
                             "the make in '%.200s' prints no database",
                             make->level[k].folder ? make->level[k].folder : "?");
    if (!status && !make->levels)
        status = br_fail(diag, BR_BAD_INPUT, "'make -n -p -w --trace --debug=basic' prints it",
                         "this is not the output of a dry run of make");
    if (status)
        br_make_finish(make);
    else
        make_read_join(make);
    return status;
}
