/* As in ninja, a command with "restat" that leaves the time of an output unchanged has not changed
 * it. A command runs if one of its inputs has changed, or if it was out of date for another reason.
 * Only ninja knows the latter. A command's row is the largest number of commands with "restat", one
 * behind the other, that come before it and may leave their outputs unchanged. A dry run that
 * counts all such commands in lower rows as done lists the commands of this row that run in any
 * case. */
#include "cli/build/needless.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/builders/ninja_ask.h"

static int64_t mtime_ns(const struct cli_needless *needless, uint32_t output)
{
    char path[PATH_MAX];
    struct stat state;
    const char *name = needless->flow.output[output];
    const bool rooted = *name == '/';
    const int size = snprintf(path, sizeof path, "%s%s%s", rooted ? "" : needless->folder,
                              rooted ? "" : "/", name);
    if (size >= (int)sizeof path || stat(path, &state))
        return 0;
    return (int64_t)state.st_mtim.tv_sec * 1000000000 + state.st_mtim.tv_nsec;
}

/* May it leave an output unchanged? A missing output cannot be. */
static bool may_leave(const struct cli_needless *needless, uint32_t stage)
{
    const struct br_ninja_flow *flow = &needless->flow;
    bool any = false;
    for (uint32_t k = flow->first_output[stage]; k < flow->first_output[stage + 1]; k++)
        any |= needless->before_ns[k] != 0;
    return any && flow->restat[stage];
}

/* The rows of all stages; returns the last. maker: by output. */
static uint32_t find_rows(const struct cli_needless *needless, const struct br_dag *dag,
                          const uint32_t *maker, uint32_t *row)
{
    const struct br_ninja_flow *flow = &needless->flow;
    uint32_t last = 0;
    for (uint32_t t = 0; t < dag->stages; t++) {
        const uint32_t s = dag->topological[t];
        row[s] = 0;
        for (uint32_t k = flow->first_read[s]; k < flow->first_read[s + 1]; k++) {
            const uint32_t other = maker[flow->read[k]];
            assert(other < dag->stages);
            const uint32_t behind = row[other] + may_leave(needless, other);
            row[s] = behind > row[s] ? behind : row[s];
        }
        last = row[s] > last ? row[s] : last;
    }
    return last;
}

static bool add_all(struct br_ninja_set *to, const struct br_ninja_set *from)
{
    bool good = true;
    for (uint32_t k = 0; k < from->count && good; k++)
        good = br_ninja_set_add(to, from->text[k], strlen(from->text[k]));
    return good;
}

/* Asks which commands of the row run although nothing in lower rows changes anything. */
static enum br_status ask_row(struct cli_needless *needless, const struct br_ninja_options *options,
                              const struct br_ninja_set *done, const struct br_dag *dag,
                              const uint32_t *row, uint32_t number, struct br_diag *diag)
{
    struct br_ninja_set made = {0}, about = {0}, dirty = {0};
    struct br_ninja_options quiet = *options;
    const struct cli_ninja_question question = {&quiet, &made, &about, -1, false};
    quiet.explain = false;
    bool good = add_all(&made, done);
    for (uint32_t s = 0; s < dag->stages && good; s++) {
        const char *id = dag->stage[s].id;
        if (row[s] < number && may_leave(needless, s))
            good = br_ninja_set_add(&made, id, strlen(id));
        if (row[s] == number && good)
            good = br_ninja_set_add(&about, id, strlen(id));
    }
    br_ninja_set_sort(&made);
    enum br_status status = good ? cli_ninja_ask(&question, &dirty, diag) : br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        if (row[s] == number)
            needless->certain[s] = br_ninja_set_have(&dirty, dag->stage[s].id);
    br_ninja_set_finish(&made);
    br_ninja_set_finish(&about);
    br_ninja_set_finish(&dirty);
    return status;
}

static enum br_status ask_rows(struct cli_needless *needless,
                               const struct br_ninja_options *options,
                               const struct br_ninja_set *done, const struct br_dag *dag,
                               uint32_t *maker, uint32_t *row, struct br_diag *diag)
{
    const struct br_ninja_flow *flow = &needless->flow;
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t k = flow->first_output[s]; k < flow->first_output[s + 1]; k++)
            maker[k] = s;
    const uint32_t last = find_rows(needless, dag, maker, row);
    for (uint32_t s = 0; s < dag->stages; s++)
        needless->certain[s] = row[s] == 0;
    for (uint32_t number = 1; number <= last && !status; number++)
        status = ask_row(needless, options, done, dag, row, number, diag);
    return status;
}

enum br_status cli_needless_open(struct cli_needless *needless,
                                 const struct br_ninja_options *options,
                                 const struct br_ninja_set *done, const struct br_dag *dag,
                                 struct br_diag *diag)
{
    const size_t stages = (size_t)dag->stages + 1, outputs = (size_t)needless->flow.outputs + 1;
    struct br_arena *arena = &needless->flow.arena;
    needless->folder = options->folder;
    needless->certain = br_arena_array(arena, stages, sizeof *needless->certain);
    needless->changed = br_arena_array(arena, outputs, sizeof *needless->changed);
    needless->before_ns = br_arena_array(arena, outputs, sizeof *needless->before_ns);
    uint32_t *maker = calloc(outputs, sizeof *maker), *row = calloc(stages, sizeof *row);
    enum br_status status =
        needless->certain && needless->changed && needless->before_ns && maker && row
            ? BR_OK
            : br_fail_memory(diag);
    for (uint32_t k = 0; k < needless->flow.outputs && !status; k++)
        needless->before_ns[k] = mtime_ns(needless, k);
    if (!status)
        status = ask_rows(needless, options, done, dag, maker, row, diag);
    free(maker);
    free(row);
    return status;
}

bool cli_needless_is(const struct cli_needless *needless, uint32_t stage)
{
    const struct br_ninja_flow *flow = &needless->flow;
    bool runs = needless->certain[stage];
    for (uint32_t k = flow->first_read[stage]; k < flow->first_read[stage + 1]; k++)
        runs |= needless->changed[flow->read[k]];
    return !runs;
}

void cli_needless_ended(struct cli_needless *needless, uint32_t stage)
{
    const struct br_ninja_flow *flow = &needless->flow;
    for (uint32_t k = flow->first_output[stage]; k < flow->first_output[stage + 1]; k++)
        needless->changed[k] =
            !flow->restat[stage] || mtime_ns(needless, k) != needless->before_ns[k];
}

void cli_needless_close(struct cli_needless *needless)
{
    br_ninja_flow_finish(&needless->flow);
    *needless = (struct cli_needless){0};
}
