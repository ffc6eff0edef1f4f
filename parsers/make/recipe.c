/* The lines of a recipe. With -n make prints a line without its prefixes and runs none, except
 * those that call make or have a '+': their output stands among the lines. The recipe as written in
 * its Makefile distinguishes both, as far as a line does not begin with a variable. */
#include <string.h>

#include "parsers/make/make.h"

enum { LONGEST = 10000 };

/* A line of a recipe before expansion. */
struct plain {
    const char *text; /* after its prefixes */
    const char *end;
    size_t head; /* bytes before its first variable */
    bool ignored, calls, names_make;
};

static bool recipe_has(const char *text, const char *end, const char *word)
{
    const char *at = strstr(text, word);
    return at && at < end;
}

/* The next line of the recipe; false at the end. */
static bool next_plain(const char **at, struct plain *line)
{
    const char *begin = *at, *end = begin;
    if (!begin || !*begin)
        return false;
    for (bool open = false; *end && (*end != '\n' || open); end++)
        open = *end == '\\' && !open;
    *at = *end ? end + 1 : end;
    *line = (struct plain){.end = end};
    for (; begin < end && strchr("\t @-+", *begin); begin++) {
        line->ignored |= *begin == '-';
        line->calls |= *begin == '+';
    }
    line->text = begin;
    line->head = strcspn(begin, "$\\\n");
    if (line->head > (size_t)(end - begin))
        line->head = (size_t)(end - begin);
    line->names_make = recipe_has(begin, end, "$(MAKE)") || recipe_has(begin, end, "${MAKE}");
    line->calls |= line->names_make;
    return true;
}

static bool could_be(const struct plain *line, const char *printed)
{
    return strncmp(line->text, printed, line->head) == 0;
}

/* The place after a variable or a function call, from its '$'. */
static const char *behind_variable(const char *at, const char *end)
{
    uint32_t open = 0;
    if (++at == end)
        return end;
    if (*at != '(' && *at != '{')
        return at + 1;
    for (; at < end; at++) {
        open += *at == '(' || *at == '{';
        open -= *at == ')' || *at == '}';
        if (!open)
            return at + 1;
    }
    return end;
}

/* Does the printed line contain the fixed parts of the line, in order, up to its end? */
static bool recipe_fits(const struct plain *line, const char *printed)
{
    const char *at = line->text, *star = NULL, *from = printed;
    if (line->end - at > LONGEST || strnlen(printed, LONGEST + 1) > LONGEST)
        return false; /* O(length * length) */
    while (*printed || at < line->end) {
        bool doubled = at + 1 < line->end && at[0] == '$' && at[1] == '$';
        if (at < line->end && *at == '$' && !doubled) {
            star = at = behind_variable(at, line->end);
            from = printed;
        } else if (at < line->end && *printed && *at == *printed) {
            at += doubled ? 2 : 1;
            printed++;
        } else if (star && *from) {
            at = star;
            printed = ++from;
        } else {
            return false;
        }
    }
    return true;
}

static size_t count_letters(const struct plain *line)
{
    size_t letters = 0;
    for (const char *at = line->text; at < line->end;) {
        bool variable = *at == '$' && !(at + 1 < line->end && at[1] == '$');
        letters += !variable && *at != ' ' && *at != '\t';
        at = variable ? behind_variable(at, line->end) : at + (*at == '$') + 1;
    }
    return letters;
}

/* The line, and no output of another command, as far as can be told. */
static bool is_surely(const struct plain *line, const char *printed)
{
    return line->head ||
           (recipe_fits(line, printed) &&
            (count_letters(line) >= 4 || (line->names_make && strstr(printed, "make"))));
}

bool br_make_calls(const struct br_make *make, uint32_t number)
{
    const struct br_make_recipe *recipe = &make->recipe[number];
    struct plain line;
    const char *at = recipe->entry == BR_MAKE_NONE ? NULL : make->entry[recipe->entry].text;
    while (next_plain(&at, &line))
        if (line.names_make)
            return true;
    for (uint32_t k = recipe->first; k != BR_MAKE_NONE; k = make->item[k].next)
        if (make->item[k].kind == BR_MAKE_LEVEL)
            return true;
    return false;
}

/* Intermediate files are deleted at the end, which is printed like a line of the last recipe. */
static void drop_removal(struct br_make *make, const struct br_make_recipe *recipe)
{
    struct br_make_item *last = recipe->last == BR_MAKE_NONE ? NULL : &make->item[recipe->last];
    if (!last || last->kind != BR_MAKE_LINE || strncmp(last->text, "rm ", 3) != 0)
        return;
    char name[4096];
    const char *at = last->text + 3;
    for (size_t size; *at; at += size + (at[size] == ' ')) {
        size = strcspn(at, " ");
        if (size == 0 || size >= sizeof name)
            return;
        memcpy(name, at, size);
        name[size] = '\0';
        uint32_t e = br_make_find(make, recipe->level, name);
        if (e == BR_MAKE_NONE || !make->entry[e].intermediate)
            return;
    }
    last->noise = true;
}

/* Does the recipe have a line that make runs even in a dry run? */
static bool runs_any(const struct br_make *make, const struct br_make_recipe *recipe)
{
    struct plain line;
    const char *at = recipe->entry == BR_MAKE_NONE ? NULL : make->entry[recipe->entry].text;
    while (next_plain(&at, &line))
        if (line.calls)
            return true;
    return false;
}

bool br_make_sort_lines(struct br_make *make, uint32_t number)
{
    const struct br_make_recipe *recipe = &make->recipe[number];
    const char *at = recipe->entry == BR_MAKE_NONE ? NULL : make->entry[recipe->entry].text;
    bool noisy = br_make_calls(make, number) || runs_any(make, recipe), called = false;
    struct br_make_item *caller = NULL;
    if (recipe->next == BR_MAKE_NONE)
        drop_removal(make, recipe);
    for (uint32_t k = recipe->first; k != BR_MAKE_NONE; k = make->item[k].next) {
        struct br_make_item *item = &make->item[k];
        if (item->kind == BR_MAKE_LEVEL) {
            called = true;
            if (caller)
                caller->calls = true;
            continue;
        }
        if (item->noise)
            continue;
        /* The next line that can have printed this; the lines before it expanded to nothing. */
        struct plain line;
        const char *from = at;
        bool found = false;
        while (!found && next_plain(&from, &line))
            found = could_be(&line, item->text);
        if (found && noisy && called && !is_surely(&line, item->text))
            return false;
        if (found) {
            at = from;
            item->ignored = line.ignored;
            called = line.calls;
            caller = item;
        } else if (noisy && called) {
            item->noise = true;
        } else {
            caller = item; /* one of several in a variable */
        }
    }
    return true;
}

/* ---- Calls of make ---- */

static size_t word_length(const char *at)
{
    return strcspn(at, " \t\n");
}

/* "make-4.3" without its number. */
static size_t without_number(const char *word, size_t size)
{
    while (size && strchr("0123456789.-", word[size - 1]))
        size--;
    return size;
}

bool br_make_is_name(const char *word, size_t size)
{
    size = without_number(word, size);
    return size >= 4 && strncmp(word + size - 4, "make", 4) == 0;
}

static bool recipe_is_make(const char *word, size_t size)
{
    if (!br_make_is_name(word, size))
        return false;
    size_t before = without_number(word, size) - 4;
    before -= before && word[before - 1] == 'g';
    return before == 0 || word[before - 1] == '/';
}

bool br_make_is_call(const char *line)
{
    if (strncmp(line, "cd ", 3) == 0) {
        const char *then = strstr(line, "&&");
        if (!then || strpbrk(line, ";|<>()$`\n\"'#*?") || strstr(then + 2, "&"))
            return false;
        line = then + 2 + strspn(then + 2, " \t");
    }
    return recipe_is_make(line, word_length(line)) && !strpbrk(line, ";|&<>()$`\n#*?");
}

bool br_make_is_bare(const char *line)
{
    for (const char *at = strstr(line, "make"); at; at = strstr(at + 4, "make")) {
        const char *before = at;
        while (before > line && !strchr(" \t\n;|&({`", before[-1]))
            before--;
        const char *end = at + 4 + strspn(at + 4, "0123456789.-");
        bool ends = !*end || strchr(" \t\n;|&)}`", *end);
        if (ends && (memchr(before, '/', (size_t)(at - before)) || end > at + 4))
            return false;
    }
    return true;
}
