/* The script of a recipe's task: the lines that make would give its shell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/shell.h"
#include "parsers/make/making.h"

static bool is_default(const struct br_make_level *level)
{
    return strcmp(level->shell, "/bin/sh") == 0 && strcmp(level->flags, "-c") == 0;
}

static bool is_shell_name(const char *name, const char *end)
{
    bool good = name < end && !(*name >= '0' && *name <= '9');
    for (; name < end; name++)
        good &= *name == '_' || (*name >= '0' && *name <= '9') || (*name >= 'a' && *name <= 'z') ||
                (*name >= 'A' && *name <= 'Z');
    return good;
}

static void write_environment(const struct br_making *making, const struct br_make_level *level,
                              FILE *out)
{
    for (uint32_t k = 0; k < level->variables; k++) {
        const char *text = making->make->variable[level->first_variable + k];
        const char *value = strchr(text, '=');
        if (!is_shell_name(text, value ? value : text + strlen(text)))
            continue; /* no shell passes it on */
        if (!value) {
            fprintf(out, "unset %s\n", text);
            continue;
        }
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

static bool is_told(const struct br_making *making, const struct br_make_item *item)
{
    return item->kind == BR_MAKE_LINE && !item->noise &&
           !(item->calls && !making->options->whole && br_make_is_call(item->text));
}

struct br_make_part br_making_count_lines(const struct br_making *making, uint32_t first,
                                          uint32_t end)
{
    struct br_make_part part = {.first = first, .end = end};
    for (uint32_t k = first; k != end; k = making->make->item[k].next) {
        const struct br_make_item *item = &making->make->item[k];
        if (!is_told(making, item))
            continue;
        part.lines++;
        part.only = item->calls || item->ignored ? NULL : item->text;
    }
    return part;
}

/* With .ONESHELL all lines are one call, whose failure does not count if the first has a '-'. */
static bool write_together(const struct br_making *making, const struct br_make_level *level,
                           const struct br_make_part *part, const char *failed, FILE *out)
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

static bool script_write_lines(const struct br_making *making, const struct br_make_level *level,
                               const struct br_make_part *part, const char *failed, FILE *out)
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
char *br_making_write_script(const struct br_making *making, const struct br_make_recipe *recipe,
                             const struct br_make_part *part)
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
            good = script_write_lines(making, level, part, failed, out);
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
