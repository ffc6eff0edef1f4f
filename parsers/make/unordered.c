/* Orders kept only by a make without -j: a recipe names a file that an earlier recipe makes, but no
 * prerequisite makes it wait. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "parsers/make/making.h"

struct search {
    struct br_making *making;
    uint32_t *first, *parent; /* by stage: start of its parents */
    uint32_t *stack, *seen;
    uint32_t visit;
    uint32_t found; /* recipes */
    const char *target, *file;
};

static bool unordered_list_parents(struct search *search)
{
    const struct br_dag *dag = search->making->dag;
    search->first = br_calloc(br_csr_room(dag->stages), sizeof *search->first);
    search->parent = br_calloc((size_t)dag->edges + 1, sizeof *search->parent);
    search->stack = br_calloc((size_t)dag->stages + 1, sizeof *search->stack);
    search->seen = br_calloc((size_t)dag->stages + 1, sizeof *search->seen);
    if (!search->first || !search->parent || !search->stack || !search->seen)
        return false;
    for (uint32_t e = 0; e < dag->edges; e++)
        br_csr_count(search->first, dag->edge[e].child);
    br_csr_sum(search->first, dag->stages);
    for (uint32_t e = 0; e < dag->edges; e++)
        search->parent[br_csr_place(search->first, dag->edge[e].child)] = dag->edge[e].parent;
    assert(search->first[0] == 0 && search->first[dag->stages] == dag->edges);
    return true;
}

/* Marks all stages that the stage waits for. */
static void mark_ahead(struct search *search, uint32_t stage)
{
    uint32_t depth = 0;
    search->visit++;
    search->stack[depth++] = stage;
    while (depth) {
        uint32_t s = search->stack[--depth];
        for (uint32_t k = search->first[s]; k < search->first[s + 1]; k++)
            if (search->seen[search->parent[k]] != search->visit) {
                search->seen[search->parent[k]] = search->visit;
                search->stack[depth++] = search->parent[k];
            }
        assert(depth < search->making->dag->stages);
    }
}

/* Does the stage wait for the other? Marks all only if it is no parent. */
static bool waits(struct search *search, uint32_t stage, uint32_t other, bool *marked)
{
    assert(other < stage && stage < search->making->dag->stages);
    for (uint32_t k = search->first[stage]; k < search->first[stage + 1]; k++)
        if (search->parent[k] == other)
            return true;
    if (!*marked)
        mark_ahead(search, stage);
    *marked = true;
    return search->seen[other] == search->visit;
}

static enum br_status look_at_word(struct search *search, uint32_t number, const char *word,
                                   bool *marked, bool *found)
{
    const struct br_make *make = search->making->make;
    const struct br_make_recipe *recipe = &make->recipe[number];
    char *path = br_making_path(make->level[recipe->level].folder, word);
    if (!path)
        return br_fail_memory(search->making->diag);
    uint32_t other = br_making_find_file(search->making, path);
    free(path);
    if (other == BR_MAKE_NONE || make->recipe[other].stage >= recipe->stage ||
        waits(search, recipe->stage, make->recipe[other].stage, marked))
        return BR_OK;
    *found = true;
    if (search->found == 0) {
        search->target = recipe->target;
        search->file = make->recipe[other].target;
    }
    return BR_OK;
}

/* Words of a shell's line: blanks and operators end them, unless they stand in quotation marks. */
struct words {
    const char *at;
    char *word;    /* with room for the whole line */
    bool begins;   /* the next word is a command */
    bool says;     /* the command is echo or printf, whose words are texts */
    bool is_text;  /* so is this one */
    bool has_more; /* word is one */
};

static bool unordered_is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list) != 0)
        list++;
    return *list != NULL;
}

/* A word where a command may stand. */
static void look_at_command(struct words *words)
{
    static const char *const before[] = {"if",    "then",  "elif", "else", "do",
                                         "while", "until", "!",    "{",    NULL};
    static const char *const sayers[] = {"echo", "printf", ":", NULL};
    const char *value = strchr(words->word, '=');
    words->begins = unordered_is_one_of(words->word, before) || (value && value > words->word);
    words->says = unordered_is_one_of(words->word, sayers);
}

/* Copies one more word, without its quotation marks. */
static void unordered_next_word(struct words *words)
{
    static const char ends[] = " \t\n;|&<>()`";
    char *to = words->word, quote = '\0';
    bool is_redirected = false;
    for (; *words->at && strchr(ends, *words->at); words->at++) {
        const bool redirects = strchr("<>", *words->at) != NULL;
        /* "2>&1" is one word. */
        words->begins |= !redirects && !is_redirected && strchr("\n;|&()`", *words->at);
        is_redirected |= redirects;
    }
    for (; *words->at && (quote || !strchr(ends, *words->at)); words->at++) {
        const char c = *words->at;
        if (c == '\\' && quote != '\'' && words->at[1]) {
            if (*++words->at != '\n')
                *to++ = *words->at;
        } else if (c == quote) {
            quote = '\0';
        } else if (!quote && (c == '\'' || c == '"')) {
            quote = c;
        } else {
            *to++ = c;
        }
    }
    words->has_more = *words->at || to > words->word;
    *to = '\0';
    words->is_text = words->says && !words->begins && !is_redirected;
    if (words->begins && !is_redirected)
        look_at_command(words);
}

/* A word may be an option with a file behind an equals sign. */
static enum br_status look_at_line(struct search *search, uint32_t number, const char *line,
                                   bool *marked, bool *found)
{
    struct words words = {.at = line, .word = malloc(strlen(line) + 1), .begins = true};
    enum br_status status = words.word ? BR_OK : br_fail_memory(search->making->diag);
    for (words.has_more = !status; words.has_more && !*found && !status;) {
        unordered_next_word(&words);
        const char *value = strchr(words.word, '=');
        if (words.is_text)
            continue;
        if (*words.word && *words.word != '-')
            status = look_at_word(search, number, words.word, marked, found);
        if (!status && value && value[1] && !*found)
            status = look_at_word(search, number, value + 1, marked, found);
    }
    free(words.word);
    return status;
}

static enum br_status look_at_recipe(struct search *search, uint32_t number)
{
    const struct br_make *make = search->making->make;
    bool marked = false, found = false;
    enum br_status status = BR_OK;
    for (uint32_t k = make->recipe[number].first; k != BR_MAKE_NONE; k = make->item[k].next) {
        if (make->item[k].kind != BR_MAKE_LINE || found)
            continue;
        status = look_at_line(search, number, make->item[k].text, &marked, &found);
        if (status)
            return status;
    }
    search->found += found;
    return BR_OK;
}

enum br_status br_making_doubt_order(struct br_making *making)
{
    struct search search = {.making = making};
    enum br_status status = unordered_list_parents(&search) ? BR_OK : br_fail_memory(making->diag);
    for (uint32_t r = 0; r < making->make->recipes && !status; r++)
        if (making->make->recipe[r].stage != BR_MAKE_NONE)
            status = look_at_recipe(&search, r);
    assert(search.found == 0 || (search.target && search.file));
    if (!status && search.found)
        status = br_dag_add_doubt(
            making->dag, making->diag,
            "%" PRIu32 " recipe%s (the first: '%.80s' names '%.80s'); as under make -j, %s may "
            "run too early",
            search.found,
            search.found == 1 ? " names a file that an earlier one makes, but does not wait for it"
                              : "s name files that earlier ones make, but do not wait for them",
            search.target, search.file, search.found == 1 ? "it" : "they");
    br_free(search.first);
    br_free(search.parent);
    br_free(search.stack);
    br_free(search.seen);
    return status;
}
