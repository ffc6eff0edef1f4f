/* Data of rcpsp.mzn, the model of projects in MiniZinc's benchmarks (.dzn): assignments in any
 * order, of which six count: n_res and rc, n_tasks and d, rr with a row of demands for each
 * resource, and suc with a set of successors for each task. */
#include "parsers/projects/project.h"
#include "parsers/text/tokens.h"
#include "parsers/text/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

enum { TEXT_LIMIT = 256 << 20, RANGE_MOST = 1000000 };
#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
enum name { N_RES, RC, N_TASKS, D, RR, SUC, NAMES };
static const char *const names[NAMES] = {"n_res", "rc", "n_tasks", "d", "rr", "suc"};

/* A number of the assignment, and the number of sets that begin before it. */
struct dzn_number {
    uint64_t value;
    uint32_t set;
    struct br_pos pos;
};

struct dzn_value {
    bool is_there;
    uint32_t numbers, room, sets;
    struct dzn_number *number;
};

struct dzn {
    struct br_tokens tokens;
    struct br_diag *diag;
    bool in_set; /* between braces */
    struct dzn_value value[NAMES];
};

/* Skips blanks and comments; false at the end. */
static bool dzn_skip(struct br_tokens *tokens)
{
    while (br_tokens_skip(tokens, false)) {
        if (*tokens->at == '%') {
            br_tokens_end_line(tokens);
        } else if (br_tokens_accept(tokens, "/*")) {
            while (*tokens->at && !br_tokens_accept(tokens, "*/")) {
                if (*tokens->at == '\n') {
                    br_tokens_end_line(tokens);
                } else {
                    tokens->at++;
                    tokens->pos.column++;
                }
            }
        } else {
            return true;
        }
    }
    return false;
}

static void dzn_step(struct br_tokens *tokens, size_t bytes)
{
    tokens->at += bytes;
    tokens->pos.column += (uint32_t)bytes;
}

static enum br_status dzn_fail(const struct dzn *dzn, struct br_pos pos, const char *what)
{
    return br_fail_at(dzn->diag, pos, BR_BAD_INPUT, "write it as rcpsp.mzn has it", "%s", what);
}

static bool dzn_digits(struct br_tokens *tokens, uint64_t *value)
{
    size_t digits = strspn(tokens->at, "0123456789");
    *value = strtoull(tokens->at, NULL, 10);
    dzn_step(tokens, digits);
    return digits > 0 && digits < 19;
}

static enum br_status dzn_add(struct dzn *dzn, struct dzn_value *value, uint64_t number,
                              struct br_pos pos)
{
    if (!br_grow(&value->number, value->numbers, &value->room, sizeof *value->number))
        return br_fail_memory(dzn->diag);
    value->number[value->numbers++] = (struct dzn_number){number, value->sets, pos};
    return BR_OK;
}

/* A number, or a range: 3..5, which is a set of its own if it is in none. `value` is NULL if it
 * does not count. */
static enum br_status dzn_numbers(struct dzn *dzn, struct dzn_value *value)
{
    struct br_tokens *tokens = &dzn->tokens;
    const struct br_pos pos = tokens->pos;
    uint64_t first, last;
    if (!dzn_digits(tokens, &first))
        return dzn_fail(dzn, pos, "the number is too large");
    last = first;
    dzn_skip(tokens);
    if (br_tokens_accept(tokens, "..")) {
        dzn_skip(tokens);
        if (!dzn_digits(tokens, &last) || last > first + RANGE_MOST)
            return dzn_fail(dzn, pos, "the range does not end");
        if (value && !dzn->in_set)
            value->sets++;
    }
    enum br_status status = BR_OK;
    for (uint64_t n = first; n <= last && value && !status; n++)
        status = dzn_add(dzn, value, n, pos);
    return status;
}

/* What stands between '=' and ';'. Numbers in array2d(...) before the list are its sizes. */
static enum br_status dzn_assigned(struct dzn *dzn, struct dzn_value *value)
{
    struct br_tokens *tokens = &dzn->tokens;
    const struct br_pos start = tokens->pos;
    bool sizes = false;
    enum br_status status = BR_OK;
    while (!status && dzn_skip(tokens) && *tokens->at != ';') {
        const char c = *tokens->at;
        if (c >= '0' && c <= '9') {
            status = dzn_numbers(dzn, sizes ? NULL : value);
            continue;
        }
        if (value && (c == '-' || c == '"'))
            return dzn_fail(dzn, tokens->pos, "this is no number of 0 or more");
        if (c == '"') { /* of an assignment that does not count */
            size_t length = 1 + strcspn(tokens->at + 1, "\"\n");
            dzn_step(tokens, length + (tokens->at[length] == '"'));
            continue;
        }
        if (c == '(')
            sizes = true;
        if (c == '[')
            sizes = false;
        if (c == '{' && value)
            value->sets++;
        if (c == '{' || c == '}')
            dzn->in_set = c == '{';
        size_t word = strspn(tokens->at, WORD); /* such as array2d */
        word += word ? strspn(tokens->at + word, WORD "0123456789") : 1;
        dzn_step(tokens, word);
    }
    if (!status && !br_tokens_accept(tokens, ";") && *tokens->at)
        status = dzn_fail(dzn, tokens->pos, "expected ';'");
    return status || !value || value->numbers || value->sets
               ? status
               : dzn_fail(dzn, start, "the assignment has no numbers");
}

static enum br_status dzn_read(struct dzn *dzn)
{
    struct br_tokens *tokens = &dzn->tokens;
    enum br_status status = BR_OK;
    while (!status && dzn_skip(tokens)) {
        struct dzn_value *value = NULL;
        const struct br_pos pos = tokens->pos;
        size_t length = strspn(tokens->at, WORD "0123456789");
        for (size_t k = 0; k < NAMES; k++)
            if (strlen(names[k]) == length && strncmp(tokens->at, names[k], length) == 0)
                value = &dzn->value[k];
        dzn_step(tokens, length);
        dzn_skip(tokens);
        if (length == 0 || !br_tokens_accept(tokens, "="))
            return dzn_fail(dzn, pos, "expected NAME = VALUE;");
        if (value && value->is_there)
            return dzn_fail(dzn, pos, "the name is assigned twice");
        if (value)
            value->is_there = true;
        status = dzn_assigned(dzn, value);
    }
    for (size_t k = 0; k < NAMES && !status; k++)
        if (!dzn->value[k].is_there)
            status = br_fail_at(dzn->diag, BR_NO_POS, BR_BAD_INPUT,
                                "give the data of a project for rcpsp.mzn",
                                "there is no assignment of '%s'", names[k]);
    return status;
}

/* The numbers must be as many as the two counts say. */
static enum br_status dzn_check(const struct dzn *dzn)
{
    const struct dzn_value *value = dzn->value;
    const uint64_t resources = value[N_RES].numbers ? value[N_RES].number[0].value : 0;
    const uint64_t tasks = value[N_TASKS].numbers ? value[N_TASKS].number[0].value : 0;
    if (tasks == 0 || tasks > BR_MAX_TASKS || resources > BR_MAX_RESOURCES)
        return br_fail_at(dzn->diag, BR_NO_POS, BR_BAD_INPUT, "write n_tasks and n_res",
                          "there are %" PRIu64 " tasks and %" PRIu64 " resources", tasks,
                          resources);
    const struct {
        const char *name;
        uint64_t has, wants;
    } count[] = {{"rc", value[RC].numbers, resources},
                 {"d", value[D].numbers, tasks},
                 {"rr", value[RR].numbers, tasks * resources},
                 {"suc", value[SUC].sets, tasks}};
    for (size_t k = 0; k < sizeof count / sizeof *count; k++)
        if (count[k].has != count[k].wants)
            return br_fail_at(dzn->diag, BR_NO_POS, BR_BAD_INPUT, "do n_tasks and n_res fit?",
                              "'%s' has %" PRIu64 " entries and not %" PRIu64, count[k].name,
                              count[k].has, count[k].wants);
    return BR_OK;
}

static enum br_status dzn_build(const struct dzn *dzn, struct br_project *project)
{
    const struct dzn_value *value = dzn->value;
    const uint32_t tasks = value[D].numbers;
    enum br_status status = BR_OK;
    for (uint32_t r = 0; r < value[RC].numbers && !status; r++) {
        br_value_place(dzn->diag, value[RC].number[r].pos);
        status = br_project_capacity(project, r + 1, value[RC].number[r].value, dzn->diag);
    }
    for (uint32_t t = 0; t < tasks && !status; t++) {
        const struct dzn_number *lasts = &value[D].number[t];
        uint32_t stage;
        if (lasts->value > INT64_MAX / 4000000000)
            return dzn_fail(dzn, lasts->pos, "the duration is too long");
        status = br_project_job(project, t + 1, (int64_t)lasts->value * 1000000000, lasts->pos,
                                &stage, dzn->diag);
        for (uint32_t r = 0; r < value[RC].numbers && !status; r++) {
            const struct dzn_number *demand = &value[RR].number[(size_t)r * tasks + t];
            br_value_place(dzn->diag, demand->pos);
            status = br_project_demand(project, stage, r + 1, demand->value, dzn->diag);
        }
    }
    for (uint32_t k = 0; k < value[SUC].numbers && !status; k++) {
        const struct dzn_number *child = &value[SUC].number[k];
        if (child->value == 0 || child->value > tasks)
            return dzn_fail(dzn, child->pos, "there is no task of this number");
        status = br_project_successor(project, child->set, (uint32_t)child->value, child->pos,
                                      dzn->diag);
    }
    return status ? status : br_project_link(project, dzn->diag);
}

enum br_status br_read_minizinc(struct br_source *source, const struct br_parse_options *options,
                                struct br_input *input, struct br_diag *diag)
{
    struct dzn dzn = {.diag = diag};
    struct br_project project;
    char stem[256], *text;
    (void)options;
    enum br_status status = br_source_text(source, TEXT_LIMIT, "minizinc", &text, diag);
    if (status)
        return status;
    dzn.tokens = br_tokens_of(text);
    status = br_project_init(&project, input, br_source_stem(source, "project", stem, sizeof stem),
                             diag);
    if (!status)
        status = dzn_read(&dzn);
    if (!status)
        status = dzn_check(&dzn);
    if (!status)
        status = dzn_build(&dzn, &project);
    br_project_finish(&project);
    for (size_t k = 0; k < NAMES; k++)
        free(dzn.value[k].number);
    free(text);
    return status;
}
