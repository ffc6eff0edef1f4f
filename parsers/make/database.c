/* The database that make prints, line by line. The variables of a target stand before its line, "T:
 * A B", each below a line with its origin:
 *
 *     # makefile (from 'Makefile', line 2)
 *     T: CFLAGS := -O2
 *
 * A value may go on over several lines, by "define" or as it is. Source: GNU make, file.c
 * (print_file), variable.c (print_variable), commands.c (print_commands). */
#include <assert.h>
#include <string.h>

#include "base/collections/grow.h"
#include "parsers/make/make.h"

void br_make_begin_database(struct br_make_database *database, struct br_make *make, uint32_t level,
                            uint32_t version)
{
    assert(level < make->levels);
    *database = (struct br_make_database){.make = make, .level = level, .entry = BR_MAKE_NONE};
    make->level[level].version = version;
}

static void make_database_read_variable(struct br_make_database *database, char *line)
{
    struct br_make_level *level = &database->make->level[database->level];
    char *value = strstr(line, "= ");
    if (br_make_begins(line, "define ")) {
        database->definition = true;
    } else if (value && !strchr(value, '$')) {
        if (br_make_begins(line, "CURDIR := ") && !level->folder)
            level->folder = value + 2;
        else if (br_make_begins(line, "SHELL ") && value[2])
            level->shell = value + 2;
        else if (br_make_begins(line, ".SHELLFLAGS ") && value[2])
            level->flags = value + 2;
    }
}

static enum br_status add_names(struct br_make *make, char *text, uint32_t *count,
                                struct br_diag *diag)
{
    for (char *rest = NULL, *word = strtok_r(text, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        if (!br_grow(&make->name, make->names, &make->name_room, sizeof *make->name))
            return br_fail_memory(diag);
        make->name[make->names++] = word;
        ++*count;
    }
    return BR_OK;
}

/* The names of a list that are files; the others are .WAIT and the mark before order-only ones. */
bool br_make_is_file(const char *name)
{
    return strcmp(name, "|") != 0 && strcmp(name, ".WAIT") != 0;
}

/* .NOTPARALLEL holds for the whole make; since 4.4, with prerequisites, it holds only for theirs,
 * and make prints .WAIT between them. */
static void read_special(struct br_make_level *level, const char *name, bool needs)
{
    level->serial |= strcmp(name, ".NOTPARALLEL") == 0 && !(needs && level->version >= 404);
    level->one_shell |= strcmp(name, ".ONESHELL") == 0;
    level->delete_on_error |= strcmp(name, ".DELETE_ON_ERROR") == 0;
}

/* "TARGET: A B | C", "TARGET:: A B" */
static enum br_status add_entry(struct br_make_database *database, char *line, struct br_diag *diag)
{
    struct br_make *make = database->make;
    char *colon = strstr(line, ": ");
    bool is_target = !database->not_a_target;
    database->not_a_target = false;
    if (!colon && *line && line[strlen(line) - 1] == ':')
        colon = line + strlen(line) - 1;
    if (!colon || colon == line)
        return BR_OK;
    char *names = colon + 1;
    if (colon[-1] == ':')
        colon--;
    *colon = '\0';
    if (is_target)
        read_special(&make->level[database->level], line, names[strspn(names, " ")]);
    if (!br_grow(&make->entry, make->entries, &make->entry_room, sizeof *make->entry))
        return br_fail_memory(diag);
    struct br_make_entry *entry = &make->entry[make->entries];
    *entry = (struct br_make_entry){.level = database->level,
                                    .name = line,
                                    .first_name = make->names,
                                    .next = BR_MAKE_NONE,
                                    .recipe = BR_MAKE_NONE};
    database->entry = make->entries;
    return br_make_add_entry(make) ? add_names(make, names, &entry->names, diag)
                                   : br_fail_memory(diag);
}

/* The line below a variable's origin; false if it belongs to no target. */
static bool pass_variable(struct br_make_database *database, char *line)
{
    char *colon = strstr(line, ": ");
    database->origin = false;
    if (!colon || !strchr(colon, '='))
        return colon && br_make_begins(colon, ": define ") && (database->definition = true);
    database->named = line;
    database->named_length = (size_t)(colon + 1 - line);
    return true;
}

/* A line between two targets. */
static enum br_status read_between(struct br_make_database *database, char *line,
                                   struct br_diag *diag)
{
    if (strcmp(line, "# Not a target:") == 0) {
        database->not_a_target = true;
    } else if (*line == '#') {
        database->origin = true;
    } else if (br_make_begins(line, ".RECIPEPREFIX = ")) {
        return BR_OK;
    } else if (!database->origin || !pass_variable(database, line)) {
        /* A value continues until the target is named again. */
        if (database->named && strncmp(line, database->named, database->named_length) != 0)
            return BR_OK;
        database->named = NULL;
        return add_entry(database, line, diag);
    }
    return BR_OK;
}

/* A recipe's lines, with their prefix; a backslash at the end continues a line. */
static void make_database_add_text(struct br_make_database *database, char *line)
{
    struct br_make_entry *entry = &database->make->entry[database->entry];
    if (entry->text)
        line[-1] = '\n';
    else
        entry->text = line;
    database->open = br_make_ends_open(line);
}

static enum br_status read_target(struct br_make_database *database, char *line,
                                  struct br_diag *diag)
{
    static const char also[] = "#  Also makes:";
    struct br_make *make = database->make;
    assert(database->entry < make->entries);
    struct br_make_entry *entry = &make->entry[database->entry];
    if (database->open || (*line && *line != '#') || (database->in_recipe && *line)) {
        make_database_add_text(database, line);
    } else if (!*line) {
        database->entry = BR_MAKE_NONE;
        database->in_recipe = false;
    } else if (br_make_begins(line, "#  recipe to execute")) {
        database->in_recipe = true;
    } else if (br_make_begins(line, "#  Phony target")) {
        entry->phony = true;
    } else if (br_make_begins(line, "#  File has been updated")) {
        entry->considered = true;
    } else if (br_make_begins(line, "#  File is an intermediate prerequisite")) {
        entry->intermediate = true;
    } else if (br_make_begins(line, also)) {
        entry->first_also = make->names;
        entry->also = 0; /* of the last such line, in a text that make has not printed */
        return add_names(make, line + strlen(also), &entry->also, diag);
    }
    return BR_OK;
}

enum br_status br_make_read_database(struct br_make_database *database, char *line,
                                     struct br_diag *diag)
{
    if (database->definition) {
        database->definition = strcmp(line, "endef") != 0;
    } else if (!database->targets) {
        database->targets = strcmp(line, "# Files") == 0;
        if (!database->targets)
            make_database_read_variable(database, line);
    } else if (database->entry != BR_MAKE_NONE) {
        return read_target(database, line, diag);
    } else if (br_make_begins(line, "# files hash-table stats")) {
        database->targets = false;
    } else if (*line) {
        return read_between(database, line, diag);
    }
    return BR_OK;
}
